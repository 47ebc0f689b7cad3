//! What a thread counts, the limits that it watches, and what it tells others of its progress.

use model::Patience;
use store::Shared;

use crate::budget::Budget;
use crate::{Options, Progress, Statistics, StopReason};

/// Counts, and watches over the limits.
pub struct Meter<'a> {
    pub statistics: Statistics,
    /// The statistics' number of matches before the first subset of what is listed was fired.
    matched_before: u64,
    budget: Budget,
    progress: &'a Progress,
    /// Whether to stop when it shows early that reduction leaves little out.
    pub is_trial: bool,
    /// What of the search's own figures others have been told.
    told: Told,
}

/// What one thread has told others: figures that add up.
#[derive(Default)]
struct Told {
    matched: u64,
    memory: u64,
    /// When they were told.
    seconds: f64,
    /// How often there was an occasion to tell.
    n_times: u32,
}

impl<'a> Meter<'a> {
    pub fn new(options: &'a Options, budget: Budget) -> Meter<'a> {
        Meter {
            statistics: Statistics::default(),
            matched_before: 0,
            budget,
            progress: &options.progress,
            is_trial: options.trial,
            told: Told::default(),
        }
    }

    /// Counts states that are visited, the deepest at `depth`. True if it is time for [`Meter::check`].
    pub fn count(&mut self, n_states: usize, depth: u64) -> bool {
        self.statistics.depth = self.statistics.depth.max(depth);
        self.budget.due(n_states)
    }

    /// Looks whether a limit is reached, `memory` being what the search takes in this thread beside the store. Says
    /// how many words the model may fill from now on.
    pub fn check(&mut self, memory: u64, set: &dyn Shared) -> Result<Option<usize>, StopReason> {
        let bytes = self.take_stock(memory, set);
        let growth = self.budget.growth_of_rest(bytes, &self.progress.growth);
        set.set_aside(bytes.saturating_sub(set.bytes()) + growth);
        self.budget.check(bytes + growth)?;
        Ok(self.budget.n_words_left(bytes + growth))
    }

    /// Why the model has given up. If neither time nor the user is the cause, it is memory.
    pub fn why_abandoned(&self) -> StopReason {
        self.budget.check(0).err().unwrap_or(StopReason::Memory)
    }

    /// How long a run may be made of what was found, when the search is over. Its memory has been counted.
    pub fn patience(&self) -> Patience {
        Patience { memory: None, ..self.budget.patience() }
    }

    /// Remembers how many matches there are, before something is fired that may not be enough.
    pub fn begin_trying(&mut self) {
        self.matched_before = self.statistics.matched;
    }

    /// Forgets the matches since then: they will be counted again.
    pub fn forget_tries(&mut self) {
        self.statistics.matched = self.matched_before;
    }

    /// What has been counted so far.
    pub fn counted(&self, set: &dyn Shared) -> Statistics {
        Statistics {
            states: set.len(),
            store_bytes: set.bytes(),
            omission: set.omission(),
            seconds: self.budget.seconds(),
            ..self.statistics.clone()
        }
    }

    /// What all threads take, with the store, if this one takes `memory`. Tells others not each time, but after a while
    /// or when memory has changed: threads that write to the same place wait for each other.
    fn take_stock(&mut self, memory: u64, set: &dyn Shared) -> u64 {
        /// They are told once in so many times …
        const SELDOM: u32 = 16;
        /// … or after so many seconds, if states take long, …
        const LONG: f64 = 0.1;
        /// … or if there are so many more bytes, or fewer.
        const MUCH: u64 = 1 << 15;
        let is_time =
            self.told.n_times.is_multiple_of(SELDOM) || self.budget.seconds() - self.told.seconds >= LONG;
        self.told.n_times = self.told.n_times.wrapping_add(1);
        if is_time || memory.abs_diff(self.told.memory) >= MUCH {
            return self.publish(memory, set);
        }
        let others = self.progress.memory().wrapping_sub(self.told.memory);
        others.wrapping_add(memory).saturating_add(set.bytes())
    }

    /// Tells how far the search is. `memory` is what it takes in this thread; gives back what all
    /// threads take, with the store.
    pub fn publish(&mut self, memory: u64, set: &dyn Shared) -> u64 {
        let (matched, seconds) = (self.statistics.matched, self.budget.seconds());
        let told = Told { matched, memory, seconds, ..self.told };
        self.progress
            .add(told.matched.wrapping_sub(self.told.matched), told.memory.wrapping_sub(self.told.memory));
        self.told = told;
        self.progress.publish(set.len(), self.statistics.depth, set.bytes())
    }
}
