//! What the methods have in common.

use crate::state_view::StateView;

/// How the sets that a method finds follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The best first.
    AsFound,
    /// As it happens: those of fewest actions are to come first.
    FewestFirst,
}

/// A method: it finds sets of moves that are enough, one after the other.
pub(crate) trait Finder: Send {
    /// How they come.
    fn order(&self) -> Order;

    /// Turns to a state.
    fn begin(&mut self, view: &mut StateView<'_>);

    /// Replaces `out` by the enabled moves of the next set, or says that there is none.
    fn next(&mut self, view: &mut StateView<'_>, out: &mut Vec<u32>) -> bool;
}
