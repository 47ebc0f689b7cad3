//! Formulas and sums while they are read.

use crate::{Atom, Comparison, Formula, Sum};

/// What an operator applies to.
pub(super) enum Operand {
    /// A sum whose terms are in any order.
    Sum(Sum),
    Formula(Measured),
}

impl Operand {
    /// A formula without operators.
    pub fn leaf(formula: Formula) -> Operand {
        Operand::Formula(Measured { formula, height: 1, size: 1 })
    }
}

/// A formula, and how large it is.
#[derive(Clone)]
pub(super) struct Measured {
    pub formula: Formula,
    pub height: usize,
    pub size: usize,
}

impl Measured {
    pub fn unary(self, operator: fn(Box<Formula>) -> Formula) -> Measured {
        let formula = operator(Box::new(self.formula));
        Measured { formula, height: self.height + 1, size: self.size + 1 }
    }

    pub fn binary(self, right: Measured, operator: fn(Box<Formula>, Box<Formula>) -> Formula) -> Measured {
        Measured {
            height: 1 + self.height.max(right.height),
            size: 1 + self.size + right.size,
            formula: operator(Box::new(self.formula), Box::new(right.formula)),
        }
    }

    pub fn not(self) -> Measured {
        self.unary(Formula::Not)
    }

    pub fn and(self, right: Measured) -> Measured {
        let take = |formula| match formula {
            Formula::And(all) => Ok(all),
            other => Err(other),
        };
        self.join(right, take, Formula::And)
    }

    pub fn or(self, right: Measured) -> Measured {
        let take = |formula| match formula {
            Formula::Or(any) => Ok(any),
            other => Err(other),
        };
        self.join(right, take, Formula::Or)
    }

    /// Makes one list of two operands, which may be such lists already.
    fn join(
        self,
        right: Measured,
        take: impl Fn(Formula) -> Result<Vec<Formula>, Formula>,
        make: fn(Vec<Formula>) -> Formula,
    ) -> Measured {
        let size = 1 + self.size + right.size;
        let mut list = Vec::new();
        let mut height = 0;
        for side in [self, right] {
            match take(side.formula) {
                Ok(inner) if list.is_empty() => list = inner,
                Ok(inner) => list.extend(inner),
                Err(other) => {
                    list.push(other);
                    height = height.max(side.height + 1);
                    continue;
                }
            }
            height = height.max(side.height);
        }
        Measured { formula: make(list), height, size }
    }
}

/// How two sums compare.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Relation {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Different,
}

pub(super) fn compare(relation: Relation, left: Sum, right: Sum) -> Option<Formula> {
    let (smaller, larger) = match relation {
        Relation::Greater | Relation::AtLeast => (right, left),
        _ => (left, right),
    };
    let mut sum = minus(smaller, larger)?;
    let comparison = match relation {
        Relation::Equal => Comparison::Equal,
        Relation::Different => Comparison::Different,
        _ => Comparison::AtMost,
    };
    if let Relation::Less | Relation::Greater = relation {
        sum.constant = sum.constant.checked_add(1)?;
    }
    Some(Formula::Atom(Atom::Compare(Sum::new(sum.terms, sum.constant)?, comparison)))
}

pub(super) fn plus(mut left: Sum, right: Sum) -> Option<Sum> {
    left.constant = left.constant.checked_add(right.constant)?;
    left.terms.extend(right.terms);
    Some(left)
}

pub(super) fn minus(left: Sum, right: Sum) -> Option<Sum> {
    plus(left, times(right, -1)?)
}

pub(super) fn times(mut sum: Sum, factor: i64) -> Option<Sum> {
    for number in sum.terms.iter_mut().map(|(_, number)| number).chain([&mut sum.constant]) {
        *number = number.checked_mul(factor)?;
    }
    Some(sum)
}
