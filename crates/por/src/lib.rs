//! Partial-order reduction: which of the actions that are enabled in a state are enough.
//!
//! A [`Reducer`] proposes subsets; whether one is taken is the search's decision, which alone knows
//! the cycles that it closes.
//!
//! Each [`Method`] has a file of its own and finds sets of moves, one after the other, about which it
//! knows only that they are stubborn. What else is demanded of a set, and which one is best, is decided
//! here, for all methods alike.
//!
//! What an assertion depends on need not be visible. A failure is the outcome of an action and is kept like any other
//! action: an action that changes what the assertion depends on conflicts with it, and the proviso of the search ensures
//! that no action is postponed for ever. Only the predicates of formulas make moves visible.

#![forbid(unsafe_code)]

mod ample;
mod candidates;
mod closure;
mod containing;
mod deletion;
mod finder;
mod goal;
mod local;
mod memory;
mod state_view;
mod weak;

use model::{Actions, Fact, Independence, Patience, Phase, PredicateId};

use ample::Ample;
use candidates::Candidates;
use closure::Closure;
use containing::Containing;
use deletion::Deletion;
use finder::Finder;
use goal::Goal;
use local::Local;
use memory::Memory;
use state_view::{StateView, Unwanted};
use weak::Weak;

/// How the subset is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All actions of one process that stands where every statement is local.
    Local,
    /// All actions of one process, if nothing that others do concerns them (Holzmann and Peled).
    Ample,
    /// A strong stubborn set, by closure.
    Stubborn,
    /// A strong stubborn set, by deletion.
    Deletion,
    /// A weak stubborn set.
    Weak,
}

impl Method {
    /// All methods, in the order of their power.
    pub const ALL: [Method; 5] =
        [Method::Local, Method::Ample, Method::Stubborn, Method::Deletion, Method::Weak];

    /// Whether everything in its sets stays enabled, whatever happens outside.
    pub fn is_strong(self) -> bool {
        self != Method::Weak
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Method::Local => "local",
            Method::Ample => "ample",
            Method::Stubborn => "stubborn",
            Method::Deletion => "deletion",
            Method::Weak => "weak",
        }
    }
}

/// What the reduced state space has in common with the full one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preserves {
    /// The states in which nothing is enabled.
    Deadlocks,
    /// These, and every action that can be executed, with everything that it depends on.
    FiniteRuns,
    /// The infinite runs, up to repetitions of what the watched predicates show.
    InfiniteRuns,
    /// The weakly fair ones among them.
    FairRuns,
    /// The tree of all runs, up to repetitions of what the watched predicates show: what formulas of branching
    /// time without X say. Only for actions with one outcome.
    Branching,
    /// A part of each terminal component, and there, as in the whole, every action that can be executed: provided that
    /// the search adds what a terminal component never follows ([`Reducer::containing`]). Only for actions with one outcome,
    /// and for strong sets ([`Method::is_strong`]).
    Terminal,
    /// Whether a state can be reached in which the predicate holds that does not hold, or fails that holds, and a
    /// shortest way there.
    Goal(PredicateId),
}

/// What a search is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// How.
    pub method: Method,
    /// To which end.
    pub preserves: Preserves,
    /// The predicates on which the property depends.
    pub watched: Vec<PredicateId>,
}

/// How much work to spend on a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Only what one process can do is considered.
    Quick,
    /// What the method finds.
    Thorough,
}

/// How far a state was looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// Nothing was asked yet.
    Untouched,
    /// There may be more sets than were found.
    Open,
    /// All sets were found.
    Complete,
}

/// A finder and what it has found in the state looked at.
struct Source {
    finder: Box<dyn Finder>,
    candidates: Candidates,
    progress: Progress,
    /// What this followed from, beyond the situation.
    facts: Vec<(Fact, bool)>,
    memory: Memory,
}

impl Source {
    fn new(finder: Box<dyn Finder>) -> Source {
        let (candidates, facts, memory) = Default::default();
        Source { finder, candidates, progress: Progress::Untouched, facts, memory }
    }
}

/// Finds subsets of the enabled actions that are enough.
pub struct Reducer<'m> {
    preserves: Preserves,
    /// Absent if the method itself is quick.
    quick: Option<Source>,
    thorough: Source,
    containing: Containing,
    view: StateView<'m>,
    /// The state looked at: nothing is asked about it before there is something to choose.
    state: Vec<u64>,
    /// Whether there is anything to choose from.
    is_hopeful: bool,
    /// Whether the view is that of the state looked at.
    is_set: bool,
    /// The situation of the state looked at and what is asked for in it; empty if there is no telling.
    key: Vec<u32>,
    is_glanced_at: bool,
    moves: Vec<u32>,
    actions: Vec<u32>,
}

impl<'m> Reducer<'m> {
    /// A reducer for a model of which `independence` knows enough.
    pub fn new(
        independence: Box<dyn Independence + 'm>,
        method: Method,
        preserves: Preserves,
    ) -> Reducer<'m> {
        let unwanted = match preserves {
            Preserves::Deadlocks | Preserves::FiniteRuns | Preserves::Terminal | Preserves::Goal(_) => {
                Unwanted::Nothing
            }
            Preserves::InfiniteRuns | Preserves::FairRuns | Preserves::Branching => Unwanted::Visible,
        };
        let is_quick = matches!(method, Method::Local | Method::Ample)
            || matches!(preserves, Preserves::FairRuns | Preserves::Goal(_));
        Reducer {
            preserves,
            quick: (!is_quick).then(|| Source::new(Box::new(Ample::default()))),
            thorough: Source::new(finder(method, preserves)),
            containing: Containing::default(),
            view: StateView::new(independence, unwanted),
            state: Vec::new(),
            is_hopeful: false,
            is_set: false,
            key: Vec::new(),
            is_glanced_at: false,
            moves: Vec::new(),
            actions: Vec::new(),
        }
    }

    /// Lets it look for subsets only as long as there is patience: then nothing but everything is enough.
    pub fn limit(&mut self, patience: Patience) {
        self.view.limit.patience = patience;
        self.view.limit.is_set = true;
    }

    /// Lets something be found again that was found within the limit: it takes no longer than then.
    pub fn without_limit<T>(&mut self, find: impl FnOnce(&mut Self) -> T) -> T {
        let is_over = std::mem::replace(&mut self.view.limit.is_over, false);
        let is_set = std::mem::replace(&mut self.view.limit.is_set, false);
        let found = find(self);
        (self.view.limit.is_over, self.view.limit.is_set) = (is_over, is_set);
        found
    }

    /// Whether there is a quicker way than the method's own.
    pub fn has_quick(&self) -> bool {
        self.quick.is_some()
    }

    /// Turns to a state in which `enabled` is enabled. The work is left to [`Reducer::choose`].
    pub fn look(&mut self, state: &[u64], enabled: &Actions) {
        // What is enabled only because nothing else is must not be reduced.
        self.is_hopeful = enabled.phase == Phase::Normal && enabled.list.len() >= self.least();
        self.is_set = false;
        self.is_glanced_at = false;
        if self.is_hopeful {
            self.state.clear();
            self.state.extend_from_slice(state);
        }
    }

    /// Replaces `chosen` by the `k`-th best subset of what is enabled in the state looked at, in the
    /// same order, unless a goal is looked for: then what leads there comes first. Says false if there is none: then
    /// only everything is enough, and `chosen` stays as it was. The same state, effort and `k` give the same answer.
    pub fn choose(&mut self, effort: Effort, k: usize, enabled: &Actions, chosen: &mut Actions) -> bool {
        if !self.is_hopeful || (effort == Effort::Quick && self.quick.is_none()) {
            return false;
        }
        let remembers = self.source(effort).memory.is_useful() && self.glance(k, enabled);
        if remembers {
            let mut n_facts = 0;
            let Reducer { quick, thorough, view, key, .. } = self;
            let memory = &mut pick(quick, thorough, effort).memory;
            let known = memory.recall(key, &*view.independence, &mut n_facts);
            // A fact takes less time than a question about a move.
            view.n_questions += n_facts / 4 + u64::from(known.is_some());
            if let Some(known) = known {
                known.inspect(|actions| take(actions, enabled, chosen));
                return known.is_some();
            }
        }
        self.set(enabled);
        self.search(effort, k, enabled.list.len());
        if self.view.limit.is_over {
            return false;
        }
        let Source { candidates, facts, memory, .. } = pick(&mut self.quick, &mut self.thorough, effort);
        let found = candidates.get(k);
        if remembers {
            memory.learn(&self.key, facts, found);
        }
        found.inspect(|actions| take(actions, enabled, chosen));
        found.is_some()
    }

    /// Looks for sets until the `k`-th best is known.
    fn search(&mut self, effort: Effort, k: usize, n_enabled: usize) {
        let Reducer { quick, thorough, view, .. } = self;
        let source = pick(quick, thorough, effort);
        if source.progress == Progress::Untouched {
            view.independence.take_facts(&mut source.facts);
            source.facts.clear();
            source.finder.begin(view);
            source.candidates.clear();
            source.progress = Progress::Open;
        }
        while self.source(effort).progress == Progress::Open
            && self.source(effort).candidates.get(k).is_none()
        {
            self.find(effort, n_enabled);
        }
        let source = pick(&mut self.quick, &mut self.thorough, effort);
        self.view.independence.take_facts(&mut source.facts);
    }

    /// Makes the key to what is asked for. Says whether there is one.
    fn glance(&mut self, k: usize, enabled: &Actions) -> bool {
        if !self.is_glanced_at {
            self.is_glanced_at = true;
            self.key.clear();
            if let Some(situation) = self.view.independence.glance(&self.state, enabled) {
                self.key.extend_from_slice(situation);
                self.key.push(0);
            }
        }
        self.key.last_mut().map(|asked| *asked = k as u32).is_some()
    }

    /// Replaces `chosen` by a subset, maybe everything, in which one of the enabled actions of the state looked at
    /// is. What is chosen there together with it is a stubborn set, too.
    pub fn containing(&mut self, action: usize, enabled: &Actions, chosen: &mut Actions) {
        if !self.is_hopeful {
            let everything: Vec<u32> = (0..enabled.list.len() as u32).collect();
            return take(&everything, enabled, chosen);
        }
        self.set(enabled);
        let Reducer { containing, view, moves, actions, .. } = self;
        containing.begin(view);
        containing.close(view, &view.parts(action as u32), moves);
        // Nothing of this is remembered.
        view.independence.take_facts(&mut Vec::new());
        actions.clear();
        match view.limit.is_over {
            true => actions.extend(0..enabled.list.len() as u32),
            false => view.actions_of(moves, actions),
        }
        take(actions, enabled, chosen);
    }

    /// Sets the view, unless it is set.
    fn set(&mut self, enabled: &Actions) {
        if !self.is_set {
            self.view.independence.look(&self.state, enabled);
            self.view.turn(enabled.list.len());
            self.is_set = true;
            let sources = self.quick.iter_mut().chain([&mut self.thorough]);
            sources.for_each(|source| source.progress = Progress::Untouched);
        }
    }

    /// So many actions must be enabled for some to be left out. Only from a goal can it be known that nothing
    /// leads there.
    pub fn least(&self) -> usize {
        if matches!(self.preserves, Preserves::Goal(_)) { 1 } else { 2 }
    }

    /// How many questions about moves were asked so far: what the work consists of.
    pub fn n_questions(&self) -> u64 {
        self.view.n_questions
    }

    fn source(&mut self, effort: Effort) -> &mut Source {
        pick(&mut self.quick, &mut self.thorough, effort)
    }

    /// Lets the method find one more set of moves.
    fn find(&mut self, effort: Effort, n_enabled: usize) {
        let Reducer { quick, thorough, view, moves, .. } = self;
        let source = pick(quick, thorough, effort);
        if !source.finder.next(view, moves) {
            source.candidates.settle();
            source.progress = Progress::Complete;
            return;
        }
        if self.moves.iter().any(|&number| self.view.is_unwanted(number)) {
            return;
        }
        self.actions.clear();
        if let Preserves::Goal(_) = self.preserves {
            // What leads to the goal comes first.
            for &number in &self.moves {
                let new = self.view.actions(number).filter(|action| !self.actions.contains(action));
                let new: Vec<u32> = new.collect();
                self.actions.extend(new);
            }
        } else {
            self.view.actions_of(&self.moves, &mut self.actions);
        }
        // Towards a goal, even everything has an order that is worth something.
        let is_useful = match self.preserves {
            Preserves::Goal(_) => true,
            Preserves::Branching => self.actions.len() == 1 && n_enabled > 1,
            _ => self.actions.len() < n_enabled,
        };
        if is_useful && (self.preserves != Preserves::FairRuns || self.is_private()) {
            let groups = self.moves.iter().map(|&number| self.view.moves[number as usize].group);
            let group = groups.max().unwrap_or(0);
            let Reducer { quick, thorough, actions, .. } = self;
            let source = pick(quick, thorough, effort);
            source.candidates.add(source.finder.order(), group, actions);
        }
    }

    /// Whether no side of any of the actions concerns other processes.
    fn is_private(&mut self) -> bool {
        let Reducer { view, actions, .. } = self;
        actions
            .iter()
            .all(|&action| view.parts(action).into_iter().all(|part| view.independence.is_private(part)))
    }
}

/// Replaces `chosen` by some of the enabled actions.
fn take(actions: &[u32], enabled: &Actions, chosen: &mut Actions) {
    chosen.clear();
    chosen.phase = enabled.phase;
    chosen.list.extend(actions.iter().map(|&action| enabled.list[action as usize]));
}

fn pick<'s>(quick: &'s mut Option<Source>, thorough: &'s mut Source, effort: Effort) -> &'s mut Source {
    match (effort, quick) {
        (Effort::Quick, Some(quick)) => quick,
        _ => thorough,
    }
}

/// The finder for a method.
///
/// Under fairness a set must consist of what one process can do, whatever the method, because a step
/// must not decide how long others have been enabled. A group that is local is ample as well.
fn finder(method: Method, preserves: Preserves) -> Box<dyn Finder> {
    match (method, preserves) {
        (_, Preserves::Goal(goal)) => Box::new(Goal::new(goal)),
        (Method::Local, _) => Box::new(Local::default()),
        (_, Preserves::FairRuns) | (Method::Ample, _) => Box::new(Ample::default()),
        (Method::Stubborn, _) => Box::new(Closure::default()),
        (Method::Deletion, _) => Box::new(Deletion::default()),
        (Method::Weak, _) => Box::new(Weak::default()),
    }
}
