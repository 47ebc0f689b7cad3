//! The predicates of a net, and their numbers.

use std::collections::HashMap;

use model::PredicateId;

use crate::formula::{Formula, Sum};

/// Something that is evaluated in a marking.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// Whether a formula without path operators holds: 0 or 1.
    Formula(Formula),
    /// The value of a sum. One that does not fit into 64 bits is a failure ([`model::FailureKind::NumberTooLarge`]).
    Value(Sum),
    /// The most tokens that one place holds, here or in the initial marking.
    Most,
}

/// All predicates that questions about a net speak of, each once. Its number is its own for ever, so one model serves
/// all questions.
#[derive(Clone, Debug, Default)]
pub struct Predicates {
    list: Vec<Predicate>,
    numbers: HashMap<Predicate, PredicateId>,
}

impl Predicates {
    /// The number of a predicate.
    pub fn number(&mut self, predicate: Predicate) -> PredicateId {
        let next = PredicateId(self.list.len() as u32);
        *self.numbers.entry(predicate).or_insert_with_key(|predicate| {
            self.list.push(predicate.clone());
            next
        })
    }

    /// A formula over the numbers of its predicates, in the form that [`logic::Formula::over_predicates`] says.
    pub fn formula(&mut self, formula: &Formula) -> logic::Formula<PredicateId> {
        formula.over_predicates(&mut |predicate| self.number(Predicate::Formula(predicate.clone())))
    }

    /// The predicates, in the order of their numbers.
    pub fn list(&self) -> &[Predicate] {
        &self.list
    }

    /// Their numbers.
    pub fn ids(&self) -> impl Iterator<Item = PredicateId> + use<> {
        (0..self.list.len() as u32).map(PredicateId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Atom;

    #[test]
    fn a_predicate_has_one_number() {
        let mut predicates = Predicates::default();
        let deadlock = Formula::Atom(Atom::Deadlock);
        let all = predicates.number(Predicate::Most);
        let one = predicates.number(Predicate::Formula(deadlock.clone()));
        let always = Formula::All(Box::new(Formula::Always(Box::new(deadlock.clone().negated()))));
        let reachable =
            logic::Formula::Exists(Box::new(logic::Formula::Eventually(Box::new(logic::Formula::Atom(one)))));
        assert_eq!(predicates.formula(&always), reachable.negated());
        assert_eq!(predicates.number(Predicate::Most), all);
        assert_eq!(predicates.list(), [Predicate::Most, Predicate::Formula(deadlock)]);
        assert!(predicates.ids().eq([all, one]));
    }
}
