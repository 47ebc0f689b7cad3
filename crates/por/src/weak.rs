//! Weak stubborn sets: one enabled move, the key, stays enabled whatever happens outside; of the
//! others it is enough that they could as well have happened first (Valmari, "State space generation:
//! efficiency and practicality").
//!
//! The set is closed from each enabled move as the key. The key's successors differ from those of the
//! same move where it is none, so there is no one graph whose components would tell which is best.

use std::ops::Range;

use crate::finder::{Finder, Order};
use crate::state_view::StateView;

/// See the head of this file.
#[derive(Default)]
pub(crate) struct Weak {
    next_seed: usize,
    /// For each move, the last seed, counted from 1, in whose set it is.
    sets: Vec<u32>,
    /// For each move, what must be in a set with it, in `edges`, once that was asked for.
    followers: Vec<Option<Range<usize>>>,
    edges: Vec<u32>,
    /// What must be in a set with its key.
    key_edges: Vec<u32>,
    /// The members of the set, followed up to a point.
    members: Vec<u32>,
}

impl Weak {
    /// Closes a set from its key. Says false as soon as it would contain what is unwanted.
    fn close(&mut self, view: &mut StateView<'_>, key: u32, set: u32) -> bool {
        if view.is_unwanted(key) {
            return false;
        }
        self.members.clear();
        self.key_edges.clear();
        view.conflicts(key, &mut self.key_edges);
        self.sets[key as usize] = set;
        self.members.push(key);
        add(&mut self.members, &mut self.sets, set, &self.key_edges);
        let mut followed = 1;
        while let Some(&member) = self.members.get(followed) {
            followed += 1;
            if view.is_unwanted(member) {
                return false;
            }
            let edges = self.follow(view, member);
            add(&mut self.members, &mut self.sets, set, &self.edges[edges]);
        }
        true
    }

    fn follow(&mut self, view: &mut StateView<'_>, member: u32) -> Range<usize> {
        if let Some(known) = &self.followers[member as usize] {
            return known.clone();
        }
        let start = self.edges.len();
        if view.is_enabled(member) {
            view.left_conflicts(member, &mut self.edges);
        } else {
            view.best_obstacle(member, &mut self.edges, |_, price| price);
        }
        let found = start..self.edges.len();
        self.followers[member as usize] = Some(found.clone());
        found
    }
}

/// Adds moves to a set, each once.
fn add(members: &mut Vec<u32>, sets: &mut [u32], set: u32, moves: &[u32]) {
    for &number in moves {
        if sets[number as usize] != set {
            sets[number as usize] = set;
            members.push(number);
        }
    }
}

impl Finder for Weak {
    fn order(&self) -> Order {
        Order::FewestFirst
    }

    fn begin(&mut self, view: &mut StateView<'_>) {
        self.next_seed = 0;
        self.sets.clear();
        self.sets.resize(view.moves.len(), 0);
        self.followers.clear();
        self.followers.resize(view.moves.len(), None);
        self.edges.clear();
    }

    fn next(&mut self, view: &mut StateView<'_>, out: &mut Vec<u32>) -> bool {
        while let Some(&key) = view.seeds.get(self.next_seed) {
            self.next_seed += 1;
            if self.close(view, key, self.next_seed as u32) {
                out.clear();
                out.extend(self.members.iter().filter(|&&number| view.is_enabled(number)));
                return true;
            }
        }
        false
    }
}
