//! The compact store: about six bytes for a state.
//!
//! States become pairs of numbers (`rows.rs`), and a set holds the pairs (`root.rs`). A state's handle is
//! the pair itself, so it never changes, and it takes no search to get the state back.

use std::sync::Arc;

use crate::cut::Cut;
use crate::memory::Budget;
use crate::permits::Permits;
use crate::root::{Crowded, Home, Put, Root};
use crate::rows::{Coder, Host, Need, Rows};
use crate::section::{Alone, Grow, Inside, Seat, Section};
use crate::sync::pause;
use crate::{Arrival, Full, Handle, Limits, Shared, Worker};

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
    pub fn binary(limits: Limits) -> Compact {
        Compact::with_fan_out(limits, Cut::middle(), 2)
    }

    fn with_fan_out(limits: Limits, cut: Cut, fan_out: usize) -> Compact {
        Compact {
            rows: Rows::new(cut, fan_out),
            root: Root::new(),
            section: Section::new(),
            budget: Budget::new(limits.bytes),
            permits: Permits::new(limits.states),
        }
    }

    /// Grows the shards that are due. The caller is not inside.
    fn grow_due(&self) {
        let n_helpers = self.section.n_seats().saturating_sub(1);
        self.section.close(self, |alone| self.root.due(n_helpers, alone), |_| ());
    }

    /// Makes room for a pair that has found none. The caller is not inside.
    fn make_room(&self, crowded: Crowded) -> Result<(), Full> {
        let room = |alone: &Alone| self.root.make_room(crowded, &self.budget, alone);
        self.section.close(self, |_| Vec::new(), room)
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
        Box::new(CompactWorker { store: self, seat, coder: Coder::new(), homes: Vec::new() })
    }

    fn len(&self) -> u64 {
        self.root.len()
    }

    fn bytes(&self) -> u64 {
        self.budget.taken()
    }
}

/// A thread's access to a compact store.
struct CompactWorker<'a> {
    store: &'a Compact,
    seat: Arc<Seat>,
    coder: Coder,
    /// Where the pairs of the batch belong.
    homes: Vec<Home>,
}

/// Why a flush has to leave the section before it is done.
enum Stop {
    Rows(Need),
    Root(Crowded),
    Full(Full),
}

impl CompactWorker<'_> {
    /// Inserts the pairs from number `done` on.
    fn insert(
        &self,
        done: usize,
        inside: &Inside,
        due: &mut bool,
        out: &mut Vec<Arrival>,
    ) -> Result<(), Stop> {
        let permits = &self.store.permits;
        let n = (self.homes.len() - done) as u64;
        if permits.is_unlimited() {
            return self.insert_freely(done, inside, due, out).map(|_| ()).map_err(|(stop, _)| stop);
        }
        if permits.take_many(n) {
            let (result, n_new) = match self.insert_freely(done, inside, due, out) {
                Ok(n_new) => (Ok(()), n_new),
                Err((stop, n_new)) => (Err(stop), n_new),
            };
            permits.give_back(n - n_new);
            return result;
        }
        for home in &self.homes[done..] {
            out.push(self.insert_with_permit(home, inside, due)?);
        }
        Ok(())
    }

    /// Inserts the pairs from number `done` on, and counts the new ones.
    fn insert_freely(
        &self,
        done: usize,
        inside: &Inside,
        due: &mut bool,
        out: &mut Vec<Arrival>,
    ) -> Result<u64, (Stop, u64)> {
        let mut n_new = 0;
        for home in &self.homes[done..] {
            let handle = handle(home.left, home.right);
            match self.store.root.put(home, inside) {
                Put::New { due: is_due } => {
                    n_new += 1;
                    *due |= is_due;
                    out.push(Arrival { handle, is_new: true, flagged: false });
                }
                Put::Seen { flagged } => out.push(Arrival { handle, is_new: false, flagged }),
                Put::Full(crowded) => return Err((Stop::Root(crowded), n_new)),
            }
        }
        Ok(n_new)
    }

    /// Inserts one pair, near the limit.
    fn insert_with_permit(&self, home: &Home, inside: &Inside, due: &mut bool) -> Result<Arrival, Stop> {
        let handle = handle(home.left, home.right);
        let Compact { root, permits, .. } = self.store;
        let mut turns = 0;
        loop {
            if let Some(flagged) = root.find(home, inside) {
                return Ok(Arrival { handle, is_new: false, flagged });
            }
            if permits.take_one() {
                break;
            }
            // All states are counted that will ever be: nobody has a permit that might come back.
            if root.len() >= permits.limit() {
                return Err(Stop::Full(Full::States));
            }
            pause(turns);
            turns += 1;
        }
        let put = root.put(home, inside);
        if !matches!(put, Put::New { .. }) {
            permits.give_back(1);
        }
        match put {
            Put::New { due: is_due } => {
                *due |= is_due;
                Ok(Arrival { handle, is_new: true, flagged: false })
            }
            Put::Seen { flagged } => Ok(Arrival { handle, is_new: false, flagged }),
            Put::Full(crowded) => Err(Stop::Root(crowded)),
        }
    }

    /// Flushes until it is done or has to stop.
    fn try_flush(&mut self, begin: usize, due: &mut bool, out: &mut Vec<Arrival>) -> Result<(), Stop> {
        let store = self.store;
        let seat = self.seat.clone();
        let inside = store.section.enter(&seat, store);
        self.coder.resolve(&store.rows, &store.budget, &inside).map_err(Stop::Rows)?;
        // Homes of an earlier stay inside may be wrong by now.
        self.homes.clear();
        for (left, right) in self.coder.resolved() {
            let home = store.root.home(left, right, &inside);
            store.root.prefetch(&home, &inside);
            self.homes.push(home);
        }
        self.insert(out.len() - begin, &inside, due, out)
    }
}

impl Worker for CompactWorker<'_> {
    fn keeps(&self) -> bool {
        true
    }

    fn open(&mut self, handle: Handle, out: &mut Vec<u64>) {
        let (left, right) = halves(handle);
        self.coder.open(&self.store.rows, left, right, out);
    }

    fn prefetch(&self, handle: Handle) {
        let (left, right) = halves(handle);
        self.coder.prefetch(&self.store.rows, left, right);
    }

    fn put(&mut self, state: &[u64]) {
        self.coder.put(state, self.store, &self.seat);
    }

    fn n_waiting(&self) -> usize {
        self.coder.n_waiting()
    }

    fn flush(&mut self, out: &mut Vec<Arrival>) -> Result<(), Full> {
        if self.coder.n_waiting() == 0 {
            return Ok(());
        }
        let begin = out.len();
        let mut due = false;
        let result = loop {
            let stop = match self.try_flush(begin, &mut due, out) {
                Ok(()) => break Ok(()),
                Err(stop) => stop,
            };
            let grown = match stop {
                Stop::Rows(need) => self.store.grow_rows(need),
                Stop::Root(crowded) => self.store.make_room(crowded),
                Stop::Full(full) => Err(full),
            };
            if let Err(full) = grown {
                break Err(full);
            }
        };
        self.homes.clear();
        if due {
            self.store.grow_due();
        }
        result.and(self.coder.clear())
    }

    fn flag(&mut self, handle: Handle) -> bool {
        let (left, right) = halves(handle);
        let inside = self.store.section.enter(&self.seat, self.store);
        let home = self.store.root.home(left, right, &inside);
        let was_set = self.store.root.flag(&home, &inside);
        debug_assert!(was_set.is_some(), "only stored states have flags");
        was_set == Some(false)
    }

    fn is_flagged(&mut self, handle: Handle) -> bool {
        let (left, right) = halves(handle);
        let inside = self.store.section.enter(&self.seat, self.store);
        let home = self.store.root.home(left, right, &inside);
        self.store.root.find(&home, &inside) == Some(true)
    }
}

impl Drop for CompactWorker<'_> {
    fn drop(&mut self) {
        self.store.section.give_up(&self.seat);
    }
}

fn handle(left: u32, right: u32) -> Handle {
    Handle(u64::from(left) << 32 | u64::from(right))
}

fn halves(handle: Handle) -> (u32, u32) {
    ((handle.0 >> 32) as u32, handle.0 as u32)
}
