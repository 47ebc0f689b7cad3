//! The plain store: every state as it is.
//!
//! States are interned whole. Nothing is compressed, so nothing is lost where states have nothing in common;
//! it is also what the other stores are compared with. A state's handle is a number: with one worker and
//! states of one length they are 0, 1, 2, … in the order of insertion. Otherwise there are gaps, because
//! workers take numbers in blocks, for one length each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::interner::{Interner, N_CLASSES, Stock, Stop, hash, prefetch_slot};
use crate::memory::Budget;
use crate::permits::{Insert, Permits};
use crate::section::{Alone, Grow, Inside, Seat, Section};
use crate::{Arrival, Full, Handle, Key, KeyBuffer, Limits, Shared, Worker};

/// An exact set of states, as they are, for any number of threads.
pub struct Table {
    states: Interner,
    n_states: AtomicU64,
    section: Section,
    budget: Budget,
    permits: Permits,
}

impl Table {
    /// An empty store.
    pub fn new(limits: Limits) -> Table {
        Table {
            states: Interner::with_flags(u32::MAX - 1),
            n_states: AtomicU64::new(0),
            section: Section::new(),
            budget: Budget::new(limits.bytes),
            permits: Permits::new(limits.states),
        }
    }
}

impl Grow for Table {
    fn perform(&self, _: usize, _: &Alone) {}
}

impl Shared for Table {
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(TableWorker {
            store: self,
            seat: self.section.seat(),
            stock: Stock::default(),
            words: Vec::new(),
            staged: Vec::new(),
            slots: (0, 0),
        })
    }

    fn len(&self) -> u64 {
        self.n_states.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        self.budget.taken()
    }

    fn set_aside(&self, bytes: u64) {
        self.budget.set_aside(bytes);
    }
}

/// A thread's access to a plain store.
struct TableWorker<'a> {
    store: &'a Table,
    seat: Arc<Seat>,
    stock: Stock,
    /// The states that were put, one behind the other.
    words: Vec<u64>,
    staged: Vec<Staged>,
    /// Where slots are looked for: address and number.
    slots: (usize, usize),
}

/// A state that was put: its place among the words, and its hash.
struct Staged {
    first: usize,
    len: usize,
    hash: u64,
}

struct Inserter<'a> {
    store: &'a Table,
    words: &'a [u64],
    stock: &'a mut Stock,
    inside: &'a Inside<'a>,
}

impl Insert for Inserter<'_> {
    type Item = Staged;
    type Stop = Stop;

    fn find(&mut self, staged: &Staged) -> Option<Arrival> {
        let Table { states, .. } = self.store;
        let state = &self.words[staged.first..staged.first + staged.len];
        let id = states.find(state, staged.len, staged.hash, self.inside)?;
        Some(Arrival { handle: Handle(id.into()), is_new: false, flagged: states.is_flagged(id) })
    }

    fn put(&mut self, staged: &Staged) -> Result<Arrival, Stop> {
        let Table { states, budget, n_states, .. } = self.store;
        if staged.len >= N_CLASSES {
            return Err(Stop::Full(Full::Memory));
        }
        let state = &self.words[staged.first..staged.first + staged.len];
        let (id, is_new) = states
            .intern(state, staged.len, staged.hash, self.stock, budget, self.inside)
            .map_err(Stop::Short)?;
        if is_new {
            n_states.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Arrival { handle: Handle(id.into()), is_new, flagged: !is_new && states.is_flagged(id) })
    }

    fn n_stored(&self) -> u64 {
        self.store.len()
    }
}

impl TableWorker<'_> {
    /// Flushes until it is done or has to leave the section.
    fn try_flush(&mut self, begin: usize, out: &mut Vec<Arrival>) -> Result<(), Stop> {
        let store = self.store;
        let inside = &store.section.enter(&self.seat, store);
        self.slots = store.states.slots(inside);
        let rest = &self.staged[out.len() - begin..];
        for staged in rest {
            store.states.guess(staged.len, staged.len, staged.hash, inside);
        }
        let mut inserter = Inserter { store, words: &self.words, stock: &mut self.stock, inside };
        store.permits.insert_all(rest, &mut inserter, out)
    }
}

impl Worker for TableWorker<'_> {
    fn keeps(&self) -> bool {
        true
    }

    fn open(&mut self, handle: Handle, out: &mut KeyBuffer) {
        let id = handle.0 as u32;
        out.words.clear();
        out.words.resize(self.store.states.class(id), 0);
        self.store.states.read(id, &mut out.words);
    }

    fn prefetch(&self, handle: Handle) {
        let id = handle.0 as u32;
        self.store.states.prefetch_row(id, self.store.states.class(id));
    }

    fn put(&mut self, state: Key<'_>) {
        let state = state.words();
        let staged = Staged { first: self.words.len(), len: state.len(), hash: hash(state, state.len()) };
        prefetch_slot(self.slots, staged.hash);
        self.words.extend_from_slice(state);
        self.staged.push(staged);
    }

    fn n_waiting(&self) -> usize {
        self.staged.len()
    }

    fn flush(&mut self, out: &mut Vec<Arrival>) -> Result<(), Full> {
        let Table { states, section, budget, .. } = self.store;
        let begin = out.len();
        let result = loop {
            let grown = match self.try_flush(begin, out) {
                Ok(()) => break Ok(()),
                Err(stop) => states.unblock(stop, section, budget, self.store),
            };
            if let Err(full) = grown {
                break Err(full);
            }
        };
        self.staged.clear();
        self.words.clear();
        result
    }

    fn flag(&mut self, handle: Handle) -> bool {
        self.store.states.flag(handle.0 as u32)
    }

    fn is_flagged(&mut self, handle: Handle) -> bool {
        self.store.states.is_flagged(handle.0 as u32)
    }
}

impl Drop for TableWorker<'_> {
    fn drop(&mut self) {
        self.store.section.give_up(&self.seat);
    }
}
