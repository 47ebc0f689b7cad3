//! Searches for runs that are forbidden, one for each question.

use logic::{Automaton, Goal, Untranslated};
use replay::{Evidence, Language};
use search::{Cycles, Emptiness, Fairness, Findings, Verdict, Violation};

use super::explore::truth;
use super::{Allowance, Context, Found, Shown, stopped};
use crate::answer::{Answer, Outcome, Reason, Remark, Why};
use crate::options::{Options, Search, Store};
use crate::plan::{Infinite, Plan};
use crate::question::{Forbidden, Property};
use crate::system::{Purpose, Stage, Undecided};

/// Answers a question.
pub(crate) fn answer(
    context: &Context<'_>,
    property: &Property,
    plan: &Plan,
    forbidden: &Forbidden,
    conclusion: Infinite,
    allowance: &Allowance,
) -> Found {
    let found = search(context, property, plan, forbidden, conclusion, allowance);
    found.unwrap_or_else(|undecided| context.undecided(undecided).into())
}

fn search(
    context: &Context<'_>,
    property: &Property,
    plan: &Plan,
    forbidden: &Forbidden,
    conclusion: Infinite,
    allowance: &Allowance,
) -> Result<Found, Undecided> {
    let (runs, cycles) = automaton(context, forbidden, allowance)?;
    let threads = if cycles.emptiness == Emptiness::Cndfs { context.options.threads } else { 1 };
    let find = |stage: &Stage, options: &search::Options| {
        let options = search::Options { reduction: plan.reduction.clone(), threads, ..options.clone() };
        search::find_cycle(&*stage.model, &runs, &cycles, &options)
    };
    let is_violated = |findings: &Findings| matches!(findings.verdict, Verdict::Violated(_));
    let stage = context.stage(Purpose::Chosen, plan.compressed, None, allowance)?;
    let (findings, stage) = context.search(stage, allowance, find, is_violated)?;
    let is_compressed = stage.is_compressed;
    let (outcome, shown) = match &findings.verdict {
        Verdict::Unknown(stop) => (stopped(*stop), None),
        Verdict::Holds => (none_found(property, conclusion), None),
        Verdict::Violated(violation) => {
            if let Some(undecided) =
                violation.evidence.failure().and_then(|failure| context.no_answer(failure))
            {
                return Err(undecided);
            }
            let evidence = evidence(violation, forbidden, cycles.fairness);
            let shown = Shown { trace: violation.trace.clone(), evidence, stage: Some(stage) };
            (one_found(property, violation, conclusion), Some(shown))
        }
    };
    let search = Search::from(cycles.emptiness);
    let mut answer = context.searched(outcome, findings.statistics, search);
    answer.complete = findings.complete;
    answer.method.compressed = is_compressed;
    answer.method.por = plan.reduction.as_ref().map(|reduction| reduction.method);
    answer.method.fairness = cycles.fairness;
    answer.method.threads = threads;
    answer.method.store = Some(Store::Tree);
    answer.remarks.extend(plan.remarks.clone());
    remark(context.options, &cycles, &mut answer);
    Ok(Found { answer, shown })
}

fn remark(options: &Options, cycles: &Cycles, answer: &mut Answer) {
    let nested = matches!(cycles.emptiness, Emptiness::NdfsBasic | Emptiness::Ndfs);
    if options.copies.is_some() && !(nested && cycles.fairness == Fairness::Weak) {
        answer.remarks.push(Remark::NoCopies);
    }
    let is_violated = matches!(answer.outcome, Outcome::Violated(_));
    if is_violated && options.stop_after.is_none() && !answer.complete {
        answer.remarks.push(Remark::FirstOnly);
    }
    if is_violated {
        answer.counts.errors = 1;
    }
}

fn none_found(property: &Property, conclusion: Infinite) -> Outcome {
    match conclusion {
        Infinite::Fine => Outcome::Holds,
        Infinite::Formula { wanted } => truth(property, wanted),
    }
}

fn one_found(property: &Property, violation: &Violation, conclusion: Infinite) -> Outcome {
    match conclusion {
        Infinite::Formula { wanted } if violation.evidence.failure().is_none() => truth(property, !wanted),
        _ => Outcome::Violated(Reason::Found(violation.reason)),
    }
}

/// The runs to look for, and how.
fn automaton(
    context: &Context<'_>,
    forbidden: &Forbidden,
    allowance: &Allowance,
) -> Result<(search::Forbidden, Cycles), Undecided> {
    let options = context.options;
    let named = options.search.and_then(Search::emptiness);
    let nested = matches!(named, Some(Emptiness::NdfsBasic | Emptiness::Ndfs | Emptiness::Cndfs));
    let goal = if nested { Goal::StateBased } else { Goal::Generalised };
    let automaton = accepting(context, &forbidden.runs, goal, allowance)?;
    let fastest = Cycles::fastest(&automaton, options.fairness);
    let fastest = Cycles { flags: options.copies.unwrap_or(fastest.flags), ..fastest };
    let asked = Cycles { emptiness: named.unwrap_or(fastest.emptiness), ..fastest };
    let cycles = if asked.suits(&automaton) { asked } else { fastest };
    let runs = search::Forbidden {
        automaton,
        atoms: forbidden.atoms.clone(),
        fails_at: forbidden.fails_at,
        stutters: forbidden.stutters,
        reason: forbidden.reason,
    };
    Ok((runs, cycles))
}

/// The automaton that accepts the runs.
fn accepting(
    context: &Context<'_>,
    runs: &Language,
    goal: Goal,
    allowance: &Allowance,
) -> Result<Automaton, Undecided> {
    let patience = context.patience(allowance);
    match runs {
        Language::Violating(formula) => logic::translate(&formula.clone().negated(), goal, &patience)
            .map_err(|error| match error {
                Untranslated::TooLarge => Why::FormulaTooLarge.into(),
                Untranslated::Over(over) => over.into(),
            }),
        Language::Accepted(automaton) => {
            let suits = automaton.n_sets == 1 && automaton.is_state_based();
            Ok(if goal == Goal::Generalised || suits {
                automaton.clone()
            } else {
                logic::degeneralise(automaton, &patience)?
            })
        }
    }
}

/// What the run of a violation shows.
fn evidence(violation: &Violation, forbidden: &Forbidden, fairness: Fairness) -> Evidence {
    match &violation.evidence {
        search::Evidence::Failure(failure) => Evidence::Failure(failure.clone()),
        search::Evidence::Claim => match (&forbidden.runs, forbidden.fails_at) {
            (Language::Accepted(automaton), Some(at)) => {
                Evidence::Fails { automaton: automaton.clone(), atoms: forbidden.atoms.clone(), at }
            }
            _ => unreachable!("an automaton that fails has a state for that"),
        },
        search::Evidence::Cycle | search::Evidence::Stuck => forbidden.evidence(fairness),
    }
}
