//! Visited sets: where a search keeps the states that it has seen.
//!
//! A store knows nothing about slots or processes: a state is a slice of words. It gives each state a
//! number or a handle. A store has a limit and reports [`Full`] when it is reached; it never aborts the
//! program.
//!
//! Stores for one thread are a [`Store`]; those that threads share are [`Shared`], and each thread has a
//! [`Worker`]. Unsafe code is in `memory.rs` and `section.rs` only.

mod bitstate;
mod compact;
mod cut;
mod dense;
mod hashed;
mod interner;
mod layout;
mod line;
mod lines;
mod memory;
mod permits;
mod plain;
mod root;
mod rows;
mod section;
mod shared;
mod sync;
mod table;

pub use bitstate::Bitstate;
pub use compact::Compact;
pub use cut::Cut;
pub use dense::Dense;
pub use hashed::HashCompact;
pub use plain::Plain;
pub use shared::{Arrival, Handle, Shared, Worker};
pub use table::Table;

/// What inserting a state has led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insert {
    /// The state is new and has this number.
    New(u32),
    /// The state was there already, with this number.
    Seen(u32),
}

impl Insert {
    /// The number of the state.
    pub fn id(self) -> u32 {
        match self {
            Insert::New(id) | Insert::Seen(id) => id,
        }
    }
}

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

/// A set of states that remembers them exactly.
///
/// Hashing and inserting are two calls, so that a search can hash all successors of a state and
/// have their places fetched before it looks at the first.
pub trait Store {
    /// The hash of a state, for [`Store::insert_hashed`]. The same in every run.
    fn hash(&self, state: &[u64]) -> u64;

    /// Inserts a state whose hash is known.
    ///
    /// # Errors
    /// If a new state does not fit within the limits. The store is unchanged then.
    fn insert_hashed(&mut self, state: &[u64], hash: u64) -> Result<Insert, Full>;

    /// The state with a number that the store has given.
    fn get(&self, id: u32) -> &[u64];

    /// The number of states.
    fn len(&self) -> usize;

    /// The memory that the store takes, in bytes.
    fn bytes(&self) -> u64;

    /// Inserts a state.
    ///
    /// # Errors
    /// As for [`Store::insert_hashed`].
    fn insert(&mut self, state: &[u64]) -> Result<Insert, Full> {
        self.insert_hashed(state, self.hash(state))
    }

    /// True if there is no state.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
