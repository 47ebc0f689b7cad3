//! Every subset that any method chooses in any state of random systems does what was promised.
//!
//! `STUBBORN_ROUNDS` says how many systems, `STUBBORN_SEED` which one to start with.

mod support;

use model::Random;
use model::{Action, Actions};
use por::{Effort, Method, Preserves, Reducer};
use support::explore::{Graph, explore_fully, explore_reduced};
use support::net::Net;
use support::process::{Farsighted, Processes};
use support::structure::structure;
use support::{System, oracle, setting};

const METHODS: [Method; 5] = [Method::Local, Method::Ample, Method::Stubborn, Method::Deletion, Method::Weak];
const ENDS: [Preserves; 4] =
    [Preserves::Deadlocks, Preserves::FiniteRuns, Preserves::InfiniteRuns, Preserves::FairRuns];

/// How often each end was reached with a proper subset.
type Counts = [usize; 4];

fn check(
    system: &dyn System,
    graph: &Graph,
    state: usize,
    method: Method,
    preserves: Preserves,
    chosen: &[Action],
) -> Result<(), String> {
    if method == Method::Weak && preserves != Preserves::FairRuns {
        oracle::weak(graph, state, chosen)?;
    } else {
        oracle::strong(graph, state, chosen)?;
    }
    if matches!(preserves, Preserves::InfiniteRuns | Preserves::FairRuns) {
        oracle::invisible(system, graph, state, chosen)?;
    }
    if preserves == Preserves::FairRuns {
        oracle::private(graph, state, chosen)?;
    }
    Ok(())
}

/// The subsets for a state, in order; asking in another order must make no difference.
fn subsets(reducer: &mut Reducer<'_>, effort: Effort, state: &[u64], enabled: &Actions) -> Vec<Vec<Action>> {
    let mut chosen = Actions::default();
    reducer.look(state, enabled);
    let mut found = Vec::new();
    while reducer.choose(effort, found.len(), enabled, &mut chosen) {
        found.push(chosen.list.clone());
    }
    for first in 0..found.len() {
        reducer.look(state, enabled);
        for k in (0..found.len()).cycle().skip(first).take(found.len()) {
            assert!(reducer.choose(effort, k, enabled, &mut chosen));
            assert_eq!(chosen.list, found[k]);
        }
    }
    found
}

/// Asks for the subsets of both kinds in turn, which must make no difference either.
fn check_turns(reducer: &mut Reducer<'_>, state: &[u64], enabled: &Actions, found: [&[Vec<Action>]; 2]) {
    let mut chosen = Actions::default();
    reducer.look(state, enabled);
    for k in 0..=found[0].len().max(found[1].len()) {
        for (effort, found) in [Effort::Quick, Effort::Thorough].into_iter().zip(found) {
            let is_there = reducer.choose(effort, k, enabled, &mut chosen);
            assert_eq!(is_there.then_some(&chosen.list), found.get(k), "{effort:?} {k}");
        }
    }
}

/// Checks the subsets against the definition of stubborn sets.
fn check_structure(
    system: &dyn System,
    state: &[u64],
    enabled: &Actions,
    method: Method,
    found: &[Vec<Action>],
) -> Result<(), String> {
    let Some(known) = structure(&mut *system.independence(), state, enabled) else { return Ok(()) };
    let bits = |chosen: &Vec<Action>| {
        let place = |action| enabled.list.iter().position(|known| known == action).unwrap();
        chosen.iter().fold(0_u64, |set, action| set | 1 << place(action))
    };
    let sets = if method == Method::Weak { &known.weak } else { &known.strong };
    let found: Vec<u64> = found.iter().map(bits).collect();
    for &chosen in &found {
        if !sets.contains(&chosen) {
            return Err(format!("{chosen:b} is not stubborn"));
        }
        if method == Method::Deletion && sets.iter().any(|&set| set & !chosen == 0 && set != chosen) {
            return Err(format!("{chosen:b} is not minimal"));
        }
    }
    let proper = sets.iter().any(|set| set.count_ones() < enabled.list.len() as u32);
    if method == Method::Deletion && proper && found.is_empty() {
        return Err("nothing was found".into());
    }
    Ok(())
}

fn check_system(system: &dyn System, graph: &Graph, counts: &mut Counts) -> Result<(), String> {
    let mut enabled = Actions::default();
    for method in METHODS {
        for (end, preserves) in ENDS.into_iter().enumerate() {
            let mut reducer = Reducer::new(system.independence(), method, preserves);
            let mut ample = Reducer::new(system.independence(), Method::Ample, preserves);
            let is_quick =
                matches!(method, Method::Local | Method::Ample) || preserves == Preserves::FairRuns;
            assert_eq!(reducer.has_quick(), !is_quick, "{method:?} {preserves:?}");
            for (number, state) in graph.states.iter().enumerate() {
                system.enabled(state, &mut enabled);
                let found = subsets(&mut reducer, Effort::Thorough, state, &enabled);
                let quick = subsets(&mut reducer, Effort::Quick, state, &enabled);
                let mut expected = subsets(&mut ample, Effort::Thorough, state, &enabled);
                if is_quick {
                    expected.clear();
                }
                assert_eq!(quick, expected, "{method:?} {preserves:?} in {state:?}");
                check_turns(&mut reducer, state, &enabled, [&quick, &found]);
                for (k, chosen) in found.iter().enumerate() {
                    counts[end] += 1;
                    let in_order = enabled.list.iter().filter(|action| chosen.contains(action));
                    assert!(in_order.eq(chosen), "{method:?} {preserves:?} chose what is not a subset");
                    assert!(chosen.len() < enabled.list.len(), "{method:?} {preserves:?} chose everything");
                    check(system, graph, number, method, preserves, chosen)
                        .map_err(|why| format!("{method:?} {preserves:?}, set {k} in {state:?}: {why}"))?;
                }
                if preserves == Preserves::Deadlocks {
                    check_structure(system, state, &enabled, method, &found)
                        .map_err(|why| format!("{method:?} in {state:?}: {why}"))?;
                }
            }
        }
        for k in 0..3 {
            let reduced = explore_reduced(system, method, Preserves::Deadlocks, k);
            if reduced.deadlocks() != graph.deadlocks() {
                return Err(format!("{method:?}, set {k}: other deadlocks"));
            }
        }
    }
    Ok(())
}

fn check_all<S: System + std::fmt::Debug>(random: fn(&mut Random) -> S) {
    let (first, rounds) = (setting("STUBBORN_SEED", 1), setting("STUBBORN_ROUNDS", 400));
    let mut counts = [0; 4];
    for seed in first..first + rounds {
        let system = random(&mut Random::new(seed));
        let Some(graph) = explore_fully(&system, 150) else { continue };
        if let Err(why) = check_system(&system, &graph, &mut counts) {
            panic!("STUBBORN_SEED={seed}: {why}\n{system:#?}");
        }
    }
    println!("subsets checked: {counts:?}");
    assert!(rounds < 400 || counts.iter().all(|&count| count > 100), "{counts:?}: too little was checked");
}

#[test]
fn subsets_of_random_nets_are_enough() {
    check_all(Net::random);
}

#[test]
fn subsets_of_random_processes_are_enough() {
    check_all(Processes::random);
}

/// The same with moves that are not here yet.
#[test]
fn subsets_of_random_processes_that_see_far_are_enough() {
    check_all(Farsighted::random);
}
