//! The rows of states while they are worked on: those that were read, and those that are to be looked up.

use crate::changes::Change;
use crate::interner::{Guess, hash, prefetch_slot};
use crate::layout::{Layout, Pair, ROW, entry};
use crate::rows::Rows;

/// The rows of halves, which are read when they are needed.
#[derive(Default)]
pub(crate) struct Unrolled {
    /// How long the state is.
    len: usize,
    pub rows: Vec<u64>,
    /// The halves whose rows these are.
    read: [Option<u32>; 2],
}

impl Unrolled {
    /// Reads the rows of a half, if they are those of another one.
    #[inline(always)]
    pub fn read(&mut self, side: usize, half: u32, layout: &Layout, rows: &Rows) {
        if self.read[side] != Some(half) || self.len != layout.places.len() {
            self.read_others(side, half, layout, rows);
        }
    }

    fn read_others(&mut self, side: usize, half: u32, layout: &Layout, rows: &Rows) {
        if self.len != layout.places.len() || self.rows.is_empty() {
            self.len = layout.places.len();
            self.rows.clear();
            self.rows.resize(layout.n_row_words, 0);
            self.read = [None; 2];
        }
        for (at, node) in layout.nodes.iter().enumerate().filter(|(_, node)| node.side == side) {
            let (interner, id) = match at {
                0 => (&rows.left, half),
                1 => (&rows.right, half),
                _ => (&rows.parts, entry(&self.rows, node.place)),
            };
            interner.read(id, &mut self.rows[node.first..node.first + node.len]);
        }
        self.read[side] = Some(half);
    }

    /// Reads the rows of both halves.
    pub fn read_both(&mut self, halves: [u32; 2], layout: &Layout, rows: &Rows) {
        (0..2).for_each(|side| self.read(side, halves[side], layout, rows));
    }

    /// The row of a half.
    #[inline(always)]
    pub fn top(&self, side: usize) -> &[u64; ROW] {
        top(&self.rows, side)
    }
}

/// Halves to look up. They are made where they stay: to move them would mean to read in one piece what was
/// just written in several, which processors are slow at.
#[derive(Default)]
pub(crate) struct Lookups {
    /// The first `n` count.
    pub list: Vec<Lookup>,
    pub n: usize,
}

/// A half to look up.
#[derive(Clone, Default)]
pub(crate) struct Lookup {
    /// The row, of which `len` words count. The others are zero.
    pub row: [u64; ROW],
    pub hash: u64,
    pub class: u32,
    pub len: u32,
    /// Which of the staged states it is a half of.
    pub owner: usize,
    pub guess: Option<Guess>,
    /// What to remember the number by, once it is known.
    pub change: Option<Change>,
}

impl Lookups {
    /// A new one with a row that is still to be changed. See [`Lookup::finish`].
    #[inline(always)]
    pub fn add(&mut self, row: &[u64; ROW], owner: usize) -> &mut Lookup {
        if self.n == self.list.len() {
            self.list.resize(2 * self.n + 64, Lookup::default());
        }
        self.n += 1;
        let lookup = &mut self.list[self.n - 1];
        lookup.row = *row;
        lookup.owner = owner;
        lookup.change = None;
        lookup
    }

    /// Takes the last one back.
    pub fn drop_last(&mut self) {
        self.n -= 1;
    }

    pub fn clear(&mut self) {
        self.n = 0;
    }
}

impl Lookup {
    /// Sets all but the row.
    #[inline(always)]
    pub fn finish(&mut self, node: &Pair, slots: (usize, usize)) {
        self.hash = hash(&self.row[..node.len], node.weight);
        self.class = node.weight as u32;
        self.len = node.len as u32;
        prefetch_slot(slots, self.hash);
    }
}

/// The row of a half.
#[inline(always)]
pub(crate) fn top(rows: &[u64], side: usize) -> &[u64; ROW] {
    rows[side * ROW..].first_chunk().expect("halves have their place")
}
