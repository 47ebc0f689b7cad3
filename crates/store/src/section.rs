//! Growth: when tables are replaced, nobody may be looking at them.
//!
//! Whoever looks at a table is [`Inside`] the section; entering it costs one write to memory of one's
//! own. Whoever wants to replace tables asks everybody to stay out, waits until nobody is inside, and
//! does it. Those who come meanwhile help: they take tables to grow from a list.
//!
//! Nobody waits for anything while inside but for a lock that is held for some additions, so the wait for others to
//! leave is short.

use std::cell::UnsafeCell;
use std::sync::Arc;

use crate::sync::{AtomicBool, AtomicU32, Condvar, Mutex, MutexGuard, Ordering, lock, pause};

/// Who may look at tables and when they may be replaced. A store has one.
pub(crate) struct Section {
    /// Whether somebody wants everybody to stay out.
    closed: AtomicBool,
    seats: Mutex<Vec<Arc<Seat>>>,
    round: Mutex<Round>,
    /// Counts news: that there are tasks, that the last is done, that the section is open again.
    n_news: AtomicU32,
    /// Wakes those who have waited long when there are news.
    news: Condvar,
}

/// What goes on while the section is closed.
struct Round {
    /// Whether somebody has closed the section, or is about to.
    closing: bool,
    tasks: Vec<usize>,
    n_running: usize,
    /// How many sleep until there are news.
    n_asleep: usize,
}

/// How often one looks for news before going to sleep: to grow a shard takes about as long as to wake up.
const PATIENCE: u32 = if cfg!(feature = "shuttle") { 1 } else { 1000 };

/// A worker's place in the section, on lines of its own.
#[repr(align(128))]
pub(crate) struct Seat {
    inside: AtomicBool,
}

/// Somebody who can grow a part of a store.
pub(crate) trait Grow: Sync {
    /// Does a task of the list that the present round has. Nobody else does the same task.
    fn perform(&self, task: usize, alone: &Alone);
}

/// Proof that the section is closed and nobody inside, and that a task belongs to its owner.
pub(crate) struct Alone(());

/// Being inside.
pub(crate) struct Inside<'a> {
    seat: &'a Seat,
}

impl Section {
    pub fn new() -> Section {
        Section {
            closed: AtomicBool::new(false),
            seats: Mutex::new(Vec::new()),
            round: Mutex::new(Round { closing: false, tasks: Vec::new(), n_running: 0, n_asleep: 0 }),
            n_news: AtomicU32::new(0),
            news: Condvar::new(),
        }
    }

    /// A new worker's seat.
    pub fn seat(&self) -> Arc<Seat> {
        let seat = Arc::new(Seat { inside: AtomicBool::new(false) });
        lock(&self.seats).push(seat.clone());
        seat
    }

    /// A worker leaves for good.
    pub fn give_up(&self, seat: &Arc<Seat>) {
        lock(&self.seats).retain(|other| !Arc::ptr_eq(other, seat));
    }

    /// How many workers there are.
    pub fn n_seats(&self) -> usize {
        lock(&self.seats).len()
    }

    /// Enters, after helping if the section is closed.
    #[inline]
    pub fn enter<'a>(&self, seat: &'a Seat, store: &impl Grow) -> Inside<'a> {
        loop {
            // Sequentially consistent, as is the closing: either we see that the section is closed, or
            // whoever closes it sees that we are inside.
            seat.inside.store(true, Ordering::SeqCst);
            if !self.closed.load(Ordering::SeqCst) {
                return Inside { seat };
            }
            seat.inside.store(false, Ordering::Release);
            let mut round = lock(&self.round);
            while round.closing {
                round = self.help_or_wait(round, store);
            }
        }
    }

    /// Closes the section and runs `own` alone. Before that, `plan` lists tasks for everybody who comes;
    /// all of them are done when this returns. The caller is not inside.
    pub fn close<R>(
        &self,
        store: &impl Grow,
        plan: impl FnOnce(&Alone) -> Vec<usize>,
        own: impl FnOnce(&Alone) -> R,
    ) -> R {
        let mut round = lock(&self.round);
        while round.closing {
            round = self.help_or_wait(round, store);
        }
        round.closing = true;
        drop(round);
        let reopen = Reopen { section: self };

        self.closed.store(true, Ordering::SeqCst);
        for seat in lock(&self.seats).iter() {
            // Acquire (and more): what they have written inside is seen from here on.
            let mut turns = 0;
            while seat.inside.load(Ordering::SeqCst) {
                pause(turns);
                turns += 1;
            }
        }
        let alone = Alone(());
        let tasks = plan(&alone);
        if !tasks.is_empty() {
            let mut round = lock(&self.round);
            round.tasks = tasks;
            self.tell(round);
        }
        let result = own(&alone);
        let mut round = lock(&self.round);
        while !round.tasks.is_empty() || round.n_running > 0 {
            round = self.help_or_wait(round, store);
        }
        drop(round);
        drop(reopen);
        result
    }

    /// Does one task, or waits for news if there is none.
    fn help_or_wait<'a>(
        &'a self,
        mut round: MutexGuard<'a, Round>,
        store: &impl Grow,
    ) -> MutexGuard<'a, Round> {
        let Some(task) = round.tasks.pop() else { return self.wait(round) };
        round.n_running += 1;
        drop(round);
        let done = Done { section: self };
        store.perform(task, &Alone(()));
        drop(done);
        lock(&self.round)
    }

    /// Waits for news.
    fn wait<'a>(&'a self, round: MutexGuard<'a, Round>) -> MutexGuard<'a, Round> {
        let n_known = self.n_news.load(Ordering::Relaxed);
        drop(round);
        let mut turns = 0;
        while turns < PATIENCE && self.n_news.load(Ordering::Relaxed) == n_known {
            pause(turns);
            turns += 1;
        }
        let mut round = lock(&self.round);
        while self.n_news.load(Ordering::Relaxed) == n_known {
            round.n_asleep += 1;
            round = self.news.wait(round).unwrap_or_else(|poisoned| poisoned.into_inner());
            round.n_asleep -= 1;
        }
        round
    }

    /// Tells the news that `round` has.
    fn tell(&self, round: MutexGuard<'_, Round>) {
        // Nobody else counts meanwhile, and those who see the count lock the round.
        self.n_news.store(self.n_news.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        let sleepers = round.n_asleep > 0;
        drop(round);
        if sleepers {
            self.news.notify_all();
        }
    }
}

/// Says that a task is done, also after a panic: nobody shall wait for it for ever.
struct Done<'a> {
    section: &'a Section,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        let mut round = lock(&self.section.round);
        round.n_running -= 1;
        if round.n_running == 0 && round.tasks.is_empty() {
            self.section.tell(round);
        }
    }
}

/// Opens the section again, also after a panic: then others may still be at tasks, and are waited for.
struct Reopen<'a> {
    section: &'a Section,
}

impl Drop for Reopen<'_> {
    fn drop(&mut self) {
        let mut round = lock(&self.section.round);
        round.tasks.clear();
        while round.n_running > 0 {
            round = self.section.wait(round);
        }
        // Release: who enters sees the new tables.
        self.section.closed.store(false, Ordering::SeqCst);
        round.closing = false;
        self.section.tell(round);
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        // Release: what was written inside is written before we are seen to have left.
        self.seat.inside.store(false, Ordering::Release);
    }
}

/// Something that is read inside the section and replaced while it is closed.
pub(crate) struct Guarded<T>(UnsafeCell<T>);

// SAFETY: shared only for reading, by those inside; written only by one who is alone.
unsafe impl<T: Send + Sync> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    pub fn new(value: T) -> Guarded<T> {
        Guarded(UnsafeCell::new(value))
    }

    /// Reads. `inside` must be of the section of the store that this belongs to: there is one per store.
    #[inline(always)]
    pub fn get<'a>(&'a self, _inside: &'a Inside) -> &'a T {
        // SAFETY: while somebody is inside, nobody is alone, so nobody writes; the reference ends
        // before the stay inside does.
        unsafe { &*self.0.get() }
    }

    /// Reads while the section is closed. No task that replaces this may be running.
    pub fn look<'a>(&'a self, _alone: &'a Alone) -> &'a T {
        // SAFETY: nobody but tasks writes, and the task that writes here has not started.
        unsafe { &*self.0.get() }
    }

    /// Replaces the value and returns the old one. Only the one task that owns this may do so.
    pub fn replace(&self, _alone: &Alone, value: T) -> T {
        // SAFETY: nobody is inside, and no other task touches this.
        unsafe { std::mem::replace(&mut *self.0.get(), value) }
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread::ThreadId;
    use std::time::Duration;

    use super::*;

    /// The one who closes the section panics as soon as another one is at a task, which takes a while.
    struct Unlucky {
        closer: ThreadId,
        closed: AtomicBool,
        begun: AtomicBool,
        done: AtomicBool,
    }

    impl Grow for Unlucky {
        fn perform(&self, _: usize, _: &Alone) {
            if std::thread::current().id() == self.closer {
                // Without a message, which would take a while.
                std::panic::resume_unwind(Box::new(()));
            }
            self.begun.store(true, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(50));
            self.done.store(true, Ordering::SeqCst);
        }
    }

    fn wait_for(flag: &AtomicBool) {
        while !flag.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
    }

    #[test]
    fn nobody_enters_while_somebody_is_at_a_task() {
        let [closed, begun, done] = [(); 3].map(|()| AtomicBool::new(false));
        let store = Unlucky { closer: std::thread::current().id(), closed, begun, done };
        let section = Section::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                wait_for(&store.closed);
                let seat = section.seat();
                drop(section.enter(&seat, &store));
            });
            let plan = |_: &Alone| {
                store.closed.store(true, Ordering::SeqCst);
                vec![0, 1]
            };
            let close = || section.close(&store, plan, |_| wait_for(&store.begun));
            assert!(catch_unwind(AssertUnwindSafe(close)).is_err());
            assert!(store.done.load(Ordering::SeqCst));
        });
    }
}
