//! Labels: Boolean expressions over the atoms.

use super::HoaError;
use super::lex::{Kind, Tokens};
use crate::automaton::{Cube, Guard, MAX_ATOMS};
use std::collections::HashMap;
use std::rc::Rc;

/// How many brackets and negations may be open at once.
const MAX_DEPTH: usize = 500;

/// How many steps the normal form of one label may take.
const MAX_STEPS: usize = 1 << 18;

/// A label as it is written.
#[derive(Debug)]
pub(super) enum Label {
    Constant(bool),
    Atom(u32),
    Not(Rc<Label>),
    And(Vec<Rc<Label>>),
    Or(Vec<Rc<Label>>),
}

/// The labels that have names, which begin with `@`.
pub(super) type Aliases = HashMap<String, Rc<Label>>;

/// Reads a label.
pub(super) fn read(tokens: &mut Tokens, aliases: &Aliases) -> Result<Rc<Label>, HoaError> {
    Reader { tokens, aliases, depth: 0 }.disjunction()
}

struct Reader<'a, 'b> {
    tokens: &'a mut Tokens<'b>,
    aliases: &'a Aliases,
    depth: usize,
}

impl Reader<'_, '_> {
    fn disjunction(&mut self) -> Result<Rc<Label>, HoaError> {
        let mut parts = vec![self.conjunction()?];
        while self.tokens.take("|")? {
            parts.push(self.conjunction()?);
        }
        Ok(Rc::new(Label::Or(parts)))
    }

    fn conjunction(&mut self) -> Result<Rc<Label>, HoaError> {
        let mut parts = vec![self.operand()?];
        while self.tokens.take("&")? {
            parts.push(self.operand()?);
        }
        Ok(Rc::new(Label::And(parts)))
    }

    fn operand(&mut self) -> Result<Rc<Label>, HoaError> {
        if self.depth == MAX_DEPTH {
            return Err(self.tokens.error_at(self.tokens.peek(), "this label is nested too deeply"));
        }
        self.depth += 1;
        let token = self.tokens.peek();
        let label = match (token.kind, token.text) {
            (Kind::Symbol, "!") => {
                self.tokens.bump()?;
                Rc::new(Label::Not(self.operand()?))
            }
            (Kind::Symbol, "(") => {
                self.tokens.bump()?;
                let label = self.disjunction()?;
                self.tokens.expect(")")?;
                label
            }
            (Kind::Word, "t" | "f") => Rc::new(Label::Constant(self.tokens.bump()?.text == "t")),
            (Kind::Number, _) => {
                Rc::new(Label::Atom(self.tokens.number("an atom's number", MAX_ATOMS as u32)?))
            }
            (Kind::Alias, name) => {
                self.tokens.bump()?;
                let label = self.aliases.get(name);
                label.cloned().ok_or_else(|| self.tokens.error_at(token, format!("there is no `{name}`")))?
            }
            _ => return Err(self.tokens.unexpected("a label")),
        };
        self.depth -= 1;
        Ok(label)
    }
}

/// The label as a disjunction of cubes, unless that takes too long; and how many steps it takes.
pub(super) fn guard(label: &Label) -> (Option<Guard>, usize) {
    let mut steps = MAX_STEPS;
    let guard = cubes(label, true, &mut steps).map(|cubes| Guard { cubes });
    (guard, MAX_STEPS - steps)
}

/// The cubes under which the label has a value.
fn cubes(label: &Label, value: bool, steps: &mut usize) -> Option<Vec<Cube>> {
    *steps = steps.checked_sub(1)?;
    match label {
        Label::Constant(constant) => {
            Some(if *constant == value { vec![Cube::default()] } else { Vec::new() })
        }
        Label::Atom(atom) => {
            let bit = 1 << atom;
            let (positive, negative) = if value { (bit, 0) } else { (0, bit) };
            Some(vec![Cube { positive, negative }])
        }
        Label::Not(operand) => cubes(operand, !value, steps),
        Label::And(parts) if value => all(parts, value, steps),
        Label::Or(parts) if !value => all(parts, value, steps),
        Label::And(parts) | Label::Or(parts) => any(parts, value, steps),
    }
}

/// The cubes under which at least one of the labels has the value.
fn any(parts: &[Rc<Label>], value: bool, steps: &mut usize) -> Option<Vec<Cube>> {
    let mut result = Vec::new();
    for part in parts {
        result.extend(cubes(part, value, steps)?);
    }
    Some(without_superfluous(result))
}

/// The cubes under which all labels have the value.
fn all(parts: &[Rc<Label>], value: bool, steps: &mut usize) -> Option<Vec<Cube>> {
    let mut result = vec![Cube::default()];
    for part in parts {
        let part = cubes(part, value, steps)?;
        *steps = steps.checked_sub(result.len().checked_mul(part.len())?)?;
        let both = |a: &Cube, b: &Cube| Cube {
            positive: a.positive | b.positive,
            negative: a.negative | b.negative,
        };
        let products = result.iter().flat_map(|a| part.iter().map(move |b| both(a, b)));
        result = without_superfluous(products.filter(|cube| cube.positive & cube.negative == 0).collect());
    }
    Some(result)
}

/// The cubes without the repeated ones; the empty cube makes all others superfluous.
fn without_superfluous(mut cubes: Vec<Cube>) -> Vec<Cube> {
    cubes.sort_unstable();
    cubes.dedup();
    if cubes.first() == Some(&Cube::default()) {
        cubes.truncate(1);
    }
    cubes
}
