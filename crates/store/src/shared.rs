//! Sets of states that threads share.
//!
//! Each thread has a [`Worker`]. It puts the successors of states, which are compared with these, and flushes
//! them a batch at a time: the places in memory that a batch needs are fetched while others of the batch are
//! worked on.

use std::ops::Range;

use crate::{Full, Key, KeyBuffer, Keys};

/// A state of a shared store, for ever: it stays right when the store grows.
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
    /// Whether the store did not have it before.
    pub is_new: bool,
    /// Whether its flag was set: see [`Worker::flag`].
    pub flagged: bool,
}

impl Arrival {
    /// The state's number, in a store that numbers its states.
    pub fn id(&self) -> u32 {
        self.handle.0 as u32
    }
}

/// A state that the store did not have when it was put.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Newcomer {
    /// How many were put before it, since the last flush.
    pub number: u32,
    /// The state.
    pub handle: Handle,
}

/// States that a stored one leads to: `n` of `len` words each, at equal distances.
#[derive(Clone, Debug, Default)]
pub struct Family {
    /// The stored state.
    pub parent: Handle,
    /// Where the words of its key are among those of all parents. It must be the key that the store gives back:
    /// children are made from the parent's halves, and from where their words differ from these.
    pub words: Range<u32>,
    /// Where the words of the first are.
    pub first: u32,
    /// How many words each of them has.
    pub len: u32,
    /// From one to the next.
    pub distance: u32,
    /// How many there are.
    pub n: u32,
}

impl Family {
    /// Where the words of a state are among those of all children.
    #[inline]
    pub fn child(&self, at: u32) -> Range<usize> {
        let start = self.first as usize + at as usize * self.distance as usize;
        start..start + self.len as usize
    }
}

/// A set of states that threads share.
pub trait Shared: Sync {
    /// What a thread works with: one for each. It has caches and the batch.
    fn worker(&self) -> Box<dyn Worker + '_>;

    /// The number of states. Exact while no worker is flushing.
    fn len(&self) -> u64;

    /// True if there is no state.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory that the store takes, in bytes: tables as allocated, and what is in use of memory
    /// that is only reserved.
    fn bytes(&self) -> u64;

    /// Says how much of the store's limit others have taken meanwhile: what it takes from now on has to fit
    /// beside that. A store of a fixed size does not care.
    fn set_aside(&self, _bytes: u64) {}

    /// The probability that a state was taken for another one and left out, as far as it can be
    /// estimated; none in a store that remembers states exactly.
    fn omission(&self) -> Option<f64> {
        None
    }
}

/// A thread's access to a shared store.
pub trait Worker: Send {
    /// Whether states can be had back from handles.
    fn keeps(&self) -> bool;

    /// Turns to a stored state: its key replaces `out`. States put from now on are compared with it.
    ///
    /// The handle comes from this store; if another thread has inserted the state, the handle has come from
    /// there by something that synchronises, as a lock or a queue does. A store that does not keep states
    /// leaves `out` alone.
    fn open(&mut self, handle: Handle, out: &mut KeyBuffer);

    /// Has the memory fetched that [`Worker::open`] needs.
    fn prefetch(&self, handle: Handle);

    /// Puts a state: it is inserted with the next [`Worker::flush`]. The less it differs from the one
    /// opened last the faster; any difference is allowed.
    fn put(&mut self, state: Key<'_>);

    /// Puts the states that stored ones lead to, in this order: the keys of the former are in `children`, those of the
    /// latter, as the store gives them back, in `parents`. With those they are compared, if the store can do that;
    /// otherwise as [`Worker::put`] does. A family without words has no parent.
    fn put_families(&mut self, _parents: Keys<'_>, children: Keys<'_>, families: &[Family]) {
        for family in families {
            (0..family.n).for_each(|at| self.put(children.key(family.child(at))));
        }
    }

    /// How many states are put and not flushed.
    fn n_waiting(&self) -> usize;

    /// Inserts everything put and appends an arrival for each, in the order of the puts. Of equal
    /// states in one batch the first can be new, the others are not.
    ///
    /// # Errors
    /// If a new state does not fit within the limits. Arrivals appended so far are right; the rest of
    /// the batch is dropped. The store stays usable.
    fn flush(&mut self, out: &mut Vec<Arrival>) -> Result<(), Full>;

    /// As [`Worker::flush`], for those who ask for new states only, which are appended: it is faster, if states are put
    /// several times. Says, too, for how many states it is known whether they are new: for all, if there is no error.
    fn flush_new(&mut self, out: &mut Vec<Newcomer>) -> (usize, Result<(), Full>) {
        let mut arrivals = Vec::new();
        let result = self.flush(&mut arrivals);
        let new = arrivals.iter().enumerate().filter(|(_, arrival)| arrival.is_new);
        out.extend(new.map(|(at, arrival)| Newcomer { number: at as u32, handle: arrival.handle }));
        (arrivals.len(), result)
    }

    /// Sets the flag of a stored state. Says whether it was clear: of all threads that flag a state
    /// exactly one hears `true`.
    fn flag(&mut self, handle: Handle) -> bool;

    /// Whether the flag of a stored state is set.
    fn is_flagged(&mut self, handle: Handle) -> bool;
}
