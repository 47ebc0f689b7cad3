//! Explorations that look for something wrong in finite runs, each for questions of one kind.

use por::{Preserves, Reduction};
use replay::Evidence;
use search::{Checks, Findings, Order, Statistics, StopReason, Verdict, Violation};

use super::{Allowance, Context, Found, Shown, stopped};
use crate::answer::{Answer, Outcome, Reason, Remark};
use crate::options::Search;
use crate::plan::{Explored, Plan};
use crate::prefer::{self, Por};
use crate::question::Property;
use crate::schedule::trial::{self, Attempted, Try};
use crate::system::{Stage, Undecided};

/// A search, and what it has found.
pub(crate) struct Attempt {
    pub reduction: Option<Reduction>,
    pub options: search::Options,
    pub findings: Findings,
    pub stage: Stage,
}

impl Attempted for Attempt {
    fn stop(&self) -> Option<StopReason> {
        match self.findings.verdict {
            Verdict::Unknown(stop) => Some(stop),
            _ => None,
        }
    }

    fn statistics(&mut self) -> &mut Statistics {
        &mut self.findings.statistics
    }
}

impl Context<'_> {
    /// Searches once.
    fn attempt(
        &self,
        stage: Stage,
        what: Try<'_>,
        checks: Checks,
        allowance: &Allowance,
    ) -> Result<Attempt, Undecided> {
        let habits = self.system.facts().habits;
        let reduction = what.reduction.cloned();
        let explore = |stage: &Stage, options: &search::Options| {
            let options = search::Options {
                order: prefer::order(self.options, reduction.is_some()),
                checks,
                reduction: reduction.clone(),
                // Whoever names a method wants to see what it gains; by default it has to pay.
                patient: matches!(self.options.por, Por::Exactly(_)) || !habits.tries_reduction,
                trial: what.is_trial,
                probes: checks != Checks::NONE && prefer::probes(self.options, habits),
                seed: what.seed(self.options),
                ..options.clone()
            };
            let mut findings = search::run(&*stage.model, &options);
            if let (true, Verdict::Violated(violation)) =
                (self.options.shortens && habits.shortens, &mut findings.verdict)
            {
                trial::shorten(&*stage.model, violation, &options, &findings.statistics);
            }
            (findings, options)
        };
        let is_violated = |(findings, _): &(Findings, _)| matches!(findings.verdict, Verdict::Violated(_));
        let ((findings, options), stage) = self.search(stage, allowance, explore, is_violated)?;
        Ok(Attempt { reduction, options, findings, stage })
    }
}

/// Answers questions that one exploration answers: their plans differ in what follows from it.
pub(crate) fn answer(
    context: &Context<'_>,
    asked: &[(&Property, &Plan, Explored)],
    checks: Checks,
    allowance: &Allowance,
) -> Vec<Found> {
    let (_, plan, _) = asked[0];
    let compressed = asked.iter().all(|(_, plan, _)| plan.compressed);
    let attempt =
        |stage, what: Try<'_>, allowance: &Allowance| context.attempt(stage, what, checks, allowance);
    match trial::tried(context, (plan.reduction.as_ref(), compressed), allowance, attempt) {
        Ok(attempt) => asked
            .iter()
            .map(|(property, plan, conclusion)| conclude(context, &attempt, property, plan, *conclusion))
            .collect(),
        Err(undecided) => asked.iter().map(|_| context.undecided(undecided.clone()).into()).collect(),
    }
}

fn conclude(
    context: &Context<'_>,
    attempt: &Attempt,
    property: &Property,
    plan: &Plan,
    conclusion: Explored,
) -> Found {
    let Attempt { reduction, options, findings, stage } = attempt;
    let (outcome, shown) = match &findings.verdict {
        Verdict::Unknown(stop) => (stopped(*stop), None),
        Verdict::Holds => (without_violation(property, conclusion), None),
        Verdict::Violated(violation) => match violation.evidence.failure().and_then(|f| context.no_answer(f))
        {
            Some(undecided) => return context.undecided(undecided).into(),
            None => {
                let shown = Shown {
                    trace: violation.trace.clone(),
                    evidence: evidence(violation),
                    stage: Some(stage.clone()),
                };
                (with_violation(property, violation, conclusion), Some(shown))
            }
        },
    };
    let order = if findings.by_walk { Order::Walk } else { options.order };
    let mut answer = context.searched(outcome, findings.statistics.clone(), Search::from(order));
    answer.complete = findings.complete;
    answer.method.compressed = stage.is_compressed;
    answer.method.por = reduction.as_ref().map(|reduction| reduction.method);
    if order == Order::Walk {
        answer.method.store = None;
        answer.method.por = answer.method.por.filter(|_| options.order == Order::Walk);
    } else if search::is_shared(options) {
        context.note_shared(&mut answer.method);
    }
    if conclusion != Explored::Fine && matches!(answer.outcome, Outcome::Violated(_)) {
        answer.counts.errors = 1;
    }
    // What only deadlocks are kept of need not have executed everything that can be.
    if reduction.as_ref().is_none_or(|reduction| reduction.preserves != Preserves::Deadlocks) {
        let lifts = stage.lifts.iter().rev();
        let executed = lifts.fold(findings.executed.clone(), |executed, lift| lift.executed(executed));
        answer.unreached = context.system.unreached(&executed);
    }
    remark(context, plan, reduction.as_ref(), &mut answer);
    Found { answer, shown }
}

fn remark(context: &Context<'_>, plan: &Plan, used: Option<&Reduction>, answer: &mut Answer) {
    answer.remarks.extend(plan.remarks.clone());
    if plan.reduction.is_some() && used.is_none() {
        answer.remarks.push(Remark::LittleSaved);
    }
    let is_violated = matches!(answer.outcome, Outcome::Violated(_));
    if is_violated && context.options.stop_after.is_none() && !answer.complete {
        answer.remarks.push(Remark::CutShort);
    }
}

fn without_violation(property: &Property, conclusion: Explored) -> Outcome {
    match conclusion {
        Explored::Fine => Outcome::Holds,
        Explored::Formula { wanted } => truth(property, !wanted),
        Explored::Counted => Outcome::Space(Vec::new()),
    }
}

fn with_violation(property: &Property, violation: &Violation, conclusion: Explored) -> Outcome {
    match conclusion {
        Explored::Formula { wanted } if violation.evidence.failure().is_none() => truth(property, wanted),
        _ => Outcome::Violated(Reason::Found(violation.reason)),
    }
}

/// Whether a formula holds.
pub(crate) fn truth(property: &Property, holds: bool) -> Outcome {
    if holds { Outcome::Holds } else { Outcome::Violated(crate::plan::reason(property.kind)) }
}

/// What the run of a violation in a finite run shows.
pub(crate) fn evidence(violation: &Violation) -> Evidence {
    match &violation.evidence {
        search::Evidence::Failure(failure) => Evidence::Failure(failure.clone()),
        search::Evidence::Stuck | search::Evidence::Claim | search::Evidence::Cycle => Evidence::Stuck,
    }
}
