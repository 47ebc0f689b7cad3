//! The grammar: operators by precedence, with the tables of a dialect.
//!
//! What waits for an operand stands on a stack of its own, so that no text can be too deep for us.

use super::auto::is_letter_operator;
use super::dialect::{self, Infix, Prefix};
use super::doubtful::{Shape, is_doubtful_left, is_doubtful_right, is_temporal};
use super::lex::{self, Kind, Token};
use super::{Dialect, MAX_HEIGHT, ParseError, Warning};
use crate::ctl::Quantifier;
use crate::ltl::{BinaryOp, Ltl, UnaryOp};
use crate::print::{Notation, print};
use crate::text::unquoted;
use std::ops::Range;

type Parse<T> = Result<T, ParseError>;

/// Texts longer than this are not repeated in messages.
const LONGEST_QUOTE: usize = 200;

/// What a formula of linear time says of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// The text of an atom.
    Atom(String),
    /// What all paths from there are like, or some: in [`Dialect::Branching`] only.
    Path(Quantifier, Box<Ltl<Leaf>>),
}

/// Reads a formula in a dialect other than [`Dialect::Auto`].
pub(super) fn parse(source: &str, dialect: Dialect) -> Parse<(Ltl<Leaf>, Vec<Warning>)> {
    let mut parser = Parser { source, dialect, position: 0, mixed: None, warnings: Vec::new() };
    let part = parser.whole()?;
    let formula = parser.formula_of(part.body);
    if let Some(span) = parser.mixed.take() {
        let reading = print(&formula, notation(dialect), &|leaf| leaf_text(leaf, dialect));
        let message = format!("operators are mixed without brackets; this is read as `{reading}`");
        parser.warnings.push(Warning { message, span });
    }
    Ok((formula, parser.warnings))
}

fn leaf_text(leaf: &Leaf, dialect: Dialect) -> String {
    match leaf {
        Leaf::Atom(text) => text.clone(),
        Leaf::Path(quantifier, path) => {
            let path = print(path, notation(dialect), &|leaf| leaf_text(leaf, dialect));
            format!("{quantifier}({path})")
        }
    }
}

/// What a formula is shown in to those who write a dialect.
fn notation(dialect: Dialect) -> Notation {
    if matches!(dialect, Dialect::Spot | Dialect::Branching) { Notation::Spot } else { Notation::Spin }
}

struct Parser<'a> {
    source: &'a str,
    dialect: Dialect,
    /// Where the next token begins, or the white space before it.
    position: usize,
    /// The first place where operators are mixed in a way that invites mistakes.
    mixed: Option<Range<usize>>,
    warnings: Vec<Warning>,
}

/// A part of the text that was read.
struct Part {
    body: Body,
    shape: Shape,
    span: Range<usize>,
    temporal: bool,
    /// How many operators of formulas stand above each other.
    height: usize,
}

enum Body {
    /// An expression, without brackets around it, and whether its weakest operator works on bits. It
    /// stays text because it may yet become a part of a larger one.
    Expression {
        span: Range<usize>,
        bitwise: bool,
    },
    Formula(Ltl<Leaf>),
}

/// What waits for its operand, or for the right one.
enum Waiting<'a> {
    Bracket(Token<'a>),
    Prefix(Token<'a>, Prefix),
    /// `-` or `~`.
    Sign(Token<'a>),
    Infix(Part, Operator<'a>),
}

/// An operator between two operands.
#[derive(Clone, Copy)]
struct Operator<'a> {
    token: Token<'a>,
    infix: Infix,
    strength: u8,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        lex::token(self.source, self.position)
    }

    fn bump(&mut self) -> Token<'a> {
        let token = self.peek();
        self.position = token.end();
        token
    }

    /// Reads the whole text.
    fn whole(&mut self) -> Parse<Part> {
        let mut waiting = Vec::new();
        loop {
            let Some(mut part) = self.operand(&mut waiting)? else { continue };
            loop {
                let operator = self.operator();
                part = self.complete(&mut waiting, part, operator)?;
                if let Some(operator) = operator {
                    self.position = operator.token.end();
                    waiting.push(Waiting::Infix(part, operator));
                    break;
                }
                // Only an open bracket can still wait where no operator follows.
                match waiting.pop() {
                    Some(Waiting::Bracket(open)) => part = self.bracketed(open, part)?,
                    _ if self.peek().kind == Kind::End => return Ok(part),
                    _ => return Err(self.unexpected(self.peek(), "an operator")),
                }
            }
        }
    }

    /// The operator between operands that comes next.
    fn operator(&self) -> Option<Operator<'a>> {
        let mut token = self.peek();
        if !matches!(token.kind, Kind::Name | Kind::Symbol) {
            return None;
        }
        if token.kind == Kind::Name
            && let Some(length) = dialect::glued_infix(self.dialect, token.text)
        {
            token.text = &token.text[..length];
        }
        let (infix, strength) = dialect::infix(self.dialect, token.text)?;
        Some(Operator { token, infix, strength })
    }

    /// Applies what waits for the operand that has just been read, as far as it binds more strongly
    /// than the operator behind it.
    fn complete(
        &mut self,
        waiting: &mut Vec<Waiting>,
        mut part: Part,
        next: Option<Operator>,
    ) -> Parse<Part> {
        while let Some(last) = waiting.pop_if(|last| self.comes_first(last, next)) {
            part = match last {
                Waiting::Prefix(token, op) => self.prefixed(token, op, part)?,
                Waiting::Sign(token) => self.signed(token, &part)?,
                Waiting::Infix(left, operator) => match operator.infix {
                    Infix::Join(op) => self.joined(op, left, part)?,
                    Infix::Plain => self.expression(left, operator.token, part)?,
                },
                Waiting::Bracket(_) => unreachable!("a bracket waits for the one that closes it"),
            };
        }
        Ok(part)
    }

    /// Whether what waits takes the operand before it, rather than the operator behind it.
    fn comes_first(&self, waiting: &Waiting, next: Option<Operator>) -> bool {
        match (waiting, next) {
            (Waiting::Bracket(_), _) => false,
            (Waiting::Sign(_), _) | (_, None) => true,
            (Waiting::Prefix(..), Some(next)) => !dialect::prefix_gives_way(self.dialect, next.strength),
            (Waiting::Infix(_, operator), Some(next)) if operator.strength == next.strength => {
                !dialect::groups_right(self.dialect, operator.infix)
            }
            (Waiting::Infix(_, operator), Some(next)) => operator.strength > next.strength,
        }
    }

    /// Two formulas with an operator between them.
    fn joined(&mut self, op: BinaryOp, left: Part, right: Part) -> Parse<Part> {
        let span = left.span.start..right.span.end;
        let height = left.height.max(right.height) + 1;
        if height > MAX_HEIGHT {
            return Err(too_high(span));
        }
        if is_doubtful_left(op, left.shape) || is_doubtful_right(op, right.shape) {
            self.mixed.get_or_insert(span.clone());
        }
        let temporal = left.temporal || right.temporal || is_temporal(op);
        let left = self.formula_of(left.body);
        let body = Body::Formula(Ltl::binary(op, left, self.formula_of(right.body)));
        Ok(Part { body, shape: Shape::Join(op), span, temporal, height })
    }

    /// Two expressions with an operator between them.
    fn expression(&mut self, left: Part, operator: Token, right: Part) -> Parse<Part> {
        let span = left.span.start..right.span.end;
        if left.temporal || right.temporal {
            let message = format!("a temporal formula cannot be an operand of `{}`", operator.text);
            let help = match operator.text {
                "&" => Some("write `&&`".to_owned()),
                "|" => Some("write `||`".to_owned()),
                _ => self.bracketed_behind_prefix(left.shape, &span),
            };
            return Err(ParseError { message, span, help });
        }
        if let Shape::Prefix { .. } = left.shape {
            let help = self.bracketed_behind_prefix(left.shape, &span);
            let instead = help.map_or_else(String::new, |help| format!("; to negate the whole, {help}"));
            let message = format!("`!` binds more strongly than `{}`{instead}", operator.text);
            self.warnings.push(Warning { message, span: span.clone() });
        }
        let body = Body::Expression { span: span.clone(), bitwise: matches!(operator.text, "&" | "|" | "^") };
        Ok(Part { body, shape: Shape::Expression, span, temporal: false, height: 0 })
    }

    /// Advice to write `[] (x == 1)` for `[] x == 1`.
    fn bracketed_behind_prefix(&self, left: Shape, span: &Range<usize>) -> Option<String> {
        let Shape::Prefix { operand_start, .. } = left else { return None };
        if span.len() > LONGEST_QUOTE {
            return None;
        }
        let prefix = self.source[span.start..operand_start].trim_end();
        let operand = &self.source[operand_start..span.end];
        Some(format!("write `{prefix} ({operand})`"))
    }

    /// Reads an operand, or only the first of what may stand in front of one.
    fn operand(&mut self, waiting: &mut Vec<Waiting<'a>>) -> Parse<Option<Part>> {
        if let Some((token, op)) = self.prefix() {
            self.position = token.end();
            waiting.push(Waiting::Prefix(token, op));
            return Ok(None);
        }
        let token = self.peek();
        match (token.kind, token.text) {
            (Kind::Name, word) if !dialect::is_operator(self.dialect, word) => self.reference().map(Some),
            (Kind::Number | Kind::Quoted, _) => {
                self.bump();
                Ok(Some(self.closed(token.start)))
            }
            (Kind::Symbol, "(") => {
                waiting.push(Waiting::Bracket(self.bump()));
                Ok(None)
            }
            (Kind::Symbol, "[") if matches!(waiting.last(), Some(Waiting::Prefix(_, Prefix::Path(_)))) => {
                waiting.push(Waiting::Bracket(self.bump()));
                Ok(None)
            }
            (Kind::Symbol, "-" | "~") => {
                waiting.push(Waiting::Sign(self.bump()));
                Ok(None)
            }
            _ => Err(self.unexpected(token, "an operand")),
        }
    }

    /// The operator in front that comes next.
    fn prefix(&mut self) -> Option<(Token<'a>, Prefix)> {
        let mut token = self.peek();
        if !matches!(token.kind, Kind::Name | Kind::Symbol) {
            return None;
        }
        if token.kind == Kind::Name
            && let Some(length) = dialect::glued_prefix(self.dialect, token.text)
        {
            self.warn_if_name(token);
            token.text = &token.text[..length];
        }
        dialect::prefix(self.dialect, token.text).map(|op| (token, op))
    }

    /// Warns of names such as `Flag` in dialects that read `F lag`.
    fn warn_if_name(&mut self, word: Token) {
        let goes_on = self.source[..word.start].ends_with(lex::is_name_part);
        if !goes_on && !is_letter_operator(word.text) {
            let (operator, rest) = word.text.split_at(1);
            let message =
                format!("`{}` is read as `{operator} {rest}`; put a name in double quotes", word.text);
            self.warnings.push(Warning { message, span: word.span() });
        }
    }

    fn prefixed(&mut self, token: Token, prefix: Prefix, operand: Part) -> Parse<Part> {
        let span = token.start..operand.span.end;
        let height = operand.height + 1;
        if height > MAX_HEIGHT {
            return Err(too_high(span));
        }
        let op = match prefix {
            Prefix::Unary(op) => op,
            Prefix::Path(quantifier) => {
                let path = Leaf::Path(quantifier, Box::new(self.formula_of(operand.body)));
                let body = Body::Formula(Ltl::Atom(path));
                return Ok(Part { body, shape: Shape::Closed, span, temporal: true, height });
            }
        };
        let operand_start = match operand.shape {
            Shape::Prefix { operand_start, .. } => operand_start,
            Shape::Expression => {
                self.mixed.get_or_insert(span.clone());
                operand.span.start
            }
            _ => operand.span.start,
        };
        let shape = Shape::Prefix { op, operand_start, of_temporal: operand.temporal };
        let temporal = operand.temporal || op != UnaryOp::Not;
        let body = Body::Formula(Ltl::unary(op, self.formula_of(operand.body)));
        Ok(Part { body, shape, span, temporal, height })
    }

    /// An expression with `-` or `~` in front.
    fn signed(&self, token: Token, operand: &Part) -> Parse<Part> {
        if operand.temporal {
            return Err(self.unexpected(token, "a formula"));
        }
        let span = token.start..operand.span.end;
        let body = Body::Expression { span: span.clone(), bitwise: token.text == "~" };
        Ok(Part { body, shape: Shape::Closed, span, temporal: false, height: 0 })
    }

    /// What stands in brackets, of which the second comes next.
    fn bracketed(&mut self, open: Token, mut part: Part) -> Parse<Part> {
        let close = self.peek();
        if close.kind == Kind::End {
            let message = format!("this `{}` is not closed", open.text);
            return Err(ParseError { message, span: open.span(), help: None });
        }
        let closing = if open.text == "[" { "]" } else { ")" };
        if close.text != closing {
            return Err(self.unexpected(close, &format!("an operator or `{closing}`")));
        }
        self.bump();
        part.shape = Shape::Closed;
        part.span = open.start..self.position;
        Ok(part)
    }

    /// A name and what makes it a reference: indices, fields, labels of processes, arguments, a
    /// message that may be received.
    fn reference(&mut self) -> Parse<Part> {
        let start = self.bump().start;
        if self.peek().text == "(" {
            self.skip_brackets()?;
        }
        loop {
            match self.peek().text {
                "[" => self.skip_brackets()?,
                "." | "@" | ":" => {
                    self.bump();
                    let name = self.bump();
                    if name.kind != Kind::Name {
                        return Err(self.unexpected(name, "a name"));
                    }
                }
                "?" | "??" => {
                    self.bump();
                    if self.peek().text != "[" {
                        return Err(self.unexpected(self.peek(), "`[` and a message"));
                    }
                    self.skip_brackets()?;
                }
                _ => return Ok(self.closed(start)),
            }
        }
    }

    /// Skips an opening bracket and everything up to the one that closes it.
    fn skip_brackets(&mut self) -> Parse<()> {
        let open = self.peek();
        let mut closing = Vec::new();
        loop {
            let token = self.bump();
            match (token.kind, token.text) {
                (Kind::Symbol, "(") => closing.push(")"),
                (Kind::Symbol, "[") => closing.push("]"),
                (Kind::Symbol, ")" | "]") if closing.pop() != Some(token.text) => {
                    return Err(self.unexpected(token, "another bracket"));
                }
                (Kind::Symbol, symbol) if is_temporal_prefix(self.dialect, symbol) => {
                    return Err(self.unexpected(token, "an expression"));
                }
                (Kind::End | Kind::OpenQuoted, _) => {
                    let message = format!("this `{}` is not closed", open.text);
                    return Err(ParseError { message, span: open.span(), help: None });
                }
                _ => {}
            }
            if closing.is_empty() {
                return Ok(());
            }
        }
    }

    /// The expression from `start` to the present position, which is one operand.
    fn closed(&self, start: usize) -> Part {
        let span = start..self.position;
        let body = Body::Expression { span: span.clone(), bitwise: false };
        Part { body, shape: Shape::Closed, span, temporal: false, height: 0 }
    }

    /// The formula that a part stands for, now that it is not a part of an expression.
    fn formula_of(&mut self, body: Body) -> Ltl<Leaf> {
        match body {
            Body::Formula(formula) => formula,
            Body::Expression { span, bitwise } => {
                let atom = self.atom(&self.source[span.clone()]).map(&mut Leaf::Atom);
                if bitwise {
                    let message = "`&`, `|`, `^` and `~` work on bits here; formulas have `&&`, `||` and `!`";
                    self.warnings.push(Warning { message: message.to_owned(), span });
                }
                atom
            }
        }
    }

    fn atom(&self, text: &str) -> Ltl<String> {
        let first = lex::token(text, 0);
        let is_single = first.text.len() == text.len();
        match first.kind {
            Kind::Quoted if is_single => Ltl::Atom(unquoted(text)),
            Kind::Number if is_single => Ltl::Constant(text.contains(|digit| digit != '0')),
            _ => match dialect::constant(self.dialect, text) {
                Some(value) => Ltl::Constant(value),
                None => Ltl::Atom(text.to_owned()),
            },
        }
    }

    fn unexpected(&self, token: Token, expected: &str) -> ParseError {
        let message = match token.kind {
            Kind::End if token.start == 0 || self.source.trim().is_empty() => {
                "there is no formula".to_owned()
            }
            Kind::End => format!("the formula ends where {expected} is expected"),
            Kind::OpenQuoted => "these quotes are not closed".to_owned(),
            _ if token.text.len() > LONGEST_QUOTE => format!("expected {expected}"),
            _ => format!("expected {expected}, found `{}`", token.text),
        };
        ParseError { message, span: token.span(), help: help_for(self.dialect, token.text) }
    }
}

fn too_high(span: Range<usize>) -> ParseError {
    let message = format!("more than {MAX_HEIGHT} operators stand above each other");
    ParseError { message, span, help: None }
}

/// What to write instead of a word or symbol that other dialects have.
fn help_for(dialect: Dialect, text: &str) -> Option<String> {
    let help = match text {
        "=" => "`==` compares",
        "=>" | "-->" => "implication is `->`",
        "<=>" | "<-->" => "equivalence is `<->`",
        "~>" => "for `p ~> q` write `[] (p -> <> q)`",
        "W" if dialect == Dialect::SpinF => "`spin -f` has no `W`; for `p W q` write `([] p) || (p U q)`",
        "R" => "release is `V` here; `R` belongs to the dialects of Spot and LTSmin",
        "G" | "F" | "M" | "xor" => "this is an operator in the dialect of Spot",
        _ => return None,
    };
    Some(help.to_owned())
}

fn is_temporal_prefix(dialect: Dialect, symbol: &str) -> bool {
    dialect::prefix(dialect, symbol).is_some_and(|prefix| prefix != Prefix::Unary(UnaryOp::Not))
}
