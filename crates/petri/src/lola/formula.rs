//! Reads formulas.
//!
//! Operators of one level group to the left. From the loosest: `U` and `R`, which do not repeat without
//! brackets; `REACHABLE`, `INVARIANT`, `IMPOSSIBLE`; `<->`; `->`; `OR` and `XOR`; `AND`; `NOT`; the other
//! temporal operators and path quantifiers; comparisons; `+` and `-`; `*`.

use model::{Over, Patience};

use super::lexer::{Ahead, Lexer, Token};
use super::operand::{self, Measured, Operand, Relation};
use crate::reading::{Read, Reading, Stop, refusal, settled};
use crate::{Atom, Formula, Names, Net, Property, Question, Sum};

/// How deep brackets and operators can be nested: what works on formulas is recursive.
const MAX_HEIGHT: usize = 500;

/// How many operators and atoms there can be. `XOR` and `<->` have their operands twice.
const MAX_SIZE: usize = 1 << 20;

/// The characters of operators. Names may contain them.
const OPERATOR_CHARS: [char; 10] = ['=', '<', '>', '!', '#', '+', '-', '*', '&', '|'];

const OPERATORS: [&str; 17] =
    ["<->", "->", "<=", ">=", "<>", "!=", "==", "&&", "||", "=", "<", ">", "!", "#", "+", "-", "*"];

const KEYWORDS: &str = "FORMULA REACHABLE INVARIANT IMPOSSIBLE NOT AND OR XOR ALLPATH EXPATH ALWAYS EVENTUALLY \
    NEXTSTATE UNTIL RELEASE TRUE FALSE FIREABLE DEADLOCK INITIAL MAX oo";

/// Reads one question about a net: a formula, or `MAX(…)` for the greatest value of a sum.
///
/// ```
/// use petri::lola::{read_formula, read_net};
///
/// let patience = model::Patience::default();
/// let net = read_net("PLACE p, q; MARKING p; TRANSITION t CONSUME p; PRODUCE q;", &patience).unwrap()?;
/// let formula = read_formula("EF (p = 0 AND NOT FIREABLE(t))", &net, &patience).unwrap()?;
/// assert_eq!(formula, read_formula("REACHABLE p==0 && !FIREABLE(t)", &net, &patience).unwrap()?);
/// # Ok::<(), Box<source::Diagnostic>>(())
/// ```
///
/// # Errors
/// If it takes longer than there is patience.
pub fn read_formula(text: &str, net: &Net, patience: &Patience) -> Result<Read<Question>, Over> {
    patience.check()?;
    settled(question(text, net, patience))
}

fn question(text: &str, net: &Net, patience: &Patience) -> Reading<Question> {
    let mut reader = Reader::new(text, net, patience)?;
    let question = reader.question()?;
    while reader.accept(";")? {}
    match reader.token.is_end() {
        true => Ok(question),
        false => Err(reader.expected("the end of the formula")),
    }
}

/// Reads several formulas with `:` or `;` between them. They have no names, so they are called
/// `formula_0`, `formula_1`, ….
///
/// # Errors
/// If it takes longer than there is patience.
pub fn read_formulas(text: &str, net: &Net, patience: &Patience) -> Result<Read<Vec<Property>>, Over> {
    patience.check()?;
    settled(properties(text, net, patience))
}

fn properties(text: &str, net: &Net, patience: &Patience) -> Reading<Vec<Property>> {
    let mut reader = Reader::new(text, net, patience)?;
    let mut properties = Vec::new();
    loop {
        let name = format!("formula_{}", properties.len());
        properties.push(Property { name, question: reader.question()? });
        if !reader.token.is_end() && !reader.token.is(";") && !reader.token.is(":") {
            return Err(reader.expected("`;`, `:` or the end of the formulas"));
        }
        while reader.accept(";")? || reader.accept(":")? {}
        if reader.token.is_end() {
            return Ok(properties);
        }
    }
}

/// Reads what can be said of one marking: a formula without temporal operators.
///
/// # Errors
/// If it takes longer than there is patience.
pub fn read_predicate(text: &str, net: &Net, patience: &Patience) -> Result<Read<Formula>, Over> {
    patience.check()?;
    settled(predicate(text, net, patience))
}

fn predicate(text: &str, net: &Net, patience: &Patience) -> Reading<Formula> {
    match question(text, net, patience)? {
        Question::Formula(formula) if formula.is_predicate() => Ok(formula),
        _ => Err(refusal(0, "E0357", "a condition on one marking has no temporal operators")),
    }
}

/// Whether a word is an operator or a keyword wherever it stands. Groups of letters such as `AG` are not:
/// where no operator can be, they are names.
pub(super) fn is_reserved(word: &str) -> bool {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    is_number || KEYWORDS.split(' ').any(|keyword| keyword == word) || OPERATORS.contains(&word)
}

fn is_letter_group(token: &Token<'_>) -> bool {
    !token.quoted && !token.is_end() && token.text.bytes().all(|byte| b"AEFGXUR".contains(&byte))
}

/// What stands between two operands.
#[derive(Clone, Copy, PartialEq)]
enum Infix {
    Until,
    Release,
    Equivalent,
    Implies,
    Or,
    Xor,
    And,
    Compare(Relation),
    Plus,
    Minus,
    Times,
}

/// Where no operator binds as loosely, and the levels of prefix operators.
const LOOSEST: u8 = 0;
const BEHIND_REACHABLE: u8 = 1;
const BEHIND_NOT: u8 = 5;
const BEHIND_MINUS: u8 = 9;

/// An operator between operands, and how strongly it binds.
fn infix(token: &Token<'_>) -> Option<(Infix, u8)> {
    if token.quoted {
        return None;
    }
    Some(match &*token.text {
        "U" | "UNTIL" => (Infix::Until, LOOSEST),
        "R" | "RELEASE" => (Infix::Release, LOOSEST),
        "<->" => (Infix::Equivalent, 1),
        "->" => (Infix::Implies, 2),
        "OR" | "||" => (Infix::Or, 3),
        "XOR" => (Infix::Xor, 3),
        "AND" | "&&" => (Infix::And, 4),
        "<" => (Infix::Compare(Relation::Less), 6),
        "<=" => (Infix::Compare(Relation::AtMost), 6),
        ">" => (Infix::Compare(Relation::Greater), 6),
        ">=" => (Infix::Compare(Relation::AtLeast), 6),
        "=" | "==" => (Infix::Compare(Relation::Equal), 6),
        "!=" | "<>" | "#" => (Infix::Compare(Relation::Different), 6),
        "+" => (Infix::Plus, 7),
        "-" => (Infix::Minus, 7),
        "*" => (Infix::Times, 8),
        _ => return None,
    })
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    names: Names<'a>,
    /// The length of the longest name of the net.
    longest: usize,
    /// The one that comes next.
    token: Token<'a>,
    /// The number of operands around.
    depth: usize,
}

impl<'a> Ahead<'a> for Reader<'a> {
    fn token(&self) -> &Token<'a> {
        &self.token
    }

    /// Takes the next token. Where operators stand directly beside names, as in `p1=1`, the longest name
    /// of the net counts.
    fn next(&mut self) -> Reading<Token<'a>> {
        let mut next = self.lexer.next()?;
        if !next.quoted && !next.is_separator() {
            let run = &self.lexer.text[next.at..self.lexer.at];
            let length = self.length(run)?;
            self.lexer.at = next.at + length;
            next.text = run[..length].into();
        }
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn expected(&self, what: &str) -> Stop {
        refusal(self.token.at, "E0357", format!("expected {what}, found {}", self.token))
    }
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, net: &'a Net, patience: &'a Patience) -> Reading<Reader<'a>> {
        let places = net.places().iter().map(|place| place.name.len());
        let transitions = net.transitions().iter().map(|transition| transition.name.len());
        let mut reader = Reader {
            lexer: Lexer::new(text, patience),
            names: Names::new(net, patience)?,
            longest: places.chain(transitions).max().unwrap_or(0),
            token: Token { text: "".into(), quoted: false, at: 0 },
            depth: 0,
        };
        reader.next()?;
        Ok(reader)
    }

    fn question(&mut self) -> Reading<Question> {
        self.accept("FORMULA")?;
        let at = self.token.at;
        if self.accept("MAX")? {
            self.expect("(")?;
            let at = self.token.at;
            let operand = self.expression(LOOSEST)?;
            let sum = self.sum(operand, at)?;
            self.expect(")")?;
            let sum = Sum::new(sum.terms, sum.constant).ok_or_else(|| self.overflow(at))?;
            return Ok(Question::Bound(sum));
        }
        let operand = self.expression(LOOSEST)?;
        Ok(Question::Formula(self.formula(operand, at)?.formula))
    }

    /// Reads operands and the operators between them that bind at least as strongly as `level`.
    fn expression(&mut self, level: u8) -> Reading<Operand> {
        let at = self.token.at;
        self.depth += 1;
        if self.depth > MAX_HEIGHT {
            return Err(self.too_large(at));
        }
        let mut left = self.operand()?;
        while let Some((operator, strength)) = infix(&self.token).filter(|(_, strength)| *strength >= level) {
            self.next()?;
            let right_at = self.token.at;
            let right = self.expression(strength + 1)?;
            left = self.apply(operator, (left, at), (right, right_at))?;
            if strength == LOOSEST && infix(&self.token).is_some_and(|(_, strength)| strength == LOOSEST) {
                let message = format!("{} after another such operator needs brackets", self.token);
                return Err(refusal(self.token.at, "E0357", message));
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Reads what stands before, between or behind binary operators.
    fn operand(&mut self) -> Reading<Operand> {
        let token = self.next()?;
        if is_letter_group(&token) && self.starts_operand() {
            return self.letters(&token);
        }
        if token.quoted {
            return self.place(&token);
        }
        Ok(match &*token.text {
            "(" => {
                let inner = self.expression(LOOSEST)?;
                self.expect(")")?;
                inner
            }
            "-" => {
                let at = self.token.at;
                let inner = self.expression(BEHIND_MINUS)?;
                let sum = self.sum(inner, at)?;
                Operand::Sum(operand::times(sum, -1).ok_or_else(|| self.overflow(at))?)
            }
            "NOT" | "!" => self.prefix(BEHIND_NOT, &[Formula::Not])?,
            "ALLPATH" => self.prefix(BEHIND_NOT, &[Formula::All])?,
            "EXPATH" => self.prefix(BEHIND_NOT, &[Formula::Exists])?,
            "ALWAYS" => self.prefix(BEHIND_NOT, &[Formula::Always])?,
            "EVENTUALLY" => self.prefix(BEHIND_NOT, &[Formula::Eventually])?,
            "NEXTSTATE" => self.prefix(BEHIND_NOT, &[Formula::Next])?,
            "REACHABLE" => self.prefix(BEHIND_REACHABLE, &[Formula::Exists, Formula::Eventually])?,
            "INVARIANT" => self.prefix(BEHIND_REACHABLE, &[Formula::All, Formula::Always])?,
            "IMPOSSIBLE" => self.prefix(BEHIND_REACHABLE, &[Formula::All, Formula::Always, Formula::Not])?,
            "TRUE" => Operand::leaf(Formula::Constant(true)),
            "FALSE" => Operand::leaf(Formula::Constant(false)),
            "DEADLOCK" => Operand::leaf(Formula::Atom(Atom::Deadlock)),
            "INITIAL" => Operand::leaf(Formula::Atom(Atom::Initial)),
            "FIREABLE" => self.fireable()?,
            "oo" => {
                let message = "`oo`, for any number of tokens, has no meaning in a marking";
                return Err(refusal(token.at, "E0360", message));
            }
            _ if token.is_number() => {
                let too_large = |_| refusal(token.at, "E0353", format!("{token} is more than 2^63 - 1"));
                Operand::Sum(Sum { terms: Vec::new(), constant: token.text.parse().map_err(too_large)? })
            }
            word if token.is_end() || token.is_separator() || is_reserved(word) => {
                self.token = token;
                return Err(self.expected("a formula"));
            }
            _ => self.place(&token)?,
        })
    }

    /// Whether the next token can be the first of an operand.
    fn starts_operand(&self) -> bool {
        let ends = self.token.is_end() || self.token.is_separator() && !self.token.is("(");
        !ends && (is_letter_group(&self.token) || infix(&self.token).is_none())
    }

    /// Applies operators to what comes next, the last of them first.
    fn prefix(&mut self, level: u8, operators: &[fn(Box<Formula>) -> Formula]) -> Reading<Operand> {
        let at = self.token.at;
        let inner = self.expression(level)?;
        let inner = self.formula(inner, at)?;
        let formula = operators.iter().rev().fold(inner, |inner, operator| inner.unary(*operator));
        self.bounded(formula, at)
    }

    /// Applies a group of letters, such as `AGEF`.
    fn letters(&mut self, group: &Token<'a>) -> Reading<Operand> {
        let operators = group.text.chars().map(|letter| match letter {
            'A' => Ok(Formula::All as fn(_) -> _),
            'E' => Ok(Formula::Exists as _),
            'F' => Ok(Formula::Eventually as _),
            'G' => Ok(Formula::Always as _),
            'X' => Ok(Formula::Next as _),
            _ => {
                let message = format!("`{letter}` stands between two formulas, not before one");
                Err(refusal(group.at, "E0357", message))
            }
        });
        let operators = operators.collect::<Result<Vec<_>, _>>()?;
        if operators.len() > MAX_HEIGHT {
            return Err(self.too_large(group.at));
        }
        self.prefix(BEHIND_NOT, &operators)
    }

    fn fireable(&mut self) -> Reading<Operand> {
        self.expect("(")?;
        let name = self.next()?;
        let Some(transition) = self.names.transition(&name.text) else {
            return Err(refusal(name.at, "E0355", format!("there is no transition {name}")));
        };
        self.expect(")")?;
        Ok(Operand::leaf(Formula::Atom(Atom::Fireable(vec![transition]))))
    }

    fn place(&self, name: &Token<'a>) -> Reading<Operand> {
        if let Some(place) = self.names.place(&name.text) {
            return Ok(Operand::Sum(Sum { terms: vec![(place, 1)], constant: 0 }));
        }
        let message = match self.names.transition(&name.text) {
            Some(_) => format!("{name} is a transition; whether it can fire is `FIREABLE({})`", name.text),
            None => format!("there is no place {name}"),
        };
        Err(refusal(name.at, "E0355", message))
    }

    fn apply(
        &self,
        operator: Infix,
        (left, left_at): (Operand, usize),
        (right, right_at): (Operand, usize),
    ) -> Reading<Operand> {
        if let Infix::Plus | Infix::Minus | Infix::Times | Infix::Compare(_) = operator {
            let (left, right) = (self.sum(left, left_at)?, self.sum(right, right_at)?);
            let result = match operator {
                Infix::Plus => operand::plus(left, right).map(Operand::Sum),
                Infix::Minus => operand::minus(left, right).map(Operand::Sum),
                Infix::Compare(relation) => operand::compare(relation, left, right).map(Operand::leaf),
                _ if left.terms.is_empty() => operand::times(right, left.constant).map(Operand::Sum),
                _ if right.terms.is_empty() => operand::times(left, right.constant).map(Operand::Sum),
                _ => {
                    let message = "a product of tokens and tokens; one side must be a number";
                    return Err(refusal(left_at, "E0359", message));
                }
            };
            return result.ok_or_else(|| self.overflow(left_at));
        }
        let (left, right) = (self.formula(left, left_at)?, self.formula(right, right_at)?);
        let twice = matches!(operator, Infix::Equivalent | Infix::Xor);
        if twice && 2 * (left.size + right.size) > MAX_SIZE {
            return Err(self.too_large(left_at));
        }
        let formula = match operator {
            Infix::Until => left.binary(right, Formula::Until),
            Infix::Release => left.binary(right, Formula::Release),
            Infix::And => left.and(right),
            Infix::Or => left.or(right),
            Infix::Implies => left.not().or(right),
            Infix::Equivalent => left.clone().and(right.clone()).or(left.not().and(right.not())),
            _ => left.clone().and(right.clone().not()).or(left.not().and(right)),
        };
        self.bounded(formula, left_at)
    }

    fn sum(&self, operand: Operand, at: usize) -> Reading<Sum> {
        match operand {
            Operand::Sum(sum) => Ok(sum),
            Operand::Formula(_) => Err(refusal(at, "E0357", "expected a number of tokens, found a formula")),
        }
    }

    fn formula(&self, operand: Operand, at: usize) -> Reading<Measured> {
        match operand {
            Operand::Formula(formula) => Ok(formula),
            Operand::Sum(_) => {
                let message = "expected a formula, found a number of tokens; compare it, as in `p > 0`";
                Err(refusal(at, "E0357", message))
            }
        }
    }

    fn bounded(&self, formula: Measured, at: usize) -> Reading<Operand> {
        match formula.height > MAX_HEIGHT || formula.size > MAX_SIZE {
            true => Err(self.too_large(at)),
            false => Ok(Operand::Formula(formula)),
        }
    }

    /// The length of the first token of a text without blanks and separators.
    fn length(&mut self, run: &str) -> Reading<usize> {
        let operator = OPERATORS.into_iter().filter(|operator| run.starts_with(operator));
        let word = || run.find(OPERATOR_CHARS).filter(|&length| length > 0).unwrap_or(run.len());
        let token = operator.map(str::len).max().unwrap_or_else(word);
        let ends = run.match_indices(OPERATOR_CHARS).map(|(at, _)| at).chain([run.len()]);
        let mut length = token;
        for end in ends.take_while(|&end| end <= self.longest).filter(|&end| end > token) {
            self.lexer.pace.steps(end)?;
            let name = &run[..end];
            if self.names.place(name).is_some() || self.names.transition(name).is_some() {
                length = end;
            }
        }
        Ok(length)
    }

    fn too_large(&self, at: usize) -> Stop {
        let message = format!(
            "the formula is too large: more than {MAX_HEIGHT} operators above each other, or {MAX_SIZE} in all"
        );
        refusal(at, "E0358", message)
    }

    fn overflow(&self, at: usize) -> Stop {
        refusal(at, "E0359", "the numbers of this sum are too large")
    }
}
