//! The compact store: about six bytes for a state.
//!
//! States become pairs of numbers (`rows.rs`), and a set holds the pairs (`root.rs`). A state's handle is
//! the pair itself, so it never changes, and it takes no search to get the state back.

use std::sync::Arc;

use crate::coder::Coder;
use crate::cut::Cut;
use crate::memory::Budget;
use crate::permits::Permits;
use crate::root::{Home, Inserter, Root, Stop, Tally, pair_of};
use crate::rows::{Host, Need, Rows};
use crate::section::{Alone, Grow, Seat, Section};
use crate::{Arrival, Family, Full, Handle, Limits, Shared, Worker};

/// How many entries a row has at most.
const FAN_OUT: usize = 16;

/// An exact set of states, compressed, for any number of threads.
pub struct Compact {
    rows: Rows,
    root: Root,
    section: Section,
    budget: Budget,
    permits: Permits,
}

impl Compact {
    /// An empty store, which cuts states as `cut` says.
    pub fn new(limits: Limits, cut: Cut) -> Compact {
        Compact::with_fan_out(limits, cut, FAN_OUT)
    }

    /// An empty store with a binary tree of rows: it shares more between states and is slower.
    pub fn binary(limits: Limits, cut: Cut) -> Compact {
        Compact::with_fan_out(limits, cut, 2)
    }

    /// An empty store whose rows have up to `fan_out` entries: from 2 to 16.
    pub fn with_fan_out(limits: Limits, cut: Cut, fan_out: usize) -> Compact {
        Compact {
            rows: Rows::new(cut, fan_out),
            root: Root::new(),
            section: Section::new(),
            budget: Budget::new(limits.bytes),
            permits: Permits::new(limits.states),
        }
    }
}

impl Grow for Compact {
    fn perform(&self, task: usize, alone: &Alone) {
        self.root.grow(task, &self.budget, alone);
    }
}

impl Host for Compact {
    fn rows(&self) -> &Rows {
        &self.rows
    }

    fn section(&self) -> &Section {
        &self.section
    }

    fn budget(&self) -> &Budget {
        &self.budget
    }
}

impl Shared for Compact {
    fn worker(&self) -> Box<dyn Worker + '_> {
        let seat = self.section.seat();
        Box::new(CompactWorker {
            store: self,
            seat,
            coder: Coder::new(),
            homes: Vec::new(),
            tally: Tally::new(),
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
}

/// A thread's access to a compact store.
struct CompactWorker<'a> {
    store: &'a Compact,
    seat: Arc<Seat>,
    coder: Coder,
    /// Where the pairs of the batch belong.
    homes: Vec<Home>,
    tally: Tally,
}

/// Why a flush has to leave the section before it is done.
enum Pause {
    Rows(Need),
    Root(Stop),
}

impl CompactWorker<'_> {
    /// Flushes until it is done or has to leave the section.
    fn try_flush(&mut self, begin: usize, due: &mut bool, out: &mut Vec<Arrival>) -> Result<(), Pause> {
        let Compact { rows, root, section, budget, permits } = self.store;
        let inside = &section.enter(&self.seat, self.store);
        let pairs = self.coder.resolve(rows, budget, inside).map_err(Pause::Rows)?;
        // Homes of an earlier stay inside may be wrong by now.
        self.homes.clear();
        self.homes.extend(pairs.iter().map(|&[left, right]| {
            let home = root.home(left, right, inside);
            root.prefetch(&home, inside);
            home
        }));
        let rest = &self.homes[out.len() - begin..];
        permits
            .insert_all(rest, &mut Inserter { root, inside, tally: &mut self.tally, due }, out)
            .map_err(Pause::Root)
    }
}

impl Worker for CompactWorker<'_> {
    fn keeps(&self) -> bool {
        true
    }

    fn open(&mut self, handle: Handle, out: &mut Vec<u64>) {
        let (left, right) = pair_of(handle);
        self.coder.open(&self.store.rows, left, right, out);
    }

    fn prefetch(&self, handle: Handle) {
        let (left, right) = pair_of(handle);
        self.coder.prefetch(&self.store.rows, left, right);
    }

    fn put(&mut self, state: &[u64]) {
        self.coder.put(state, self.store, &self.seat);
    }

    fn put_families(&mut self, parents: &[u64], children: &[u64], families: &[Family]) {
        self.coder.put_families(parents, children, families, self.store, &self.seat);
    }

    fn n_waiting(&self) -> usize {
        self.coder.n_waiting()
    }

    fn flush(&mut self, out: &mut Vec<Arrival>) -> Result<(), Full> {
        let Compact { root, section, budget, .. } = self.store;
        let begin = out.len();
        let mut due = false;
        let result = loop {
            let grown = match self.try_flush(begin, &mut due, out) {
                Ok(()) => break Ok(()),
                Err(Pause::Rows(need)) => self.store.grow_rows(need),
                Err(Pause::Root(stop)) => root.unblock(stop, section, budget, self.store),
            };
            if let Err(full) = grown {
                break Err(full);
            }
        };
        if due {
            root.grow_due(section, self.store);
        }
        result.and(self.coder.clear())
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

impl Drop for CompactWorker<'_> {
    fn drop(&mut self) {
        self.store.section.give_up(&self.seat);
    }
}
