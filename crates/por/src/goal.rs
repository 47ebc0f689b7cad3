//! Sets that keep a goal in reach: stubborn sets around what must happen before the goal is reached (UP sets,
//! Schmidt, "Stubborn sets for standard properties").
//!
//! Whatever leads to the goal contains a move of such a set. If the set is stubborn, the first of these can as
//! well happen first, and what is left of the way is shorter. So every step of a shortest way to the goal is
//! one that the set allows, whatever the order of the search; and a set without enabled moves says that the goal
//! cannot be reached from here.
//!
//! Therefore these sets need no proviso.

use model::{EnablingSets, PredicateId};

use crate::containing::Containing;
use crate::finder::{Finder, Order};
use crate::state_view::StateView;

/// So many ways to begin are tried in a state …
const MOST_SEEDS: usize = 16;
/// … unless so many questions about moves were asked: where everything depends on everything, one way is as good as
/// another.
const MOST_QUESTIONS: u64 = 300;

/// See the head of this file.
pub(crate) struct Goal {
    goal: PredicateId,
    /// What must happen first: any of these will do.
    seeds: EnablingSets,
    next_seed: usize,
    /// How many questions had been asked before.
    n_questions: u64,
    containing: Containing,
}

impl Goal {
    pub fn new(goal: PredicateId) -> Goal {
        let (seeds, containing) = Default::default();
        Goal { goal, seeds, next_seed: 0, n_questions: 0, containing }
    }
}

impl Finder for Goal {
    fn order(&self) -> Order {
        Order::FewestFirst
    }

    fn begin(&mut self, view: &mut StateView<'_>) {
        self.seeds.clear();
        view.independence.towards(self.goal, &mut self.seeds);
        self.next_seed = 0;
        self.n_questions = view.n_questions;
        self.containing.begin(view);
    }

    fn next(&mut self, view: &mut StateView<'_>, out: &mut Vec<u32>) -> bool {
        let n_questions = view.n_questions - self.n_questions;
        if self.next_seed == MOST_SEEDS || n_questions > MOST_QUESTIONS {
            return false;
        }
        let Some(seed) = self.seeds.iter().nth(self.next_seed) else { return false };
        self.next_seed += 1;
        self.containing.close(view, seed, out);
        true
    }
}
