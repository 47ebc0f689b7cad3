//! Tokens.
//!
//! They are found one at a time, because in some dialects the place of a word decides whether its
//! first letter is an operator.

use crate::text::{length_while, quoted_length};
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, digits and underscores.
    Name,
    /// Digits.
    Number,
    /// Text in double quotes; the quotes belong to the token.
    Quoted,
    /// Quotes that are not closed.
    OpenQuoted,
    /// Anything else: an operator, a bracket, or a character that means nothing.
    Symbol,
    /// The end of the text.
    End,
}

/// A word or symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub start: usize,
}

impl Token<'_> {
    pub fn end(self) -> usize {
        self.start + self.text.len()
    }

    pub fn span(self) -> Range<usize> {
        self.start..self.end()
    }
}

/// The symbols of more than one character, longer ones first.
const SYMBOLS: [&str; 20] = [
    "<-->", "<->", "<=>", "-->", "->", "=>", "<>", "[]", "&&", "||", "/\\", "\\/", "==", "!=", "<=", ">=",
    "<<", ">>", "??", "~>",
];

/// The token that begins at `from` or behind the white space there.
pub(super) fn token(source: &str, from: usize) -> Token<'_> {
    let start = source.len() - source[from..].trim_start().len();
    let rest = &source[start..];
    let (kind, length) = measure(rest);
    Token { kind, text: &rest[..length], start }
}

/// The kind and the length of the token at the beginning of the text.
fn measure(rest: &str) -> (Kind, usize) {
    let Some(first) = rest.chars().next() else { return (Kind::End, 0) };
    if first.is_ascii_digit() {
        (Kind::Number, length_while(rest, |c| c.is_ascii_digit()))
    } else if is_name_start(first) {
        (Kind::Name, length_while(rest, is_name_part))
    } else if first == '"' {
        quoted_length(rest).map_or((Kind::OpenQuoted, rest.len()), |length| (Kind::Quoted, length))
    } else {
        let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
        (Kind::Symbol, symbol.map_or(first.len_utf8(), |symbol| symbol.len()))
    }
}

pub(super) fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

pub(super) fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
