//! Changes of halves, and where they have led: most successors are put together from what is remembered here, without
//! looking at rows.
//!
//! A half changes in few ways, and many states share it. A hit saves making the row of the new half, hashing it and
//! comparing it. Each worker has a cache of its own.

use crate::memory::prefetch;

/// How a half of a state differs from that of its parent, if it does in one or two words: these words,
/// then the half, which words they are, and the length of the state, on which it depends where they are.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Change([u64; 3]);

impl Change {
    /// The words that differ have a bit each; at least one does.
    #[inline(always)]
    pub fn new(half: u32, state: &[u64], differences: u64) -> Option<Change> {
        let but_one = |bits: u64| bits & bits.wrapping_sub(1);
        if but_one(but_one(differences)) != 0 {
            return None;
        }
        let (first, last) =
            (differences.trailing_zeros() as usize, 63 - differences.leading_zeros() as usize);
        let places = (first | last << 8 | state.len() << 16) as u64;
        Some(Change([state[first], state[last], u64::from(half) << 32 | places]))
    }

    #[inline(always)]
    fn hash(&self) -> usize {
        let Change([first, last, place]) = *self;
        let mixed = (first ^ place).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ last.wrapping_mul(0xd6e8_feb8_6659_fd93)
            ^ place.wrapping_mul(0xa076_1d64_78bd_642f);
        (mixed >> (64 - LAST_BITS)) as usize
    }
}

/// The halves to which changes have led. Halves change in few ways, and many states have the same half.
pub(crate) struct Memo {
    /// It grows without being moved.
    known: Vec<Entry>,
    /// It has at most 2 to this many entries.
    last_bits: u32,
    /// The bits of a hash that are a place in it.
    mask: usize,
    /// How many changes were noted since it has this size.
    n_noted: usize,
}

/// A change and the half; all ones if there is none: no state is so long. It lies in one line of memory, so one fetch
/// is enough.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Entry([u64; 4]);

const NO_ENTRY: Entry = Entry([u64::MAX; 4]);

/// There are at first 2 to this many entries: few, because short searches would spend their time on memory …
const FIRST_BITS: u32 = 10;
/// … and then so many times more, whenever so many were noted as there are …
const GROWTH_BITS: u32 = 3;
/// … up to this. They are fetched before they are needed, so they may be more than the nearer caches hold.
const LAST_BITS: u32 = 16;

impl Memo {
    /// One that takes no more than so many bytes, unless that is very little.
    pub fn new(most_bytes: u64) -> Memo {
        let most = (most_bytes / size_of::<Entry>() as u64).max(1);
        let last_bits = most.ilog2().clamp(FIRST_BITS, LAST_BITS);
        let mut memo = Memo { known: Vec::with_capacity(1 << last_bits), last_bits, mask: 0, n_noted: 0 };
        memo.resize(FIRST_BITS);
        memo
    }

    fn resize(&mut self, bits: u32) {
        self.mask = (1 << bits) - 1;
        // Zeros would come as pages that are shared until they are written to, which costs a second fault each.
        self.known.resize(1 << bits, NO_ENTRY);
        self.n_noted = 0;
    }

    #[inline(always)]
    fn place(&self, change: &Change) -> usize {
        change.hash() & self.mask
    }

    /// Has the place of a change fetched, and says where it is.
    #[inline(always)]
    pub fn fetch(&self, change: &Change) -> usize {
        let place = self.place(change);
        prefetch(self.known.as_ptr().wrapping_add(place) as usize);
        place
    }

    /// The half that a change has led to. It was fetched from `place`; if it lies elsewhere by now it is not found.
    #[inline(always)]
    pub fn get(&self, place: usize, change: &Change) -> Option<u32> {
        let Entry([first, last, of, id]) = self.known[place];
        let differ = first ^ change.0[0] | last ^ change.0[1] | of ^ change.0[2];
        (differ == 0).then_some(id as u32)
    }

    #[inline(always)]
    pub fn note(&mut self, change: Change, id: u32) {
        let place = self.place(&change);
        let Change([first, last, of]) = change;
        self.known[place] = Entry([first, last, of, u64::from(id)]);
        self.n_noted += 1;
        if self.n_noted == self.known.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let (len, bits) = (self.known.len(), self.known.len().ilog2());
        if bits < self.last_bits {
            self.resize((bits + GROWTH_BITS).min(self.last_bits));
            for old in 0..len {
                let entry @ Entry([first, last, of, _]) = self.known[old];
                if of != u64::MAX {
                    self.known[old] = NO_ENTRY;
                    let place = self.place(&Change([first, last, of]));
                    self.known[place] = entry;
                }
            }
        }
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn it_takes_no_more_than_it_may() {
        for (most_bytes, len) in [(0, 1 << 10), (100_000, 1 << 11), (1 << 20, 1 << 15), (1 << 40, 1 << 16)] {
            let mut memo = Memo::new(most_bytes);
            for k in 0..1 << 18 {
                memo.note(Change([k, k, k % 5]), 0);
            }
            assert_eq!((memo.known.len(), memo.known.capacity()), (len, len));
        }
    }

    /// What is noted is found, at once and after the table has grown, unless something else has taken its place.
    #[test]
    fn what_was_noted_is_found_or_forgotten() {
        let mut memo = Memo::new(u64::MAX);
        let change = |k: u64| Change::new(7, &[k, k / 3], 0b11).expect("two words");
        let n_found = |memo: &Memo, n: u64| {
            let found = (0..n).filter_map(|k| Some((k, memo.get(memo.fetch(&change(k)), &change(k))?)));
            found.inspect(|&(k, id)| assert_eq!(u64::from(id), 2 * k)).count()
        };
        let places: Vec<usize> = (0..1 << 17).map(|k| memo.fetch(&change(k))).collect();
        for k in 0..1 << 17 {
            assert_eq!(memo.get(memo.fetch(&change(k)), &change(k)), None);
            memo.note(change(k), 2 * k as u32);
            assert_eq!(memo.get(memo.fetch(&change(k)), &change(k)), Some(2 * k as u32));
            match k + 1 {
                600 => assert!(n_found(&memo, k + 1) > 400),
                2000 => assert!(n_found(&memo, k + 1) > 1200),
                _ => {}
            }
        }
        assert_eq!(memo.known.len(), 1 << LAST_BITS);
        assert!(n_found(&memo, 1 << 17) > 10_000);
        // Where it lay before the table grew there is nothing, or it still.
        for (k, &place) in (0..).zip(&places) {
            assert!(memo.get(place, &change(k)).is_none_or(|id| u64::from(id) == 2 * k));
        }
    }
}
