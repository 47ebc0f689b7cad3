//! Random walks: runs from the initial state on which every step is drawn by lot.
//!
//! A walk keeps where it is and how it came there, and nothing else: it gets deep into spaces that are too large to be
//! stored. It never shows that something does not exist; it ends with a find or at a limit.
//!
//! Some goals are near, and a walk that has missed them goes astray; others are far. So walks are cut short after
//! lengths in the sequence of Luby, Sinclair and Zuckerman, by which all lengths get about the same time. A reduced
//! search draws from the subset that is proposed: towards a goal ([`por::Preserves::Goal`]) that never leaves a
//! shortest way out.
//!
//! The run that is reported is made of the events since the initial state, without the cycles on it (`trace::of_events`).
//! Of the goals that one exploration for all of them leaves open on the nets of the Model Checking Contest, walks reach
//! about half of those that any method reaches, in a hundredth of the time.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::{End, Failure, Model, OutcomeKind, Patience};

use crate::budget::Budget;
use crate::kernel::generator::Generator;
use crate::kernel::trace::{self, Event};
use crate::lot::Lot;
use crate::safety::watch::{Watcher, Watching};
use crate::{Evidence, Findings, Options, Reason, Statistics, StopReason, Verdict, Violation};

/// The shortest walks see so many states …
const SHORT: u64 = 256;
/// … and the longest so many.
const LONG: u64 = 1 << 16;
/// So many states are looked at if nothing limits the search.
const ENOUGH: u64 = 1 << 24;

/// Walks until everything is answered, something is found wrong, or a limit is reached.
pub fn search(model: &dyn Model, options: &Options, watching: Option<&Watching>) -> Findings {
    let mut walks = match Walks::new(model, options.clone(), watching) {
        Ok(walks) => walks,
        Err(failure) => return Findings::nothing(Verdict::Violated(Violation::at_once(failure))),
    };
    match walks.go_on(u64::MAX) {
        ControlFlow::Break(verdict) => walks.findings(verdict),
        ControlFlow::Continue(()) => unreachable!("walks go on until something ends them"),
    }
}

/// The sequence 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, …, numbered from 1.
fn luby(number: u64) -> u64 {
    let whole = u64::MAX >> number.leading_zeros();
    if number == whole { whole.div_ceil(2) } else { luby(number - whole / 2) }
}

/// One walk after the other.
pub struct Walks<'a> {
    options: Options,
    /// Set when nobody waits for walks any more. Runs of what was found are made all the same.
    pub is_over: Arc<AtomicBool>,
    /// Whether the walks are all that is done: then a runtime error counts if nothing answers the questions.
    pub are_alone: bool,
    /// The first runtime error, and the number of states at which nothing else is waited for.
    wrong: Option<(Violation, u64)>,
    /// How many walks have begun.
    number: u64,
    generator: Generator<'a>,
    lot: Lot,
    watcher: Option<Watcher<'a>>,
    budget: Budget,
    initial: Vec<u64>,
    /// Where the walk is.
    state: Vec<u64>,
    /// What has happened since the initial state.
    events: Vec<Event>,
    statistics: Statistics,
}

impl<'a> Walks<'a> {
    /// Prepares walks.
    pub fn new(
        model: &'a dyn Model,
        options: Options,
        watching: Option<&'a Watching>,
    ) -> Result<Walks<'a>, Failure> {
        let mut initial = Vec::new();
        model.initial(&mut initial)?;
        let budget = Budget::new(&options.limits, options.interrupt.clone());
        let generator = Generator::of(model, &options, &budget);
        Ok(Walks {
            is_over: Arc::default(),
            are_alone: true,
            wrong: None,
            number: 0,
            generator,
            lot: Lot::new(options.seed),
            watcher: watching.map(Watcher::new),
            budget,
            state: Vec::new(),
            initial,
            events: Vec::new(),
            statistics: Statistics::default(),
            options,
        })
    }

    /// Begins walks until so many states more have been seen, unless the search is over before that.
    pub fn go_on(&mut self, n_states: u64) -> ControlFlow<Verdict> {
        let enough = self.statistics.states.saturating_add(n_states);
        while self.statistics.states < enough {
            self.number += 1;
            self.walk((SHORT * luby(self.number)).min(LONG))?;
        }
        ControlFlow::Continue(())
    }

    /// Walks from the initial state by so many states, unless the search is over before that.
    fn walk(&mut self, length: u64) -> ControlFlow<Verdict> {
        self.events.clear();
        self.state.clone_from(&self.initial);
        for depth in 0..length.min(self.options.limits.depth.saturating_add(1)) {
            self.statistics.depth = self.statistics.depth.max(depth);
            let stop = self.tick().err();
            if stop.is_some()
                || self.wrong.as_ref().is_some_and(|(_, until)| self.statistics.states >= *until)
            {
                self.statistics.errors = u64::from(self.wrong.is_some());
                let wrong = self.wrong.take().map(|(violation, _)| Verdict::Violated(violation));
                let stopped = stop.map(Verdict::Unknown);
                return ControlFlow::Break(wrong.or(stopped).expect("there is a reason to stop"));
            }
            self.look()?;
            if !self.step()? {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    /// Counts a state.
    fn tick(&mut self) -> Result<(), StopReason> {
        let limits = &self.options.limits;
        if self.is_over.load(Ordering::Relaxed) {
            return Err(StopReason::Interrupted);
        }
        if self.statistics.states == limits.states {
            return Err(StopReason::States);
        }
        if self.statistics.states == ENOUGH && limits.states == u64::MAX && limits.time.is_none() {
            return Err(StopReason::MayMiss);
        }
        self.statistics.states += 1;
        if self.budget.due(1) {
            let bytes = (self.events.capacity() * size_of::<Event>()) as u64;
            self.options.progress.publish(self.statistics.states, self.statistics.depth, bytes);
            self.budget.check(bytes)?;
        }
        Ok(())
    }

    /// Looks whether the state answers something.
    fn look(&mut self) -> ControlFlow<Verdict> {
        let model = self.generator.model;
        let Some(watcher) = &mut self.watcher else { return ControlFlow::Continue(()) };
        watcher.look(model, &self.state);
        self.answer()
    }

    /// Tells the run to what was seen last, if that answers something.
    fn answer(&mut self) -> ControlFlow<Verdict> {
        let patience = Patience { memory: None, ..self.budget.patience() };
        let model = self.generator.model;
        let run = |event| trace::of_events(model, &self.initial, &self.events, event, &patience);
        let is_done = self.watcher.as_mut().is_some_and(|watcher| watcher.answer_by(run));
        if is_done { ControlFlow::Break(Verdict::Holds) } else { ControlFlow::Continue(()) }
    }

    /// Takes a step. False if the walk ends here.
    fn step(&mut self) -> ControlFlow<Verdict, bool> {
        self.generator.list(&self.state);
        if self.generator.actions.list.is_empty() {
            return self.check_end();
        }
        let Some(action) = self.choose() else { return ControlFlow::Continue(false) };
        self.generator.choose_one(action);
        self.generator.fire(&self.state);
        if self.generator.successors.abandoned {
            let stop = self.budget.check(0).err().unwrap_or(StopReason::Memory);
            return ControlFlow::Break(Verdict::Unknown(stop));
        }
        self.generator.identify();
        for index in 0..self.generator.outcomes().len() {
            let OutcomeKind::Failed(failure) = &self.generator.outcomes()[index].kind else { continue };
            let reason = Reason::of(failure.kind);
            if reason != Reason::Assertion || self.options.checks.assertions {
                let failed = (self.generator.events[index], (**failure).clone());
                self.violated(reason, Some(failed))?;
            }
        }
        let drawn = self.lot.draw_state(&self.generator);
        if let Some((outcome, next)) = drawn {
            self.events.push(self.generator.events[outcome]);
            self.state.clear();
            self.state.extend_from_slice(next);
        }
        ControlFlow::Continue(drawn.is_some())
    }

    /// Draws an action, by its position among all that are listed. Reduction may know that none leads anywhere.
    fn choose(&mut self) -> Option<u32> {
        self.generator.propose(&self.state);
        let n_chosen = self.generator.chosen().len();
        (n_chosen > 0).then(|| self.generator.position(self.lot.draw(n_chosen) as u32))
    }

    /// Nothing can happen any more.
    fn check_end(&mut self) -> ControlFlow<Verdict, bool> {
        match self.options.checks.stuck {
            Some(reason) if self.generator.model.end(&self.state) == End::Invalid => {
                self.violated(reason, None)?;
            }
            _ => {}
        }
        ControlFlow::Continue(false)
    }

    /// Something is wrong in the present state: nothing can happen, or an event fails. Walks go on if that only answers a
    /// question.
    fn violated(&mut self, reason: Reason, failed: Option<(Event, Failure)>) -> ControlFlow<Verdict> {
        let is_questions = |watcher: &mut Watcher<'_>| watcher.note_wrong(reason, failed.as_ref());
        let is_answer = self.watcher.as_mut().map(is_questions);
        if is_answer.is_some() {
            self.answer()?;
        }
        match is_answer {
            Some(true) => ControlFlow::Continue(()),
            None => match self.run_to(reason, failed) {
                Ok(violation) => {
                    self.statistics.errors = 1;
                    ControlFlow::Break(Verdict::Violated(violation))
                }
                Err(stop) => ControlFlow::Break(Verdict::Unknown(stop)),
            },
            // A question may be answered elsewhere.
            Some(false) => {
                if self.are_alone && self.wrong.is_none() {
                    match self.run_to(reason, failed) {
                        Ok(violation) => self.wrong = Some((violation, 2 * self.statistics.states + LONG)),
                        Err(stop) => return ControlFlow::Break(Verdict::Unknown(stop)),
                    }
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// What is wrong, with the run to it.
    fn run_to(&mut self, reason: Reason, failed: Option<(Event, Failure)>) -> Result<Violation, StopReason> {
        let patience = Patience { memory: None, ..self.budget.patience() };
        let event = failed.as_ref().map(|(event, _)| *event);
        let evidence = failed.map_or(Evidence::Stuck, |(_, failure)| Evidence::Failure(failure));
        let trace = trace::of_events(self.generator.model, &self.initial, &self.events, event, &patience)?;
        Ok(Violation { reason, trace, evidence })
    }

    /// What the walks have found.
    pub fn findings(mut self, verdict: Verdict) -> Findings {
        self.statistics.seconds = self.budget.seconds();
        self.statistics.state_bytes = 8 * self.initial.len() as u64;
        let executed = self.generator.successors.executed.take().unwrap_or_default();
        Findings { verdict, complete: false, statistics: self.statistics, executed, by_walk: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_walks_are_short() {
        let lengths: Vec<u64> = (1..=16).map(luby).collect();
        assert_eq!(lengths, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 1]);
    }
}
