//! Questions about the graph of the states, all on one. What it is made of stays, and so does the time that it has taken.

use model::PredicateId;
use por::{Method, Reduction};
use replay::Evidence;
use search::{Graph, Halt, Space, Violation};

use super::explore::{evidence, truth};
use super::{Allowance, Context, Found, Shown, stopped};
use crate::answer::{Outcome, Reason, Remark};
use crate::options::Search;
use crate::plan::{Branching, Plan};
use crate::question::Property;
use crate::system::{Purpose, Stage};

/// A question with its plan.
pub(crate) type Asked<'a> = (&'a Property, &'a Plan, &'a Branching);

/// Answers questions on one graph.
pub(crate) fn answer(context: &Context<'_>, asked: &[Asked<'_>], allowance: &Allowance) -> Vec<Found> {
    let reduction = reduction(asked);
    let mut found: Vec<Option<Found>> = asked.iter().map(|_| None).collect();
    let is_open = |found: &Option<Found>| {
        found.as_ref().is_none_or(|found| matches!(found.answer.outcome, Outcome::Unknown(_)))
    };
    let search = |stage: &Stage, options: &search::Options| {
        let options = search::Options { reduction: reduction.clone(), ..options.clone() };
        let mut space = Space::new(&*stage.model, &options);
        let mut graph = space.graph();
        for (found, asked) in found.iter_mut().zip(asked).filter(|(found, _)| is_open(found)) {
            *found = Some(match &mut graph {
                Ok(graph) => context.ask(graph, asked, stage),
                Err(halt) => context.halted(halt, stage),
            });
        }
        !found.iter().any(is_open)
    };
    let stage =
        context.stage(Purpose::Chosen, asked.iter().all(|(_, plan, _)| plan.compressed), None, allowance);
    let searched = stage.and_then(|stage| context.search(stage, allowance, search, |all| *all));
    if let Err(undecided) = searched {
        let open = found.iter_mut().filter(|found| is_open(found));
        open.for_each(|found| *found = Some(context.undecided(undecided.clone()).into()));
    }
    found.into_iter().map(|found| found.expect("each question was asked")).collect()
}

/// How the graph may be reduced: all questions are, in the same way, but what is watched for one must not be left out for
/// another.
fn reduction(asked: &[Asked<'_>]) -> Option<Reduction> {
    let (_, plan, _) = asked.first()?;
    let method = plan.reduction.as_ref()?.method;
    let mut watched: Vec<PredicateId> = asked.iter().flat_map(|(_, _, question)| question.atoms()).collect();
    watched.sort_unstable();
    watched.dedup();
    Some(Reduction { method, preserves: por::Preserves::Branching, watched })
}

impl Context<'_> {
    fn ask(&self, graph: &mut Graph<'_>, (property, plan, question): &Asked<'_>, stage: &Stage) -> Found {
        let n_reduced = graph.statistics().reduced;
        let n_actions = self.system.facts().n_actions;
        let mut stuck = Vec::new();
        let decided = match question {
            Branching::Formula(formula) => search::check_ctl(graph, formula, self.options.deadlocks),
            Branching::Home { form, predicate, wanted } => search::home(graph, *predicate, *form)
                .map(|found| search::Decided { holds: found.holds == *wanted, ..found }),
            Branching::Live => search::is_live(graph, n_actions),
            Branching::Recurrent(lists) => search::recurs(graph, lists),
            Branching::NobodyStuck => search::nobody_is_stuck(graph).map(|(decided, found)| {
                stuck = found;
                decided
            }),
            Branching::QuasiLive => {
                search::is_quasi_live(graph, n_actions).map(|holds| search::Decided { holds, run: None })
            }
        };
        let (outcome, shown) = match decided {
            Ok(search::Decided { holds, run }) => {
                let shown =
                    run.map(|trace| Shown { trace, evidence: Evidence::Run, stage: Some(stage.clone()) });
                (truth(property, holds), shown)
            }
            Err(Halt::Stop(stop)) => (stopped(stop), None),
            Err(Halt::Wrong(violation)) => return self.wrong(&violation, stage),
        };
        let statistics = graph.statistics();
        // Where single steps are seen, something is left out on the way to goals alone.
        let method = if question.sees_steps() {
            (statistics.reduced > n_reduced).then_some(Method::Stubborn)
        } else {
            plan.reduction.as_ref().map(|reduction| reduction.method)
        };
        let mut answer = self.searched(outcome, statistics, Search::Graph);
        answer.method.por = method;
        answer.remarks.extend(plan.remarks.clone());
        answer.remarks.extend((self.options.limits.depth < u64::MAX).then_some(Remark::NoDepthLimit));
        answer.remarks.extend((!stuck.is_empty()).then_some(Remark::Stuck(stuck)));
        if matches!(answer.outcome, Outcome::Violated(_)) {
            answer.counts.errors = 1;
        }
        Found { answer, shown }
    }

    fn halted(&self, halt: &Halt, stage: &Stage) -> Found {
        match halt {
            Halt::Stop(stop) => self.looked(stopped(*stop)).into(),
            Halt::Wrong(violation) => self.wrong(violation, stage),
        }
    }

    /// A runtime error: it violates everything, or means that there is no answer.
    fn wrong(&self, violation: &Violation, stage: &Stage) -> Found {
        if let Some(undecided) = violation.evidence.failure().and_then(|failure| self.no_answer(failure)) {
            return self.undecided(undecided).into();
        }
        let answer = self.looked(Outcome::Violated(Reason::Found(violation.reason)));
        let (trace, evidence) = (violation.trace.clone(), evidence(violation));
        Found { answer, shown: Some(Shown { trace, evidence, stage: Some(stage.clone()) }) }
    }
}
