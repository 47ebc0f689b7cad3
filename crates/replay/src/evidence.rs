//! What runs show, and why they may not.

use std::fmt;

use logic::{Automaton, Ltl};
use model::{Failure, Fairness, Over, PredicateId};

/// What a run is said to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing: it is possible, and that is all.
    Run,
    /// The last step fails (the initial state, if there is no step), or a predicate of the property
    /// does in the last state.
    Failure(Failure),
    /// At the end nothing can happen, and something is not at a proper end.
    Stuck,
    /// A predicate is not 0 in the last state.
    Reaches(PredicateId),
    /// An automaton that reads the run, up to its end, gets to a state in which it fails.
    Fails {
        /// The automaton.
        automaton: Automaton,
        /// The predicates that are its atoms.
        atoms: Vec<PredicateId>,
        /// The state.
        at: u32,
    },
    /// It goes on for ever, in a way that is wrong.
    Infinite {
        /// The runs that are wrong.
        language: Language,
        /// The predicates that are the atoms.
        atoms: Vec<PredicateId>,
        /// Whether a run that has ended may go on by repeating its last state.
        stutters: bool,
        /// How fair it is to all actors.
        fairness: Fairness,
    },
    /// Its loop can be repeated for ever, and the value of this predicate is greater each time.
    Grows(PredicateId),
}

impl Evidence {
    /// Whether it is at the end of a run, so that the run must have one.
    pub(crate) fn is_finite(&self) -> bool {
        match self {
            Evidence::Failure(_) | Evidence::Stuck | Evidence::Reaches(_) | Evidence::Fails { .. } => true,
            Evidence::Run | Evidence::Infinite { .. } | Evidence::Grows(_) => false,
        }
    }

    /// The predicates that are looked at in each observable state.
    pub(crate) fn atoms(&self) -> &[PredicateId] {
        match self {
            Evidence::Fails { atoms, .. } | Evidence::Infinite { atoms, .. } => atoms,
            _ => &[],
        }
    }
}

/// Infinite runs, by what their observable states look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Language {
    /// Those that do not satisfy a formula.
    Violating(Ltl<u32>),
    /// Those that an automaton accepts.
    Accepted(Automaton),
}

/// Why a trace does not replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The step, from 0.
    pub step: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step + 1, self.message)
    }
}

/// Why it is not known that a trace shows what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unconfirmed {
    /// It does not.
    Mismatch(Mismatch),
    /// It does, but for the fairness of its loop.
    Unfair(Mismatch),
    /// There was not enough time or memory.
    Over(Over),
}

impl fmt::Display for Unconfirmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unconfirmed::Mismatch(mismatch) | Unconfirmed::Unfair(mismatch) => mismatch.fmt(f),
            Unconfirmed::Over(over) => write!(f, "the run was not executed again: {over}"),
        }
    }
}

impl std::error::Error for Unconfirmed {}

impl Unconfirmed {
    pub(crate) fn at(step: usize, message: impl Into<String>) -> Unconfirmed {
        Unconfirmed::Mismatch(Mismatch { step, message: message.into() })
    }
}

impl From<Over> for Unconfirmed {
    fn from(over: Over) -> Unconfirmed {
        Unconfirmed::Over(over)
    }
}
