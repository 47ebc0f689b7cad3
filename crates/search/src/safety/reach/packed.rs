//! A list with two ends that takes little memory.
//!
//! Its ends are plain lists. What lies between is packed in blocks: every column of a block has as many bits as
//! the largest of its numbers needs, less the smallest.
//!
//! Up to half of all states can be pending, and the ways to them are kept, too: unpacked, both could take more memory
//! than the store. A packed row of three numbers takes four to five bytes instead of up to twelve.

use std::collections::VecDeque;

/// Something that is a row of three numbers.
pub trait Row: Copy {
    fn numbers(self) -> [u32; 3];
    fn of_numbers(numbers: [u32; 3]) -> Self;
}

/// So many rows are packed together: a multiple of 64.
const BLOCK: usize = if cfg!(test) { 64 } else { 256 };

/// So many rows at the younger end are not packed, and for a while up to twice as many.
const PLAIN: usize = if cfg!(test) { BLOCK } else { 1 << 13 };

/// A list of rows.
pub struct Packed<T> {
    /// The oldest, the other way round.
    first: Vec<T>,
    blocks: VecDeque<Block>,
    /// The youngest.
    last: Vec<T>,
    /// What the blocks take.
    n_words: usize,
}

#[derive(Clone)]
struct Block {
    least: [u32; 3],
    widths: [u32; 3],
    bits: Box<[u64]>,
}

impl<T> Default for Packed<T> {
    fn default() -> Packed<T> {
        Packed { first: Vec::new(), blocks: VecDeque::new(), last: Vec::new(), n_words: 0 }
    }
}

impl<T: Row> Packed<T> {
    pub fn len(&self) -> usize {
        self.first.len() + self.blocks.len() * BLOCK + self.last.len()
    }

    /// The memory that it takes.
    pub fn bytes(&self) -> usize {
        // What was never used of the capacity of lists is not there.
        (self.first.len() + self.last.len()) * size_of::<T>()
            + self.blocks.len() * size_of::<Block>()
            + self.n_words * size_of::<u64>()
    }

    /// Adds a row. See [`Packed::pack`].
    #[inline]
    pub fn push(&mut self, row: T) {
        self.last.push(row);
    }

    /// Packs what has become old.
    #[inline]
    pub fn pack(&mut self) {
        if self.last.len() >= 2 * PLAIN {
            self.pack_old();
        }
    }

    fn pack_old(&mut self) {
        let n_old = self.last.len() - PLAIN;
        let (blocks, _) = self.last[..n_old].as_chunks::<BLOCK>();
        for rows in blocks {
            let block = Block::new(rows);
            self.n_words += block.bits.len();
            self.blocks.push_back(block);
        }
        self.last.drain(..n_old / BLOCK * BLOCK);
    }

    /// Moves rows to the younger end, if it is empty.
    #[inline]
    fn fill_last(&mut self) {
        if self.last.is_empty() {
            self.unpack_last();
        }
    }

    fn unpack_last(&mut self) {
        match self.blocks.pop_back() {
            Some(block) => {
                self.n_words -= block.bits.len();
                self.last.extend((0..BLOCK).map(|at| block.row::<T>(at)));
            }
            None => {
                // Not all of them: the other end is needed, too.
                let n = self.first.len().div_ceil(2);
                self.last.extend(self.first.drain(..n).rev());
            }
        }
    }

    /// Moves rows to the older end, if it is empty.
    fn fill_first(&mut self) {
        if !self.first.is_empty() {
            return;
        }
        match self.blocks.pop_front() {
            Some(block) => {
                self.n_words -= block.bits.len();
                self.first.extend((0..BLOCK).rev().map(|at| block.row::<T>(at)));
            }
            None => {
                let n = self.last.len().div_ceil(2);
                self.first.extend(self.last.drain(..n).rev());
            }
        }
    }

    /// The youngest row.
    #[inline]
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.fill_last();
        self.last.last_mut()
    }

    /// Takes the youngest row.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.fill_last();
        self.last.pop()
    }

    /// The oldest row.
    pub fn first_mut(&mut self) -> Option<&mut T> {
        self.fill_first();
        self.first.last_mut()
    }

    /// Takes the oldest row.
    pub fn pop_first(&mut self) -> Option<T> {
        self.fill_first();
        self.first.pop()
    }

    /// Any row.
    #[inline]
    pub fn get(&self, at: usize) -> T {
        if at < self.first.len() {
            return self.first[self.first.len() - 1 - at];
        }
        let at = at - self.first.len();
        match self.blocks.get(at / BLOCK) {
            Some(block) => block.row(at % BLOCK),
            None => self.last[at - self.blocks.len() * BLOCK],
        }
    }

    /// One of the youngest rows, counted from the end, unless it is packed.
    #[inline]
    pub fn youngest(&self, at: usize) -> Option<T> {
        self.last.len().checked_sub(at + 1).map(|at| self.last[at])
    }

    /// Drops the youngest rows, so that `len` are left.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        let mut n_dropped = self.len().saturating_sub(len);
        while n_dropped > self.last.len() {
            n_dropped -= self.last.len();
            self.last.clear();
            self.unpack_last();
        }
        self.last.truncate(self.last.len() - n_dropped);
    }

    /// All rows, from the oldest to the youngest.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = T> {
        let packed = self.blocks.iter().flat_map(|block| (0..BLOCK).map(|at| block.row(at)));
        self.first.iter().rev().copied().chain(packed).chain(self.last.iter().copied())
    }

    /// The same; they are gone then. The memory of those that were looked at is free.
    fn into_rows(self) -> impl Iterator<Item = T> {
        let packed = self.blocks.into_iter().flat_map(|block| (0..BLOCK).map(move |at| block.row(at)));
        self.first.into_iter().rev().chain(packed).chain(self.last)
    }

    /// Changes rows or drops them; the `n` oldest stay as they are.
    pub fn filter_map_behind(&mut self, n: usize, f: impl FnMut(T) -> Option<T>) {
        let oldest = self.take_first(n);
        let rest = std::mem::replace(self, oldest);
        rest.into_rows().filter_map(f).for_each(|row| {
            self.push(row);
            self.pack();
        });
    }

    /// Another list with the `n` oldest rows.
    pub fn oldest(&self, n: usize) -> Packed<T> {
        let n_blocks = n.saturating_sub(self.first.len()).div_ceil(BLOCK).min(self.blocks.len());
        let blocks: VecDeque<Block> = self.blocks.range(..n_blocks).cloned().collect();
        let n_words = blocks.iter().map(|block| block.bits.len()).sum();
        let mut oldest = Packed { first: self.first.clone(), blocks, last: Vec::new(), n_words };
        let n_last = n.saturating_sub(oldest.len()).min(self.last.len());
        oldest.last.extend_from_slice(&self.last[..n_last]);
        oldest.truncate(n);
        oldest
    }

    /// Takes the `n` oldest rows.
    pub fn take_first(&mut self, n: usize) -> Packed<T> {
        let mut taken = Packed::default();
        if self.first.len() <= n {
            taken.first = std::mem::take(&mut self.first);
            while n - taken.len() >= BLOCK
                && let Some(block) = self.blocks.pop_front()
            {
                self.n_words -= block.bits.len();
                taken.n_words += block.bits.len();
                taken.blocks.push_back(block);
            }
        }
        while taken.len() < n
            && let Some(row) = self.pop_first()
        {
            taken.push(row);
        }
        taken
    }
}

impl Block {
    fn new<T: Row>(rows: &[T; BLOCK]) -> Block {
        let (mut least, mut most) = ([u32::MAX; 3], [0; 3]);
        for row in rows {
            for (column, number) in row.numbers().into_iter().enumerate() {
                least[column] = least[column].min(number);
                most[column] = most[column].max(number);
            }
        }
        let widths =
            [0, 1, 2].map(|column: usize| u32::BITS - (most[column] - least[column]).leading_zeros());
        // Two more, so that two words can be read anywhere.
        let n_words = BLOCK / 64 * widths.iter().sum::<u32>() as usize + 2;
        let mut bits = Vec::with_capacity(n_words);
        let (mut word, mut n_bits) = (0, 0);
        for row in rows {
            for (column, number) in row.numbers().into_iter().enumerate() {
                let number = u64::from(number - least[column]);
                word |= number << n_bits;
                n_bits += widths[column];
                if n_bits >= 64 {
                    bits.push(word);
                    n_bits -= 64;
                    word = number >> (widths[column] - n_bits);
                }
            }
        }
        bits.extend([word, 0]);
        debug_assert_eq!(bits.len(), n_words);
        Block { least, widths, bits: bits.into() }
    }

    #[inline(always)]
    fn row<T: Row>(&self, at: usize) -> T {
        let mut place = at * self.widths.iter().sum::<u32>() as usize;
        let mut numbers = self.least;
        for (number, width) in numbers.iter_mut().zip(self.widths) {
            let [word, next] = self.bits[place / 64..][..2] else { unreachable!() };
            let bits = u128::from(next) << 64 | u128::from(word);
            *number += (bits >> (place % 64)) as u32 & ((1_u64 << width) - 1) as u32;
            place += width as usize;
        }
        T::of_numbers(numbers)
    }
}

#[cfg(test)]
mod tests {
    use model::Random;

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Numbers([u32; 3]);

    impl Row for Numbers {
        fn numbers(self) -> [u32; 3] {
            self.0
        }

        fn of_numbers(numbers: [u32; 3]) -> Numbers {
            Numbers(numbers)
        }
    }

    fn contents(list: &Packed<Numbers>) -> VecDeque<Numbers> {
        list.rows().collect()
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let mut numbers = Random::new(1);
        let mut random = move |n: u64| numbers.draw() % n;
        for round in 0..200 {
            // Columns of any width, from anywhere.
            let shapes = [0; 3].map(|_: u32| {
                let width = random(33) as u32;
                (random(1 << 32) as u32 & u32::MAX.checked_shl(width).unwrap_or(0), 1 << width)
            });
            let (mut list, mut twin) = (Packed::default(), VecDeque::new());
            for _ in 0..60 {
                for _ in 0..random(if round % 2 == 0 { 200 } else { 20 }) {
                    let row = Numbers(shapes.map(|(least, n)| least + random(n) as u32));
                    list.push(row);
                    twin.push_back(row);
                    list.pack();
                }
                match random(6) {
                    0 => (0..random(200)).for_each(|_| assert_eq!(list.pop(), twin.pop_back())),
                    1 => (0..random(200)).for_each(|_| assert_eq!(list.pop_first(), twin.pop_front())),
                    2 => {
                        let len = random(twin.len() as u64 + 10) as usize;
                        list.truncate(len);
                        twin.truncate(len);
                    }
                    3 => {
                        let n = random(twin.len() as u64 + 1) as usize;
                        let mut oldest = list.oldest(n);
                        assert!(oldest.rows().eq(twin.range(..n).copied()));
                        oldest.truncate(0);
                        assert_eq!(oldest.bytes(), 0);
                        assert_eq!(contents(&list.take_first(n)), twin.drain(..n).collect::<VecDeque<_>>());
                    }
                    4 => {
                        let n = random(twin.len() as u64 + 1) as usize;
                        let mut number = n;
                        list.filter_map_behind(n, |row| {
                            number += 1;
                            (!number.is_multiple_of(3)).then_some(row)
                        });
                        number = 0;
                        twin.retain(|_| {
                            number += 1;
                            number <= n || !number.is_multiple_of(3)
                        });
                    }
                    _ => {
                        assert_eq!(list.last_mut().copied(), twin.back().copied());
                        assert_eq!(list.first_mut().copied(), twin.front().copied());
                    }
                }
                assert_eq!(contents(&list), twin);
                assert!((0..twin.len()).all(|at| list.get(at) == twin[at]));
                assert!(list.rows().rev().eq(twin.iter().rev().copied()));
                let n_words: usize = list.blocks.iter().map(|block| block.bits.len()).sum();
                assert_eq!(list.n_words, n_words);
            }
        }
    }

    #[test]
    fn both_ends_are_near() {
        let mut list = Packed::default();
        for number in 0..2 * PLAIN as u32 - 1 {
            list.push(Numbers([number; 3]));
        }
        list.pack();
        assert!(list.blocks.is_empty());
        // To move all of them each time would take for ever.
        assert!(list.first_mut().is_some() && list.last.len() >= PLAIN / 2);
        list.last.clear();
        assert!(list.last_mut().is_some() && list.first.len() >= PLAIN / 4);
    }

    #[test]
    fn a_row_takes_as_many_bits_as_it_needs() {
        let mut list = Packed::default();
        for number in 0..100_000 {
            list.push(Numbers([7, number, 1_000_000 + number % 4]));
            list.pack();
        }
        // Of the second column 6 bits differ within a block, of the third 2.
        assert!((100_000..100_000 + 100_000 / BLOCK * 80).contains(&list.bytes()), "{}", list.bytes());
        assert_eq!(contents(&list).back(), Some(&Numbers([7, 99_999, 1_000_003])));
    }
}
