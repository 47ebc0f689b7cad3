//! The sets of actions that were found in a state, and which of them is the k-th best.

use std::cmp::Reverse;
use std::ops::Range;

use crate::finder::Order;

struct Candidate {
    /// Its actions, in `actions`.
    actions: Range<usize>,
    /// The highest group that takes part.
    group: u32,
}

/// See the head of this file.
#[derive(Default)]
pub(crate) struct Candidates {
    actions: Vec<u32>,
    list: Vec<Candidate>,
    /// The best first, as far as they are settled, then the others.
    ranking: Vec<usize>,
    /// For how many of the ranking later ones cannot change the place.
    n_settled: usize,
}

impl Candidates {
    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.actions.clear();
        self.list.clear();
        self.ranking.clear();
        self.n_settled = 0;
    }

    /// Adds a set of actions, in the model's order, if it is a new one.
    pub fn add(&mut self, order: Order, group: u32, actions: &[u32]) {
        if self.list.iter().any(|known| self.actions[known.actions.clone()] == *actions) {
            return;
        }
        let start = self.actions.len();
        self.actions.extend_from_slice(actions);
        let number = self.list.len();
        self.list.push(Candidate { actions: start..self.actions.len(), group });
        // Nothing is better than a single action, or none.
        if order == Order::AsFound || actions.len() <= 1 {
            self.ranking.insert(self.n_settled, number);
            self.n_settled += 1;
        } else {
            self.ranking.push(number);
        }
    }

    /// Ranks what is not settled: there will be no more.
    pub fn settle(&mut self) {
        let list = &self.list;
        self.ranking[self.n_settled..].sort_unstable_by_key(|&number| {
            let candidate = &list[number];
            (candidate.actions.len(), Reverse(candidate.group), number)
        });
        self.n_settled = self.ranking.len();
    }

    /// The actions of the k-th best set, if it is settled.
    pub fn get(&self, k: usize) -> Option<&[u32]> {
        let &number = self.ranking[..self.n_settled].get(k)?;
        Some(&self.actions[self.list[number].actions.clone()])
    }
}
