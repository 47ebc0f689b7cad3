//! Conditions over predicates, as never claims have them on their edges.

use std::collections::BTreeMap;

use ir::{BinaryOp, Expr};
use logic::{Cube, Guard, Ltl};

use super::property::{Atoms, binary, not};

/// A guard with more cubes than this is better evaluated as a whole.
const MAX_CUBES: usize = 32;

/// A condition in which only predicates are negated.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A predicate, and whether it is to hold.
    Literal(u32, bool),
    /// All of these hold.
    All(Vec<Condition>),
    /// At least one of these holds.
    Any(Vec<Condition>),
}

/// Predicates that are to hold and predicates that are not, together.
type Literals = BTreeMap<u32, bool>;

impl Condition {
    /// What always holds.
    pub const TRUE: Condition = Condition::All(Vec::new());

    /// A formula over the numbers of predicates that has no temporal operators.
    pub fn of(formula: &Ltl<u32>) -> Condition {
        match formula {
            Ltl::Constant(true) => Condition::TRUE,
            Ltl::Constant(false) => Condition::TRUE.negated(),
            Ltl::Atom(predicate) => Condition::Literal(*predicate, true),
            Ltl::Unary(logic::UnaryOp::Not, operand) => Condition::of(operand).negated(),
            Ltl::Binary(logic::BinaryOp::And, left, right) => {
                Condition::All(vec![Condition::of(left), Condition::of(right)])
            }
            Ltl::Binary(logic::BinaryOp::Or, left, right) => {
                Condition::Any(vec![Condition::of(left), Condition::of(right)])
            }
            _ => unreachable!("the conditions of statements have no other operators"),
        }
    }

    /// The opposite.
    pub fn negated(self) -> Condition {
        let all = |parts: Vec<Condition>| parts.into_iter().map(Condition::negated).collect();
        match self {
            Condition::Literal(predicate, holds) => Condition::Literal(predicate, !holds),
            Condition::All(parts) => Condition::Any(all(parts)),
            Condition::Any(parts) => Condition::All(all(parts)),
        }
    }

    /// The condition as a guard; none if it would be large.
    pub fn guard(&self, atoms: &mut Atoms) -> Option<Guard> {
        let cube = |literals: Literals| {
            let mut cube = Cube::default();
            for (predicate, holds) in literals {
                // Too many atoms are an error, which is noticed later.
                let bit = 1u64.checked_shl(atoms.number(predicate)).unwrap_or(0);
                *if holds { &mut cube.positive } else { &mut cube.negative } |= bit;
            }
            cube
        };
        Some(Guard { cubes: self.cubes()?.into_iter().map(cube).collect() })
    }

    fn cubes(&self) -> Option<Vec<Literals>> {
        let mut cubes = match self {
            Condition::Literal(predicate, holds) => vec![Literals::from([(*predicate, *holds)])],
            Condition::Any(parts) => {
                let mut cubes = Vec::new();
                for part in parts {
                    cubes.append(&mut part.cubes()?);
                    cubes = without_superfluous(cubes)?;
                }
                cubes
            }
            Condition::All(parts) => {
                let mut cubes = vec![Literals::new()];
                for part in parts {
                    let more = part.cubes()?;
                    let pairs = cubes.iter().flat_map(|a| more.iter().map(move |b| both(a, b)));
                    cubes = without_superfluous(pairs.flatten().collect())?;
                }
                cubes
            }
        };
        cubes.sort();
        Some(cubes)
    }

    /// Whether some predicate in it is one of a kind.
    pub fn mentions(&self, is_wanted: &dyn Fn(u32) -> bool) -> bool {
        match self {
            Condition::Literal(predicate, _) => is_wanted(*predicate),
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().any(|part| part.mentions(is_wanted))
            }
        }
    }

    /// The condition as text, given the texts of the predicates.
    pub fn to_text(&self, predicate: &dyn Fn(u32) -> String) -> String {
        let (parts, op) = match self {
            Condition::Literal(number, true) => return predicate(*number),
            Condition::Literal(number, false) => return format!("!{}", predicate(*number)),
            Condition::All(parts) => (parts, " && "),
            Condition::Any(parts) => (parts, " || "),
        };
        match parts.as_slice() {
            [] => (op == " && ").to_string(),
            [part] => part.to_text(predicate),
            parts => {
                let texts: Vec<String> = parts.iter().map(|part| part.to_text(predicate)).collect();
                format!("({})", texts.join(op))
            }
        }
    }

    /// The condition as an expression, given what the predicates are.
    pub fn to_expr(&self, predicate: &dyn Fn(u32) -> Expr) -> Expr {
        match self {
            Condition::Literal(number, true) => predicate(*number),
            Condition::Literal(number, false) => not(predicate(*number)),
            Condition::All(parts) => joined(BinaryOp::And, parts, predicate),
            Condition::Any(parts) => joined(BinaryOp::Or, parts, predicate),
        }
    }
}

/// In halves, so that a long list does not become a deep expression.
fn joined(op: BinaryOp, parts: &[Condition], predicate: &dyn Fn(u32) -> Expr) -> Expr {
    match parts {
        [] => Expr::Const(i32::from(op == BinaryOp::And)),
        [part] => part.to_expr(predicate),
        _ => {
            let (left, right) = parts.split_at(parts.len() / 2);
            binary(op, joined(op, left, predicate), joined(op, right, predicate))
        }
    }
}

/// What two cubes say together; none if they contradict each other.
fn both(a: &Literals, b: &Literals) -> Option<Literals> {
    let agree = a.iter().all(|(predicate, holds)| b.get(predicate).is_none_or(|other| other == holds));
    agree.then(|| a.iter().chain(b).map(|(&predicate, &holds)| (predicate, holds)).collect())
}

/// The cubes that are not implied by others; none if they are too many.
fn without_superfluous(cubes: Vec<Literals>) -> Option<Vec<Literals>> {
    let mut kept: Vec<Literals> = Vec::new();
    for cube in cubes {
        let implies = |a: &Literals, b: &Literals| b.iter().all(|(key, value)| a.get(key) == Some(value));
        if kept.iter().any(|other| implies(&cube, other)) {
            continue;
        }
        kept.retain(|other| !implies(other, &cube));
        kept.push(cube);
    }
    (kept.len() <= MAX_CUBES).then_some(kept)
}
