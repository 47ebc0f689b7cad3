//! From a path of states back to the steps in between.

use model::{Actions, Model, OutcomeKind, Step, Successors, Trace};
use store::Store;

/// The run along a path of states. If the violation is a failure, `failed` says which outcome of
/// firing everything in the last state it is, and the steps up to it are added.
///
/// The store keeps no steps: every state of the path is fired again, with recording.
pub fn of_path(model: &dyn Model, store: &dyn Store, path: &[u32], failed: Option<usize>) -> Trace {
    let mut recorder = Recorder::new(model);
    let mut steps = Vec::new();
    for pair in path.windows(2) {
        let next = store.get(pair[1]);
        recorder.fire(store.get(pair[0]));
        let index =
            recorder.find(next).expect("a stored state is a successor of the one it was reached from");
        steps.extend_from_slice(recorder.steps(index));
    }
    if let (Some(&last), Some(index)) = (path.last(), failed) {
        recorder.fire(store.get(last));
        steps.extend_from_slice(recorder.steps(index));
    }
    Trace { steps, lasso: None }
}

/// Fires states again, this time with the steps in between.
pub struct Recorder<'a> {
    model: &'a dyn Model,
    actions: Actions,
    successors: Successors,
}

impl<'a> Recorder<'a> {
    pub fn new(model: &'a dyn Model) -> Recorder<'a> {
        Recorder { model, actions: Actions::default(), successors: Successors::recording() }
    }

    /// One that tells of divergence, too.
    pub fn of_infinite_runs(model: &'a dyn Model) -> Recorder<'a> {
        let mut recorder = Recorder::new(model);
        recorder.successors.divergence = true;
        recorder
    }

    /// Fires everything enabled in a state.
    pub fn fire(&mut self, state: &[u64]) {
        self.model.enabled(state, &mut self.actions);
        self.successors.clear();
        self.model.fire(&self.actions, state, &mut self.successors);
    }

    /// The first outcome that leads to a state.
    fn find(&self, state: &[u64]) -> Option<usize> {
        self.successors.outcomes.iter().position(|outcome| match &outcome.kind {
            OutcomeKind::State(range) => self.successors.state(range) == state,
            OutcomeKind::Failed(_) | OutcomeKind::Diverges(_) => false,
        })
    }

    /// Where the circle begins, if an outcome is one.
    pub fn circle(&self, index: usize) -> Option<usize> {
        match self.successors.outcomes[index].kind {
            OutcomeKind::Diverges(start) => Some(start as usize),
            _ => None,
        }
    }

    /// The steps of an outcome.
    pub fn steps(&self, index: usize) -> &[Step] {
        self.successors.steps_of(&self.successors.outcomes[index])
    }
}
