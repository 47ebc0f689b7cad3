//! The plain table: every state as it is.
//!
//! The words of all states lie one after the other in one arena; `starts` says where each begins. A
//! hash table with linear probing finds the number of a state. Its slots hold 32 bits of the hash
//! and the number; the position of a slot is the upper part of those same bits, so the table grows
//! without looking at the arena.
//!
//! Overhead per state: 4 bytes for the start, and 8 bytes for a slot at a load between 0.42 and 0.85
//! make at most 23 bytes; to this comes an eighth of the arena as room to grow.

use rapidhash::v3::{RapidSecrets, rapidhash_v3_nano_inline};

use crate::{Full, Insert, Limits, Store};

/// A fixed seed: the same model gives the same run everywhere.
const SECRETS: RapidSecrets = RapidSecrets::seed(0x5741_bb02);

/// The smallest number of slots, as a power of two.
const MIN_BITS: u32 = 10;
/// The greatest: a slot holds 32 bits of the hash.
const MAX_BITS: u32 = 32;

/// An exact set of states of varying length.
pub struct Table {
    limits: Limits,
    /// 32 bits of the hash, then the number plus one; zero if the slot is free.
    slots: Vec<u64>,
    bits: u32,
    arena: Vec<u64>,
    /// The first word of each state, and one more: behind the last state.
    starts: Vec<u32>,
}

impl Table {
    /// An empty table.
    pub fn new(limits: Limits) -> Table {
        Table { limits, slots: Vec::new(), bits: 0, arena: Vec::new(), starts: Vec::new() }
    }

    /// Looks a state up: its number, or the free slot where it belongs.
    fn find(&self, state: &[u64], tag: u64) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = home(tag, self.bits);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            if slot >> 32 == tag {
                let id = slot as u32 - 1;
                if self.get(id) == state {
                    return Ok(id);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Makes sure that one slot more can be taken.
    fn make_room(&mut self) -> Result<(), Full> {
        if self.len() < self.slots.len() / 20 * 17 {
            return Ok(());
        }
        let grown = self.grow();
        // A table that cannot grow is filled up; probing stays bearable to about this load.
        if grown.is_err() && self.len() < self.slots.len() / 16 * 15 { Ok(()) } else { grown }
    }

    fn grow(&mut self) -> Result<(), Full> {
        let bits = if self.slots.is_empty() { MIN_BITS } else { self.bits + 1 };
        if bits > MAX_BITS {
            return Err(Full::States);
        }
        let mut slots = Vec::new();
        reserve(&mut slots, 1 << bits, self.spare())?;
        slots.resize(1 << bits, 0);
        for &slot in self.slots.iter().filter(|&&slot| slot != 0) {
            let free = free_slot(&slots, slot >> 32, bits);
            slots[free] = slot;
        }
        self.slots = slots;
        self.bits = bits;
        Ok(())
    }

    /// Appends a state to the arena and returns its number.
    fn append(&mut self, state: &[u64]) -> Result<u32, Full> {
        let end = u32::try_from(self.arena.len() + state.len()).map_err(|_| Full::Memory)?;
        let spare = self.spare();
        extend_by_an_eighth(&mut self.starts, 2, spare)?;
        let spare = self.spare();
        extend_by_an_eighth(&mut self.arena, state.len(), spare)?;
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let id = self.len() as u32;
        self.arena.extend_from_slice(state);
        self.starts.push(end);
        Ok(id)
    }

    /// How many bytes may still be taken.
    fn spare(&self) -> u64 {
        self.limits.bytes.saturating_sub(self.bytes())
    }
}

/// The slot at which probing starts: the upper bits of the tag.
fn home(tag: u64, bits: u32) -> usize {
    (tag >> (32 - bits)) as usize
}

/// The first free slot for a tag.
fn free_slot(slots: &[u64], tag: u64, bits: u32) -> usize {
    let mut at = home(tag, bits);
    while slots[at] != 0 {
        at = (at + 1) & (slots.len() - 1);
    }
    at
}

/// Makes room for `more` elements. If that needs new memory, it makes room for an eighth of the
/// present length: doubling would leave up to half of the memory unused, and large blocks grow
/// without being copied.
fn extend_by_an_eighth<T>(list: &mut Vec<T>, more: usize, spare: u64) -> Result<(), Full> {
    if list.capacity() - list.len() >= more {
        return Ok(());
    }
    let ample = more.max(list.len() / 8).max(1 << 10);
    reserve(list, ample, spare).or_else(|_| reserve(list, more, spare))
}

fn reserve<T>(list: &mut Vec<T>, more: usize, spare: u64) -> Result<(), Full> {
    let added = (list.len() + more).saturating_sub(list.capacity()) * size_of::<T>();
    if added as u64 > spare {
        return Err(Full::Memory);
    }
    list.try_reserve_exact(more).map_err(|_| Full::Memory)
}

impl Store for Table {
    fn hash(&self, state: &[u64]) -> u64 {
        rapidhash_v3_nano_inline::<true, false>(bytemuck::cast_slice(state), &SECRETS)
    }

    fn insert_hashed(&mut self, state: &[u64], hash: u64) -> Result<Insert, Full> {
        let tag = hash >> 32;
        if self.slots.is_empty() {
            self.grow()?;
        }
        let free = match self.find(state, tag) {
            Ok(id) => return Ok(Insert::Seen(id)),
            Err(free) => free,
        };
        if self.len() as u64 >= self.limits.states.min(u64::from(u32::MAX)) {
            return Err(Full::States);
        }
        let n_slots = self.slots.len();
        self.make_room()?;
        let free = if n_slots == self.slots.len() { free } else { free_slot(&self.slots, tag, self.bits) };
        let id = self.append(state)?;
        self.slots[free] = tag << 32 | u64::from(id + 1);
        Ok(Insert::New(id))
    }

    fn get(&self, id: u32) -> &[u64] {
        &self.arena[self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize]
    }

    fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn bytes(&self) -> u64 {
        (self.slots.capacity() * 8 + self.arena.capacity() * 8 + self.starts.capacity() * 4) as u64
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Numbers that look random (splitmix64).
    fn numbers(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        }
    }

    #[test]
    fn agrees_with_a_hash_map_on_random_states() {
        for seed in 0..4 {
            let mut next = numbers(seed);
            let mut table = Table::new(Limits::default());
            let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
            for _ in 0..60_000 {
                let len = (next() % 5) as usize;
                let state: Vec<u64> = (0..len).map(|_| next() % 20).collect();
                let expected = match known.get(&state) {
                    Some(&id) => Insert::Seen(id),
                    None => Insert::New(known.len() as u32),
                };
                assert_eq!(table.insert(&state), Ok(expected), "seed {seed}, state {state:?}");
                known.insert(state, expected.id());
            }
            assert_eq!(table.len(), known.len());
            for (state, &id) in &known {
                assert_eq!(table.get(id), state.as_slice());
            }
        }
    }

    #[test]
    fn zero_words_in_front_or_behind_make_different_states() {
        let mut table = Table::new(Limits::default());
        let states: [&[u64]; 5] = [&[], &[0], &[0, 0], &[0, 1], &[1, 0]];
        for (id, state) in states.into_iter().enumerate() {
            assert_eq!(table.insert(state), Ok(Insert::New(id as u32)));
        }
    }

    #[test]
    fn states_with_equal_hashes_are_told_apart() {
        let mut table = Table::new(Limits::default());
        for k in 0..3000 {
            assert_eq!(table.insert_hashed(&[k], u64::MAX), Ok(Insert::New(k as u32)));
        }
        assert_eq!(table.insert_hashed(&[1234], u64::MAX), Ok(Insert::Seen(1234)));
    }

    #[test]
    fn overhead_is_small() {
        let mut table = Table::new(Limits::default());
        for k in 0..1_000_000 {
            table.insert(&[k, 2 * k, 7]).unwrap();
            if k > 10_000 {
                let state = 24 + 24 / 8;
                let overhead = table.bytes() as f64 / (k + 1) as f64 - f64::from(state);
                assert!(overhead < 24.0, "{overhead} bytes per state at {k} states");
            }
        }
    }

    #[test]
    fn a_full_table_says_so_and_stays_usable() {
        let limits = Limits { bytes: 100_000, ..Limits::default() };
        let mut table = Table::new(limits);
        let full = (0..).find(|&k| table.insert(&[k, k]) == Err(Full::Memory)).unwrap();
        assert!(full > 1000, "only {full} states fitted");
        assert!(table.bytes() <= limits.bytes);
        assert_eq!(table.len() as u64, full);
        assert_eq!(table.insert(&[3, 3]), Ok(Insert::Seen(3)));
        assert_eq!(table.insert(&[full, full]), Err(Full::Memory));
    }

    #[test]
    fn no_memory_at_all_and_a_limit_on_states_are_reported() {
        let mut none = Table::new(Limits { bytes: 0, ..Limits::default() });
        assert_eq!(none.insert(&[1]), Err(Full::Memory));
        let mut two = Table::new(Limits { states: 2, ..Limits::default() });
        assert_eq!(two.insert(&[1]), Ok(Insert::New(0)));
        assert_eq!(two.insert(&[2]), Ok(Insert::New(1)));
        assert_eq!(two.insert(&[3]), Err(Full::States));
        assert_eq!(two.insert(&[2]), Ok(Insert::Seen(1)));
    }
}
