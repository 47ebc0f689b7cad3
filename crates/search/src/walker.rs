//! Steps at random.

use model::{Actions, Model, OutcomeKind, Successors};

/// Goes from state to state.
pub struct Walker<'a> {
    model: &'a dyn Model,
    random: u64,
    /// Where it is.
    pub state: Vec<u64>,
    /// What is enabled there, once that is listed.
    pub actions: Actions,
    /// What the action fired last has led to.
    pub successors: Successors,
}

impl<'a> Walker<'a> {
    pub fn new(model: &'a dyn Model, seed: u64) -> Walker<'a> {
        let (state, actions, successors) = Default::default();
        Walker { model, random: seed, state, actions, successors }
    }

    /// Goes to a state without a step.
    pub fn turn_to(&mut self, state: &[u64]) {
        self.state.clear();
        self.state.extend_from_slice(state);
    }

    /// Takes a step by lot. False if there is none.
    pub fn step(&mut self) -> bool {
        self.list();
        if self.actions.list.is_empty() {
            return false;
        }
        let action = self.draw(self.actions.list.len());
        self.fire(action);
        self.go().is_some()
    }

    /// Lists what is enabled.
    pub fn list(&mut self) {
        self.model.enabled(&self.state, &mut self.actions);
    }

    /// Fires one of the listed actions. The others are not listed any more.
    pub fn fire(&mut self, action: usize) {
        self.actions.list.swap(0, action);
        self.actions.list.truncate(1);
        self.successors.clear();
        self.model.fire(&self.actions, &self.state, &mut self.successors);
    }

    /// Goes to a state to which the action fired last leads. Says which of its outcomes that is; none if it leads
    /// to no state.
    pub fn go(&mut self) -> Option<usize> {
        let is_state = |kind: &OutcomeKind| matches!(kind, OutcomeKind::State(_));
        let n_states = self.successors.outcomes.iter().filter(|outcome| is_state(&outcome.kind)).count();
        let drawn = if n_states > 1 { self.draw(n_states) } else { 0 };
        let outcomes = self.successors.outcomes.iter().enumerate();
        let (at, outcome) = outcomes.filter(|(_, outcome)| is_state(&outcome.kind)).nth(drawn)?;
        if let OutcomeKind::State(range) = &outcome.kind {
            self.state.clear();
            self.state.extend_from_slice(self.successors.state(range));
        }
        Some(at)
    }

    /// A number below `n`, by lot (Knuth's linear congruential generator).
    pub fn draw(&mut self, n: usize) -> usize {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % n
    }
}
