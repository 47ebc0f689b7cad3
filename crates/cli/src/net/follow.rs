//! Traces of nets that are read back.

use logic::Class;
use petri::{Atom, Formula, Net, Question, lola};
use replay::Run;
use replay::json::TraceFile;
use replay::net::NetClaim;

use crate::Outcome;
use crate::exit::Stop;

/// Re-executes a trace; it must do what it says.
pub fn follow(net: &Net, file: &TraceFile) -> Outcome<Run> {
    let refuse =
        |message: String| Stop::refuse("E0006", format!("the trace does not fit the net: {message}"));
    let claim = claim(net, file).map_err(refuse)?;
    let trace = replay::net::resolve(&file.trace, net).map_err(|mismatch| refuse(mismatch.to_string()))?;
    replay::net::replay(net, &trace, &claim).map_err(|mismatch| refuse(mismatch.to_string()))
}

/// What a trace shows: it follows from the formula, and from whether that is violated.
fn claim(net: &Net, file: &TraceFile) -> Result<NetClaim, String> {
    let reason = file.reason.as_deref();
    if file.failure.is_some() {
        return Err("nothing fails in a net".to_string());
    }
    let Some(formula) = &file.formula else {
        return match reason {
            Some("deadlock") => Ok(NetClaim::Reaches(Formula::Atom(Atom::Deadlock))),
            // That a transition can never fire again cannot be seen in a run.
            None | Some("formula") => Ok(NetClaim::Run),
            Some(reason) => Err(format!("a trace with the reason `{reason}` must have a formula")),
        };
    };
    let misfit = || Err(format!("a trace with the reason `{}` does not show this", reason.unwrap_or("null")));
    let question = lola::read_formula(formula, net).map_err(|error| error.message)?;
    let formula = match (question, reason) {
        (Question::Bound(sum), Some("unbounded")) => return Ok(NetClaim::Grows(sum)),
        (Question::Formula(formula), None | Some("formula" | "invariant")) => formula,
        _ => return misfit(),
    };
    // A run that is not finite may show the same of a formula of branching as of linear time.
    let class = match (formula.classify(), file.trace.loop_start) {
        (class @ Class::Branching(_), Some(_)) => formula.linear_class().unwrap_or(class),
        (class, _) => class,
    };
    match class {
        Class::Reachable { goal, wanted } if wanted == reason.is_none() => Ok(NetClaim::Reaches(goal)),
        Class::Linear { formula, wanted } if wanted == reason.is_some() => {
            let (formula, atoms) = formula.numbered();
            Ok(NetClaim::Violates(formula, atoms))
        }
        Class::Branching(_) => Ok(NetClaim::Run),
        _ => misfit(),
    }
}
