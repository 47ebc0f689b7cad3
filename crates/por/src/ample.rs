//! All actions of one process, if nothing that others do concerns them (Holzmann and Peled, "An
//! improvement in formal verification").
//!
//! The moves of a group are a stubborn set if each enabled one conflicts with moves of the group only
//! and each disabled one has an obstacle of moves of the group only. The definition is often printed
//! for the enabled ones alone; then deadlocks are lost, for a disabled one may become an alternative
//! while the others go on.

use crate::finder::{Finder, Order};
use crate::state_view::{Group, StateView};

/// See the head of this file.
#[derive(Default)]
pub(crate) struct Ample {
    /// The groups with enabled moves that were not looked at yet, the best last: how many actions they
    /// have, and where they are in the view.
    rest: Vec<(usize, usize)>,
    conflicts: Vec<u32>,
}

impl Ample {
    fn is_stubborn(&mut self, view: &mut StateView<'_>, group: Group) -> bool {
        // What comes later comes after one of those that are here.
        group.moves().all(|number| {
            if !view.moves[number as usize].here {
                true
            } else if view.is_enabled(number) {
                self.conflicts.clear();
                view.conflicts(number, &mut self.conflicts);
                group.covers(&self.conflicts)
            } else {
                view.enabling_sets(number).iter().any(|obstacle| group.covers(obstacle))
            }
        })
    }
}

fn enabled<'s>(view: &'s StateView<'_>, group: Group) -> impl Iterator<Item = u32> + 's {
    group.moves().filter(|&number| view.is_enabled(number))
}

impl Finder for Ample {
    fn order(&self) -> Order {
        Order::AsFound
    }

    fn begin(&mut self, view: &mut StateView<'_>) {
        view.find_groups();
        self.rest.clear();
        for (place, &group) in view.groups.iter().enumerate() {
            // The moves of a group exclude each other, so no action consists of two of them.
            let n_actions = enabled(view, group).map(|number| view.actions(number).count()).sum();
            self.rest.push((n_actions, place));
        }
        self.rest.sort_unstable_by_key(|&(n_actions, place)| std::cmp::Reverse((n_actions, place)));
    }

    fn next(&mut self, view: &mut StateView<'_>, out: &mut Vec<u32>) -> bool {
        while let Some((_, place)) = self.rest.pop() {
            let group = view.groups[place];
            if self.is_stubborn(view, group) {
                out.clear();
                out.extend(enabled(view, group));
                return true;
            }
        }
        false
    }
}
