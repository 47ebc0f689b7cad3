//! SARIF 2.1.0, for code scanning services: one result per property that is violated or undecided,
//! with the trace as a code flow.

use model::{Run, RunStep};
use serde_json::{Value, json};

use crate::data::{PropertyResult, Report, Verdict, has_ended};
use crate::diagnostics::ErrorRecord;
use crate::human;
use crate::json::pretty;

/// Writes a report.
pub fn render(report: &Report) -> String {
    let open = || report.results.iter().filter(|result| result.verdict != Verdict::Holds);
    let reasons = open().filter_map(|result| result.reason.as_deref());
    let mut rules: Vec<&str> =
        reasons.chain(report.errors.iter().map(|record| record.code.as_str())).collect();
    rules.sort_unstable();
    rules.dedup();
    let results = open().map(|result| entry(report, result)).chain(report.errors.iter().map(error)).collect();
    log(report.version, &rules, results)
}

/// Writes errors because of which nothing was checked.
pub fn errors(records: &[ErrorRecord], version: &str) -> String {
    let mut rules: Vec<&str> = records.iter().map(|record| record.code.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    log(version, &rules, records.iter().map(error).collect())
}

fn error(record: &ErrorRecord) -> Value {
    let mut entry = json!({
        "ruleId": record.code,
        "level": "error",
        "message": {"text": record.message},
    });
    if let Some(file) = &record.file {
        let place = location(file, record.line.unwrap_or(1), record.column.unwrap_or(1));
        entry["locations"] = json!([place]);
    }
    entry
}

fn log(version: &str, rules: &[&str], results: Vec<Value>) -> String {
    let rules: Vec<Value> = rules.iter().map(|rule| json!({"id": rule})).collect();
    pretty(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "stubborn", "version": version, "rules": rules}},
            "results": results,
        }],
    }))
}

fn entry(report: &Report, result: &PropertyResult) -> Value {
    let explanation = result.explanation().unwrap_or_default();
    let fairness = result.under_fairness();
    let mut message = format!("{}{fairness}: {explanation}", result.property);
    if let Some(start) = result.run.as_ref().and_then(|run| run.loop_start) {
        message.push_str(&format!("; the loop starts with step {}", start + 1));
    }
    let mut entry = json!({
        "ruleId": result.reason,
        "level": if result.verdict == Verdict::Violated { "error" } else { "warning" },
        "message": {"text": message},
        "locations": [place(result).unwrap_or_else(|| location(&report.path, 1, 1))],
    });
    if let Some(run) = &result.run {
        entry["codeFlows"] = json!([{"threadFlows": thread_flows(run, &report.path)}]);
    }
    entry
}

/// The place that a result is about: where something fails, where a loop starts, where a process is
/// stuck.
fn place(result: &PropertyResult) -> Option<Value> {
    if let Some(failure) = &result.failure {
        return (failure.line > 0).then(|| location(&failure.file, failure.line, failure.column));
    }
    let run = result.run.as_ref()?;
    let start = run.loop_start.filter(|_| !has_ended(run));
    let stuck = || run.standing.iter().find(|process| !process.end);
    match start {
        Some(start) => step_location(&run.steps[start]),
        None => stuck().map(|process| location(&process.file, process.line, 1)),
    }
}

/// Code scanning services refuse longer flows; of a longer trace the end is given.
const MAX_STEPS: usize = 1000;

/// One thread flow per process; the execution order tells how they interleave.
fn thread_flows(run: &Run, path: &str) -> Vec<Value> {
    let first = run.steps.len().saturating_sub(MAX_STEPS);
    let steps = || run.steps.iter().enumerate().skip(first).filter(|(_, step)| !step.step.is_stutter());
    let mut pids: Vec<u16> = steps().map(|(_, step)| step.text.pid).collect();
    pids.sort_unstable();
    pids.dedup();
    let flow = |pid: u16| {
        let own = steps().filter(|(_, step)| step.text.pid == pid);
        let locations: Vec<Value> = own
            .map(|(index, step)| {
                let mut place = step_location(step).unwrap_or_else(|| location(path, 1, 1));
                let changes: Vec<String> = step.changes.iter().filter_map(human::change).collect();
                place["message"] =
                    json!({"text": format!("{} {}", step.text.action, changes.join(", ")).trim_end()});
                json!({"executionOrder": index + 1, "location": place})
            })
            .collect();
        json!({"id": pid.to_string(), "locations": locations})
    };
    pids.into_iter().map(flow).collect()
}

/// Where a step is written; firings of nets are nowhere.
fn step_location(step: &RunStep) -> Option<Value> {
    let text = &step.text;
    text.process.as_ref().map(|_| location(&text.file, text.location.line, text.location.column))
}

fn location(file: &str, line: u32, column: u32) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(file)},
        "region": {"startLine": line.max(1), "startColumn": column.max(1)},
    }})
}

/// A path as a URI: what may not stand there is written in hexadecimal.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("models/a-1.pml"), "models/a-1.pml");
        assert_eq!(uri("a b/ä <1>.pml"), "a%20b/%C3%A4%20%3C1%3E.pml");
    }

    #[test]
    fn errors_are_results_with_a_place_if_they_have_one() {
        let mut placed = ErrorRecord::new("E0301", "syntax");
        (placed.file, placed.line, placed.column) = (Some("a.pml".to_string()), Some(3), Some(7));
        let text = errors(&[placed, ErrorRecord::new("E0001", "usage")], "1.0");
        let log: Value = serde_json::from_str(&text).expect("SARIF is JSON");
        let results = &log["runs"][0]["results"];
        assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
        assert_eq!(results[1]["ruleId"], "E0001");
        assert!(results[1].get("locations").is_none());
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][0]["id"], "E0001");
    }
}
