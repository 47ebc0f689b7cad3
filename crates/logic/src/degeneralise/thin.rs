//! Acceptance sets with as few edges as possible.

use model::{Over, Pace};

use crate::graph::{Arc, Graph};
use crate::scc::Components;

/// The graph with fewer edges in its acceptance sets, but the same language: at its `end`, an edge
/// is in a set together with all others or is needed in it.
///
/// An edge may leave a set if it lies on no cycle outside the set even then.
pub(super) fn thinned<L: Copy>(
    graph: &Graph<L>,
    components: &Components,
    end: fn(usize, &Arc<L>) -> usize,
    pace: &mut Pace<'_>,
) -> Result<Graph<L>, Over> {
    let mut graph = graph.clone();
    for set in 0..graph.n_sets {
        let outside = |source: usize, arc: &Arc<L>| {
            components.of[source] == components.of[arc.target] && arc.accepts >> set & 1 == 0
        };
        let mut mixed = vec![false; graph.states.len()];
        for (source, arcs) in graph.states.iter().enumerate() {
            for arc in arcs.iter().filter(|arc| outside(source, arc)) {
                mixed[end(source, arc)] = true;
            }
        }
        for source in 0..graph.states.len() {
            for i in 0..graph.states[source].len() {
                let arc = graph.states[source][i];
                // A path may have to be looked for in the whole graph.
                pace.steps(graph.states.len())?;
                let inside = components.of[source] == components.of[arc.target] && !outside(source, &arc);
                if inside && mixed[end(source, &arc)] && !connected(&graph, arc.target, source, outside) {
                    graph.states[source][i].accepts &= !(1 << set);
                }
            }
        }
    }
    Ok(graph)
}

/// Whether a path of `usable` edges leads from a state to another.
fn connected<L>(graph: &Graph<L>, from: usize, to: usize, usable: impl Fn(usize, &Arc<L>) -> bool) -> bool {
    let mut seen = vec![false; graph.states.len()];
    seen[from] = true;
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        for arc in graph.states[state].iter().filter(|arc| usable(state, arc)) {
            if !std::mem::replace(&mut seen[arc.target], true) {
                open.push(arc.target);
            }
        }
    }
    seen[to]
}
