//! SARIF 2.1.0, for code scanning services: one result per property that is violated or undecided,
//! with the trace as a code flow.

use replay::{Run, RunStep};
use serde_json::{Value, json};

use crate::data::{PropertyResult, Report, Verdict};
use crate::human;
use crate::json::pretty;

/// Writes a report.
pub fn render(report: &Report) -> String {
    let open = || report.results.iter().filter(|result| result.verdict != Verdict::Holds);
    let mut rules: Vec<&str> = open().filter_map(|result| result.reason.as_deref()).collect();
    rules.sort_unstable();
    rules.dedup();
    let rules: Vec<Value> = rules.iter().map(|rule| json!({"id": rule})).collect();
    let results: Vec<Value> = open().map(|result| entry(report, result)).collect();
    pretty(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "stubborn", "version": report.version, "rules": rules}},
            "results": results,
        }],
    }))
}

fn entry(report: &Report, result: &PropertyResult) -> Value {
    let explanation = result.explanation().unwrap_or_default();
    let stuck = result.run.as_ref().and_then(|run| run.standing.iter().find(|process| !process.end));
    let place = match (&result.failure, stuck) {
        (Some(failure), _) if failure.line > 0 => location(&failure.file, failure.line, failure.column),
        (None, Some(process)) => location(&process.file, process.line, 1),
        _ => location(&report.path, 1, 1),
    };
    let mut entry = json!({
        "ruleId": result.reason,
        "level": if result.verdict == Verdict::Violated { "error" } else { "warning" },
        "message": {"text": format!("{}: {explanation}", result.property)},
        "locations": [place],
    });
    if let Some(run) = &result.run {
        entry["codeFlows"] = json!([{"threadFlows": thread_flows(run)}]);
    }
    entry
}

/// One thread flow per process; the execution order tells how they interleave.
fn thread_flows(run: &Run) -> Vec<Value> {
    let mut pids: Vec<u16> = run.steps.iter().map(|step| step.text.pid).collect();
    pids.sort_unstable();
    pids.dedup();
    let flow = |pid: u16| {
        let own = run.steps.iter().enumerate().filter(|(_, step)| step.text.pid == pid);
        let locations: Vec<Value> = own
            .map(|(index, step)| {
                let mut place = step_location(step);
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

fn step_location(step: &RunStep) -> Value {
    location(&step.text.file, step.text.location.line, step.text.location.column)
}

fn location(file: &str, line: u32, column: u32) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": file},
        "region": {"startLine": line.max(1), "startColumn": column.max(1)},
    }})
}
