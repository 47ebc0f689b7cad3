//! How far a search is, for those who watch it from another thread.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::budget::Growth;

/// Counters that the threads of a search write from time to time and anybody may read.
///
/// All accesses are relaxed: no other memory depends on the numbers.
#[derive(Debug, Default)]
pub struct Progress {
    states: AtomicU64,
    matched: AtomicU64,
    depth: AtomicU64,
    store: AtomicU64,
    memory: AtomicU64,
    pub(crate) growth: Growth,
}

/// The counters at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// States stored.
    pub states: u64,
    /// Arrivals at states.
    pub transitions: u64,
    /// The greatest depth so far.
    pub depth: u64,
    /// Memory of the search and its store.
    pub bytes: u64,
}

impl Progress {
    /// Forgets an earlier search.
    pub(crate) fn reset(&self) {
        for counter in [&self.states, &self.matched, &self.depth, &self.store, &self.memory] {
            counter.store(0, Ordering::Relaxed);
        }
        self.growth.reset();
    }

    /// Adds what a thread has to tell since the last time: matches, and memory, which may have become
    /// less (the sum wraps around).
    pub(crate) fn add(&self, matched: u64, memory: u64) {
        self.matched.fetch_add(matched, Ordering::Relaxed);
        self.memory.fetch_add(memory, Ordering::Relaxed);
    }

    /// Sets what is known of the search as a whole. Gives back the memory of all threads and the store.
    pub(crate) fn publish(&self, states: u64, depth: u64, store: u64) -> u64 {
        self.states.store(states, Ordering::Relaxed);
        self.depth.fetch_max(depth, Ordering::Relaxed);
        self.store.store(store, Ordering::Relaxed);
        store.saturating_add(self.memory.load(Ordering::Relaxed))
    }

    /// The memory of all threads, as far as they have told.
    pub(crate) fn memory(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    /// Reads the counters.
    pub fn sample(&self) -> Sample {
        let states = self.states.load(Ordering::Relaxed);
        Sample {
            states,
            transitions: states.saturating_add(self.matched.load(Ordering::Relaxed)),
            depth: self.depth.load(Ordering::Relaxed),
            bytes: self.store.load(Ordering::Relaxed).saturating_add(self.memory.load(Ordering::Relaxed)),
        }
    }
}
