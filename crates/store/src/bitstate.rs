//! Bitstate hashing: a few bits for each state, in memory of a fixed size.
//!
//! A state sets `k` bits of one line of 64 bytes; it is taken for known if all of them were set. So one
//! access to memory is enough, for a little more error than bits all over the memory would make. The store
//! never grows and is never full: the fuller it becomes, the more states are missed.
//!
//! Whether a state is new is decided by looking at all its bits and setting them, and nobody else may set bits of
//! the line in between. Otherwise two threads with the same state could both find bits that are clear, and both
//! take it for new. No single bit could decide instead: that one is set may be due to the same state or to
//! another. So one bit of a line is its lock. It is needed only where a bit is clear: bits are never taken
//! away, so who finds all of them set need not keep others out.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::interner::hash;
use crate::memory::{Budget, Table, prefetch};
use crate::{Arrival, Full, Handle, Key, KeyBuffer, Shared, Worker, sync};

/// Words in a line.
const LINE: usize = 8;
/// The last bit of a line, in its last word: the lock. It belongs to no state.
const LOCK: u64 = 1 << 63;
/// Bits of a line that belong to states.
const BITS: u64 = 64 * LINE as u64 - 1;
/// Of so many states one is used to estimate how likely it is to be missed.
const SAMPLE: u64 = 64;

/// A set of bits, for any number of threads. A state's handle is its hash. Of all that put a state, at most one is
/// told that it is new: none, if it is missed.
pub struct Bitstate {
    bits: Table<sync::AtomicU64>,
    n_bits_per_state: u32,
    bytes: u64,
    n_states: AtomicU64,
    n_set: AtomicU64,
    /// How many states were missed, as expected, times 2^32.
    missed: AtomicU64,
    has_flags: AtomicBool,
}

impl Bitstate {
    /// An empty store of about so many bytes, with `k` bits for each state, 1 to 7.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub fn new(bytes: u64, k: u32) -> Result<Bitstate, Full> {
        let n_lines = usize::try_from(bytes / 64).map_err(|_| Full::Memory)?.max(1);
        let budget = Budget::new(u64::MAX);
        Ok(Bitstate {
            bits: Table::new(n_lines * LINE, &budget)?,
            n_bits_per_state: k.clamp(1, 7),
            bytes: budget.taken(),
            n_states: AtomicU64::new(0),
            n_set: AtomicU64::new(0),
            missed: AtomicU64::new(0),
            has_flags: AtomicBool::new(false),
        })
    }

    /// How many bits are set.
    pub fn n_set(&self) -> u64 {
        self.n_set.load(Ordering::Relaxed)
    }

    /// How many bits there are.
    pub fn n_bits(&self) -> u64 {
        (self.bits.len() / LINE) as u64 * BITS
    }

    /// How many states were missed, as estimated.
    pub fn expected_omissions(&self) -> f64 {
        self.missed.load(Ordering::Relaxed) as f64 / 2_f64.powi(32)
    }

    /// The line of a hash, and the word and bit of each of its bits there.
    fn places(&self, hash: u64) -> (&[sync::AtomicU64], impl Iterator<Item = (usize, u64)>) {
        let n_lines = (self.bits.len() / LINE) as u128;
        let line = ((u128::from(hash) * n_lines) >> 64) as usize * LINE;
        // The upper bits have chosen the line. These are other ones.
        let mut bits = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let places = (0..self.n_bits_per_state).map(move |_| {
            // What is left of the product chooses the next bit.
            let product = u128::from(bits) * u128::from(BITS);
            bits = product as u64;
            let bit = (product >> 64) as usize;
            (bit / 64, 1 << (bit % 64))
        });
        (&self.bits[line..line + LINE], places)
    }

    /// Sets the bits of a hash, all at once for everybody who does so. Says how many were clear.
    fn set(&self, hash: u64) -> u64 {
        if self.contains(hash) {
            return 0;
        }
        let (line, places) = self.places(hash);
        let lock = &line[LINE - 1];
        let mut round = 0;
        // The lock is free for whoever sets it. Acquire: what the last one set is seen.
        while lock.fetch_or(LOCK, Ordering::Acquire) & LOCK != 0 {
            sync::pause(round);
            round += 1;
        }
        let mut n_clear = 0;
        for (at, bit) in places {
            // Relaxed: nobody else writes here as long as the lock is set, but for the lock itself, which stays set.
            let word = line[at].load(Ordering::Relaxed);
            n_clear += u64::from(word & bit == 0);
            line[at].store(word | bit, Ordering::Relaxed);
        }
        // Somebody who waits may set the lock in between: it is set already, so nothing is lost.
        lock.store(lock.load(Ordering::Relaxed) & !LOCK, Ordering::Release);
        n_clear
    }

    /// Whether all bits of a hash are set.
    fn contains(&self, hash: u64) -> bool {
        let (line, mut places) = self.places(hash);
        places.all(|(at, bit)| line[at].load(Ordering::Acquire) & bit != 0)
    }

    /// The probability that a state that belongs where this one does would be missed now.
    fn risk(&self, hash: u64) -> f64 {
        let (line, _) = self.places(hash);
        let n_set = |(at, word): (usize, &sync::AtomicU64)| {
            let lock = if at == LINE - 1 { LOCK } else { 0 };
            (word.load(Ordering::Relaxed) & !lock).count_ones()
        };
        let n_set: u32 = line.iter().enumerate().map(n_set).sum();
        (f64::from(n_set) / BITS as f64).powi(self.n_bits_per_state as i32)
    }
}

/// What a flag is remembered by: bits of another hash.
fn flag_hash(handle: Handle) -> u64 {
    hash(&[handle.0], usize::MAX)
}

impl Shared for Bitstate {
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(BitstateWorker { store: self, hashes: Vec::new(), n_seen: 0 })
    }

    fn len(&self) -> u64 {
        self.n_states.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn omission(&self) -> Option<f64> {
        Some(1.0 - (-self.expected_omissions()).exp())
    }
}

/// A thread's access to a set of bits.
struct BitstateWorker<'a> {
    store: &'a Bitstate,
    hashes: Vec<u64>,
    n_seen: u64,
}

impl Worker for BitstateWorker<'_> {
    fn keeps(&self) -> bool {
        false
    }

    fn open(&mut self, _: Handle, _: &mut KeyBuffer) {}

    fn prefetch(&self, _: Handle) {}

    fn put(&mut self, state: Key<'_>) {
        let state = state.words();
        let hash = hash(state, state.len());
        let (line, _) = self.store.places(hash);
        prefetch(line.as_ptr() as usize);
        self.hashes.push(hash);
    }

    fn n_waiting(&self) -> usize {
        self.hashes.len()
    }

    fn flush(&mut self, out: &mut Vec<Arrival>) -> Result<(), Full> {
        let store = self.store;
        let has_flags = store.has_flags.load(Ordering::Acquire);
        let (mut n_new, mut n_set, mut missed) = (0, 0, 0.0);
        for hash in self.hashes.drain(..) {
            let risk = if self.n_seen.is_multiple_of(SAMPLE) { store.risk(hash) } else { 0.0 };
            let n_clear = store.set(hash);
            if n_clear > 0 {
                n_new += 1;
                n_set += n_clear;
                // Of the new states that came, some were missed: for each that was not, so many.
                missed += SAMPLE as f64 * risk / (1.0 - risk).max(1e-9);
                self.n_seen += 1;
            }
            let handle = Handle(hash);
            let flagged = has_flags && n_clear == 0 && store.contains(flag_hash(handle));
            out.push(Arrival { handle, is_new: n_clear > 0, flagged });
        }
        store.n_states.fetch_add(n_new, Ordering::Relaxed);
        store.n_set.fetch_add(n_set, Ordering::Relaxed);
        store.missed.fetch_add((missed * 2_f64.powi(32)) as u64, Ordering::Relaxed);
        Ok(())
    }

    fn flag(&mut self, handle: Handle) -> bool {
        self.store.has_flags.store(true, Ordering::Release);
        let n_clear = self.store.set(flag_hash(handle));
        self.store.n_set.fetch_add(n_clear, Ordering::Relaxed);
        n_clear > 0
    }

    fn is_flagged(&mut self, handle: Handle) -> bool {
        self.store.contains(flag_hash(handle))
    }
}
