//! Visited sets: where a search keeps the states that it has seen.
//!
//! A store knows nothing about slots or processes: a state is a slice of words, its [`Key`]. It gives each state a
//! number or a handle. A store has a limit and reports [`Full`] when it is reached; it never aborts the
//! program.
//!
//! Stores are [`Shared`] by threads, and each thread has a [`Worker`]. Unsafe code is in `memory.rs`,
//! `section.rs` and `vector.rs` only.

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
