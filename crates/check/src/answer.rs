//! Answers, as plain data: only reports turn them into words.

use std::fmt;

use model::{Failure, Fairness, Over, Run};
use search::{Statistics, StopReason};

use crate::options::{Engine, Search, Store};

/// The answer to a question, and how it was found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer.
    pub outcome: Outcome,
    /// A run that shows it, re-executed on the original.
    pub run: Option<Run>,
    /// What fails at the end of the run.
    pub failure: Option<Failure>,
    /// How it was found.
    pub method: Method,
    /// What was counted.
    pub counts: Statistics,
    /// Whether everything was explored.
    pub complete: bool,
    /// What was never executed, if the search shows what can be executed.
    pub unreached: Vec<Unreached>,
    /// What there is to know about it.
    pub remarks: Vec<Remark>,
}

impl Answer {
    /// The answer about a system that was not read.
    pub fn unread(over: Over) -> Answer {
        Answer::without_search(Outcome::Unknown(over.into()), Engine::default())
    }

    /// An answer for which nothing was searched.
    pub(crate) fn without_search(outcome: Outcome, engine: Engine) -> Answer {
        Answer {
            outcome,
            run: None,
            failure: None,
            method: Method {
                search: None,
                por: None,
                compressed: false,
                fairness: Fairness::None,
                store: None,
                engine,
                threads: 1,
            },
            counts: Statistics::default(),
            complete: false,
            unreached: Vec::new(),
            remarks: Vec::new(),
        }
    }
}

/// What the answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Yes: the property holds.
    Holds,
    /// No.
    Violated(Reason),
    /// A number.
    Value(i64),
    /// There is no greatest value.
    Unbounded,
    /// The state space is complete; the greatest values that were asked for, if that is known.
    Space(Vec<i64>),
    /// It is not known.
    Unknown(Why),
}

/// Why a property is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// What a search has found.
    Found(search::Reason),
    /// A state can be reached in which it does not hold.
    Invariant,
    /// The formula does not hold.
    Formula,
    /// A process is stuck while others go on.
    LocalDeadlock,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Found(reason) => reason.fmt(f),
            Reason::Invariant => f.write_str("invariant"),
            Reason::Formula => f.write_str("formula"),
            Reason::LocalDeadlock => f.write_str("local-deadlock"),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// The search was stopped.
    Stopped(StopReason),
    /// More tokens than are counted.
    Tokens,
    /// A number does not fit into 64 bits.
    NumberTooLarge,
    /// The system does not keep a bound that it promises.
    BrokenBound,
    /// The formula is of neither linear nor branching time.
    MixedLogic,
    /// The automaton of the formula would be too large.
    FormulaTooLarge,
    /// The formula has too many different atoms.
    TooManyAtoms,
    /// Only fair runs count, and they were not looked for alone.
    Fairness,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Stopped(stop) => return stop.fmt(f),
            Why::Tokens => "tokens",
            Why::NumberTooLarge => "number-too-large",
            Why::BrokenBound => "broken-bound",
            Why::MixedLogic => "mixed-logic",
            Why::FormulaTooLarge => "formula-too-large",
            Why::TooManyAtoms => "too-many-atoms",
            Why::Fairness => "fairness",
        })
    }
}

impl From<Over> for Why {
    fn from(over: Over) -> Why {
        StopReason::from(over).into()
    }
}

impl From<StopReason> for Why {
    fn from(stop: StopReason) -> Why {
        Why::Stopped(stop)
    }
}

/// The statements of a type of process that were never executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// The type of process.
    pub process: String,
    /// The statements, in the order of their locations.
    pub statements: Vec<Statement>,
    /// How many there are in all.
    pub total: usize,
}

/// A statement, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The number of its control location.
    pub number: u32,
    /// Its text.
    pub text: String,
}

/// How an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// The search, if there was one.
    pub search: Option<Search>,
    /// The reduction by partial orders, if something may have been left out.
    pub por: Option<por::Method>,
    /// Whether statements were merged and dead variables reset.
    pub compressed: bool,
    /// Which infinite runs counted.
    pub fairness: Fairness,
    /// Where the states were kept, if they were.
    pub store: Option<Store>,
    /// What executed the system.
    pub engine: Engine,
    /// How many threads searched.
    pub threads: usize,
}

/// Something that there is to know about an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// Reduction was passed over, because of a row of the table or what the search lacks.
    NotReduced(&'static str),
    /// A row of the table says what a named reduction does not do.
    Row {
        /// The method that was named.
        por: por::Method,
        /// Whether that is about counting states; else it is about counting errors.
        counts_states: bool,
        /// What it does not do.
        text: &'static str,
    },
    /// The sets of another method than the named one are used under weak fairness.
    SetsOfOneProcess(por::Method),
    /// Reduction was tried and left little out.
    LittleSaved,
    /// The search that was named does not suit; another one was used.
    OtherSearch(Search),
    /// The store that was named does not suit; another one was used.
    OtherStore(Store),
    /// The reduction that was named does not suit; another one, or none, was used.
    OtherPor(por::Method),
    /// Copies of the states were asked for where there are none.
    NoCopies,
    /// The limit on the depth does not apply.
    NoDepthLimit,
    /// There may be more errors than were found, although all were asked for: the search ends with the first one.
    FirstOnly,
    /// There may be more errors than were found, although all were asked for: a limit was reached.
    CutShort,
    /// The store keeps no states; the estimated probability that some were missed.
    Omission(f64),
    /// The value is at least this one.
    AtLeast(i64),
    /// Runs were looked for among all, not among the fair ones alone.
    UnfairRuns,
    /// A run that violates the property was found, and there was no time to execute it again.
    NotReplayed,
    /// The exploration answers other questions, too: its figures are those of the whole.
    Shared,
    /// These actors can never move again.
    Stuck(Vec<model::Actor>),
    /// Something in words of the system.
    Said(String),
}
