//! Canonical acceptance: as few sets, and within them as many edges, as the language allows.

use model::{Over, Pace};

use super::trim::accepting;
use crate::Goal;
use crate::graph::{Arc, Graph};
use crate::scc::{Components, components};

/// In which sets the edges between components lie. No run takes them for ever, so this is free: few
/// sets make a state easier to simulate, many make it simulate more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passing {
    NoSet,
    AllSets,
}

/// Puts every edge into all the sets that it can be in without accepting more, and drops sets that
/// say nothing.
pub(crate) fn normalise<L: Copy>(
    graph: &mut Graph<L>,
    goal: Goal,
    passing: Passing,
    pace: &mut Pace<'_>,
) -> Result<(), Over> {
    let components = graph.components();
    let alive = accepting(graph, &components);
    match goal {
        Goal::Generalised => {
            fill(graph, &components, pace)?;
            renumber(graph, &components, &alive, pace)?;
        }
        Goal::StateBased => fill_states(graph, &components),
    }
    let free = if passing == Passing::AllSets { graph.all_sets() } else { 0 };
    for (state, arcs) in graph.states.iter_mut().enumerate() {
        let component = components.of[state];
        let stays = |arc: &Arc<L>| components.of[arc.target] == component;
        let passed = !arcs.iter().any(stays);
        for arc in arcs {
            let passes = if goal == Goal::Generalised { !stays(arc) } else { passed };
            if passes {
                arc.accepts = free;
            } else if !alive[component] {
                arc.accepts = 0;
            }
        }
    }
    Ok(())
}

/// An edge that lies on no cycle without edges of a set may as well be in the set.
fn fill<L: Copy>(graph: &mut Graph<L>, whole: &Components, pace: &mut Pace<'_>) -> Result<(), Over> {
    for set in 0..graph.n_sets {
        pace.steps(graph.size().1)?;
        let avoiding = avoiding(graph, whole, set);
        for (state, arcs) in graph.states.iter_mut().enumerate() {
            for arc in arcs.iter_mut().filter(|arc| whole.of[arc.target] == whole.of[state]) {
                if avoiding.of[state] != avoiding.of[arc.target] {
                    arc.accepts |= 1 << set;
                }
            }
        }
    }
    Ok(())
}

/// As [`fill`], for states.
fn fill_states<L: Copy>(graph: &mut Graph<L>, whole: &Components) {
    let avoiding = avoiding(graph, whole, 0);
    for (state, arcs) in graph.states.iter_mut().enumerate() {
        let avoids = |target: usize| avoiding.of[state] == avoiding.of[target];
        if !arcs.iter().any(|arc| arc.accepts == 0 && avoids(arc.target)) {
            arcs.iter_mut().for_each(|arc| arc.accepts = 1);
        }
    }
}

/// The components that are left without the edges of a set. Edges between components of the whole
/// do not count.
fn avoiding<L: Copy>(graph: &Graph<L>, whole: &Components, set: u32) -> Components {
    let avoids: Vec<Vec<usize>> = graph
        .states
        .iter()
        .enumerate()
        .map(|(state, arcs)| {
            let inside = arcs.iter().filter(|arc| whole.of[arc.target] == whole.of[state]);
            inside.filter(|arc| arc.accepts >> set & 1 == 0).map(|arc| arc.target).collect()
        })
        .collect();
    components(graph.states.len(), |state, i| avoids[state].get(i).copied())
}

/// Gives the sets that some component needs new numbers: two that the same component needs get
/// different ones.
fn renumber<L: Copy>(
    graph: &mut Graph<L>,
    components: &Components,
    alive: &[bool],
    pace: &mut Pace<'_>,
) -> Result<(), Over> {
    let inner = inner_accepts(graph, components);
    let mut needed = vec![0; inner.len()];
    for ((needed, accepts), _) in needed.iter_mut().zip(&inner).zip(alive).filter(|(_, alive)| **alive) {
        *needed = needed_sets(accepts, graph.n_sets, pace)?;
    }
    let numbers = new_numbers(&needed, graph.n_sets);
    // To reject, a component needs a set as well.
    let rejects = inner.iter().zip(alive).any(|(accepts, alive)| !alive && !accepts.is_empty());
    graph.n_sets = numbers.iter().flatten().map(|number| number + 1).max().unwrap_or(0).max(rejects as u32);
    let all = graph.all_sets();
    for (arcs, component) in graph.states.iter_mut().zip(&components.of) {
        for arc in arcs {
            let missing = needed[*component] & !arc.accepts;
            let missing = numbers.iter().zip(0..).filter(|(_, set)| missing >> set & 1 == 1);
            arc.accepts =
                missing.filter_map(|(number, _)| *number).fold(all, |sets, number| sets & !(1 << number));
        }
    }
    Ok(())
}

/// For every component, the different acceptances of its edges.
fn inner_accepts<L: Copy>(graph: &Graph<L>, components: &Components) -> Vec<Vec<u64>> {
    let mut inner = vec![Vec::new(); components.n];
    for (arcs, &component) in graph.states.iter().zip(&components.of) {
        let stays = arcs.iter().filter(|arc| components.of[arc.target] == component);
        inner[component].extend(stays.map(|arc| arc.accepts));
    }
    for accepts in &mut inner {
        accepts.sort_unstable();
        accepts.dedup();
    }
    inner
}

/// The sets without which a component with such edges would accept more.
fn needed_sets(accepts: &[u64], n_sets: u32, pace: &mut Pace<'_>) -> Result<u64, Over> {
    let lies_in = |accepts: u64, set: u32| accepts >> set & 1 == 1;
    let contains =
        |set, other| accepts.iter().all(|&accepts| lies_in(accepts, set) || !lies_in(accepts, other));
    // A set with a smaller one inside it is visited whenever that one is; of equal sets, the first
    // counts.
    let implied = |set, by| by != set && contains(set, by) && (by < set || !contains(by, set));
    let needed = |&set: &u32| {
        !accepts.iter().all(|&accepts| lies_in(accepts, set)) && !(0..n_sets).any(|by| implied(set, by))
    };
    let mut sets = 0;
    for set in 0..n_sets {
        pace.steps(accepts.len())?;
        sets |= u64::from(needed(&set)) << set;
    }
    Ok(sets)
}

/// A number for every set that some component needs: the smallest that no rival has.
fn new_numbers(needed: &[u64], n_sets: u32) -> Vec<Option<u32>> {
    let mut numbers: Vec<Option<u32>> = Vec::new();
    for set in 0..n_sets {
        let users = || needed.iter().filter(|sets| *sets >> set & 1 == 1);
        let rivals = users().fold(0, |rivals, sets| rivals | sets);
        let taken = numbers.iter().zip(0..).filter(|(_, rival)| rivals >> rival & 1 == 1);
        let taken = taken.filter_map(|(number, _)| *number).fold(0u64, |taken, number| taken | 1 << number);
        numbers.push(users().next().map(|_| taken.trailing_ones()));
    }
    numbers
}
