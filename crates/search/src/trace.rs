//! From a path of states back to the steps in between.

use model::{Actions, Model, OutcomeKind, Step, Successors, Trace};
use store::Handle;

use crate::explore::Explorer;

/// Something that happens in a state. What a search fires there with it does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Which of the enabled actions, by its position among all.
    pub action: u32,
    /// Which of the outcomes of this action.
    pub outcome: u32,
}

impl Event {
    /// Nothing: the run has ended and its last state is repeated.
    pub const STUTTER: Event = Event { action: u32::MAX, outcome: u32::MAX };
}

/// The run along a path of states. If the violation is a failure, `failed` says what happens in the
/// last state, and the steps up to it are added.
///
/// The store keeps no steps: every state of the path is fired again, with recording.
pub fn of_path(explorer: &mut Explorer<'_>, path: &[Handle], failed: Option<Event>) -> Trace {
    let mut recorder = Recorder::new(explorer.model);
    let mut steps = Vec::new();
    for (k, &state) in path.iter().enumerate() {
        if k == 0 {
            explorer.open_initial();
        } else {
            let index = recorder.turn_to(state, explorer);
            let index = index.expect("a stored state is a successor of the one it was reached from");
            steps.extend_from_slice(recorder.steps(index));
        }
        recorder.fire(explorer.words());
    }
    if let Some(event) = failed {
        let index = recorder.fire_event(explorer.words(), event);
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
    fn fire(&mut self, state: &[u64]) {
        self.model.enabled(state, &mut self.actions);
        self.fire_listed(state);
    }

    /// Fires the action of an event of a state. Gives the position of the event's outcome.
    pub fn fire_event(&mut self, state: &[u64], event: Event) -> usize {
        self.model.enabled(state, &mut self.actions);
        self.actions.list.swap(0, event.action as usize);
        self.actions.list.truncate(1);
        self.fire_listed(state);
        event.outcome as usize
    }

    fn fire_listed(&mut self, state: &[u64]) {
        self.successors.clear();
        self.model.fire(&self.actions, state, &mut self.successors);
    }

    /// Lets an explorer turn to a stored state. Gives the first outcome that leads there.
    fn turn_to(&self, state: Handle, explorer: &mut Explorer<'_>) -> Option<usize> {
        if explorer.keeps {
            explorer.open(state);
            return self.find(|words| words == explorer.words());
        }
        let index = self.find(|words| explorer.handle_of(words) == Some(state))?;
        if let OutcomeKind::State(range) = &self.successors.outcomes[index].kind {
            explorer.turn_to(state, self.successors.state(range));
        }
        Some(index)
    }

    /// The first outcome that is a state of some kind.
    fn find(&self, mut is_wanted: impl FnMut(&[u64]) -> bool) -> Option<usize> {
        self.successors.outcomes.iter().position(|outcome| match &outcome.kind {
            OutcomeKind::State(range) => is_wanted(self.successors.state(range)),
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
