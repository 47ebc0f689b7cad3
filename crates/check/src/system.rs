//! What somebody wrote. A [`Model`] is what is explored of it.

use std::sync::{Arc, OnceLock};

use model::{BitSet, Failure, Lift, Model, Patience, Play, PredicateId, Trace};
use search::Cut;

use crate::answer::{Unreached, Why};
use crate::options::Engine;
use crate::soundness::Setting;

/// A system about which questions are asked.
///
/// A predicate has one number in the system, once and for ever: a staged model, the original that is played, and all
/// questions mean the same by it.
pub trait System: Send + Sync {
    /// What the table of what is sound asks about.
    fn facts(&self) -> &Facts;

    /// Whether a predicate may have no value in some state.
    fn may_fail(&self, _predicate: PredicateId) -> bool {
        false
    }

    /// What executes the system, if the user wants this and the process may take so many bytes.
    fn engine(&self, wanted: Engine, memory: Option<u64>) -> Engine;

    /// A model to be explored.
    ///
    /// # Errors
    /// If it cannot be made, or not in time.
    fn stage(&self, need: &StageNeed, patience: &Patience) -> Result<Stage, Undecided>;

    /// A model with more room, if something that was guessed for this one has turned out to be too small: the search has
    /// to be done again.
    ///
    /// # Errors
    /// If there is no more room, or no time.
    fn wider(&self, _stage: &Stage, _patience: &Patience) -> Result<Option<Stage>, Undecided> {
        Ok(None)
    }

    /// A number that a predicate is proven not to exceed.
    fn at_most(&self, _stage: &Stage, _predicate: PredicateId) -> Option<i64> {
        None
    }

    /// A run that lets a predicate grow for ever, if one is found with some effort.
    fn growth(&self, _predicate: PredicateId, _effort: u64, _patience: &Patience) -> Option<Growth> {
        None
    }

    /// What of the original was never executed, if these transitions were.
    fn unreached(&self, _executed: &BitSet) -> Vec<Unreached> {
        Vec::new()
    }

    /// A run of the original, by its definition.
    ///
    /// # Errors
    /// If its initial state cannot be computed.
    fn play(&self) -> Result<Box<dyn Play + '_>, Failure>;
}

/// What is known of a system.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The facts that the table of what is sound knows.
    pub values: Setting,
    /// What is true besides of a smaller system that may be explored instead, if there is one.
    pub compressed: Option<Setting>,
    /// The predicate that says that nothing can happen, if it has a number.
    pub deadlock: Option<PredicateId>,
    /// A predicate that grows for ever if anything does.
    pub size: Option<PredicateId>,
    /// The number of actions.
    pub n_actions: usize,
    /// Whether it is known of single actors if they have ended.
    pub has_ends: bool,
    /// Whether only those infinite runs count that are fair to some actions, as the system itself demands.
    pub has_fair_actions: bool,
    /// What pays for systems of this kind.
    pub habits: Habits,
}

/// What pays for systems of a kind, and what their users expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habits {
    /// Whether to find out by trial if reduction saves more than it costs.
    pub tries_reduction: bool,
    /// Whether one exploration is shared by all questions that need no more than to visit the states.
    pub shares_exploration: bool,
    /// Whether a run that violates safety is made shorter, once it is found.
    pub shortens: bool,
    /// Whether random walks are made beside an exploration that turns out to be long.
    pub probes: bool,
    /// Whether an option that does not suit one of many questions is passed over for this one, with a remark; else it is
    /// refused.
    pub passes_over: bool,
}

impl Default for Habits {
    fn default() -> Habits {
        Habits {
            tries_reduction: true,
            shares_exploration: true,
            shortens: true,
            probes: true,
            passes_over: false,
        }
    }
}

/// What a model is needed for.
#[derive(Clone)]
pub struct StageNeed {
    /// Whether it may be a smaller system, of which [`Facts::compressed`] is true.
    pub compressed: bool,
    /// How much of it is explored.
    pub purpose: Purpose,
    /// What is to execute it.
    pub engine: Engine,
    /// What executes it until there is something better; nothing, if an answer is expected to take long.
    pub before: Option<Arc<dyn Model>>,
    /// The bytes that the process may take.
    pub memory: Option<u64>,
    /// Whether all cores are busy with searching.
    pub fills_cores: bool,
}

/// How much of a model is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Everything.
    Everything,
    /// What is chosen in each state.
    Chosen,
}

/// A model, and the way back from it.
#[derive(Clone)]
pub struct Stage {
    /// The model.
    pub model: Arc<dyn Model>,
    /// What was done to the original, in order: a run of the model is a run of the original when each, from the last to
    /// the first, has lifted it.
    pub lifts: Vec<Arc<dyn Lift>>,
    /// Whether statements are merged and dead variables reset in it.
    pub is_compressed: bool,
    /// How states of the model are cut to be stored, once it is known.
    pub cut: Arc<OnceLock<Cut>>,
}

/// A run that can grow for ever.
#[derive(Clone, Debug)]
pub struct Growth {
    /// It. Its loop leads to a state that is greater than the one in which it starts.
    pub run: Trace,
    /// What happens in it, in words of the system.
    pub description: String,
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The reason.
    pub why: Why,
    /// What more there is to say, in words of the system.
    pub detail: Option<String>,
}

impl<T: Into<Why>> From<T> for Undecided {
    fn from(why: T) -> Undecided {
        Undecided { why: why.into(), detail: None }
    }
}
