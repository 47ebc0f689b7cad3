//! Reduction inside a search: what to fire in a state.
//!
//! At most [`MOST_TRIES`] subsets are tried in a state, the best first, before everything is fired.
//! Whether one is enough is decided by [`super::proviso`].
//!
//! To look for subsets takes time. Where it does not pay, the search looks only now and then ([`Pace`]).
//! A method that considers more than one process at a time takes much more; so what single processes can
//! do is tried first, and the method's own sets at a pace of their own.
//!
//! The pace depends on how many questions were asked and how many actions were saved. It counts and does not look at the
//! clock, so a search is the same each time. If next to nothing is saved, a search that is a trial gives up
//! ([`Chooser::saves_little`]), and `check` explores everything with all threads instead.

use model::{Action, Actions, Model, Patience, Phase};
use por::{Effort, Method, Preserves, Reducer, Reduction};

use super::proviso::Proviso;

/// What is fired in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Everything that is enabled.
    Everything,
    /// The subset that the reducer proposes as the k-th, with some effort.
    Subset(Effort, u8),
    /// A subset that was asked for.
    AskedFor,
}

/// A part of what is enabled.
#[derive(Default)]
pub struct Subset {
    pub actions: Actions,
    /// For each action, its position among everything enabled.
    pub positions: Vec<u32>,
}

impl Subset {
    /// Makes it the action at a position.
    pub fn set_one(&mut self, position: u32, enabled: &Actions) {
        self.actions.clear();
        self.actions.phase = enabled.phase;
        self.actions.list.push(enabled.list[position as usize]);
        self.positions.clear();
        self.positions.push(position);
    }

    fn find_positions(&mut self, enabled: &Actions) {
        self.positions.clear();
        // Most subsets are in the order of what is enabled.
        let mut expected = 0;
        for action in &self.actions.list {
            let rest = enabled.list[expected..].iter().position(|other| other == action);
            let position = match rest {
                Some(further) => expected + further,
                None => enabled.list.iter().position(|other| other == action).expect("it is enabled"),
            };
            self.positions.push(position as u32);
            expected = position + 1;
        }
    }
}

/// How many subsets are tried in a state. All local ones are, in a search that need not remember which:
/// so it is in the algorithm's figures.
pub const MOST_TRIES: u8 = 3;

/// The reducer, and how often it is asked.
pub struct Chooser<'m> {
    reducer: Reducer<'m>,
    pub proviso: Proviso,
    most_tries: u8,
    /// Whether to look in every state, whether that pays or not.
    is_patient: bool,
    pace: Pace,
    thorough_pace: Pace,
    gain: Gain,
}

impl<'m> Chooser<'m> {
    /// None if the model cannot say what is independent of what: then everything has to be explored.
    /// Who must not take that for a reduced search has asked the model before. None also if the search's own patience
    /// was over before the model could say: then the next look at the budget ends the search.
    pub fn new(
        model: &'m dyn Model,
        plan: &Reduction,
        patient: bool,
        patience: &Patience,
    ) -> Option<Chooser<'m>> {
        let independence = model.independence(&plan.watched, patience).ok()?;
        let is_local = plan.method == Method::Local;
        let is_finite = matches!(plan.preserves, Preserves::Deadlocks | Preserves::FiniteRuns);
        let mut reducer = Reducer::new(independence, plan.method, plan.preserves);
        reducer.limit(Patience { memory: None, ..patience.clone() });
        Some(Chooser {
            reducer,
            proviso: Proviso::of(plan.method, plan.preserves),
            most_tries: if is_local && is_finite { u8::MAX } else { MOST_TRIES },
            is_patient: patient || is_local,
            pace: Pace::default(),
            thorough_pace: Pace::default(),
            gain: Gain::default(),
        })
    }

    /// Whether to look for a subset. What is enabled only because nothing else is must not be reduced.
    pub fn is_worth_trying(&mut self, enabled: &Actions) -> bool {
        enabled.list.len() >= self.reducer.least()
            && enabled.phase == Phase::Normal
            && (self.is_patient || self.pace.is_due())
    }

    /// Turns to a state.
    pub fn look(&mut self, state: &[u64], enabled: &Actions) {
        self.reducer.look(state, enabled);
    }

    /// Proposes the best subset in the state looked at, if there is one: one action of one process, or
    /// what the method finds, or what one process can do.
    pub fn first(&mut self, enabled: &Actions, subset: &mut Subset) -> Choice {
        let quick = Choice::Subset(Effort::Quick, 0);
        let before = self.reducer.n_questions();
        let has_quick = self.reducer.has_quick() && self.choose(quick, enabled, subset);
        let asked = self.reducer.n_questions() - before;
        if !self.reducer.has_quick() {
            let thorough = Choice::Subset(Effort::Thorough, 0);
            let choice = if self.choose(thorough, enabled, subset) { thorough } else { Choice::Everything };
            self.pace.note(self.reducer.n_questions() - before, 0);
            return choice;
        }
        self.pace.note(asked, 0);
        if has_quick && subset.actions.list.len() == 1 {
            return quick;
        }
        if self.is_patient || self.thorough_pace.is_due() {
            let thorough = Choice::Subset(Effort::Thorough, 0);
            let found = self.choose(thorough, enabled, subset);
            self.thorough_pace.note(self.reducer.n_questions() - before - asked, 0);
            if found {
                return thorough;
            }
        }
        if has_quick && self.choose(quick, enabled, subset) { quick } else { Choice::Everything }
    }

    /// Proposes another subset, behind one that was not enough.
    pub fn next(&mut self, choice: Choice, enabled: &Actions, subset: &mut Subset) -> Choice {
        let Choice::Subset(effort, k) = choice else { return Choice::Everything };
        // What was fired in vain outweighs as much that is saved elsewhere.
        let in_vain = WORTH * subset.actions.list.len() as u64;
        self.pace.note(in_vain, 0);
        if effort == Effort::Thorough {
            self.thorough_pace.note(in_vain, 0);
        }
        let next = Choice::Subset(effort, k + 1);
        if k + 1 < self.most_tries && self.choose(next, enabled, subset) { next } else { Choice::Everything }
    }

    /// Turns to the next best subset with an action that is wanted, if the one proposed has none and there is one.
    pub fn prefer(
        &mut self,
        choice: Choice,
        enabled: &Actions,
        subset: &mut Subset,
        is_wanted: impl Fn(&Action) -> bool,
    ) -> Choice {
        let Choice::Subset(effort, first) = choice else { return choice };
        for k in first..u8::MAX {
            let other = Choice::Subset(effort, k);
            if !self.choose(other, enabled, subset) {
                break;
            }
            if subset.actions.list.iter().any(&is_wanted) {
                return other;
            }
        }
        self.choose(choice, enabled, subset);
        choice
    }

    /// Notes where actions have led, so many times to new states.
    pub fn note_arrivals(&mut self, n_arrivals: usize, n_new: usize) {
        self.pace.note_arrivals(n_arrivals as u64, n_new as u64);
        self.thorough_pace.note_arrivals(n_arrivals as u64, n_new as u64);
        self.gain.n_arrivals += n_arrivals as u64;
    }

    /// Whether little has been left out so far; to be asked in each state, and true at most in a few.
    pub fn saves_little(&mut self) -> bool {
        self.gain.is_little()
    }

    /// Notes that a subset was enough, and so many actions need not be fired.
    pub fn note_paid(&mut self, choice: Choice, n_saved: usize) {
        let n_saved = n_saved as u64;
        self.pace.note(0, n_saved);
        self.gain.n_saved += n_saved;
        if let Choice::Subset(Effort::Thorough, _) = choice {
            self.thorough_pace.note(0, n_saved);
        }
    }

    /// Turns to a subset with the action at a position in the state looked at.
    pub fn choose_containing(&mut self, action: u32, enabled: &Actions, subset: &mut Subset) {
        self.reducer.containing(action as usize, enabled, &mut subset.actions);
        subset.find_positions(enabled);
    }

    /// Turns to a subset that was chosen in the state looked at before. False if there is none, which is a defect.
    pub fn choose_again(&mut self, choice: Choice, enabled: &Actions, subset: &mut Subset) -> bool {
        let Choice::Subset(effort, k) = choice else { return false };
        let find = |reducer: &mut Reducer<'m>| reducer.choose(effort, k.into(), enabled, &mut subset.actions);
        let is_there = self.reducer.without_limit(find);
        subset.find_positions(enabled);
        is_there
    }

    /// Turns to a subset in the state looked at. False if there is none that saves anything.
    pub fn choose(&mut self, choice: Choice, enabled: &Actions, subset: &mut Subset) -> bool {
        let Choice::Subset(effort, k) = choice else { return false };
        if !self.reducer.choose(effort, k.into(), enabled, &mut subset.actions) {
            return false;
        }
        // Towards a goal.
        let may_be_empty = self.reducer.least() == 1;
        debug_assert!(
            may_be_empty || !subset.actions.list.is_empty(),
            "no action is not enough where there is one"
        );
        subset.find_positions(enabled);
        may_be_empty || subset.actions.list.len() < enabled.list.len()
    }
}

/// How often to look for a subset: in every state that has a choice, unless that does not pay; then in
/// every [`STRIDE`]-th. It pays if what is saved, in actions that are not fired, is worth the questions
/// that have to be asked: a question takes about a third of the time of firing an action, but an action
/// that is not fired often saves a state, and all those behind it.
///
/// The decision is made anew every [`WINDOW`] states, from what these have shown. To expand everything
/// is always sound, and the numbers depend on nothing but the search itself: it is the same each time.
#[derive(Default)]
pub struct Pace {
    /// States with a choice since the last decision.
    n_states: u32,
    n_questions: u64,
    n_saved: u64,
    /// Arrivals, and those at new states.
    n_arrivals: u64,
    n_new: u64,
    is_slow: bool,
}

const WINDOW: u32 = 2000;
const STRIDE: u32 = 64;
/// So many questions are worth an action that is not fired, if all arrivals are at new states.
const WORTH: u64 = 70;

impl Pace {
    /// Whether it is time to look for a subset; to be asked in each state that has a choice.
    fn is_due(&mut self) -> bool {
        if self.n_states == WINDOW {
            // Where most arrivals are at known states, an action less is seldom a state less.
            let worth = WORTH * self.n_saved * self.n_new / self.n_arrivals.max(1);
            *self = Pace { is_slow: worth < self.n_questions, ..Pace::default() };
        }
        let is_due = !self.is_slow || self.n_states.is_multiple_of(STRIDE);
        self.n_states += 1;
        is_due
    }

    /// Notes where actions have led.
    fn note_arrivals(&mut self, n_arrivals: u64, n_new: u64) {
        self.n_arrivals += n_arrivals;
        self.n_new += n_new;
    }

    /// Notes what was asked, and what was saved by it.
    fn note(&mut self, n_questions: u64, n_saved: u64) {
        self.n_questions += n_questions;
        self.n_saved += n_saved;
    }
}

/// What a whole search has been spared.
#[derive(Default)]
struct Gain {
    n_states: u64,
    n_saved: u64,
    n_arrivals: u64,
}

impl Gain {
    /// After how many states it is looked at, and it is little if less than one of how many actions was saved:
    /// reduction has to make up for the fastest search, on all threads, being out of the question. The first states may
    /// not be like the others, so more is forgiven there.
    const WHEN: [(u64, u64); 4] = [(1 << 10, 32), (1 << 12, 32), (1 << 14, 16), (1 << 16, 16)];

    fn is_little(&mut self) -> bool {
        self.n_states += 1;
        let now = Gain::WHEN.iter().find(|(when, _)| *when == self.n_states);
        now.is_some_and(|(_, one_of)| (one_of - 1) * self.n_saved < self.n_arrivals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many states of some windows are tried if each costs so many questions and saves so much.
    fn n_tried(n_windows: u32, n_questions: u64, n_saved: u64, pace: &mut Pace) -> u32 {
        let mut n_tried = 0;
        for _ in 0..n_windows * WINDOW {
            if pace.is_due() {
                n_tried += 1;
                pace.note(n_questions, n_saved);
            }
            pace.note_arrivals(1, 1);
        }
        n_tried
    }

    #[test]
    fn a_gain_is_judged_some_times() {
        // Of 32 actions, so many saved; and after so many states that is found little.
        let found_after = |n_saved: u64| {
            let mut gain = Gain::default();
            (1..=100_000_u64).find(|n_states| {
                gain.n_saved = n_states * n_saved;
                gain.n_arrivals = n_states * (32 - n_saved);
                gain.is_little()
            })
        };
        assert_eq!(found_after(0), Some(1 << 10));
        assert_eq!(found_after(1), Some(1 << 14));
        assert_eq!(found_after(2), None);
        let mut gain = Gain { n_saved: 1 << 20, ..Gain::default() };
        let late = (1..=100_000).find(|_| {
            gain.n_arrivals += 500;
            gain.is_little()
        });
        assert_eq!(late, Some(1 << 16));
    }

    #[test]
    fn what_does_not_pay_is_tried_now_and_then() {
        let few = WINDOW.div_ceil(STRIDE);
        let mut pace = Pace::default();
        assert_eq!(n_tried(10, WORTH, 1, &mut pace), 10 * WINDOW);
        assert_eq!(n_tried(1, 5, 0, &mut pace), WINDOW);
        assert_eq!(n_tried(10, 5, 0, &mut pace), 10 * few);
        // It begins to pay: that is seen at the end of a window.
        assert_eq!(n_tried(3, WORTH, 2, &mut pace), few + 2 * WINDOW);
        assert_eq!(n_tried(1, WORTH + 1, 1, &mut pace), WINDOW);
        assert_eq!(n_tried(1, WORTH + 1, 1, &mut pace), few);
    }
}
