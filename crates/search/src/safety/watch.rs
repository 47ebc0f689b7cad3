//! Several questions about all reachable states, answered by one exploration.
//!
//! Any driver of `safety` does. Each state that is visited is looked at before anything happens in it, so the
//! initial state counts, and so do states in which nothing can happen. Threads know each for itself what is
//! open, and what the greatest values are; they ask the others only when something has been answered.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use model::{BitSet, Failure, Model, PredicateId, Trace};
use store::Handle;

use crate::kernel::Kernel;
use crate::kernel::trace::{self, Event};
use crate::{Checks, Evidence, Findings, Options, Reason, Statistics, StopReason, Verdict, Violation};

/// A question about all reachable states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Watch {
    /// Whether there is one in which the predicate is not 0.
    Reachable(PredicateId),
    /// How great the predicate becomes.
    Greatest {
        /// The predicate.
        predicate: PredicateId,
        /// It is never greater than this: a search that has come so far looks no further.
        at_most: i64,
    },
    /// Whether something is wrong: an assertion fails, or nothing can happen though it should.
    Wrong(Checks),
}

impl Watch {
    /// The predicate that it is about.
    pub fn predicate(&self) -> Option<PredicateId> {
        match *self {
            Watch::Reachable(predicate) | Watch::Greatest { predicate, .. } => Some(predicate),
            Watch::Wrong(_) => None,
        }
    }

    /// Whether something that was found wrong is what it asks for, and what it calls that.
    fn counts(&self, reason: Reason, fails: bool) -> Option<Reason> {
        let Watch::Wrong(checks) = self else { return None };
        match reason {
            Reason::RuntimeError => Some(reason),
            _ if fails => checks.assertions.then_some(reason),
            _ => checks.stuck,
        }
    }
}

/// The answer to a [`Watch`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is such a state, and this run leads to it.
    Reached(Trace),
    /// There is none: everything was explored.
    Unreachable,
    /// This is wrong.
    Wrong(Violation),
    /// The greatest value of the predicate that was seen, and where.
    Greatest {
        /// The value.
        value: i64,
        /// The first state in which it was seen.
        state: Vec<u64>,
        /// Why there may be a greater one.
        stop: Option<StopReason>,
    },
    /// The predicate cannot be evaluated in the state to which this run leads.
    Failed(Failure, Trace),
    /// Not known.
    Unknown(StopReason),
}

/// Everything that [`watch`] brings back.
#[derive(Clone, Debug)]
pub struct Watched {
    /// For each question, its answer.
    pub answers: Vec<Answer>,
    /// The first runtime error, if there is one. States that would come behind it do not exist.
    pub wrong: Option<Violation>,
    /// True if all states were visited.
    pub complete: bool,
    /// What has ended the search before that, if not that everything was answered.
    pub stop: Option<StopReason>,
    /// What was counted.
    pub statistics: Statistics,
    /// The transitions that were executed at least once.
    pub executed: BitSet,
}

/// Explores a model until all questions are answered, or to the end if nothing is to stop the search
/// ([`Options::stop_after`]). Nothing else is checked, whatever the options say, but for runtime errors.
///
/// Breadth-first, a run that is found is as short as possible; one thread is used.
///
/// A reduced search looks at the states that it visits, and at no others. It is up to the caller that these
/// have all values that the predicates have anywhere: a plan that keeps infinite runs and watches the
/// predicates sees to that. One that keeps finite runs keeps failures, not states.
pub fn watch(model: &dyn Model, wanted: &[Watch], options: &Options) -> Watched {
    let watching = Watching::new(wanted, options.stop_after.is_some());
    let checks = wanted.iter().fold(Checks::NONE, |all, watch| match watch {
        Watch::Wrong(checks) => {
            Checks { assertions: all.assertions || checks.assertions, stuck: all.stuck.or(checks.stuck) }
        }
        _ => all,
    });
    let options = Options { checks, stop_after: None, ..options.clone() };
    let findings = crate::drive(model, &options, Some(&watching));
    watching.conclude(findings)
}

/// The questions, for all threads.
pub(crate) struct Watching {
    wanted: Vec<Watch>,
    /// Whether the search is over when all are answered.
    stops: bool,
    /// How many of them are answered. Relaxed: what the answers are is behind the lock.
    n_answered: AtomicUsize,
    known: Mutex<Known>,
}

/// What has been found out.
struct Known {
    asked: Vec<Asked>,
    ways: Vec<Way>,
    stop: Option<StopReason>,
}

impl Known {
    /// Notes which run leads to a state that answers questions.
    /// `run` makes it, with the event behind it that fails, if one does.
    fn note(&mut self, answered: Vec<Hit>, mut run: impl FnMut(Option<Event>) -> Result<Trace, StopReason>) {
        for (number, shows) in answered {
            let event = match &shows {
                Shows::Wrong(_, failed) => failed.as_ref().map(|(event, _)| *event),
                _ => None,
            };
            self.asked[number].answer = Some(match (run(event), shows) {
                (Err(stop), _) => Answer::Unknown(stop),
                (Ok(trace), Shows::Reached) => Answer::Reached(trace),
                (Ok(trace), Shows::Failed(failure)) => Answer::Failed(failure, trace),
                (Ok(trace), Shows::Wrong(reason, failed)) => {
                    let evidence = failed.map_or(Evidence::Stuck, |(_, failure)| Evidence::Failure(failure));
                    Answer::Wrong(Violation { reason, trace, evidence })
                }
            });
        }
    }
}

/// What has been found out about a question.
#[derive(Clone, Default)]
struct Asked {
    is_answered: bool,
    /// The greatest value, and where it was seen.
    greatest: Option<(i64, Vec<u64>)>,
    /// What the state says that answers it, once a run leads there.
    answer: Option<Answer>,
}

/// A way to a state that answers questions.
struct Way {
    answered: Vec<Hit>,
    path: Vec<Handle>,
}

/// A question that a state answers, and what it shows.
type Hit = (usize, Shows);

/// What a state shows.
#[derive(Debug)]
enum Shows {
    /// The predicate holds.
    Reached,
    /// The predicate fails.
    Failed(Failure),
    /// Something is wrong there: nothing can happen, or this event fails.
    Wrong(Reason, Option<(Event, Failure)>),
}

impl Watching {
    fn new(wanted: &[Watch], stops: bool) -> Watching {
        let known = Known { asked: vec![Asked::default(); wanted.len()], ways: Vec::new(), stop: None };
        Watching { wanted: wanted.to_vec(), stops, n_answered: AtomicUsize::new(0), known: Mutex::new(known) }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("threads do not panic")
    }

    /// Notes that a question is answered. Says whether that is news.
    fn close(&self, known: &mut Known, number: usize) -> bool {
        let is_news = !std::mem::replace(&mut known.asked[number].is_answered, true);
        self.n_answered.fetch_add(usize::from(is_news), Ordering::Relaxed);
        is_news
    }

    /// Notes a value of a predicate. Gives back the greatest.
    fn raise(&self, number: usize, value: i64, state: &[u64]) -> i64 {
        let mut known = self.known();
        match &known.asked[number].greatest {
            Some((greatest, _)) if *greatest >= value => return *greatest,
            _ => known.asked[number].greatest = Some((value, state.to_vec())),
        }
        if let Watch::Greatest { at_most, .. } = self.wanted[number]
            && value >= at_most
        {
            self.close(&mut known, number);
        }
        value
    }

    /// Makes runs of the ways, while the states are still there. `stop` is why there are not more.
    pub fn finish(&self, kernel: &mut Kernel<'_>, stop: Option<StopReason>) {
        let known = &mut *self.known();
        known.stop = known.stop.or(stop);
        for way in std::mem::take(&mut known.ways) {
            known.note(way.answered, |event| trace::of_path(kernel, &way.path, event));
        }
    }

    fn conclude(self, findings: Findings) -> Watched {
        let Findings { verdict, complete, statistics, executed, .. } = findings;
        let known = self.known.into_inner().expect("threads do not panic");
        let (mut stop, mut wrong) = (known.stop, None);
        match verdict {
            Verdict::Holds => {}
            Verdict::Violated(violation) => wrong = Some(violation),
            Verdict::Unknown(reason) => stop = stop.or(Some(reason)),
        }
        let open = || match (complete, stop, &wrong) {
            (true, ..) => Answer::Unreachable,
            (_, Some(stop), _) => Answer::Unknown(stop),
            // There is no initial state, or a walk has ended in it.
            (_, _, Some(Violation { evidence: Evidence::Failure(failure), trace, .. })) => {
                Answer::Failed(failure.clone(), trace.clone())
            }
            _ => unreachable!("a search that ends with a question open has a reason"),
        };
        let answer = |Asked { is_answered, greatest, answer }: Asked| match (answer, greatest) {
            (Some(answer), _) => answer,
            (None, None) => open(),
            (None, Some((value, state))) => {
                let stop = if complete || is_answered { None } else { stop };
                Answer::Greatest { value, state, stop }
            }
        };
        let answers = known.asked.into_iter().map(answer).collect();
        Watched { answers, wrong, complete, stop, statistics, executed }
    }
}

/// What one thread knows of the questions.
pub(crate) struct Watcher<'a> {
    watching: &'a Watching,
    open: Vec<Open>,
    /// How many questions were answered when `open` was right.
    n_answered: usize,
    /// What the state looked at last answers.
    hits: Vec<Hit>,
    /// The memory of the ways that this thread has told.
    pub bytes: u64,
}

/// A question that is not answered.
struct Open {
    number: usize,
    watch: Watch,
    /// The greatest value so far.
    greatest: Option<i64>,
}

impl<'a> Watcher<'a> {
    pub fn new(watching: &'a Watching) -> Watcher<'a> {
        let open = watching.wanted.iter().enumerate();
        let open = open.map(|(number, &watch)| Open { number, watch, greatest: None }).collect();
        Watcher { watching, open, n_answered: 0, hits: Vec::new(), bytes: 0 }
    }

    pub fn another(&self) -> Watcher<'a> {
        Watcher::new(self.watching)
    }

    pub fn watching(&self) -> &'a Watching {
        self.watching
    }

    /// Whether all questions are answered, and nothing else is wanted.
    pub fn is_done(&self) -> bool {
        let Watching { wanted, stops, n_answered, .. } = self.watching;
        *stops && n_answered.load(Ordering::Relaxed) == wanted.len()
    }

    /// Looks at a state.
    pub fn look(&mut self, model: &dyn Model, state: &[u64]) {
        let Watcher { watching, open, n_answered, hits, .. } = self;
        let now = watching.n_answered.load(Ordering::Relaxed);
        if *n_answered != now {
            *n_answered = now;
            let known = watching.known();
            open.retain(|open| !known.asked[open.number].is_answered);
        }
        hits.clear();
        for Open { number, watch, greatest } in open {
            let Some(predicate) = watch.predicate() else { continue };
            match (model.predicate(predicate, state), watch) {
                (Err(failure), _) => hits.push((*number, Shows::Failed(failure))),
                (Ok(value), Watch::Reachable(_)) if value != 0 => hits.push((*number, Shows::Reached)),
                (Ok(value), Watch::Greatest { .. }) if Some(value) > *greatest => {
                    *greatest = Some(watching.raise(*number, value, state));
                }
                _ => {}
            }
        }
    }

    /// Notes that something is wrong in the state looked at last. Says whether that is a matter of questions: a runtime error
    /// is more.
    pub fn note_wrong(&mut self, reason: Reason, failed: Option<&(Event, Failure)>) -> bool {
        for Open { number, watch, .. } in &self.open {
            let is_told = self.hits.iter().any(|(told, _)| told == number);
            if let (Some(reason), false) = (watch.counts(reason, failed.is_some()), is_told) {
                self.hits.push((*number, Shows::Wrong(reason, failed.cloned())));
            }
        }
        reason != Reason::RuntimeError
    }

    /// How far a state seems to be from one that answers something.
    pub fn distance(&self, model: &dyn Model, state: &[u64]) -> u64 {
        let open = self.open.iter().filter_map(|open| open.watch.predicate());
        open.map(|predicate| model.distance(predicate, state)).min().unwrap_or(0)
    }

    /// Tells the way to the state looked at last, if it answers something. True if the search is over.
    pub fn answer(&mut self, path: impl FnOnce() -> Vec<Handle>) -> bool {
        self.close_hits(|known, answered| {
            let path = path();
            let bytes = (size_of::<Handle>() * path.len()) as u64;
            known.ways.push(Way { answered, path });
            bytes
        })
    }

    /// The same for a search that can tell the run itself.
    pub fn answer_by(&mut self, run: impl Fn(Option<Event>) -> Result<Trace, StopReason>) -> bool {
        self.close_hits(|known, answered| {
            known.note(answered, run);
            0
        })
    }

    /// Notes what the state looked at last answers, in a way that says how much memory it takes.
    fn close_hits(&mut self, note: impl FnOnce(&mut Known, Vec<Hit>) -> u64) -> bool {
        if !self.hits.is_empty() {
            let known = &mut *self.watching.known();
            let answered = self.hits.drain(..).filter(|(number, _)| self.watching.close(known, *number));
            let answered: Vec<Hit> = answered.collect();
            if !answered.is_empty() {
                self.bytes += note(known, answered);
            }
        }
        self.is_done()
    }
}
