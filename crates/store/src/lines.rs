//! Tables of buckets, which are lines of memory, cut from one pool.
//!
//! Shards of a set are tables of middling size, too small for huge pages of their own. So those that are
//! not tiny are made of chunks of a common pool, which is in huge pages. A chunk that one table has freed
//! serves the next, whatever sizes they have.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Full;
use crate::memory::{Atom, Budget, Reserve, Table};

/// The lines of a chunk. A window of buckets never crosses the border of a chunk.
pub(crate) const CHUNK: usize = 1 << 10;
/// The words in a chunk.
const CHUNK_WORDS: usize = CHUNK * 8;
/// The most words in a pool.
const POOL: u64 = 1 << if cfg!(feature = "shuttle") { 16 } else { 38 };

/// Memory for tables.
pub(crate) struct Pool {
    memory: Reserve,
    supply: Mutex<Supply>,
}

#[derive(Default)]
struct Supply {
    /// How many chunks have been in use.
    n_chunks: u32,
    /// Those that are free again.
    free: Vec<u32>,
    paid: u64,
}

/// A table of zeros, divided into parts of up to [`CHUNK`] lines.
pub(crate) enum Lines<T> {
    /// One part only, on its own.
    Few(Table<T>),
    Many {
        chunks: Box<[u32]>,
        pool: Arc<Pool>,
    },
}

impl Pool {
    pub fn new() -> Arc<Pool> {
        Arc::new(Pool { memory: Reserve::new(POOL, 1), supply: Mutex::default() })
    }

    /// Takes a chunk of zeros.
    fn take(&self, budget: &Budget) -> Result<u32, Full> {
        let mut supply = self.supply.lock().unwrap_or_else(PoisonError::into_inner);
        let chunk = match supply.free.pop() {
            Some(chunk) => chunk,
            None => {
                let chunk = supply.n_chunks;
                let end = (u64::from(chunk) + 1) * CHUNK_WORDS as u64;
                self.memory.pay(end, &mut supply.paid, budget)?;
                supply.n_chunks += 1;
                chunk
            }
        };
        drop(supply);
        // Fresh ones, too: they are zero, but a page that is read before it is written to costs two faults.
        self.memory.clear(chunk as usize * CHUNK_WORDS, CHUNK_WORDS);
        Ok(chunk)
    }

    fn give_back(&self, chunks: &[u32]) {
        self.supply.lock().unwrap_or_else(PoisonError::into_inner).free.extend_from_slice(chunks);
    }
}

impl<T: Atom> Lines<T> {
    pub fn empty() -> Lines<T> {
        Lines::Few(Table::empty())
    }

    /// A table of so many lines of `n_lanes` each: up to [`CHUNK`], or a multiple of that.
    pub fn new(n_lines: usize, n_lanes: usize, pool: &Arc<Pool>, budget: &Budget) -> Result<Lines<T>, Full> {
        if n_lines <= CHUNK {
            return Ok(Lines::Few(Table::new(n_lines * n_lanes, budget)?));
        }
        let mut chunks = Vec::new();
        while chunks.len() < n_lines.div_ceil(CHUNK) {
            match pool.take(budget) {
                Ok(chunk) => chunks.push(chunk),
                Err(full) => {
                    pool.give_back(&chunks);
                    return Err(full);
                }
            }
        }
        Ok(Lines::Many { chunks: chunks.into(), pool: pool.clone() })
    }

    pub fn release(self, budget: &Budget) {
        match self {
            Lines::Few(table) => table.release(budget),
            Lines::Many { chunks, pool } => pool.give_back(&chunks),
        }
    }

    /// The part that a line is in, and the line's number there. Empty if there is no such line.
    #[inline(always)]
    pub fn part(&self, line: u32) -> (&[T], u32) {
        match self {
            Lines::Few(table) => (table, line),
            Lines::Many { chunks, pool } => {
                let chunk = chunks[line as usize / CHUNK] as usize;
                (pool.memory.cast(chunk * CHUNK_WORDS, CHUNK_WORDS), line % CHUNK as u32)
            }
        }
    }

    /// All parts.
    pub fn parts(&self) -> impl Iterator<Item = &[T]> {
        let n_parts = match self {
            Lines::Few(_) => 1,
            Lines::Many { chunks, .. } => chunks.len(),
        };
        (0..n_parts).map(|part| self.part((part * CHUNK) as u32).0)
    }
}
