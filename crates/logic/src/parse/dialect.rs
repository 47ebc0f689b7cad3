//! What differs between the dialects: the operators, and how strongly they bind.

use super::Dialect;
use super::lex::{is_name_part, is_name_start};
use crate::ctl::Quantifier;
use crate::ltl::{BinaryOp, UnaryOp};

/// An operator in front of its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// One of linear time, or negation.
    Unary(UnaryOp),
    /// One that says on which paths a formula holds.
    Path(Quantifier),
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Infix {
    /// One of formulas.
    Join(BinaryOp),
    /// One that makes an expression from two.
    Plain,
}

/// How strongly the strongest operators of formulas bind. Those of expressions bind more strongly.
const STRONGEST_JOIN: u8 = 5;

/// Spin's names for operators.
pub(super) const SPIN_WORDS: [&str; 9] =
    ["always", "eventually", "next", "until", "stronguntil", "weakuntil", "release", "implies", "equivalent"];

/// The operator in front that a word or symbol stands for.
pub(super) fn prefix(dialect: Dialect, text: &str) -> Option<Prefix> {
    let branching = dialect == Dialect::Branching;
    match text {
        "A" | "ALLPATH" | "∀" if branching => Some(Prefix::Path(Quantifier::All)),
        "E" | "EXPATH" | "∃" if branching => Some(Prefix::Path(Quantifier::Exists)),
        _ => unary(dialect, text).map(Prefix::Unary),
    }
}

fn unary(dialect: Dialect, text: &str) -> Option<UnaryOp> {
    let branching = dialect == Dialect::Branching;
    let letters = has_letters(dialect);
    Some(match text {
        "ALWAYS" if branching => UnaryOp::Always,
        "EVENTUALLY" if branching => UnaryOp::Eventually,
        "NEXTSTATE" if branching => UnaryOp::Next,
        "NOT" if branching => UnaryOp::Not,
        "[]" | "□" | "always" => UnaryOp::Always,
        "<>" | "◇" | "◊" | "eventually" => UnaryOp::Eventually,
        "X" | "○" | "◯" | "next" => UnaryOp::Next,
        "!" | "¬" => UnaryOp::Not,
        "G" if letters => UnaryOp::Always,
        "F" if letters => UnaryOp::Eventually,
        "~" if letters => UnaryOp::Not,
        "not" if dialect == Dialect::SpinF => UnaryOp::Not,
        _ => return None,
    })
}

/// The operator between operands that a word or symbol stands for, and its strength.
pub(super) fn infix(dialect: Dialect, text: &str) -> Option<(Infix, u8)> {
    let join = |op| Some((Infix::Join(op), strength(dialect, op)));
    let plain = |strength| Some((Infix::Plain, strength));
    let branching = dialect == Dialect::Branching;
    let letters = has_letters(dialect);
    match text {
        "AND" if branching => join(BinaryOp::And),
        "OR" if branching => join(BinaryOp::Or),
        "XOR" if branching => join(BinaryOp::Xor),
        "UNTIL" if branching => join(BinaryOp::Until),
        "RELEASE" if branching => join(BinaryOp::Release),
        "&&" | "/\\" | "∧" => join(BinaryOp::And),
        "||" | "\\/" | "∨" => join(BinaryOp::Or),
        "->" | "→" | "implies" => join(BinaryOp::Implies),
        "<->" | "↔" | "equivalent" => join(BinaryOp::Equivalent),
        "U" | "𝒰" | "until" | "stronguntil" => join(BinaryOp::Until),
        "W" if dialect == Dialect::SpinF => None,
        "W" | "𝒲" | "weakuntil" => join(BinaryOp::WeakUntil),
        "V" | "ℛ" | "release" => join(BinaryOp::Release),
        "R" if letters || dialect == Dialect::Ltsmin => join(BinaryOp::Release),
        "&" if letters => join(BinaryOp::And),
        "|" if letters => join(BinaryOp::Or),
        "=>" | "-->" if letters => join(BinaryOp::Implies),
        "<=>" | "<-->" if letters => join(BinaryOp::Equivalent),
        "^" | "xor" if letters => join(BinaryOp::Xor),
        "M" if letters => join(BinaryOp::StrongRelease),
        "⊕" => join(BinaryOp::Xor),
        "|" => plain(6),
        "^" => plain(7),
        "&" => plain(8),
        "==" | "!=" => plain(9),
        "<" | "<=" | ">" | ">=" => plain(10),
        "<<" | ">>" => plain(11),
        "+" | "-" => plain(12),
        "*" | "/" | "%" => plain(13),
        _ => None,
    }
}

/// Whether letters stand for operators.
fn has_letters(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Spot | Dialect::Branching)
}

/// How strongly an operator of formulas binds.
fn strength(dialect: Dialect, op: BinaryOp) -> u8 {
    use BinaryOp::{And, Equivalent, Implies, Or, Release, StrongRelease, Until, WeakUntil, Xor};
    let temporal = matches!(op, Until | WeakUntil | Release | StrongRelease);
    match (dialect, op) {
        (Dialect::SpinF, _) if !temporal => 1,
        (Dialect::Ltsmin, _) if temporal => 1,
        (Dialect::Ltsmin, Implies) => 2,
        (Dialect::Ltsmin, Equivalent) => 3,
        (Dialect::Ltsmin, Or | Xor) => 4,
        (Dialect::Ltsmin, _) => 5,
        (_, Implies | Equivalent) => 1,
        (_, Or) => 2,
        (_, Xor) => 3,
        (_, And) => 4,
        (_, Until | WeakUntil | Release | StrongRelease) => 5,
    }
}

/// Whether `a op b op c` means `a op (b op c)`.
pub(super) fn groups_right(dialect: Dialect, infix: Infix) -> bool {
    use BinaryOp::{And, Or, Xor};
    match infix {
        Infix::Join(op) => has_letters(dialect) && !matches!(op, And | Or | Xor),
        Infix::Plain => false,
    }
}

/// Whether an operator in front leaves an operand to an operator behind it that has this strength.
pub(super) fn prefix_gives_way(dialect: Dialect, strength: u8) -> bool {
    (has_letters(dialect) || dialect == Dialect::Ltsmin) && strength > STRONGEST_JOIN
}

/// The length of the operator in front with which a word begins although it goes on, as in `GFa`.
pub(super) fn glued_prefix(dialect: Dialect, word: &str) -> Option<usize> {
    if dialect == Dialect::Branching {
        return (word.len() > 1 && word.bytes().all(|byte| b"AEFGX".contains(&byte))).then_some(1);
    }
    let begins = dialect == Dialect::Spot && word.starts_with(['F', 'G', 'X']);
    let is_name = constant(dialect, word).is_some() || word[1..].starts_with(|c: char| c.is_ascii_digit());
    (begins && word.len() > 1 && !is_name).then_some(1)
}

/// The length of the operator with which a word begins that stands where one is expected.
pub(super) fn glued_infix(dialect: Dialect, word: &str) -> Option<usize> {
    (dialect == Dialect::Spot && word.starts_with(['U', 'W', 'R', 'M', 'V'])).then_some(1)
}

/// The truth value that a word stands for.
pub(super) fn constant(dialect: Dialect, word: &str) -> Option<bool> {
    match word {
        "true" => Some(true),
        "false" => Some(false),
        _ if !has_letters(dialect) => None,
        _ if word.eq_ignore_ascii_case("true") => Some(true),
        _ if word.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Whether a word cannot be a name.
pub(super) fn is_operator(dialect: Dialect, word: &str) -> bool {
    prefix(dialect, word).is_some()
        || infix(dialect, word).is_some()
        || (dialect == Dialect::SpinF && word == "W")
}

/// Whether the text is a name, and read as one in the dialect.
pub(crate) fn is_plain_name(text: &str, dialect: Dialect) -> bool {
    text.starts_with(is_name_start)
        && text.chars().all(is_name_part)
        && !is_operator(dialect, text)
        && constant(dialect, text).is_none()
        && glued_prefix(dialect, text).is_none()
}
