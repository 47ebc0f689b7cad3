//! What a search finds out.

use std::fmt;

use model::{BitSet, Failure, FailureKind, Trace};
use store::Full;

/// The answer to a question about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The property holds: everything was explored.
    Holds,
    /// The property is violated.
    Violated(Violation),
    /// Not decided.
    Unknown(StopReason),
}

/// A violation, with the run that leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What kind of violation.
    pub reason: Reason,
    /// The run, from the initial state. It is empty if the initial state itself cannot be computed.
    pub trace: Trace,
    /// What there is to see at its end.
    pub evidence: Evidence,
}

impl Violation {
    /// The initial state cannot be computed.
    pub(crate) fn at_once(failure: Failure) -> Violation {
        let reason = Reason::of(failure.kind);
        Violation { reason, trace: Trace::default(), evidence: Evidence::Failure(failure) }
    }
}

/// What a run shows at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing can happen any more, and some process is not at a proper end.
    Stuck,
    /// The last step fails, or a predicate of the property does in the last state.
    Failure(Failure),
    /// The automaton that reads the run has failed.
    Claim,
    /// It goes on for ever: the trace is a lasso.
    Cycle,
}

impl Evidence {
    /// What has failed, if something has.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Evidence::Failure(failure) => Some(failure),
            Evidence::Stuck | Evidence::Claim | Evidence::Cycle => None,
        }
    }
}

/// Why a property is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A false assertion.
    Assertion,
    /// Nothing can happen, and some process is not at a proper end.
    InvalidEndState,
    /// The same, asked for as a property of its own.
    Deadlock,
    /// A run that the property forbids, accepted by its automaton.
    AcceptanceCycle,
    /// A run that comes by a progress label finitely often only.
    NonProgressCycle,
    /// The never claim has reached its end.
    NeverClaim,
    /// A statement cannot be executed properly: an index out of range, a division by zero, …
    RuntimeError,
}

impl Reason {
    /// Under which reason a failure is reported.
    pub fn of(kind: FailureKind) -> Reason {
        if kind == FailureKind::Assertion { Reason::Assertion } else { Reason::RuntimeError }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Assertion => "assertion",
            Reason::InvalidEndState => "invalid-end-state",
            Reason::Deadlock => "deadlock",
            Reason::AcceptanceCycle => "acceptance-cycle",
            Reason::NonProgressCycle => "non-progress-cycle",
            Reason::NeverClaim => "never-claim",
            Reason::RuntimeError => "runtime-error",
        })
    }
}

/// Why a search ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// The memory limit was reached.
    Memory,
    /// The time limit was reached.
    Time,
    /// The limit on the number of states was reached.
    States,
    /// Some states lie deeper than the depth limit.
    Depth,
    /// The user has stopped it.
    Interrupted,
    /// Everything that was found was explored, but the store may have taken new states for known ones.
    LossyStore,
    /// A reduced search has left so little out that one without reduction is faster: [`crate::Options::trial`].
    LittleSaved,
    /// The search does not visit everything, however long it takes.
    MayMiss,
}

impl From<Full> for StopReason {
    fn from(full: Full) -> StopReason {
        match full {
            Full::Memory => StopReason::Memory,
            Full::States => StopReason::States,
        }
    }
}

impl From<model::Over> for StopReason {
    fn from(over: model::Over) -> StopReason {
        match over {
            model::Over::Time => StopReason::Time,
            model::Over::Memory => StopReason::Memory,
            model::Over::Interrupted => StopReason::Interrupted,
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Memory => "memory",
            StopReason::Time => "time",
            StopReason::States => "states",
            StopReason::Depth => "depth",
            StopReason::Interrupted => "interrupted",
            StopReason::LossyStore => "lossy-store",
            StopReason::LittleSaved => "little-saved",
            StopReason::MayMiss => "may-miss",
        })
    }
}

/// What a search has counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// The observable states stored.
    pub states: u64,
    /// The arrivals at a state already stored.
    pub matched: u64,
    /// The states in which fewer actions were explored than are enabled.
    pub reduced: u64,
    /// The longest path on which the search has been, in observable steps.
    pub depth: u64,
    /// The violations.
    pub errors: u64,
    /// The memory of the store.
    pub store_bytes: u64,
    /// The bytes of the longest state.
    pub state_bytes: u64,
    /// The estimated probability that a state was missed; none if the store is exact.
    pub omission: Option<f64>,
    /// How long it took.
    pub seconds: f64,
}

impl Statistics {
    /// All arrivals; the initial state counts as one.
    pub fn transitions(&self) -> u64 {
        self.states + self.matched
    }
}

/// Everything that a search brings back.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The answer.
    pub verdict: Verdict,
    /// True if all states were visited: neither a violation nor a limit has ended the search.
    pub complete: bool,
    /// What was counted.
    pub statistics: Statistics,
    /// The transitions that were executed at least once.
    pub executed: BitSet,
    /// Whether a random walk has found it ([`Options::probes`](crate::Options)).
    pub by_walk: bool,
}

impl Findings {
    /// What is known of a search that could not begin.
    pub(crate) fn nothing(verdict: Verdict) -> Findings {
        let (statistics, executed) = (Statistics::default(), BitSet::default());
        Findings { verdict, complete: false, statistics, executed, by_walk: false }
    }

    /// Adds what another thread of the same search has counted.
    pub(crate) fn add(&mut self, other: &Findings) {
        self.statistics.matched += other.statistics.matched;
        self.statistics.reduced += other.statistics.reduced;
        self.statistics.depth = self.statistics.depth.max(other.statistics.depth);
        self.statistics.state_bytes = self.statistics.state_bytes.max(other.statistics.state_bytes);
        self.executed.unite(&other.executed);
    }
}
