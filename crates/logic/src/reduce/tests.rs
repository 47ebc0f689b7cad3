//! Every reduction on its own: it must not change what any automaton accepts.

use model::{Over, Patience};

use super::acceptance::{Passing, normalise};
use super::{bisimulation, simplify, simulation, trim};
use crate::bdd::Bdds;
use crate::graph::Graph;
use crate::testing::{Random, small_lassos};
use crate::{Automaton, Goal, degeneralise, lasso};

/// Applies a reduction to many random automata and compares the languages. Some must become
/// smaller, or the test would show nothing.
fn check(goal: Goal, reduction: impl Fn(Graph, &mut Bdds) -> Result<Graph, Over>) {
    let mut smaller = 0;
    for automaton in automata(goal) {
        let patience = Patience::default();
        let mut bdds = Bdds::new(&patience);
        let graph = Graph::from_automaton(&automaton, &mut bdds).unwrap();
        let before = graph.size();
        let reduced = reduction(graph, &mut bdds).unwrap();
        smaller += (reduced.size() < before) as u32;
        let reduced = reduced.to_automaton(&mut bdds).unwrap();
        assert!(goal == Goal::Generalised || reduced.is_state_based(), "{automaton:?}\n{reduced:?}");
        assert_same_language(&automaton, &reduced);
    }
    assert!(smaller > 20, "only {smaller} automata became smaller");
}

fn automata(goal: Goal) -> Vec<Automaton> {
    let mut random = Random::new(0x2545f4914f6cdd1d);
    let mut automaton = |i: u32| match goal {
        Goal::Generalised => random.automaton(i % 4),
        Goal::StateBased => random.state_based_automaton(),
    };
    (0..600).map(&mut automaton).collect()
}

fn assert_same_language(a: &Automaton, b: &Automaton) {
    for (prefix, cycle) in small_lassos() {
        let accepted = lasso::accepts(a, &prefix, &cycle);
        assert_eq!(accepted, lasso::accepts(b, &prefix, &cycle), "{prefix:?} {cycle:?}\n{a:?}\n{b:?}");
    }
}

#[test]
fn trimming_keeps_the_language() {
    check(Goal::Generalised, |graph, _| Ok(trim(&graph)));
}

#[test]
fn bisimulation_keeps_the_language() {
    check(Goal::Generalised, |graph, bdds| bisimulation(&trim(&graph), bdds));
    check(Goal::StateBased, |graph, bdds| bisimulation(&trim(&graph), bdds));
}

#[test]
fn normal_acceptance_keeps_the_language() {
    for passing in [Passing::NoSet, Passing::AllSets] {
        for goal in [Goal::Generalised, Goal::StateBased] {
            check(goal, |mut graph, bdds| {
                normalise(&mut graph, goal, passing, bdds.pace())?;
                graph.merge_arcs(bdds)?;
                Ok(trim(&graph))
            });
        }
    }
}

#[test]
fn forward_simulation_keeps_the_language() {
    check(Goal::Generalised, |graph, bdds| simulation::forward(&graph, bdds));
    check(Goal::StateBased, |graph, bdds| simulation::forward(&graph, bdds));
}

#[test]
fn backward_simulation_keeps_the_language() {
    for goal in [Goal::Generalised, Goal::StateBased] {
        check(goal, |graph, bdds| simulation::backward(&graph, goal, bdds));
    }
}

#[test]
fn all_reductions_together_keep_the_language() {
    for goal in [Goal::Generalised, Goal::StateBased] {
        for automaton in automata(goal) {
            let simplified = simplify(&automaton, &Patience::default()).unwrap();
            assert!(simplified.states.len() <= automaton.states.len());
            assert_same_language(&automaton, &simplified);
        }
    }
}

#[test]
fn degeneralisation_keeps_the_language() {
    for automaton in automata(Goal::Generalised) {
        let one_set = degeneralise(&automaton, &Patience::default()).unwrap();
        assert!(one_set.n_sets == 1 && one_set.is_state_based());
        assert_same_language(&automaton, &one_set);
    }
}
