//! The summary that users of Spin know, line by line where scripts look for the lines.

use std::fmt::Write;

use replay::RunStep;

use crate::data::{PropertyResult, Report, Unreached, Verdict};

/// Which lines to write.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the trail file, if one was written.
    pub trail: Option<String>,
    /// Whether assertions were checked.
    pub assertions: bool,
    /// Whether invalid end states were looked for.
    pub end_states: bool,
    /// Whether to list what was not reached.
    pub unreached: bool,
    /// Whether the model has a claim that was left out.
    pub claim_left_out: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { trail: None, assertions: true, end_states: true, unreached: true, claim_left_out: false }
    }
}

/// Writes a report on one search.
pub fn render(report: &Report, options: &Options) -> String {
    let mut out = String::new();
    // What was searched; the others were not.
    let Some(result) =
        report.results.iter().find(|result| result.counts.states > 0).or(report.results.first())
    else {
        return out;
    };
    write_error(&mut out, result);
    if let Some(trail) = &options.trail {
        let _ = writeln!(out, "pan: wrote {trail}");
    }
    write_header(&mut out, report, result, options);
    write_counts(&mut out, report, result);
    out.push('\n');
    if options.unreached && result.complete {
        result.unreached.iter().for_each(|unreached| write_unreached(&mut out, unreached));
        out.push('\n');
    }
    let seconds = result.counts.seconds;
    let _ = writeln!(out, "pan: elapsed time {} seconds", three_digits(seconds));
    if seconds > 0.01 {
        let _ = writeln!(out, "pan: rate {:>9.0} states/second", result.counts.states as f64 / seconds);
    }
    for other in report.results.iter().filter(|other| other.reason.as_deref() == Some("not-supported")) {
        let _ = writeln!(out, "pan: {} was not checked: not supported yet", other.property);
    }
    out
}

fn write_error(out: &mut String, result: &PropertyResult) {
    // Spin gives the number of the last step, from 0; the two halves of a rendezvous are two.
    let halves = |step: &RunStep| 1 + usize::from(step.text.partner.is_some());
    let steps: usize = result.run.as_ref().map_or(0, |run| run.steps.iter().map(halves).sum());
    let depth = steps.saturating_sub(1);
    match (result.verdict, &result.failure, result.reason.as_deref()) {
        (Verdict::Violated, Some(failure), reason) => {
            let what = if reason == Some("assertion") {
                format!("assertion violated {}", failure.message)
            } else {
                format!("{} ({}:{})", failure.message, failure.file, failure.line)
            };
            let _ = writeln!(out, "pan:1: {what} (at depth {depth})");
        }
        (Verdict::Violated, None, _) => {
            let _ = writeln!(out, "pan:1: invalid end state (at depth {depth})");
        }
        (Verdict::Unknown, _, Some("depth")) => out.push_str("error: max search depth too small\n"),
        (Verdict::Unknown, _, Some("memory")) => out.push_str("pan: reached -DMEMLIM bound\n"),
        _ => {}
    }
}

fn write_header(out: &mut String, report: &Report, result: &PropertyResult, options: &Options) {
    let _ = writeln!(out, "\n(Spin Version 6.5.2 -- as printed by Stubborn {})", report.version);
    if !result.complete {
        out.push_str("Warning: Search not completed\n");
    }
    if result.method.search == "bfs" {
        out.push_str("\t+ Breadth-First Search\n");
    }
    if result.method.por != "none" {
        out.push_str("\t+ Partial Order Reduction\n");
    }
    let claimed =
        options.claim_left_out || report.results.iter().any(|other| matches!(other.kind, "never" | "ltl"));
    let sign =
        |on: bool, flag: &str| if on { "+".to_string() } else { format!("- (disabled by {flag} flag)") };
    let _ = writeln!(
        out,
        "\nFull statespace search for:\n\
         \tnever claim         \t- ({})\n\
         \tassertion violations\t{}\n\
         \tcycle checks       \t- (disabled by -DSAFETY)\n\
         \tinvalid end states\t{}",
        if claimed { "not selected" } else { "none specified" },
        sign(options.assertions, "-A"),
        sign(options.end_states, "-E"),
    );
}

fn write_counts(out: &mut String, report: &Report, result: &PropertyResult) {
    let counts = &result.counts;
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let _ = writeln!(
        out,
        "\nState-vector {} byte, depth reached {}, errors: {}\n\
         {:>9} states, stored\n\
         {:>9} states, matched\n\
         {:>9} transitions (= stored+matched)\n",
        counts.state_bytes, counts.depth, counts.errors, counts.states, counts.matched, counts.transitions,
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
