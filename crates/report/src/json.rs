//! The result of a check as one JSON object, as the contract describes it.

use std::io::{self, Write};

use model::Patience;
use replay::json::{JsonFailure, Told};
use serde::Serialize;

use crate::data::{Counts, Method, PropertyResult, Report, Tokens, Verdict};
use crate::diagnostics::ErrorRecord;

#[derive(Serialize)]
struct Root<'a> {
    schema: u32,
    tool: Tool,
    model: Model<'a>,
    results: Vec<Entry<'a>>,
    #[serde(skip_serializing_if = "<[ErrorRecord]>::is_empty")]
    errors: &'a [ErrorRecord],
    seconds: f64,
    peak_rss_bytes: u64,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Model<'a> {
    path: &'a str,
    language: &'a str,
}

#[derive(Serialize)]
struct Entry<'a> {
    property: &'a str,
    kind: &'a str,
    formula: Option<&'a str>,
    verdict: Verdict,
    reason: Option<&'a str>,
    method: &'a Method,
    #[serde(flatten)]
    counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    edges: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<Tokens>,
    warnings: Vec<&'a String>,
    trace: Option<Told<'a>>,
    failure: Option<&'a JsonFailure>,
}

/// Writes a report, of which traces have only as many steps as there is patience.
///
/// # Errors
/// If it cannot be written.
pub fn write(report: &Report, patience: &Patience, out: impl Write) -> io::Result<()> {
    let root = Root {
        schema: 1,
        tool: Tool { name: "stubborn", version: report.version },
        model: Model { path: &report.path, language: report.language },
        results: report.results.iter().map(|result| entry(result, patience)).collect(),
        errors: &report.errors,
        seconds: report.seconds,
        peak_rss_bytes: report.peak_rss_bytes,
    };
    write_pretty(&root, out)
}

fn entry<'a>(result: &'a PropertyResult, patience: &'a Patience) -> Entry<'a> {
    Entry {
        property: &result.property,
        kind: result.kind,
        formula: result.formula.as_deref(),
        verdict: result.verdict,
        reason: result.reason.as_deref(),
        method: &result.method,
        counts: result.counts,
        edges: result.edges,
        value: result.value,
        tokens: result.tokens,
        warnings: result.warnings.iter().chain(&result.notes).collect(),
        trace: result.run.as_ref().map(|run| replay::json::trace(run).within(patience)),
        failure: result.failure.as_ref(),
    }
}

/// Any of our data as indented JSON, with a newline at the end.
pub fn pretty(data: &impl Serialize) -> String {
    let mut text = Vec::new();
    write_pretty(data, &mut text).expect("plain data can always be written as JSON");
    String::from_utf8(text).expect("JSON is text")
}

/// The same, written piece by piece.
///
/// # Errors
/// If it cannot be written.
pub fn write_pretty(data: &impl Serialize, mut out: impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, data)?;
    out.write_all(b"\n")
}
