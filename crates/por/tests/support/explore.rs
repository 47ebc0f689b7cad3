//! Plain exploration, of everything and of what a reducer chooses.

use std::collections::{BTreeSet, HashMap};

use model::{Action, Actions};
use por::{Effort, Method, Preserves, Reducer};

use super::System;

/// A state space: what leads where, for each state in the order of discovery.
#[derive(Default)]
pub struct Graph {
    pub states: Vec<Vec<u64>>,
    pub edges: Vec<Vec<(Action, usize)>>,
}

impl Graph {
    pub fn n_edges(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    pub fn deadlocks(&self) -> BTreeSet<Vec<u64>> {
        let stuck = (0..self.states.len()).filter(|&state| self.edges[state].is_empty());
        stuck.map(|state| self.states[state].clone()).collect()
    }

    /// Where an action leads, if it is enabled.
    pub fn after(&self, state: usize, action: Action) -> Option<usize> {
        self.edges[state].iter().find(|(known, _)| *known == action).map(|(_, target)| *target)
    }
}

/// Explores what `choose` leaves of the enabled actions; nothing if there are too many states.
pub fn explore(
    system: &dyn System,
    limit: usize,
    mut choose: impl FnMut(&[u64], &Actions, &mut Actions),
) -> Option<Graph> {
    let mut graph = Graph::default();
    let mut numbers = HashMap::from([(system.initial(), 0)]);
    graph.states.push(system.initial());
    let (mut enabled, mut chosen) = (Actions::default(), Actions::default());
    while graph.edges.len() < graph.states.len() {
        let state = graph.states[graph.edges.len()].clone();
        system.enabled(&state, &mut enabled);
        chosen.list.clear();
        choose(&state, &enabled, &mut chosen);
        let mut edges = Vec::new();
        for &action in &chosen.list {
            let target = system.fire(&state, action);
            let next = graph.states.len();
            let number = *numbers.entry(target.clone()).or_insert(next);
            if number == next {
                graph.states.push(target);
            }
            edges.push((action, number));
        }
        graph.edges.push(edges);
        if graph.states.len() > limit {
            return None;
        }
    }
    Some(graph)
}

pub fn explore_fully(system: &dyn System, limit: usize) -> Option<Graph> {
    explore(system, limit, |_, enabled, chosen| chosen.clone_from(enabled))
}

/// Explores with the `k`-th best subset of each state, or the last one that there is.
pub fn explore_reduced(system: &dyn System, method: Method, preserves: Preserves, k: usize) -> Graph {
    let mut reducer = Reducer::new(system.independence(), method, preserves);
    let choose = |state: &[u64], enabled: &Actions, chosen: &mut Actions| {
        reducer.look(state, enabled);
        if !(0..=k).rev().any(|k| reducer.choose(Effort::Thorough, k, enabled, chosen)) {
            chosen.clone_from(enabled);
        }
    };
    explore(system, usize::MAX, choose).expect("there is no limit")
}
