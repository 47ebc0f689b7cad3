//! Formulas of linear time on reduced state spaces.

use logic::{BinaryOp, Goal, Ltl, UnaryOp};
use search::{Cycles, Fairness, Forbidden, Reason, find_cycle};

use super::*;

/// A formula without X over two atoms.
fn random_ltl(prng: &mut Prng, depth: u64) -> Ltl<u32> {
    if depth == 0 || prng.chance(10) {
        return Ltl::Atom(prng.below(2) as u32);
    }
    let unary = [UnaryOp::Not, UnaryOp::Always, UnaryOp::Eventually];
    let binary = [BinaryOp::And, BinaryOp::Or, BinaryOp::Until, BinaryOp::Release, BinaryOp::WeakUntil];
    if prng.chance(50) {
        let op = prng.pick(&unary);
        return Ltl::unary(op, random_ltl(prng, depth - 1));
    }
    let op = prng.pick(&binary);
    let left = random_ltl(prng, depth - 1);
    Ltl::binary(op, left, random_ltl(prng, depth - 1))
}

#[test]
fn reduced_searches_keep_infinite_runs() {
    let mut prng = Prng::new(24);
    let (mut n_true, mut n_false, mut n_smaller) = (0, 0, 0);
    for _ in 0..6000 {
        let net = random_net(&mut prng);
        let predicates = (0..2).map(|_| Predicate::Formula(random_formula(&net, &mut prng, 0))).collect();
        let Some((model, space)) = explored(&net, predicates) else { continue };
        if !space.is_complete || space.states.len() < 4 {
            continue;
        }
        let formula = random_ltl(&mut prng, 3);
        let Ok(automaton) =
            logic::translate(&formula.clone().negated(), Goal::Generalised, &Patience::default())
        else {
            continue;
        };
        let cycles = Cycles::fastest(&automaton, Fairness::None);
        let atoms = vec![PredicateId(0), PredicateId(1)];
        let reason = Reason::AcceptanceCycle;
        let forbidden = Forbidden { automaton, atoms: atoms.clone(), fails_at: None, stutters: true, reason };
        let full = find_cycle(&model, &forbidden, &cycles, &search::Options::default());
        let holds = full.verdict == Verdict::Holds;
        for method in [Method::Stubborn, Method::Weak, Method::Deletion] {
            let plan = Reduction { method, preserves: Preserves::InfiniteRuns, watched: atoms.clone() };
            let options =
                search::Options { reduction: Some(plan), patient: true, ..search::Options::default() };
            let reduced = find_cycle(&model, &forbidden, &cycles, &options);
            assert_eq!(reduced.verdict == Verdict::Holds, holds, "{formula:?} with {method:?} in {net:?}");
            n_smaller += usize::from(holds && reduced.statistics.states < full.statistics.states);
        }
        if holds { n_true += 1 } else { n_false += 1 }
    }
    assert!(n_true > 150 && n_false > 150 && n_smaller > 50, "{n_true} {n_false} {n_smaller}");
}
