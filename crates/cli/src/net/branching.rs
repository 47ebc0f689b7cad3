//! Questions about the graph of the markings.

use logic::{Ctl, HomeForm};
use model::PredicateId;

/// A question about the graph of the markings.
pub enum Branching {
    Formula(Ctl<PredicateId>),
    /// What the terminal components are like, or, if it holds where that is not so, are not like.
    Home {
        form: HomeForm,
        predicate: PredicateId,
        wanted: bool,
    },
    Liveness,
    QuasiLiveness,
}

impl Branching {
    /// The narrowest question that a formula asks.
    pub fn of(formula: Ctl<PredicateId>) -> Branching {
        match formula.home() {
            Some((form, &predicate, wanted)) => Branching::Home { form, predicate, wanted },
            None => Branching::Formula(formula),
        }
    }

    /// Whether it asks for the next state.
    pub fn sees_steps(&self) -> bool {
        matches!(self, Branching::Formula(formula) if formula.has_next())
    }
}
