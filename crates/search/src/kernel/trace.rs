//! From a path of states back to the steps in between.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use model::{Model, Over, Pace, Patience, Trace};
use store::Handle;

use super::generator::Generator;
use super::{INITIAL, Kernel};
use crate::StopReason;

/// So many words are copied in the time of a step of a [`Pace`].
const WORDS: usize = 256;

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
/// The store keeps no steps: every state of the path is fired again, with recording, one action after the other until
/// one leads to the next state.
///
/// # Errors
/// If the run is so long that the search's limits end this, too.
pub fn of_path(kernel: &mut Kernel<'_>, path: &[Handle], failed: Option<Event>) -> Result<Trace, StopReason> {
    let patience = kernel.meter.patience();
    let mut pace = patience.pace();
    let mut recorder = Generator::recording(kernel.generator.model);
    let (mut steps, mut state) = (Vec::new(), Vec::new());
    kernel.open_initial();
    for &next in &path[1..] {
        state.clear();
        state.extend_from_slice(kernel.state());
        let index = step_to(next, &state, &mut recorder, kernel, &mut pace)?;
        steps.extend_from_slice(recorder.steps(index));
    }
    if let Some(event) = failed {
        let index = recorder.fire_event(kernel.state(), event);
        steps.extend_from_slice(recorder.steps(index));
    }
    Ok(Trace { steps, lasso: None })
}

/// Lets a kernel turn to a stored state, to which an action leads from another one. Gives the first outcome that does.
fn step_to(
    next: Handle,
    state: &[u64],
    recorder: &mut Generator<'_>,
    kernel: &mut Kernel<'_>,
    pace: &mut Pace<'_>,
) -> Result<usize, Over> {
    if kernel.arrivals.keeps {
        kernel.open(next);
    }
    recorder.list(state);
    for action in 0..recorder.actions.list.len() as u32 {
        pace.steps(1 + state.len() / WORDS)?;
        recorder.choose_one(action);
        recorder.fire(state);
        let arrivals = &mut kernel.arrivals;
        for (index, words) in recorder.next_states() {
            if arrivals.keeps && words == arrivals.state() {
                return Ok(index);
            }
            if !arrivals.keeps && arrivals.handle_of(words) == Some(next) {
                arrivals.turn_to(next, words);
                return Ok(index);
            }
        }
    }
    unreachable!("a stored state is a successor of the one it was reached from")
}

/// The run on which some events happen, and one more if that fails. Where it comes back to a state, what has happened
/// since is left out. States are told apart by hashes, so that a long run needs no more memory than its events.
///
/// # Errors
/// If the run is so long that there is no patience for it.
pub fn of_events(
    model: &dyn Model,
    initial: &[u64],
    events: &[Event],
    failed: Option<Event>,
    patience: &Patience,
) -> Result<Trace, StopReason> {
    let mut pace = patience.pace();
    let mut recorder = Generator::recording(model);
    let mut state = initial.to_vec();
    let mut marks = vec![mark(&state)];
    for &event in events {
        pace.steps(1 + state.len() / WORDS)?;
        happen(event, &mut state, &mut recorder);
        marks.push(mark(&state));
    }
    let last: HashMap<u64, usize> = marks.iter().copied().zip(0..).collect();
    let mut steps = Vec::new();
    state.clear();
    state.extend_from_slice(initial);
    let mut at = last[&marks[0]];
    while at < events.len() {
        pace.steps(1 + state.len() / WORDS)?;
        let index = happen(events[at], &mut state, &mut recorder);
        steps.extend_from_slice(recorder.steps(index));
        at = last[&marks[at + 1]];
    }
    if let Some(event) = failed {
        let index = recorder.fire_event(&state, event);
        steps.extend_from_slice(recorder.steps(index));
    }
    Ok(Trace { steps, lasso: None })
}

/// Lets an event happen in a state, which becomes the next one. Gives the number of the outcome.
fn happen(event: Event, state: &mut Vec<u64>, recorder: &mut Generator<'_>) -> usize {
    let index = recorder.fire_event(state, event);
    let next = recorder.next_state(index).expect("the event leads to a state");
    state.clear();
    state.extend_from_slice(next);
    index
}

/// A hash of a state.
fn mark(state: &[u64]) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}
