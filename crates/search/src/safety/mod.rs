//! Visiting a state when the question is about finite runs: assertions, ends, runtime errors.
//!
//! What is found wrong is noted; whether to stop is the driver's decision. The drivers `dfs`, `bfs`, `layers`, `reach`
//! and `guided` decide the order of the states and nothing else. `walk` is not one of them: it has no store.
//!
//! `reach` and `layers` insert the successors of several states at a time if nothing is left out. The number of
//! successors of one state cannot be predicted, neither by this code nor by the processor; in a batch the latencies of
//! memory overlap, and loops are long. A search with reduction inserts the successors of a state before it turns to the
//! next one, because the proviso asks where a subset leads.

pub mod bfs;
pub mod dfs;
pub mod guided;
pub mod layers;
pub mod probe;
#[cfg(test)]
mod probe_tests;
pub mod reach;
pub mod walk;
#[cfg(test)]
mod walk_tests;
pub mod watch;
#[cfg(test)]
mod watch_tests;

use std::ops::Range;

use model::{End, Failure, Model, OutcomeKind};

use store::{Arrival, Handle, Key, Shared};

use crate::kernel::trace::{self, Event};
use crate::kernel::{self, Expander, Kernel, proviso::Proviso};
use crate::safety::probe::Probe;
use crate::safety::watch::{Watcher, Watching};
use crate::visited;
use crate::{Evidence, Findings, Options, Reason, StopReason, Verdict, Violation};

/// A violation, without its trace.
#[derive(Clone, Debug)]
pub struct Found {
    /// The state from which it happens.
    pub state: Handle,
    pub reason: Reason,
    /// What happened, and how it failed. Without it the state itself is the violation.
    pub failed: Option<(Event, Failure)>,
}

/// What has become of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Its successors are in [`Safety::arrivals`].
    Expanded,
    /// It has successors, but the depth limit forbids to go there.
    CutOff,
}

/// A search for violations by finite runs.
pub struct Safety<'a> {
    kernel: Kernel<'a>,
    options: &'a Options,
    /// The first violation at the state visited last.
    pub found: Option<Found>,
    /// What is asked about the states, if anything is.
    watcher: Option<Watcher<'a>>,
    /// Walks beside the search.
    probe: Probe<'a>,
}

/// Stores outcomes as they are. It is said what is a state to which the search comes back.
struct AsTheyAre<F>(F);

impl<F: Fn(&Arrival) -> bool> Expander for AsTheyAre<F> {
    type Halt = StopReason;

    fn announce(&mut self, kernel: &mut Kernel<'_>) -> Result<(), StopReason> {
        kernel.announce_all();
        Ok(())
    }

    fn closes_cycle(&self, arrival: &Arrival) -> bool {
        (self.0)(arrival)
    }
}

/// Explores from the initial state on, with a store that numbers its states.
pub fn with_numbers(
    model: &dyn Model,
    options: &Options,
    watching: Option<&Watching>,
    explore: impl FnOnce(Safety<'_>) -> Findings,
) -> Findings {
    let set = visited::numbered(model, options);
    match Safety::start(model, options, &*set) {
        Ok(finite) => explore(finite.watching(watching)),
        Err(findings) => *findings,
    }
}

impl<'a> Safety<'a> {
    /// Stores the initial state. If it cannot be computed or stored, the search is over.
    pub fn start(
        model: &'a dyn Model,
        options: &'a Options,
        set: &'a dyn Shared,
    ) -> Result<Safety<'a>, Box<Findings>> {
        let kernel = kernel::start(model, options, set, &[])?;
        Ok(Safety { kernel, options, found: None, watcher: None, probe: Probe::of(options) })
    }

    /// The same search, which answers questions about the states.
    pub fn watching(mut self, watching: Option<&'a Watching>) -> Safety<'a> {
        self.watcher = watching.map(Watcher::new);
        self
    }

    /// The same search, with other walks beside it.
    fn probed(self, probe: Probe<'a>) -> Safety<'a> {
        Safety { probe, ..self }
    }

    /// One more for the same search, for another thread.
    pub fn another(&self) -> Safety<'a> {
        let watcher = self.watcher.as_ref().map(Watcher::another);
        let kernel = self.kernel.another(self.options);
        Safety { kernel, options: self.options, found: None, watcher, probe: Probe::off() }
    }

    /// Visits a state that lies `depth` steps from the initial one. `memory` is what the driver
    /// itself takes; `closes_cycle` says to which states it comes back, as [`crate::kernel::proviso`] has it.
    pub fn visit(
        &mut self,
        state: impl Into<Handle>,
        depth: u64,
        memory: u64,
        closes_cycle: impl Fn(&Arrival) -> bool,
    ) -> Result<Visit, StopReason> {
        let state = state.into();
        self.kernel.arrivals.forget_arrivals();
        if !self.is_reduced() && depth < self.options.limits.depth {
            self.expand(state, depth, memory)?;
            return self.kernel.arrive().map(|()| Visit::Expanded);
        }
        self.open(state, depth, memory)?;
        self.kernel.list();
        if self.kernel.generator.actions.list.is_empty() {
            self.check_end(state);
            return Ok(Visit::Expanded);
        }
        if depth >= self.options.limits.depth {
            return Ok(Visit::CutOff);
        }
        if depth + 1 < self.options.limits.depth {
            // Otherwise what comes next is not visited now: depth-first, it may be so on a shorter
            // way, when the search has left this state and does not come back to it any more.
            self.kernel.propose();
        }
        let expanded = self.kernel.expand_enough(&mut AsTheyAre(closes_cycle));
        if !self.kernel.generator.successors.abandoned {
            self.note_failures(state);
        }
        expanded.map(|()| Visit::Expanded)
    }

    /// Turns to a state, and looks at it.
    fn open(&mut self, state: Handle, depth: u64, memory: u64) -> Result<(), StopReason> {
        self.found = None;
        let told = self.watcher.as_ref().map_or(0, |watcher| watcher.bytes);
        if self.kernel.tick(depth, memory + told)? {
            self.pause()?;
        }
        self.kernel.open(state);
        if let Some(watcher) = &mut self.watcher {
            watcher.look(self.kernel.generator.model, self.kernel.state());
        }
        Ok(())
    }

    /// Gives the walks beside the search their turn.
    fn pause(&mut self) -> Result<(), StopReason> {
        let watching = self.watcher.as_ref().map(Watcher::watching);
        let n_transitions = self.n_states() + self.kernel.meter.statistics.matched;
        self.probe.look(n_transitions, (self.kernel.generator.model, self.options, watching))
    }

    /// Tells the way to the state visited last, in case it answers a question. True if all are answered.
    pub fn answer(&mut self, path: impl FnOnce() -> Vec<Handle>) -> bool {
        self.watcher.as_mut().is_some_and(|watcher| watcher.answer(path))
    }

    /// How far a state seems to be from what is asked for.
    pub fn distance(&self, state: &[u64]) -> u64 {
        self.watcher.as_ref().map_or(0, |watcher| watcher.distance(self.kernel.generator.model, state))
    }

    /// Turns to a state whose words are known, to visit it.
    pub fn turn_to(&mut self, state: Handle, words: &[u64]) {
        self.kernel.arrivals.turn_to(state, words);
    }

    /// Adds the words of a stored state to some others.
    pub fn read(&mut self, state: Handle, words: &mut Vec<u64>) {
        self.kernel.open(state);
        words.extend_from_slice(self.kernel.state());
    }

    /// Whether states can be had back from the store.
    pub fn keeps(&self) -> bool {
        self.kernel.arrivals.keeps
    }

    /// The new ones among the states that arrived last, with the numbers of their families and their keys.
    pub fn newcomers(&self) -> impl Iterator<Item = (usize, Handle, Key<'_>)> {
        self.kernel.newcomers()
    }

    /// How many families are announced since the last time that states arrived.
    pub fn n_families(&self) -> usize {
        self.kernel.arrivals.n_families()
    }

    /// Visits a state as [`Safety::visit`], but leaves nothing out, and does not wait for where it leads:
    /// [`Safety::arrive_new`] tells that for several states at once. Says how many states it leads to.
    pub fn expand(&mut self, state: Handle, depth: u64, memory: u64) -> Result<usize, StopReason> {
        self.open(state, depth, memory)?;
        if !self.kernel.expand()? {
            self.check_end(state);
        }
        let n_announced = self.kernel.announce_all();
        self.note_failures(state);
        Ok(n_announced)
    }

    /// Whether [`Safety::expand_plainly`] may be asked: nobody wants to look at the states.
    pub fn may_be_plain(&self) -> bool {
        self.watcher.is_none() && self.keeps()
    }

    /// Visits several states as [`Safety::expand`] does, as far as that is easy: [`Safety::announce_plainly`] says of
    /// each whether it was. The deepest is `depth` steps from the initial one.
    pub fn expand_plainly(
        &mut self,
        words: &[u64],
        places: &[Range<usize>],
        depth: u64,
        memory: u64,
    ) -> Result<(), StopReason> {
        self.found = None;
        if self.kernel.tick_all(places.len(), depth, memory)? {
            self.pause()?;
        }
        self.kernel.expand_plainly(words, places);
        Ok(())
    }

    /// Announces where a state leads: to so many states. If it is none, [`Safety::expand`] knows more.
    pub fn announce_plainly(&mut self, at: usize, state: Handle, place: &Range<usize>) -> usize {
        self.kernel.announce_plainly(at, state, place)
    }

    /// Says that the expansion of a state begins.
    pub fn begin(&mut self, state: Handle) {
        self.kernel.arrivals.begin(state);
    }

    /// Has the memory fetched that is needed to expand a state.
    pub fn prefetch(&self, state: Handle) {
        self.kernel.arrivals.prefetch(state);
    }

    /// Inserts where the states expanded since the last time lead: [`Safety::newcomers`] says which are new.
    pub fn arrive_new(&mut self) -> Result<(), StopReason> {
        self.kernel.arrive_new()
    }

    /// Nothing can happen in the state opened last.
    fn check_end(&mut self, state: Handle) {
        if let Some(reason) = self.options.checks.stuck
            && self.kernel.generator.model.end(self.kernel.state()) == End::Invalid
        {
            self.violated(Found { state, reason, failed: None });
        }
    }

    fn note_failures(&mut self, state: Handle) {
        for index in 0..self.kernel.generator.outcomes().len() {
            if let OutcomeKind::Failed(failure) = &self.kernel.generator.outcomes()[index].kind {
                let reason = Reason::of(failure.kind);
                if reason == Reason::Assertion && !self.options.checks.assertions {
                    continue;
                }
                let failure = Failure::clone(failure);
                if self.found.is_none() {
                    self.kernel.generator.identify();
                }
                let failed = Some((self.kernel.generator.events[index], failure));
                self.violated(Found { state, reason, failed });
            }
        }
    }

    fn violated(&mut self, found: Found) {
        if self
            .watcher
            .as_mut()
            .is_some_and(|watcher| watcher.note_wrong(found.reason, found.failed.as_ref()))
        {
            return;
        }
        if !self.has_enough() {
            self.kernel.meter.statistics.errors += 1;
        }
        self.found.get_or_insert(found);
    }

    /// The successors of the state visited last, in the model's order, the same one as often as it
    /// is reached.
    pub fn arrivals(&self) -> &[Arrival] {
        &self.kernel.arrivals.list
    }

    /// True if so many violations were found, or all questions answered, that the search is to stop.
    pub fn has_enough(&self) -> bool {
        self.options.stop_after.is_some_and(|enough| self.kernel.meter.statistics.errors >= enough)
            || self.watcher.as_ref().is_some_and(Watcher::is_done)
    }

    /// The number of violations found since the last time.
    pub fn take_errors(&mut self) -> u64 {
        std::mem::take(&mut self.kernel.meter.statistics.errors)
    }

    /// Takes over the number of violations that were found elsewhere.
    pub fn set_errors(&mut self, n_errors: u64) {
        self.kernel.meter.statistics.errors = n_errors;
    }

    /// After how many violations the search is to stop.
    pub fn stop_after(&self) -> Option<u64> {
        self.options.stop_after
    }

    /// With how many threads to search.
    pub fn n_threads(&self) -> usize {
        self.options.threads.max(1)
    }

    /// Whether something may be left out.
    pub fn is_reduced(&self) -> bool {
        self.kernel.generator.chooser.is_some()
    }

    /// The memory of the store.
    pub fn store_bytes(&self) -> u64 {
        self.kernel.arrivals.set.bytes()
    }

    /// The initial state.
    pub fn initial(&self) -> Handle {
        self.kernel.arrivals.initial
    }

    /// The words of the initial state.
    pub fn initial_words(&mut self) -> Vec<u64> {
        self.kernel.open_initial();
        self.kernel.state().to_vec()
    }

    /// Asks for something else than what the reduction needs.
    #[cfg(test)]
    pub fn ask_for(&mut self, proviso: Proviso) {
        self.kernel.ask_for(proviso);
    }

    /// Whether the driver, if it goes depth-first, has to know its path.
    pub fn needs_path(&self) -> bool {
        self.kernel.generator.chooser.as_ref().is_some_and(|chooser| chooser.proviso != Proviso::Nothing)
    }

    pub fn n_states(&self) -> u64 {
        self.kernel.arrivals.set.len()
    }

    /// Ends the search. `found` is the violation to report, with the states on the way to it.
    pub fn finish(mut self, found: Option<(Found, Vec<Handle>)>, stop: Option<StopReason>) -> Findings {
        if let Some(walked) = self.probe.found.take() {
            return self.finish_with(walked);
        }
        let verdict = match (found, stop) {
            (Some((found, path)), _) => {
                let event = found.failed.as_ref().map(|(event, _)| *event);
                let evidence =
                    found.failed.map_or(Evidence::Stuck, |(_, failure)| Evidence::Failure(failure));
                match trace::of_path(&mut self.kernel, &path, event) {
                    Ok(trace) => Verdict::Violated(Violation { reason: found.reason, trace, evidence }),
                    Err(stop) => Verdict::Unknown(stop),
                }
            }
            (None, Some(stop)) => Verdict::Unknown(stop),
            (None, None) if !self.keeps() => Verdict::Unknown(StopReason::LossyStore),
            (None, None) => Verdict::Holds,
        };
        let complete = stop.is_none() && !self.has_enough() && self.keeps();
        if let Some(watcher) = &self.watcher {
            let stop = stop.or((!self.keeps()).then_some(StopReason::LossyStore));
            watcher.watching().finish(&mut self.kernel, stop);
        }
        self.kernel.findings(verdict, complete)
    }

    /// Ends the search with what walks beside it have found.
    fn finish_with(mut self, walked: Findings) -> Findings {
        if let Some(watcher) = &self.watcher {
            watcher.watching().finish(&mut self.kernel, None);
        }
        let is_watched = self.watcher.is_some();
        let mut explored = self.kernel.findings(Verdict::Holds, false);
        explored.executed.unite(&walked.executed);
        match walked.verdict {
            // What was open is answered, by both together.
            Verdict::Holds => explored,
            verdict if is_watched => Findings { verdict, ..explored },
            _ => Findings { executed: explored.executed, ..walked },
        }
    }
}
