//! How far a marking is from one in which a formula holds: how many tokens are missing, or in the way.

use super::NetModel;
use super::predicate::{Compiled, Test};
use crate::formula::Comparison;
use crate::net::TransitionId;

/// What a formula says that never holds.
const FAR: u64 = 1 << 32;

impl Compiled {
    /// 0 where the predicate is not 0.
    pub fn distance(&self, model: &NetModel, state: &[u64]) -> u64 {
        match self {
            Compiled::Test(test) => test.distance(true, model, state),
            Compiled::Value(_) | Compiled::Most(..) => u64::from(self.evaluate(model, state) == Ok(0)),
        }
    }
}

impl Test {
    /// 0 where the formula has the value that is wanted. All parts of a conjunction must have it, so their distances
    /// add up; of a disjunction the nearest part is enough.
    fn distance(&self, wanted: bool, model: &NetModel, state: &[u64]) -> u64 {
        let parts = |tests: &[Test]| -> Vec<u64> {
            tests.iter().map(|test| test.distance(wanted, model, state)).collect()
        };
        match self {
            Test::Not(test) => test.distance(!wanted, model, state),
            Test::And(tests) if wanted => sum(&parts(tests)),
            Test::Or(tests) if !wanted => sum(&parts(tests)),
            Test::And(tests) | Test::Or(tests) => parts(tests).into_iter().min().unwrap_or(FAR),
            Test::Constant(value) => {
                if *value == wanted {
                    0
                } else {
                    FAR
                }
            }
            Test::Compare(linear, comparison) => {
                let value = linear.value(state);
                let tokens = match (comparison, wanted) {
                    (Comparison::AtMost, true) => value.max(0),
                    (Comparison::AtMost, false) => (1 - value).max(0),
                    (Comparison::Equal, true) | (Comparison::Different, false) => value.abs(),
                    (Comparison::Equal, false) | (Comparison::Different, true) => i128::from(value == 0),
                };
                tokens.min(FAR.into()) as u64
            }
            Test::Fireable(any) if wanted => {
                any.iter().map(|&transition| model.n_missing(transition, state)).min().unwrap_or(FAR)
            }
            Test::Fireable(any) => {
                any.iter().filter(|&&transition| model.is_enabled(transition, state)).count() as u64
            }
            Test::Deadlock if wanted => (0..model.net.transitions().len() as u32)
                .filter(|&transition| model.is_enabled(transition, state))
                .count() as u64,
            Test::Initial if wanted => {
                let differences = model
                    .net
                    .place_ids()
                    .map(|place| model.tokens(place, state).abs_diff(model.net.place(place).initial));
                differences.fold(0, u64::saturating_add)
            }
            Test::Deadlock | Test::Initial => u64::from(self.holds(model, state)),
        }
    }
}

fn sum(distances: &[u64]) -> u64 {
    distances.iter().copied().fold(0, u64::saturating_add)
}

impl NetModel {
    /// How many tokens a transition lacks, or is kept by from firing.
    fn n_missing(&self, transition: u32, state: &[u64]) -> u64 {
        let transition = TransitionId(transition);
        let missing = self
            .net
            .pre(transition)
            .iter()
            .map(|arc| arc.weight.saturating_sub(self.tokens(arc.place, state)));
        let inhibitors = self.net.inhibitors(transition).iter();
        let excess = inhibitors.map(|arc| (self.tokens(arc.place, state) + 1).saturating_sub(arc.weight));
        missing.chain(excess).fold(0, u64::saturating_add)
    }

    fn is_enabled(&self, transition: u32, state: &[u64]) -> bool {
        self.firing.is_enabled(transition, state)
    }
}
