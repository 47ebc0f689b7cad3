//! Temporal logic, and the automata that decide its linear part.
//!
//! A formula of branching time ([`Ctl`]) says something about the states of a system and what can come of
//! them, a linear one ([`Ltl`]) about its infinite runs; what that means is written down once more, as a
//! definition to test against, in [`lasso`]. An [`Automaton`] accepts infinite runs. This crate knows no
//! model and no search.

#![forbid(unsafe_code)]

mod automaton;
mod bdd;
mod class;
mod ctl;
mod degeneralise;
mod dot;
mod formula;
mod graph;
pub mod hoa;
pub mod lasso;
mod ltl;
mod never;
mod parse;
mod print;
mod reduce;
mod scc;
mod stutter;
#[cfg(test)]
mod testing;
mod text;
mod translate;
mod weak;

pub use automaton::{Automaton, Cube, Edge, Guard, MAX_ATOMS, State};
pub use class::{Class, HomeForm};
pub use ctl::{Ctl, Quantifier};
pub use degeneralise::degeneralise;
pub use dot::dot;
pub use formula::Formula;
pub use ltl::{BinaryOp, Ltl, UnaryOp};
pub use never::never;
pub use parse::{Dialect, MAX_HEIGHT, ParseError, Parsed, ParsedBranching, Warning, parse, parse_branching};
pub use print::{Notation, print};
pub use reduce::simplify;
pub use scc::{Components, components};
pub use stutter::is_stutter_invariant;
pub use translate::{Goal, Untranslated, translate};
pub use weak::{has_no_dead_ends, weak_acceptance};
