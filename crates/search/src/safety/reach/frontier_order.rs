//! Which pending states a search in any order expands next.
//!
//! The youngest: this is depth-first in the large, their words are still known, and the paths to them share most of
//! their states. But where processes hardly depend on each other, a search that goes deep leaves very many states
//! behind, up to half of all, to which nearly nothing new is left to be found. So when what is pending takes a lot
//! of memory compared with the store, the oldest are expanded if they lead to less than half as many new states. In
//! a model that jumps about they do not, and the youngest are cheaper.

/// Which of the pending states are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    Youngest,
    Oldest,
}

/// At least so many successors are announced before they are inserted: enough to hide the latency of memory …
const BATCH: usize = 128;

/// … or fewer: then less is pending, if the youngest are expanded.
const SMALL_BATCH: usize = 16;

/// What is pending may always take so many bytes …
const LITTLE: u64 = if cfg!(test) { 0 } else { 4 << 20 };

/// … and besides, this part of what the store takes. (Small models of tests are to come from both ends, too.)
const PART: u64 = if cfg!(test) { 1 << 20 } else { 8 };

/// Where memory matters, one round in so many is for the end that seems to be the worse one.
const TRIAL: u32 = 256;

/// A thread's choice.
#[derive(Default)]
pub struct Preference {
    /// What the states of both ends have led to.
    yields: [Yield; 2],
    /// How many choices there were.
    n_choices: u32,
}

impl Preference {
    /// How many successors to announce in this round, and from which end, if pending states and store take so many
    /// bytes.
    pub fn next(&mut self, pending: u64, store: u64) -> (usize, Age) {
        if pending.saturating_sub(LITTLE).saturating_mul(PART) < store {
            return (BATCH, Age::Youngest);
        }
        let [young, old] = &self.yields;
        let is_trial = self.n_choices.is_multiple_of(TRIAL);
        self.n_choices = self.n_choices.wrapping_add(1);
        match old.is_less_than_half_of(young) != is_trial {
            true => (BATCH, Age::Oldest),
            false => (SMALL_BATCH, Age::Youngest),
        }
    }

    /// Takes note of what states of an end have led to.
    pub fn note(&mut self, age: Age, n_expanded: usize, n_new: usize) {
        self.yields[age as usize].add(n_expanded, n_new);
    }
}

/// How many new states some have led to, of late.
#[derive(Default)]
struct Yield {
    n_expanded: usize,
    n_new: usize,
}

impl Yield {
    fn add(&mut self, n_expanded: usize, n_new: usize) {
        /// What is older than so many states counts half.
        const LATE: usize = 1 << 9;
        self.n_expanded += n_expanded;
        self.n_new += n_new;
        if self.n_expanded > LATE {
            self.n_expanded /= 2;
            self.n_new /= 2;
        }
    }

    /// Compares the averages.
    fn is_less_than_half_of(&self, other: &Yield) -> bool {
        2 * self.n_new * other.n_expanded < other.n_new * self.n_expanded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MUCH: u64 = 1 << 30;

    /// How many of 4000 rounds take the oldest, if 100 states of the ends lead to so many.
    fn n_oldest(order: &mut Preference, n_young: usize, n_old: usize) -> usize {
        let mut n_oldest = 0;
        for _ in 0..4000 {
            let (_, age) = order.next(MUCH, MUCH);
            order.note(age, 100, if age == Age::Oldest { n_old } else { n_young });
            n_oldest += usize::from(age == Age::Oldest);
        }
        n_oldest
    }

    #[test]
    fn the_end_that_leads_to_less_is_found() {
        let mut order = Preference::default();
        assert!(n_oldest(&mut order, 200, 200) < 20);
        assert!(n_oldest(&mut order, 200, 50) > 1000, "it is noticed");
        assert!(n_oldest(&mut order, 200, 50) > 3980, "and stays so");
        assert!(n_oldest(&mut order, 50, 50) < 3000, "the same with the other end");
        assert!(n_oldest(&mut order, 50, 50) < 20);
    }

    #[test]
    fn little_memory_is_no_matter() {
        let mut order = Preference::default();
        n_oldest(&mut order, 20, 0);
        assert_eq!(order.next(LITTLE + MUCH / PART, MUCH).1, Age::Oldest);
        assert_eq!(order.next(LITTLE + MUCH / PART - 1, MUCH), (BATCH, Age::Youngest));
        assert_eq!(order.next(LITTLE, 1), (BATCH, Age::Youngest));
    }
}
