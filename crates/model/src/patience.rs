use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How long a model may work on one action: an atomic chain can be as long as a search.
#[derive(Clone, Debug, Default)]
pub struct Patience {
    /// Set from outside when the search is to end.
    pub interrupt: Arc<AtomicBool>,
    /// When the time is up.
    pub deadline: Option<Instant>,
    /// The most words that the model may fill.
    pub words: Option<usize>,
}

impl Patience {
    /// Whether the model is to give up. `words` is how many it has filled.
    pub fn is_over(&self, words: usize) -> bool {
        // Relaxed: the flag guards no other memory.
        self.interrupt.load(Ordering::Relaxed)
            || self.words.is_some_and(|limit| words > limit)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
