//! Partial-order reduction: which of the actions that are enabled in a state are enough.
//!
//! A [`Reducer`] proposes subsets; whether one is taken is the search's decision, which alone knows
//! the cycles that it closes.

#![forbid(unsafe_code)]

use model::{Actions, Independence, PredicateId};

/// How the subset is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All actions of one process that stands where every statement is local.
    Local,
    /// All actions of one process, if nothing that others do concerns them (Holzmann and Peled).
    Ample,
    /// A strong stubborn set, by closure.
    Stubborn,
    /// A strong stubborn set, by deletion.
    Deletion,
    /// A weak stubborn set.
    Weak,
}

/// What the reduced state space has in common with the full one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// The states in which nothing is enabled.
    Deadlocks,
    /// These, and every action that can be executed, with everything that it depends on.
    FiniteRuns,
    /// The infinite runs, up to repetitions of what the watched predicates show.
    InfiniteRuns,
    /// The weakly fair ones among them.
    FairRuns,
}

/// What a search is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How.
    pub method: Method,
    /// To which end.
    pub keeps: Keeps,
    /// The predicates on which the property depends.
    pub watched: Vec<PredicateId>,
}

/// Finds subsets of the enabled actions that are enough.
pub struct Reducer<'m> {
    independence: Box<dyn Independence + 'm>,
    method: Method,
    keeps: Keeps,
}

impl<'m> Reducer<'m> {
    /// A reducer for a model of which `independence` knows enough.
    pub fn new(independence: Box<dyn Independence + 'm>, method: Method, keeps: Keeps) -> Reducer<'m> {
        Reducer { independence, method, keeps }
    }

    /// Turns to a state in which `enabled` is enabled.
    pub fn look(&mut self, state: &[u64], enabled: &Actions) {
        self.independence.look(state, enabled);
        let _ = (self.method, self.keeps);
    }

    /// Replaces `chosen` by the `k`-th best subset of what is enabled in the state looked at, in the
    /// same order. Says false if there is none: then only everything is enough. The same state and
    /// the same `k` give the same answer.
    pub fn choose(&mut self, k: usize, enabled: &Actions, chosen: &mut Actions) -> bool {
        let _ = (k, enabled, chosen);
        false
    }
}
