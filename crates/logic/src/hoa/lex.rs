//! Tokens of HOA.

use model::{Over, Pace, Patience};

use super::HoaError;
use crate::text::{length_while, quoted_length, unquoted};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name with a colon right behind it; the colon belongs to the token.
    Header,
    /// A name.
    Word,
    /// A name with `@` before it, which belongs to the token.
    Alias,
    /// A number without a sign.
    Number,
    /// Text in double quotes, which belong to the token.
    Text,
    /// A single character, or a mark such as `--BODY--`.
    Symbol,
    /// The end of the text.
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub start: usize,
}

const MARKS: [&str; 3] = ["--BODY--", "--END--", "--ABORT--"];

/// The tokens of a text, one ahead.
pub(super) struct Tokens<'a> {
    source: &'a str,
    position: usize,
    next: Token<'a>,
    pace: Pace<'a>,
    /// Why there are no more tokens, if it takes too long.
    over: Option<Over>,
}

impl<'a> Tokens<'a> {
    /// The first token comes when [`Tokens::bump`] has been called once.
    pub fn new(source: &'a str, patience: &'a Patience) -> Tokens<'a> {
        let next = Token { kind: Kind::End, text: "", start: 0 };
        Tokens { source, position: 0, next, pace: patience.pace(), over: None }
    }

    /// Why there are no more tokens, if it takes too long: then the error means nothing.
    pub fn over(&self) -> Option<Over> {
        self.over
    }

    /// So many steps of whoever works on tokens.
    pub fn steps(&mut self, n: usize) -> Result<(), HoaError> {
        self.pace.steps(n).map_err(|over| {
            self.over = Some(over);
            self.error_here(&over.to_string())
        })
    }

    /// The next token.
    pub fn peek(&self) -> Token<'a> {
        self.next
    }

    /// Takes the next token.
    pub fn bump(&mut self) -> Result<Token<'a>, HoaError> {
        let token = self.next;
        self.steps(1)?;
        self.skip_blanks()?;
        let rest = &self.source[self.position..];
        let (kind, length) = self.measure(rest)?;
        self.next = Token { kind, text: &rest[..length], start: self.position };
        self.position += length;
        Ok(token)
    }

    /// Takes the next token if it is this symbol.
    pub fn take(&mut self, symbol: &str) -> Result<bool, HoaError> {
        let found = self.next.kind == Kind::Symbol && self.next.text == symbol;
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    /// Takes the next token, which must be this symbol.
    pub fn expect(&mut self, symbol: &str) -> Result<(), HoaError> {
        if self.take(symbol)? { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    /// Takes the next token, which must be of this kind.
    pub fn expect_kind(&mut self, kind: Kind, what: &str) -> Result<Token<'a>, HoaError> {
        if self.next.kind == kind { self.bump() } else { Err(self.unexpected(what)) }
    }

    /// Takes a number below `bound`.
    pub fn number(&mut self, what: &str, bound: u32) -> Result<u32, HoaError> {
        let token = self.expect_kind(Kind::Number, what)?;
        match token.text.parse() {
            Ok(number) if number < bound => Ok(number),
            _ => Err(self.error_at(token, format!("{what} must be below {bound}"))),
        }
    }

    /// Takes a text and gives what stands between its quotes.
    pub fn text(&mut self, what: &str) -> Result<String, HoaError> {
        Ok(unquoted(self.expect_kind(Kind::Text, what)?.text))
    }

    /// The error that something else than the next token was expected.
    pub fn unexpected(&self, expected: &str) -> HoaError {
        let found = match self.next.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.next.text),
        };
        self.error_at(self.next, format!("expected {expected}, found {found}"))
    }

    pub fn error_at(&self, token: Token, message: impl Into<String>) -> HoaError {
        let before = &self.source[..token.start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        HoaError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }

    /// An error at the place that has been reached.
    fn error_here(&self, message: &str) -> HoaError {
        self.error_at(Token { kind: Kind::End, text: "", start: self.position }, message)
    }

    /// Skips white space and comments, which may contain others.
    fn skip_blanks(&mut self) -> Result<(), HoaError> {
        loop {
            let rest = self.source[self.position..].trim_start();
            self.position = self.source.len() - rest.len();
            if !rest.starts_with("/*") {
                return Ok(());
            }
            let length = comment_length(rest).ok_or_else(|| self.error_here("this comment is not closed"))?;
            self.position += length;
        }
    }

    /// The kind and the length of the token at the beginning of the text.
    fn measure(&self, rest: &str) -> Result<(Kind, usize), HoaError> {
        let Some(first) = rest.chars().next() else { return Ok((Kind::End, 0)) };
        if first.is_ascii_digit() {
            return Ok((Kind::Number, length_while(rest, |c| c.is_ascii_digit())));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let length = length_while(rest, is_name_part);
            let is_header = rest[length..].starts_with(':');
            return Ok(if is_header { (Kind::Header, length + 1) } else { (Kind::Word, length) });
        }
        if first == '@' {
            return Ok((Kind::Alias, 1 + length_while(&rest[1..], is_name_part)));
        }
        if first == '"' {
            let length = quoted_length(rest).ok_or_else(|| self.error_here("these quotes are not closed"))?;
            return Ok((Kind::Text, length));
        }
        let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
        Ok((Kind::Symbol, mark.map_or(first.len_utf8(), |mark| mark.len())))
    }
}

fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// The length of the comment with which the text begins, if it is closed.
fn comment_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut i) = (0, 0);
    while i + 1 < bytes.len() {
        match &bytes[i..i + 2] {
            b"/*" => (depth, i) = (depth + 1, i + 2),
            b"*/" => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}
