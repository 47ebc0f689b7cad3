//! What is drawn by lot on random walks.

use crate::kernel::generator::Generator;

/// Numbers that look random, the same for the same seed.
pub struct Lot {
    random: u64,
}

impl Lot {
    pub fn new(seed: u64) -> Lot {
        Lot { random: seed }
    }

    /// A number below `n`, by lot (Knuth's linear congruential generator).
    pub fn draw(&mut self, n: usize) -> usize {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % n
    }

    /// A state to which what was fired last leads, and which of the outcomes it is; none if it leads to no state.
    pub fn draw_state<'g>(&mut self, generator: &'g Generator<'_>) -> Option<(usize, &'g [u64])> {
        let n_states = generator.next_states().count();
        let drawn = if n_states > 1 { self.draw(n_states) } else { 0 };
        generator.next_states().nth(drawn)
    }
}
