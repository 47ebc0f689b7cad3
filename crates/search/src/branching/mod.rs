//! Branching time: questions about a state and what can be reached from it.
//!
//! A formula of CTL needs the successors of a state several times, and several formulas share them. So the states form a
//! [`Graph`] that is expanded where a question needs it and kept for the next one, at four bytes an edge. [`check_ctl`]
//! labels states lazily, two bits for each state and each subformula that was evaluated there; [`home()`] and its
//! relatives look at the terminal components of the graph. A run that shows the answer is read off the labels. How a path
//! continues in a deadlock is a parameter ([`Deadlocks`]): Promela's runs stutter, those of the contest end. Only X can
//! tell the difference.
//!
//! What may be left out depends on the question. There is one set of states, and a view of it for each purpose
//! (`graph::Purpose`):
//!
//! - everything, for formulas with X;
//! - the branches, for formulas without X: a state has all its successors, or one that changes nothing that is watched;
//! - the steps towards a goal, for EF and AG of a predicate wherever they stand in a formula: the labels are those of the
//!   whole graph;
//! - a part of each terminal component, for home properties and liveness.
//!
//! States in which nothing is left out are shared by the views, except by the last one.

mod ctl;
mod graph;
mod home;
mod nodes;
mod relation;
mod terminal;
#[cfg(test)]
mod tests;

use model::Trace;

use crate::{StopReason, Violation};

pub use ctl::{Deadlocks, check_ctl};
pub use graph::{Graph, Space};
pub use home::{
    Transitions, find_deadlock, home, is_live, is_quasi_live, is_reversible, nobody_is_stuck, recurs,
    transitions,
};

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A limit is reached.
    Stop(StopReason),
    /// A runtime error, in an action or in a predicate.
    Wrong(Box<Violation>),
}

impl From<StopReason> for Halt {
    fn from(stop: StopReason) -> Halt {
        Halt::Stop(stop)
    }
}

/// The answer to a question about the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// Whether it is so.
    pub holds: bool,
    /// A run that shows why, if one can.
    pub run: Option<Trace>,
}
