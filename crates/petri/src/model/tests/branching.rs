//! Formulas of branching time on reduced graphs.

use logic::{Ctl, Quantifier};
use search::{Deadlocks, Space, check_ctl};

use super::*;

/// A formula over so many predicates.
fn random_ctl(n_atoms: u32, prng: &mut Prng, depth: u64) -> Ctl<PredicateId> {
    if depth == 0 || prng.chance(10) {
        return Ctl::Atom(PredicateId(prng.below(u64::from(n_atoms)) as u32));
    }
    let quantifier = prng.pick(&[Quantifier::All, Quantifier::Exists]);
    let choice = prng.below(20);
    let mut operand = || Box::new(random_ctl(n_atoms, prng, depth - 1));
    match choice {
        0 => Ctl::Not(operand()),
        1 => Ctl::And(vec![*operand(), *operand()]),
        2 => Ctl::Or(vec![*operand(), *operand()]),
        3..=5 => Ctl::Next(quantifier, operand()),
        6..=9 => Ctl::Eventually(quantifier, operand()),
        10..=13 => Ctl::Always(quantifier, operand()),
        14 | 15 => Ctl::Until(quantifier, operand(), operand()),
        16 | 17 => Ctl::WeakUntil(quantifier, operand(), operand()),
        _ => Ctl::Release(quantifier, operand(), operand()),
    }
}

#[test]
fn reduced_graphs_have_the_branches_that_matter() {
    let mut prng = Prng::new(23);
    let (mut n_true, mut n_false, mut n_smaller) = (0, 0, 0);
    for _ in 0..8000 {
        let net = random_net(&mut prng);
        let predicates = (0..2).map(|_| Predicate::Formula(random_formula(&net, &mut prng, 0))).collect();
        let Some((model, space)) = explored(&net, predicates) else { continue };
        if !space.is_complete || space.states.len() < 4 {
            continue;
        }
        let formula = random_ctl(2, &mut prng, 3);
        let watched = vec![PredicateId(0), PredicateId(1)];
        for deadlocks in [Deadlocks::Stutter, Deadlocks::End] {
            let mut full = Space::new(&model, &search::Options::default());
            let mut full = full.graph().unwrap();
            let expected = check_ctl(&mut full, &formula, deadlocks).unwrap().holds;
            for method in [Method::Stubborn, Method::Ample, Method::Deletion] {
                let plan = Reduction { method, preserves: Preserves::Branching, watched: watched.clone() };
                let options =
                    search::Options { reduction: Some(plan), patient: true, ..search::Options::default() };
                let mut reduced = Space::new(&model, &options);
                let mut reduced = reduced.graph().unwrap();
                let found = check_ctl(&mut reduced, &formula, deadlocks).unwrap().holds;
                assert_eq!(found, expected, "{formula:?} with {method:?}, {deadlocks:?} in {net:?}");
                n_smaller += usize::from(reduced.statistics().states < full.statistics().states);
            }
            if expected { n_true += 1 } else { n_false += 1 }
        }
    }
    assert!(n_true > 200 && n_false > 200 && n_smaller > 100, "{n_true} {n_false} {n_smaller}");
}

/// Where two transitions have nothing to do with each other, single steps tell their orders apart.
#[test]
fn what_sees_steps_sees_all_of_them() {
    let mut net = NetBuilder::new("steps");
    let places = ["a0", "a1", "b0", "b1"].map(|name| net.place(name, u64::from(name.ends_with('0'))));
    for (name, from, to) in [("a", 0, 1), ("b", 2, 3)] {
        let transition = net.transition(name);
        net.input(places[from], transition, 1);
        net.output(transition, places[to], 1);
    }
    for (watched, other) in [(places[1], places[3]), (places[3], places[1])] {
        let sum = Sum { terms: vec![(watched, 1)], constant: -1 };
        let is_marked = Predicate::Formula(Formula::Atom(Atom::Compare(sum, Comparison::Equal)));
        let model = new_model(&Arc::new(net.clone().finish()), vec![is_marked]);
        let plan = Reduction {
            method: Method::Stubborn,
            preserves: Preserves::Branching,
            watched: vec![PredicateId(0)],
        };
        let options = search::Options { reduction: Some(plan), patient: true, ..search::Options::default() };
        let mut reduced = Space::new(&model, &options);
        let mut reduced = reduced.graph().unwrap();
        // The other one can still come: the watched one was first.
        let goes_on = Ctl::Next(Quantifier::Exists, Box::new(Ctl::Constant(true)));
        let first = Ctl::And(vec![Ctl::Atom(PredicateId(0)), goes_on]);
        let some_time = Ctl::Eventually(Quantifier::Exists, Box::new(first));
        assert!(check_ctl(&mut reduced, &some_time, Deadlocks::End).unwrap().holds, "{other:?} comes last");
    }
}
