//! The compact store: about six bytes for a state.
//!
//! States become pairs of numbers (`rows.rs`), and a set holds the pairs (`cleary_table.rs`). A state's handle is
//! the pair itself, so it never changes, and it takes no search to get the state back.

use std::sync::Arc;

use crate::cleary_table::{ClearyTable, Home, Inserter, Stop, Tally, handle_of, pair_of};
use crate::coder::Coder;
use crate::cut::Cut;
use crate::memory::Budget;
use crate::permits::Permits;
use crate::recent::Recent;
use crate::rows::{Host, Rows};
use crate::section::{Alone, Grow, Seat, Section};
use crate::{Arrival, Family, Full, Handle, Key, KeyBuffer, Keys, Limits, Newcomer, Shared, Worker};

/// How many entries a row has at most.
const FAN_OUT: usize = 16;

/// An exact set of states, compressed, for any number of threads.
pub struct Cleary {
    rows: Rows,
    root: ClearyTable,
    section: Section,
    budget: Budget,
    permits: Permits,
}

impl Cleary {
    /// An empty store, which cuts states as `cut` says.
    pub fn new(limits: Limits, cut: Cut) -> Cleary {
        Cleary::with_fan_out(limits, cut, FAN_OUT)
    }

    /// An empty store with a binary tree of rows: it shares more between states and is slower.
    pub fn binary(limits: Limits, cut: Cut) -> Cleary {
        Cleary::with_fan_out(limits, cut, 2)
    }

    /// An empty store whose rows have up to `fan_out` entries: from 2 to 16.
    pub fn with_fan_out(limits: Limits, cut: Cut, fan_out: usize) -> Cleary {
        Cleary {
            rows: Rows::new(cut, fan_out),
            root: ClearyTable::new(),
            section: Section::new(),
            budget: Budget::new(limits.bytes),
            permits: Permits::new(limits.states),
        }
    }
}

impl Grow for Cleary {
    fn perform(&self, task: usize, alone: &Alone) {
        self.root.grow(task, &self.budget, alone);
    }
}

impl Host for Cleary {
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

impl Shared for Cleary {
    fn worker(&self) -> Box<dyn Worker + '_> {
        let seat = self.section.seat();
        Box::new(ClearyWorker {
            store: self,
            seat,
            coder: Coder::new(&self.budget),
            chosen: Vec::new(),
            homes: Vec::new(),
            arrivals: Vec::new(),
            recent: Recent::new(),
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
}

/// A thread's access to a compact store.
struct ClearyWorker<'a> {
    store: &'a Cleary,
    seat: Arc<Seat>,
    coder: Coder,
    /// Which pairs of the batch have to be looked for, where these belong, and what has become of them.
    chosen: Vec<u32>,
    homes: Vec<Home>,
    arrivals: Vec<Arrival>,
    recent: Recent,
    tally: Tally,
}

impl ClearyWorker<'_> {
    /// Numbers the halves of everything put.
    fn resolve(&mut self) -> Result<(), Full> {
        loop {
            let inside = self.store.section.enter(&self.seat, self.store);
            let Err(need) = self.coder.resolve(&self.store.rows, &self.store.budget, &inside) else {
                return Ok(());
            };
            drop(inside);
            self.store.grow_rows(need)?;
        }
    }

    /// Has all pairs looked for.
    fn choose_all(&mut self) {
        self.chosen.clear();
        self.chosen.extend(0..self.coder.pairs().len() as u32);
    }

    /// Has those pairs looked for that did not come lately.
    fn choose_unknown(&mut self) {
        // Which of them are known cannot be foreseen, so it is computed with instead of branched on.
        let pairs = self.coder.pairs();
        self.chosen.resize(pairs.len(), 0);
        let mut n = 0;
        for (number, &[left, right]) in pairs.iter().enumerate() {
            self.chosen[n] = number as u32;
            n += usize::from(!self.recent.meet(handle_of(left, right).0));
        }
        self.chosen.truncate(n);
    }

    /// Inserts the pairs that were put, of which those that are not chosen are known to be in the set, or come behind
    /// an equal one that is. Says how many have arrived: all in front of the first that cannot be inserted.
    fn insert(&mut self, choose: fn(&mut Self)) -> (usize, Result<(), Full>) {
        self.arrivals.clear();
        if let Err(full) = self.resolve() {
            return (0, Err(full));
        }
        choose(self);
        let result = self.insert_chosen();
        if result.is_err() {
            self.recent.clear();
        }
        let behind = self.chosen.get(self.arrivals.len()).map(|&number| number as usize);
        (behind.unwrap_or(self.coder.pairs().len()), result)
    }

    /// Inserts those of the chosen pairs that have not arrived, until it is done or has to leave the section.
    fn try_insert(&mut self, due: &mut bool) -> Result<(), Stop> {
        let Cleary { root, section, permits, .. } = self.store;
        let inside = &section.enter(&self.seat, self.store);
        // Homes of an earlier stay inside may be wrong by now.
        self.homes.clear();
        let pairs = self.coder.pairs();
        self.homes.extend(self.chosen[self.arrivals.len()..].iter().map(|&number| {
            let [left, right] = pairs[number as usize];
            let home = root.home(left, right, inside);
            root.prefetch(&home, inside);
            home
        }));
        let mut inserter = Inserter { root, inside, tally: &mut self.tally, due };
        permits.insert_all(&self.homes, &mut inserter, &mut self.arrivals)
    }

    /// Inserts the chosen pairs.
    fn insert_chosen(&mut self) -> Result<(), Full> {
        let Cleary { root, section, budget, .. } = self.store;
        let mut due = false;
        let result = loop {
            match self.try_insert(&mut due) {
                Ok(()) => break Ok(()),
                Err(stop) => {
                    if let Err(full) = root.unblock(stop, section, budget, self.store) {
                        break Err(full);
                    }
                }
            }
        };
        if due {
            root.grow_due(section, self.store);
        }
        result
    }
}

impl Worker for ClearyWorker<'_> {
    fn keeps(&self) -> bool {
        true
    }

    fn open(&mut self, handle: Handle, out: &mut KeyBuffer) {
        let (left, right) = pair_of(handle);
        self.coder.open(&self.store.rows, left, right, out);
    }

    fn prefetch(&self, handle: Handle) {
        let (left, right) = pair_of(handle);
        self.coder.prefetch(&self.store.rows, left, right);
    }

    fn put(&mut self, state: Key<'_>) {
        self.coder.put(state, self.store, &self.seat);
    }

    fn put_families(&mut self, parents: Keys<'_>, children: Keys<'_>, families: &[Family]) {
        self.coder.put_families(parents, children, families, self.store, &self.seat);
    }

    fn n_waiting(&self) -> usize {
        self.coder.n_waiting()
    }

    fn flush(&mut self, out: &mut Vec<Arrival>) -> Result<(), Full> {
        let (_, result) = self.insert(Self::choose_all);
        out.append(&mut self.arrivals);
        result.and(self.coder.clear())
    }

    fn flush_new(&mut self, out: &mut Vec<Newcomer>) -> (usize, Result<(), Full>) {
        let (n_arrived, result) = self.insert(Self::choose_unknown);
        // Which of them are new cannot be foreseen, either.
        let mut n = out.len();
        out.resize(n + self.arrivals.len(), Newcomer::default());
        for (arrival, &number) in self.arrivals.iter().zip(&self.chosen) {
            out[n] = Newcomer { number, handle: arrival.handle };
            n += usize::from(arrival.is_new);
        }
        out.truncate(n);
        (n_arrived, result.and(self.coder.clear()))
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

impl Drop for ClearyWorker<'_> {
    fn drop(&mut self) {
        self.store.section.give_up(&self.seat);
    }
}
