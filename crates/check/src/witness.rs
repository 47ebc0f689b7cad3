//! From a run of what was searched to a run of what somebody wrote, executed again before anybody sees it.

use std::sync::Arc;

use model::{Lift, Patience, Trace};
use replay::{Evidence, Unconfirmed};
use search::StopReason;

use crate::answer::{Answer, Outcome, Remark, Why};
use crate::engines::{Defect, Shown};
use crate::system::System;

/// Adds the run to an answer, if it shows what it should.
///
/// # Errors
/// If it does not.
pub(crate) fn show(
    system: &dyn System,
    answer: Answer,
    shown: Shown,
    patience: &Patience,
) -> Result<Answer, Defect> {
    let Shown { trace, evidence, stage } = shown;
    let lifts = stage.as_ref().map_or(&[][..], |stage| &stage.lifts);
    let replayed = lifted(system, trace, lifts, patience)?
        .and_then(|trace| replay::replay(system.play(), &trace, &evidence, patience));
    match replayed {
        Ok(run) => {
            let failure = match evidence {
                Evidence::Failure(failure) => Some(failure),
                _ => None,
            };
            Ok(Answer { run: Some(run), failure, ..answer })
        }
        Err(Unconfirmed::Unfair(_)) if system.facts().has_fair_actions => {
            Ok(undecided(answer, Why::Fairness, Remark::UnfairRuns))
        }
        Err(Unconfirmed::Over(over)) => {
            Ok(undecided(answer, Why::Stopped(StopReason::from(over)), Remark::NotReplayed))
        }
        Err(Unconfirmed::Mismatch(mismatch) | Unconfirmed::Unfair(mismatch)) => {
            Err(Defect(format!("the run that shows an answer does not replay: {mismatch}")))
        }
    }
}

/// The run of the original for one of what was made of it.
fn lifted(
    system: &dyn System,
    trace: Trace,
    lifts: &[Arc<dyn Lift>],
    patience: &Patience,
) -> Result<Result<Trace, Unconfirmed>, Defect> {
    if lifts.is_empty() {
        return Ok(Ok(trace));
    }
    let lifted = lifts.iter().rev().try_fold(trace, |trace, lift| lift.lift(trace));
    let trace = lifted.map_err(|spurious| Defect(format!("a run is none of the model's: {spurious}")))?;
    Ok(replay::settle(system.play(), &trace, patience))
}

/// The same search without an answer.
fn undecided(mut answer: Answer, why: Why, remark: Remark) -> Answer {
    answer.outcome = Outcome::Unknown(why);
    answer.complete = false;
    answer.counts.errors = 0;
    answer.remarks.push(remark);
    answer
}
