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

use crate::bdd::Bdds;
use crate::graph::Graph;
use crate::{Automaton, Goal};

/// A smaller automaton that accepts the same runs. One that is state-based with one acceptance set
/// stays so.
pub fn simplify(automaton: &Automaton) -> Automaton {
    let goal = match automaton.n_sets == 1 && automaton.is_state_based() {
        true => Goal::StateBased,
        false => Goal::Generalised,
    };
    let mut bdds = Bdds::new();
    let graph = Graph::from_automaton(automaton, &mut bdds);
    let simplified = reduce(graph, goal, &mut bdds).to_automaton(&mut bdds);
    if bdds.overflowed() { automaton.clone() } else { simplified }
}

/// Applies all reductions until none helps.
pub(crate) fn reduce(mut graph: Graph, goal: Goal, bdds: &mut Bdds) -> Graph {
    loop {
        let before = graph.size();
        for passing in [Passing::NoSet, Passing::AllSets] {
            graph = trim(&graph);
            normalise(&mut graph, goal, passing);
            graph = bisimulation(&graph, bdds);
            graph = trim(&simulation::forward(&graph, bdds));
            normalise(&mut graph, goal, passing);
            graph = trim(&simulation::backward(&graph, goal, bdds));
        }
        if graph.size() >= before {
            normalise(&mut graph, goal, Passing::NoSet);
            graph.merge_arcs(bdds);
            return graph;
        }
    }
}
