//! Reduction inside a search: what to fire in a state.
//!
//! At most [`MOST_TRIES`] subsets are tried in a state, the best first, before everything is fired.
//! Whether one is enough is decided by [`super::proviso`].
//!
//! To look for subsets takes time. Where it does not pay, the search looks only now and then ([`Pace`]).

use model::{Actions, Model};
use reduce::{Plan, Reducer};

use crate::proviso::Proviso;

/// What is fired in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Everything that is enabled.
    Everything,
    /// The subset that the reducer proposes as the k-th.
    Subset(u8),
}

/// How many subsets are tried in a state.
pub const MOST_TRIES: u8 = 3;

/// The reducer, and what it has proposed.
pub struct Reduction<'m> {
    reducer: Reducer<'m>,
    pub proviso: Proviso,
    pub pace: Pace,
    /// The subset proposed last.
    pub chosen: Actions,
    /// For each action of the subset, its position among everything enabled.
    pub positions: Vec<u32>,
}

impl<'m> Reduction<'m> {
    /// None if the model cannot say what is independent of what: then everything has to be explored.
    /// Who must not take that for a reduced search has asked the model before.
    pub fn new(model: &'m dyn Model, plan: &Plan) -> Option<Reduction<'m>> {
        let independence = model.independence(&plan.watched).ok()?;
        Some(Reduction {
            reducer: Reducer::new(independence, plan.method, plan.keeps),
            proviso: Proviso::of(plan.method, plan.keeps),
            pace: Pace::default(),
            chosen: Actions::default(),
            positions: Vec::new(),
        })
    }

    /// Whether to look for a subset. What is enabled only because nothing else is must not be reduced.
    pub fn is_worth_trying(&mut self, enabled: &Actions) -> bool {
        enabled.list.len() > 1 && !enabled.timeout && self.pace.is_due()
    }

    /// Turns to a state.
    pub fn look(&mut self, state: &[u64], enabled: &Actions) {
        self.reducer.look(state, enabled);
    }

    /// Turns to the k-th subset in the state looked at. False if there is none that saves anything.
    pub fn choose(&mut self, k: u8, enabled: &Actions) -> bool {
        if k >= MOST_TRIES || !self.reducer.choose(k.into(), enabled, &mut self.chosen) {
            return false;
        }
        debug_assert!(!self.chosen.list.is_empty(), "no action is not enough where there is one");
        self.positions.clear();
        let mut chosen = self.chosen.list.iter().peekable();
        for (position, action) in enabled.list.iter().enumerate() {
            if chosen.next_if(|&next| next == action).is_some() {
                self.positions.push(position as u32);
            }
        }
        debug_assert!(chosen.next().is_none(), "a subset is in the order of what is enabled");
        self.chosen.list.len() < enabled.list.len()
    }
}

/// How often to look for a subset: in every state that has a choice, unless that has paid in fewer
/// than one of [`LEAST`] states tried; then in every [`STRIDE`]-th.
///
/// The decision is made anew every [`WINDOW`] states, from what these have shown. To expand everything
/// is always sound, and the numbers depend on nothing but the search itself: it is the same each time.
#[derive(Default)]
pub struct Pace {
    /// States since the last decision: all with a choice, those tried, those in which it paid.
    n_states: u32,
    n_tried: u32,
    n_paid: u32,
    is_slow: bool,
}

const WINDOW: u32 = 2000;
const LEAST: u32 = 50;
const STRIDE: u32 = 16;

impl Pace {
    /// Whether it is time to look for a subset; to be asked in each state that has a choice.
    fn is_due(&mut self) -> bool {
        if self.n_states == WINDOW {
            *self = Pace { is_slow: self.n_paid * LEAST < self.n_tried, ..Pace::default() };
        }
        let is_due = !self.is_slow || self.n_states.is_multiple_of(STRIDE);
        self.n_states += 1;
        self.n_tried += u32::from(is_due);
        is_due
    }

    /// Notes that in the state tried last less than everything was enough.
    pub fn note_paid(&mut self) {
        self.n_paid += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of some windows are tried if it pays once in so many tried states.
    fn n_tried(n_windows: u32, pays_once_in: Option<u32>, pace: &mut Pace) -> u32 {
        let mut n_tried = 0;
        for _ in 0..n_windows * WINDOW {
            if pace.is_due() {
                n_tried += 1;
                if pays_once_in.is_some_and(|n| n_tried % n == 0) {
                    pace.note_paid();
                }
            }
        }
        n_tried
    }

    #[test]
    fn what_does_not_pay_is_tried_now_and_then() {
        let mut pace = Pace::default();
        assert_eq!(n_tried(10, Some(LEAST), &mut pace), 10 * WINDOW);
        assert_eq!(n_tried(1, None, &mut pace), WINDOW);
        assert_eq!(n_tried(10, None, &mut pace), 10 * WINDOW / STRIDE);
        // It begins to pay: that is seen at the end of a window.
        assert_eq!(n_tried(3, Some(10), &mut pace), WINDOW / STRIDE + 2 * WINDOW);
        assert_eq!(n_tried(1, Some(LEAST + 1), &mut pace), WINDOW);
        assert_eq!(n_tried(1, Some(LEAST + 1), &mut pace), WINDOW / STRIDE);
    }
}
