//! `stubborn check`

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ::check::options::Search;
use ::check::prefer::{Admitted, Por};
use ir::Interpreter;
use jit::{Care, Native, Purpose};
use model::Model;
use por::Reduction;
use replay::json::TraceFile;
use replay::{Claim, Run};
use report::spin;
use report::{Counts, Method, PropertyResult, Report, Verdict};
use search::{Checks, Cycles, Emptiness, Evidence, Fairness, Findings, Limits, Progress, Statistics, Store};

use crate::Outcome;
use crate::args::{CheckArgs, EngineArg, Format, LimitArgs, WhatArgs};
use crate::exit::{Exit, Stop};
use crate::how::{Wanted, default_threads, engine_name, fairness_name, method, store_arg_name, store_name};
use crate::input::{self, Ends, Input};
use crate::output;
use crate::progress::Ticker;
use crate::properties::{self, Property};
use crate::temporal::Temporal;
use crate::{extra, files, limits, net, reduction};

/// Checks a model and reports.
pub fn run(args: &CheckArgs) -> Outcome<Exit> {
    output::choose_color(args.output.color);
    let started = Instant::now();
    let opened = input::open(&args.model)?;
    if opened.language.is_of_nets() {
        return net::check(args, opened);
    }
    if args.output.format == Format::Mcc {
        return Err(Stop::refuse("E0001", "`--format mcc` is for nets; use --format json"));
    }
    let wanted = Wanted::from_options(&args.how)?;
    wanted.expect_program()?;
    if let Some(path) = &args.output.trace {
        files::expect_writable(path)?;
    }
    let ends = if args.what.strict_end { Ends::Strict } else { Ends::Usual };
    let input = input::read_with(&args.model, opened, ends, extra::from_options(&args.what)?)?;
    let properties = properties::select(&args.what, &input)?;
    let show = !args.output.quiet;
    if show && args.output.format == Format::Human {
        input.show_warnings();
    }
    let interrupt = catch_interrupts();
    let job = Job {
        input: &input,
        checks: checks(&args.what),
        options: search::Options {
            // Who asks for a method wants to see what it gains; by default it has to pay.
            patient: matches!(wanted.por, Por::Exactly(_)),
            stop_after: if args.what.all_errors { None } else { Some(1) },
            limits: search_limits(&args.limits),
            interrupt: interrupt.clone(),
            ..search::Options::default()
        },
        wanted,
        shorten: args.how.search.is_none(),
        show_progress: show && !args.output.no_progress,
    };
    // What is refused is refused before anything is searched.
    let admitted = properties.iter().map(|property| job.admit(property)).collect::<Outcome<Vec<_>>>()?;
    let jobs = properties.iter().zip(&admitted);
    let results =
        jobs.map(|(property, admitted)| job.check(property, admitted)).collect::<Outcome<Vec<_>>>()?;
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        path: input.path.clone(),
        language: input.language,
        results,
        seconds: started.elapsed().as_secs_f64(),
        peak_rss_bytes: limits::peak_resident(),
    };
    write_and_exit(args, &report, &interrupt)
}

/// Writes a report, and says with which status to exit.
pub fn write_and_exit(args: &CheckArgs, report: &Report, interrupt: &AtomicBool) -> Outcome<Exit> {
    match write(args, report) {
        // Who does not read the report may still want the exit status.
        Ok(()) | Err(Stop::Unheard) => {}
        Err(stop) => return Err(stop),
    }
    // Relaxed: nothing but the flag is shared.
    Ok(if interrupt.load(Ordering::Relaxed) { Exit::Interrupted } else { exit(report) })
}

fn write(args: &CheckArgs, report: &Report) -> Outcome<()> {
    if let Some(path) = &args.output.trace
        && let Some(text) = trace_file(report)
    {
        // The verdict is worth more than the file.
        if let Err(Stop::Refused { text, .. }) = files::write(path, &text) {
            output::complain(&text);
        }
    }
    output::print(&match args.output.format {
        Format::Human if args.output.quiet => report::human::headlines(report),
        Format::Human => report::human::render(report),
        Format::Json => report::json::render(report),
        Format::Sarif => report::sarif::render(report),
        Format::Junit => report::junit::render(report),
        Format::Spin => spin_summaries(report, checks(&args.what)),
        // Each answer was written when it was found.
        Format::Mcc => String::new(),
    })
}

/// A summary as of Spin for each property: it checks one at a time.
fn spin_summaries(report: &Report, checks: Checks) -> String {
    let is_temporal = |result: &PropertyResult| !matches!(result.kind, "safety" | "deadlock" | "state-space");
    let is_claim = |result: &PropertyResult| matches!(result.kind, "never" | "ltl" | "automaton");
    let claim = if report.results.iter().any(is_claim) {
        spin::ClaimChoice::NotSelected
    } else {
        spin::ClaimChoice::None
    };
    let summary = |result: &PropertyResult| {
        let options = if is_temporal(result) {
            spin::Options::alone(result)
        } else {
            let (assertions, end_states) = (checks.assertions, checks.stuck.is_some());
            spin::Options { assertions, end_states, claim: claim.clone(), ..spin::Options::default() }
        };
        spin::render(report, std::slice::from_ref(result), &options)
    };
    report.results.iter().map(summary).collect()
}

/// The trace of the first violation, as a file.
pub fn trace_file(report: &Report) -> Option<String> {
    let result = report.results.iter().find(|result| result.run.is_some())?;
    let run = result.run.as_ref()?;
    Some(report::json::pretty(&TraceFile {
        trace: replay::json::trace(run),
        property: Some(result.property.clone()),
        reason: result.reason.clone(),
        formula: result.formula.clone(),
        fairness: Some(result.method.fairness.clone()),
        failure: result.failure.clone(),
    }))
}

/// The exit status that a report stands for.
pub fn exit(report: &Report) -> Exit {
    let any = |verdict| report.results.iter().any(|result| result.verdict == verdict);
    if any(Verdict::Violated) {
        Exit::Violated
    } else if any(Verdict::Unknown) {
        Exit::Unknown
    } else {
        Exit::Fine
    }
}

/// What safety means under the options.
fn checks(what: &WhatArgs) -> Checks {
    Checks {
        assertions: !what.no_assertions,
        stuck: if what.no_end_states { None } else { Checks::SAFETY.stuck },
    }
}

/// The limits for a search that starts now.
pub fn search_limits(args: &LimitArgs) -> Limits {
    Limits {
        time: args.max_time,
        states: args.max_states.unwrap_or(u64::MAX),
        depth: args.max_depth.unwrap_or(u64::MAX),
        ..limits::of_process(args.max_memory.unwrap_or_else(limits::default_memory))
    }
}

/// A second signal that comes sooner than this is the first one again: `timeout` sends it to the
/// process and to its group.
const SAME_SIGNAL: Duration = Duration::from_millis(500);

/// Sets a flag on Ctrl-C; the second time, the process ends at once.
pub fn catch_interrupts() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    let mut first: Option<Instant> = None;
    // Without a handler Ctrl-C ends the process, which is bearable.
    let _ = ctrlc::set_handler(move || {
        set.store(true, Ordering::Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() > SAME_SIGNAL {
            std::process::exit(Exit::Interrupted as i32);
        }
    });
    flag
}

/// What is the same for all properties of a run.
pub struct Job<'a> {
    /// The model.
    pub input: &'a Input,
    /// What safety means.
    pub checks: Checks,
    /// How to search; what to check and where to show progress is set for each property.
    pub options: search::Options,
    /// What the user wants of the search.
    pub wanted: Wanted,
    /// Whether to look for a shorter way to a violation than the one found first.
    pub shorten: bool,
    /// Whether to show progress.
    pub show_progress: bool,
}

impl Job<'_> {
    /// Whether and how the state space is reduced for a property.
    pub fn admit(&self, property: &Property) -> Outcome<Admitted> {
        reduction::admit(self.input, property, &self.wanted, self.options.stop_after)
    }

    /// Checks one property.
    pub fn check(&self, property: &Property, admitted: &Admitted) -> Outcome<PropertyResult> {
        let plan = admitted.reduction.as_ref();
        let mut result = match &property.temporal {
            Some(temporal) => self.check_temporal(property, temporal, plan)?,
            None => self.check_finite(property, plan)?,
        };
        result.remarks.extend(admitted.note.clone());
        Ok(result)
    }

    /// Which engine executes the model: within a small limit on memory there is no room to make code.
    fn engine_arg(&self) -> EngineArg {
        const LEAST_FOR_CODE: u64 = 32 << 20;
        match self.options.limits.process {
            Some(bytes) if bytes < LEAST_FOR_CODE => EngineArg::Interpreter,
            _ => self.wanted.engine,
        }
    }

    /// What executes the model. `before` does until there is something better, which is not needed for short searches.
    pub fn engine(&self, purpose: Purpose, before: Option<Arc<dyn Model>>) -> Arc<dyn Model> {
        /// So many states take about as long as it takes to make code.
        const SHORT: u64 = 1 << 14;
        let interpreter = self.input.interpreter.clone();
        if self.engine_arg() == EngineArg::Interpreter {
            return interpreter;
        }
        let begin_after = if before.is_some() { SHORT } else { 0 };
        let options = jit::Options { begin_after, ..self.jit_options(purpose) };
        let before = before.unwrap_or_else(|| interpreter.clone());
        let quick: Arc<dyn Model> = Arc::new(Native::behind(before, interpreter.clone(), options));
        match purpose {
            // Shapes get better code by and by.
            Purpose::Everything => quick,
            Purpose::Chosen => {
                let most_transitions = options.most_transitions.min(self.most_compiled());
                let begin_after = 4 * SHORT;
                let options = jit::Options { care: Care::Best, begin_after, most_transitions, ..options };
                Arc::new(Native::behind(quick, interpreter, options))
            }
        }
    }

    /// How many statements may be compiled while a search goes on: each takes some ten kilobytes meanwhile, which is to
    /// be little beside the limit.
    fn most_compiled(&self) -> usize {
        const BYTES_FOR_EACH: u64 = 1 << 20;
        let most = self.options.limits.process.map_or(u64::MAX, |bytes| bytes / BYTES_FOR_EACH);
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// How code is made.
    fn jit_options(&self, purpose: Purpose) -> jit::Options {
        let options = jit::Options::new(purpose);
        let most_fused = options.most_fused.min(self.most_compiled());
        jit::Options { most_fused, wait_for_fused: self.wanted.threads >= default_threads(), ..options }
    }

    /// Checks a property of infinite runs.
    fn check_temporal(
        &self,
        property: &Property,
        temporal: &Temporal,
        plan: Option<&Reduction>,
    ) -> Outcome<PropertyResult> {
        let (forbidden, cycles) = temporal.plan(&property.name, &self.wanted)?;
        let progress = Arc::new(Progress::default());
        let threads = if cycles.emptiness == Emptiness::Cndfs { self.wanted.threads } else { 1 };
        let options = search::Options {
            threads,
            reduction: plan.cloned(),
            progress: progress.clone(),
            ..self.options.clone()
        };
        let ticker = self.show_progress.then(|| Ticker::start(progress));
        let engine = self.engine(Purpose::Chosen, None);
        let findings = search::find_cycle(&*engine, &forbidden, &cycles, &options);
        drop(ticker);
        let claim = |evidence: &Evidence| temporal.claim(evidence, cycles.fairness);
        let mut result = self.tell(property, &findings, claim)?;
        result.formula = temporal.text.clone();
        if let Some(plan) = plan {
            result.method.por = plan.method.name().to_string();
        }
        result.method.search = Search::from(cycles.emptiness).to_string();
        result.method.fairness = fairness_name(cycles.fairness).to_string();
        result.method.threads = threads as u32;
        result.method.store = store_name(Store::Tree).to_string();
        self.note_store(&mut result);
        self.note_search(&mut result);
        self.note_copies(&mut result, &cycles);
        self.note_more(&mut result, "the search ends with the first run that violates this property");
        Ok(result)
    }

    /// Notes why there may be more errors, although all were asked for.
    pub fn note_more(&self, result: &mut PropertyResult, why: &str) {
        if result.verdict == Verdict::Violated && self.options.stop_after.is_none() && !result.complete {
            result.notes.push(why.to_string());
        }
    }

    /// Notes that the search was another than the user has asked for.
    pub fn note_search(&self, result: &mut PropertyResult) {
        let used = &result.method.search;
        if let Some(asked) = self.wanted.search.filter(|asked| asked.name() != used) {
            result.notes.push(format!("`--search {asked}` does not suit this property; {used} was used"));
        }
    }

    /// Notes that the store was another than the user has asked for.
    pub fn note_store(&self, result: &mut PropertyResult) {
        let used = &result.method.store;
        if let Some(asked) = self.wanted.store.map(store_arg_name).filter(|asked| asked != used) {
            result.notes.push(format!("`--store {asked}` does not suit this search; {used} was used"));
        }
    }

    /// Notes that copies of the states were asked for where there are none.
    fn note_copies(&self, result: &mut PropertyResult, cycles: &Cycles) {
        let nested = matches!(cycles.emptiness, Emptiness::NdfsBasic | Emptiness::Ndfs);
        if self.wanted.flags.is_some() && !(nested && cycles.fairness == Fairness::Weak) {
            let note = "`--fairness-copies` is for `--search ndfs` with `--fairness weak` only";
            result.notes.push(note.to_string());
        }
    }

    /// The findings as a result. `claim` says what the run of a violation is said to show.
    pub fn tell(
        &self,
        property: &Property,
        findings: &Findings,
        claim: impl Fn(&Evidence) -> Claim,
    ) -> Outcome<PropertyResult> {
        let interpreter = &self.input.interpreter;
        let mut result = match &findings.verdict {
            search::Verdict::Holds => self.result(property, Verdict::Holds, None),
            search::Verdict::Unknown(stop) => self.result(property, Verdict::Unknown, Some(stop.to_string())),
            search::Verdict::Violated(violation) => {
                let run = replay_violation(interpreter, violation, &claim(&violation.evidence))?;
                let reason = Some(violation.reason.to_string());
                let files = &interpreter.program().files;
                let failure = violation.evidence.failure();
                let failure = failure.map(|failure| replay::json::failure(failure, files));
                let result = self.result(property, Verdict::Violated, reason);
                PropertyResult { run: Some(run), failure, ..result }
            }
        };
        result.counts = counts(&findings.statistics);
        result.complete = findings.complete;
        Ok(result)
    }

    fn result(&self, property: &Property, verdict: Verdict, reason: Option<String>) -> PropertyResult {
        PropertyResult {
            property: property.name.clone(),
            kind: property.kind.name(),
            formula: None,
            verdict,
            reason,
            method: Method { engine: engine_name(self.engine_arg()).to_string(), ..method() },
            counts: Counts::default(),
            warnings: self.input.warnings.clone(),
            notes: Vec::new(),
            remarks: Vec::new(),
            run: None,
            failure: None,
            complete: false,
            unreached: Vec::new(),
            edges: None,
            value: None,
            tokens: None,
        }
    }
}

/// What a search has counted, for the report.
pub fn counts(statistics: &Statistics) -> Counts {
    Counts {
        states: statistics.states,
        matched: statistics.matched,
        transitions: statistics.transitions(),
        depth: statistics.depth,
        errors: statistics.errors,
        store_bytes: statistics.store_bytes,
        seconds: statistics.seconds,
        state_bytes: statistics.state_bytes,
    }
}

/// Checks the trace of a violation independently of the search that found it.
fn replay_violation(interpreter: &Interpreter, violation: &search::Violation, claim: &Claim) -> Outcome<Run> {
    replay::replay(interpreter, &violation.trace, claim)
        .map_err(|mismatch| Stop::Internal(format!("the trace of a violation does not replay: {mismatch}")))
}
