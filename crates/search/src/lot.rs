//! What is drawn by lot on random walks.

use model::Random;

use crate::kernel::generator::Generator;

/// What decides, the same for the same seed.
pub struct Lot {
    random: Random,
}

impl Lot {
    pub fn new(seed: u64) -> Lot {
        Lot { random: Random::new(seed) }
    }

    /// A number below `n`.
    pub fn draw(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    /// A state to which what was fired last leads, and which of the outcomes it is; none if it leads to no state.
    pub fn draw_state<'g>(&mut self, generator: &'g Generator<'_>) -> Option<(usize, &'g [u64])> {
        let n_states = generator.next_states().count();
        let drawn = if n_states > 1 { self.draw(n_states) } else { 0 };
        generator.next_states().nth(drawn)
    }
}
