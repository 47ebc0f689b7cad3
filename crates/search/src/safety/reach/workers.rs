//! Threads that share work.
//!
//! Each has work of its own, and gives half of it away when somebody has none ([`Workers::is_hungry`],
//! [`Workers::give`]). Who has none waits in [`Workers::take`] until there is some, or until nobody can give
//! any more: everything is done.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// What threads give to each other.
pub struct Workers<Work> {
    n_threads: usize,
    pool: Mutex<Pool<Work>>,
    changed: Condvar,
    /// How many wait, less the pieces of work that lie there for them.
    hungry: AtomicUsize,
    /// Set when the search is to end, whatever work is left.
    over: AtomicBool,
}

struct Pool<Work> {
    pieces: Vec<Work>,
    n_waiting: usize,
}

impl<Work> Workers<Work> {
    /// A crew with the first piece of work.
    pub fn new(n_threads: usize, first: Work) -> Workers<Work> {
        Workers {
            n_threads,
            pool: Mutex::new(Pool { pieces: vec![first], n_waiting: 0 }),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        }
    }

    /// Whether somebody waits for work. (Relaxed: a late answer only makes that one wait longer.)
    pub fn is_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// Gives work away.
    pub fn give(&self, work: Work) {
        let mut pool = self.lock();
        pool.pieces.push(work);
        self.note_hungry(&pool);
        self.changed.notify_one();
    }

    /// Takes a piece of work; waits for it if there is none. None if everything is done, or the search
    /// is over.
    pub fn take(&self) -> Option<Work> {
        let mut pool = self.lock();
        pool.n_waiting += 1;
        loop {
            if self.is_over() {
                return None;
            }
            if let Some(work) = pool.pieces.pop() {
                pool.n_waiting -= 1;
                self.note_hungry(&pool);
                return Some(work);
            }
            if pool.n_waiting == self.n_threads {
                self.end();
                return None;
            }
            self.note_hungry(&pool);
            pool = self.changed.wait(pool).expect("no thread panics while it holds the pool");
        }
    }

    /// Ends the search: nobody gets any more work.
    pub fn stop(&self) {
        let _pool = self.lock();
        self.end();
    }

    /// Whether the search is over. (Relaxed: what led to it is told under a lock.)
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Ends the search if this thread panics: the others must not wait for it.
    pub fn watch(&self) -> Watch<'_, Work> {
        Watch(self)
    }

    fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn note_hungry(&self, pool: &Pool<Work>) {
        self.hungry.store(pool.n_waiting.saturating_sub(pool.pieces.len()), Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Pool<Work>> {
        self.pool.lock().expect("no thread panics while it holds the pool")
    }
}

/// What [`Workers::watch`] gives.
pub struct Watch<'a, Work>(&'a Workers<Work>);

impl<Work> Drop for Watch<'_, Work> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn all_work_is_done_once_by_any_number_of_threads() {
        for n_threads in [1, 2, 3, 8] {
            // A piece of work n stands for 2^n units; it is split or done.
            let crew = Workers::new(n_threads, 12);
            let done = AtomicU64::new(0);
            std::thread::scope(|scope| {
                for _ in 0..n_threads {
                    scope.spawn(|| {
                        while let Some(first) = crew.take() {
                            let mut own = vec![first];
                            while let Some(work) = own.pop() {
                                if work == 0 {
                                    done.fetch_add(1, Ordering::Relaxed);
                                    continue;
                                }
                                own.push(work - 1);
                                if crew.is_hungry() { crew.give(work - 1) } else { own.push(work - 1) }
                            }
                        }
                    });
                }
            });
            assert_eq!(done.into_inner(), 1 << 12, "{n_threads} threads");
        }
    }

    #[test]
    fn nobody_waits_for_a_thread_that_has_panicked() {
        let crew = Workers::new(2, ());
        let panicked = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let _watch = crew.watch();
                crew.take();
                // The hook would print it.
                std::panic::resume_unwind(Box::new("on purpose"));
            });
            while !crew.is_over() {
                std::thread::yield_now();
            }
            thread.join().is_err()
        });
        assert!(panicked && crew.take().is_none());
    }

    #[test]
    fn who_waits_is_woken_when_the_search_is_over() {
        let crew = Workers::new(2, ());
        assert!(crew.take().is_some());
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(crew.take().is_none()));
            while !crew.is_hungry() {
                std::thread::yield_now();
            }
            crew.stop();
        });
        assert!(crew.is_over());
    }
}
