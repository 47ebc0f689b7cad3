//! Branching time: questions about a state and what can come of it.
//!
//! The states form a [`Graph`] that is expanded where a question needs it and kept for the next one.
//! [`check_ctl`] decides formulas, [`home()`] and its relatives what the terminal components of the graph
//! show. A graph may be reduced: for formulas without X a state then has all its
//! branches, or one that changes nothing that is watched; for terminal components and on the way to a goal it has still
//! fewer.

mod ctl;
mod graph;
mod home;
mod nodes;
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
