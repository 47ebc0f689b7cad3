//! What is found out about a system without exploring it: that something can grow for ever.

use std::time::{Duration, Instant};

use model::{Patience, PredicateId};
use replay::Evidence;
use search::StopReason;

use super::{Allowance, Context, Found, Shown};
use crate::answer::{Answer, Outcome, Remark, Why};
use crate::options::Search;
use crate::question::Question;

/// How many numbers are looked at before an upper bound is computed: some hundredths of a second …
const BEFORE: u64 = 1 << 22;
/// … and when a search has come to no end.
const AFTERWARDS: u64 = 1 << 24;

/// What a hint is worth when a search has used up its time.
const HINT: Duration = Duration::from_millis(500);

/// The answer to the question how great a predicate becomes, if it is soon seen to have no bound.
pub(crate) fn unbounded(context: &Context<'_>, question: &Question, allowance: &Allowance) -> Option<Found> {
    let Question::Greatest(predicate) = *question else { return None };
    grows(context, predicate, BEFORE, &context.patience(allowance))
}

/// What there is to say about a system of which a search has found no end: that it is unbounded, if that is so.
pub(crate) fn hint(context: &Context<'_>) -> Option<Found> {
    let patience = context.patience(&context.allowance());
    let deadline = Instant::now().checked_add(HINT);
    grows(context, context.system.facts().size?, AFTERWARDS, &Patience { deadline, ..patience })
}

fn grows(context: &Context<'_>, predicate: PredicateId, effort: u64, patience: &Patience) -> Option<Found> {
    let growth = context.system.growth(predicate, effort, patience)?;
    let mut answer = context.looked(Outcome::Unbounded);
    answer.method.search = Some(Search::Walk);
    answer.counts.errors = 1;
    answer.remarks.push(Remark::Said(growth.description));
    let evidence = Evidence::Grows(predicate);
    Some(Found { answer, shown: Some(Shown { trace: growth.run, evidence, stage: None }) })
}

/// Whether a search has come to a limit, so that a hint may help.
pub(crate) fn has_no_end(answer: &Answer) -> bool {
    let stops = [StopReason::Memory, StopReason::Time, StopReason::States];
    match answer.outcome {
        Outcome::Unknown(Why::Tokens) => true,
        Outcome::Unknown(Why::Stopped(stop)) => stops.contains(&stop),
        _ => false,
    }
}
