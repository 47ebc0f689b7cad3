//! Makes a formula of an element from the formulas of those inside.

use std::cell::Cell;
use std::collections::HashSet;

use super::read::Open;
use crate::formula::{Atom, Comparison, Formula, Property, Question, Sum};
use crate::net::{Names, PlaceId, TransitionId};
use crate::reading::{Reading, Stop, refusal};
use crate::xml::Element;

/// Writing out an equivalence doubles what is inside, but not more than this many operators in a file.
const MAX_DOUBLED: usize = 1 << 20;

/// What an element stands for.
pub(super) enum Value {
    Name(String),
    Question(Question),
    Formula(Formula),
    Before(Box<Formula>),
    Reach(Box<Formula>),
    Sum(Sum),
    Bound(Sum),
    Place(PlaceId),
    Transition(TransitionId),
}

/// Makes the properties of a net.
pub(super) struct Builder<'a> {
    names: Names<'a>,
    seen: HashSet<String>,
    doubled: Cell<usize>,
    pub(super) properties: Vec<Property>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(names: Names<'a>) -> Builder<'a> {
        Builder { names, seen: HashSet::new(), doubled: Cell::new(0), properties: Vec::new() }
    }

    /// What an element stands for that has ended; none if nothing outside asks for it.
    pub(super) fn build(&mut self, open: Open) -> Reading<Option<Value>> {
        let at = open.element.at;
        let error = |code, message: String| refusal(at, code, message);
        match (open.in_formula, open.element.name()) {
            (true, _) => {
                let Open { element, text, values, .. } = open;
                Part { builder: self, element, text }.value(values).map(Some)
            }
            (false, "id") => Ok(Some(Value::Name(open.text.trim().to_owned()))),
            (false, "formula") => match <[Value; 1]>::try_from(open.values) {
                Ok([Value::Formula(formula)]) => Ok(Some(Value::Question(Question::Formula(formula)))),
                Ok([Value::Bound(sum)]) => Ok(Some(Value::Question(Question::Bound(sum)))),
                _ => Err(error("E0334", "<formula> takes one formula or one <place-bound>".into())),
            },
            (false, "property") => {
                let property = property(open.values).map_err(|message| error("E0330", message))?;
                if !self.seen.insert(property.name.clone()) {
                    return Err(error("E0337", format!("there are two properties `{}`", property.name)));
                }
                self.properties.push(property);
                Ok(None)
            }
            (false, _) => Ok(None),
        }
    }
}

/// A property of its parts, or what is missing.
fn property(values: Vec<Value>) -> Result<Property, String> {
    let (mut name, mut question) = (None, None);
    for value in values {
        match value {
            Value::Name(value) => name = Some(value),
            Value::Question(value) => question = Some(value),
            _ => {}
        }
    }
    let name = name.ok_or("this property has no <id>")?;
    let question = question.ok_or_else(|| format!("the property `{name}` has no <formula>"))?;
    Ok(Property { name, question })
}

/// An element inside a formula.
struct Part<'a> {
    builder: &'a Builder<'a>,
    element: Element<'a>,
    text: String,
}

impl Part<'_> {
    /// What it stands for, if these are inside.
    fn value(&self, values: Vec<Value>) -> Reading<Value> {
        let formula = match self.element.name() {
            "true" => Formula::Constant(true),
            "false" => Formula::Constant(false),
            "deadlock" => Formula::Atom(Atom::Deadlock),
            "negation" => Formula::Not(self.formula(values)?),
            "conjunction" => Formula::And(self.formulas(values)?),
            "disjunction" => Formula::Or(self.formulas(values)?),
            "implication" => {
                let [a, b] = self.two_formulas(values)?;
                Formula::Or(vec![not(a), b])
            }
            "equivalence" => {
                let [a, b] = self.two_to_double(values)?;
                Formula::Or(vec![
                    Formula::And(vec![a.clone(), b.clone()]),
                    Formula::And(vec![not(a), not(b)]),
                ])
            }
            "exclusive-disjunction" => {
                let [a, b] = self.two_to_double(values)?;
                Formula::Or(vec![
                    Formula::And(vec![a.clone(), not(b.clone())]),
                    Formula::And(vec![not(a), b]),
                ])
            }
            "all-paths" => Formula::All(self.formula(values)?),
            "exists-path" => Formula::Exists(self.formula(values)?),
            "next" => Formula::Next(self.formula(values)?),
            "finally" => Formula::Eventually(self.formula(values)?),
            "globally" => Formula::Always(self.formula(values)?),
            "until" => self.until(values)?,
            "before" => return Ok(Value::Before(self.formula(values)?)),
            "reach" => return Ok(Value::Reach(self.formula(values)?)),
            "is-fireable" => self.fireable(values)?,
            "integer-le" => self.compare(values, 1, 0, Comparison::AtMost)?,
            "integer-lt" => self.compare(values, 1, 1, Comparison::AtMost)?,
            "integer-ge" => self.compare(values, -1, 0, Comparison::AtMost)?,
            "integer-gt" => self.compare(values, -1, 1, Comparison::AtMost)?,
            "integer-eq" => self.compare(values, 1, 0, Comparison::Equal)?,
            "integer-ne" => self.compare(values, 1, 0, Comparison::Different)?,
            _ => return self.operand(values),
        };
        Ok(Value::Formula(formula))
    }

    /// What it stands for, if that is no formula.
    fn operand(&self, values: Vec<Value>) -> Reading<Value> {
        match self.element.name() {
            "place" => {
                let place = self.builder.names.place(self.text.trim());
                place.map(Value::Place).ok_or_else(|| self.unknown("E0331", "place"))
            }
            "transition" => {
                let transition = self.builder.names.transition(self.text.trim());
                transition.map(Value::Transition).ok_or_else(|| self.unknown("E0332", "transition"))
            }
            "tokens-count" => Ok(Value::Sum(self.tokens(values)?)),
            "place-bound" => Ok(Value::Bound(self.tokens(values)?)),
            "integer-constant" => match self.text.trim().parse() {
                Ok(constant) => Ok(Value::Sum(Sum { constant, ..Sum::default() })),
                Err(_) => Err(self.error("E0335", format!("`{}` is no number that fits", self.text.trim()))),
            },
            "integer-sum" => {
                let sums = self.all(values, Value::sum, "numbers")?;
                let constants = sums.iter().try_fold(0_i64, |total, sum| total.checked_add(sum.constant));
                let terms = sums.into_iter().flat_map(|sum| sum.terms).collect();
                let sum = constants.and_then(|constant| Sum::new(terms, constant));
                sum.map(Value::Sum).ok_or_else(|| self.too_large())
            }
            "integer-difference" => {
                let [a, b] = self.exactly(values, Value::sum, "two numbers")?;
                a.plus(-1, &b).map(Value::Sum).ok_or_else(|| self.too_large())
            }
            "integer-product" => {
                let [a, b] = self.exactly(values, Value::sum, "two numbers")?;
                let (factor, sum) = if a.terms.is_empty() { (a, b) } else { (b, a) };
                if !factor.terms.is_empty() {
                    return Err(self.takes("at most one number with tokens"));
                }
                let product = Sum::default().plus(factor.constant, &sum);
                product.map(Value::Sum).ok_or_else(|| self.too_large())
            }
            other => Err(self.error("E0333", format!("<{other}> is no known part of a formula"))),
        }
    }

    /// `sign` times the difference of the two numbers inside, and `constant`, compared with 0.
    fn compare(
        &self,
        values: Vec<Value>,
        sign: i64,
        constant: i64,
        comparison: Comparison,
    ) -> Reading<Formula> {
        let [a, b] = self.exactly(values, Value::sum, "two numbers")?;
        let start = Sum { constant, ..Sum::default() };
        let sum = start.plus(sign, &a).and_then(|sum| sum.plus(-sign, &b));
        Ok(Formula::Atom(Atom::Compare(sum.ok_or_else(|| self.too_large())?, comparison)))
    }

    fn until(&self, values: Vec<Value>) -> Reading<Formula> {
        match <[Value; 2]>::try_from(values) {
            Ok(
                [Value::Before(before), Value::Reach(reach)] | [Value::Reach(reach), Value::Before(before)],
            ) => Ok(Formula::Until(before, reach)),
            _ => Err(self.takes("one <before> and one <reach>")),
        }
    }

    fn fireable(&self, values: Vec<Value>) -> Reading<Formula> {
        let mut transitions = self.all(values, Value::transition, "transitions")?;
        transitions.sort();
        transitions.dedup();
        Ok(Formula::Atom(Atom::Fireable(transitions)))
    }

    fn tokens(&self, values: Vec<Value>) -> Reading<Sum> {
        let places = self.all(values, Value::place, "places")?;
        let terms = places.into_iter().map(|place| (place, 1)).collect();
        Sum::new(terms, 0).ok_or_else(|| self.too_large())
    }

    fn formula(&self, values: Vec<Value>) -> Reading<Box<Formula>> {
        let [formula] = self.exactly(values, Value::formula, "one formula")?;
        Ok(formula.into())
    }

    fn formulas(&self, values: Vec<Value>) -> Reading<Vec<Formula>> {
        self.all(values, Value::formula, "formulas")
    }

    fn two_formulas(&self, values: Vec<Value>) -> Reading<[Formula; 2]> {
        self.exactly(values, Value::formula, "two formulas")
    }

    /// Two formulas that are going to be doubled.
    fn two_to_double(&self, values: Vec<Value>) -> Reading<[Formula; 2]> {
        let [a, b] = self.two_formulas(values)?;
        let doubled = self.builder.doubled.get() + a.size() + b.size();
        if doubled > MAX_DOUBLED {
            return Err(self.error("E0336", "the formula gets too large if this is written out".into()));
        }
        self.builder.doubled.set(doubled);
        Ok([a, b])
    }

    /// As many of a kind as there are, but at least one.
    fn all<T>(&self, values: Vec<Value>, pick: fn(Value) -> Option<T>, what: &str) -> Reading<Vec<T>> {
        let picked: Option<Vec<T>> = values.into_iter().map(pick).collect();
        picked.filter(|list| !list.is_empty()).ok_or_else(|| self.takes(what))
    }

    fn exactly<T, const N: usize>(
        &self,
        values: Vec<Value>,
        pick: fn(Value) -> Option<T>,
        what: &str,
    ) -> Reading<[T; N]> {
        self.all(values, pick, what)?.try_into().map_err(|_| self.takes(what))
    }

    fn error(&self, code: &'static str, message: String) -> Stop {
        refusal(self.element.at, code, message)
    }

    fn takes(&self, what: &str) -> Stop {
        self.error("E0334", format!("<{}> takes {what}", self.element.name()))
    }

    fn unknown(&self, code: &'static str, what: &str) -> Stop {
        self.error(code, format!("the net has no {what} `{}`", self.text.trim()))
    }

    fn too_large(&self) -> Stop {
        self.error("E0335", "a number gets too large".into())
    }
}

impl Value {
    fn formula(self) -> Option<Formula> {
        if let Value::Formula(formula) = self { Some(formula) } else { None }
    }

    fn sum(self) -> Option<Sum> {
        if let Value::Sum(sum) = self { Some(sum) } else { None }
    }

    fn place(self) -> Option<PlaceId> {
        if let Value::Place(place) = self { Some(place) } else { None }
    }

    fn transition(self) -> Option<TransitionId> {
        if let Value::Transition(transition) = self { Some(transition) } else { None }
    }
}

fn not(formula: Formula) -> Formula {
    Formula::Not(Box::new(formula))
}
