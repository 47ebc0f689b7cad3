//! Automata as the translation and the reductions see them.

use model::Over;

use crate::bdd::{Bdd, Bdds};
use crate::scc::{Components, components};
use crate::{Automaton, Edge, Guard, State};

/// A way from a state to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Arc<L = Bdd> {
    pub(crate) target: usize,
    pub(crate) accepts: u64,
    pub(crate) label: L,
}

/// An [`Automaton`] with diagrams for guards, or with other labels where nobody looks at them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Graph<L = Bdd> {
    pub(crate) n_sets: u32,
    pub(crate) initial: usize,
    /// The ways out of every state.
    pub(crate) states: Vec<Vec<Arc<L>>>,
}

impl<L: Copy> Graph<L> {
    pub(crate) fn with_labels<'a>(
        automaton: &'a Automaton,
        mut label: impl FnMut(&'a Guard) -> L,
    ) -> Graph<L> {
        let mut arc = |edge: &'a Edge| Arc {
            target: edge.target as usize,
            accepts: edge.accepts,
            label: label(&edge.guard),
        };
        let states =
            automaton.states.iter().map(|state| state.edges.iter().map(&mut arc).collect()).collect();
        Graph { n_sets: automaton.n_sets, initial: automaton.initial as usize, states }
    }

    pub(crate) fn with_guards(&self, mut guard: impl FnMut(L) -> Guard) -> Automaton {
        let mut edge =
            |arc: &Arc<L>| Edge { guard: guard(arc.label), accepts: arc.accepts, target: arc.target as u32 };
        let states =
            self.states.iter().map(|arcs| State { edges: arcs.iter().map(&mut edge).collect() }).collect();
        Automaton { n_sets: self.n_sets, initial: self.initial as u32, states }
    }

    /// The bits of all acceptance sets.
    pub(crate) fn all_sets(&self) -> u64 {
        u64::MAX.checked_shr(64 - self.n_sets).unwrap_or(0)
    }

    /// The number of states, and then of edges: what reductions make smaller.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.states.len(), self.states.iter().map(Vec::len).sum())
    }

    /// The strongly connected components.
    pub(crate) fn components(&self) -> Components {
        components(self.states.len(), |state, i| self.states[state].get(i).map(|arc| arc.target))
    }

    /// The graph without the states that are not to be kept, and without what cannot be reached
    /// then. The states are numbered in the order in which a breadth-first search finds them.
    pub(crate) fn restricted(&self, keep: impl Fn(usize) -> bool) -> Graph<L> {
        let mut numbers = vec![None; self.states.len()];
        let mut order = vec![self.initial];
        numbers[self.initial] = Some(0);
        let mut states = Vec::new();
        while let Some(&state) = order.get(states.len()) {
            let mut arcs = Vec::new();
            for arc in self.states[state].iter().filter(|arc| keep(state) && keep(arc.target)) {
                let target = *numbers[arc.target].get_or_insert_with(|| {
                    order.push(arc.target);
                    order.len() - 1
                });
                arcs.push(Arc { target, ..*arc });
            }
            states.push(arcs);
        }
        Graph { n_sets: self.n_sets, initial: 0, states }
    }
}

impl Graph {
    pub(crate) fn from_automaton(automaton: &Automaton, bdds: &mut Bdds) -> Result<Graph, Over> {
        let mut graph = Graph::with_labels(automaton, |guard| bdds.condition(guard));
        graph.merge_arcs(bdds)?;
        Ok(graph)
    }

    pub(crate) fn to_automaton(&self, bdds: &mut Bdds) -> Result<Automaton, Over> {
        let automaton = self.with_guards(|label| bdds.guard(label));
        bdds.steps(1).map(|()| automaton)
    }

    /// One arc for all arcs between the same states and in the same acceptance sets, none of them
    /// impossible, in a fixed order.
    pub(crate) fn merge_arcs(&mut self, bdds: &mut Bdds) -> Result<(), Over> {
        for arcs in &mut self.states {
            bdds.steps(arcs.len())?;
            arcs.retain(|arc| arc.label != Bdd::FALSE);
            arcs.sort_unstable();
            arcs.dedup_by(|later, earlier| {
                let same = (later.target, later.accepts) == (earlier.target, earlier.accepts);
                if same {
                    earlier.label = bdds.or(earlier.label, later.label);
                }
                same
            });
        }
        Ok(())
    }
}
