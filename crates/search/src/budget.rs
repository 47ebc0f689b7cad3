//! Limits, and when to look at them.
//!
//! The memory limit is that of the process. Stores count what they take before they take it, and searches report what
//! they have. The rest of the process (generated code, the allocator, threads) is what the operating system reports for
//! the process, less that. It is looked at from time to time, and the store is told how much of its limit is taken
//! (`store::Shared::set_aside`).
//!
//! What is measured differs from run to run. So a fixed share of the limit is set aside for the program before the search
//! begins (`check`, `engines/mod.rs`), and only growth beyond it counts. The size of a bitstate table, and the states
//! that a search on one thread has visited when memory ends, are the same each time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use model::{MemoryLimit, Patience};

use crate::StopReason;

/// How much a search may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory for the search and its store.
    pub memory: u64,
    /// Bytes of memory for the whole process, the search included. Without it, or where the memory of the
    /// process cannot be told, only what the search knows to be its own counts.
    pub process: Option<u64>,
    /// Time.
    pub time: Option<Duration>,
    /// Number of states.
    pub states: u64,
    /// Number of observable steps from the initial state.
    pub depth: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory: u64::MAX, process: None, time: None, states: u64::MAX, depth: u64::MAX }
    }
}

/// Whether the process has more memory than so many bytes.
pub fn process_exceeds(bytes: u64) -> bool {
    store::resident().is_some_and(|resident| resident > bytes)
}

/// Watches over the limits that are not the store's own.
pub(crate) struct Budget {
    started: Instant,
    deadline: Option<Instant>,
    memory: u64,
    /// What the whole process may have.
    process: Option<u64>,
    /// What the rest of the process had when the search began, if it is to be looked at.
    rest: Option<u64>,
    /// What the search had when that was looked at last, and when it is time to look again.
    looked_at: u64,
    next_look: u32,
    interrupt: Arc<AtomicBool>,
    ticks: u32,
}

/// Clock and memory are looked at once in so many states: reading the clock takes about as long as
/// visiting half a state.
const SAMPLE: u32 = 64;

/// The memory of the process is looked at once in so many states, and when the search has taken much more:
/// the system takes longer to answer than the clock.
const LOOK: u32 = 512 * SAMPLE;

/// So many bytes are much, be it of the search or of the rest of the process.
const MUCH: u64 = 1 << 20;

/// A search that takes less does not look, if the limit is far away: to give memory back takes time, too.
const LARGE: u64 = 32 << 20;

impl Budget {
    pub fn new(limits: &Limits, interrupt: Arc<AtomicBool>) -> Budget {
        let started = Instant::now();
        let deadline = limits.time.and_then(|time| started.checked_add(time));
        let rest = limits.process.map(|process| process.saturating_sub(limits.memory));
        Budget {
            started,
            deadline,
            memory: limits.memory,
            process: limits.process,
            rest,
            looked_at: 0,
            next_look: 0,
            interrupt,
            ticks: 0,
        }
    }

    /// Counts states. True if this is the time for [`Budget::check`].
    pub fn due(&mut self, n_states: usize) -> bool {
        let before = self.ticks;
        self.ticks = self.ticks.wrapping_add(n_states as u32);
        // Relaxed: the flag guards no other memory.
        before == 0 || before / SAMPLE != self.ticks / SAMPLE || self.interrupt.load(Ordering::Relaxed)
    }

    /// By how much the rest of the process was seen to have grown at most, by any thread: what generated code,
    /// the allocator and the threads take. `memory` is what the search takes, in all threads.
    ///
    /// The most counts, not the last: what the search has taken may come to be there only later, so the rest
    /// can seem to have shrunk.
    pub fn growth_of_rest(&mut self, memory: u64, seen: &Growth) -> u64 {
        let is_time = self.ticks.wrapping_sub(self.next_look) < u32::MAX / 2;
        let matters = memory >= self.memory / 4 || memory > LARGE;
        let is_due = matters && (is_time || memory.abs_diff(self.looked_at) > MUCH + memory / 64);
        if let Some(rest) = self.rest.filter(|_| is_due) {
            self.looked_at = memory;
            self.next_look = self.ticks.wrapping_add(LOOK);
            let resident = || store::resident().unwrap_or(0).saturating_sub(memory);
            seen.look(|| resident().saturating_sub(rest));
        }
        seen.most.load(Ordering::Relaxed)
    }

    /// Whether a limit is reached.
    pub fn check(&self, memory: u64) -> Result<(), StopReason> {
        if self.interrupt.load(Ordering::Relaxed) {
            Err(StopReason::Interrupted)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Err(StopReason::Time)
        } else if memory > self.memory {
            Err(StopReason::Memory)
        } else {
            Ok(())
        }
    }

    /// How long the model may work on one action, or an analysis before the search, if nothing is taken yet.
    pub fn patience(&self) -> Patience {
        let (interrupt, words) = (self.interrupt.clone(), self.n_words_left(0));
        let memory = self.process.map(|bytes| MemoryLimit { bytes, exceeded: process_exceeds });
        Patience { interrupt, deadline: self.deadline, words, memory }
    }

    /// How many words the model may fill, if so much memory is taken already.
    pub fn n_words_left(&self, memory: u64) -> Option<usize> {
        usize::try_from(self.memory.saturating_sub(memory) / 8).ok()
    }

    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

/// By how much the rest of the process has grown, as the threads have seen it.
///
/// All accesses are relaxed: no other memory depends on the numbers.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    most: AtomicU64,
    /// When all that was not in use had been given back.
    in_use: AtomicU64,
}

impl Growth {
    /// Forgets an earlier search.
    pub fn reset(&self) {
        self.most.store(0, Ordering::Relaxed);
        self.in_use.store(0, Ordering::Relaxed);
    }

    /// Takes down what somebody sees. If it is much more than before, perhaps it is not in use.
    fn look(&self, growth: impl Fn() -> u64) {
        let mut now = growth();
        if now > self.in_use.load(Ordering::Relaxed) + MUCH {
            store::trim();
            now = growth();
            self.in_use.store(now, Ordering::Relaxed);
        }
        self.in_use.fetch_min(now, Ordering::Relaxed);
        self.most.fetch_max(now, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks once, with a limit that leaves room for no search.
    fn growth(process: Option<u64>, memory: u64) -> u64 {
        let limits = Limits { process, memory: 0, ..Limits::default() };
        let mut budget = Budget::new(&limits, Arc::default());
        assert!(budget.due(1));
        budget.growth_of_rest(memory, &Growth::default())
    }

    #[test]
    fn the_rest_of_the_process_is_looked_at_if_it_is_limited() {
        assert_eq!(growth(None, 0), 0);
        let Some(resident) = store::resident() else { return };
        assert!(growth(Some(0), 0) > resident / 2);
        assert_eq!((growth(Some(1 << 40), 0), growth(Some(0), 1 << 40)), (0, 0));
    }

    #[test]
    fn the_most_that_was_seen_counts() {
        let seen = Growth::default();
        [5, 9, 3].into_iter().for_each(|bytes| seen.look(|| bytes * MUCH));
        assert_eq!(seen.most.into_inner(), 9 * MUCH);
        assert_eq!(seen.in_use.into_inner(), 3 * MUCH);
    }
}
