//! Branching time.

use std::fmt;

use crate::formula::Formula;

/// Which of the paths that begin in a state are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantifier {
    /// All of them.
    All,
    /// At least one.
    Exists,
}

impl Quantifier {
    /// The formula that says that one of a path holds on these paths.
    pub fn over<A>(self, path: Formula<A>) -> Formula<A> {
        match self {
            Quantifier::All => Formula::All(Box::new(path)),
            Quantifier::Exists => Formula::Exists(Box::new(path)),
        }
    }
}

/// A formula of computation tree logic over atoms of type `A`: something that holds in a state or does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ctl<A> {
    /// True or false.
    Constant(bool),
    /// Something that a state says by itself.
    Atom(A),
    /// The operand does not hold.
    Not(Box<Ctl<A>>),
    /// All hold.
    And(Vec<Ctl<A>>),
    /// At least one holds.
    Or(Vec<Ctl<A>>),
    /// It holds in the next state of the path.
    Next(Quantifier, Box<Ctl<A>>),
    /// It holds now or in some later state.
    Eventually(Quantifier, Box<Ctl<A>>),
    /// It holds now and in every later state.
    Always(Quantifier, Box<Ctl<A>>),
    /// The second holds now or later, and until then the first does.
    Until(Quantifier, Box<Ctl<A>>, Box<Ctl<A>>),
    /// As [`Ctl::Until`], but the second need never hold if the first always does.
    WeakUntil(Quantifier, Box<Ctl<A>>, Box<Ctl<A>>),
    /// The second holds up to and including the first state in which the first does, for ever if there is none.
    Release(Quantifier, Box<Ctl<A>>, Box<Ctl<A>>),
}

impl<A> Ctl<A> {
    /// The formula that holds where this one does not.
    pub fn negated(self) -> Ctl<A> {
        match self {
            Ctl::Constant(value) => Ctl::Constant(!value),
            Ctl::Not(operand) => *operand,
            other => Ctl::Not(Box::new(other)),
        }
    }

    /// Whether it has the operator `X`.
    pub fn has_next(&self) -> bool {
        match self {
            Ctl::Constant(_) | Ctl::Atom(_) => false,
            Ctl::Next(..) => true,
            Ctl::Not(a) | Ctl::Eventually(_, a) | Ctl::Always(_, a) => a.has_next(),
            Ctl::And(operands) | Ctl::Or(operands) => operands.iter().any(Ctl::has_next),
            Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) | Ctl::Release(_, a, b) => {
                a.has_next() || b.has_next()
            }
        }
    }

    /// Whether it says nothing about paths.
    pub fn is_predicate(&self) -> bool {
        match self {
            Ctl::Constant(_) | Ctl::Atom(_) => true,
            Ctl::Not(operand) => operand.is_predicate(),
            Ctl::And(operands) | Ctl::Or(operands) => operands.iter().all(Ctl::is_predicate),
            _ => false,
        }
    }

    /// The same formula over other atoms.
    pub fn map<B>(self, atom: &mut impl FnMut(A) -> B) -> Ctl<B> {
        let mut boxed = |operand: Box<Ctl<A>>| Box::new(operand.map(atom));
        match self {
            Ctl::Constant(value) => Ctl::Constant(value),
            Ctl::Atom(a) => Ctl::Atom(atom(a)),
            Ctl::Not(a) => Ctl::Not(boxed(a)),
            Ctl::And(operands) => Ctl::And(operands.into_iter().map(|operand| operand.map(atom)).collect()),
            Ctl::Or(operands) => Ctl::Or(operands.into_iter().map(|operand| operand.map(atom)).collect()),
            Ctl::Next(q, a) => Ctl::Next(q, boxed(a)),
            Ctl::Eventually(q, a) => Ctl::Eventually(q, boxed(a)),
            Ctl::Always(q, a) => Ctl::Always(q, boxed(a)),
            Ctl::Until(q, a, b) => Ctl::Until(q, boxed(a), boxed(b)),
            Ctl::WeakUntil(q, a, b) => Ctl::WeakUntil(q, boxed(a), boxed(b)),
            Ctl::Release(q, a, b) => Ctl::Release(q, boxed(a), boxed(b)),
        }
    }
}

impl fmt::Display for Quantifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantifier::All => "A",
            Quantifier::Exists => "E",
        })
    }
}

/// With brackets around everything that has two operands or more.
impl<A: fmt::Display> fmt::Display for Ctl<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ctl::Constant(value) => write!(f, "{value}"),
            Ctl::Atom(atom) => write!(f, "{atom}"),
            Ctl::Not(a) => write!(f, "!{a}"),
            Ctl::And(operands) => list(f, operands, " & ", "true"),
            Ctl::Or(operands) => list(f, operands, " | ", "false"),
            Ctl::Next(q, a) => write!(f, "{q}X {a}"),
            Ctl::Eventually(q, a) => write!(f, "{q}F {a}"),
            Ctl::Always(q, a) => write!(f, "{q}G {a}"),
            Ctl::Until(q, a, b) => write!(f, "{q}({a} U {b})"),
            Ctl::WeakUntil(q, a, b) => write!(f, "{q}({a} W {b})"),
            Ctl::Release(q, a, b) => write!(f, "{q}({a} R {b})"),
        }
    }
}

/// Operands with a sign between them, or what they mean if there are none.
fn list<A: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    operands: &[Ctl<A>],
    sign: &str,
    empty: &str,
) -> fmt::Result {
    let Some((first, others)) = operands.split_first() else { return f.write_str(empty) };
    write!(f, "({first}")?;
    others.iter().try_for_each(|operand| write!(f, "{sign}{operand}"))?;
    f.write_str(")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_printed_with_their_brackets() {
        let [p, q] = ["p", "q"].map(|name| Box::new(Ctl::Atom(name)));
        let until = Ctl::Until(Quantifier::All, p.clone(), q.clone());
        let or = Ctl::Or(vec![*p.clone(), until.negated(), Ctl::And(vec![])]);
        let formula = Ctl::Always(Quantifier::Exists, Box::new(or));
        assert_eq!(formula.to_string(), "EG (p | !A(p U q) | true)");
        let upper = formula.map(&mut |name| name.to_uppercase());
        assert_eq!(upper.to_string(), "EG (P | !A(P U Q) | true)");
        assert!(!upper.is_predicate());
        assert_eq!(p.clone().negated().negated(), *p);
        assert!(Ctl::Not(p).is_predicate());
    }
}
