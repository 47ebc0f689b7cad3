//! What kind of question a formula asks: the narrower the kind, the better the methods for it.

use logic::{BinaryOp, Ltl, UnaryOp};

use crate::formula::Formula;

/// A kind of question, with what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// About the initial marking alone.
    Initial(Formula),
    /// Whether a marking of a kind can be reached. The formula holds if the answer is `wanted`.
    Reachable {
        /// What the marking is like.
        goal: Formula,
        /// The answer for which the formula holds.
        wanted: bool,
    },
    /// About the tree of all runs (CTL).
    Branching,
    /// About every run, or, if the formula holds where the answer is no, about some run.
    Linear {
        /// What every run satisfies. The atoms are predicates.
        formula: Ltl<Formula>,
        /// The answer for which the formula holds.
        wanted: bool,
    },
    /// Neither one nor the other.
    Mixed,
}

impl Formula {
    /// Whether it is about one marking: without path quantifiers and temporal operators.
    pub fn is_predicate(&self) -> bool {
        match self {
            Formula::Constant(_) | Formula::Atom(_) => true,
            Formula::Not(operand) => operand.is_predicate(),
            Formula::And(operands) | Formula::Or(operands) => operands.iter().all(Formula::is_predicate),
            _ => false,
        }
    }

    /// The formula that holds where this one does not.
    pub fn negated(self) -> Formula {
        match self {
            Formula::Constant(value) => Formula::Constant(!value),
            Formula::Not(operand) => *operand,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// Whether each temporal operator stands behind a path quantifier of its own.
    pub fn is_branching(&self) -> bool {
        match self {
            Formula::Constant(_) | Formula::Atom(_) => true,
            Formula::Not(operand) => operand.is_branching(),
            Formula::And(operands) | Formula::Or(operands) => operands.iter().all(Formula::is_branching),
            Formula::All(path) | Formula::Exists(path) => match &**path {
                Formula::Next(operand) | Formula::Eventually(operand) | Formula::Always(operand) => {
                    operand.is_branching()
                }
                Formula::Until(left, right) | Formula::Release(left, right) => {
                    left.is_branching() && right.is_branching()
                }
                // A quantifier without an operator says nothing about paths.
                operand => operand.is_branching(),
            },
            _ => false,
        }
    }

    /// The formula as one of linear time, if it has no path quantifiers. Predicates are atoms, as large as
    /// they are.
    pub fn linear(&self) -> Option<Ltl<Formula>> {
        let unary = |op, operand: &Formula| Some(Ltl::unary(op, operand.linear()?));
        let binary =
            |op, left: &Formula, right: &Formula| Some(Ltl::binary(op, left.linear()?, right.linear()?));
        let join = |op, operands: &[Formula], neutral| {
            let mut operands = operands.iter().map(Formula::linear);
            let Some(first) = operands.next() else { return Some(Ltl::Constant(neutral)) };
            operands.try_fold(first?, |joined, operand| Some(Ltl::binary(op, joined, operand?)))
        };
        match self {
            Formula::Constant(value) => Some(Ltl::Constant(*value)),
            predicate if predicate.is_predicate() => Some(Ltl::Atom(predicate.clone())),
            Formula::Not(operand) => unary(UnaryOp::Not, operand),
            Formula::And(operands) => join(BinaryOp::And, operands, true),
            Formula::Or(operands) => join(BinaryOp::Or, operands, false),
            Formula::Next(operand) => unary(UnaryOp::Next, operand),
            Formula::Eventually(operand) => unary(UnaryOp::Eventually, operand),
            Formula::Always(operand) => unary(UnaryOp::Always, operand),
            Formula::Until(left, right) => binary(BinaryOp::Until, left, right),
            Formula::Release(left, right) => binary(BinaryOp::Release, left, right),
            Formula::Atom(_) | Formula::All(_) | Formula::Exists(_) => None,
        }
    }

    /// What kind of question it asks. A formula of linear time is asked of every run.
    pub fn class(&self) -> Class {
        if self.is_predicate() {
            return Class::Initial(self.clone());
        }
        self.reachable().unwrap_or_else(|| {
            if self.is_branching() { Class::Branching } else { self.linear_class().unwrap_or(Class::Mixed) }
        })
    }

    /// The formula as a question about every run or some run, if it is one.
    pub fn linear_class(&self) -> Option<Class> {
        Some(match self {
            Formula::Not(operand) => match operand.linear_class()? {
                Class::Linear { formula, wanted } if has_quantifier(operand) => {
                    Class::Linear { formula, wanted: !wanted }
                }
                // Without a quantifier, negation is inside the one that is not written.
                _ => Class::Linear { formula: self.linear()?, wanted: true },
            },
            Formula::All(path) => Class::Linear { formula: path.linear()?, wanted: true },
            Formula::Exists(path) => Class::Linear { formula: path.linear()?.negated(), wanted: false },
            path => Class::Linear { formula: path.linear()?, wanted: true },
        })
    }

    fn reachable(&self) -> Option<Class> {
        let (goal, wanted) = match self {
            Formula::Not(operand) => match operand.reachable()? {
                Class::Reachable { goal, wanted } => (goal, !wanted),
                _ => return None,
            },
            Formula::Exists(path) => match &**path {
                Formula::Eventually(goal) if goal.is_predicate() => ((**goal).clone(), true),
                _ => return None,
            },
            Formula::All(path) => match &**path {
                Formula::Always(invariant) if invariant.is_predicate() => {
                    ((**invariant).clone().negated(), false)
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(Class::Reachable { goal, wanted })
    }
}

fn has_quantifier(formula: &Formula) -> bool {
    match formula {
        Formula::Not(operand) => has_quantifier(operand),
        Formula::All(_) | Formula::Exists(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lola;
    use crate::net::{Net, NetBuilder};

    fn net() -> Net {
        let mut net = NetBuilder::new("");
        net.place("p", 1);
        net.place("q", 0);
        net.finish()
    }

    fn formula(text: &str) -> Formula {
        match lola::read_formula(text, &net()).expect("a formula") {
            crate::Question::Formula(formula) => formula,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_narrowest_kind_is_found() {
        let p = || formula("p = 1");
        assert_eq!(p().class(), Class::Initial(p()));
        assert_eq!(formula("EF p = 1").class(), Class::Reachable { goal: p(), wanted: true });
        assert_eq!(formula("NOT EF p = 1").class(), Class::Reachable { goal: p(), wanted: false });
        assert_eq!(formula("AG NOT p = 1").class(), Class::Reachable { goal: p(), wanted: false });
        assert_eq!(formula("NOT AG NOT p = 1").class(), Class::Reachable { goal: p(), wanted: true });
        assert_eq!(formula("AG EF p = 1").class(), Class::Branching);
        assert_eq!(formula("EF p = 1 AND AG q = 0").class(), Class::Branching);
        let atom = || Ltl::Atom(p());
        let goes_on = Ltl::unary(UnaryOp::Always, Ltl::unary(UnaryOp::Eventually, atom()));
        assert_eq!(formula("G F p = 1").class(), Class::Linear { formula: goes_on.clone(), wanted: true });
        assert_eq!(formula("A G F p = 1").class(), Class::Linear { formula: goes_on.clone(), wanted: true });
        assert_eq!(
            formula("NOT A G F p = 1").class(),
            Class::Linear { formula: goes_on.clone(), wanted: false }
        );
        assert_eq!(
            formula("E G F p = 1").class(),
            Class::Linear { formula: goes_on.clone().negated(), wanted: false }
        );
        assert_eq!(formula("A G F (EF p = 1)").class(), Class::Mixed);
    }

    #[test]
    fn predicates_are_one_atom() {
        let all = formula("G (p = 1 AND NOT q = 0)").linear();
        assert!(
            matches!(all, Some(Ltl::Unary(UnaryOp::Always, operand)) if matches!(*operand, Ltl::Atom(_)))
        );
    }
}
