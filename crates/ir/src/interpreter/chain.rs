//! From single steps to actions: atomic chains.
//!
//! After a step inside an atomic chain only the process that holds atomicity may move, and the state
//! is not observable. If that process cannot move, atomicity is given up and the state is. A chain
//! may branch; all its ends are outcomes of the action, in depth-first order, the same end as often
//! as it is reached.
//!
//! A chain that comes back to a state that it has already passed would go on for ever. If it can be
//! left on another branch the repetition is cut off there, and told as an outcome of its own to those
//! who ask for infinite runs; if not, it is a failure.
//!
//! A failed assertion does not end its path. It is an outcome of its own, beside the states to which the path leads: a
//! chain with a failed assertion and two ends has three outcomes. With this rule the number of errors agrees with Spin's.

use std::collections::hash_map::Entry;

use model::{
    Action, Failure, FailureKind, Location, Outcome, OutcomeKind, Patience, Phase, Step, Successors,
};
use rustc_hash::FxHashMap;

use super::apply::LoopWatch;

/// The number of branches of one action after which those that have been entered are not entered
/// again. Models with exponentially many ways through a chain need it; up to here the number of
/// outcomes is that of the ways.
const REMEMBER_AFTER: usize = 4096;

/// Does single steps: the interpreter, or something that does them as the interpreter does.
pub trait Stepper {
    /// Appends the steps that a process can take.
    fn moves(&self, state: &[u64], process: u16, out: &mut Vec<Action>);

    /// Executes a step in place. Returns the process that holds atomicity afterwards. Failures behind
    /// which the run goes on are added to `failures`.
    ///
    /// # Errors
    /// Why the run does not go on; the state is then meaningless.
    fn step(
        &self,
        state: &mut Vec<u64>,
        action: &Action,
        phase: Phase,
        patience: Option<&Patience>,
        failures: &mut Vec<Failure>,
    ) -> Result<Option<u16>, Stop>;

    /// The place of a transition in the text.
    fn source(&self, transition: u32) -> Location;
}

/// Why a run does not go on behind a step.
pub enum Stop {
    /// Something went wrong.
    Failed(Failure),
    /// It took too long.
    Abandoned,
}

/// An action that is being executed, with everything in the chain behind its first step.
pub struct Chain<'a, S> {
    stepper: &'a S,
    index: u32,
    out: &'a mut Successors,
    /// The steps from the start to here, if they are recorded.
    steps: Vec<Step>,
    failures: Vec<Failure>,
    /// The states with a choice on the way to here.
    branches: Vec<Branch>,
    /// What is known of every branch entered so far, by its number.
    fates: Vec<Fate>,
    /// The ends reached so far: states, and failures behind which the path does not go on.
    n_ends: usize,
    /// Whether it has been told that the chain can go round in circles.
    has_diverged: bool,
    /// The branches entered so far by state and holder, once there are many.
    seen: FxHashMap<(Vec<u64>, u16), usize>,
}

/// Whether the chain can be left behind a branch.
#[derive(Clone, Copy)]
enum Fate {
    /// Not known yet: the branch is on the way to here.
    Open,
    /// It can.
    Leaves,
    /// It cannot, which has been reported.
    Trapped,
    /// As behind another branch, to which a path leads back.
    SameAs(usize),
}

/// A state inside the chain with a choice of steps.
struct Branch {
    number: usize,
    words: Vec<u64>,
    holder: u16,
    moves: Vec<Action>,
    /// The first of the moves that is not done yet.
    next: usize,
    n_steps: usize,
    /// The number of ends reached when it was entered.
    n_ends: usize,
    /// The outermost branch on the way to here to which a path leads back from here, by its position
    /// in [`Chain::branches`].
    back_to: Option<usize>,
    /// True if a path leads to a branch behind which the chain can be left.
    leaves: bool,
}

impl<'a, S: Stepper> Chain<'a, S> {
    /// Of the action with the given position among those that are fired.
    pub fn new(stepper: &'a S, index: u32, out: &'a mut Successors) -> Chain<'a, S> {
        Chain {
            stepper,
            index,
            out,
            steps: Vec::new(),
            failures: Vec::new(),
            branches: Vec::new(),
            fates: Vec::new(),
            n_ends: 0,
            has_diverged: false,
            seen: FxHashMap::default(),
        }
    }

    /// Executes an action and everything in the chain behind it.
    pub fn fire(mut self, state: &[u64], action: &Action, phase: Phase) {
        let mut words = std::mem::take(&mut self.out.scratch.words);
        words.clear();
        words.extend_from_slice(state);
        let holder = self.step(&mut words, action, phase);
        self.explore(words, holder);
    }

    /// Goes on in the middle of a chain: a process holds atomicity in the state that lies in the buffer's
    /// [`model::Scratch::words`]. Nothing is known of the steps that lead there, so this is not for runs
    /// that are recorded.
    pub fn resume(self, holder: u16) {
        let words = std::mem::take(&mut self.out.scratch.words);
        self.explore(words, Some(holder));
    }

    fn explore(mut self, mut words: Vec<u64>, mut holder: Option<u16>) {
        loop {
            if let Some(pid) = holder {
                self.follow(&mut words, pid);
            }
            if self.out.abandoned {
                break;
            }
            match self.next_branch(&mut words) {
                Some(action) => holder = self.step(&mut words, &action, Phase::Normal),
                None => break,
            }
        }
        self.out.scratch.words = words;
    }

    /// Goes back to the last state with a choice of which a step is still to be done.
    fn next_branch(&mut self, words: &mut Vec<u64>) -> Option<Action> {
        loop {
            let branch = self.branches.last_mut()?;
            if let Some(&action) = branch.moves.get(branch.next) {
                branch.next += 1;
                words.clone_from(&branch.words);
                self.steps.truncate(branch.n_steps);
                return Some(action);
            }
            self.leave();
        }
    }

    /// Goes on as long as there is no choice. Allocates nothing if there is none.
    fn follow(&mut self, words: &mut Vec<u64>, holder: u16) {
        let mut moves = std::mem::take(&mut self.out.scratch.actions);
        let mut watch = LoopWatch::with_memory(std::mem::take(&mut self.out.scratch.other));
        if let Some(holder) = self.follow_to_choice(words, holder, &mut moves, &mut watch) {
            self.branch(words.clone(), holder, moves.clone());
        }
        self.out.scratch.actions = moves;
        self.out.scratch.other = watch.into_memory();
    }

    /// Goes on to the next state with a choice, whose moves are then in `moves`. Returns who has it; none
    /// if the chain ends before.
    fn follow_to_choice(
        &mut self,
        words: &mut Vec<u64>,
        mut holder: u16,
        moves: &mut Vec<Action>,
        watch: &mut LoopWatch,
    ) -> Option<u16> {
        loop {
            moves.clear();
            self.stepper.moves(words, holder, moves);
            let action = match moves.as_slice() {
                [] => {
                    self.give_up(words);
                    return None;
                }
                [action] => *action,
                _ => return Some(holder),
            };
            holder = self.step(words, &action, Phase::Normal)?;
            if watch.is_time_to_look() && self.is_over() {
                self.out.abandoned = true;
                return None;
            }
            if watch.repeats(words, u32::from(holder)) {
                self.fail(endless(self.stepper.source(action.actor.transition)));
                return None;
            }
        }
    }

    /// Enters a state with a choice, unless the chain has been there.
    fn branch(&mut self, words: Vec<u64>, holder: u16, moves: Vec<Action>) {
        let number = self.fates.len();
        if number.is_multiple_of(256) && self.is_over() {
            self.out.abandoned = true;
            return;
        }
        let known = if number < REMEMBER_AFTER {
            let same = |earlier: &&Branch| earlier.holder == holder && earlier.words == words;
            self.branches.iter().rev().find(same).map(|earlier| earlier.number)
        } else {
            self.remember(&words, holder, number)
        };
        if let Some(known) = known {
            self.arrive_again(known);
            return;
        }
        self.fates.push(Fate::Open);
        let (n_steps, n_ends) = (self.steps.len(), self.n_ends);
        self.branches.push(Branch {
            number,
            words,
            holder,
            moves,
            next: 0,
            n_steps,
            n_ends,
            back_to: None,
            leaves: false,
        });
    }

    /// The branch that has been entered in this state; if there is none, `number` will be.
    fn remember(&mut self, words: &[u64], holder: u16, number: usize) -> Option<usize> {
        if self.seen.is_empty() {
            let open = self.branches.iter().map(|open| ((open.words.clone(), open.holder), open.number));
            self.seen.extend(open);
        }
        match self.seen.entry((words.to_vec(), holder)) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(new) => {
                new.insert(number);
                None
            }
        }
    }

    /// A path leads from the innermost branch to one that has been entered before.
    fn arrive_again(&mut self, mut known: usize) {
        while let Fate::SameAs(other) = self.fates[known] {
            known = other;
        }
        match self.fates[known] {
            Fate::Open => {
                let earlier = self.branches.partition_point(|branch| branch.number < known);
                self.leads_back_to(earlier);
                self.diverge(earlier);
            }
            Fate::Leaves => {
                if let Some(branch) = self.branches.last_mut() {
                    branch.leaves = true;
                }
            }
            Fate::Trapped | Fate::SameAs(_) => {}
        }
    }

    /// Tells that the chain can go round in circles, back to an earlier branch.
    fn diverge(&mut self, earlier: usize) {
        if self.out.divergence && !self.has_diverged {
            self.has_diverged = true;
            self.record(OutcomeKind::Diverges(self.branches[earlier].n_steps as u32));
        }
    }

    /// Whether the search has lost its patience.
    fn is_over(&self) -> bool {
        let length = self.branches.last().map_or(0, |branch| branch.words.len());
        let words = self.out.words.len() + (self.branches.len() + self.seen.len()) * length;
        self.out.is_too_full() || self.out.patience.as_ref().is_some_and(|patience| patience.is_over(words))
    }

    /// Notes that a path leads from the innermost branch back to an earlier one.
    fn leads_back_to(&mut self, earlier: usize) {
        if let Some(branch) = self.branches.last_mut() {
            branch.back_to = Some(branch.back_to.map_or(earlier, |known| known.min(earlier)));
        }
    }

    /// All steps of the innermost branch are done.
    fn leave(&mut self) {
        let Some(branch) = self.branches.pop() else { return };
        let leaves = branch.leaves || self.n_ends > branch.n_ends;
        if let Some(outer) = self.branches.last_mut() {
            outer.leaves |= leaves;
        }
        self.fates[branch.number] = match branch.back_to {
            // Whether the loop can be left shows at the outermost branch on it.
            Some(earlier) if earlier < self.branches.len() => {
                self.leads_back_to(earlier);
                Fate::SameAs(self.branches[earlier].number)
            }
            _ if leaves => Fate::Leaves,
            back_to => {
                if back_to.is_some() {
                    self.steps.truncate(branch.n_steps);
                    self.fail(endless(self.stepper.source(branch.moves[0].actor.transition)));
                }
                Fate::Trapped
            }
        };
    }

    /// Does one step. If the chain ends with it, the outcome is recorded and there is no holder.
    fn step(&mut self, words: &mut Vec<u64>, action: &Action, phase: Phase) -> Option<u16> {
        self.out.note_executed(action);
        let mut failures = std::mem::take(&mut self.failures);
        let patience = self.out.patience.as_ref();
        let result = self.stepper.step(words, action, phase, patience, &mut failures);
        if self.out.record {
            let observable = !matches!(result, Ok(Some(_)));
            self.steps.push(Step { action: *action, observable, phase });
        }
        for failure in failures.drain(..) {
            self.fail(failure);
        }
        self.failures = failures;
        match result {
            Ok(None) => {
                self.reach(words);
                None
            }
            Ok(holder) => holder,
            Err(Stop::Abandoned) => {
                self.out.abandoned = true;
                None
            }
            Err(Stop::Failed(failure)) => {
                self.n_ends += 1;
                self.fail(failure);
                None
            }
        }
    }

    /// The holder cannot move: the state behind the last step is observable after all.
    fn give_up(&mut self, words: &[u64]) {
        if let Some(last) = self.steps.last_mut() {
            last.observable = true;
        }
        self.reach(words);
    }

    fn reach(&mut self, words: &[u64]) {
        self.n_ends += 1;
        let start = self.out.words.len() as u32;
        self.out.words.extend_from_slice(words);
        self.record(OutcomeKind::State(start..self.out.words.len() as u32));
    }

    fn fail(&mut self, failure: Failure) {
        self.record(OutcomeKind::Failed(Box::new(failure)));
    }

    fn record(&mut self, kind: OutcomeKind) {
        let start = self.out.steps.len() as u32;
        self.out.steps.extend_from_slice(&self.steps);
        self.out.outcomes.push(Outcome {
            action: self.index,
            kind,
            steps: start..self.out.steps.len() as u32,
        });
    }
}

fn endless(location: Location) -> Failure {
    let detail = "this atomic sequence never ends".to_string();
    Failure { kind: FailureKind::EndlessLoop, location, detail }
}
