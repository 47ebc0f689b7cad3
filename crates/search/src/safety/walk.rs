//! Random walks: runs from the initial state on which every step is drawn by lot.
//!
//! A walk keeps where it is and how it came there, and nothing else: it gets deep into spaces that are too large to be
//! stored. It never shows that something does not exist; it ends with a find or at a limit.
//!
//! Some goals are near, and a walk that has missed them goes astray; others are far. So walks are cut short after
//! lengths in the sequence of Luby, Sinclair and Zuckerman, by which all lengths get about the same time. A reduced
//! search draws from the subset that is proposed: towards a goal ([`por::Preserves::Goal`]) that never leaves a
//! shortest way out.

use std::ops::ControlFlow;

use model::{End, Model, OutcomeKind};

use crate::budget::Budget;
use crate::chooser::{Choice, Chooser};
use crate::safety::watch::{Watcher, Watching};
use crate::trace::{self, Event};
use crate::walker::Walker;
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
    let mut walker = Walker::new(model, options.seed);
    walker.successors.executed = Some(Default::default());
    walker.successors.patience = Some(budget.patience());
    let mut walks = Walks {
        model,
        options,
        walker,
        watcher: watching.map(Watcher::new),
        reduction: options.reduction.as_ref().and_then(|plan| Chooser::new(model, plan, options.patient)),
        budget,
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
    model: &'a dyn Model,
    options: &'a Options,
    walker: Walker<'a>,
    watcher: Option<Watcher<'a>>,
    reduction: Option<Chooser<'a>>,
    budget: Budget,
    initial: Vec<u64>,
    /// What has happened since the initial state.
    events: Vec<Event>,
    statistics: Statistics,
}

impl Walks<'_> {
    /// Walks from the initial state by so many states, unless the search is over before that.
    fn walk(&mut self, length: u64) -> ControlFlow<Verdict> {
        self.events.clear();
        self.walker.turn_to(&self.initial);
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
        let Some(watcher) = &mut self.watcher else { return ControlFlow::Continue(()) };
        watcher.look(self.model, &self.walker.state);
        let is_done = watcher.answer_by(|| trace::of_events(self.model, &self.initial, &self.events, None));
        if is_done { ControlFlow::Break(Verdict::Holds) } else { ControlFlow::Continue(()) }
    }

    /// Takes a step. False if the walk ends here.
    fn step(&mut self) -> ControlFlow<Verdict, bool> {
        self.walker.list();
        if self.walker.actions.list.is_empty() {
            return self.check_end();
        }
        let Some(action) = self.choose() else { return ControlFlow::Continue(false) };
        self.walker.fire(action);
        if self.walker.successors.abandoned {
            let stop = self.budget.check(0).err().unwrap_or(StopReason::Memory);
            return ControlFlow::Break(Verdict::Unknown(stop));
        }
        let event = |outcome: usize| Event { action: action as u32, outcome: outcome as u32 };
        for (at, outcome) in self.walker.successors.outcomes.iter().enumerate() {
            let OutcomeKind::Failed(failure) = &outcome.kind else { continue };
            let reason = Reason::of(failure.kind);
            if reason != Reason::Assertion || self.options.checks.assertions {
                let evidence = Evidence::Failure((**failure).clone());
                return self.violated(reason, evidence, Some(event(at)));
            }
        }
        let gone = self.walker.go().map(event);
        self.events.extend(gone);
        ControlFlow::Continue(gone.is_some())
    }

    /// Draws an action, by its position among all that are listed. Reduction may know that none leads anywhere.
    fn choose(&mut self) -> Option<usize> {
        let actions = &self.walker.actions;
        if let Some(reduction) = &mut self.reduction
            && reduction.is_worth_trying(actions)
        {
            reduction.look(&self.walker.state, actions);
            if reduction.first(actions) != Choice::Everything {
                let n_chosen = reduction.positions.len();
                return (n_chosen > 0).then(|| reduction.positions[self.walker.draw(n_chosen)] as usize);
            }
        }
        Some(self.walker.draw(self.walker.actions.list.len()))
    }

    /// Nothing can happen any more.
    fn check_end(&mut self) -> ControlFlow<Verdict, bool> {
        match self.options.checks.stuck {
            Some(reason) if self.model.end(&self.walker.state) == End::Invalid => {
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
        let trace = trace::of_events(self.model, &self.initial, &self.events, failed);
        ControlFlow::Break(Verdict::Violated(Violation { reason, trace, evidence }))
    }

    fn findings(mut self, verdict: Verdict) -> Findings {
        self.statistics.seconds = self.budget.seconds();
        self.statistics.state_bytes = 8 * self.initial.len() as u64;
        let executed = self.walker.successors.executed.take().unwrap_or_default();
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
