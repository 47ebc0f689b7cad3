//! Traces that are read back: a run of the original must do what they say.

use model::{Failure, Patience, Play, Run};
use replay::json::TraceFile;
use replay::{Evidence, Unconfirmed};

use crate::error::Error;

/// Re-executes a trace on a system that is called so.
///
/// # Errors
/// If it does not do what it says.
pub fn follow<'a>(
    what: &str,
    play: impl Fn() -> Result<Box<dyn Play + 'a>, Failure>,
    file: &TraceFile,
    evidence: &Evidence,
    patience: &Patience,
) -> Result<Run, Error> {
    let refuse = |unconfirmed| match unconfirmed {
        Unconfirmed::Over(over) => Error::Stopped(over),
        Unconfirmed::Mismatch(mismatch) | Unconfirmed::Unfair(mismatch) => {
            misfit(what, &mismatch.to_string())
        }
    };
    let trace = replay::resolve(play(), &file.trace, patience).map_err(refuse)?;
    replay::replay(play(), &trace, evidence, patience).map_err(refuse)
}

/// A trace is none of a system.
pub fn misfit(what: &str, message: &str) -> Error {
    Error::new("E0006", format!("the trace does not fit the {what}: {message}"))
}
