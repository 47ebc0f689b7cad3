//! Sets that keep a goal in reach: stubborn sets around what must happen before the goal is reached (UP sets,
//! Schmidt, "Stubborn sets for standard properties").
//!
//! Whatever leads to the goal contains a move of such a set. If the set is stubborn, the first of these can as
//! well happen first, and what is left of the way is shorter. So every step of a shortest way to the goal is
//! one that the set allows, whatever the order of the search; and a set without enabled moves says that the goal
//! cannot be reached from here.

use model::{Obstacles, PredicateId};

use crate::finder::{Finder, Order};
use crate::scene::Scene;

/// So many ways to begin are tried in a state …
const MOST_SEEDS: usize = 16;
/// … unless so many questions about moves were asked: where everything depends on everything, one way is as good as
/// another.
const MOST_QUESTIONS: u64 = 300;

/// See the head of this file.
pub(crate) struct Goal {
    goal: PredicateId,
    /// What must happen first: any of these will do.
    seeds: Obstacles,
    next_seed: usize,
    /// How many questions had been asked before.
    n_questions: u64,
    /// For each move, the last seed whose set it is in, from 1.
    members: Vec<usize>,
    work: Vec<u32>,
}

impl Goal {
    pub fn new(goal: PredicateId) -> Goal {
        let (seeds, members, work) = Default::default();
        Goal { goal, seeds, next_seed: 0, n_questions: 0, members, work }
    }

    /// Replaces `out` by the enabled moves of the smallest set around what is to be done.
    fn close(&mut self, scene: &mut Scene<'_>, out: &mut Vec<u32>) {
        let Goal { next_seed: mark, members, work, .. } = self;
        out.clear();
        let mut at = 0;
        while let Some(&number) = work.get(at) {
            at += 1;
            if std::mem::replace(&mut members[number as usize], *mark) == *mark {
                continue;
            }
            if scene.is_enabled(number) {
                out.push(number);
                scene.conflicts(number, work);
            } else {
                let is_in = |other: u32| members[other as usize] == *mark;
                scene.best_obstacle(number, work, |other, price| if is_in(other) { 0 } else { price });
            }
        }
    }
}

impl Finder for Goal {
    fn order(&self) -> Order {
        Order::FewestFirst
    }

    fn begin(&mut self, scene: &mut Scene<'_>) {
        self.seeds.clear();
        scene.independence.towards(self.goal, &mut self.seeds);
        self.next_seed = 0;
        self.n_questions = scene.n_questions;
        self.members.clear();
        self.members.resize(scene.moves.len(), 0);
    }

    fn next(&mut self, scene: &mut Scene<'_>, out: &mut Vec<u32>) -> bool {
        let n_questions = scene.n_questions - self.n_questions;
        if self.next_seed == MOST_SEEDS || n_questions > MOST_QUESTIONS {
            return false;
        }
        let Some(seed) = self.seeds.iter().nth(self.next_seed) else { return false };
        self.work.clear();
        self.work.extend_from_slice(seed);
        self.next_seed += 1;
        self.close(scene, out);
        true
    }
}
