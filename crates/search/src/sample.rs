//! Some states of a model, to see what its states are like.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use model::{Model, Patience};

use crate::walker::Walker;

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
    let mut walker = Walker::new(model, SEED);
    walker.successors.patience = Some(patience.clone());
    walker.turn_to(&initial);
    let mut states = vec![initial];
    let mut n_words = 0;
    for step in 1..MOST {
        if step == 2 * FEW && states.iter().collect::<HashSet<_>>().len() <= FEW {
            break;
        }
        if step % WALK == 0 || !walker.step() {
            walker.turn_to(&states[0]);
        } else {
            n_words += walker.state.len();
            states.push(walker.state.clone());
        }
        if walker.successors.abandoned || n_words > MOST_WORDS || patience.is_over(0) {
            break;
        }
    }
    states
}
