//! Smaller automata for the same language.

mod acceptance;
mod bisimulation;
mod simulation;
mod trim;

#[cfg(test)]
mod tests;

pub(crate) use acceptance::{Passing, normalise};
pub(crate) use bisimulation::bisimulation;
pub(crate) use trim::{accepting, trim};

use model::{Over, Patience};

use crate::bdd::Bdds;
use crate::graph::Graph;
use crate::{Automaton, Goal};

/// A smaller automaton that accepts the same runs. One that is state-based with one acceptance set
/// stays so.
///
/// # Errors
/// If it takes longer than there is patience.
pub fn simplify(automaton: &Automaton, patience: &Patience) -> Result<Automaton, Over> {
    let goal = match automaton.n_sets == 1 && automaton.is_state_based() {
        true => Goal::StateBased,
        false => Goal::Generalised,
    };
    let mut bdds = Bdds::new(patience);
    let graph = Graph::from_automaton(automaton, &mut bdds)?;
    let simplified = reduce(graph, goal, &mut bdds)?.to_automaton(&mut bdds)?;
    Ok(if bdds.overflowed() { automaton.clone() } else { simplified })
}

/// Applies all reductions until none helps.
pub(crate) fn reduce(mut graph: Graph, goal: Goal, bdds: &mut Bdds) -> Result<Graph, Over> {
    loop {
        let before = graph.size();
        for passing in [Passing::NoSet, Passing::AllSets] {
            graph = trim(&graph);
            normalise(&mut graph, goal, passing, bdds.pace())?;
            graph = bisimulation(&graph, bdds)?;
            graph = trim(&simulation::forward(&graph, bdds)?);
            normalise(&mut graph, goal, passing, bdds.pace())?;
            graph = trim(&simulation::backward(&graph, goal, bdds)?);
        }
        if graph.size() >= before {
            normalise(&mut graph, goal, Passing::NoSet, bdds.pace())?;
            graph.merge_arcs(bdds)?;
            return Ok(graph);
        }
    }
}
