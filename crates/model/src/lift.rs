use std::fmt;

use crate::{BitSet, Trace};

/// The way back from a changed model to the one before the change.
pub trait Lift: Send + Sync {
    /// A run of the model before the change for a run of the one behind it. It ends alike (in a failure, in a deadlock,
    /// in a loop) and shows the predicates alike, up to stuttering. The flags and phases of its steps need not be right,
    /// and it may have steps behind a failure that ends it: `replay::settle` mends both.
    ///
    /// # Errors
    /// If the change allows more runs than there were before, and this is one of those.
    fn lift(&self, run: Trace) -> Result<Trace, Spurious>;

    /// The transitions that were executed, in numbers of the model before the change.
    fn executed(&self, executed: BitSet) -> BitSet {
        executed
    }
}

/// A run that there was not before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spurious {
    /// The first step that cannot be taken, from 0.
    pub step: usize,
}

impl fmt::Display for Spurious {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} cannot be taken", self.step + 1)
    }
}

impl std::error::Error for Spurious {}
