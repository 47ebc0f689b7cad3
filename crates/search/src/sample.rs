//! Some states of a model, to see what its states are like.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use model::{Model, Patience, Successors};

use crate::kernel::generator::Generator;
use crate::lot::Lot;

/// So many states are enough to see which parts of them go together.
const MOST: usize = 4096;
/// Long states are fewer, so that a sample takes no more than 4 MB.
const MOST_WORDS: usize = 1 << 19;
/// If there are hardly more than so many different ones among twice as many, there are few in all, and
/// it does not matter.
const FEW: usize = 128;
/// After so many steps a walk starts anew.
const WALK: usize = 256;
/// A sample is not worth more time. Most take a tenth of it, even while others keep the machine busy: what a search
/// takes in memory must not depend on them.
const TIME: Duration = Duration::from_millis(250);
/// Where the random numbers begin.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// States on random walks from the initial one, the same each time unless the model is very slow.
pub fn states(model: &dyn Model) -> Vec<Vec<u64>> {
    let mut initial = Vec::new();
    if model.initial(&mut initial).is_err() {
        return Vec::new();
    }
    let patience = Patience { deadline: Instant::now().checked_add(TIME), ..Patience::default() };
    let successors = Successors { patience: Some(patience.clone()), ..Successors::default() };
    let (mut generator, mut lot) = (Generator::new(model, successors), Lot::new(SEED));
    let mut state = initial.clone();
    let mut states = vec![initial];
    let mut n_words = 0;
    for step in 1..MOST {
        if step == 2 * FEW && states.iter().collect::<HashSet<_>>().len() <= FEW {
            break;
        }
        if step % WALK == 0 || !walk(&mut generator, &mut lot, &mut state) {
            state.clone_from(&states[0]);
        } else {
            n_words += state.len();
            states.push(state.clone());
        }
        if generator.successors.abandoned || n_words > MOST_WORDS || patience.is_over(0) {
            break;
        }
    }
    states
}

/// Takes a step by lot. False if there is none.
fn walk(generator: &mut Generator<'_>, lot: &mut Lot, state: &mut Vec<u64>) -> bool {
    generator.list(state);
    let n_enabled = generator.actions.list.len();
    if n_enabled == 0 {
        return false;
    }
    generator.choose_one(lot.draw(n_enabled) as u32);
    generator.fire(state);
    let next = lot.draw_state(generator);
    if let Some((_, next)) = next {
        state.clear();
        state.extend_from_slice(next);
    }
    next.is_some()
}
