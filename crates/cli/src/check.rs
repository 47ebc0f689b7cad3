//! `stubborn check`

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ir::Interpreter;
use replay::json::TraceFile;
use replay::{Claim, Run};
use report::{Counts, Method, PropertyResult, Report, Verdict};
use search::{Checks, Findings, Limits, Order, Progress, Statistics};

use crate::Outcome;
use crate::args::{CheckArgs, Format, HowArgs, LimitArgs, WhatArgs};
use crate::exit::{Exit, Stop};
use crate::input::{self, Ends, Input};
use crate::output;
use crate::progress::Ticker;
use crate::properties::{self, Kind, Property};
use crate::{files, limits, unreached};

/// Checks a model and reports.
pub fn run(args: &CheckArgs) -> Outcome<Exit> {
    output::choose_color(args.output.color);
    let started = Instant::now();
    if args.output.format == Format::Mcc {
        return Err(Stop::unavailable("--format mcc", "use --format json"));
    }
    let order = order(&args.how)?;
    if let Some(path) = &args.output.trace {
        files::expect_writable(path)?;
    }
    let ends = if args.what.strict_end { Ends::Strict } else { Ends::Usual };
    let input = input::read(&args.model, ends)?;
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
            order,
            stop_after: if args.what.all_errors { None } else { Some(1) },
            limits: search_limits(&args.limits),
            interrupt: interrupt.clone(),
            ..search::Options::default()
        },
        method: method(order),
        shorten: args.how.search.is_none(),
        show_progress: show && !args.output.no_progress,
    };
    let results = properties.iter().map(|property| job.check(property)).collect::<Outcome<Vec<_>>>()?;
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        path: input.path.clone(),
        language: input.language,
        results,
        seconds: started.elapsed().as_secs_f64(),
        peak_rss_bytes: limits::peak_resident(),
    };
    match write(args, &report) {
        // Who does not read the report may still want the exit status.
        Ok(()) | Err(Stop::Unheard) => {}
        Err(stop) => return Err(stop),
    }
    // Relaxed: nothing but the flag is shared.
    Ok(if interrupt.load(Ordering::Relaxed) { Exit::Interrupted } else { exit(&report) })
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
        Format::Spin | Format::Mcc => {
            let checks = checks(&args.what);
            let options = report::spin::Options {
                assertions: checks.assertions,
                end_states: checks.stuck.is_some(),
                ..report::spin::Options::default()
            };
            report::spin::render(report, &options)
        }
    })
}

/// The trace of the first violation, as a file.
pub fn trace_file(report: &Report) -> Option<String> {
    let result = report.results.iter().find(|result| result.run.is_some())?;
    let run = result.run.as_ref()?;
    Some(report::json::pretty(&TraceFile {
        trace: replay::json::trace(run),
        property: Some(result.property.clone()),
        reason: result.reason.clone(),
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
    let memory = args.max_memory.unwrap_or_else(limits::default_memory);
    Limits {
        memory: memory.saturating_sub(limits::resident()),
        time: args.max_time,
        states: args.max_states.unwrap_or(u64::MAX),
        depth: args.max_depth.unwrap_or(u64::MAX),
    }
}

/// How the answer is found, for the report.
pub fn method(order: Order) -> Method {
    let none = || "none".to_string();
    Method {
        search: if order == Order::Breadth { "bfs" } else { "dfs" }.to_string(),
        por: none(),
        symmetry: none(),
        fairness: none(),
        store: "table".to_string(),
        engine: "interpreter".to_string(),
        threads: 1,
    }
}

/// The order of the search. Everything else that the options ask for must be what there is.
fn order(how: &HowArgs) -> Outcome<Order> {
    for (option, value, known) in [
        ("--por", &how.por, &["none", "ample", "stubborn", "cluster", "conflict"][..]),
        (
            "--symmetry",
            &how.symmetry,
            &["none", "full", "sorted", "segmented", "pc-sorted", "pc-segmented", "auto"],
        ),
        ("--fairness", &how.fairness, &["none", "weak", "strong"]),
        (
            "--store",
            &how.store,
            &["table", "tree", "cleary", "bitstate", "hash-compact", "collapse", "automaton"],
        ),
        ("--engine", &how.engine, &["interpreter", "jit"]),
    ] {
        // The first is the one that there is.
        if value != known[0] {
            return Err(unavailable_value(option, value, known));
        }
    }
    if how.compress_transitions {
        return Err(Stop::unavailable("--compress-transitions", "leave it out"));
    }
    match how.search.as_deref().unwrap_or("dfs") {
        "dfs" => Ok(Order::Depth),
        "bfs" => Ok(Order::Breadth),
        other @ ("ndfs" | "scc") => Err(unavailable_value("--search", other, &["dfs", other])),
        other => Err(Stop::refuse(
            "E0001",
            format!("`--search {other}`: no such choice; use `--search dfs` or `--search bfs`"),
        )),
    }
}

fn unavailable_value(option: &str, value: &str, known: &[&str]) -> Stop {
    if known.contains(&value) {
        Stop::unavailable(&format!("`{option} {value}`"), &format!("use `{option} {}`", known[0]))
    } else {
        Stop::refuse("E0001", format!("`{option} {value}`: no such choice; use `{option} {}`", known[0]))
    }
}

/// Sets a flag on Ctrl-C; the second time, the process ends at once.
pub fn catch_interrupts() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    // Without a handler Ctrl-C ends the process, which is bearable.
    let _ = ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
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
    /// The same, for the report.
    pub method: Method,
    /// Whether to look for a shorter way to a violation than the one found first.
    pub shorten: bool,
    /// Whether to show progress.
    pub show_progress: bool,
}

/// A trace of so many steps is short enough.
const SHORT: usize = 8;

impl Job<'_> {
    /// Checks one property.
    pub fn check(&self, property: &Property) -> Outcome<PropertyResult> {
        let checks = match property.kind {
            Kind::Safety => self.checks,
            Kind::Deadlock => Checks::DEADLOCK,
            Kind::StateSpace => Checks::NONE,
            Kind::Never | Kind::Ltl | Kind::Acceptance | Kind::Trace => {
                return Ok(self.result(property, Verdict::Unknown, Some("not-supported".to_string())));
            }
        };
        let progress = Arc::new(Progress::default());
        let options = search::Options { checks, progress: progress.clone(), ..self.options.clone() };
        let ticker = self.show_progress.then(|| Ticker::start(progress));
        let mut findings = search::run(&self.input.interpreter, &options);
        if let (true, search::Verdict::Violated(violation)) = (self.shorten, &mut findings.verdict) {
            self.shorten(violation, &options, &findings.statistics);
        }
        drop(ticker);
        self.tell(property, findings)
    }

    /// Depth-first search is quick to find a violation, and leads to it on long ways. Breadth-first
    /// search finds a shortest one, if it may take about as long again.
    fn shorten(&self, violation: &mut search::Violation, options: &search::Options, statistics: &Statistics) {
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
        let options =
            search::Options { order: Order::Breadth, stop_after: Some(1), limits, ..options.clone() };
        let second = search::run(&self.input.interpreter, &options);
        if let search::Verdict::Violated(shorter) = second.verdict
            && shorter.trace.depth() < depth
        {
            *violation = shorter;
        }
    }

    fn tell(&self, property: &Property, findings: Findings) -> Outcome<PropertyResult> {
        let interpreter = &self.input.interpreter;
        let mut result = match &findings.verdict {
            search::Verdict::Holds => self.result(property, Verdict::Holds, None),
            search::Verdict::Unknown(stop) => self.result(property, Verdict::Unknown, Some(stop.to_string())),
            search::Verdict::Violated(violation) => {
                let run = replay_violation(interpreter, violation)?;
                let reason = Some(violation.reason.to_string());
                let files = &interpreter.program().files;
                let failure = violation.failure.as_ref().map(|failure| replay::json::failure(failure, files));
                let result = self.result(property, Verdict::Violated, reason);
                PropertyResult { run: Some(run), failure, ..result }
            }
        };
        let statistics = &findings.statistics;
        result.counts = Counts {
            states: statistics.states,
            matched: statistics.matched,
            transitions: statistics.transitions(),
            depth: statistics.depth,
            errors: statistics.errors,
            store_bytes: statistics.store_bytes,
            seconds: statistics.seconds,
            state_bytes: statistics.state_bytes,
        };
        result.complete = findings.complete;
        if result.verdict == Verdict::Violated && self.options.stop_after.is_none() && !findings.complete {
            result
                .warnings
                .push("a limit was reached: not all states were visited, there may be more errors".into());
        }
        result.unreached = unreached::find(interpreter, &findings.executed);
        Ok(result)
    }

    fn result(&self, property: &Property, verdict: Verdict, reason: Option<String>) -> PropertyResult {
        PropertyResult {
            property: property.name.clone(),
            kind: property.kind.name(),
            formula: None,
            verdict,
            reason,
            method: self.method.clone(),
            counts: Counts::default(),
            warnings: self.input.warnings.clone(),
            run: None,
            failure: None,
            complete: false,
            unreached: Vec::new(),
        }
    }
}

/// Checks the trace of a violation independently of the search that found it.
fn replay_violation(interpreter: &Interpreter, violation: &search::Violation) -> Outcome<Run> {
    let claim = violation.failure.clone().map_or(Claim::Stuck, Claim::Failure);
    replay::replay(interpreter, &violation.trace, &claim)
        .map_err(|mismatch| Stop::Internal(format!("the trace of a violation does not replay: {mismatch}")))
}
