//! The limit on the number of states, which is kept exactly.
//!
//! A worker takes a permit for each state that it may insert and gives back those that it did not need.
//! Far from the limit it takes a whole batch's at once. Near it, one at a time, when it is sure to need
//! it; if there is none, somebody else may still give some back, and only when all are used for good is the
//! store full. Permits are held only inside the section, so nobody waits for long.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::sync::pause;
use crate::{Arrival, Full};

/// Permits to insert states.
pub(crate) struct Permits {
    limit: u64,
    left: AtomicU64,
}

/// Somebody who inserts states, inside the section.
pub(crate) trait Insert {
    /// A state, somehow.
    type Item;
    /// Why a state cannot be inserted.
    type Stop: From<Full>;

    /// Looks a state up.
    fn find(&mut self, item: &Self::Item) -> Option<Arrival>;
    /// Inserts a state, if it is not there.
    fn put(&mut self, item: &Self::Item) -> Result<Arrival, Self::Stop>;
    /// The number of states, as soon as nobody is inserting any. Those that this one has inserted are among them,
    /// also for others who ask.
    fn n_stored(&self) -> u64;
}

impl Permits {
    pub fn new(limit: u64) -> Permits {
        Permits { limit, left: AtomicU64::new(limit) }
    }

    /// Inserts states, as far as it is allowed.
    #[inline]
    pub fn insert_all<I: Insert>(
        &self,
        items: &[I::Item],
        inserter: &mut I,
        out: &mut Vec<Arrival>,
    ) -> Result<(), I::Stop> {
        let n = items.len() as u64;
        if self.limit == u64::MAX {
            return insert_freely(items, inserter, out);
        }
        if self.take_many(n) {
            let begin = out.len();
            let result = insert_freely(items, inserter, out);
            let n_new = out[begin..].iter().filter(|arrival| arrival.is_new).count();
            self.give_back(n - n_new as u64);
            return result;
        }
        for item in items {
            out.push(self.insert_one(item, inserter)?);
        }
        Ok(())
    }

    /// Inserts a state, near the limit.
    fn insert_one<I: Insert>(&self, item: &I::Item, inserter: &mut I) -> Result<Arrival, I::Stop> {
        let mut turns = 0;
        loop {
            if let Some(arrival) = inserter.find(item) {
                return Ok(arrival);
            }
            if self.take_one() {
                break;
            }
            // All states are counted that will ever be: nobody has a permit that might come back.
            if inserter.n_stored() >= self.limit {
                return Err(Full::States.into());
            }
            pause(turns);
            turns += 1;
        }
        let put = inserter.put(item);
        if !matches!(put, Ok(Arrival { is_new: true, .. })) {
            self.give_back(1);
        }
        put
    }

    /// Takes `n` permits, if there are far more.
    fn take_many(&self, n: u64) -> bool {
        let far = |left: u64| (left / 16 > n).then(|| left - n);
        self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, far).is_ok()
    }

    /// Takes one permit, if there is one.
    fn take_one(&self) -> bool {
        self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1)).is_ok()
    }

    fn give_back(&self, n: u64) {
        if n > 0 {
            self.left.fetch_add(n, Ordering::AcqRel);
        }
    }
}

#[inline]
fn insert_freely<I: Insert>(
    items: &[I::Item],
    inserter: &mut I,
    out: &mut Vec<Arrival>,
) -> Result<(), I::Stop> {
    for item in items {
        out.push(inserter.put(item)?);
    }
    Ok(())
}
