//! Pairs that a worker has put lately.
//!
//! Steps that do not touch each other lead to the same state in any order, and a search that goes on with the
//! youngest states meets it again soon: about every second state that is put is among the last ten thousands. It
//! need not be looked for in the set, which is far away and shared with others.
//!
//! Each worker remembers its own pairs. Flags are not known this way: a search that asks for flags uses
//! [`crate::Worker::flush`], which looks every pair up; [`crate::Worker::flush_new`], which reports new states only, asks
//! here first.

/// So many pairs are remembered, as a power of two: as many as fit into the second cache, with room for others.
const BITS: u32 = 15;

/// No pair: halves have smaller numbers.
const NONE: u64 = u64::MAX;

/// Pairs that are in the set, or about to be.
pub(crate) struct Recent {
    pairs: Box<[u64; 1 << BITS]>,
}

impl Recent {
    pub fn new() -> Recent {
        let pairs = vec![NONE; 1 << BITS].into_boxed_slice();
        Recent { pairs: pairs.try_into().expect("it has that length") }
    }

    /// Says whether a pair is remembered. From now on it is: the caller sees to it that it gets into the set.
    #[inline(always)]
    pub fn meet(&mut self, pair: u64) -> bool {
        let place = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS);
        std::mem::replace(&mut self.pairs[place as usize], pair) == pair
    }

    /// Forgets all, since something did not get into the set.
    pub fn clear(&mut self) {
        self.pairs.fill(NONE);
    }
}
