//! Strong stubborn sets by deletion (Valmari and Varpaaniemi): all moves are a stubborn set; enabled
//! ones are taken away one after the other, each with everything that cannot stay without it, unless
//! no enabled one would be left. No subset of what remains has fewer enabled moves and is stubborn.
//!
//! A move has *ways* to stay: an enabled one has a single way, that all its conflicts stay; a disabled
//! one has a way for each obstacle, that all its moves stay. A way breaks when one of its moves goes,
//! and a move goes when its last way breaks.

use crate::finder::{Finder, Order};
use crate::state_view::StateView;

/// What can be undone.
#[derive(Clone, Copy)]
enum Event {
    Gone(u32),
    Broken(u32),
}

/// See the head of this file.
#[derive(Default)]
pub(crate) struct Deletion {
    /// For each way, whose it is and whether it is broken.
    owners: Vec<u32>,
    broken: Vec<bool>,
    /// Each way with each of its moves: (move, way), sorted, and where those of each move begin.
    uses: Vec<(u32, u32)>,
    uses_of: Vec<usize>,
    /// For each move: whether it stays, and how many of its ways are not broken.
    stays: Vec<bool>,
    n_ways: Vec<u32>,
    /// How many of the moves that stay are enabled.
    n_enabled: usize,
    trail: Vec<Event>,
    buffer: Vec<u32>,
}

impl Deletion {
    fn find_ways(&mut self, view: &mut StateView<'_>) {
        self.owners.clear();
        self.uses.clear();
        self.n_ways.clear();
        for owner in 0..view.moves.len() as u32 {
            let way = self.owners.len() as u32;
            if view.is_enabled(owner) {
                self.buffer.clear();
                view.conflicts(owner, &mut self.buffer);
                self.uses.extend(self.buffer.iter().map(|&used| (used, way)));
                self.owners.push(owner);
                self.n_ways.push(1);
            } else {
                for (way, obstacle) in (way..).zip(view.enabling_sets(owner).iter()) {
                    self.uses.extend(obstacle.iter().map(|&used| (used, way)));
                    self.owners.push(owner);
                }
                let n_ways = self.owners.len() as u32 - way;
                assert!(n_ways > 0, "a disabled move has an obstacle");
                self.n_ways.push(n_ways);
            }
        }
        self.broken.clear();
        self.broken.resize(self.owners.len(), false);
        self.uses.sort_unstable();
        self.uses_of.clear();
        self.uses_of.resize(view.moves.len() + 1, 0);
        for &(used, _) in &self.uses {
            self.uses_of[used as usize + 1] += 1;
        }
        for number in 0..view.moves.len() {
            self.uses_of[number + 1] += self.uses_of[number];
        }
    }

    /// Takes a move away, and everything that cannot stay without it.
    fn delete(&mut self, view: &StateView<'_>, number: u32) {
        let mut done = self.trail.len();
        self.take(view, number);
        while let Some(&event) = self.trail.get(done) {
            done += 1;
            let Event::Gone(gone) = event else { continue };
            for place in self.uses_of[gone as usize]..self.uses_of[gone as usize + 1] {
                let (_, way) = self.uses[place];
                if std::mem::replace(&mut self.broken[way as usize], true) {
                    continue;
                }
                self.trail.push(Event::Broken(way));
                let owner = self.owners[way as usize];
                self.n_ways[owner as usize] -= 1;
                if self.n_ways[owner as usize] == 0 {
                    self.take(view, owner);
                }
            }
        }
    }

    fn take(&mut self, view: &StateView<'_>, number: u32) {
        if std::mem::replace(&mut self.stays[number as usize], false) {
            self.trail.push(Event::Gone(number));
            self.n_enabled -= usize::from(view.is_enabled(number));
        }
    }

    fn undo(&mut self, view: &StateView<'_>, n_events: usize) {
        for event in self.trail.drain(n_events..) {
            match event {
                Event::Gone(number) => {
                    self.stays[number as usize] = true;
                    self.n_enabled += usize::from(view.is_enabled(number));
                }
                Event::Broken(way) => {
                    self.broken[way as usize] = false;
                    self.n_ways[self.owners[way as usize] as usize] += 1;
                }
            }
        }
    }
}

impl Finder for Deletion {
    fn order(&self) -> Order {
        Order::AsFound
    }

    fn begin(&mut self, view: &mut StateView<'_>) {
        self.find_ways(view);
        self.stays.clear();
        self.stays.resize(view.moves.len(), true);
        self.n_enabled = view.seeds.len();
        self.trail.clear();
        for &number in &view.seeds {
            if view.is_unwanted(number) {
                self.delete(view, number);
            }
        }
    }

    fn next(&mut self, view: &mut StateView<'_>, out: &mut Vec<u32>) -> bool {
        if self.n_enabled == 0 {
            return false;
        }
        let n_events = self.trail.len();
        // What is tried last is most likely to stay: the highest group, as with the other methods.
        for &number in view.seeds.iter().rev() {
            let before = self.trail.len();
            if self.stays[number as usize] {
                self.delete(view, number);
            }
            if self.n_enabled == 0 {
                self.undo(view, before);
            }
        }
        out.clear();
        out.extend(view.seeds.iter().filter(|&&number| self.stays[number as usize]));
        // The next set is to have nothing in common with this one.
        self.undo(view, n_events);
        for &number in out.iter() {
            self.delete(view, number);
        }
        true
    }
}
