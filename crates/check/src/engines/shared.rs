//! One exploration for several questions about a program: what is wrong, and what is reached. What one of them needs
//! nobody leaves out; one that is answered does not end the others.

use model::PredicateId;
use por::{Preserves, Reduction};
use search::{Answer as Seen, Checks, Order, Statistics, StopReason, Violation, Watch, Watched};

use super::explore::evidence;
use super::watch::{Part, is_open};
use super::{Allowance, Context, Found, Shown, stopped};
use crate::answer::{Answer, Outcome, Reason, Remark};
use crate::options::Search;
use crate::plan::{Explored, Plan, Task};
use crate::prefer::{self, Por};
use crate::question::Property;
use crate::schedule::trial::{self, Attempted, Try};
use crate::system::{Stage, Undecided};

/// A question of those that share an exploration.
#[derive(Clone, Copy)]
pub(crate) enum Asked<'a> {
    /// Whether something is wrong.
    Wrong(&'a Plan, Checks),
    /// What is seen.
    Part(Part<'a>),
}

impl<'a> Asked<'a> {
    /// The question, if it can share an exploration.
    pub fn of(at: usize, property: &'a Property, plan: &'a Plan) -> Option<Asked<'a>> {
        match &plan.task {
            Task::Explore { checks, conclusion: Explored::Fine } => Some(Asked::Wrong(plan, *checks)),
            Task::Watch(watching) => Some(Asked::Part(Part { at, property, plan, watching })),
            _ => None,
        }
    }

    fn plan(&self) -> &'a Plan {
        match self {
            Asked::Wrong(plan, _) => plan,
            Asked::Part(part) => part.plan,
        }
    }

    fn watches(&self) -> Vec<Watch> {
        match self {
            Asked::Wrong(_, checks) => vec![Watch::Wrong(*checks)],
            Asked::Part(part) => part.watches().collect(),
        }
    }
}

/// An exploration, and what was seen.
struct Exploration {
    watched: Watched,
    options: search::Options,
    reduction: Option<Reduction>,
    stage: Stage,
}

impl Attempted for Exploration {
    fn stop(&self) -> Option<StopReason> {
        self.watched.stop
    }

    fn statistics(&mut self) -> &mut Statistics {
        &mut self.watched.statistics
    }
}

/// Answers questions by one exploration.
pub(crate) fn answer(context: &Context<'_>, asked: &[Asked<'_>], allowance: &Allowance) -> Vec<Found> {
    let wanted: Vec<Watch> = asked.iter().flat_map(Asked::watches).collect();
    let reduction = reduction(asked);
    let compressed = asked.iter().all(|asked| asked.plan().compressed);
    let explore = |stage, what: Try<'_>, allowance: &Allowance| {
        Ok::<_, Undecided>(context.explore_all(&wanted, stage, what, allowance))
    };
    match trial::tried(context, (reduction.as_ref(), compressed), allowance, explore) {
        Ok(exploration) => context.conclude_all(asked, &exploration),
        Err(undecided) => asked.iter().map(|_| context.undecided(undecided.clone()).into()).collect(),
    }
}

/// What may be left out for all questions: what keeps runs up to what any of them watches keeps failures, too.
fn reduction(asked: &[Asked<'_>]) -> Option<Reduction> {
    let all: Option<Vec<&Reduction>> = asked.iter().map(|asked| asked.plan().reduction.as_ref()).collect();
    let all = all?;
    let mut watched: Vec<PredicateId> = all.iter().flat_map(|one| one.watched.clone()).collect();
    watched.sort_unstable();
    watched.dedup();
    let order = [Preserves::InfiniteRuns, Preserves::FiniteRuns, Preserves::Deadlocks];
    let preserves = order.into_iter().find(|&one| all.iter().any(|other| other.preserves == one))?;
    let is_covered = all.iter().all(|one| order.contains(&one.preserves));
    is_covered.then(|| Reduction { method: all[0].method, preserves, watched })
}

impl Context<'_> {
    fn explore_all(
        &self,
        wanted: &[Watch],
        stage: Stage,
        what: Try<'_>,
        allowance: &Allowance,
    ) -> Exploration {
        let habits = self.system.facts().habits;
        let reduction = what.reduction.cloned();
        let options = search::Options {
            order: prefer::order(self.options, reduction.is_some()),
            reduction: reduction.clone(),
            stop_after: Some(1),
            patient: matches!(self.options.por, Por::Exactly(_)) || !habits.tries_reduction,
            trial: what.is_trial,
            probes: prefer::probes(self.options, habits),
            seed: what.seed(self.options),
            ..self.search_options(allowance, &stage)
        };
        let watched = search::watch(&*stage.model, wanted, &options);
        Exploration { watched, options, reduction, stage }
    }

    fn conclude_all(&self, asked: &[Asked<'_>], exploration: &Exploration) -> Vec<Found> {
        let mut answers = exploration.watched.answers.iter();
        let found = |asked: &Asked<'_>| {
            let seen: Vec<Seen> = answers.by_ref().take(asked.watches().len()).cloned().collect();
            let found = match (&exploration.watched.wrong, asked) {
                // It is on the way of every question that is still open.
                (Some(violation), _) if seen.iter().any(is_open) => self.wrong_run(violation, exploration),
                (_, Asked::Wrong(_, checks)) => self.judged(&seen[0], *checks, exploration),
                (_, Asked::Part(part)) => {
                    self.conclude(part, &seen, exploration.watched.stop, Some(&exploration.stage))
                }
            };
            self.counted(found, asked.plan(), exploration)
        };
        asked.iter().map(found).collect()
    }

    /// What follows for a question about what is wrong.
    fn judged(&self, seen: &Seen, checks: Checks, exploration: &Exploration) -> Found {
        match seen {
            Seen::Wrong(violation) => {
                let mut violation = violation.clone();
                if self.options.shortens && self.system.facts().habits.shortens {
                    let options = search::Options { checks, ..exploration.options.clone() };
                    let statistics = &exploration.watched.statistics;
                    trial::shorten(&*exploration.stage.model, &mut violation, &options, statistics);
                }
                self.wrong_run(&violation, exploration)
            }
            Seen::Unknown(stop) => self.looked(stopped(*stop)).into(),
            _ => self.looked(Outcome::Holds).into(),
        }
    }

    fn wrong_run(&self, violation: &Violation, exploration: &Exploration) -> Found {
        if let Some(undecided) = violation.evidence.failure().and_then(|failure| self.no_answer(failure)) {
            return self.undecided(undecided).into();
        }
        let answer = self.looked(Outcome::Violated(Reason::Found(violation.reason)));
        let (trace, evidence) = (violation.trace.clone(), evidence(violation));
        Found { answer, shown: Some(Shown { trace, evidence, stage: Some(exploration.stage.clone()) }) }
    }

    /// Adds how the answer was found. The figures are those of the whole exploration.
    fn counted(&self, found: Found, plan: &Plan, exploration: &Exploration) -> Found {
        let Exploration { watched, options, reduction, stage } = exploration;
        let Found { answer: Answer { outcome, remarks, .. }, shown } = found;
        let mut answer = self.searched(outcome, watched.statistics.clone(), Search::from(options.order));
        answer.complete = watched.complete;
        answer.method.compressed = stage.is_compressed;
        answer.method.por = reduction.as_ref().map(|reduction| reduction.method);
        if search::is_shared(options) {
            self.note_shared(&mut answer.method);
        } else if options.order == Order::Walk {
            answer.method.store = None;
        }
        answer.counts.errors = u64::from(matches!(answer.outcome, Outcome::Violated(_)));
        if reduction.as_ref().is_none_or(|reduction| reduction.preserves != Preserves::Deadlocks) {
            let lifts = stage.lifts.iter().rev();
            let executed = lifts.fold(watched.executed.clone(), |executed, lift| lift.executed(executed));
            answer.unreached = self.system.unreached(&executed);
        }
        answer.remarks.extend(remarks);
        answer.remarks.extend(plan.remarks.clone());
        if plan.reduction.is_some() && reduction.is_none() {
            answer.remarks.push(Remark::LittleSaved);
        }
        answer.remarks.push(Remark::Shared);
        Found { answer, shown }
    }
}
