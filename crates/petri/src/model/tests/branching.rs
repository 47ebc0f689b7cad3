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
    let choice = prng.below(18);
    let mut operand = || Box::new(random_ctl(n_atoms, prng, depth - 1));
    match choice {
        0 => Ctl::Not(operand()),
        1 => Ctl::And(vec![*operand(), *operand()]),
        2 => Ctl::Or(vec![*operand(), *operand()]),
        3 => Ctl::Next(quantifier, operand()),
        4..=7 => Ctl::Eventually(quantifier, operand()),
        8..=11 => Ctl::Always(quantifier, operand()),
        12 | 13 => Ctl::Until(quantifier, operand(), operand()),
        14 | 15 => Ctl::WeakUntil(quantifier, operand(), operand()),
        _ => Ctl::Release(quantifier, operand(), operand()),
    }
}

#[test]
fn reduced_graphs_have_the_branches_that_matter() {
    let mut prng = Prng(23);
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
                let plan = Plan { method, keeps: Keeps::Branching, watched: watched.clone() };
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
