//! All actions of a process that stands where every statement is local (Holzmann, Godefroid and
//! Pirottin, "Coverage preserving reduction strategies for reachability analysis", algorithm 2).
//!
//! Statements that are not enabled count as well: while the others go on, `(g == 1)` may become an
//! alternative to a local statement, and what it leads to must not be lost.

use crate::finder::{Finder, Order};
use crate::state_view::StateView;

/// See the head of this file.
#[derive(Default)]
pub(crate) struct Local {
    next: usize,
}

impl Finder for Local {
    fn order(&self) -> Order {
        Order::AsFound
    }

    fn begin(&mut self, view: &mut StateView<'_>) {
        view.find_groups();
        self.next = 0;
    }

    fn next(&mut self, view: &mut StateView<'_>, out: &mut Vec<u32>) -> bool {
        while let Some(&group) = view.groups.get(self.next) {
            self.next += 1;
            out.clear();
            out.extend(group.moves().filter(|&number| view.is_enabled(number)));
            let independence = &mut view.independence;
            let mut here = group.moves().filter(|&number| view.moves[number as usize].here);
            if here.all(|number| independence.is_local(number)) {
                return true;
            }
        }
        false
    }
}
