//! Reduction by bisimulation: quick, and for deterministic automata as good as any.

use model::Over;
use rustc_hash::FxHashMap;

use crate::bdd::Bdds;
use crate::graph::Graph;

/// The graph with one state for all that have the same ways out, by refinement of a partition. No
/// acceptance is changed.
pub(crate) fn bisimulation(graph: &Graph, bdds: &mut Bdds) -> Result<Graph, Over> {
    let mut blocks = vec![0; graph.states.len()];
    loop {
        let mut quotient = graph.clone();
        quotient.states.iter_mut().flatten().for_each(|arc| arc.target = blocks[arc.target]);
        quotient.merge_arcs(bdds)?;
        let mut numbers = FxHashMap::default();
        let mut representatives = Vec::new();
        let refined: Vec<usize> = (0..blocks.len())
            .map(|state| {
                *numbers.entry((blocks[state], &quotient.states[state])).or_insert_with(|| {
                    representatives.push(state);
                    representatives.len() - 1
                })
            })
            .collect();
        if refined == blocks {
            let states = representatives.iter().map(|&state| quotient.states[state].clone()).collect();
            return Ok(Graph { n_sets: graph.n_sets, initial: blocks[graph.initial], states });
        }
        blocks = refined;
    }
}
