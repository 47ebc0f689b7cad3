//! Formulas from text.
//!
//! The tools that people come from write formulas with different operators and, worse, with the
//! same operators and different precedence. There is one reading for each [`Dialect`], and a
//! warning where a text means different things in different dialects.
//!
//! An atom is an expression of the model's language, kept as text: `x + 1 < y`, `P[1]@critical`,
//! `len(c)`. It reaches as far as there are operators of expressions; `&&`, `||` and `!` belong to
//! the formula. A name or an expression may also stand in double quotes.

mod auto;
mod branching;
mod dialect;
mod doubtful;
mod lex;
mod parser;

#[cfg(test)]
mod tests;

use crate::ltl::Ltl;
use std::fmt;
use std::ops::Range;

use parser::Leaf;

pub use branching::{ParsedBranching, parse_branching};
pub(crate) use dialect::is_plain_name;

/// How many operators may stand above each other in a formula.
pub const MAX_HEIGHT: usize = 500;

/// A way of writing formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// What stands in an `ltl` block of Spin 6. From strong to weak: operators in front; those of
    /// expressions; `U W V`; `&&`; `||`; `->` and `<->`. All group to the left.
    Inline,
    /// The argument of `spin -f`: as [`Dialect::Inline`], but `&&`, `||`, `->` and `<->` bind
    /// equally strongly, and there is no `W`.
    SpinF,
    /// Letters, as in Spot, NuSMV and TLA+: `G F X U W R M`. From strong to weak: operators of
    /// expressions; operators in front; `U W R M`, to the right; `&`; `xor`; `|`; `->` and `<->`, to
    /// the right. The letters of the operators in front may touch what follows, as in `GFa`.
    Spot,
    /// LTSmin's. From strong to weak: operators of expressions; operators in front; `&&`; `||`;
    /// `<->`; `->`; `U W R`. All group to the left.
    Ltsmin,
    /// As [`Dialect::Spot`], with the path quantifiers `A` and `E` in front, which may touch the operators behind them
    /// (`AG`, `EF`); `A[p U q]` may have these brackets. The words of LoLA are read, too: `ALLPATH`, `EVENTUALLY`, `AND`, ….
    /// For [`parse_branching`].
    Branching,
    /// [`Dialect::Inline`] or [`Dialect::Spot`], whichever the text looks like:
    ///
    /// 1. With `[]`, `<>` or one of Spin's words (`always`, `until`, …) it is [`Dialect::Inline`].
    /// 2. Otherwise, with one of the words `G F R M xor`, one of the symbols `& | => <=>`, or a word
    ///    such as `GF` or `GFp1` (letters `G F X`, perhaps with a lower-case letter and digits behind
    ///    them), it is [`Dialect::Spot`].
    /// 3. Otherwise it is [`Dialect::Inline`].
    #[default]
    Auto,
}

/// A formula that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The formula, over the texts of its atoms.
    pub formula: Ltl<String>,
    /// What it was read as: never [`Dialect::Auto`].
    pub dialect: Dialect,
    /// Places that may mean something else than the writer thinks.
    pub warnings: Vec<Warning>,
}

/// A place that may mean something else than the writer thinks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What is doubtful, and how it was read.
    pub message: String,
    /// Where, in bytes.
    pub span: Range<usize>,
}

/// Why a text is not a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes.
    pub span: Range<usize>,
    /// What to write instead.
    pub help: Option<String>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a formula.
///
/// # Errors
/// The first thing that is wrong with the text.
///
/// # Panics
/// If the dialect is [`Dialect::Branching`].
pub fn parse(text: &str, dialect: Dialect) -> Result<Parsed, ParseError> {
    assert_ne!(dialect, Dialect::Branching, "formulas of branching time are read by `parse_branching`");
    let dialect = if dialect == Dialect::Auto { auto::dialect_of(text) } else { dialect };
    let (formula, warnings) = parser::parse(text, dialect)?;
    let formula = formula.map(&mut |leaf| match leaf {
        Leaf::Atom(text) => text,
        Leaf::Path(..) => unreachable!("only branching time has path quantifiers"),
    });
    Ok(Parsed { formula, dialect, warnings })
}
