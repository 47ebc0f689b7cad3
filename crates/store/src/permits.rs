//! The limit on the number of states, which is kept exactly.
//!
//! A worker takes a permit for each state that it may insert and gives back those that it did not need.
//! Far from the limit it takes a whole batch's at once. Near it, one at a time, when it is sure to need
//! it; if there is none, somebody else may still give some back, and only when all are used for good is the
//! store full. Permits are held only inside the section, so nobody waits for long.

use std::sync::atomic::{AtomicU64, Ordering};

/// Permits to insert states.
pub(crate) struct Permits {
    limit: u64,
    left: AtomicU64,
}

impl Permits {
    pub fn new(limit: u64) -> Permits {
        Permits { limit, left: AtomicU64::new(limit) }
    }

    /// Whether there is no limit: then nothing needs to be taken.
    pub fn is_unlimited(&self) -> bool {
        self.limit == u64::MAX
    }

    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Takes `n` permits, if there are far more.
    pub fn take_many(&self, n: u64) -> bool {
        let far = |left: u64| (left / 16 > n).then(|| left - n);
        self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, far).is_ok()
    }

    /// Takes one permit, if there is one.
    pub fn take_one(&self) -> bool {
        self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1)).is_ok()
    }

    pub fn give_back(&self, n: u64) {
        if n > 0 {
            self.left.fetch_add(n, Ordering::AcqRel);
        }
    }
}
