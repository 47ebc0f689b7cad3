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

/// A number from the environment, to replay or to extend a random test.
pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
