//! The stubborn set around some moves: what these conflict with or wait for, and so on.

use crate::state_view::StateView;

/// See the head of this file.
#[derive(Default)]
pub(crate) struct Containing {
    /// For each move, the last set that it is in, from 1.
    members: Vec<u32>,
    n_sets: u32,
    work: Vec<u32>,
}

impl Containing {
    /// Turns to a state.
    pub fn begin(&mut self, view: &StateView<'_>) {
        self.n_sets = 0;
        self.members.clear();
        self.members.resize(view.moves.len(), 0);
    }

    /// Replaces `out` by the enabled moves of the set around `seed`. What waits for several things waits for the
    /// one that adds least to the set.
    pub fn close(&mut self, view: &mut StateView<'_>, seed: &[u32], out: &mut Vec<u32>) {
        let Containing { members, n_sets, work } = self;
        *n_sets += 1;
        work.clear();
        work.extend_from_slice(seed);
        out.clear();
        let mut at = 0;
        while let Some(&number) = work.get(at) {
            at += 1;
            if std::mem::replace(&mut members[number as usize], *n_sets) == *n_sets {
                continue;
            }
            if view.is_enabled(number) {
                out.push(number);
                view.conflicts(number, work);
            } else {
                let is_in = |other: u32| members[other as usize] == *n_sets;
                view.best_obstacle(number, work, |other, price| if is_in(other) { 0 } else { price });
            }
        }
    }
}
