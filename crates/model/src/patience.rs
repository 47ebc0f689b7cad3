use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How long somebody may work on something: a model on one action, an analysis, a pass, a translation.
#[derive(Clone, Debug, Default)]
pub struct Patience {
    /// Set from outside when everything is to end.
    pub interrupt: Arc<AtomicBool>,
    /// When the time is up.
    pub deadline: Option<Instant>,
    /// The most words that a model may fill with one action.
    pub words: Option<usize>,
    /// The most memory that the process may have.
    pub memory: Option<MemoryLimit>,
}

/// The most memory that the process may have.
#[derive(Clone, Copy, Debug)]
pub struct MemoryLimit {
    /// In bytes.
    pub bytes: u64,
    /// Whether the process has more than so many bytes.
    pub exceeded: fn(u64) -> bool,
}

/// Why work was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The time is up.
    Time,
    /// There is no more memory.
    Memory,
    /// The user has stopped it.
    Interrupted,
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Over::Time => "the time is up",
            Over::Memory => "there is no more memory",
            Over::Interrupted => "interrupted",
        })
    }
}

impl Patience {
    /// Whether a model is to give up an action. `words` is how many it has filled.
    pub fn is_over(&self, words: usize) -> bool {
        self.is_interrupted() || self.words.is_some_and(|limit| words > limit) || self.is_late()
    }

    /// Whether the user has stopped everything.
    pub fn is_interrupted(&self) -> bool {
        // Relaxed: the flag guards no other memory.
        self.interrupt.load(Ordering::Relaxed)
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Looks at the clock and at the memory, which takes some microseconds. In a loop a [`Pace`] does that.
    ///
    /// # Errors
    /// If the work is to be given up.
    pub fn check(&self) -> Result<(), Over> {
        if self.is_interrupted() {
            Err(Over::Interrupted)
        } else if self.is_late() {
            Err(Over::Time)
        } else if self.memory.is_some_and(|limit| (limit.exceeded)(limit.bytes)) {
            Err(Over::Memory)
        } else {
            Ok(())
        }
    }

    /// Looks now and then, in a loop of small steps.
    pub fn pace(&self) -> Pace<'_> {
        Pace { patience: self, rest: Pace::STEPS }
    }
}

/// A loop that must not go on for ever.
#[derive(Debug)]
pub struct Pace<'a> {
    patience: &'a Patience,
    rest: u32,
}

impl Pace<'_> {
    /// After so many steps the clock is looked at.
    const STEPS: u32 = 1 << 10;

    /// A step, of less than a microsecond or so.
    ///
    /// # Errors
    /// If the work is to be given up.
    #[inline]
    pub fn step(&mut self) -> Result<(), Over> {
        self.steps(1)
    }

    /// Several steps.
    ///
    /// # Errors
    /// If the work is to be given up.
    #[inline]
    pub fn steps(&mut self, n: usize) -> Result<(), Over> {
        match self.rest.checked_sub(u32::try_from(n).unwrap_or(u32::MAX)) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => {
                self.rest = Pace::STEPS;
                self.patience.check()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_for_each_reason() {
        let patience = Patience::default();
        assert_eq!(patience.check(), Ok(()));
        let late = Patience { deadline: Some(Instant::now()), ..Patience::default() };
        assert_eq!(late.check(), Err(Over::Time));
        let memory = Some(MemoryLimit { bytes: 1, exceeded: |bytes| bytes == 1 });
        assert_eq!(Patience { memory, ..Patience::default() }.check(), Err(Over::Memory));
        patience.interrupt.store(true, Ordering::Relaxed);
        assert_eq!(patience.check(), Err(Over::Interrupted));
        assert!(patience.is_over(0));
    }

    #[test]
    fn a_loop_ends_though_it_looks_rarely() {
        let patience = Patience { deadline: Some(Instant::now()), ..Patience::default() };
        let mut pace = patience.pace();
        let steps = (0..10 * Pace::STEPS).position(|_| pace.step().is_err());
        assert_eq!(steps, Some(Pace::STEPS as usize));
    }
}
