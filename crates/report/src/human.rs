//! The report that people read.

use std::fmt::Write;

use model::{Change, Phase, Run, RunStep, Standing, Value};

use crate::data::{PropertyResult, Report, Verdict, has_ended};
use crate::style::{BAD, BOLD, CHANGE, DIM, GOOD, UNSURE, bytes, cut, cut_front, grouped, paint, plural};

/// How much of a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// All of it.
    Full,
    /// The beginning and the end, if it is long, and where its loop starts.
    Short,
}

/// Steps at the beginning and at the end of a shortened trace.
const HEAD: usize = 40;
const TAIL: usize = 80;
/// Steps before and behind the start of its loop.
const AROUND: usize = 20;
/// Variables of the initial state in a shortened trace: a net can have thousands of marked places.
const VARIABLES: usize = 60;

/// A formula of so many characters fits into a headline.
const SHORT_FORMULA: usize = 80;

/// What stands in front of a loop.
pub const FOR_EVER: &str = "from here on, for ever:";
/// What stands for a step in which nothing happens.
pub const ENDED: &str = "(the run has ended: its last state is repeated)";

/// Writes a report.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    for result in &report.results {
        write_result(&mut out, &report.path, result);
    }
    out
}

/// Writes what is reported about one property of a model.
pub fn result(path: &str, result: &PropertyResult) -> String {
    let mut out = String::new();
    write_result(&mut out, path, result);
    out
}

/// Writes the verdicts alone.
pub fn headlines(report: &Report) -> String {
    let mut out = String::new();
    for result in &report.results {
        write_headline(&mut out, &report.path, result);
        out.push('\n');
    }
    out
}

fn write_headline(out: &mut String, path: &str, result: &PropertyResult) {
    let (style, word) = match result.verdict {
        Verdict::Holds => (GOOD, "holds"),
        Verdict::Violated => (BAD, "is violated"),
        Verdict::Unknown => (UNSURE, "is undecided"),
    };
    let headline = match (result.kind, result.verdict) {
        ("state-space", Verdict::Holds) if result.method.por != "none" => {
            "reduced state space complete".to_string()
        }
        ("state-space", Verdict::Holds) => "state space complete".to_string(),
        _ => match (result.value, &result.formula) {
            (Some(value), Some(formula)) if is_short(formula) => {
                format!("{}: {formula} = {value}", result.property)
            }
            (Some(value), _) => format!("{} = {value}", result.property),
            (None, _) => format!("{} {word}{}", result.property, result.under_fairness()),
        },
    };
    let _ = write!(out, "{}: {}", paint(BOLD, path), paint(style, &headline));
    if let Some(explanation) = result.explanation() {
        let _ = write!(out, ": {explanation}");
    }
}

fn is_short(formula: &str) -> bool {
    formula.chars().count() <= SHORT_FORMULA
}

fn write_result(out: &mut String, path: &str, result: &PropertyResult) {
    write_headline(out, path, result);
    if result.verdict == Verdict::Holds && result.run.is_some() {
        out.push_str(": this run shows it");
    }
    out.push('\n');
    if let Some(formula) = &result.formula
        && !(result.value.is_some() && is_short(formula))
    {
        let _ = writeln!(out, "  {formula}");
    }
    if let Some(failure) = &result.failure
        && failure.line > 0
    {
        let _ = writeln!(out, "  at {}:{}:{}", failure.file, failure.line, failure.column);
    }
    if let Some(run) = &result.run {
        out.push('\n');
        write_run(out, run, Length::Short);
        if matches!(result.reason.as_deref(), Some("invalid-end-state" | "deadlock")) || has_ended(run) {
            write_standing(out, &run.standing);
        }
    }
    out.push('\n');
    write_counts(out, result);
    for note in result.notes.iter().chain(&result.remarks) {
        let _ = writeln!(out, "note: {note}");
    }
    write_unreached(out, result);
    out.push('\n');
}

fn write_counts(out: &mut String, result: &PropertyResult) {
    let counts = &result.counts;
    if result.method.search == "none" {
        if result.verdict != Verdict::Unknown {
            out.push_str("decided by the initial state alone\n");
        }
        return;
    }
    let arrivals = match result.edges {
        Some(edges) => plural(edges, "firing"),
        None => {
            format!("{} matched, {}", grouped(counts.matched), plural(counts.transitions, "transition"))
        }
    };
    let _ = writeln!(
        out,
        "{}, {arrivals}, depth {}{}",
        plural(counts.states, "state"),
        grouped(counts.depth),
        if counts.errors > 1 { format!(", {}", plural(counts.errors, "error")) } else { String::new() },
    );
    let rate = if counts.seconds > 0.01 {
        format!(" ({} states/s)", grouped((counts.states as f64 / counts.seconds) as u64))
    } else {
        String::new()
    };
    let _ = writeln!(out, "{:.3} s{rate}, {} in the store", counts.seconds, bytes(counts.store_bytes));
    let method = &result.method;
    let line = format!(
        "search {}, por {}, {}symmetry {}, fairness {}, store {}, engine {}, {}",
        method.search,
        method.por,
        method.compress.map(|how| format!("compress {how}, ")).unwrap_or_default(),
        method.symmetry,
        method.fairness,
        method.store,
        method.engine,
        plural(u64::from(method.threads), "thread"),
    );
    let _ = writeln!(out, "{}", paint(DIM, &line));
}

fn write_unreached(out: &mut String, result: &PropertyResult) {
    if !result.complete {
        return;
    }
    for unreached in result.unreached.iter().filter(|unreached| !unreached.statements.is_empty()) {
        let _ = writeln!(out, "never executed in {}:", unreached.process.trim_matches(':'));
        for statement in &unreached.statements {
            let _ = writeln!(out, "  {}:{}: {}", statement.file, statement.line, statement.text);
        }
    }
}

/// Writes a run: each step with its process, its place, its statement and what it changes; of a net with
/// its transition and what that changes.
pub fn write_run(out: &mut String, run: &Run, length: Length) {
    let _ = writeln!(out, "{} ({})", paint(BOLD, "trace"), extent(run));
    let initial: Vec<String> = run
        .initial
        .iter()
        .filter(|variable| !is_zero(&variable.value))
        .map(|v| format!("{} = {}", v.name, v.value))
        .collect();
    let n_shown = if length == Length::Short { initial.len().min(VARIABLES) } else { initial.len() };
    if !initial.is_empty() {
        let _ = write!(out, "     initially {}", initial[..n_shown].join(", "));
        match initial.len() - n_shown {
            0 => out.push('\n'),
            more => {
                let _ =
                    writeln!(out, ", … and {} more; `--trace FILE` writes them all", grouped(more as u64));
            }
        }
    }
    let columns = Columns::new(run);
    let mut left_out = 0;
    for (index, step) in run.steps.iter().enumerate() {
        if length == Length::Short && !is_kept(run, index) {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            let steps = plural(left_out, "step");
            let _ = writeln!(out, "     … {steps} left out; `--trace FILE` writes them all");
            left_out = 0;
        }
        if run.loop_start == Some(index) {
            let _ = writeln!(out, "     {}", paint(BOLD, FOR_EVER));
        }
        columns.write(out, index, step);
    }
}

/// Whether a step stays in a shortened trace.
fn is_kept(run: &Run, index: usize) -> bool {
    let n = run.steps.len();
    let near = |start: usize| (start.saturating_sub(AROUND)..start + AROUND).contains(&index);
    n <= HEAD + TAIL || index < HEAD || index >= n - TAIL || run.loop_start.is_some_and(near)
}

/// How long a run is, in observable steps.
fn extent(run: &Run) -> String {
    let observable = |steps: &[RunStep]| steps.iter().filter(|step| step.step.observable).count() as u64;
    let all = run.steps.len() as u64;
    let start = run.loop_start.unwrap_or(run.steps.len());
    let (before, repeated) = run.steps.split_at(start);
    let mut text = plural(observable(before), "step");
    match run.loop_start {
        None => {}
        Some(_) if has_ended(run) => text.push_str(", then the run has ended"),
        Some(_) => text.push_str(&format!(", then a loop of {}", observable(repeated))),
    }
    if all > observable(&run.steps) {
        text.push_str(&format!(", {all} with those inside atomic sequences"));
    }
    text
}

/// Writes one step, for a run whose end is not known yet.
pub fn write_step(out: &mut String, index: usize, step: &RunStep) {
    Columns { who: 16, place: 20, action: 30 }.write(out, index, step);
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Int(number) => *number == 0,
        Value::Name(_) => false,
        Value::Messages(messages) => messages.is_empty(),
    }
}

/// The widths of a trace's columns.
struct Columns {
    who: usize,
    place: usize,
    action: usize,
}

impl Columns {
    fn new(run: &Run) -> Columns {
        let widest = |measure: fn(&RunStep) -> String, most: usize| {
            let steps = run.steps.iter().filter(|step| !step.step.is_stutter());
            steps.map(|step| measure(step).chars().count()).max().unwrap_or(0).min(most)
        };
        Columns { who: widest(who, 24), place: widest(place, 32), action: widest(action, 44) }
    }

    fn write(&self, out: &mut String, index: usize, step: &RunStep) {
        if step.step.is_stutter() {
            let _ = writeln!(out, "{:>4}   {ENDED}", index + 1);
            return;
        }
        let mark = if step.step.observable { ' ' } else { '|' };
        let actor = match &step.text.process {
            Some(_) => format!(
                "{:<who$}  {:<place$}  ",
                cut(&who(step), self.who),
                cut_front(&place(step), self.place),
                who = self.who,
                place = self.place,
            ),
            // A net has no processes, and its transitions no lines.
            None => String::new(),
        };
        let line = format!("{:>4} {mark} {actor}{:<action$}", index + 1, action(step), action = self.action);
        let changes: Vec<String> = step.changes.iter().filter_map(change).collect();
        if changes.is_empty() {
            let _ = writeln!(out, "{}", line.trim_end());
        } else {
            let _ = writeln!(out, "{line}  {}", paint(CHANGE, &changes.join(", ")));
        }
        for printed in step.text.output.lines() {
            let _ = writeln!(out, "       {} {printed}", paint(DIM, "prints"));
        }
    }
}

fn who(step: &RunStep) -> String {
    let text = &step.text;
    let actor = format!("{}({})", text.process.as_deref().unwrap_or("-"), text.pid);
    match (text.partner, &text.partner_name) {
        (Some(pid), Some(name)) => format!("{actor} -> {name}({pid})"),
        _ => actor,
    }
}

fn place(step: &RunStep) -> String {
    match step.text.location.line {
        0 => step.text.file.clone(),
        line => format!("{}:{line}", step.text.file),
    }
}

fn action(step: &RunStep) -> String {
    let text = &step.text;
    let timeout = if step.step.phase == Phase::Timeout { " (timeout)" } else { "" };
    match &text.partner_action {
        Some((location, receive)) => {
            format!("{} -> {receive} (line {}){timeout}", text.action, location.line)
        }
        None => format!("{}{timeout}", text.action),
    }
}

/// `x: 0 -> 1`; for a variable that comes into being, its value; nothing for one that goes.
pub fn change(change: &Change) -> Option<String> {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => Some(format!("{}: {before} -> {after}", change.name)),
        (None, Some(after)) => Some(format!("{} = {after}", change.name)),
        _ => None,
    }
}

/// Writes where the processes stand.
pub fn write_standing(out: &mut String, standing: &[Standing]) {
    if standing.is_empty() {
        return;
    }
    let _ = writeln!(out, "{}", paint(BOLD, "at the end"));
    for process in standing {
        let state = match process.end {
            true => "may stay here".to_string(),
            false => format!("waits for {}", cut(&process.statements.join(" | "), 100)),
        };
        let _ = writeln!(
            out,
            "     {}({}) at {}:{} {state}",
            process.process, process.pid, process.file, process.line
        );
    }
}
