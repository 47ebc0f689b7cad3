//! Formulas of linear temporal logic.
//!
//! Precedence as in Spin: operators in front bind most strongly; then the operators of
//! expressions; then `U`, `W`, `V`; then `&&`, `||`; then `->` and `<->`. All those in between
//! group to the left.

use super::expr::binary_operator;
use super::{Failed, Parse, Parser};
use crate::lex::{Kind, Token};
use crate::source::Span;
use crate::tree::{BinaryOp, Expr, Formula, UnaryOp};

/// An operator between two operands.
#[derive(Clone, Copy)]
enum Operator {
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    Release,
    /// One that also occurs in expressions.
    Plain(BinaryOp),
}

/// A temporal operator in front.
#[derive(Clone, Copy)]
enum Prefix {
    Next,
    Always,
    Eventually,
}

/// The operators in front, as they are written.
const TEMPORAL_PREFIXES: [&str; 7] = ["[]", "<>", "!", "always ", "eventually ", "X ", "next "];

/// A formula with its place.
struct Part {
    formula: Formula,
    span: Span,
}

impl Parser<'_> {
    pub(super) fn formula(&mut self) -> Parse<Formula> {
        Ok(self.formula_operators(0)?.formula)
    }

    fn formula_operators(&mut self, least: u8) -> Parse<Part> {
        let mut left = self.formula_operand()?;
        loop {
            let Some((operator, strength, length)) = self.formula_operator() else { return Ok(left) };
            if strength <= least {
                return Ok(left);
            }
            let token = self.stream.peek();
            for _ in 0..length {
                self.stream.bump();
            }
            let left_height = self.height;
            let right = self.formula_operators(strength)?;
            self.grow(left_height, token.span)?;
            left = self.joined(operator, token, left, right)?;
        }
    }

    /// The operator that comes next, its strength and how many tokens it has.
    fn formula_operator(&mut self) -> Option<(Operator, u8, usize)> {
        let token = self.stream.peek();
        let second = self.stream.peek_at(1).kind;
        Some(match (token.kind, second) {
            (Kind::Arrow, _) => (Operator::Implies, 1, 1),
            (Kind::Less, Kind::Arrow) => (Operator::Equivalent, 1, 2),
            (Kind::Slash, Kind::Backslash) => (Operator::Plain(BinaryOp::And), 3, 2),
            (Kind::Backslash, Kind::Slash) => (Operator::Plain(BinaryOp::Or), 2, 2),
            (Kind::Name, _) => match self.name(token.text) {
                "implies" => (Operator::Implies, 1, 1),
                "equivalent" => (Operator::Equivalent, 1, 1),
                "U" | "until" | "stronguntil" => (Operator::Until, 4, 1),
                "W" | "weakuntil" => (Operator::WeakUntil, 4, 1),
                "V" | "release" => (Operator::Release, 4, 1),
                _ => return None,
            },
            (kind, _) => {
                let (op, strength) = binary_operator(kind)?;
                (Operator::Plain(op), strength, 1)
            }
        })
    }

    fn joined(&mut self, operator: Operator, token: Token, left: Part, right: Part) -> Parse<Part> {
        let span = left.span.to(right.span);
        let formula = match (operator, left.formula, right.formula) {
            (Operator::Plain(op), Formula::Atom(a), Formula::Atom(b)) => Formula::Atom(self.binary(op, a, b)),
            (Operator::Plain(BinaryOp::And), a, b) => Formula::And(Box::new(a), Box::new(b)),
            (Operator::Plain(BinaryOp::Or), a, b) => Formula::Or(Box::new(a), Box::new(b)),
            (Operator::Plain(_), a, _) => {
                let temporal_left = !matches!(a, Formula::Atom(_));
                return self.report_temporal(token, left.span, right.span, temporal_left);
            }
            (Operator::Implies, a, b) => Formula::Implies(Box::new(a), Box::new(b)),
            (Operator::Equivalent, a, b) => Formula::Equivalent(Box::new(a), Box::new(b)),
            (Operator::Until, a, b) => Formula::Until(Box::new(a), Box::new(b)),
            (Operator::WeakUntil, a, b) => Formula::WeakUntil(Box::new(a), Box::new(b)),
            (Operator::Release, a, b) => Formula::Release(Box::new(a), Box::new(b)),
        };
        Ok(Part { formula, span })
    }

    /// Spin takes `[] x == 1` as `([] x) == 1`, and compares a meaningless number with 1.
    fn report_temporal<T>(&mut self, token: Token, left: Span, right: Span, temporal_left: bool) -> Parse<T> {
        let operator = token.spelling(&self.names).to_owned();
        let message = format!("a temporal formula cannot be an operand of `{operator}`");
        let sources = &self.program.sources;
        let (mut operand, right_text) = (sources.text(left).trim(), sources.text(right).trim());
        let before = operand;
        while let Some(rest) = TEMPORAL_PREFIXES.iter().find_map(|prefix| operand.strip_prefix(prefix)) {
            operand = rest.trim_start();
        }
        let prefix = before[..before.len() - operand.len()].trim();
        // The texts are of no use if a macro stands there.
        let help = if temporal_left && !prefix.is_empty() && left.end <= right.start {
            format!("write `{prefix} ({operand} {operator} {right_text})`")
        } else {
            "temporal operators bind more strongly than comparisons: use brackets".to_owned()
        };
        self.error("E0609", left.to(right), message).help(help);
        Err(Failed)
    }

    fn formula_operand(&mut self) -> Parse<Part> {
        let token = self.stream.peek();
        if let Some((prefix, length)) = self.temporal_prefix(token) {
            for _ in 0..length {
                self.stream.bump();
            }
            let operand = self.nested(Self::formula_operand)?;
            self.grow(0, token.span)?;
            let inner = Box::new(operand.formula);
            let formula = match prefix {
                Prefix::Next => Formula::Next(inner),
                Prefix::Always => Formula::Always(inner),
                Prefix::Eventually => Formula::Eventually(inner),
            };
            return Ok(Part { formula, span: token.span.to(operand.span) });
        }
        match token.kind {
            Kind::Bang | Kind::BangBang => {
                self.stream.bump();
                let operand = self.nested(Self::formula_operand)?;
                self.grow(0, token.span)?;
                let negated = self.negated(token.span, operand);
                Ok(if token.kind == Kind::BangBang { self.negated(token.span, negated) } else { negated })
            }
            Kind::LeftParen => self.nested(Self::bracketed_formula),
            _ => {
                let Expr { kind, span } = self.operand()?;
                Ok(Part { formula: Formula::Atom(Expr { kind, span }), span })
            }
        }
    }

    fn negated(&mut self, start: Span, operand: Part) -> Part {
        let span = start.to(operand.span);
        let formula = match operand.formula {
            Formula::Atom(expr) => Formula::Atom(self.unary(UnaryOp::Not, start, expr)),
            formula => Formula::Not(Box::new(formula)),
        };
        Part { formula, span }
    }

    fn bracketed_formula(&mut self) -> Parse<Part> {
        let open = self.stream.bump().span;
        let mut part = self.formula_operators(0)?;
        self.expect(Kind::RightParen, "an operator or `)`")?;
        part.span = self.since(open);
        if let Formula::Atom(expr) = &mut part.formula {
            expr.span = part.span;
        }
        Ok(part)
    }

    /// The temporal operator in front, and how many tokens it has.
    fn temporal_prefix(&mut self, token: Token) -> Option<(Prefix, usize)> {
        let second = self.stream.peek_at(1).kind;
        match (token.kind, second) {
            (Kind::LeftBracket, Kind::RightBracket) => Some((Prefix::Always, 2)),
            (Kind::Less, Kind::Greater) => Some((Prefix::Eventually, 2)),
            (Kind::Name, _) => match self.name(token.text) {
                "always" => Some((Prefix::Always, 1)),
                "eventually" => Some((Prefix::Eventually, 1)),
                "X" | "next" => Some((Prefix::Next, 1)),
                _ => None,
            },
            _ => None,
        }
    }
}
