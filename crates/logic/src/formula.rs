//! Linear and branching time in one: CTL*.

use crate::ctl::{Ctl, Quantifier};
use crate::ltl::{BinaryOp, Ltl, UnaryOp};

/// A formula of CTL* over atoms of type `A`, of which CTL, LTL and predicates are parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula<A> {
    /// True or false.
    Constant(bool),
    /// Something that a state says by itself.
    Atom(A),
    /// The operand does not hold.
    Not(Box<Formula<A>>),
    /// All hold.
    And(Vec<Formula<A>>),
    /// At least one holds.
    Or(Vec<Formula<A>>),
    /// It holds on all paths.
    All(Box<Formula<A>>),
    /// It holds on some path.
    Exists(Box<Formula<A>>),
    /// It holds in the next state of the path.
    Next(Box<Formula<A>>),
    /// It holds now or later.
    Eventually(Box<Formula<A>>),
    /// It holds now and always.
    Always(Box<Formula<A>>),
    /// The second holds now or later, and until then the first does.
    Until(Box<Formula<A>>, Box<Formula<A>>),
    /// The second holds up to and including the first state in which the first does, for ever if there is
    /// none.
    Release(Box<Formula<A>>, Box<Formula<A>>),
}

impl<A> Formula<A> {
    /// What its outermost operator applies to.
    pub fn operands(&self) -> impl Iterator<Item = &Formula<A>> {
        let (list, pair): (&[Formula<A>], [Option<&Formula<A>>; 2]) = match self {
            Formula::Constant(_) | Formula::Atom(_) => (&[], [None; 2]),
            Formula::And(operands) | Formula::Or(operands) => (operands, [None; 2]),
            Formula::Not(a)
            | Formula::All(a)
            | Formula::Exists(a)
            | Formula::Next(a)
            | Formula::Eventually(a)
            | Formula::Always(a) => (&[], [Some(a), None]),
            Formula::Until(a, b) | Formula::Release(a, b) => (&[], [Some(a), Some(b)]),
        };
        list.iter().chain(pair.into_iter().flatten())
    }

    /// The number of operators and atoms.
    pub fn size(&self) -> usize {
        1 + self.operands().map(Formula::size).sum::<usize>()
    }

    /// The formula that holds where this one does not.
    pub fn negated(self) -> Formula<A> {
        match self {
            Formula::Constant(value) => Formula::Constant(!value),
            Formula::Not(operand) => *operand,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// Whether it is about one state: without path quantifiers and temporal operators.
    pub fn is_predicate(&self) -> bool {
        match self {
            Formula::Constant(_) | Formula::Atom(_) => true,
            Formula::Not(_) | Formula::And(_) | Formula::Or(_) => self.operands().all(Formula::is_predicate),
            _ => false,
        }
    }

    /// The same formula over other atoms.
    pub fn map_atoms<B>(&self, atom: &mut impl FnMut(&A) -> B) -> Formula<B> {
        self.replaced(&mut |formula| match formula {
            Formula::Atom(a) => Some(atom(a)),
            _ => None,
        })
    }

    /// The same formula over predicates, each of which, as large as it is, becomes one atom.
    pub fn map_predicates<B>(&self, predicate: &mut impl FnMut(&Formula<A>) -> B) -> Formula<B> {
        self.replaced(&mut |formula| formula.is_predicate().then(|| predicate(formula)))
    }

    /// The same formula with an atom for each of the largest subformulas, other than constants, for which there is
    /// one. There must be one for each atom.
    fn replaced<B>(&self, atom: &mut impl FnMut(&Formula<A>) -> Option<B>) -> Formula<B> {
        if let Formula::Constant(value) = self {
            return Formula::Constant(*value);
        }
        if let Some(atom) = atom(self) {
            return Formula::Atom(atom);
        }
        let mut operands = self.operands().map(|operand| operand.replaced(atom));
        let mut next = || Box::new(operands.next().expect("the operator has this operand"));
        match self {
            Formula::Constant(_) | Formula::Atom(_) => unreachable!("it is replaced"),
            Formula::Not(_) => Formula::Not(next()),
            Formula::And(_) => Formula::And(operands.collect()),
            Formula::Or(_) => Formula::Or(operands.collect()),
            Formula::All(_) => Formula::All(next()),
            Formula::Exists(_) => Formula::Exists(next()),
            Formula::Next(_) => Formula::Next(next()),
            Formula::Eventually(_) => Formula::Eventually(next()),
            Formula::Always(_) => Formula::Always(next()),
            Formula::Until(..) => Formula::Until(next(), next()),
            Formula::Release(..) => Formula::Release(next(), next()),
        }
    }
}

impl<A: Clone> Formula<A> {
    /// The formula as one of linear time, if it has no path quantifiers. Predicates are atoms, as large as
    /// they are.
    pub fn linear(&self) -> Option<Ltl<Formula<A>>> {
        let unary = |op, operand: &Formula<A>| Some(Ltl::unary(op, operand.linear()?));
        let binary = |op, left: &Formula<A>, right: &Formula<A>| {
            Some(Ltl::binary(op, left.linear()?, right.linear()?))
        };
        let join = |op, operands: &[Formula<A>], neutral| {
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

    /// The formula as one of branching time, if each temporal operator stands behind a path quantifier of its own.
    pub fn branching(&self) -> Option<Ctl<A>> {
        let list = |operands: &[Formula<A>]| operands.iter().map(Formula::branching).collect::<Option<_>>();
        match self {
            Formula::Constant(value) => Some(Ctl::Constant(*value)),
            Formula::Atom(atom) => Some(Ctl::Atom(atom.clone())),
            Formula::Not(operand) => Some(operand.branching()?.negated()),
            Formula::And(operands) => Some(Ctl::And(list(operands)?)),
            Formula::Or(operands) => Some(Ctl::Or(list(operands)?)),
            Formula::All(path) => path.quantified(Quantifier::All),
            Formula::Exists(path) => path.quantified(Quantifier::Exists),
            _ => None,
        }
    }

    /// A quantifier with the operator behind it. One without an operator says nothing about paths.
    fn quantified(&self, quantifier: Quantifier) -> Option<Ctl<A>> {
        let operand = |operand: &Formula<A>| Some(Box::new(operand.branching()?));
        match self {
            Formula::Next(a) => Some(Ctl::Next(quantifier, operand(a)?)),
            Formula::Eventually(a) => Some(Ctl::Eventually(quantifier, operand(a)?)),
            Formula::Always(a) => Some(Ctl::Always(quantifier, operand(a)?)),
            Formula::Until(a, b) => Some(Ctl::Until(quantifier, operand(a)?, operand(b)?)),
            Formula::Release(a, b) => Some(Ctl::Release(quantifier, operand(a)?, operand(b)?)),
            state => state.branching(),
        }
    }
}

impl<A: Clone> Ltl<Formula<A>> {
    /// The same formula over the atoms of its predicates. They must have no operators on paths.
    pub fn flattened(self) -> Ltl<A> {
        self.replaced(&mut |predicate| predicate.without_paths())
    }
}

impl<A: Clone> Formula<A> {
    fn without_paths(&self) -> Ltl<A> {
        let join = |op, operands: &[Formula<A>], neutral| {
            let joined = operands.iter().map(Formula::without_paths);
            joined.reduce(|left, right| Ltl::binary(op, left, right)).unwrap_or(Ltl::Constant(neutral))
        };
        match self {
            Formula::Constant(value) => Ltl::Constant(*value),
            Formula::Atom(atom) => Ltl::Atom(atom.clone()),
            Formula::Not(operand) => operand.without_paths().negated(),
            Formula::And(operands) => join(BinaryOp::And, operands, true),
            Formula::Or(operands) => join(BinaryOp::Or, operands, false),
            _ => unreachable!("a predicate has no operators on paths"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Text = Formula<&'static str>;

    fn atom(name: &'static str) -> Text {
        Formula::Atom(name)
    }

    fn boxed(name: &'static str) -> Box<Text> {
        Box::new(atom(name))
    }

    #[test]
    fn every_operator_keeps_its_operands_in_order() {
        for make in [Formula::Until, Formula::Release] {
            assert_eq!(make(boxed("p"), boxed("q")).operands().collect::<Vec<_>>(), [&atom("p"), &atom("q")]);
            let renamed = make(boxed("p"), boxed("q")).map_atoms(&mut |name| format!("{name}'"));
            let names: Vec<_> = renamed.operands().cloned().collect();
            assert_eq!(names, ["p'", "q'"].map(|name| Formula::Atom(name.to_string())));
            assert_eq!(renamed.size(), 3);
        }
        let singles: [fn(Box<Text>) -> Text; 6] = [
            Formula::Not,
            Formula::All,
            Formula::Exists,
            Formula::Next,
            Formula::Eventually,
            Formula::Always,
        ];
        for make in singles {
            assert_eq!(make(boxed("p")).map_atoms(&mut |_| "q"), make(boxed("q")));
        }
        for make in [Formula::And, Formula::Or] {
            let list = make(vec![atom("p"), atom("q"), Formula::Constant(true)]);
            assert_eq!(list.map_atoms(&mut |name| *name), list);
            assert_eq!(list.size(), 4);
        }
    }

    #[test]
    fn predicates_become_one_atom_each() {
        let both = Formula::And(vec![atom("p"), atom("q").negated()]);
        let until = Formula::Until(Box::new(both.clone()), Box::new(Formula::Constant(true)));
        let mut seen = Vec::new();
        let numbered = Formula::Exists(Box::new(until)).map_predicates(&mut |predicate| {
            seen.push(predicate.clone());
            seen.len()
        });
        let until = Formula::Until(Box::new(Formula::Atom(1)), Box::new(Formula::Constant(true)));
        assert_eq!(numbered, Formula::Exists(Box::new(until)));
        assert_eq!(seen, std::slice::from_ref(&both));
        assert_eq!(
            Formula::Always(Box::new(both.clone())).linear(),
            Some(Ltl::unary(UnaryOp::Always, Ltl::Atom(both)))
        );
    }

    #[test]
    fn predicates_can_be_taken_apart() {
        let both = Formula::And(vec![atom("p"), atom("q").negated(), Formula::Constant(true)]);
        let always = Formula::Always(Box::new(Formula::Or(vec![both, Formula::And(Vec::new())])));
        let [p, q] = ["p", "q"].map(Ltl::Atom);
        let all = Ltl::binary(BinaryOp::And, Ltl::binary(BinaryOp::And, p, q.negated()), Ltl::Constant(true));
        let either = Ltl::binary(BinaryOp::Or, all, Ltl::Constant(true));
        assert_eq!(always.linear().map(Ltl::flattened), Some(Ltl::unary(UnaryOp::Always, either)));
    }

    #[test]
    fn branching_time_has_a_quantifier_before_each_operator() {
        let branching = |formula: Text| formula.branching().map(|ctl| ctl.to_string());
        let always = || Formula::Always(boxed("p"));
        assert_eq!(branching(always()), None);
        let exists = |path| Formula::Exists(Box::new(path));
        assert_eq!(branching(exists(always())).as_deref(), Some("EG p"));
        assert_eq!(branching(Formula::All(Box::new(exists(always())))).as_deref(), Some("EG p"));
        assert_eq!(branching(exists(Formula::Eventually(Box::new(always())))), None);
        let until = Formula::Until(Box::new(exists(always())), boxed("q"));
        assert_eq!(branching(Formula::All(Box::new(until)).negated()).as_deref(), Some("!A(EG p U q)"));
    }
}
