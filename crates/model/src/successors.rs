use std::fmt;
use std::ops::Range;

use crate::{Action, Actions, BitSet, Location, Patience, Step};

/// What went wrong in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// An assertion is false.
    Assertion,
    /// An array index is negative or too large.
    IndexOutOfRange,
    /// A division or remainder by zero.
    DivisionByZero,
    /// One process more than a state can hold.
    TooManyProcesses,
    /// One channel more than a state can hold.
    TooManyChannels,
    /// A channel variable that holds no live channel.
    UninitialisedChannel,
    /// A message with the wrong number of fields.
    MessageArity,
    /// A poll of a rendezvous channel.
    PollOfRendezvous,
    /// A statement inside a `d_step`, not its first, cannot be executed.
    BlockedInDstep,
    /// A rendezvous send inside a `d_step`.
    RendezvousInDstep,
    /// An atomic chain or a `d_step` that never ends.
    EndlessLoop,
    /// A process type declared deterministic has a choice.
    Nondeterminism,
    /// `enabled()` asked of the process that asks.
    SelfReference,
    /// A priority that is not between 1 and 255.
    PriorityOutOfRange,
    /// An event that the `trace` declaration does not allow.
    TraceMismatch,
    /// The events have completed what the `notrace` declaration forbids.
    NotraceMatch,
    /// More tokens on a place than the net promises.
    BrokenBound,
    /// The value of a sum does not fit into a number.
    NumberTooLarge,
}

impl FailureKind {
    /// True if the path goes on behind the failure, as behind a failed assertion.
    pub fn continues(self) -> bool {
        matches!(
            self,
            FailureKind::Assertion
                | FailureKind::Nondeterminism
                | FailureKind::TraceMismatch
                | FailureKind::NotraceMatch
        )
    }
}

/// A failure with its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    /// What went wrong.
    pub kind: FailureKind,
    /// The statement in which it went wrong.
    pub location: Location,
    /// The particulars, for people: the assertion's text, the index and the array's size.
    pub detail: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Failure {}

/// Something that firing an action leads to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Which of the fired actions, by its position in the set.
    pub action: u32,
    /// Where it leads.
    pub kind: OutcomeKind,
    /// The steps in between, as a range of [`Successors::steps`]; empty unless they are recorded.
    pub steps: Range<u32>,
}

/// Where an action leads.
#[derive(Clone, Debug)]
pub enum OutcomeKind {
    /// An observable state, as a range of [`Successors::words`].
    State(Range<u32>),
    /// A failure on the way. If its kind continues, the states behind it are outcomes of their own.
    Failed(Box<Failure>),
    /// Nowhere: the action can go round in circles for ever without an observable state. Its other
    /// ways are outcomes of their own. The recorded steps lead once around the circle, which begins
    /// behind so many of them.
    Diverges(u32),
}

/// States of one length in [`Successors::words`], at equal distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// Where the first begins.
    pub first: u32,
    /// How many words each has.
    pub len: u32,
    /// From the beginning of one to that of the next.
    pub distance: u32,
    /// How many there are.
    pub n: u32,
}

/// Memory for a model to work in. What it holds between two calls means nothing.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// A state that is being changed.
    pub words: Vec<u64>,
    /// A state to come back to, or to compare with.
    pub other: Vec<u64>,
    /// What can happen in a state.
    pub actions: Vec<Action>,
}

/// The flat buffer into which a model writes the outcomes of actions.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    /// The words of all successor states, one state after the other.
    pub words: Vec<u64>,
    /// The outcomes, in the order in which they were found.
    pub outcomes: Vec<Outcome>,
    /// Set to have the intermediate steps recorded.
    pub record: bool,
    /// The recorded steps.
    pub steps: Vec<Step>,
    /// If present, gets the number of every transition that is executed, also inside an action.
    pub executed: Option<BitSet>,
    /// Set to hear of actions that may go round in circles for ever, once each.
    pub divergence: bool,
    /// Memory for the model to work in, kept from call to call.
    pub scratch: Scratch,
    /// How long an action may take; for ever without it.
    pub patience: Option<Patience>,
    /// Set by the model when it has given up: outcomes are missing.
    pub abandoned: bool,
}

impl Successors {
    /// A buffer that also records the steps inside each action.
    pub fn recording() -> Successors {
        Successors { record: true, ..Successors::default() }
    }

    /// Whether there is no room for more outcomes: the ranges into the buffers are 32 bits wide, and
    /// the search may allow less.
    pub fn is_too_full(&self) -> bool {
        self.is_too_full_with(0)
    }

    /// Whether there is no room for outcomes behind so many more words.
    pub fn is_too_full_with(&self, more: usize) -> bool {
        const ROOM: usize = u32::MAX as usize / 2;
        let limit = self.patience.as_ref().and_then(|patience| patience.words).unwrap_or(ROOM);
        self.words.len() + more > limit.min(ROOM) || self.steps.len() > ROOM
    }

    /// Notes that a step is executed, if somebody wants to know.
    pub fn note_executed(&mut self, action: &Action) {
        if let Some(executed) = &mut self.executed {
            executed.insert(action.actor.transition as usize);
            if let Some(partner) = action.partner() {
                executed.insert(partner.transition as usize);
            }
        }
    }

    /// Adds what one of the chosen actions leads to, in one step: a state.
    pub fn push_state(&mut self, chosen: &Actions, index: usize, state: &[u64]) {
        let start = self.words.len() as u32;
        self.words.extend_from_slice(state);
        self.push(chosen, index, OutcomeKind::State(start..self.words.len() as u32));
    }

    /// Adds what one of the chosen actions leads to, in one step: a failure. If its kind continues, the state behind it is
    /// added next.
    pub fn push_failure(&mut self, chosen: &Actions, index: usize, failure: Failure) {
        self.push(chosen, index, OutcomeKind::Failed(Box::new(failure)));
    }

    fn push(&mut self, chosen: &Actions, index: usize, kind: OutcomeKind) {
        let action = chosen.list[index];
        self.note_executed(&action);
        let start = self.steps.len() as u32;
        if self.record {
            self.steps.push(Step { action, observable: true, phase: chosen.phase });
        }
        self.outcomes.push(Outcome { action: index as u32, kind, steps: start..self.steps.len() as u32 });
    }

    /// Empties the buffer, keeping its memory and what was executed.
    pub fn clear(&mut self) {
        self.words.clear();
        self.outcomes.clear();
        self.steps.clear();
        self.abandoned = false;
    }

    /// The words of a successor state.
    #[inline]
    pub fn state(&self, range: &Range<u32>) -> &[u64] {
        &self.words[range.start as usize..range.end as usize]
    }

    /// The recorded steps of an outcome.
    pub fn steps_of(&self, outcome: &Outcome) -> &[Step] {
        &self.steps[outcome.steps.start as usize..outcome.steps.end as usize]
    }
}
