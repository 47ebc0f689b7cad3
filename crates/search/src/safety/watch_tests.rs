//! Questions about all states, against a plain exploration.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use model::{FailureKind, PredicateId, Random, Trace};

use crate::toy::Edge::{Fails, To};
use crate::toy::{FAILS, Toy};
use crate::{Answer, Limits, Options, Order, Reason, StopReason, Store, Watch, Watched, watch};

const N_PREDICATES: u32 = 5;

/// A random graph with random predicates, some of which hold in few states.
fn random(n_nodes: u64, seed: u64) -> Toy {
    let mut toy = Toy::random(n_nodes, seed);
    let mut random = Random::new(seed ^ 0x5555);
    let mut next = |n: u64| random.draw() % n;
    for predicate in 0..u64::from(N_PREDICATES) {
        let rare = 1 + next(n_nodes / 2 + 1) * predicate / 2;
        let value = |_| if next(rare + 1) == 0 { next(9) as i64 - 4 } else { 0 };
        toy.values.push((0..n_nodes).map(value).collect());
    }
    toy
}

/// The least distance of each node.
fn distances(toy: &Toy) -> Vec<Option<usize>> {
    let mut distances = vec![None; toy.edges.len()];
    distances[0] = Some(0);
    let mut queue = VecDeque::from([0]);
    while let Some(node) = queue.pop_front() {
        for next in toy.next(node) {
            if distances[next as usize].is_none() {
                distances[next as usize] = distances[node as usize].map(|distance| distance + 1);
                queue.push_back(next);
            }
        }
    }
    distances
}

fn all_questions(at_most: i64) -> Vec<Watch> {
    let predicates = || (0..N_PREDICATES).map(PredicateId);
    let greatest = predicates().map(|predicate| Watch::Greatest { predicate, at_most });
    predicates().map(Watch::Reachable).chain(greatest).collect()
}

/// Compares answers with the definition. Gives the number of those that are not known.
fn check(toy: &Toy, wanted: &[Watch], watched: &Watched, shortest: bool, about: &str) -> usize {
    let distances = distances(toy);
    let reachable = || (0..toy.edges.len()).filter(|&node| distances[node].is_some());
    assert_eq!(watched.answers.len(), wanted.len());
    let mut n_unknown = 0;
    for (watch, answer) in wanted.iter().zip(&watched.answers) {
        let about = format!("{about}, {watch:?}");
        let values = &toy.values[watch.predicate().expect("a predicate is asked about").0 as usize];
        match (watch, answer) {
            (Watch::Reachable(_), Answer::Reached(trace)) => {
                let last = *toy.walk(trace).expect("it is a run").last().unwrap() as usize;
                assert_ne!(values[last], 0, "{about}");
                let nearest = reachable().filter(|&node| values[node] != 0).map(|node| distances[node]).min();
                assert!(!shortest || nearest == Some(Some(trace.depth())), "{about}");
            }
            (Watch::Reachable(_), Answer::Unreachable) => {
                assert!(reachable().all(|node| values[node] == 0), "{about}");
            }
            (Watch::Greatest { .. }, Answer::Greatest { value, state, stop }) => {
                assert!(
                    distances[state[0] as usize].is_some() && values[state[0] as usize] == *value,
                    "{about}"
                );
                n_unknown += usize::from(stop.is_some());
                let greatest = reachable().map(|node| values[node]).max();
                assert!(greatest == Some(*value) || stop.is_some(), "{about}: {value}");
            }
            (_, Answer::Unknown(_)) => n_unknown += 1,
            other => panic!("{about}: {other:?}"),
        }
    }
    n_unknown
}

fn every_way() -> impl Iterator<Item = (Order, usize)> {
    let orders = [Order::Depth, Order::Breadth, Order::Any, Order::Guided];
    orders.into_iter().flat_map(|order| (1..4).map(move |n| (order, n)))
}

#[test]
fn answers_are_those_of_the_definition() {
    for seed in 0..150 {
        let toy = random(1 + seed % 50, seed);
        let wanted = all_questions(i64::MAX);
        for (order, threads) in every_way() {
            let watched = watch(&toy, &wanted, &Options { order, threads, ..Options::default() });
            let about = format!("seed {seed}, {order:?}, {threads} threads");
            let n_unknown = check(&toy, &wanted, &watched, order == Order::Breadth, &about);
            assert!(n_unknown == 0 && watched.complete, "{about}");
            let n_reachable = distances(&toy).iter().flatten().count();
            assert_eq!(watched.statistics.states, n_reachable as u64, "{about}");
        }
    }
}

#[test]
fn large_graphs_are_shared_by_threads() {
    for seed in 0..4 {
        let toy = random(20_000, seed);
        let wanted = all_questions(4);
        for threads in [1, 2, 3] {
            let options = Options { order: Order::Any, threads, ..Options::default() };
            let watched = watch(&toy, &wanted, &options);
            assert_eq!(check(&toy, &wanted, &watched, false, &format!("seed {seed}")), 0);
        }
    }
}

#[test]
fn limits_never_make_an_answer_wrong() {
    let mut n_unknown = 0;
    for seed in 0..60 {
        let toy = random(60, seed);
        let wanted = all_questions(4);
        let default = Limits::default();
        for limits in [
            Limits { states: 1 + seed, ..default },
            Limits { depth: seed % 8, ..default },
            Limits { memory: 3000 * seed, ..default },
            Limits { time: Some(Duration::ZERO), ..default },
        ] {
            for (order, threads) in every_way() {
                let watched = watch(&toy, &wanted, &Options { order, threads, limits, ..Options::default() });
                let about = format!("seed {seed}, {order:?}, {threads} threads, {limits:?}");
                let unknown = check(&toy, &wanted, &watched, false, &about);
                assert!(unknown == 0 || !watched.complete);
                n_unknown += unknown;
            }
        }
    }
    assert!(n_unknown > 1000, "{n_unknown}");
}

/// 0 → 1 → … → n − 1 → n − 1, with the numbers as a predicate, and whether it is 10.
fn line(n: u64) -> Toy {
    let mut toy = Toy::new((0..n).map(|k| vec![To((k + 1).min(n - 1))]).collect());
    toy.values = vec![(0..n as i64).collect(), (0..n).map(|k| i64::from(k == 10)).collect()];
    toy
}

#[test]
fn a_search_ends_with_the_last_answer() {
    let (number, is_ten) = (PredicateId(0), PredicateId(1));
    let to_twenty = Watch::Greatest { predicate: number, at_most: 20 };
    for (order, threads) in every_way() {
        let options = Options { order, threads, ..Options::default() };
        let watched = watch(&line(1000), &[Watch::Reachable(is_ten)], &options);
        assert!(matches!(&watched.answers[0], Answer::Reached(trace) if trace.depth() == 10));
        assert!(!watched.complete && watched.statistics.states < 100, "{order:?}");

        let watched = watch(&line(1000), &[Watch::Reachable(is_ten), to_twenty], &options);
        assert!(
            matches!(&watched.answers[1], Answer::Greatest { value: 20, state, stop: None } if state[0] == 20)
        );
        assert!(watched.statistics.states < 100, "{order:?}");

        let to_the_end = Options { stop_after: None, ..options.clone() };
        let watched = watch(&line(1000), &[Watch::Reachable(is_ten), to_twenty], &to_the_end);
        assert!(matches!(&watched.answers[0], Answer::Reached(trace) if trace.depth() == 10));
        assert!(matches!(&watched.answers[1], Answer::Greatest { value: 20, stop: None, .. }));
        assert!(watched.complete && watched.stop.is_none() && watched.statistics.states == 1000, "{order:?}");

        // The predicate is 0 in the initial state, and in no other.
        let watched = watch(&line(3), &[Watch::Reachable(is_ten), to_twenty], &options);
        assert_eq!(watched.answers[0], Answer::Unreachable);
        assert!(matches!(watched.answers[1], Answer::Greatest { value: 2, stop: None, .. }));
        assert!(watch(&line(3), &[], &options).answers.is_empty());
    }
}

#[test]
fn a_state_beyond_the_limits_is_not_missing_but_unknown() {
    let is_ten =
        [Watch::Reachable(PredicateId(1)), Watch::Greatest { predicate: PredicateId(0), at_most: 99 }];
    let stopped = |limits, interrupted| {
        every_way().for_each(|(order, threads)| {
            let interrupt = Arc::new(AtomicBool::new(interrupted));
            let options = Options { order, threads, limits, interrupt, ..Options::default() };
            let Watched { answers, .. } = watch(&line(1000), &is_ten, &options);
            let expected = match limits {
                Limits { states: 5, .. } => StopReason::States,
                Limits { depth: 9, .. } => StopReason::Depth,
                _ => StopReason::Interrupted,
            };
            assert_eq!(answers[0], Answer::Unknown(expected));
            match &answers[1] {
                Answer::Greatest { value, stop, .. } => assert!(*stop == Some(expected) && *value < 10),
                other => assert_eq!(*other, Answer::Unknown(expected)),
            }
        });
    };
    stopped(Limits { states: 5, ..Limits::default() }, false);
    stopped(Limits { depth: 9, ..Limits::default() }, false);
    stopped(Limits::default(), true);
    // What lies at the limit is seen.
    let limits = Limits { depth: 10, ..Limits::default() };
    for (order, threads) in every_way() {
        let options = Options { order, threads, limits, ..Options::default() };
        assert!(matches!(watch(&line(1000), &is_ten, &options).answers[0], Answer::Reached(_)), "{order:?}");
    }
}

#[test]
fn a_lossy_store_proves_nothing_but_its_traces_are_right() {
    for seed in 0..20 {
        let toy = random(200, seed);
        let wanted = all_questions(4);
        for store in [Store::HashCompact, Store::Bitstate(1 << 16)] {
            for threads in [1, 2] {
                let options = Options { order: Order::Any, store, threads, ..Options::default() };
                let watched = watch(&toy, &wanted, &options);
                check(&toy, &wanted, &watched, false, &format!("seed {seed}, {store:?}"));
                assert!(!watched.complete && !watched.answers.contains(&Answer::Unreachable));
                assert!(watched.answers.iter().all(|answer| match answer {
                    Answer::Unknown(stop) => *stop == StopReason::LossyStore,
                    Answer::Greatest { value, stop, .. } => (*value < 4) == stop.is_some(),
                    _ => true,
                }));
            }
        }
    }
}

#[test]
fn what_fails_is_told() {
    let failure = Toy::failure(FailureKind::IndexOutOfRange);
    for (order, threads) in every_way() {
        let options = Options { order, threads, ..Options::default() };
        let mut toy = line(30);
        toy.values.push((0..30).map(|k| if k == 7 { FAILS } else { i64::from(k == 8) }).collect());
        let wanted = [0, 1, 2].map(PredicateId).map(Watch::Reachable);
        let watched = watch(&toy, &wanted, &options);
        assert!(
            matches!(&watched.answers[2], Answer::Failed(f, trace) if *f == failure && trace.depth() == 7)
        );
        assert!(matches!(&watched.answers[1], Answer::Reached(trace) if trace.depth() == 10));
        assert!(watched.wrong.is_none());

        // A runtime error is no answer, but known; the search goes on elsewhere.
        toy.edges[5].insert(0, Fails);
        toy.values[1][10] = 0;
        let watched = watch(&toy, &wanted, &options);
        assert_eq!(watched.wrong.unwrap().reason, Reason::RuntimeError);
        assert_eq!(watched.answers[1], Answer::Unreachable);
        assert_eq!(watched.statistics.states, 30);

        let watched = watch(&Toy::default(), &wanted, &options);
        let failure = Toy::failure(FailureKind::DivisionByZero);
        assert_eq!(watched.answers, vec![Answer::Failed(failure, Trace::default()); 3]);
    }
}
