//! One exploration that watches all states for several questions.

use std::ops::Range;

use model::{Failure, Trace};
use por::Reduction;
use replay::Evidence;
use search::{Answer as Seen, Order, StopReason, Violation, Watch, Watched};

use super::explore::{evidence, truth};
use super::{Allowance, Context, Found, Shown, stopped};
use crate::answer::{Answer, Outcome, Reason, Remark};
use crate::options::Search;
use crate::plan::{Conclusion, Plan, Watching};
use crate::prefer;
use crate::question::Property;
use crate::system::{Purpose, Stage};

/// A question that is answered by watching.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    /// Its number among those that were asked.
    pub at: usize,
    pub property: &'a Property,
    pub plan: &'a Plan,
    pub watching: &'a Watching,
}

impl Part<'_> {
    /// Whether all states are to be visited for it, even if nothing is left to watch.
    fn wants_all(&self) -> bool {
        self.watching.conclusion == Conclusion::Space
    }

    fn n_watches(&self) -> usize {
        self.watching.predicates.len()
    }

    pub fn watches(&self) -> impl Iterator<Item = Watch> {
        let conclusion = self.watching.conclusion;
        self.watching.predicates.iter().map(move |&predicate| match conclusion {
            Conclusion::Greatest | Conclusion::Space => Watch::Greatest { predicate, at_most: i64::MAX },
            _ => Watch::Reachable(predicate),
        })
    }
}

/// What an exploration has found out.
pub(crate) struct Explored {
    /// For each question, its answer.
    pub found: Vec<Found>,
    /// Why some are not answered.
    pub stop: Option<StopReason>,
}

impl Context<'_> {
    /// Explores until some questions are answered, in an order or in the best one.
    pub fn watch(
        &self,
        parts: &[Part<'_>],
        reduction: Option<&Reduction>,
        order: Option<Order>,
        allowance: &Allowance,
    ) -> Explored {
        let order = order.unwrap_or_else(|| prefer::order(self.options, reduction.is_some()));
        let wanted: Vec<Watch> = parts.iter().flat_map(Part::watches).collect();
        let stop_after = if parts.iter().any(Part::wants_all) { None } else { Some(1) };
        let mut known = Known::new(wanted.len());
        let explore = |stage: &Stage, options: &search::Options| {
            let reduction = reduction.cloned();
            let options = search::Options { order, reduction, stop_after, patient: true, ..options.clone() };
            let open = known.open(&wanted).into_iter().map(|watch| self.limited(watch, stage));
            let watched = search::watch(&*stage.model, &open.collect::<Vec<_>>(), &options);
            (known.complete(watched), search::is_shared(&options))
        };
        let is_answer = |(watched, _): &(Watched, bool)| {
            watched.wrong.is_some() || stop_after.is_some() && watched.answers.iter().all(is_settled)
        };
        let stage =
            self.stage(purpose(reduction), parts.iter().all(|part| part.plan.compressed), None, allowance);
        let searched = stage.and_then(|stage| self.search(stage, allowance, explore, is_answer));
        let ((watched, is_shared), stage) = match searched {
            Ok(searched) => searched,
            Err(undecided) => {
                let found = places(parts).map(|(part, place)| {
                    let seen = known.settled(place).filter(|_| !part.wants_all());
                    let found = seen.map(|seen| self.conclude(part, &seen, None, None));
                    found.unwrap_or_else(|| self.undecided(undecided.clone()).into())
                });
                return Explored { found: found.collect(), stop: None };
            }
        };
        let decide = |(part, place): (&Part<'_>, Range<usize>)| {
            if let Some(violation) = &watched.wrong
                && watched.answers[place.clone()].iter().any(is_open)
            {
                return self.violated(violation, &stage, &watched, order);
            }
            let mut found = self.conclude(part, &watched.answers[place], watched.stop, Some(&stage));
            let outcome = found.answer.outcome;
            let remarks = found.answer.remarks;
            let mut answer = self.searched(outcome, watched.statistics.clone(), Search::from(order));
            answer.complete = watched.complete;
            answer.method.compressed = stage.is_compressed;
            answer.method.por = reduction.map(|reduction| reduction.method);
            if is_shared {
                self.note_shared(&mut answer.method);
            } else if order == Order::Walk {
                answer.method.store = None;
            }
            if matches!(answer.outcome, Outcome::Violated(_)) {
                answer.counts.errors = 1;
            }
            answer.remarks.extend(remarks);
            found.answer = answer;
            found
        };
        let stop = watched.stop.filter(|_| watched.wrong.is_none());
        Explored { found: places(parts).map(decide).collect(), stop }
    }

    /// What has come as far as it can by what is proven about a system is not watched any longer.
    fn limited(&self, watch: Watch, stage: &Stage) -> Watch {
        match watch {
            Watch::Greatest { predicate, at_most } => {
                let proven = self.system.at_most(stage, predicate);
                Watch::Greatest { predicate, at_most: proven.map_or(at_most, |proven| proven.min(at_most)) }
            }
            other => other,
        }
    }

    /// What follows from what was seen of a question, in a search that was stopped or not.
    pub fn conclude(
        &self,
        part: &Part<'_>,
        seen: &[Seen],
        stop: Option<StopReason>,
        stage: Option<&Stage>,
    ) -> Found {
        let truth = |holds| self.looked(truth(part.property, holds)).into();
        let is_unreached = seen.contains(&Seen::Unreachable);
        match part.watching.conclusion {
            Conclusion::AllReached if is_unreached => return truth(false),
            Conclusion::SomeUnreached if is_unreached => return truth(true),
            _ => {}
        }
        if let Some(open) = seen.iter().find_map(|seen| self.left_open(part, seen, stage)) {
            return open;
        }
        match part.watching.conclusion {
            Conclusion::AllReached => truth(true),
            Conclusion::SomeUnreached => truth(false),
            Conclusion::Reachable { wanted } => match &seen[0] {
                Seen::Reached(trace) => Found {
                    shown: Some(Shown {
                        trace: trace.clone(),
                        evidence: Evidence::Reaches(part.watching.predicates[0]),
                        stage: stage.cloned(),
                    }),
                    ..truth(wanted)
                },
                _ => truth(!wanted),
            },
            Conclusion::Greatest => self.looked(Outcome::Value(greatest(&seen[0]))).into(),
            Conclusion::Space => match stop {
                Some(stop) => self.looked(stopped(stop)).into(),
                None => self.looked(Outcome::Space(seen.iter().map(greatest).collect())).into(),
            },
        }
    }

    /// That there is no answer, if what was seen of a watch gives none.
    fn left_open(&self, part: &Part<'_>, seen: &Seen, stage: Option<&Stage>) -> Option<Found> {
        let unknown = |stop: StopReason| self.looked(stopped(stop));
        Some(match seen {
            Seen::Unknown(stop) => unknown(*stop).into(),
            Seen::Greatest { stop: Some(stop), value, .. }
                if part.watching.conclusion == Conclusion::Greatest =>
            {
                Answer { remarks: vec![Remark::AtLeast(*value)], ..unknown(*stop) }.into()
            }
            Seen::Greatest { stop: Some(stop), .. } => unknown(*stop).into(),
            Seen::Failed(failure, trace) => self.failed(failure, trace, stage),
            _ => return None,
        })
    }

    /// A predicate has no value in a state to which a run leads.
    fn failed(&self, failure: &Failure, trace: &Trace, stage: Option<&Stage>) -> Found {
        if let Some(undecided) = self.no_answer(failure) {
            return self.undecided(undecided).into();
        }
        let reason = Reason::Found(search::Reason::of(failure.kind));
        let evidence = Evidence::Failure(failure.clone());
        let shown = Shown { trace: trace.clone(), evidence, stage: stage.cloned() };
        Found { answer: self.looked(Outcome::Violated(reason)), shown: Some(shown) }
    }

    /// The exploration has come to a runtime error, which violates everything that is open.
    fn violated(&self, violation: &Violation, stage: &Stage, watched: &Watched, order: Order) -> Found {
        if let Some(undecided) = violation.evidence.failure().and_then(|failure| self.no_answer(failure)) {
            return self.undecided(undecided).into();
        }
        let outcome = Outcome::Violated(Reason::Found(violation.reason));
        let mut answer = self.searched(outcome, watched.statistics.clone(), Search::from(order));
        answer.counts.errors = 1;
        let evidence = evidence(violation);
        Found {
            answer,
            shown: Some(Shown { trace: violation.trace.clone(), evidence, stage: Some(stage.clone()) }),
        }
    }
}

/// Each question with its watches' places among all.
fn places<'p, 'a>(parts: &'p [Part<'a>]) -> impl Iterator<Item = (&'p Part<'a>, Range<usize>)> {
    let ends = parts.iter().scan(0, |end, part| {
        *end += part.n_watches();
        Some(*end)
    });
    parts.iter().zip(ends).map(|(part, end)| (part, end - part.n_watches()..end))
}

fn purpose(reduction: Option<&Reduction>) -> Purpose {
    if reduction.is_some() { Purpose::Chosen } else { Purpose::Everything }
}

fn greatest(seen: &Seen) -> i64 {
    match seen {
        Seen::Greatest { value, .. } => *value,
        _ => 0,
    }
}

/// Whether a runtime error elsewhere matters: nothing that was seen is an answer by itself.
pub(crate) fn is_open(seen: &Seen) -> bool {
    matches!(seen, Seen::Unknown(_) | Seen::Unreachable | Seen::Greatest { .. })
}

/// Whether no search would find out more.
fn is_settled(seen: &Seen) -> bool {
    !matches!(seen, Seen::Unknown(_) | Seen::Greatest { stop: Some(_), .. })
}

/// What is known of watches in an exploration that may be begun anew.
struct Known(Vec<Option<Seen>>);

impl Known {
    fn new(n_watches: usize) -> Known {
        Known(vec![None; n_watches])
    }

    /// Those that are left to watch.
    fn open(&self, watches: &[Watch]) -> Vec<Watch> {
        let open = watches.iter().zip(&self.0).filter(|(_, known)| known.is_none());
        open.map(|(watch, _)| *watch).collect()
    }

    /// Notes what has come of these, and adds what was known before.
    fn complete(&mut self, watched: Watched) -> Watched {
        let mut found = watched.answers.into_iter();
        let mut answers = Vec::new();
        for known in &mut self.0 {
            let answer = known.clone().or_else(|| found.next()).expect("what is open was watched");
            *known = Some(answer.clone()).filter(is_settled);
            answers.push(answer);
        }
        Watched { answers, ..watched }
    }

    /// The answers to some, if all of them are known.
    fn settled(&self, watches: Range<usize>) -> Option<Vec<Seen>> {
        self.0[watches].iter().cloned().collect()
    }
}
