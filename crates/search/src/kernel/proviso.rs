//! The cycle proviso: when a subset of what is enabled may be explored instead of everything.
//!
//! A subset that [`por::Reducer`] proposes postpones the rest. If a search postpones something all
//! around a cycle, it ignores it for ever. The proviso forbids that, and it is the only part of
//! reduction that depends on the search: on which states it *comes back to*.
//!
//! - Depth-first, these are the states on its path, with the one that is expanded.
//! - In any other order, those that it has begun to expand: the one that is expanded and all before
//!   it. With several threads, before it in time.
//!
//! **Finite runs.** Let w be executable in s, and nothing of w be in the subset explored there. Then w
//! can still be executed behind any action of the subset (behind the key action, if the set is a weak
//! stubborn one), whatever the outcome. One such state to which the search does not come back is
//! enough: depth-first it is left before s is, otherwise it is expanded after s, so this cannot go
//! on for ever. If an action of w is in the subset, it can be executed first, and what is left of w is
//! shorter. In both cases w, or what it depends on, is explored in the end.
//!
//! **Infinite runs.** Every cycle must have a node that is expanded completely. Consider the node of a
//! cycle that a depth-first search enters first, and the one before it on the cycle. The latter is
//! entered, and expanded for the first time, while the former is on the path; so the search comes back
//! there. In a search with copies of the graph this holds if a node counts as on the path while it is
//! there in any copy: all copies of the cycle's nodes are entered later than the first one of any, and
//! those that can be reached from it are before it is left.
//!
//! **Branching time.** Every cycle must have such a node, too. A graph that is expanded on demand counts as coming
//! back to all that is expanded: the node of a cycle that is expanded last leads to one that is already.
//!
//! **Terminal components.** Nothing must be postponed for ever in a terminal component. That is seen when the search
//! leaves it (`branching/terminal.rs`), and not a matter of single subsets.

use model::{Outcome, OutcomeKind};
use por::{Method, Preserves};
use store::Arrival;

/// What is asked of the states behind a subset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proviso {
    /// Nothing.
    Nothing,
    /// To one of them the search does not come back.
    SomeGoesOn,
    /// To one behind each action the search does not come back: nobody says which is the key.
    EachGoesOn,
    /// To none of them does the search come back, and no action goes round in circles for ever.
    NoneComesBack,
    /// There is one, to which the search does not come back.
    OneGoesOn,
    /// Each action leads to one, whichever.
    OneEach,
    /// Something impossible.
    #[cfg(test)]
    Impossible,
}

impl Proviso {
    /// What a way of reduction asks for.
    pub fn of(method: Method, preserves: Preserves) -> Proviso {
        match preserves {
            Preserves::Deadlocks | Preserves::Goal(_) => Proviso::Nothing,
            Preserves::FiniteRuns if method == Method::Weak => Proviso::EachGoesOn,
            Preserves::FiniteRuns => Proviso::SomeGoesOn,
            Preserves::InfiniteRuns | Preserves::FairRuns => Proviso::NoneComesBack,
            Preserves::Branching => Proviso::OneGoesOn,
            Preserves::Terminal => Proviso::OneEach,
        }
    }

    /// Whether a subset of `n_actions` actions is enough. Its outcomes have led to `arrivals`: in a
    /// search for finite runs, there is one for each state among the outcomes.
    pub fn accepts(
        self,
        n_actions: usize,
        outcomes: &[Outcome],
        arrivals: &[Arrival],
        closes_cycle: impl Fn(&Arrival) -> bool,
    ) -> bool {
        let goes_on = |arrival: &Arrival| !closes_cycle(arrival);
        match self {
            Proviso::Nothing => true,
            Proviso::SomeGoesOn => arrivals.iter().any(goes_on),
            Proviso::OneGoesOn => outcomes.len() == 1 && arrivals.len() == 1 && arrivals.iter().all(goes_on),
            Proviso::OneEach => outcomes.len() == n_actions && arrivals.len() == n_actions,
            Proviso::EachGoesOn => {
                let is_state = |outcome: &&Outcome| matches!(outcome.kind, OutcomeKind::State(_));
                let states = || outcomes.iter().filter(is_state).zip(arrivals);
                let mut actions = 0..n_actions as u32;
                actions.all(|action| {
                    states().any(|(outcome, arrival)| outcome.action == action && goes_on(arrival))
                })
            }
            Proviso::NoneComesBack => {
                let diverges = |outcome: &Outcome| matches!(outcome.kind, OutcomeKind::Diverges(_));
                !outcomes.iter().any(diverges) && !arrivals.is_empty() && arrivals.iter().all(goes_on)
            }
            #[cfg(test)]
            Proviso::Impossible => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subset_that_leads_nowhere_is_not_enough() {
        let outcome = |action, kind| Outcome { action, kind, steps: 0..0 };
        let diverges = [outcome(0, OutcomeKind::Diverges(0)), outcome(0, OutcomeKind::State(0..1))];
        let states = [outcome(0, OutcomeKind::State(0..1)), outcome(1, OutcomeKind::State(1..2))];
        let arrival = |id: u32, is_new| Arrival { handle: id.into(), is_new, flagged: false };
        let arrivals = [arrival(7, true), arrival(8, false)];
        let ahead = |_: &Arrival| false;
        for proviso in [Proviso::SomeGoesOn, Proviso::EachGoesOn, Proviso::NoneComesBack] {
            assert!(!proviso.accepts(1, &[], &[], ahead), "{proviso:?}");
            assert!(proviso.accepts(2, &states, &arrivals, ahead), "{proviso:?}");
            let accepted = proviso.accepts(2, &states, &arrivals, |arrival| arrival.id() == 8);
            assert_eq!(accepted, proviso == Proviso::SomeGoesOn);
        }
        assert!(!Proviso::NoneComesBack.accepts(1, &diverges, &arrivals[..1], ahead));
        assert!(Proviso::Nothing.accepts(1, &[], &[], ahead));
    }
}
