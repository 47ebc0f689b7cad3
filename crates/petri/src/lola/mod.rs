//! The format of LoLA 2: nets and formulas.
//!
//! Names are runs of any characters but blanks and `, ; : ( ) { }`. Others, and those that are keywords,
//! stand in quotes, which LoLA itself does not know: `"a name"`, with `""` for a quote inside.
//! Comments are `{ … }`, also one inside another, and `/* … */`.

mod formula;
mod lexer;
mod net;
mod operand;
mod write;

pub use formula::{read_formula, read_formulas, read_predicate};
pub use net::read_net;
pub use write::{write_formula, write_net, write_sum};

#[cfg(test)]
mod tests;
