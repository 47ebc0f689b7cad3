//! Atomics, locks and waiting, in one place: with the feature `shuttle` they are those of shuttle,
//! which runs a test under many schedules.
//!
//! Only what decides about the order of things goes through here: slots, lines, the growth section.
//! The contents of arenas are written before they are published and never change, so they are plain
//! atomics of the standard library, and shuttle need not look at them.

#[cfg(feature = "shuttle")]
pub(crate) use shuttle::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};
#[cfg(not(feature = "shuttle"))]
pub(crate) use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};

/// Something on lines of memory of its own: what is often written by one thread does not keep another from reading
/// what lies beside it. (Lines are fetched in pairs.)
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Apart<T>(pub T);

impl<T> std::ops::Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Lets others go on, in a loop that waits for them. `round` counts the turns of the loop: who waits
/// long gives up the processor.
pub(crate) fn pause(round: u32) {
    #[cfg(feature = "shuttle")]
    {
        let _ = round;
        shuttle::thread::yield_now();
    }
    #[cfg(not(feature = "shuttle"))]
    if round < 200 {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

/// Locks, whoever has panicked meanwhile: what the locks of this crate protect is right after every
/// single assignment.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
