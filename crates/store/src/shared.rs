//! The interface of sets that threads share.

use crate::Full;

/// A state of a shared set, for ever: it stays valid when the set grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(pub u64);

impl From<u32> for Handle {
    fn from(id: u32) -> Handle {
        Handle(u64::from(id))
    }
}

/// What has become of a state that was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The state.
    pub handle: Handle,
    /// Whether it was not there before.
    pub is_new: bool,
    /// Whether its flag is set.
    pub flagged: bool,
}

impl Arrival {
    /// The state's number, in a set that numbers its states from 0.
    pub fn id(&self) -> u32 {
        self.handle.0 as u32
    }
}

/// A set of states that threads share.
pub trait Shared: Sync {
    /// What a thread needs to use the set: one for each.
    fn worker(&self) -> Box<dyn Worker + '_>;

    /// The number of states.
    fn len(&self) -> u64;

    /// True if there is no state.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory that the set takes, in bytes.
    fn bytes(&self) -> u64;
}

/// A thread's view of a set of states.
///
/// States are put one after the other and inserted together: so their places in memory can be fetched
/// while others are put.
pub trait Worker: Send {
    /// Whether states can be had back from their handles; not so in a set that keeps only hashes.
    fn keeps(&self) -> bool;

    /// Turns to a stored state: its words replace `out`. States that are put from now on are compared
    /// with it.
    fn open(&mut self, handle: Handle, out: &mut Vec<u64>);

    /// Has the memory fetched that [`Worker::open`] will look at.
    fn prefetch(&self, handle: Handle);

    /// Puts a state: it is inserted with the next [`Worker::flush`]. The more it has in common with the
    /// state opened last the faster this is.
    fn put(&mut self, state: &[u64]);

    /// How many states are put and not flushed.
    fn n_waiting(&self) -> usize;

    /// Inserts what was put, and appends an arrival for each, in this order.
    ///
    /// # Errors
    /// If a new state does not fit within the limits. What is appended is right; the other states that
    /// were put are forgotten.
    fn flush(&mut self, out: &mut Vec<Arrival>) -> Result<(), Full>;

    /// Sets the flag of a stored state. Says whether it was clear: to one thread only.
    fn flag(&mut self, handle: Handle) -> bool;
}
