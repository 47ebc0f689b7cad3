//! What has been found out about a net.

use model::Trace;
use replay::net::NetClaim;
use report::{Counts, Method, Tokens};

/// An answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// To a question of yes and no, with a run that shows it, if there is one.
    Truth { holds: bool, shown: Option<Shown> },
    /// The greatest value of a sum.
    Value(i64),
    /// That there is no greatest value of a sum, with a run that lets it grow for ever.
    Unbounded(Shown),
    /// The most tokens in one place and in all together; how many markings there are is counted anyway.
    Tokens(Tokens),
    /// None, and why.
    Unknown(String),
}

/// A run, and what it shows.
#[derive(Clone, Debug)]
pub struct Shown {
    pub trace: Trace,
    pub claim: NetClaim,
}

/// An answer and how it was found.
#[derive(Clone, Debug)]
pub struct Decided {
    pub answer: Answer,
    pub counts: Counts,
    pub method: Method,
    /// Whether everything was explored.
    pub complete: bool,
    /// Things to know about it.
    pub notes: Vec<String>,
}

impl Decided {
    pub fn is_answered(&self) -> bool {
        !matches!(self.answer, Answer::Unknown(_))
    }
}
