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

use model::{BitSet, End, Model, OutcomeKind, Patience, Successors};

use crate::budget::Budget;
use crate::kernel::choice::Chooser;
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
    let mut initial = Vec::new();
    if let Err(failure) = model.initial(&mut initial) {
        return Findings::nothing(Verdict::Violated(Violation::at_once(failure)));
    }
    let budget = Budget::new(&options.limits, options.interrupt.clone());
    let successors = Successors {
        executed: Some(BitSet::default()),
        patience: Some(budget.patience()),
        ..Successors::default()
    };
    let mut generator = Generator::new(model, successors);
    generator.chooser = options
        .reduction
        .as_ref()
        .and_then(|plan| Chooser::new(model, plan, options.patient, &budget.patience()));
    let mut walks = Walks {
        options,
        generator,
        lot: Lot::new(options.seed),
        watcher: watching.map(Watcher::new),
        budget,
        state: Vec::new(),
        initial,
        events: Vec::new(),
        statistics: Statistics::default(),
    };
    let mut number = 0;
    loop {
        number += 1;
        if let ControlFlow::Break(verdict) = walks.walk((SHORT * luby(number)).min(LONG)) {
            return walks.findings(verdict);
        }
    }
}

/// The sequence 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, …, numbered from 1.
fn luby(number: u64) -> u64 {
    let whole = u64::MAX >> number.leading_zeros();
    if number == whole { whole.div_ceil(2) } else { luby(number - whole / 2) }
}

/// One walk after the other.
struct Walks<'a> {
    options: &'a Options,
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

impl Walks<'_> {
    /// Walks from the initial state by so many states, unless the search is over before that.
    fn walk(&mut self, length: u64) -> ControlFlow<Verdict> {
        self.events.clear();
        self.state.clone_from(&self.initial);
        for depth in 0..length.min(self.options.limits.depth.saturating_add(1)) {
            self.statistics.depth = self.statistics.depth.max(depth);
            if let Err(stop) = self.tick() {
                return ControlFlow::Break(Verdict::Unknown(stop));
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
        let patience = Patience { memory: None, ..self.budget.patience() };
        let run = |event| trace::of_events(model, &self.initial, &self.events, event, &patience);
        let is_done = watcher.answer_by(run);
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
        for (outcome, &event) in self.generator.outcomes().iter().zip(&self.generator.events) {
            let OutcomeKind::Failed(failure) = &outcome.kind else { continue };
            let reason = Reason::of(failure.kind);
            if reason != Reason::Assertion || self.options.checks.assertions {
                let evidence = Evidence::Failure((**failure).clone());
                return self.violated(reason, evidence, Some(event));
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
                self.violated(reason, Evidence::Stuck, None)
            }
            _ => ControlFlow::Continue(false),
        }
    }

    fn violated(
        &mut self,
        reason: Reason,
        evidence: Evidence,
        failed: Option<Event>,
    ) -> ControlFlow<Verdict, bool> {
        self.statistics.errors = 1;
        let patience = Patience { memory: None, ..self.budget.patience() };
        let trace = trace::of_events(self.generator.model, &self.initial, &self.events, failed, &patience);
        ControlFlow::Break(match trace {
            Ok(trace) => Verdict::Violated(Violation { reason, trace, evidence }),
            Err(stop) => Verdict::Unknown(stop),
        })
    }

    fn findings(mut self, verdict: Verdict) -> Findings {
        self.statistics.seconds = self.budget.seconds();
        self.statistics.state_bytes = 8 * self.initial.len() as u64;
        let executed = self.generator.successors.executed.take().unwrap_or_default();
        Findings { verdict, complete: false, statistics: self.statistics, executed }
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
