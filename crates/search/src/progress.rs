//! How far a search is, for those who watch it from another thread.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that the search writes from time to time and anybody may read.
///
/// All accesses are relaxed: the numbers are for people, and no other memory depends on them.
#[derive(Debug, Default)]
pub struct Progress {
    states: AtomicU64,
    transitions: AtomicU64,
    depth: AtomicU64,
    bytes: AtomicU64,
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
    /// Sets the counters.
    pub fn publish(&self, sample: Sample) {
        self.states.store(sample.states, Ordering::Relaxed);
        self.transitions.store(sample.transitions, Ordering::Relaxed);
        self.depth.store(sample.depth, Ordering::Relaxed);
        self.bytes.store(sample.bytes, Ordering::Relaxed);
    }

    /// Reads the counters.
    pub fn sample(&self) -> Sample {
        Sample {
            states: self.states.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}
