//! Both searches on graphs.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use model::{FailureKind, Model};

use crate::toy::Edge::{Asserts, Fails, Through, To};
use crate::toy::Toy;
use crate::{
    Checks, Evidence, Findings, Limits, Options, Order, Reason, StopReason, Store, Verdict, Violation, run,
};

const ORDERS: [Order; 3] = [Order::Depth, Order::Breadth, Order::Any];

fn explore(toy: &Toy, order: Order, change: impl FnOnce(&mut Options)) -> Findings {
    let mut options = Options { order, ..Options::default() };
    change(&mut options);
    run(toy, &options)
}

fn violation(findings: &Findings) -> &Violation {
    match &findings.verdict {
        Verdict::Violated(violation) => violation,
        other => panic!("not a violation: {other:?}"),
    }
}

/// States, arrivals and invalid ends by plain exploration, and the least distance of such an end.
fn by_definition(toy: &Toy) -> (u64, u64, u64, Option<usize>) {
    let mut seen = HashSet::from([0]);
    let mut queue = VecDeque::from([(0, 0)]);
    let (mut arrivals, mut ends, mut nearest) = (1, 0, None);
    while let Some((node, distance)) = queue.pop_front() {
        if toy.edges[node as usize].is_empty() {
            ends += 1;
            nearest = nearest.or(Some(distance));
        }
        for edge in &toy.edges[node as usize] {
            let (To(next) | Through(_, next) | Asserts(next)) = *edge else { continue };
            arrivals += 1;
            if seen.insert(next) {
                queue.push_back((next, distance + 1));
            }
        }
    }
    (seen.len() as u64, arrivals, ends, nearest)
}

#[test]
fn both_orders_count_what_the_definition_says() {
    for seed in 0..200 {
        let toy = Toy::random(1 + seed % 60, seed);
        let (states, arrivals, ends, nearest) = by_definition(&toy);
        for order in ORDERS {
            let findings = explore(&toy, order, |options| options.stop_after = None);
            let statistics = &findings.statistics;
            assert_eq!(statistics.states, states, "seed {seed}, {order:?}");
            assert_eq!(statistics.transitions(), arrivals, "seed {seed}, {order:?}");
            assert_eq!(statistics.errors, ends, "seed {seed}, {order:?}");
            assert!(findings.complete);
            assert_eq!(findings.verdict == Verdict::Holds, ends == 0, "seed {seed}, {order:?}");
        }
        if let Some(nearest) = nearest {
            let findings = explore(&toy, Order::Breadth, |_| {});
            assert_eq!(violation(&findings).trace.depth(), nearest, "seed {seed}");
        }
    }
}

#[test]
fn a_trace_leads_along_edges_to_the_violation() {
    for seed in 0..200 {
        let toy = Toy::random(40, seed);
        for order in ORDERS {
            let Verdict::Violated(violation) = explore(&toy, order, |_| {}).verdict else { continue };
            let mut node = 0;
            for step in violation.trace.steps.iter().filter(|step| step.observable) {
                let Through(_, next) = toy.edges[node as usize][step.action.actor.transition as usize] else {
                    panic!("no such edge")
                };
                node = next;
            }
            assert!(toy.edges[node as usize].is_empty(), "seed {seed}, {order:?}");
        }
    }
}

#[test]
fn failures_have_their_reasons_and_the_path_goes_on_behind_an_assertion() {
    let toy = Toy::new(vec![vec![To(1)], vec![Asserts(2), Fails], vec![To(2)]]);
    for order in ORDERS {
        let first = explore(&toy, order, |_| {});
        assert_eq!(violation(&first).reason, Reason::Assertion);
        assert_eq!(violation(&first).trace.steps.len(), 2);
        let failure = Toy::failure(FailureKind::Assertion);
        assert_eq!(violation(&first).evidence, Evidence::Failure(failure));
        assert!(!first.complete);

        let all = explore(&toy, order, |options| options.stop_after = None);
        assert_eq!((all.statistics.errors, all.statistics.states), (2, 3));
        assert_eq!(violation(&all).reason, Reason::Assertion);

        let none = explore(&toy, order, |options| options.checks = Checks::NONE);
        assert_eq!(violation(&none).reason, Reason::RuntimeError);
    }
}

#[test]
fn breadth_first_prefers_an_end_to_a_failure_one_step_later() {
    let toy = Toy::new(vec![vec![To(1), To(2)], vec![Fails], vec![]]);
    let findings = explore(&toy, Order::Breadth, |_| {});
    assert_eq!(violation(&findings).reason, Reason::InvalidEndState);
    assert_eq!(violation(&findings).trace.steps.len(), 1);
    assert_eq!(findings.statistics.errors, 1);
}

#[test]
fn valid_ends_and_deadlocks() {
    let mut toy = Toy::new(vec![vec![To(1)], vec![]]);
    for order in ORDERS {
        let deadlock = explore(&toy, order, |options| options.checks = Checks::DEADLOCK);
        assert_eq!(violation(&deadlock).reason, Reason::Deadlock);
    }
    toy.ends = vec![1];
    for order in ORDERS {
        assert_eq!(explore(&toy, order, |_| {}).verdict, Verdict::Holds);
    }
}

#[test]
fn a_failure_in_the_initial_state_is_a_violation() {
    for order in ORDERS {
        let findings = explore(&Toy::default(), order, |_| {});
        assert_eq!(violation(&findings).reason, Reason::RuntimeError);
        assert!(violation(&findings).trace.steps.is_empty());
        assert_eq!((findings.statistics.errors, findings.statistics.states), (1, 0));
    }
}

/// 0 → 1 → … → n − 1 → n − 1
fn line(n: u64) -> Toy {
    Toy::new((0..n).map(|k| vec![To((k + 1).min(n - 1))]).collect())
}

#[test]
fn a_limit_makes_the_answer_unknown() {
    let limited = |limits: Limits, interrupted: bool| {
        ORDERS.map(|order| {
            explore(&line(1000), order, |options| {
                options.limits = limits;
                options.interrupt = Arc::new(AtomicBool::new(interrupted));
            })
        })
    };
    let default = Limits::default();
    for (limits, interrupted, expected, states) in [
        (Limits { states: 10, ..default }, false, StopReason::States, 10),
        (Limits { depth: 10, ..default }, false, StopReason::Depth, 11),
        (Limits { memory: 0, ..default }, false, StopReason::Memory, 0),
        (Limits { memory: 20_000, ..default }, false, StopReason::Memory, 0),
        (Limits { time: Some(Duration::ZERO), ..default }, false, StopReason::Time, 1),
        (default, true, StopReason::Interrupted, 1),
    ] {
        for findings in limited(limits, interrupted) {
            assert_eq!(findings.verdict, Verdict::Unknown(expected));
            assert!(!findings.complete);
            if states > 0 {
                assert_eq!(findings.statistics.states, states);
            }
        }
    }
    for findings in limited(Limits { states: 1000, depth: 1000, ..default }, false) {
        assert_eq!(findings.verdict, Verdict::Holds);
        assert_eq!(findings.statistics.depth, 999);
    }
}

#[test]
fn a_state_at_the_depth_limit_is_entered_again_on_a_shorter_way() {
    // Depth-first goes to 3 by way of 1 and 2 first, where the limit is reached.
    let toy = Toy::new(vec![vec![To(1), To(3)], vec![To(2)], vec![To(3)], vec![To(4)], vec![To(4)]]);
    for order in ORDERS {
        let findings = explore(&toy, order, |options| options.limits.depth = 3);
        assert_eq!(findings.verdict, Verdict::Holds, "{order:?}");
        assert_eq!(findings.statistics.states, 5);
    }
}

#[test]
fn executed_transitions_are_noted() {
    let toy = Toy::new(vec![vec![To(0), To(1), Fails], vec![]]);
    for order in ORDERS {
        let findings = explore(&toy, order, |options| options.stop_after = None);
        assert!((0..3).all(|k| findings.executed.contains(k)));
        assert!(!findings.executed.contains(3));
    }
}

#[test]
fn progress_is_published_at_the_end() {
    let options = Options::default();
    run(&line(10) as &dyn Model, &options);
    let sample = options.progress.sample();
    assert_eq!((sample.states, sample.transitions, sample.depth), (10, 11, 9));
}

#[test]
fn threads_change_neither_counts_nor_verdicts() {
    for seed in 0..12 {
        let toy = Toy::random(3000, seed);
        let explore = |threads| {
            explore(&toy, Order::Any, |options| {
                options.threads = threads;
                options.stop_after = None;
            })
        };
        let one = explore(1);
        let counts = |findings: &Findings| {
            let statistics = &findings.statistics;
            (statistics.states, statistics.matched, statistics.errors, findings.complete)
        };
        for threads in [2, 3, 8] {
            let several = explore(threads);
            assert_eq!(counts(&several), counts(&one), "seed {seed}, {threads} threads");
            assert_eq!(several.executed, one.executed);
            let is_violated = |findings: &Findings| matches!(findings.verdict, Verdict::Violated(_));
            assert_eq!(is_violated(&several), is_violated(&one));
        }
    }
}

#[test]
fn breadth_first_the_trace_is_the_same_for_any_number_of_threads() {
    let mut n_violated = 0;
    for seed in 0..40 {
        let mut toy = Toy::random(if seed % 2 == 0 { 10_000 } else { 60 }, seed);
        if seed % 3 > 0 {
            toy.ends.extend(0..10_000);
        }
        let explore = |threads| explore(&toy, Order::Breadth, |options| options.threads = threads);
        let one = explore(1);
        n_violated += u64::from(matches!(one.verdict, Verdict::Violated(_)));
        for threads in [2, 3] {
            let several = explore(threads);
            assert_eq!(several.verdict, one.verdict, "seed {seed}, {threads} threads");
            assert_eq!(several.statistics.states, one.statistics.states);
            assert_eq!(several.statistics.matched, one.statistics.matched);
        }
    }
    assert!((10..30).contains(&n_violated), "{n_violated} violated");
}

#[test]
fn every_store_shows_the_same() {
    for seed in 0..8 {
        let toy = Toy::random(2000, seed);
        let counts = |store, order, threads| {
            let findings = explore(&toy, order, |options| {
                (options.store, options.threads) = (store, threads);
                options.stop_after = None;
            });
            let statistics = findings.statistics;
            (findings.complete, statistics.states, statistics.matched, statistics.errors)
        };
        let expected = counts(Store::Compressed, Order::Depth, 1);
        for store in [Store::Compressed, Store::Tree, Store::Table] {
            for order in [Order::Breadth, Order::Any] {
                assert_eq!(counts(store, order, 2), expected, "seed {seed}, {store:?}, {order:?}");
            }
        }
        // Lossy ones miss nothing here, but do not know.
        for store in [Store::HashCompact, Store::Bitstate(1 << 20)] {
            let found = counts(store, Order::Any, 1);
            assert_eq!(found, (false, expected.1, expected.2, expected.3), "seed {seed}, {store:?}");
        }
    }
}

#[test]
fn a_lossy_store_proves_nothing_but_its_traces_are_right() {
    for store in [Store::HashCompact, Store::Bitstate(1 << 16)] {
        for threads in [1, 3] {
            let mut toy = Toy::random(500, 3);
            let set = |options: &mut Options| (options.store, options.threads) = (store, threads);
            let findings = explore(&toy, Order::Any, set);
            let length = violation(&findings).trace.steps.len();
            assert!(length > 0);
            toy.ends.extend(0..500);
            let findings = explore(&toy, Order::Any, set);
            assert_eq!(findings.verdict, Verdict::Unknown(StopReason::LossyStore));
            assert!(findings.statistics.omission.is_some_and(|omission| omission < 0.5));
        }
    }
}
