//! The conditions of `#if` and `#elif`.

use source::Span;

use super::Preprocessor;
use crate::lex::{Kind, Token};

/// How deep a condition may be nested.
const MAX_DEPTH: usize = 100;

impl Preprocessor<'_> {
    /// Evaluates a condition; a malformed one is reported, and false.
    pub(super) fn condition(&mut self, span: Span, tokens: &[Token]) -> bool {
        let resolved = self.resolve_defined(tokens);
        let expanded = self.expand_apart(resolved);
        let operand = |token: &Token| match token.kind {
            Kind::Number | Kind::Char => Operand::Value(number(token.spelling(&self.names))),
            Kind::Name => Operand::Value(Some(0)),
            kind => Operand::Other(kind),
        };
        let operands: Vec<Operand> = expanded.iter().map(operand).collect();
        let mut evaluator = Evaluator { rest: &operands, depth: 0 };
        match evaluator.conditional() {
            Some(value) if evaluator.rest.is_empty() => value != 0,
            _ => {
                let message = if tokens.is_empty() {
                    "this conditional has no condition"
                } else {
                    "cannot evaluate this condition"
                };
                let whole = tokens.last().map_or(span, |last| span.to(last.span));
                self.reports.error("E0207", whole, message);
                false
            }
        }
    }

    /// Replaces `defined X` and `defined(X)`, which must not see X expanded.
    fn resolve_defined(&mut self, tokens: &[Token]) -> Vec<Token> {
        let mut output = Vec::new();
        let mut rest = tokens;
        while let Some((&first, after)) = rest.split_first() {
            let is_defined = first.kind == Kind::Name && self.names.get(first.text) == "defined";
            let (name, after) = match after {
                [name, after @ ..] if is_defined && name.kind == Kind::Name => (Some(name.text), after),
                [open, name, close, after @ ..]
                    if is_defined
                        && open.kind == Kind::LeftParen
                        && name.kind == Kind::Name
                        && close.kind == Kind::RightParen =>
                {
                    (Some(name.text), after)
                }
                _ => (None, after),
            };
            output.push(match name {
                Some(name) => {
                    let value = if self.macros.contains_key(&name) { "1" } else { "0" };
                    Token { kind: Kind::Number, text: self.names.intern(value), ..first }
                }
                None => first,
            });
            rest = after;
        }
        output
    }
}

enum Operand {
    Value(Option<i64>),
    Other(Kind),
}

struct Evaluator<'a> {
    rest: &'a [Operand],
    depth: usize,
}

impl Evaluator<'_> {
    fn take(&mut self, kind: Kind) -> Option<()> {
        match self.rest {
            [Operand::Other(next), rest @ ..] if *next == kind => {
                self.rest = rest;
                Some(())
            }
            _ => None,
        }
    }

    fn conditional(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let condition = self.binary(0)?;
        let value = if self.take(Kind::Query).is_some() {
            let then = self.conditional()?;
            self.take(Kind::Colon)?;
            let otherwise = self.conditional()?;
            if condition != 0 { then } else { otherwise }
        } else {
            condition
        };
        self.depth -= 1;
        Some(value)
    }

    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut left = self.unary()?;
        while let [Operand::Other(kind), rest @ ..] = self.rest {
            let Some(strength) = strength(*kind).filter(|&strength| strength > least) else { break };
            self.rest = rest;
            let right = self.binary(strength)?;
            left = apply(*kind, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = match first {
            Operand::Value(value) => *value,
            Operand::Other(Kind::Bang) => Some((self.unary()? == 0) as i64),
            Operand::Other(Kind::BangBang) => Some((self.unary()? != 0) as i64),
            Operand::Other(Kind::Minus) => Some(self.unary()?.wrapping_neg()),
            Operand::Other(Kind::Plus) => self.unary(),
            Operand::Other(Kind::Tilde) => Some(!self.unary()?),
            Operand::Other(Kind::LeftParen) => {
                let value = self.conditional()?;
                self.take(Kind::RightParen)?;
                Some(value)
            }
            Operand::Other(_) => None,
        };
        self.depth -= 1;
        value
    }
}

/// How strongly an operator binds; none if it is no binary operator.
fn strength(kind: Kind) -> Option<u8> {
    Some(match kind {
        Kind::OrOr => 1,
        Kind::AndAnd => 2,
        Kind::Pipe => 3,
        Kind::Caret => 4,
        Kind::Amp => 5,
        Kind::EqualEqual | Kind::NotEqual => 6,
        Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual => 7,
        Kind::ShiftLeft | Kind::ShiftRight => 8,
        Kind::Plus | Kind::Minus => 9,
        Kind::Star | Kind::Slash | Kind::Percent => 10,
        _ => return None,
    })
}

fn apply(kind: Kind, left: i64, right: i64) -> Option<i64> {
    Some(match kind {
        Kind::OrOr => (left != 0 || right != 0) as i64,
        Kind::AndAnd => (left != 0 && right != 0) as i64,
        Kind::Pipe => left | right,
        Kind::Caret => left ^ right,
        Kind::Amp => left & right,
        Kind::EqualEqual => (left == right) as i64,
        Kind::NotEqual => (left != right) as i64,
        Kind::Less => (left < right) as i64,
        Kind::LessEqual => (left <= right) as i64,
        Kind::Greater => (left > right) as i64,
        Kind::GreaterEqual => (left >= right) as i64,
        Kind::ShiftLeft => left.wrapping_shl(right as u32),
        Kind::ShiftRight => left.wrapping_shr(right as u32),
        Kind::Plus => left.wrapping_add(right),
        Kind::Minus => left.wrapping_sub(right),
        Kind::Star => left.wrapping_mul(right),
        Kind::Slash => left.checked_div(right)?,
        Kind::Percent => left.checked_rem(right)?,
        _ => return None,
    })
}

/// The value of a number as C writes it, or of a character.
fn number(spelling: &str) -> Option<i64> {
    if let Some(quoted) = spelling.strip_prefix('\'') {
        return quoted.chars().next().map(|c| c as i64);
    }
    let digits = spelling.trim_end_matches(['u', 'U', 'l', 'L']);
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        i64::from_str_radix(hexadecimal, 16).ok()
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(digits, 8).ok()
    } else {
        digits.parse().ok()
    }
}
