//! What is asked about a net.

use crate::net::{Net, PlaceId, TransitionId};

/// A sum of tokens, each times a number, and a number.
///
/// The factors, all taken as positive, add up to at most [`i64::MAX`], as [`Sum::new`] sees to. So the value of a sum
/// always fits into 128 bits, however many of the [`u64::MAX`] tokens that a place may have are there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sum {
    /// Each place once, by number, with a factor other than 0.
    pub terms: Vec<(PlaceId, i64)>,
    /// What is added.
    pub constant: i64,
}

impl Sum {
    /// The sum of terms in any order; none if its numbers are too large. A number can be written without its sign.
    pub fn new(mut terms: Vec<(PlaceId, i64)>, constant: i64) -> Option<Sum> {
        constant.checked_neg()?;
        terms.sort_by_key(|(place, _)| *place);
        let mut sum = Sum { terms: Vec::with_capacity(terms.len()), constant };
        for (place, factor) in terms {
            match sum.terms.last_mut() {
                Some((last, total)) if *last == place => *total = total.checked_add(factor)?,
                _ => sum.terms.push((place, factor)),
            }
        }
        sum.terms.retain(|(_, factor)| *factor != 0);
        let mut factors = sum.terms.iter().map(|(_, factor)| *factor);
        factors.try_fold(0_i64, |total, factor| total.checked_add(factor.checked_abs()?))?;
        Some(sum)
    }

    /// All tokens of a net.
    pub fn of_all(net: &Net) -> Sum {
        Sum { terms: net.place_ids().map(|place| (place, 1)).collect(), constant: 0 }
    }

    /// This and `factor` times the other; none if a number does not fit.
    pub fn plus(mut self, factor: i64, other: &Sum) -> Option<Sum> {
        for (place, n) in &other.terms {
            self.terms.push((*place, n.checked_mul(factor)?));
        }
        Sum::new(self.terms, self.constant.checked_add(other.constant.checked_mul(factor)?)?)
    }
}

/// A comparison with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// At most 0.
    AtMost,
    /// Exactly 0.
    Equal,
    /// Not 0.
    Different,
}

/// Something that a marking says by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// How a sum compares with 0. All of `<`, `<=`, `>`, `>=`, `=`, `!=` between two sums are one of these.
    Compare(Sum, Comparison),
    /// Whether at least one of these transitions is enabled.
    Fireable(Vec<TransitionId>),
    /// Whether no transition is enabled.
    Deadlock,
    /// Whether it is the initial marking.
    Initial,
}

/// A formula about the markings of a net.
pub type Formula = logic::Formula<Atom>;

/// A question about a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether a formula holds in the initial marking. Without path quantifier at the top, if it is not a
    /// predicate, it is asked of all paths.
    Formula(Formula),
    /// The greatest value of a sum in any reachable marking.
    Bound(Sum),
    /// Whether a marking without enabled transition can be reached.
    Deadlock,
    /// Whether every place holds at most one token in every reachable marking.
    OneSafe,
    /// Whether some place always has the same number of tokens.
    StableMarking,
    /// Whether every transition can fire at least once.
    QuasiLiveness,
    /// Whether every transition can always fire again, later.
    Liveness,
    /// How many markings and firings there are, and how many tokens at most in a place and in all.
    StateSpace,
}

/// A question with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The id in the formula file.
    pub name: String,
    /// What is asked.
    pub question: Question,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_each_place_once() {
        let [p, q, r] = [0, 1, 2].map(PlaceId);
        let sum = Sum::new(vec![(q, 2), (p, 1), (q, 3), (r, 1), (r, -1)], 4).unwrap();
        assert_eq!(sum, Sum { terms: vec![(p, 1), (q, 5)], constant: 4 });
        let difference = sum.clone().plus(-2, &Sum { terms: vec![(q, 1), (r, 3)], constant: 1 });
        assert_eq!(difference, Some(Sum { terms: vec![(p, 1), (q, 3), (r, -6)], constant: 2 }));
        assert_eq!(sum.clone().plus(i64::MAX, &sum), None);
        assert_eq!(Sum::new(vec![(p, i64::MAX), (p, 1)], 0), None);
    }

    #[test]
    fn the_factors_of_a_sum_fit_together() {
        let [p, q] = [0, 1].map(PlaceId);
        assert!(Sum::new(vec![(p, i64::MAX)], -i64::MAX).is_some());
        assert!(Sum::new(vec![(p, i64::MAX - 1), (q, -1)], 0).is_some());
        assert_eq!(Sum::new(vec![(p, i64::MAX), (q, -1)], 0), None);
        assert_eq!(Sum::new(vec![(p, i64::MIN)], 0), None);
        assert_eq!(Sum::new(Vec::new(), i64::MIN), None);
    }
}
