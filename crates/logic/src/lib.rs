//! Linear temporal logic and the automata that decide it.
//!
//! A formula ([`Ltl`]) says something about the infinite runs of a system; what it means is written
//! down once more, as a definition to test against, in [`lasso`]. An [`Automaton`] accepts infinite
//! runs. This crate knows no model and no search.

#![forbid(unsafe_code)]

mod automaton;
mod formula;

pub use automaton::{Automaton, Cube, Edge, Guard, MAX_ATOMS, State};
pub use formula::{BinaryOp, Ltl, UnaryOp};
