//! Changes of halves, and where they have led: most successors are put together from what is remembered here, without
//! looking at rows.

use crate::memory::prefetch;

/// How a half of a state differs from that of its parent, if it does in one or two words: these words,
/// then the half, which words they are, and the length of the state, on which it depends where they are.
#[derive(Clone, Copy, PartialEq, Eq)]
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
        (mixed >> (64 - MEMO_BITS)) as usize
    }
}

/// The halves to which changes have led. Halves change in few ways, and many states have the same half.
pub(crate) struct Memo {
    known: Box<[Entry; 1 << MEMO_BITS]>,
}

/// A change and the half; all ones if there is none: no state is so long. It lies in one line of memory, so one fetch
/// is enough.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Entry([u64; 4]);

/// It is fetched before it is needed, so it may be larger than the nearer caches.
const MEMO_BITS: u32 = 15;

impl Memo {
    pub fn new() -> Memo {
        // Zeros would come as pages that are shared until they are written to, which costs a second fault each.
        let known = vec![Entry([u64::MAX; 4]); 1 << MEMO_BITS].into_boxed_slice();
        Memo { known: known.try_into().expect("it has that length") }
    }

    /// Has the place of a change fetched, and says where it is.
    #[inline(always)]
    pub fn fetch(&self, change: &Change) -> usize {
        let place = change.hash();
        prefetch(&raw const self.known[place] as usize);
        place
    }

    /// The half that a change has led to. It was fetched from `place`.
    #[inline(always)]
    pub fn get(&self, place: usize, change: &Change) -> Option<u32> {
        let Entry([first, last, of, id]) = self.known[place % (1 << MEMO_BITS)];
        let differ = first ^ change.0[0] | last ^ change.0[1] | of ^ change.0[2];
        (differ == 0).then_some(id as u32)
    }

    #[inline(always)]
    pub fn note(&mut self, change: Change, id: u32) {
        let Change([first, last, place]) = change;
        self.known[change.hash()] = Entry([first, last, place, u64::from(id)]);
    }
}
