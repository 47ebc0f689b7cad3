//! Automata in the Hanoi Omega-Automata format, version 1.
//!
//! Read are the automata that a search can use: those that accept by visiting sets of states or
//! edges infinitely often (Büchi, generalised Büchi, or no condition at all), without alternation.
//! They may have labels on states, on edges, or none (then the order of the edges tells), and
//! several initial states.

mod label;
mod lex;
mod read;
mod write;

#[cfg(test)]
mod tests;

use std::fmt;

pub use read::read;
pub use write::write;

/// How many states an automaton may have that is read.
pub const MAX_STATES: u32 = 1 << 20;

/// Why a text is not an automaton, or not one that we can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for HoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for HoaError {}
