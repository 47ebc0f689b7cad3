//! States as two numbers: what the compressed stores have in common.
//!
//! A word that needs 31 bits at most is its own code; any other is interned. Codes make rows, rows make
//! halves (`layout.rs`), and a state is the pair of the numbers of its halves. Left and right halves are
//! interned apart, which keeps both kinds of numbers small.
//!
//! What a worker needs to turn states into pairs and back is in `coder.rs`.

use crate::Full;
use crate::cut::Cut;
use crate::interner::{Interner, Short, Stock, hash};
use crate::layout::MAX_FAN_OUT;
use crate::memory::Budget;
use crate::section::{Alone, Grow, Seat, Section};

/// Codes with this bit are numbers of words, codes without it are words.
pub(crate) const INTERNED: u32 = 1 << 31;
/// The size of a worker's cache of codes.
const CACHE_BITS: u32 = 10;

/// The rows of all states.
pub(crate) struct Rows {
    pub words: Interner,
    /// Rows below the halves.
    pub parts: Interner,
    pub left: Interner,
    pub right: Interner,
    pub cut: Cut,
    pub fan_out: usize,
}

/// Which table is too small, and how many slots it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Words(usize),
    Parts(usize),
    Left(usize),
    Right(usize),
    /// There is no more memory, whatever grows.
    Memory,
}

/// A store that has rows.
pub(crate) trait Host: Grow {
    fn rows(&self) -> &Rows;
    fn section(&self) -> &Section;
    fn budget(&self) -> &Budget;

    /// Grows a table of the rows. The caller is not inside.
    #[cold]
    fn grow_rows(&self, need: Need) -> Result<(), Full>
    where
        Self: Sized,
    {
        let rows = self.rows();
        let (interner, n_slots) = match need {
            Need::Words(n_slots) => (&rows.words, n_slots),
            Need::Parts(n_slots) => (&rows.parts, n_slots),
            Need::Left(n_slots) => (&rows.left, n_slots),
            Need::Right(n_slots) => (&rows.right, n_slots),
            Need::Memory => return Err(Full::Memory),
        };
        let grow = |alone: &Alone| interner.grow(n_slots, self.budget(), alone);
        self.section().close(self, |_| Vec::new(), grow)
    }
}

impl Rows {
    pub fn new(cut: Cut, fan_out: usize) -> Rows {
        assert!((2..=MAX_FAN_OUT).contains(&fan_out), "rows have two to {MAX_FAN_OUT} entries");
        Rows {
            words: Interner::new(INTERNED - 1),
            parts: Interner::new(u32::MAX - 1),
            left: Interner::new(u32::MAX - 1),
            right: Interner::new(u32::MAX - 1),
            cut,
            fan_out,
        }
    }
}

/// A worker's part of turning words into codes.
pub(crate) struct Codes {
    cache: Box<[(u64, u32); 1 << CACHE_BITS]>,
    stock: Stock,
}

impl Codes {
    pub fn new() -> Codes {
        Codes { cache: Box::new([(0, 0); 1 << CACHE_BITS]), stock: Stock::default() }
    }

    /// The code of a word.
    #[inline(always)]
    pub fn code(&mut self, word: u64, host: &impl Host, seat: &Seat) -> Result<u32, Full> {
        if word < u64::from(INTERNED) {
            return Ok(word as u32);
        }
        let at = (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - CACHE_BITS)) as usize;
        match self.cache[at] {
            (cached, code) if cached == word => Ok(code),
            _ => {
                let code = self.intern(word, host, seat)?;
                self.cache[at] = (word, code);
                Ok(code)
            }
        }
    }

    #[cold]
    fn intern(&mut self, word: u64, host: &impl Host, seat: &Seat) -> Result<u32, Full> {
        let hash = hash(&[word], 1);
        loop {
            let inside = host.section().enter(seat, host);
            match host.rows().words.intern(&[word], 1, hash, &mut self.stock, host.budget(), &inside) {
                Ok((id, _)) => return Ok(id | INTERNED),
                Err(short) => {
                    drop(inside);
                    host.grow_rows(short.of(Need::Words))?;
                }
            }
        }
    }
}

impl Short {
    pub fn of(self, table: impl FnOnce(usize) -> Need) -> Need {
        match self {
            Short::Slots(n_slots) => table(n_slots),
            Short::Memory => Need::Memory,
        }
    }
}
