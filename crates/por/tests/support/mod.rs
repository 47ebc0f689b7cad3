//! Small systems whose full state space is known, and what reduction owes them.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(missing_docs, reason = "not part of the interface")]

pub mod explore;
pub mod net;
pub mod oracle;
pub mod process;
pub mod structure;
pub mod table;

use model::{Action, Actions, Independence};

/// Something that can be explored and that can be asked about independence.
pub trait System {
    fn initial(&self) -> Vec<u64>;
    fn enabled(&self, state: &[u64], out: &mut Actions);
    fn fire(&self, state: &[u64], action: Action) -> Vec<u64>;
    fn independence(&self) -> Box<dyn Independence + '_>;
    /// What is watched.
    fn show(&self, state: &[u64]) -> u64;
}

/// Numbers that look random (splitmix64).
pub struct Prng(pub u64);

impl Prng {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A number from the environment, to replay or to extend a random test.
pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
