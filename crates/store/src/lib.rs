//! Visited sets: where a search keeps the states that it has seen.
//!
//! A store knows nothing about slots or processes: a state is a slice of words, its [`Key`]. It gives each state a number
//! or a handle. A store has a limit and reports [`Full`] when it is reached; it never aborts the program. Stores are
//! [`Shared`] by threads, and each thread has a [`Worker`].
//!
//! | store | what it keeps of a state |
//! |---|---|
//! | [`Cleary`] | a pair of numbers, one for each half: six to seven bytes. The handle is the pair |
//! | [`Numbered`] | the same pair with a number, for searches that keep something for each state |
//! | [`Table`] | all its words |
//! | [`HashCompact`] | a hash of 64 bits |
//! | [`Bitstate`] | a few bits |
//!
//! The last two may miss states, and estimate the probability of that. A handle of [`Cleary`] survives growth, and gives
//! the state back without a search in a table. The compressed stores compare a successor with its parent, so that only
//! halves that have changed are looked up. Puts are staged and flushed in batches, so that memory is fetched ahead.
//! Threads insert without locks; a table is replaced while no thread is inside the section (`section.rs`).
//!
//! Threads write to shared memory as rarely as possible. Each worker counts its insertions in a place of its own, and
//! tells a shard of the set once they are 1/128 of the load with which the shard grows. Small tables are written to when
//! they are made: a page that is read first is mapped twice, and the second mapping interrupts all processors. A worker
//! that waits for a table to grow polls for a while before it sleeps.
//!
//! Unsafe code is in `memory.rs`, `section.rs` and `vector.rs` only.

mod bitstate;
mod changes;
mod cleary;
mod cleary_table;
mod coder;
mod cut;
mod hash_compact;
mod interner;
mod key;
mod layout;
mod line;
mod lines;
mod lookups;
mod memory;
mod numbered;
mod permits;
mod recent;
mod rows;
mod section;
mod shared;
mod sync;
mod table;
mod vector;

pub use bitstate::Bitstate;
pub use cleary::Cleary;
pub use cut::Cut;
pub use hash_compact::HashCompact;
pub use key::{Key, KeyBuffer, Keys};
pub use memory::{resident, return_large, trim};
pub use numbered::Numbered;
pub use shared::{Arrival, Family, Handle, Newcomer, Shared, Worker};
pub use table::Table;

/// Why a store takes no more states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// There is no memory left for it.
    Memory,
    /// It holds as many states as it may.
    States,
}

/// How much a store may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory.
    pub bytes: u64,
    /// Number of states.
    pub states: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: u64::MAX, states: u64::MAX }
    }
}
