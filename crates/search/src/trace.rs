//! From a path of states back to the steps in between.

use std::collections::HashMap;

use model::{Actions, Model, OutcomeKind, Step, Successors, Trace};
use store::Handle;

use crate::explore::{Explorer, INITIAL};

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

/// The states from the initial one to a numbered one.
pub fn back(state: u32, parent: impl Fn(u32) -> u32) -> Vec<Handle> {
    let before = |&state: &u32| (state != INITIAL).then(|| parent(state));
    let mut path: Vec<Handle> = std::iter::successors(Some(state), before).map(Handle::from).collect();
    path.reverse();
    path
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

/// The run on which some events happen, and one more if that fails. Where it comes back to a state, what has happened
/// since is left out.
pub fn of_events(model: &dyn Model, initial: &[u64], events: &[Event], failed: Option<Event>) -> Trace {
    let mut recorder = Recorder::new(model);
    let mut states = vec![initial.to_vec()];
    let mut between: Vec<Vec<Step>> = Vec::new();
    for (at, &event) in events.iter().enumerate() {
        let index = recorder.fire_event(&states[at], event);
        between.push(recorder.steps(index).to_vec());
        states.push(recorder.state(index).expect("the event leads to a state").to_vec());
    }
    let last: HashMap<&[u64], usize> = states.iter().map(Vec::as_slice).zip(0..).collect();
    let mut steps = Vec::new();
    let mut at = last[initial];
    while at < events.len() {
        steps.append(&mut between[at]);
        at = last[states[at + 1].as_slice()];
    }
    if let Some(event) = failed {
        let index = recorder.fire_event(&states[events.len()], event);
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

    /// Where an outcome leads, if that is a state.
    fn state(&self, index: usize) -> Option<&[u64]> {
        match &self.successors.outcomes[index].kind {
            OutcomeKind::State(range) => Some(self.successors.state(range)),
            OutcomeKind::Failed(_) | OutcomeKind::Diverges(_) => None,
        }
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
