//! A compressed store that numbers its states, for searches that keep something for each.
//!
//! As in the compact store, states become pairs of numbers (`rows.rs`). But the pairs are interned, so a
//! state's handle is a number again: with one worker they are 0, 1, 2, … in the order of insertion, with
//! several each takes numbers in blocks and there are gaps.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cleary_table::handle_of;
use crate::coder::Coder;
use crate::cut::Cut;
use crate::interner::{Interner, Stock, Stop, hash, prefetch_slot};
use crate::memory::Budget;
use crate::permits::{Insert, Permits};
use crate::rows::{Host, Need, Rows};
use crate::section::{Alone, Grow, Inside, Seat, Section};
use crate::{Arrival, Family, Full, Handle, Key, KeyBuffer, Keys, Limits, Shared, Worker};

const FAN_OUT: usize = 16;
/// All pairs are of the same class.
const PAIR: usize = 0;

/// An exact set of states, compressed and numbered, for any number of threads.
pub struct Numbered {
    rows: Rows,
    pairs: Interner,
    n_states: AtomicU64,
    section: Section,
    budget: Budget,
    permits: Permits,
}

impl Numbered {
    /// An empty store, which cuts states as `cut` says.
    pub fn new(limits: Limits, cut: Cut) -> Numbered {
        Numbered {
            rows: Rows::new(cut, FAN_OUT),
            pairs: Interner::with_flags(u32::MAX - 1),
            n_states: AtomicU64::new(0),
            section: Section::new(),
            budget: Budget::new(limits.bytes),
            permits: Permits::new(limits.states),
        }
    }
}

impl Grow for Numbered {
    fn perform(&self, _: usize, _: &Alone) {}
}

impl Host for Numbered {
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

impl Shared for Numbered {
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(NumberedWorker {
            store: self,
            seat: self.section.seat(),
            coder: Coder::new(&self.budget),
            stock: Stock::default(),
            families: Vec::new(),
            pairs: Vec::new(),
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

/// A thread's access to a dense store.
struct NumberedWorker<'a> {
    store: &'a Numbered,
    seat: Arc<Seat>,
    coder: Coder,
    stock: Stock,
    /// Families that are put, with pairs instead of numbers.
    families: Vec<Family>,
    /// The pairs of the batch, with their hashes.
    pairs: Vec<(u64, u64)>,
}

/// Why a flush has to leave the section before it is done.
enum Pause {
    Rows(Need),
    Pairs(Stop),
}

struct Inserter<'a> {
    store: &'a Numbered,
    stock: &'a mut Stock,
    inside: &'a Inside<'a>,
}

impl Insert for Inserter<'_> {
    type Item = (u64, u64);
    type Stop = Stop;

    fn find(&mut self, &(pair, hash): &(u64, u64)) -> Option<Arrival> {
        let Numbered { pairs, .. } = self.store;
        let id = pairs.find(&[pair], PAIR, hash, self.inside)?;
        Some(Arrival { handle: Handle(id.into()), is_new: false, flagged: pairs.is_flagged(id) })
    }

    fn put(&mut self, &(pair, hash): &(u64, u64)) -> Result<Arrival, Stop> {
        let Numbered { pairs, budget, n_states, .. } = self.store;
        let (id, is_new) =
            pairs.intern(&[pair], PAIR, hash, self.stock, budget, self.inside).map_err(Stop::Short)?;
        if is_new {
            n_states.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Arrival { handle: Handle(id.into()), is_new, flagged: !is_new && pairs.is_flagged(id) })
    }

    fn n_stored(&self) -> u64 {
        self.store.len()
    }
}

impl NumberedWorker<'_> {
    /// Flushes until it is done or has to leave the section.
    fn try_flush(&mut self, begin: usize, out: &mut Vec<Arrival>) -> Result<(), Pause> {
        let store = self.store;
        let inside = &store.section.enter(&self.seat, store);
        self.coder.resolve(&store.rows, &store.budget, inside).map_err(Pause::Rows)?;
        self.pairs.clear();
        let slots = store.pairs.slots(inside);
        for &[left, right] in self.coder.pairs() {
            let Handle(pair) = handle_of(left, right);
            let hash = hash(&[pair], PAIR);
            prefetch_slot(slots, hash);
            self.pairs.push((pair, hash));
        }
        let rest = &self.pairs[out.len() - begin..];
        for &(_, hash) in rest {
            store.pairs.guess(PAIR, 1, hash, inside);
        }
        let mut inserter = Inserter { store, stock: &mut self.stock, inside };
        store.permits.insert_all(rest, &mut inserter, out).map_err(Pause::Pairs)
    }
}

impl Worker for NumberedWorker<'_> {
    fn keeps(&self) -> bool {
        true
    }

    fn open(&mut self, handle: Handle, out: &mut KeyBuffer) {
        let pair = self.store.pairs.word(handle.0 as u32);
        self.coder.open(&self.store.rows, (pair >> 32) as u32, pair as u32, out);
    }

    fn prefetch(&self, handle: Handle) {
        self.store.pairs.prefetch_row(handle.0 as u32, 1);
    }

    fn put(&mut self, state: Key<'_>) {
        self.coder.put(state, self.store, &self.seat);
    }

    fn put_families(&mut self, parents: Keys<'_>, children: Keys<'_>, families: &[Family]) {
        let NumberedWorker { store, seat, coder, families: paired, .. } = self;
        paired.clear();
        paired.extend(families.iter().map(|family| {
            let has_parent = !family.words.is_empty();
            let pair = if has_parent { store.pairs.word(family.parent.0 as u32) } else { 0 };
            Family { parent: Handle(pair), ..family.clone() }
        }));
        coder.put_families(parents, children, paired, *store, seat);
    }

    fn n_waiting(&self) -> usize {
        self.coder.n_waiting()
    }

    fn flush(&mut self, out: &mut Vec<Arrival>) -> Result<(), Full> {
        let begin = out.len();
        let result = loop {
            let grown = match self.try_flush(begin, out) {
                Ok(()) => break Ok(()),
                Err(Pause::Rows(need)) => self.store.grow_rows(need),
                Err(Pause::Pairs(stop)) => {
                    self.store.pairs.unblock(stop, &self.store.section, &self.store.budget, self.store)
                }
            };
            if let Err(full) = grown {
                break Err(full);
            }
        };
        result.and(self.coder.clear())
    }

    fn flag(&mut self, handle: Handle) -> bool {
        self.store.pairs.flag(handle.0 as u32)
    }

    fn is_flagged(&mut self, handle: Handle) -> bool {
        self.store.pairs.is_flagged(handle.0 as u32)
    }
}

impl Drop for NumberedWorker<'_> {
    fn drop(&mut self) {
        self.store.section.give_up(&self.seat);
    }
}
