//! Visiting a state when the question is about finite runs: assertions, ends, runtime errors.
//!
//! What is found wrong is noted; whether to stop is the driver's decision.

use model::{End, Failure, Model, OutcomeKind};

use crate::explore::Explorer;
use crate::trace::Event;
use crate::{Evidence, Findings, Options, Reason, StopReason, Verdict, Violation};
use crate::{explore, trace};

/// A violation, without its trace.
#[derive(Clone, Debug)]
pub struct Found {
    /// The state from which it happens.
    pub state: u32,
    pub reason: Reason,
    /// What happened, and how it failed. Without it the state itself is the violation.
    pub failed: Option<(Event, Failure)>,
}

/// What has become of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Its successors are in [`Finite::arrivals`].
    Expanded,
    /// It has successors, but the depth limit forbids to go there.
    CutOff,
}

/// A search for violations by finite runs.
pub struct Finite<'a> {
    explorer: Explorer<'a>,
    /// The first violation at the state visited last.
    pub found: Option<Found>,
}

impl<'a> Finite<'a> {
    /// Stores the initial state. If it cannot be computed or stored, the search is over.
    pub fn start(model: &'a dyn Model, options: &'a Options) -> Result<Finite<'a>, Box<Findings>> {
        let explorer = explore::start(model, options, &[])?;
        Ok(Finite { explorer, found: None })
    }

    /// Visits a state that lies `depth` steps from the initial one. `memory` is what the driver
    /// itself takes; `comes_back` says to which states it comes back, as [`crate::proviso`] has it.
    pub fn visit(
        &mut self,
        id: u32,
        depth: u64,
        memory: u64,
        comes_back: impl Fn(u32) -> bool,
    ) -> Result<Visit, StopReason> {
        let explorer = &mut self.explorer;
        explorer.arrivals.clear();
        self.found = None;
        explorer.tick(depth, memory)?;
        explorer.list(id, 0);
        if explorer.actions.list.is_empty() {
            if let Some(reason) = explorer.options.checks.stuck
                && explorer.model.end(explorer.store.get(id)) == End::Invalid
            {
                self.violated(Found { state: id, reason, failed: None });
            }
            return Ok(Visit::Expanded);
        }
        if depth >= explorer.options.limits.depth {
            return Ok(Visit::CutOff);
        }
        if depth + 1 < explorer.options.limits.depth {
            // Otherwise what comes next is not visited now: depth-first, it may be so on a shorter
            // way, when the search has left this state and does not come back to it any more.
            explorer.propose(id, 0);
        }
        loop {
            self.explorer.fire(id, 0)?;
            self.announce_states();
            let arrived = self.explorer.arrive();
            if arrived.is_err() || self.explorer.is_enough(&comes_back) {
                self.note_failures(id);
                return arrived.map(|()| Visit::Expanded);
            }
        }
    }

    fn announce_states(&mut self) {
        for index in 0..self.explorer.successors.outcomes.len() {
            if let OutcomeKind::State(range) = &self.explorer.successors.outcomes[index].kind {
                let range = range.clone();
                self.explorer.announce(range, &[]);
            }
        }
    }

    fn note_failures(&mut self, id: u32) {
        for index in 0..self.explorer.successors.outcomes.len() {
            if let OutcomeKind::Failed(failure) = &self.explorer.successors.outcomes[index].kind {
                let reason = Reason::of(failure.kind);
                if reason == Reason::Assertion && !self.explorer.options.checks.assertions {
                    continue;
                }
                let failure = Failure::clone(failure);
                if self.found.is_none() {
                    self.explorer.identify();
                }
                let failed = Some((self.explorer.events[index], failure));
                self.violated(Found { state: id, reason, failed });
            }
        }
    }

    fn violated(&mut self, found: Found) {
        if !self.has_enough() {
            self.explorer.statistics.errors += 1;
        }
        self.found.get_or_insert(found);
    }

    /// The successors of the state visited last, in the model's order, the same one as often as it
    /// is reached.
    pub fn arrivals(&self) -> &[store::Insert] {
        &self.explorer.arrivals
    }

    /// True if so many violations were found that the search is to stop.
    pub fn has_enough(&self) -> bool {
        self.explorer.options.stop_after.is_some_and(|enough| self.explorer.statistics.errors >= enough)
    }

    /// Asks for something else than what the reduction needs.
    #[cfg(test)]
    pub fn ask_for(&mut self, proviso: crate::proviso::Proviso) {
        self.explorer.ask_for(proviso);
    }

    /// Whether the driver, if it goes depth-first, has to know its path.
    pub fn needs_path(&self) -> bool {
        self.explorer.needs_path()
    }

    pub fn n_states(&self) -> u64 {
        self.explorer.n_states()
    }

    /// Ends the search. `found` is the violation to report, with the states on the way to it.
    pub fn finish(self, found: Option<(Found, Vec<u32>)>, stop: Option<StopReason>) -> Findings {
        let verdict = match (found, stop) {
            (Some((found, path)), _) => {
                let event = found.failed.as_ref().map(|(event, _)| *event);
                let trace = trace::of_path(self.explorer.model, &*self.explorer.store, &path, event);
                let evidence =
                    found.failed.map_or(Evidence::Stuck, |(_, failure)| Evidence::Failure(failure));
                Verdict::Violated(Violation { reason: found.reason, trace, evidence })
            }
            (None, Some(stop)) => Verdict::Unknown(stop),
            (None, None) => Verdict::Holds,
        };
        let complete = stop.is_none() && !self.has_enough();
        self.explorer.findings(verdict, complete)
    }
}
