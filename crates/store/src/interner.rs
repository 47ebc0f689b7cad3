//! Numbers for short sequences of words: equal sequences, equal numbers.
//!
//! The slots of a hash table hold 32 bits of the hash, the tag, and the number. A slot's position is
//! `tag * n_slots >> 32` and linear probing from there: the table has the order of the tags, so it
//! grows in one pass that does not look at the sequences, and to any size. Slots only go from free to
//! taken, all threads probe in the same order, and whoever comes second with a sequence meets the slot
//! of the first: so there is one number for each.
//!
//! The sequences are rows of an arena that never moves. A sequence has a *class*, which says how long it
//! is and tells it from equal words that mean something else. Numbers are given to workers in blocks,
//! of rows of one class: so a small table of blocks is enough to find a row, whatever lengths there are.
//! The slots are kept ahead of the blocks, so they never run full.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use crate::Full;
use crate::memory::{Budget, HUGE_PAGE, Reserve, Table, prefetch, prefetch_to_write};
use crate::section::{Alone, Grow, Guarded, Inside, Section};
use crate::sync::{AtomicU64, Mutex, Ordering, lock};

/// The numbers in a block, as a power of two.
const BLOCK_BITS: u32 = if cfg!(feature = "shuttle") { 1 } else { 6 };
const BLOCK: u32 = 1 << BLOCK_BITS;
/// From so many blocks on, a worker takes several at a time: it asks less often, and what is left over
/// does not matter any more.
const MANY_BLOCKS: u32 = 1 << 10;
const RUN_OF_BLOCKS: u32 = 16;
/// Rows of which a worker never takes more than one block.
const LONG: usize = 64;
/// The bits of a block's entry that hold the class; the others hold the place of the first row.
const CLASS_BITS: u32 = 26;
/// Classes are smaller than this.
pub(crate) const N_CLASSES: usize = 1 << CLASS_BITS;
/// The smallest number of slots.
const MIN_SLOTS: usize = if cfg!(feature = "shuttle") { 4 } else { 256 };
/// How many of 16 slots may be taken.
const MAX_LOAD: u64 = if cfg!(feature = "shuttle") { 12 } else { 13 };
/// The slots in a huge page.
const HUGE_SLOTS: usize = HUGE_PAGE / 8;
/// The most words that an arena has place for.
const ARENA: u64 = 1 << if cfg!(feature = "shuttle") { 12 } else { 36 };
/// So many times the size of a huge page are in small pages: of a huge one that is begun all is taken, which is much
/// where there are some million states, and up to this size small ones were measured to be as fast.
const N_SMALL: usize = 4;

/// A set of sequences with numbers from 0. Most are taken in the order of insertion; workers leave gaps.
pub(crate) struct Interner {
    slots: Guarded<Table<AtomicU64>>,
    arena: Reserve,
    blocks: Reserve,
    /// A bit for each number, if there are flags.
    flags: Option<Reserve>,
    supply: Mutex<Supply>,
    /// Numbers are smaller than this.
    max: u32,
}

/// What of the arena and of the blocks is given away.
#[derive(Default)]
struct Supply {
    n_blocks: u32,
    n_words: u64,
    arena_paid: u64,
    blocks_paid: u64,
    flags_paid: u64,
}

/// A worker's own numbers that are not used yet, for each class.
#[derive(Default)]
pub(crate) struct Stock {
    runs: Vec<Run>,
    /// Which of them was used last.
    last: usize,
}

struct Run {
    class: usize,
    next: u32,
    end: u32,
}

/// A number that a sequence may have. See [`Interner::guess`].
#[derive(Clone, Copy)]
pub(crate) struct Guess {
    id: u32,
    row: usize,
}

/// Why a sequence has got no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Short {
    /// There are too few slots: so many. See [`Interner::grow`].
    Slots(usize),
    /// There is no more memory, or there are no more numbers.
    Memory,
}

/// Why a sequence cannot be inserted.
pub(crate) enum Stop {
    Short(Short),
    Full(Full),
}

impl From<Full> for Stop {
    fn from(full: Full) -> Stop {
        Stop::Full(full)
    }
}

impl Interner {
    pub fn new(max: u32) -> Interner {
        Interner {
            slots: Guarded::new(Table::empty()),
            arena: Reserve::new(ARENA, N_SMALL),
            blocks: Reserve::new(u64::from(max >> BLOCK_BITS) + 1, N_SMALL),
            flags: None,
            supply: Mutex::new(Supply::default()),
            max,
        }
    }

    /// One with a flag for each number.
    pub fn with_flags(max: u32) -> Interner {
        Interner { flags: Some(Reserve::new(u64::from(max / 64) + 1, N_SMALL)), ..Interner::new(max) }
    }

    /// Sets the flag of a number. Says whether it was clear.
    pub fn flag(&self, id: u32) -> bool {
        let bit = 1 << (id % 64);
        let flags = self.flags.as_ref().expect("there are flags");
        flags[id as usize / 64].fetch_or(bit, AcqRel) & bit == 0
    }

    /// Whether the flag of a number is set.
    pub fn is_flagged(&self, id: u32) -> bool {
        let flags = self.flags.as_ref().expect("there are flags");
        flags[id as usize / 64].load(Acquire) >> (id % 64) & 1 != 0
    }

    /// The number of a sequence of a class, and whether it is new. All sequences of a class have the same
    /// length.
    #[inline]
    pub fn intern(
        &self,
        key: &[u64],
        class: usize,
        hash: u64,
        stock: &mut Stock,
        budget: &Budget,
        inside: &Inside,
    ) -> Result<(u32, bool), Short> {
        let slots = self.slots.get(inside);
        let tag = hash >> 32;
        let mut at = home(tag, slots.len());
        if slots.is_empty() {
            return Err(Short::Slots(0));
        }
        loop {
            // Acquire: the row was written before the slot.
            let mut slot = slots[at].load(Ordering::Acquire);
            if slot == 0 {
                let run = stock.run(class);
                if run.next == run.end {
                    self.supply(run, key.len(), slots.len(), budget)?;
                }
                match self.claim(&slots[at], tag, run, key) {
                    Ok(id) => return Ok((id, true)),
                    Err(other) => slot = other,
                }
            }
            if slot >> 32 == tag && self.is(slot as u32 - 1, key, class) {
                return Ok((slot as u32 - 1, false));
            }
            at += 1;
            if at == slots.len() {
                at = 0;
            }
        }
    }

    /// The number of a sequence of a class, if it has one.
    pub fn find(&self, key: &[u64], class: usize, hash: u64, inside: &Inside) -> Option<u32> {
        let slots = self.slots.get(inside);
        let tag = hash >> 32;
        let mut at = home(tag, slots.len());
        loop {
            let slot = slots.get(at)?.load(Ordering::Acquire);
            if slot == 0 {
                return None;
            }
            if slot >> 32 == tag && self.is(slot as u32 - 1, key, class) {
                return Some(slot as u32 - 1);
            }
            at = if at + 1 == slots.len() { 0 } else { at + 1 };
        }
    }

    /// Takes a free slot for a new sequence. An error says what somebody else has put there.
    #[inline(never)]
    fn claim(&self, slot: &AtomicU64, tag: u64, run: &mut Run, key: &[u64]) -> Result<u32, u64> {
        let id = run.next;
        self.write(id, key);
        // If somebody else was faster, the number stays ours, for the next sequence.
        slot.compare_exchange(0, tag << 32 | u64::from(id + 1), Ordering::AcqRel, Ordering::Acquire)?;
        run.next += 1;
        Ok(id)
    }

    /// The class of a number.
    #[inline]
    pub fn class(&self, id: u32) -> usize {
        self.blocks[(id >> BLOCK_BITS) as usize].load(Relaxed) as usize & (N_CLASSES - 1)
    }

    /// Reads the sequence of a number into `out`, which is as long as sequences of its class are.
    #[inline]
    pub fn read(&self, id: u32, out: &mut [u64]) {
        let first = self.row(id, out.len());
        let row = &self.arena[first..first + out.len()];
        for (word, cell) in out.iter_mut().zip(row) {
            *word = cell.load(Relaxed);
        }
    }

    /// The sequence of a number, if it is one word long.
    #[inline]
    pub fn word(&self, id: u32) -> u64 {
        self.arena[self.row(id, 1)].load(Relaxed)
    }

    /// Has the row of a number fetched, which is so long.
    #[inline]
    pub fn prefetch_row(&self, id: u32, len: usize) {
        prefetch(self.arena.address(self.row(id, len)));
    }

    /// A number that a sequence probably has, and the place of its row, which is fetched; or else the slot that it
    /// will get is. Sequences of the class are so long. See [`Interner::confirm`].
    #[inline(always)]
    pub fn guess(&self, class: usize, len: usize, hash: u64, inside: &Inside) -> Option<Guess> {
        let slots = self.slots.get(inside);
        let tag = hash >> 32;
        let first = home(tag, slots.len());
        for place in slots.get(first..)?.iter().take(4) {
            // Acquire: the row was written before the slot.
            let slot = place.load(Ordering::Acquire);
            if slot >> 32 == tag && slot != 0 {
                let id = slot as u32 - 1;
                let block = self.blocks[(id >> BLOCK_BITS) as usize].load(Relaxed);
                let row = (block >> CLASS_BITS) as usize + (id & (BLOCK - 1)) as usize * len;
                prefetch(self.arena.address(row));
                return (block as usize & (N_CLASSES - 1) == class).then_some(Guess { id, row });
            }
            if slot == 0 {
                prefetch_to_write(std::ptr::from_ref(place) as usize);
                return None;
            }
        }
        None
    }

    /// The number that was guessed for a sequence, if it is right.
    #[inline(always)]
    pub fn confirm(&self, guess: Option<Guess>, key: &[u64]) -> Option<u32> {
        let Guess { id, row } = guess?;
        let row = self.arena.get(row..row + key.len())?;
        let differ =
            row.iter().zip(key).fold(0, |differ, (cell, &word)| differ | (cell.load(Relaxed) ^ word));
        (differ == 0).then_some(id)
    }

    /// Where the slots lie at present and how many there are: for [`prefetch_slot`].
    pub fn slots(&self, inside: &Inside) -> (usize, usize) {
        let slots = self.slots.get(inside);
        (slots.as_ptr() as usize, slots.len())
    }

    /// Grows what keeps a sequence from getting a number. The caller is not inside.
    #[cold]
    pub fn unblock(
        &self,
        stop: Stop,
        section: &Section,
        budget: &Budget,
        store: &impl Grow,
    ) -> Result<(), Full> {
        match stop {
            Stop::Full(full) => Err(full),
            Stop::Short(Short::Memory) => Err(Full::Memory),
            Stop::Short(Short::Slots(n_slots)) => {
                section.close(store, |_| Vec::new(), |alone| self.grow(n_slots, budget, alone))
            }
        }
    }

    /// Gives the table more slots than `n_slots`, if it has no more yet.
    pub fn grow(&self, n_slots: usize, budget: &Budget, alone: &Alone) -> Result<(), Full> {
        let old = self.slots.look(alone);
        if old.len() != n_slots {
            return Ok(());
        }
        // If there is no memory for much more, a little is better than nothing.
        let slots = table_beyond(n_slots, 23, budget).or_else(|_| table_beyond(n_slots, 18, budget))?;
        let more = slots.len();
        for slot in old.iter().map(|slot| slot.load(Ordering::Relaxed)).filter(|&slot| slot != 0) {
            let mut at = home(slot >> 32, more);
            while slots[at].load(Ordering::Relaxed) != 0 {
                at = if at + 1 == more { 0 } else { at + 1 };
            }
            slots[at].store(slot, Ordering::Relaxed);
        }
        self.slots.replace(alone, slots).release(budget);
        Ok(())
    }

    /// Gives a worker new numbers for rows of a length.
    #[cold]
    fn supply(&self, run: &mut Run, len: usize, n_slots: usize, budget: &Budget) -> Result<(), Short> {
        let mut supply = lock(&self.supply);
        let n_blocks = if supply.n_blocks < MANY_BLOCKS || len > LONG { 1 } else { RUN_OF_BLOCKS };
        let end = u64::from(supply.n_blocks + n_blocks) << BLOCK_BITS;
        if end > u64::from(self.max) {
            return Err(Short::Memory);
        }
        if end > n_slots as u64 * MAX_LOAD / 16 {
            return Err(Short::Slots(n_slots));
        }
        let n_words = supply.n_words + u64::from(n_blocks << BLOCK_BITS) * len as u64;
        let Supply { arena_paid, blocks_paid, flags_paid, .. } = &mut *supply;
        self.arena.pay(n_words, arena_paid, budget).map_err(|_| Short::Memory)?;
        self.blocks.pay(end >> BLOCK_BITS, blocks_paid, budget).map_err(|_| Short::Memory)?;
        if let Some(flags) = &self.flags {
            flags.pay(end.div_ceil(64), flags_paid, budget).map_err(|_| Short::Memory)?;
        }
        for block in 0..n_blocks {
            let first = supply.n_words + u64::from(block << BLOCK_BITS) * len as u64;
            // Relaxed: published with the slots of its numbers.
            self.blocks[(supply.n_blocks + block) as usize]
                .store(first << CLASS_BITS | run.class as u64, Relaxed);
        }
        run.next = supply.n_blocks << BLOCK_BITS;
        run.end = end as u32;
        supply.n_blocks += n_blocks;
        supply.n_words = n_words;
        Ok(())
    }

    /// Where the row of a number starts.
    #[inline]
    fn row(&self, id: u32, len: usize) -> usize {
        let block = self.blocks[(id >> BLOCK_BITS) as usize].load(Relaxed);
        (block >> CLASS_BITS) as usize + (id & (BLOCK - 1)) as usize * len
    }

    #[inline]
    fn is(&self, id: u32, key: &[u64], class: usize) -> bool {
        let block = self.blocks[(id >> BLOCK_BITS) as usize].load(Relaxed);
        let first = (block >> CLASS_BITS) as usize + (id & (BLOCK - 1)) as usize * key.len();
        block as usize & (N_CLASSES - 1) == class
            && self.arena[first..first + key.len()]
                .iter()
                .zip(key)
                .fold(0, |differ, (cell, &word)| differ | (cell.load(Relaxed) ^ word))
                == 0
    }

    /// Writes a row that nobody else knows of yet.
    fn write(&self, id: u32, key: &[u64]) {
        let first = self.row(id, key.len());
        for (cell, &word) in self.arena[first..first + key.len()].iter().zip(key) {
            cell.store(word, Relaxed);
        }
    }
}

impl Stock {
    /// The unused numbers of a class.
    fn run(&mut self, class: usize) -> &mut Run {
        if self.runs.get(self.last).is_none_or(|run| run.class != class) {
            self.last = self.runs.iter().position(|run| run.class == class).unwrap_or_else(|| {
                self.runs.push(Run { class, next: 0, end: 0 });
                self.runs.len() - 1
            });
        }
        &mut self.runs[self.last]
    }
}

/// A table with more slots than `n_slots`: if these are many, with so many sixteenths of them.
fn table_beyond(n_slots: usize, sixteenths: usize, budget: &Budget) -> Result<Table<AtomicU64>, Full> {
    let more = match n_slots {
        0 => MIN_SLOTS,
        n if n < HUGE_SLOTS => 2 * n,
        // Whole huge pages.
        n => (n / 16 * sixteenths).next_multiple_of(HUGE_SLOTS),
    };
    // Positions are computed in 64 bits.
    let more = more.min(1 << 32);
    if more == n_slots { Err(Full::Memory) } else { Table::new(more, budget) }
}

/// The slot at which probing for a tag starts.
#[inline(always)]
fn home(tag: u64, n_slots: usize) -> usize {
    ((tag * n_slots as u64) >> 32) as usize
}

/// Has the first slot for a hash fetched. `slots` may be of yesterday.
#[inline(always)]
pub(crate) fn prefetch_slot(slots: (usize, usize), hash: u64) {
    prefetch(slots.0.wrapping_add(home(hash >> 32, slots.1) * 8));
}

/// The hash of a sequence of a class. The same in every run.
///
/// The class is spread over all bits: words and classes are small numbers, and what the one changes the other must not
/// change back (a sequence that is a word shorter differs from one that ends in 0 in nothing else).
#[inline]
pub(crate) fn hash(key: &[u64], class: usize) -> u64 {
    const SECRETS: [u64; 3] = [0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9, 0x4b33_a62e_d433_d4a3];
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = SECRETS[0] ^ (class as u64).wrapping_mul(SPREAD);
    let mut pairs = key.chunks_exact(2);
    for pair in &mut pairs {
        hash = fold(pair[0] ^ hash, pair[1] ^ SECRETS[1]);
    }
    if let [last] = pairs.remainder() {
        hash = fold(last ^ hash, SECRETS[1]);
    }
    fold(hash ^ SECRETS[2], SECRETS[1])
}

/// The product of two words, folded into one.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn short_sequences_of_small_numbers_have_hashes_of_their_own() {
        let mut hashes = std::collections::HashMap::new();
        for len in 0..=6_u32 {
            for number in 0..5_u64.pow(len) {
                let key: Vec<u64> = (0..len).map(|at| number / 5_u64.pow(at) % 5).collect();
                if let Some(other) = hashes.insert(hash(&key, key.len()), key.clone()) {
                    panic!("{key:?} and {other:?}");
                }
            }
        }
    }

    struct Nothing;

    impl Grow for Nothing {
        fn perform(&self, _: usize, _: &Alone) {}
    }

    /// Numbers a sequence with a given hash, by guessing first, as the stores do.
    fn number(
        interner: &Interner,
        key: &[u64],
        class: usize,
        hash: u64,
        stock: &mut Stock,
        section: &Section,
    ) -> u32 {
        let budget = &Budget::new(u64::MAX);
        let seat = section.seat();
        loop {
            let inside = section.enter(&seat, &Nothing);
            let guess = interner.guess(class, key.len(), hash, &inside);
            if let Some(id) = interner.confirm(guess, key) {
                return id;
            }
            let before = interner.find(key, class, hash, &inside);
            match interner.intern(key, class, hash, stock, budget, &inside) {
                Ok((id, is_new)) => {
                    assert_eq!(before, if is_new { None } else { Some(id) });
                    return id;
                }
                Err(short) => {
                    drop(inside);
                    interner.unblock(Stop::Short(short), section, budget, &Nothing).unwrap();
                }
            }
        }
    }

    #[test]
    fn sequences_with_equal_hashes_are_told_apart() {
        for hash in [0, u64::MAX, 1 << 63] {
            let (interner, section) = (Interner::new(u32::MAX - 1), Section::new());
            let stock = &mut Stock::default();
            // The same words of two classes are two sequences.
            let sequences: Vec<([u64; 2], usize)> =
                (0..1000).map(|k| ([k / 2, 7], 2 + k as usize % 2)).collect();
            let ids: Vec<u32> = sequences
                .iter()
                .map(|(key, class)| number(&interner, key, *class, hash, stock, &section))
                .collect();
            let mut different = ids.clone();
            different.sort_unstable();
            different.dedup();
            assert_eq!(different.len(), ids.len());
            for ((key, class), &id) in sequences.iter().zip(&ids) {
                assert_eq!(number(&interner, key, *class, hash, stock, &section), id);
                assert_eq!(interner.class(id), *class);
                let mut row = [0; 2];
                interner.read(id, &mut row);
                assert_eq!(row, *key);
            }
        }
    }

    #[test]
    fn the_first_of_two_classes_with_one_hash_is_not_taken_for_the_second() {
        let (interner, section) = (Interner::new(u32::MAX - 1), Section::new());
        let stock = &mut Stock::default();
        let first = number(&interner, &[5], 1, 77 << 32, stock, &section);
        let second = number(&interner, &[5], 2, 77 << 32, stock, &section);
        assert_ne!(first, second);
    }
}
