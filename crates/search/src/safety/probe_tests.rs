//! Walks beside explorations of graphs.

use std::collections::HashSet;

use model::{PredicateId, Random};

use crate::toy::Edge::{Asserts, To};
use crate::toy::Toy;
use crate::{Answer, Checks, Options, Order, Verdict, Watch, run, watch};

/// A graph in which few nodes are dead ends, or none.
fn graph(n_nodes: u64, seed: u64) -> Toy {
    let mut random = Random::new(seed);
    let n_dead = random.below(3) as u64;
    let mut node = |at: u64| match at {
        at if at > 0 && at <= n_dead => Vec::new(),
        _ => (0..1 + random.below(3)).map(|_| To(random.draw() % n_nodes)).collect(),
    };
    Toy::new((0..n_nodes).map(&mut node).collect())
}

fn reachable(toy: &Toy) -> HashSet<u64> {
    let (mut found, mut open) = (HashSet::from([0]), vec![0]);
    while let Some(node) = open.pop() {
        open.extend(toy.next(node).filter(|&next| found.insert(next)));
    }
    found
}

fn options(number: u64) -> Options {
    let orders = [Order::Depth, Order::Any];
    let threads = 1 + (number / 2 % 3) as usize;
    Options { order: orders[number as usize % 2], threads, probes: true, seed: number, ..Options::default() }
}

#[test]
fn what_walks_find_is_there_and_nothing_is_missed() {
    let (mut n_walked, mut n_violated) = (0, 0);
    for seed in 0..300 {
        let toy = graph(20 + 10 * (seed % 60), seed);
        let is_dead = |node: u64| toy.edges[node as usize].is_empty();
        let options = options(seed);
        let findings = run(&toy, &options);
        let has_end = reachable(&toy).into_iter().any(is_dead);
        match findings.verdict {
            Verdict::Holds => assert!(!has_end && findings.complete, "{seed}"),
            Verdict::Violated(violation) => {
                let way = toy.walk(&violation.trace).expect("it is a run");
                assert!(is_dead(way[way.len() - 1]) && !findings.complete, "{seed}");
                n_violated += 1;
            }
            verdict => panic!("{seed}: {verdict:?}"),
        }
        n_walked += u64::from(findings.by_walk);
    }
    assert!(n_walked > 10 && n_walked < n_violated, "{n_walked} of {n_violated}");
}

#[test]
fn questions_are_answered_by_both() {
    for seed in 0..200 {
        let mut toy = graph(50 + 10 * (seed % 60), seed);
        let n_nodes = toy.edges.len() as u64;
        let mut random = Random::new(seed ^ 0x77);
        let goals: Vec<u64> = (0..4).map(|_| random.draw() % n_nodes).collect();
        toy.values =
            goals.iter().map(|goal| (0..n_nodes).map(|node| i64::from(node == *goal)).collect()).collect();
        let mut wanted: Vec<Watch> = (0..4).map(PredicateId).map(Watch::Reachable).collect();
        wanted.push(Watch::Wrong(Checks::DEADLOCK));
        let watched = watch(&toy, &wanted, &options(seed));
        let reachable = reachable(&toy);
        for (goal, answer) in goals.iter().zip(&watched.answers) {
            match answer {
                Answer::Reached(trace) => assert_eq!(toy.walk(trace).unwrap().last(), Some(goal), "{seed}"),
                Answer::Unreachable => assert!(!reachable.contains(goal), "{seed}"),
                answer => panic!("{seed}: {answer:?}"),
            }
        }
        let has_end = reachable.iter().any(|&node| toy.edges[node as usize].is_empty());
        assert_eq!(matches!(watched.answers[4], Answer::Wrong(_)), has_end, "{seed}");
        assert_eq!(watched.stop, None, "{seed}");
    }
}

/// A failed assertion beside a long chain, into which depth-first search goes.
#[test]
fn an_error_beside_a_long_chain_is_found_by_walks() {
    let length = 100_000;
    let mut edges: Vec<_> = (0..length).map(|node| vec![To((node + 1) % length)]).collect();
    edges[0].push(To(length));
    edges.push(vec![Asserts(0)]);
    let toy = Toy::new(edges);
    for threads in [1, 2] {
        let options = Options { probes: true, threads, ..Options::default() };
        let found = run(&toy, &options);
        assert!(matches!(found.verdict, Verdict::Violated(_)) && found.by_walk, "{threads}");
        assert!(found.statistics.states < length, "{threads}");
    }
}
