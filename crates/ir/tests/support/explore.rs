//! Walking over the states of a program.

use std::collections::HashSet;

use ir::Interpreter;
use model::{Actions, Model, OutcomeKind, Successors};

/// States that can be reached, in the order in which breadth-first search meets them, at most `limit`.
pub fn reachable(interpreter: &Interpreter, limit: usize) -> Vec<Vec<u64>> {
    let mut initial = Vec::new();
    if interpreter.initial(&mut initial).is_err() {
        return Vec::new();
    }
    let mut seen = HashSet::from([initial.clone()]);
    let mut states = vec![initial];
    let (mut actions, mut out) = (Actions::default(), Successors::default());
    let mut next = 0;
    while next < states.len() && states.len() < limit {
        interpreter.enabled(&states[next], &mut actions);
        out.clear();
        interpreter.fire(&actions, &states[next], &mut out);
        for outcome in &out.outcomes {
            if let OutcomeKind::State(range) = &outcome.kind
                && seen.insert(out.state(range).to_vec())
            {
                states.push(out.state(range).to_vec());
            }
        }
        next += 1;
    }
    states
}

/// A small generator of pseudo-random numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}
