//! The summary that users of Spin know, line by line where scripts look for the lines.

use std::fmt::Write;

use model::RunStep;

use check::answer::Unreached;

use crate::data::{PropertyResult, Report, Verdict, has_ended};

/// Which lines to write.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the trail file, if one was written.
    pub trail: Option<String>,
    /// The claim that took part.
    pub claim: ClaimChoice,
    /// Whether assertions were checked.
    pub assertions: bool,
    /// Which cycles were looked for.
    pub cycles: Cycles,
    /// Whether invalid end states were looked for.
    pub end_states: bool,
    /// Whether to list what was not reached.
    pub unreached: bool,
}

/// The claim that takes part in a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimChoice {
    /// There is none.
    None,
    /// The model has one, and it was left out.
    NotSelected,
    /// The one with this name.
    Selected(String),
}

/// Cycles that a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// None: it is about safety alone.
    Disabled,
    /// None, although it could.
    NotSelected,
    /// Acceptance cycles.
    Acceptance,
    /// Non-progress cycles.
    NonProgress,
}

/// The name of the claim that Spin makes of non-progress cycles.
pub const NON_PROGRESS_CLAIM: &str = ":np_:";

impl Default for Options {
    fn default() -> Options {
        Options {
            trail: None,
            claim: ClaimChoice::None,
            assertions: true,
            cycles: Cycles::Disabled,
            end_states: true,
            unreached: true,
        }
    }
}

impl Options {
    /// The options for a property of infinite runs that is checked alone.
    pub fn alone(result: &PropertyResult) -> Options {
        let (claim, cycles) = match result.kind {
            "acceptance" => (ClaimChoice::None, Cycles::Acceptance),
            "non-progress" => (ClaimChoice::Selected(NON_PROGRESS_CLAIM.to_string()), Cycles::NonProgress),
            _ => (ClaimChoice::Selected(claim_name(&result.property).to_string()), Cycles::Acceptance),
        };
        let end_states = claim != ClaimChoice::None;
        Options { claim, cycles, assertions: false, end_states, ..Options::default() }
    }

    fn is_claimed(&self) -> bool {
        matches!(self.claim, ClaimChoice::Selected(_))
    }
}

/// The name of a claim in Spin: one without a name is numbered.
pub fn claim_name(name: &str) -> &str {
    if name == "never" { "never_0" } else { name }
}

/// Writes the summary of one run: results that Spin would find in one search. The first gives the
/// numbers.
pub fn render(report: &Report, results: &[PropertyResult], options: &Options) -> String {
    let mut out = String::new();
    let Some(first) = results.first() else { return out };
    let complete = results.iter().all(|result| result.complete);
    let violated = results.iter().filter(|result| result.verdict == Verdict::Violated);
    for (index, result) in violated.enumerate() {
        let _ = writeln!(out, "pan:{}: {}", index + 1, error(result, options));
    }
    results.iter().for_each(|result| write_limit(&mut out, result));
    if let Some(trail) = &options.trail {
        let _ = writeln!(out, "pan: wrote {trail}");
    }
    let _ = writeln!(out, "\n(Spin Version 6.5.2 -- as printed by Stubborn {})", report.version);
    if !complete {
        out.push_str("Warning: Search not completed\n");
    }
    write_header(&mut out, first, options);
    write_checks(&mut out, results, options);
    write_counts(&mut out, report, first, results.iter().map(|result| result.counts.errors).sum());
    out.push('\n');
    if options.unreached && complete {
        let unreached = results.iter().flat_map(|result| &result.unreached);
        unreached.for_each(|unreached| write_unreached(&mut out, unreached));
        out.push('\n');
    }
    let seconds = results.iter().map(|result| result.counts.seconds).sum();
    let _ = writeln!(out, "pan: elapsed time {} seconds", three_digits(seconds));
    if seconds > 0.01 {
        let _ = writeln!(out, "pan: rate {:>9.0} states/second", first.counts.states as f64 / seconds);
    }
    out
}

/// What is wrong, and how deep.
fn error(result: &PropertyResult, options: &Options) -> String {
    let run = result.run.as_ref();
    let steps = run.map_or(&[][..], |run| &run.steps[..run.loop_start.unwrap_or(run.steps.len())]);
    let depth = depth(steps, options.is_claimed());
    // Errors have the number of the last step, from 0; cycles that of their first step; the claim takes
    // a step of its own to its end.
    let last = depth.saturating_sub(1);
    match (&result.failure, result.reason.as_deref()) {
        (Some(failure), Some("assertion")) => {
            format!("assertion violated {} (at depth {last})", failure.message)
        }
        (Some(failure), _) => {
            format!("{} ({}:{}) (at depth {last})", failure.message, failure.file, failure.line)
        }
        (None, Some("never-claim")) => format!("end state in claim reached (at depth {})", depth + 1),
        (None, Some("non-progress-cycle")) => format!("non-progress cycle (at depth {depth})"),
        (None, Some("acceptance-cycle")) if !options.is_claimed() && run.is_some_and(has_ended) => {
            format!("accept stutter (at depth {last})")
        }
        (None, Some("acceptance-cycle")) => format!("acceptance cycle (at depth {depth})"),
        (None, _) => format!("invalid end state (at depth {last})"),
    }
}

/// The number of steps as Spin counts: the two halves of a rendezvous are two, and a claim takes one
/// before every observable step.
fn depth(steps: &[RunStep], is_claimed: bool) -> usize {
    let halves: usize = steps.iter().map(|step| 1 + usize::from(step.text.partner.is_some())).sum();
    let of_claim = steps.iter().filter(|step| is_claimed && step.step.observable).count();
    halves + of_claim
}

fn write_limit(out: &mut String, result: &PropertyResult) {
    match (result.verdict, result.reason.as_deref()) {
        (Verdict::Unknown, Some("depth")) => out.push_str("error: max search depth too small\n"),
        (Verdict::Unknown, Some("memory")) => out.push_str("pan: reached -DMEMLIM bound\n"),
        _ => {}
    }
}

fn write_header(out: &mut String, first: &PropertyResult, options: &Options) {
    if first.method.search == "bfs" {
        out.push_str("\t+ Breadth-First Search\n");
    }
    if first.method.por != "none" {
        out.push_str("\t+ Partial Order Reduction\n");
    }
    let claim = match &options.claim {
        ClaimChoice::None => "- (none specified)".to_string(),
        ClaimChoice::NotSelected => "- (not selected)".to_string(),
        ClaimChoice::Selected(name) => format!("+ ({name})"),
    };
    let _ = writeln!(out, "\nFull statespace search for:\n\tnever claim         \t{claim}");
}

fn write_checks(out: &mut String, results: &[PropertyResult], options: &Options) {
    let is_fair = results.iter().any(|result| result.method.fairness != "none");
    let fairness = if is_fair { "+ (fairness enabled)" } else { "+ (fairness disabled)" };
    let assertions = match (options.assertions, options.is_claimed()) {
        (false, _) => "- (disabled by -A flag)",
        (true, true) => "+ (if within scope of claim)",
        (true, false) => "+",
    };
    let cycles = match options.cycles {
        Cycles::Disabled => "cycle checks       \t- (disabled by -DSAFETY)".to_string(),
        Cycles::NotSelected => "acceptance   cycles \t- (not selected)".to_string(),
        Cycles::Acceptance => format!("acceptance   cycles \t{fairness}"),
        Cycles::NonProgress => format!("non-progress cycles \t{fairness}"),
    };
    let end_states = match (options.end_states, options.is_claimed()) {
        (false, _) => "- (disabled by -E flag)",
        (true, true) => "- (disabled by never claim)",
        (true, false) => "+",
    };
    let _ =
        writeln!(out, "\tassertion violations\t{assertions}\n\t{cycles}\n\tinvalid end states\t{end_states}");
}

fn write_counts(out: &mut String, report: &Report, first: &PropertyResult, errors: u64) {
    let counts = &first.counts;
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let _ = writeln!(
        out,
        "\nState-vector {} byte, depth reached {}, errors: {}\n\
         {:>9} states, stored\n\
         {:>9} states, matched\n\
         {:>9} transitions (= stored+matched)\n",
        counts.state_bytes, counts.depth, errors, counts.states, counts.matched, counts.transitions,
    );
    let _ = writeln!(
        out,
        "Stats on memory usage (in Megabytes):\n\
         {:>9.3}\tequivalent memory usage for states (stored*(State-vector + overhead))\n\
         {:>9.3}\tactual memory usage for states\n\
         {:>9.3}\ttotal actual memory usage",
        megabytes(counts.states * (counts.state_bytes + 16)),
        megabytes(counts.store_bytes),
        megabytes(report.peak_rss_bytes),
    );
}

/// Writes what was not reached in a process type.
fn write_unreached(out: &mut String, unreached: &Unreached) {
    let place = match unreached.process.as_str() {
        ":init:" => "init".to_string(),
        name => format!("proctype {name}"),
    };
    let _ = writeln!(out, "unreached in {place}");
    for statement in &unreached.statements {
        let _ = writeln!(
            out,
            "\t{}:{}, state {}, \"{}\"",
            statement.file, statement.line, statement.number, statement.text
        );
    }
    let _ = writeln!(out, "\t({} of {} states)", unreached.statements.len(), unreached.total);
}

/// What a step prints, indented as in Spin: more for each process.
pub fn printed(step: &RunStep) -> String {
    if step.text.output.is_empty() {
        return String::new();
    }
    format!("{:indent$}{}", "", step.text.output, indent = 6 + 4 * step.text.pid as usize)
}

/// A number of seconds with at most three significant digits, as C's `%.3g` writes it.
fn three_digits(seconds: f64) -> String {
    if seconds < 0.005 {
        return "0".to_string();
    }
    let decimals = (2 - seconds.log10().floor() as i32).max(0) as usize;
    let text = format!("{seconds:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_to_three_digits() {
        assert_eq!(three_digits(0.0001), "0");
        assert_eq!(three_digits(0.01), "0.01");
        assert_eq!(three_digits(1.23456), "1.23");
        assert_eq!(three_digits(123.4), "123");
        assert_eq!(three_digits(12.0), "12");
    }
}
