//! Limits, and when to look at them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use model::Patience;

use crate::StopReason;

/// How much a search may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory for the search and its store.
    pub memory: u64,
    /// Time.
    pub time: Option<Duration>,
    /// Number of states.
    pub states: u64,
    /// Number of observable steps from the initial state.
    pub depth: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory: u64::MAX, time: None, states: u64::MAX, depth: u64::MAX }
    }
}

/// Watches over the limits that are not the store's own.
pub(crate) struct Budget {
    started: Instant,
    deadline: Option<Instant>,
    memory: u64,
    interrupt: Arc<AtomicBool>,
    ticks: u32,
}

/// Clock and memory are looked at once in so many states: reading the clock takes about as long as
/// visiting half a state.
const SAMPLE: u32 = 64;

impl Budget {
    pub fn new(limits: &Limits, interrupt: Arc<AtomicBool>) -> Budget {
        let started = Instant::now();
        let deadline = limits.time.and_then(|time| started.checked_add(time));
        Budget { started, deadline, memory: limits.memory, interrupt, ticks: 0 }
    }

    /// Counts states. True if this is the time for [`Budget::check`].
    pub fn due(&mut self, n_states: usize) -> bool {
        let before = self.ticks;
        self.ticks = self.ticks.wrapping_add(n_states as u32);
        // Relaxed: the flag guards no other memory.
        before == 0 || before / SAMPLE != self.ticks / SAMPLE || self.interrupt.load(Ordering::Relaxed)
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

    /// How long the model may work on one action. `memory` is what is taken already.
    pub fn patience(&self, memory: u64) -> Patience {
        let words = usize::try_from(self.memory.saturating_sub(memory) / 8).ok();
        Patience { interrupt: self.interrupt.clone(), deadline: self.deadline, words }
    }

    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}
