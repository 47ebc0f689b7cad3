//! Searches for witnesses: random walks, and states that seem near first.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use model::PredicateId;

use crate::toy::Edge::{Asserts, Fails, Through, To};
use crate::toy::Toy;
use crate::{
    Answer, Checks, Findings, Limits, Options, Order, Reason, StopReason, Verdict, Watch, Watched, run, watch,
};

const GOAL: PredicateId = PredicateId(0);

/// 0 → 1 → … → n, each with a way back to 0, and a predicate that is true of n.
fn ladder(n: u64) -> Toy {
    let mut toy = Toy::new((0..=n).map(|k| vec![To((k + 1).min(n)), Through(1, 0)]).collect());
    toy.values = vec![(0..=n).map(|k| i64::from(k == n)).collect()];
    toy
}

fn walks(toy: &Toy, seed: u64, limits: Limits) -> Watched {
    let options = Options { order: Order::Walk, seed, limits, ..Options::default() };
    watch(toy, &[Watch::Reachable(GOAL)], &options)
}

#[test]
fn a_walk_finds_what_is_there_without_going_in_circles() {
    for seed in 0..50 {
        let toy = ladder(8);
        let watched = walks(&toy, seed, Limits::default());
        let Answer::Reached(trace) = &watched.answers[0] else { panic!("seed {seed}: {watched:?}") };
        // It has come back to 0 again and again; the run that is told has not.
        assert_eq!(toy.walk(trace), Some((0..=8).collect()), "seed {seed}");
        assert!(!watched.complete && watched.statistics.store_bytes == 0);
    }
}

#[test]
fn a_walk_proves_nothing() {
    let mut toy = ladder(3);
    toy.values[0][3] = 0;
    let default = Limits::default();
    for (limits, stop) in [
        (default, StopReason::MayMiss),
        (Limits { states: 1000, ..default }, StopReason::States),
        (Limits { time: Some(Duration::ZERO), ..default }, StopReason::Time),
        (Limits { memory: 0, ..default }, StopReason::Memory),
    ] {
        let watched = walks(&toy, 1, limits);
        assert_eq!((&watched.answers[0], watched.complete), (&Answer::Unknown(stop), false));
        assert!(stop != StopReason::States || watched.statistics.states == 1000);
    }
    let interrupt = Arc::new(AtomicBool::new(true));
    let options = Options { order: Order::Walk, interrupt, ..Options::default() };
    let watched = watch(&toy, &[Watch::Reachable(GOAL)], &options);
    assert_eq!(watched.answers[0], Answer::Unknown(StopReason::Interrupted));
}

#[test]
fn a_walk_goes_no_deeper_than_allowed() {
    let few = Limits { states: 100_000, ..Limits::default() };
    for depth in [7, 8] {
        let watched = walks(&ladder(8), 5, Limits { depth, ..few });
        assert_eq!(matches!(watched.answers[0], Answer::Reached(_)), depth == 8);
        assert!(watched.statistics.depth <= depth);
    }
}

#[test]
fn walks_are_the_same_for_the_same_seed() {
    let counts = |seed| walks(&ladder(10), seed, Limits::default()).statistics.states;
    let all: Vec<u64> = (0..8).map(counts).collect();
    assert_eq!(all, (0..8).map(counts).collect::<Vec<_>>());
    assert!(all.iter().any(|count| *count != all[0]), "{all:?}");
}

#[test]
fn several_goals_are_looked_for_at_once() {
    let mut toy = ladder(6);
    toy.values.extend((0..6).map(|goal| (0..=6).map(|k| i64::from(k == goal)).collect()));
    let wanted: Vec<Watch> = (0..7).map(PredicateId).map(Watch::Reachable).collect();
    let watched = watch(&toy, &wanted, &Options { order: Order::Walk, ..Options::default() });
    for (goal, answer) in [6, 0, 1, 2, 3, 4, 5].into_iter().zip(&watched.answers) {
        assert!(matches!(answer, Answer::Reached(trace) if trace.depth() == goal), "{goal}: {answer:?}");
    }
}

#[test]
fn a_walk_finds_what_is_wrong() {
    let walked = |toy: &Toy, checks| -> Findings {
        let limits = Limits { states: 10_000, ..Limits::default() };
        run(toy, &Options { order: Order::Walk, checks, limits, ..Options::default() })
    };
    let reason = |toy: &Toy, checks| match walked(toy, checks).verdict {
        Verdict::Violated(violation) => {
            // What fails is one step more than states that are reached.
            assert_eq!(violation.trace.depth(), 2);
            Some(violation.reason)
        }
        Verdict::Unknown(StopReason::States) => None,
        other => panic!("{other:?}"),
    };
    let stuck = Toy::new(vec![vec![To(0), To(1)], vec![To(0), To(2)], vec![]]);
    assert_eq!(reason(&stuck, Checks::DEADLOCK), Some(Reason::Deadlock));
    assert_eq!(reason(&stuck, Checks::NONE), None);
    let fails = Toy::new(vec![vec![To(0), To(1)], vec![To(0), Fails]]);
    assert_eq!(reason(&fails, Checks::NONE), Some(Reason::RuntimeError));
    let asserts = Toy::new(vec![vec![To(0), To(1)], vec![To(0), Asserts(1)]]);
    assert_eq!(reason(&asserts, Checks::SAFETY), Some(Reason::Assertion));
    assert_eq!(reason(&asserts, Checks::NONE), None);
    let nothing = walked(&Toy::default(), Checks::NONE);
    assert!(matches!(nothing.verdict, Verdict::Violated(violation) if violation.trace.steps.is_empty()));
}

/// A tree in which each node has two behind it, and one leaf is the goal.
fn tree(levels: u32, goal: u64) -> Toy {
    let n_nodes = (1_u64 << levels) - 1;
    let children = |node: u64| [2 * node + 1, 2 * node + 2];
    let behind = |node: u64| children(node).into_iter().filter(|child| *child < n_nodes).map(To).collect();
    let mut toy = Toy::new((0..n_nodes).map(behind).collect());
    toy.values = vec![(0..n_nodes).map(|node| i64::from(node == goal)).collect()];
    toy
}

#[test]
fn a_good_guide_leads_straight_to_the_goal() {
    let goal = (1 << 10) + 77;
    let mut toy = tree(12, goal);
    // How many levels a node is away from the way to the goal, and how far it is then.
    toy.distances = vec![100; toy.edges.len()];
    let way = std::iter::successors(Some(goal), |node| (*node > 0).then(|| (node - 1) / 2));
    way.zip(0..).for_each(|(node, distance)| toy.distances[node as usize] = distance);
    let options = Options { order: Order::Guided, ..Options::default() };
    let watched = watch(&toy, &[Watch::Reachable(GOAL)], &options);
    assert!(matches!(&watched.answers[0], Answer::Reached(trace) if trace.depth() == 10));
    assert!(watched.statistics.states == 23 && !watched.complete, "{:?}", watched.statistics);
}

#[test]
fn a_bad_guide_costs_time_and_no_answer() {
    let goal = (1 << 10) + 77;
    let mut toy = tree(12, goal);
    toy.distances = toy.values[0].iter().map(|&value| 9 * u64::from(value != 0)).collect();
    let options = Options { order: Order::Guided, ..Options::default() };
    let watched = watch(&toy, &[Watch::Reachable(GOAL)], &options);
    assert!(matches!(watched.answers[0], Answer::Reached(_)) && watched.statistics.states > 4000);
    toy.values[0][goal as usize] = 0;
    let watched = watch(&toy, &[Watch::Reachable(GOAL)], &options);
    assert!(watched.answers == [Answer::Unreachable] && watched.complete);
}
