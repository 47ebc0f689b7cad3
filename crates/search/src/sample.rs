//! Some states of a model, to see what its states are like.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use model::{Actions, Model, OutcomeKind, Patience, Successors};

/// So many states are enough to see which parts of them go together.
const MOST: usize = 4096;
/// If there are hardly more than so many different ones among twice as many, there are few in all, and
/// it does not matter.
const FEW: usize = 128;
/// After so many steps a walk starts anew.
const WALK: usize = 256;
/// A sample is not worth more time.
const TIME: Duration = Duration::from_millis(20);

/// States on random walks from the initial one, the same each time unless the model is very slow.
pub fn states(model: &dyn Model) -> Vec<Vec<u64>> {
    let mut initial = Vec::new();
    if model.initial(&mut initial).is_err() {
        return Vec::new();
    }
    let patience = Patience { deadline: Instant::now().checked_add(TIME), ..Patience::default() };
    let mut successors = Successors { patience: Some(patience.clone()), ..Successors::default() };
    let mut actions = Actions::default();
    let mut states = vec![initial];
    let mut state = states[0].clone();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for step in 1..MOST {
        if step == 2 * FEW && states.iter().collect::<HashSet<_>>().len() <= FEW {
            break;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        model.enabled(&state, &mut actions);
        if actions.list.is_empty() || step % WALK == 0 {
            state.clone_from(&states[0]);
            continue;
        }
        let chosen = (random >> 33) as usize % actions.list.len();
        actions.list.swap(0, chosen);
        actions.list.truncate(1);
        successors.clear();
        model.fire(&actions, &state, &mut successors);
        let is_state = |kind: &OutcomeKind| matches!(kind, OutcomeKind::State(_));
        let reached = successors.outcomes.iter().rev().find(|outcome| is_state(&outcome.kind));
        match reached.map(|outcome| &outcome.kind) {
            Some(OutcomeKind::State(range)) => {
                state.clear();
                state.extend_from_slice(successors.state(range));
                states.push(state.clone());
            }
            _ => state.clone_from(&states[0]),
        }
        if successors.abandoned || patience.is_over(0) {
            break;
        }
    }
    states
}
