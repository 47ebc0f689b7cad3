//! One exploration, if it is known how; otherwise up to three attempts.
//!
//! Whether reduction pays shows only when it is tried. So unless the user has said how to search, there are up
//! to three attempts:
//!
//! 1. with reduction, which ends early if it leaves little out;
//! 2. then without it, by the fastest search, on all threads, up to [`MANY_STATES`];
//! 3. if these or the memory were not enough, with reduction for good.
//!
//! A violation that was found on a long way is then looked for on a shorter one ([`shorten`]).

use std::time::Duration;

use model::Model;
use por::Reduction;
use search::{Limits, Order, Statistics, StopReason, Verdict, Violation};

use crate::engines::{Allowance, Context};
use crate::options::Options;
use crate::prefer::{self, Por};
use crate::system::{Purpose, Stage, Undecided};

/// A trace of so many steps is short enough.
const SHORT: usize = 8;

/// Without reduction, so many states are searched before it is tried again.
const MANY_STATES: u64 = 20_000_000;

/// One of the attempts.
pub(crate) trait Attempted {
    /// Why it has ended before its time, if it has.
    fn stop(&self) -> Option<StopReason>;

    /// What it has counted.
    fn statistics(&mut self) -> &mut Statistics;
}

/// How an attempt differs from others for the same questions.
#[derive(Clone, Copy)]
pub(crate) struct Try<'a> {
    /// What is left out, if anything.
    pub reduction: Option<&'a Reduction>,
    /// Whether it ends early if reduction leaves little out.
    pub is_trial: bool,
    /// Whether there was another attempt before.
    pub is_later: bool,
}

impl Try<'_> {
    /// Where the random numbers of an attempt begin: each attempt has other walks beside it.
    pub fn seed(&self, options: &Options) -> u64 {
        options.seed.unwrap_or(0).wrapping_add(u64::from(self.is_later))
    }
}

/// Attempts until there is an answer, or a limit is reached.
pub(crate) fn tried<A: Attempted>(
    context: &Context<'_>,
    (reduction, compressed): (Option<&Reduction>, bool),
    allowance: &Allowance,
    attempt: impl Fn(Stage, Try<'_>, &Allowance) -> Result<A, Undecided>,
) -> Result<A, Undecided> {
    let options = context.options;
    let purpose = if reduction.is_none() { Purpose::Everything } else { Purpose::Chosen };
    let stage = context.stage(purpose, compressed, None, allowance)?;
    let is_trial = reduction.is_some()
        && context.system.facts().habits.tries_reduction
        && options.por == Por::Best
        && options.order().is_none()
        && prefer::order(options, false) == Order::Any;
    let mut first = attempt(stage.clone(), Try { reduction, is_trial, is_later: false }, allowance)?;
    if first.stop() != Some(StopReason::LittleSaved) {
        return Ok(first);
    }
    let mut spent = first.statistics().seconds;
    let complete = context.stage(Purpose::Everything, compressed, Some(stage.model.clone()), allowance)?;
    let most = allowance.of_states(MANY_STATES);
    let mut last = attempt(complete, Try { reduction: None, is_trial: false, is_later: true }, &most)?;
    if matches!(last.stop(), Some(StopReason::States | StopReason::Memory)) {
        spent += last.statistics().seconds;
        last = attempt(stage, Try { reduction, is_trial: false, is_later: true }, allowance)?;
    }
    last.statistics().seconds += spent;
    Ok(last)
}

/// Depth-first search is quick to find a violation, and leads to it on long ways. Breadth-first
/// search finds a shortest one, if it may take about as long again.
pub(crate) fn shorten(
    model: &dyn Model,
    violation: &mut Violation,
    options: &search::Options,
    statistics: &Statistics,
) {
    let depth = violation.trace.depth();
    if depth <= SHORT {
        return;
    }
    let spent = Duration::from_secs_f64(statistics.seconds);
    let time = spent.max(Duration::from_secs(1));
    let left = options.limits.time.map_or(time, |limit| limit.saturating_sub(spent));
    let limits = Limits {
        time: Some(time.min(left)),
        states: options.limits.states.min(2 * statistics.states + 10_000),
        ..options.limits
    };
    // Reduction keeps violations, but not the shortest ways to them. And a store that keeps no states
    // is of no use to this search.
    let options = search::Options {
        order: Order::Breadth,
        store: search::Store::default(),
        stop_after: Some(1),
        limits,
        reduction: None,
        probes: false,
        ..options.clone()
    };
    let second = search::run(model, &options);
    if let Verdict::Violated(shorter) = second.verdict
        && shorter.trace.depth() < depth
    {
        *violation = shorter;
    }
}
