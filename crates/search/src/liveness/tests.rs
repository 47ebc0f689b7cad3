use super::actors::ActorSet;
use super::explicit::{Explicit, Recipe};
use super::graph::{Answer, Graph, Hop};
use super::lasso::Lasso;
use super::*;

/// Runs an algorithm on a graph and gives the lasso, if there is one.
fn lasso(graph: &Explicit, emptiness: Emptiness, fairness: Fairness, flags: Flags) -> Option<Lasso> {
    let mut graph = graph.clone();
    let answer = match emptiness {
        Emptiness::Weak => weak::search(&mut graph),
        Emptiness::NdfsBasic => ndfs_basic::search(&mut graph, flags),
        Emptiness::Ndfs => ndfs::search(&mut graph, flags),
        Emptiness::Scc => scc::search(&mut graph, fairness),
        Emptiness::Cndfs => {
            let mut views = vec![graph.clone(); 3];
            let (thread, answer) = cndfs::search(&mut views);
            graph = views.swap_remove(thread);
            answer
        }
    };
    match answer {
        Answer::Empty => {
            assert!(graph.path.is_empty() && graph.known.contains(&0));
            None
        }
        Answer::Accepted(part) => Some(lasso::find(&mut graph, &part, fairness).expect("no limit is set")),
        Answer::Halted { .. } => panic!("nothing halts this search"),
    }
}

/// The node to which a hop leads.
fn target(graph: &Explicit, hop: &Hop) -> u32 {
    graph.edges[hop.from as usize][hop.event.action as usize].0
}

/// Whether a lasso is a path of the graph, accepted and fair, by definition.
fn check_lasso(graph: &Explicit, lasso: &Lasso, fairness: Fairness) {
    let Lasso { prefix, cycle } = lasso;
    let all: Vec<&Hop> = prefix.iter().chain(cycle).collect();
    assert!(!cycle.is_empty());
    assert_eq!(all[0].from, 0);
    assert!(all.windows(2).all(|pair| target(graph, pair[0]) == pair[1].from));
    assert_eq!(target(graph, &cycle[cycle.len() - 1]), cycle[0].from);
    let marks: Vec<_> =
        cycle.iter().map(|hop| &graph.edges[hop.from as usize][hop.event.action as usize].1).collect();
    assert_eq!(marks.iter().fold(0, |sets, marks| sets | marks.accepts), graph.all_sets());
    for &actor in &graph.actors {
        let moves = marks.iter().any(|marks| marks.movers.contains(actor));
        let enabled = cycle.iter().filter(|hop| graph.enabled[hop.from as usize].contains(actor)).count();
        match fairness {
            Fairness::None => {}
            Fairness::Weak => assert!(moves || enabled < cycle.len(), "{actor:?} is starved"),
            Fairness::Strong => assert!(moves || enabled == 0, "{actor:?} is starved"),
        }
    }
}

fn agrees(graph: &Explicit, emptiness: Emptiness, fairness: Fairness, flags: Flags, what: &str) -> bool {
    let expected = graph.has_accepted_path(fairness);
    let found = lasso(graph, emptiness, fairness, flags);
    assert_eq!(found.is_some(), expected, "{what}, {emptiness:?}, {fairness:?}, {flags:?}: {graph:?}");
    found.iter().for_each(|lasso| check_lasso(graph, lasso, fairness));
    expected
}

#[test]
fn every_algorithm_agrees_with_the_definition_on_random_graphs() {
    let mut n_accepted = [0; 3];
    let n_graphs = 40_000;
    for seed in 0..n_graphs {
        let recipe = Recipe {
            n_nodes: 2 + (seed % 7) as u32,
            n_sets: (seed / 7 % 3) as u32,
            n_actors: 1 + (seed / 21 % 4) as u32,
            distance: [1, 150][(seed / 84 % 2) as usize],
            state_based: seed % 2 == 0,
        };
        let graph = Explicit::random(recipe, seed);
        let what = format!("seed {seed}");
        for (k, fairness) in [Fairness::None, Fairness::Weak, Fairness::Strong].into_iter().enumerate() {
            let accepted = agrees(&graph, Emptiness::Scc, fairness, Flags::None, &what);
            n_accepted[k] += u32::from(accepted);
            if recipe.n_sets == 1 && recipe.state_based && fairness != Fairness::Strong {
                let flags: &[Flags] = match fairness {
                    Fairness::None => &[Flags::None],
                    _ => &[Flags::NPlusOne, Flags::NPlusTwo],
                };
                for &flags in flags {
                    agrees(&graph, Emptiness::NdfsBasic, fairness, flags, &what);
                    agrees(&graph, Emptiness::Ndfs, fairness, flags, &what);
                }
                if fairness == Fairness::None && seed % 4 == 0 {
                    agrees(&graph, Emptiness::Cndfs, fairness, Flags::None, &what);
                }
            }
        }
    }
    println!("accepted: {n_accepted:?} of {n_graphs}");
    assert!(n_accepted.iter().all(|&n| n > n_graphs as u32 / 10 && n < n_graphs as u32 * 9 / 10));
    assert!(n_accepted[0] > n_accepted[1] && n_accepted[1] > n_accepted[2]);
}

#[test]
fn the_simple_search_agrees_with_the_definition_on_weak_graphs() {
    let mut n_accepted = 0;
    for seed in 0..10_000 {
        let recipe =
            Recipe { n_nodes: 2 + (seed % 7) as u32, n_sets: 1, n_actors: 1, distance: 1, state_based: true };
        let graph = Explicit::random(recipe, seed).made_weak(seed);
        let what = format!("seed {seed}");
        n_accepted += u32::from(agrees(&graph, Emptiness::Weak, Fairness::None, Flags::None, &what));
    }
    assert!(n_accepted > 1000 && n_accepted < 9000, "{n_accepted}");
}

/// Threads get into each other's way: each waits at random places.
#[test]
fn several_threads_agree_with_one() {
    let mut n_accepted = 0;
    for seed in 0..12_000 {
        let n_nodes = if seed % 50 == 0 { 400 } else { 12 + (seed % 30) as u32 };
        let graph = Explicit { hesitates: true, ..Explicit::long(n_nodes, seed) };
        let alone = lasso(&graph, Emptiness::Ndfs, Fairness::None, Flags::None);
        let found = lasso(&graph, Emptiness::Cndfs, Fairness::None, Flags::None);
        assert_eq!(found.is_some(), alone.is_some(), "seed {seed}");
        found.iter().for_each(|lasso| check_lasso(&graph, lasso, Fairness::None));
        n_accepted += u32::from(found.is_some());
    }
    assert!(n_accepted > 1200 && n_accepted < 10_800, "{n_accepted}");
}

/// The graph on which a nested search in pre-order with one visited set misses the cycle.
#[test]
fn the_cycle_that_pre_order_misses_is_found() {
    let accepting = graph::Marks { accepts: 1, ..Default::default() };
    let graph = Explicit {
        all_sets: 1,
        edges: vec![vec![(1, accepting.clone())], vec![(2, accepting)], vec![(1, Default::default())]],
        enabled: vec![ActorSet::default(); 3],
        ..Explicit::default()
    };
    for emptiness in [Emptiness::NdfsBasic, Emptiness::Ndfs, Emptiness::Scc] {
        assert!(agrees(&graph, emptiness, Fairness::None, Flags::None, "pre-order"));
    }
}

/// Which thread is the first in a node is a matter of luck; that it counts once is not.
#[test]
fn threads_that_meet_in_a_node_count_its_edges_once() {
    let edge = logic::Edge { guard: logic::Guard::always(), accepts: 0, target: 0 };
    let automaton = Automaton { n_sets: 1, initial: 0, states: vec![logic::State { edges: vec![edge] }] };
    let reason = Reason::AcceptanceCycle;
    let forbidden = Forbidden { automaton, atoms: Vec::new(), fails_at: None, stutters: true, reason };
    // A grid: there are many ways to each node.
    let n = 40;
    let to = |node: u64| crate::toy::Edge::To(node % (n * n));
    let toy = crate::toy::Toy::new((0..n * n).map(|node| vec![to(node + 1), to(node + n)]).collect());
    let run = |emptiness, threads| {
        let cycles = Cycles { emptiness, fairness: Fairness::None, flags: Flags::NPlusOne };
        let findings = find_cycle(&toy, &forbidden, &cycles, &Options { threads, ..Options::default() });
        assert_eq!(findings.verdict, Verdict::Holds);
        (findings.statistics.states, findings.statistics.matched)
    };
    let expected = run(Emptiness::NdfsBasic, 1);
    assert_eq!(expected, (n * n, n * n + 1));
    for _ in 0..20 {
        for threads in [1, 2, 4, 8] {
            assert_eq!(run(Emptiness::Cndfs, threads), expected, "{threads} threads");
        }
    }
}
