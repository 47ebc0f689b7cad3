//! Removal of states that no accepting run passes.

use crate::graph::Graph;
use crate::scc::Components;

/// The components of a graph that a run can stay in and be accepted.
pub(crate) fn accepting<L: Copy>(graph: &Graph<L>, components: &Components) -> Vec<bool> {
    let mut sets = vec![None; components.n];
    for (state, arcs) in graph.states.iter().enumerate() {
        let component = components.of[state];
        for arc in arcs.iter().filter(|arc| components.of[arc.target] == component) {
            *sets[component].get_or_insert(0) |= arc.accepts;
        }
    }
    sets.into_iter().map(|sets| sets == Some(graph.all_sets())).collect()
}

/// The graph without the states from which nothing is accepted. The initial state stays.
pub(crate) fn trim<L: Copy>(graph: &Graph<L>) -> Graph<L> {
    let components = graph.components();
    let mut alive = accepting(graph, &components);
    // Components come after those that they lead to.
    for state in components.members().into_iter().flatten() {
        let reaches = graph.states[state].iter().any(|arc| alive[components.of[arc.target]]);
        alive[components.of[state]] |= reaches;
    }
    graph.restricted(|state| alive[components.of[state]])
}
