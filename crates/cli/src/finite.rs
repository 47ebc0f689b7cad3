//! Checking properties of finite runs.
//!
//! Whether reduction pays shows only when it is tried. So unless the user has said how to search, there are up
//! to three attempts:
//!
//! 1. with reduction, which ends early if it leaves little out;
//! 2. then without it, by the fastest search, on all threads, up to [`MANY_STATES`];
//! 3. if these or the memory were not enough, with reduction for good.

use std::sync::Arc;
use std::time::Duration;

use ::check::options::Search;
use ::check::prefer::Por;
use jit::Purpose;
use model::Model;
use por::{Preserves, Reduction};
use replay::Claim;
use report::PropertyResult;
use search::{Checks, Evidence, Findings, Limits, Order, Progress, Statistics, StopReason, Store, Verdict};

use crate::Outcome;
use crate::check::Job;
use crate::how::{self, store_name};
use crate::progress::Ticker;
use crate::properties::{Kind, Property};
use crate::unreached;

/// A trace of so many steps is short enough.
const SHORT: usize = 8;

/// Without reduction, so many states are searched before it is tried again.
const MANY_STATES: u64 = 20_000_000;

/// A search, and what it has found.
struct Attempt<'p> {
    plan: Option<&'p Reduction>,
    options: search::Options,
    findings: Findings,
}

impl Job<'_> {
    /// Checks a property of finite runs.
    pub fn check_finite(&self, property: &Property, plan: Option<&Reduction>) -> Outcome<PropertyResult> {
        let store = self.store(property, self.order(plan))?;
        let Attempt { plan: used, options, findings } = self.search(property, plan, store);
        let mut result = self.tell(property, &findings, |evidence| match evidence {
            Evidence::Failure(failure) => Claim::Failure(failure.clone()),
            _ => Claim::Stuck,
        })?;
        match (plan, used) {
            (_, Some(plan)) => result.method.por = plan.method.name().to_string(),
            (Some(_), None) => result.remarks.push("reduction was tried, and left little out".to_string()),
            (None, None) => {}
        }
        result.method.search = Search::from(options.order).to_string();
        let is_shared = search::is_shared(&options);
        if is_shared {
            result.method.threads = self.wanted.threads as u32;
        }
        result.method.store = store_name(if is_shared { store } else { Store::Tree }).to_string();
        self.note_store(&mut result);
        result.notes.extend(how::omission_note(&findings.statistics));
        // What only deadlocks are kept of need not have executed everything that can be.
        if used.is_none_or(|plan| plan.preserves != Preserves::Deadlocks) {
            result.unreached = unreached::find(&self.input.interpreter, &findings.executed);
        }
        self.note_search(&mut result);
        let cut_short = "a limit was reached: not all states were visited, there may be more errors";
        self.note_more(&mut result, cut_short);
        Ok(result)
    }

    /// Searches until there is an answer, or a limit is reached.
    fn search<'p>(&self, property: &Property, plan: Option<&'p Reduction>, store: Store) -> Attempt<'p> {
        let limits = self.options.limits;
        let is_open =
            self.wanted.por == Por::Best && self.order(None) == Order::Any && self.wanted.order.is_none();
        let trial = plan.is_some() && is_open;
        let engine = self.engine(if plan.is_none() { Purpose::Everything } else { Purpose::Chosen }, None);
        let first = self.attempt(&*engine, property, plan, store, trial, limits);
        if first.findings.verdict != Verdict::Unknown(StopReason::LittleSaved) {
            return first;
        }
        let mut spent = first.findings.statistics.seconds;
        let most = Limits { states: limits.states.min(MANY_STATES), ..less(limits, spent) };
        let complete = self.engine(Purpose::Everything, Some(engine.clone()));
        let mut last = self.attempt(&*complete, property, None, store, false, most);
        if matches!(last.findings.verdict, Verdict::Unknown(StopReason::States | StopReason::Memory)) {
            spent += last.findings.statistics.seconds;
            last = self.attempt(&*engine, property, plan, store, false, less(limits, spent));
        }
        last.findings.statistics.seconds += spent;
        last
    }

    /// Searches once.
    fn attempt<'p>(
        &self,
        engine: &dyn Model,
        property: &Property,
        plan: Option<&'p Reduction>,
        store: Store,
        trial: bool,
        limits: Limits,
    ) -> Attempt<'p> {
        let checks = match property.kind {
            Kind::Safety => self.checks,
            Kind::Deadlock => Checks::DEADLOCK,
            _ => Checks::NONE,
        };
        let progress = Arc::new(Progress::default());
        let options = search::Options {
            order: self.order(plan),
            threads: self.wanted.threads,
            store,
            checks,
            reduction: plan.cloned(),
            trial,
            limits,
            progress: progress.clone(),
            ..self.options.clone()
        };
        let ticker = self.show_progress.then(|| Ticker::start(progress));
        let mut findings = search::run(engine, &options);
        if let (true, Verdict::Violated(violation)) = (self.shorten, &mut findings.verdict) {
            self.shorten(engine, violation, &options, &findings.statistics);
        }
        drop(ticker);
        Attempt { plan, options, findings }
    }

    /// Where the states are kept for a property of finite runs.
    fn store(&self, property: &Property, order: Order) -> Outcome<Store> {
        let Some(asked) = self.wanted.store else { return Ok(Store::default()) };
        how::store(asked, order, self.options.limits.memory, &property.name)
    }

    /// In which order the states are visited for a property of finite runs. Reduction does best
    /// depth-first.
    fn order(&self, plan: Option<&Reduction>) -> Order {
        let fastest = if plan.is_some() { Order::Depth } else { Order::Any };
        match self.wanted.order.unwrap_or(fastest) {
            Order::Any if self.options.limits.depth < u64::MAX => Order::Depth,
            order => order,
        }
    }

    /// Depth-first search is quick to find a violation, and leads to it on long ways. Breadth-first
    /// search finds a shortest one, if it may take about as long again.
    fn shorten(
        &self,
        model: &dyn Model,
        violation: &mut search::Violation,
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
            store: Store::default(),
            stop_after: Some(1),
            limits,
            reduction: None,
            ..options.clone()
        };
        let second = search::run(model, &options);
        if let search::Verdict::Violated(shorter) = second.verdict
            && shorter.trace.depth() < depth
        {
            *violation = shorter;
        }
    }
}

/// What is left of limits after so many seconds.
fn less(limits: Limits, seconds: f64) -> Limits {
    let spent = Duration::from_secs_f64(seconds);
    Limits { time: limits.time.map(|time| time.saturating_sub(spent)), ..limits }
}
