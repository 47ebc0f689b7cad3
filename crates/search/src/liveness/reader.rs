//! The automaton's side of a product: what it reads in a node, where it can go, and what that counts for.
//!
//! In a node only those atoms are evaluated that the edges of the automaton's present state look at.

use logic::Automaton;
use model::{Failure, OutcomeKind};
use rustc_hash::FxHashMap;

use super::Forbidden;
use super::actors::ActorSet;
use super::graph::{Edge, Expansion, Marks};
use crate::kernel::Kernel;
use crate::kernel::trace::Event;

/// What is wrong in a node, whatever comes behind it.
#[derive(Clone, Debug)]
pub enum Wrong {
    /// The automaton reaches the state in which it fails.
    Claim,
    /// An atom cannot be evaluated.
    Predicate(Failure),
    /// An action fails.
    Action(Event, Failure),
}

/// Marks the automaton's state in a node in which the model goes round in circles.
const DIVERGED: u64 = 1 << 32;

/// An automaton that reads the states of a model.
pub struct Reader<'a> {
    forbidden: &'a Forbidden,
    /// For each state of the automaton, the atoms at which it looks.
    atoms: Vec<u64>,
    marks: Vec<Marks>,
    marks_by_value: FxHashMap<Marks, u32>,
    /// The edges of the automaton that can be taken in the node read last.
    moves: Vec<usize>,
}

impl<'a> Reader<'a> {
    pub fn new(forbidden: &'a Forbidden) -> Reader<'a> {
        let atoms =
            |state: &logic::State| state.edges.iter().fold(0, |atoms, edge| atoms | edge.guard.atoms());
        let atoms = forbidden.automaton.states.iter().map(atoms).collect();
        Reader {
            forbidden,
            atoms,
            marks: Vec::new(),
            marks_by_value: FxHashMap::default(),
            moves: Vec::new(),
        }
    }

    fn automaton(&self) -> &'a Automaton {
        &self.forbidden.automaton
    }

    /// The acceptance sets of the automaton.
    pub fn all_sets(&self) -> u64 {
        self.automaton().all_sets()
    }

    /// Whether a run that has ended goes on by repeating its last state.
    pub fn stutters(&self) -> bool {
        self.forbidden.stutters
    }

    /// The state of the automaton in the node opened last.
    pub fn location(&self, kernel: &Kernel<'_>) -> u32 {
        kernel.arrivals.added()[0] as u32
    }

    /// Whether the model goes round in circles in the node opened last.
    pub fn has_diverged(&self, kernel: &Kernel<'_>) -> bool {
        kernel.arrivals.added()[0] & DIVERGED != 0
    }

    /// Lets the automaton read the model's state, and finds the edges that it can take.
    pub fn read(&mut self, kernel: &Kernel<'_>) -> Result<(), Wrong> {
        self.moves.clear();
        let location = self.location(kernel);
        let (mut valuation, mut failed, mut failure) = (0, 0, None);
        let mut left = self.atoms[location as usize];
        while left != 0 {
            let atom = left.trailing_zeros();
            left &= left - 1;
            let predicate = self.forbidden.atoms[atom as usize];
            match kernel.generator.model.predicate(predicate, kernel.state()) {
                Ok(value) => valuation |= u64::from(value != 0) << atom,
                Err(found) => {
                    failed |= 1 << atom;
                    failure.get_or_insert(found);
                }
            }
        }
        let edges = &self.automaton().states[location as usize].edges;
        for (k, edge) in edges.iter().enumerate() {
            match (edge.guard.holds_without(valuation, failed), &failure) {
                (Some(true), _) => self.moves.push(k),
                (None, Some(failure)) => return Err(Wrong::Predicate(failure.clone())),
                _ => {}
            }
        }
        let fails = |location: u32| self.forbidden.fails_at == Some(location);
        if fails(location) || self.moves.iter().any(|&k| fails(edges[k].target)) {
            return Err(Wrong::Claim);
        }
        Ok(())
    }

    /// Whether the automaton can move in the node read last.
    pub fn can_move(&self) -> bool {
        !self.moves.is_empty()
    }

    /// Announces a successor for each move of the automaton: behind an outcome, or where the model is. The edges have
    /// still to be told where they lead.
    pub fn announce(
        &mut self,
        kernel: &mut Kernel<'_>,
        outcome: Option<usize>,
        movers: &ActorSet,
        out: &mut Expansion,
    ) {
        let event = outcome.map_or(Event::STUTTER, |index| kernel.generator.events[index]);
        let edges = &self.automaton().states[self.location(kernel) as usize].edges;
        for k in 0..self.moves.len() {
            let edge = &edges[self.moves[k]];
            let marks = self.intern(Marks { accepts: edge.accepts, movers: movers.clone() });
            out.edges.push(Edge { target: 0, marks });
            out.events.push(event);
            let location = u64::from(edge.target);
            let Kernel { generator, arrivals, .. } = &mut *kernel;
            match outcome.map(|index| &generator.outcomes()[index].kind) {
                Some(OutcomeKind::State(range)) => {
                    arrivals.announce(generator.successors.state(range), &[location]);
                }
                Some(OutcomeKind::Diverges(_)) => arrivals.announce_again(&[location | DIVERGED]),
                _ => arrivals.announce_again(&[location | arrivals.added()[0] & DIVERGED]),
            }
        }
    }

    fn intern(&mut self, marks: Marks) -> u32 {
        if let Some(&number) = self.marks_by_value.get(&marks) {
            return number;
        }
        let number = self.marks.len() as u32;
        self.marks.push(marks.clone());
        self.marks_by_value.insert(marks, number);
        number
    }

    /// The marks with a number.
    pub fn marks(&self, number: u32) -> &Marks {
        &self.marks[number as usize]
    }
}
