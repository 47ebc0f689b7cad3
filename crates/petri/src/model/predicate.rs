//! Predicates over packed states.

use model::{Failure, FailureKind, Location, Over, Pace};

use super::bounds::Capacity;
use super::layout::{Field, Layout};
use super::{NetModel, Predicate};
use crate::formula::{Atom, Comparison, Formula, Sum};
use crate::net::Net;

/// A sum in which what is constant is added up.
pub(super) struct Linear {
    /// Places that hold a token or none, and count as one: a word, and their bits in it.
    bits: Vec<(u32, u64)>,
    terms: Vec<(Field, i64)>,
    constant: i128,
}

impl Linear {
    fn new(sum: &Sum, net: &Net, layout: &Layout, pace: &mut Pace<'_>) -> Result<Linear, Over> {
        pace.steps(sum.terms.len())?;
        let mut linear = Linear { bits: Vec::new(), terms: Vec::new(), constant: sum.constant.into() };
        for &(place, factor) in &sum.terms {
            match layout.fields[place.0 as usize] {
                Some(field) if field.is_bit() && factor == 1 => {
                    linear.bits.push((field.word, field.at_place(1)))
                }
                Some(field) => linear.terms.push((field, factor)),
                None => linear.constant += i128::from(factor) * i128::from(net.place(place).initial),
            }
        }
        // Each place is there once, so its bit is, too.
        linear.bits.sort_unstable();
        linear.bits.dedup_by(|(second, bit), (first, bits)| {
            let same = first == second;
            if same {
                *bits |= *bit;
            }
            same
        });
        Ok(linear)
    }

    pub fn value(&self, state: &[u64]) -> i128 {
        let value = |(field, factor): &(Field, i64)| i128::from(*factor) * i128::from(field.read(state));
        let ones =
            self.bits.iter().map(|&(word, bits)| (state[word as usize] & bits).count_ones()).sum::<u32>();
        self.constant + i128::from(ones) + self.terms.iter().map(value).sum::<i128>()
    }
}

/// A formula.
pub(super) enum Test {
    Constant(bool),
    Compare(Linear, Comparison),
    Fireable(Vec<u32>),
    Deadlock,
    Initial,
    Not(Box<Test>),
    And(Vec<Test>),
    Or(Vec<Test>),
}

impl Test {
    fn new(formula: &Formula, net: &Net, layout: &Layout, pace: &mut Pace<'_>) -> Result<Test, Over> {
        pace.step()?;
        let mut new = |inner: &Formula| Test::new(inner, net, layout, pace);
        Ok(match formula {
            Formula::Constant(constant) => Test::Constant(*constant),
            Formula::Atom(Atom::Compare(sum, comparison)) => {
                Test::Compare(Linear::new(sum, net, layout, pace)?, *comparison)
            }
            Formula::Atom(Atom::Fireable(any)) => {
                Test::Fireable(any.iter().map(|transition| transition.0).collect())
            }
            Formula::Atom(Atom::Deadlock) => Test::Deadlock,
            Formula::Atom(Atom::Initial) => Test::Initial,
            Formula::Not(inner) => Test::Not(Box::new(new(inner)?)),
            Formula::And(inner) => Test::And(inner.iter().map(new).collect::<Result<_, _>>()?),
            Formula::Or(inner) => Test::Or(inner.iter().map(new).collect::<Result<_, _>>()?),
            _ => panic!("a predicate has no path operators"),
        })
    }

    pub fn holds(&self, model: &NetModel, state: &[u64]) -> bool {
        let is_enabled = |transition: u32| model.firing.is_enabled(transition, state);
        match self {
            Test::Constant(constant) => *constant,
            Test::Compare(linear, Comparison::AtMost) => linear.value(state) <= 0,
            Test::Compare(linear, Comparison::Equal) => linear.value(state) == 0,
            Test::Compare(linear, Comparison::Different) => linear.value(state) != 0,
            Test::Fireable(any) => any.iter().any(|&transition| is_enabled(transition)),
            Test::Deadlock => !(0..model.net.transitions().len() as u32).any(is_enabled),
            Test::Initial => *state == model.initial,
            Test::Not(inner) => !inner.holds(model, state),
            Test::And(inner) => inner.iter().all(|inner| inner.holds(model, state)),
            Test::Or(inner) => inner.iter().any(|inner| inner.holds(model, state)),
        }
    }
}

/// A predicate.
pub(super) enum Compiled {
    Test(Test),
    Value(Linear),
    /// The most tokens at first, and the places that can hold more.
    Most(u64, Vec<Field>),
}

impl Compiled {
    pub fn new(
        predicate: &Predicate,
        net: &Net,
        capacities: &[Capacity],
        layout: &Layout,
        pace: &mut Pace<'_>,
    ) -> Result<Compiled, Over> {
        Ok(match predicate {
            Predicate::Formula(formula) => Compiled::Test(Test::new(formula, net, layout, pace)?),
            Predicate::Value(sum) => Compiled::Value(Linear::new(sum, net, layout, pace)?),
            Predicate::Most => {
                let first = net.places().iter().map(|place| place.initial).max().unwrap_or(0);
                let can_exceed =
                    |(_, capacity): &(_, &Capacity)| capacity.proven(first).is_none_or(|most| most > first);
                let fields = layout.fields.iter().zip(capacities).filter(can_exceed);
                Compiled::Most(first, fields.filter_map(|(field, _)| *field).collect())
            }
        })
    }

    pub fn evaluate(&self, model: &NetModel, state: &[u64]) -> Result<i64, Failure> {
        let value = match self {
            Compiled::Test(test) => test.holds(model, state).into(),
            Compiled::Value(linear) => linear.value(state),
            Compiled::Most(first, fields) => {
                fields.iter().map(|field| field.read(state)).fold(*first, u64::max).into()
            }
        };
        i64::try_from(value).map_err(|_| Failure {
            kind: FailureKind::NumberTooLarge,
            location: Location::default(),
            detail: format!("the sum has the value {value}, which does not fit into 64 bits"),
        })
    }
}
