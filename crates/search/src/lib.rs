//! Searches through the states of a model.
//!
//! [`run`] explores a [`Model`] for what finite runs can show, [`find_cycle`] for infinite runs that
//! are forbidden; both come back with a [`Verdict`]. [`watch()`] answers several questions about all states at
//! once, [`check_ctl`] and [`home`] questions of branching time (`branching`).
//!
//! Generating and storing states is written once, in `kernel`. For finite runs (`safety`) the algorithms
//! `dfs`, `bfs`, `layers`, `reach` and `guided` are drivers that decide the order; they store the same states
//! and count the same arrivals. `walk` does without a store. The algorithms for infinite runs are in
//! `liveness`. Where reduction is asked for, `kernel::choice` says what to fire in a state, and `kernel::proviso`
//! whether that is enough.
//!
//! This crate does not know Promela, prints nothing and reads no environment.
//!
//! **What does not depend on threads.** An exploration that leaves nothing out and is complete counts the same states,
//! transitions and errors on any number of threads, with any engine and any store that keeps the states. `layers` only
//! decides whether and at which level there is a violation; `bfs` on one thread then finds the run, so the run is always
//! the same. `reach` promises a run, but not which one. Random numbers follow from a seed, and reduction is paced by
//! counts. The clock matters only where a limit of time ends a search or cuts a sample short; a sample only decides how
//! states are compressed.

#![forbid(unsafe_code)]

mod branching;
mod budget;
mod kernel;
mod liveness;
mod lot;
mod progress;
#[cfg(test)]
mod reduced_tests;
mod safety;
mod sample;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod toy;
#[cfg(test)]
mod toy_processes;
mod verdict;
mod visited;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use model::Model;

pub use branching::{
    Deadlocks, Decided, Graph, Halt, Space, Transitions, check_ctl, find_deadlock, home, is_live,
    is_quasi_live, is_reversible, nobody_is_stuck, recurs, transitions,
};
pub use budget::{Limits, process_exceeds};
pub use liveness::{Cycles, Emptiness, Flags, Forbidden, find_cycle};
pub use model::Fairness;
pub use por::{Method, Preserves, Reduction};
pub use progress::{Progress, Sample};
pub use safety::watch::{Answer, Watch, Watched, watch};
pub use store::{Cut, resident, return_large};
pub use verdict::{Evidence, Findings, Reason, Statistics, StopReason, Verdict, Violation};

/// The order in which states are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Depth-first.
    #[default]
    Depth,
    /// Breadth-first: the first violation found has a shortest trace, unless the search is reduced.
    Breadth,
    /// Whatever is fastest, with several threads; depth-first if the depth is limited.
    Any,
    /// What seems nearest to what is watched comes first.
    Guided,
    /// At random, and without a store: nothing is ever known to be unreachable.
    Walk,
}

/// Where the states are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Store {
    /// Compressed in the way that suits the search best.
    #[default]
    Compressed,
    /// Compressed, in a binary tree.
    Tree,
    /// As they are.
    Table,
    /// Not at all, only 64 bits of a hash of each: the search may take a new state for an old one.
    HashCompact,
    /// Not at all, only a few bits set in a table of this many bytes: the search may take a new state for
    /// an old one, the more so the fuller the table.
    Bitstate(u64),
}

/// What counts as a violation. Runtime errors always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checks {
    /// Whether a failed assertion does.
    pub assertions: bool,
    /// Whether a state in which a process is stuck does, and under which name.
    pub stuck: Option<Reason>,
}

impl Checks {
    /// Assertions and invalid end states.
    pub const SAFETY: Checks = Checks { assertions: true, stuck: Some(Reason::InvalidEndState) };
    /// Deadlocks alone.
    pub const DEADLOCK: Checks = Checks { assertions: false, stuck: Some(Reason::Deadlock) };
    /// Nothing: the states are only counted.
    pub const NONE: Checks = Checks { assertions: false, stuck: None };
}

/// What to do, and how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// The order of the search.
    pub order: Order,
    /// What counts as a violation.
    pub checks: Checks,
    /// Stop after this many violations; without it, none stops the search.
    pub stop_after: Option<u64>,
    /// How to explore less than everything, if at all. If the model cannot say enough about the
    /// independence of its actions ([`Model::independence`]), everything is explored.
    pub reduction: Option<Reduction>,
    /// How many threads to use, where the order allows for several.
    pub threads: usize,
    /// Where the states are kept.
    pub store: Store,
    /// Whether to look for what can be left out in every state, even where that does not pay.
    pub patient: bool,
    /// Whether to stop, with [`StopReason::LittleSaved`], when it shows early that reduction leaves little out.
    pub trial: bool,
    /// Whether random walks are made beside an exploration that turns out to be long: they find many errors sooner.
    pub probes: bool,
    /// Where the random numbers of walks begin.
    pub seed: u64,
    /// The limits.
    pub limits: Limits,
    /// Set from outside to end the search.
    pub interrupt: Arc<AtomicBool>,
    /// Where the search says how far it is.
    pub progress: Arc<Progress>,
    /// How the states are cut to be stored. The first search finds it out, for all searches of the same model.
    pub cut: Arc<OnceLock<Cut>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            order: Order::default(),
            checks: Checks::SAFETY,
            stop_after: Some(1),
            reduction: None,
            threads: 1,
            store: Store::default(),
            patient: false,
            trial: false,
            probes: false,
            seed: 0,
            limits: Limits::default(),
            interrupt: Arc::default(),
            progress: Arc::default(),
            cut: Arc::default(),
        }
    }
}

/// Whether a search with these options is one whose threads share a store ([`Options::store`]). Others
/// number their states, and have a store for that.
pub fn is_shared(options: &Options) -> bool {
    match options.order {
        Order::Any => options.limits.depth == u64::MAX,
        Order::Breadth => safety::layers::suits(options),
        Order::Depth | Order::Guided | Order::Walk => false,
    }
}

/// Explores a model.
pub fn run(model: &dyn Model, options: &Options) -> Findings {
    drive(model, options, None)
}

fn drive(model: &dyn Model, options: &Options, watching: Option<&safety::watch::Watching>) -> Findings {
    options.progress.reset();
    match options.order {
        Order::Depth if options.probes && options.threads > 1 => {
            safety::probe::on_thread(model, options, watching, safety::dfs::explore)
        }
        // In another order a state may be found on a long way first.
        Order::Any if options.limits.depth < u64::MAX => safety::dfs::search(model, options, watching),
        Order::Depth => safety::dfs::search(model, options, watching),
        Order::Breadth if watching.is_none() && safety::layers::suits(options) => {
            safety::layers::search(model, options)
        }
        Order::Breadth => safety::bfs::search(model, options, watching),
        Order::Any => safety::reach::search(model, options, watching),
        Order::Guided => safety::guided::search(model, options, watching),
        Order::Walk => safety::walk::search(model, options, watching),
    }
}
