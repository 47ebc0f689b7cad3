//! Hash compaction: a set of the hashes of states.
//!
//! Two states with the same hash are taken for one, so a search may miss some. With 64 bits that is unlikely:
//! [`Shared::omission`] says how unlikely. The hashes are in the same kind of set as the pairs of the
//! compact store (`cleary_table.rs`), in slots of 64 bits.

use std::sync::Arc;

use crate::cleary_table::{ClearyTable, Home, Inserter, Stop, Tally, pair_of};
use crate::interner::hash;
use crate::memory::Budget;
use crate::permits::Permits;
use crate::section::{Alone, Grow, Seat, Section};
use crate::{Arrival, Full, Handle, Key, KeyBuffer, Limits, Shared, Worker};

/// A set of the hashes of states, for any number of threads. A state's handle is its hash.
pub struct HashCompact {
    root: ClearyTable,
    section: Section,
    budget: Budget,
    permits: Permits,
}

impl HashCompact {
    /// An empty store.
    pub fn new(limits: Limits) -> HashCompact {
        HashCompact {
            root: ClearyTable::new(),
            section: Section::new(),
            budget: Budget::new(limits.bytes),
            permits: Permits::new(limits.states),
        }
    }
}

impl Grow for HashCompact {
    fn perform(&self, task: usize, alone: &Alone) {
        self.root.grow(task, &self.budget, alone);
    }
}

impl Shared for HashCompact {
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(HashCompactWorker {
            store: self,
            seat: self.section.seat(),
            hashes: Vec::new(),
            homes: Vec::new(),
            tally: self.root.tally(),
        })
    }

    fn len(&self) -> u64 {
        self.root.len()
    }

    fn bytes(&self) -> u64 {
        self.budget.taken()
    }

    fn set_aside(&self, bytes: u64) {
        self.budget.set_aside(bytes);
    }

    fn omission(&self) -> Option<f64> {
        let n = self.len() as f64;
        Some((n * n / 2_f64.powi(65)).min(1.0))
    }
}

/// A thread's access to a set of hashes.
struct HashCompactWorker<'a> {
    store: &'a HashCompact,
    seat: Arc<Seat>,
    hashes: Vec<u64>,
    homes: Vec<Home>,
    tally: Tally,
}

impl HashCompactWorker<'_> {
    fn try_flush(&mut self, begin: usize, due: &mut bool, out: &mut Vec<Arrival>) -> Result<(), Stop> {
        let HashCompact { root, section, permits, .. } = self.store;
        let inside = &section.enter(&self.seat, self.store);
        self.homes.clear();
        for &hash in &self.hashes[out.len() - begin..] {
            let (left, right) = pair_of(Handle(hash));
            let home = root.home(left, right, inside);
            root.prefetch(&home, inside);
            self.homes.push(home);
        }
        permits.insert_all(&self.homes, &mut Inserter { root, inside, tally: &mut self.tally, due }, out)
    }
}

impl Worker for HashCompactWorker<'_> {
    fn keeps(&self) -> bool {
        false
    }

    fn open(&mut self, _: Handle, _: &mut KeyBuffer) {}

    fn prefetch(&self, _: Handle) {}

    fn put(&mut self, state: Key<'_>) {
        let state = state.words();
        self.hashes.push(hash(state, state.len()));
    }

    fn n_waiting(&self) -> usize {
        self.hashes.len()
    }

    fn flush(&mut self, out: &mut Vec<Arrival>) -> Result<(), Full> {
        let HashCompact { root, section, budget, .. } = self.store;
        let begin = out.len();
        let mut due = false;
        let result = loop {
            let grown = match self.try_flush(begin, &mut due, out) {
                Ok(()) => break Ok(()),
                Err(stop) => root.unblock(stop, section, budget, self.store),
            };
            if let Err(full) = grown {
                break Err(full);
            }
        };
        self.hashes.clear();
        if due {
            root.grow_due(section, self.store);
        }
        result
    }

    fn flag(&mut self, handle: Handle) -> bool {
        let inside = self.store.section.enter(&self.seat, self.store);
        self.store.root.flag_handle(handle, &inside)
    }

    fn is_flagged(&mut self, handle: Handle) -> bool {
        let inside = self.store.section.enter(&self.seat, self.store);
        self.store.root.is_flagged(handle, &inside)
    }
}

impl Drop for HashCompactWorker<'_> {
    fn drop(&mut self) {
        self.store.section.give_up(&self.seat);
    }
}
