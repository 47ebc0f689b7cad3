//! From a path of states back to the steps in between.

use std::collections::HashMap;

use model::{Model, Step, Trace};
use store::Handle;

use super::generator::Generator;
use super::{INITIAL, Kernel};

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
pub fn of_path(kernel: &mut Kernel<'_>, path: &[Handle], failed: Option<Event>) -> Trace {
    let mut recorder = Generator::recording(kernel.generator.model);
    let mut steps = Vec::new();
    for (k, &state) in path.iter().enumerate() {
        if k == 0 {
            kernel.open_initial();
        } else {
            let index = turn_to(state, &recorder, kernel);
            let index = index.expect("a stored state is a successor of the one it was reached from");
            steps.extend_from_slice(recorder.steps(index));
        }
        recorder.list(kernel.state());
        recorder.fire(kernel.state());
    }
    if let Some(event) = failed {
        let index = recorder.fire_event(kernel.state(), event);
        steps.extend_from_slice(recorder.steps(index));
    }
    Trace { steps, lasso: None }
}

/// The run on which some events happen, and one more if that fails. Where it comes back to a state, what has happened
/// since is left out.
pub fn of_events(model: &dyn Model, initial: &[u64], events: &[Event], failed: Option<Event>) -> Trace {
    let mut recorder = Generator::recording(model);
    let mut states = vec![initial.to_vec()];
    let mut between: Vec<Vec<Step>> = Vec::new();
    for (at, &event) in events.iter().enumerate() {
        let index = recorder.fire_event(&states[at], event);
        between.push(recorder.steps(index).to_vec());
        states.push(recorder.next_state(index).expect("the event leads to a state").to_vec());
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

/// Lets a kernel turn to a stored state, to which what was fired last leads. Gives the first outcome that does.
fn turn_to(state: Handle, recorder: &Generator<'_>, kernel: &mut Kernel<'_>) -> Option<usize> {
    if kernel.arrivals.keeps {
        kernel.open(state);
        return recorder.next_states().find(|(_, words)| *words == kernel.state()).map(|(index, _)| index);
    }
    let mut states = recorder.next_states();
    let (index, words) = states.find(|(_, words)| kernel.arrivals.handle_of(words) == Some(state))?;
    kernel.arrivals.turn_to(state, words);
    Some(index)
}
