//! From a path of states back to the steps in between.

use std::collections::HashMap;

use model::{Model, Over, Pace, Step, Trace};
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
