//! The interface between models and everything that explores them.
//!
//! A [`Model`] lists what can happen in a state ([`Model::enabled`]) and makes it happen
//! ([`Model::fire`]). Reduction sits between the two calls, in the search, where it can be seen.
//! Both calls work on whole sets and write into buffers that the caller keeps, so exploring a
//! state allocates nothing.
//!
//! An *action* is a macro-step: it leads from one observable state to the next. What happens in
//! between (an atomic chain, the two halves of a rendezvous) is visible only as the *steps* of a
//! [`Trace`].

#![forbid(unsafe_code)]

mod action;
mod bits;
mod fairness;
mod independence;
mod lift;
mod patience;
mod play;
mod random;
mod run;
mod source;
mod successors;
mod trace;
mod value;

use std::ops::Range;

pub use action::{Action, Actions, Actor, NO_PARTNER, Party, Phase, Recall};
pub use bits::BitSet;
pub use fairness::Fairness;
pub use independence::{EnablingSets, Fact, Hindrance, Independence, Move, NoIndependence};
pub use lift::{Lift, Spurious};
pub use patience::{MemoryLimit, Over, Pace, Patience};
pub use play::{Choices, Play, Told};
pub use random::Random;
pub use run::{Change, Run, RunStep, Standing};
pub use source::Location;
pub use successors::{Failure, FailureKind, Outcome, OutcomeKind, Scratch, Series, Successors};
pub use trace::{Lasso, Step, Trace};
pub use value::{Message, StepText, Value, Variable};

/// How a run stands in a state in which nothing is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every process has ended or stands at a place where it may stay for ever.
    Valid,
    /// Some process is stuck.
    Invalid,
}

/// Names an expression that a model evaluates in a state: an atom of a formula, an invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PredicateId(pub u32);

/// A system whose states are slices of words and whose steps are actions.
///
/// Implementations hold no mutable exploration state of their own: any number of searches may use
/// one model at the same time.
pub trait Model: Send + Sync {
    /// Appends the initial state to `out`.
    ///
    /// # Errors
    /// The failure that happens while the initial state is computed, if one does.
    fn initial(&self, out: &mut Vec<u64>) -> Result<(), Failure>;

    /// Replaces `out` by the actions enabled in `state`, in a fixed order.
    ///
    /// An action whose guard cannot be evaluated is listed too; firing it yields the failure.
    fn enabled(&self, state: &[u64], out: &mut Actions);

    /// Appends to `out` what the actions `chosen` lead to. `chosen` is a subset of what
    /// [`Model::enabled`] lists for `state`, in any order.
    ///
    /// If `out` has a [`Patience`] that is over before the outcomes are complete, the model gives up
    /// and sets [`Successors::abandoned`].
    fn fire(&self, chosen: &Actions, state: &[u64], out: &mut Successors);

    /// Appends to `out` what everything that is enabled in `state` leads to: the outcomes of
    /// [`Model::enabled`] and [`Model::fire`] in one call, for searches that leave nothing out. Says
    /// whether anything is enabled.
    ///
    /// `actions` is memory to work in; what it holds afterwards means nothing.
    fn expand(&self, state: &[u64], actions: &mut Actions, out: &mut Successors) -> bool {
        self.enabled(state, actions);
        self.fire(actions, state, out);
        !actions.list.is_empty()
    }

    /// Expands several states, as far as that is easy: appends the outcomes of each to the words of `out`, if they are
    /// states of the same length and nothing else, and notes where. `words` has the words of all, `places` says which
    /// are whose. Of a state that nothing is noted of, or a series of no state, [`Model::expand`] knows more.
    fn expand_plainly(
        &self,
        _words: &[u64],
        _places: &[Range<usize>],
        _out: &mut Successors,
        _series: &mut Vec<Series>,
    ) {
    }

    /// The value of a predicate in a state.
    ///
    /// # Errors
    /// The failure that evaluating it runs into, such as an index out of range.
    fn predicate(&self, predicate: PredicateId, state: &[u64]) -> Result<i64, Failure>;

    /// About how many steps a state is away from one in which a predicate is not 0, to guide a search. Any
    /// estimate will do; it is 0 where the predicate is not 0.
    fn distance(&self, predicate: PredicateId, state: &[u64]) -> u64 {
        u64::from(self.predicate(predicate, state) == Ok(0))
    }

    /// Whether a state in which nothing is enabled is a proper end.
    fn end(&self, state: &[u64]) -> End;

    /// The actors that have not ended in a state and stand where they may not stay for ever; none if the model does not know
    /// of single actors whether they have ended.
    fn unfinished(&self, _state: &[u64]) -> Option<Vec<Actor>> {
        None
    }

    /// Says what a step does, for people. `state` is the state it starts from.
    fn describe(&self, step: &Step, state: &[u64]) -> StepText;

    /// What in the model is in the way of reduction, if anything: then [`Model::independence`] is an error.
    fn hindrance(&self) -> Option<Hindrance> {
        Some(Hindrance::Unknown)
    }

    /// What reduction needs to know, for a property that depends on the given predicates. What of that is the same for
    /// everybody who asks is found out once. Whoever answers may go on being patient: what can be told only of single
    /// states is found out there.
    ///
    /// # Errors
    /// What in the model is in the way, or that it takes too long to find out.
    fn independence(
        &self,
        watched: &[PredicateId],
        patience: &Patience,
    ) -> Result<Box<dyn Independence + '_>, NoIndependence> {
        let _ = (watched, patience);
        Err(self.hindrance().unwrap_or(Hindrance::Unknown).into())
    }

    /// What a number in the lower half of a state's first word stands for, in numbers that mean the same in every process:
    /// a model may number there what it comes to, in the order in which it does. All other words mean the same everywhere.
    fn shape(&self, number: u32) -> Vec<u32> {
        vec![number]
    }

    /// The number that stands for this here; none if it cannot be in a state of the model.
    fn shape_number(&self, shape: &[u32]) -> Option<u32> {
        match shape {
            &[number] => Some(number),
            _ => None,
        }
    }

    /// The variables of a state with their values, in the order of declaration.
    fn variables(&self, state: &[u64]) -> Vec<Variable>;
}
