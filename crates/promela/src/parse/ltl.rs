//! Formulas of linear temporal logic.
//!
//! Precedence as in Spin: operators in front bind most strongly; then the operators of
//! expressions; then `U`, `W`, `V`; then `&&`, `||`; then `->` and `<->`. All those in between
//! group to the left.

use logic::{BinaryOp as Joined, UnaryOp as Prefix};
use source::Span;

use super::expr::binary_operator;
use super::{Failed, Parse, Parser};
use crate::lex::{Kind, Token};
use crate::text;
use crate::tree::{BinaryOp, Formula, UnaryOp};

/// An operator between two operands.
#[derive(Clone, Copy)]
enum Operator {
    /// One of formulas only.
    Temporal(Joined),
    /// One that also occurs in expressions.
    Plain(BinaryOp),
}

/// The operators in front, as they are written.
const TEMPORAL_PREFIXES: [&str; 11] =
    ["[]", "<>", "!", "always ", "eventually ", "X ", "next ", "□", "◇", "○", "¬"];

/// A formula with its place. While it is read, `!`, `&&` and `||` of expressions are expressions, so
/// that they can be operands of comparisons.
struct Part {
    formula: Formula,
    span: Span,
    /// The outermost operator, if no brackets are around it.
    open: Option<Open>,
}

/// An operator without brackets around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Prefix,
    Until,
    And,
    Implication,
}

impl Parser<'_> {
    pub(super) fn formula(&mut self) -> Parse<Formula> {
        let mut unclear = None;
        let part = self.formula_operators(0, &mut unclear)?;
        let formula = split(part.formula);
        // With errors, the formula may name what is not there.
        if let (Some(span), false) = (unclear, self.reports.failed()) {
            let reading = text::reading(&self.program, &formula);
            self.warn("W0818", span, "without brackets, this formula is easily misread")
                .help(format!("it means `{reading}`"));
        }
        Ok(formula)
    }

    /// `unclear` gets the place of the first operators whose order is not what everybody expects.
    fn formula_operators(&mut self, least: u8, unclear: &mut Option<Span>) -> Parse<Part> {
        let mut left = self.formula_operand(unclear)?;
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
            let right = self.formula_operators(strength, unclear)?;
            self.grow(left_height, token.span)?;
            if is_unclear(operator, &left, &right) {
                unclear.get_or_insert(left.span.to(right.span));
            }
            left = self.joined(operator, token, left, right)?;
        }
    }

    /// The operator that comes next, its strength and how many tokens it has.
    fn formula_operator(&mut self) -> Option<(Operator, u8, usize)> {
        use Operator::{Plain, Temporal};
        let token = self.stream.peek();
        let second = self.stream.peek_at(1).kind;
        Some(match (token.kind, second) {
            (Kind::Arrow | Kind::LongArrow, _) => (Temporal(Joined::Implies), 1, 1),
            (Kind::Less, Kind::Arrow) => (Temporal(Joined::Equivalent), 1, 2),
            (Kind::DoubleArrow, _) => (Temporal(Joined::Equivalent), 1, 1),
            (Kind::Backslash, Kind::Slash) => (Plain(BinaryOp::Or), 2, 2),
            (Kind::LogicalOr, _) => (Plain(BinaryOp::Or), 2, 1),
            (Kind::Slash, Kind::Backslash) => (Plain(BinaryOp::And), 3, 2),
            (Kind::LogicalAnd, _) => (Plain(BinaryOp::And), 3, 1),
            (Kind::Name, _) => match self.name(token.text) {
                "implies" => (Temporal(Joined::Implies), 1, 1),
                "equivalent" => (Temporal(Joined::Equivalent), 1, 1),
                "U" | "until" | "stronguntil" => (Temporal(Joined::Until), 4, 1),
                "W" | "weakuntil" => (Temporal(Joined::WeakUntil), 4, 1),
                "V" | "release" => (Temporal(Joined::Release), 4, 1),
                _ => return None,
            },
            (kind, _) => {
                let (op, strength) = binary_operator(kind)?;
                (Plain(op), strength, 1)
            }
        })
    }

    fn joined(&mut self, operator: Operator, token: Token, left: Part, right: Part) -> Parse<Part> {
        let span = left.span.to(right.span);
        let open = opened_by(operator);
        let formula = match (operator, left.formula, right.formula) {
            (Operator::Plain(op), Formula::Atom(a), Formula::Atom(b)) => Formula::Atom(self.binary(op, a, b)),
            (Operator::Plain(BinaryOp::And), a, b) => Formula::binary(Joined::And, a, b),
            (Operator::Plain(BinaryOp::Or), a, b) => Formula::binary(Joined::Or, a, b),
            (Operator::Plain(_), a, _) => {
                return self.report_temporal(token, left.span, right.span, is_temporal(&a));
            }
            (Operator::Temporal(op), a, b) => Formula::binary(op, a, b),
        };
        Ok(Part { formula, span, open })
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

    fn formula_operand(&mut self, unclear: &mut Option<Span>) -> Parse<Part> {
        let token = self.stream.peek();
        if let Some((prefix, length)) = self.temporal_prefix(token) {
            for _ in 0..length {
                self.stream.bump();
            }
            let operand = self.nested(|parser| parser.formula_operand(unclear))?;
            self.grow(0, token.span)?;
            let formula = Formula::unary(prefix, operand.formula);
            return Ok(Part { formula, span: token.span.to(operand.span), open: Some(Open::Prefix) });
        }
        match token.kind {
            Kind::Bang | Kind::BangBang | Kind::LogicalNot => {
                self.stream.bump();
                let operand = self.nested(|parser| parser.formula_operand(unclear))?;
                self.grow(0, token.span)?;
                let negated = self.negated(token.span, operand);
                Ok(if token.kind == Kind::BangBang { self.negated(token.span, negated) } else { negated })
            }
            Kind::LeftParen => self.nested(|parser| parser.bracketed_formula(unclear)),
            _ => {
                let expr = self.operand()?;
                let span = expr.span;
                Ok(Part { formula: Formula::Atom(expr), span, open: None })
            }
        }
    }

    fn negated(&mut self, start: Span, operand: Part) -> Part {
        let (span, open) = (start.to(operand.span), operand.open);
        let formula = match operand.formula {
            Formula::Atom(expr) => Formula::Atom(self.unary(UnaryOp::Not, start, expr)),
            formula => formula.negated(),
        };
        Part { formula, span, open }
    }

    fn bracketed_formula(&mut self, unclear: &mut Option<Span>) -> Parse<Part> {
        let open = self.stream.bump().span;
        let mut part = self.formula_operators(0, unclear)?;
        self.expect(Kind::RightParen, "an operator or `)`")?;
        part.span = self.since(open);
        part.open = None;
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
            (Kind::Box, _) => Some((Prefix::Always, 1)),
            (Kind::Diamond, _) => Some((Prefix::Eventually, 1)),
            (Kind::Circle, _) => Some((Prefix::Next, 1)),
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

fn opened_by(operator: Operator) -> Option<Open> {
    match operator {
        Operator::Temporal(Joined::Implies | Joined::Equivalent) => Some(Open::Implication),
        Operator::Temporal(_) => Some(Open::Until),
        Operator::Plain(BinaryOp::And) => Some(Open::And),
        Operator::Plain(_) => None,
    }
}

/// Whether people, or Spin's two parsers, disagree about what is grouped together.
fn is_unclear(operator: Operator, left: &Part, right: &Part) -> bool {
    match opened_by(operator) {
        Some(Open::Implication) => left.open == Some(Open::Implication),
        Some(Open::Until) => matches!(left.open, Some(Open::Until | Open::Prefix)),
        _ => {
            matches!(operator, Operator::Plain(BinaryOp::Or))
                && [left, right].iter().any(|part| part.open == Some(Open::And))
                && [left, right].iter().any(|part| is_temporal(&part.formula))
        }
    }
}

fn is_temporal(formula: &Formula) -> bool {
    !matches!(formula, Formula::Atom(_))
}

/// Takes the expressions apart.
fn split(formula: Formula) -> Formula {
    match formula {
        Formula::Constant(_) => formula,
        Formula::Atom(expr) => expr.into_formula(),
        Formula::Unary(op, operand) => Formula::unary(op, split(*operand)),
        Formula::Binary(op, left, right) => Formula::binary(op, split(*left), split(*right)),
    }
}
