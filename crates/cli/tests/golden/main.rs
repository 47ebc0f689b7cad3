//! What `stubborn check` says of all bundled models and of those of the tests, under a grid of options, on one thread:
//! exit status, verdicts, methods, counts, traces, and the messages of refusals. All of it is compared with the tables in
//! `tests/golden`, so that a change of structure is seen to change nothing else, and an intended difference is a line
//! that can be reviewed.
//!
//! `cargo xtask golden --bless` writes the tables anew.

mod grid;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use grid::{Run, Table};

#[test]
fn programs_are_checked_as_before() {
    compare(&grid::programs());
}

#[test]
fn tiny_programs_are_checked_as_before() {
    compare(&grid::language());
}

#[test]
fn nets_are_checked_as_before() {
    compare(&grid::nets());
}

/// Runs a table's grid and compares the lines with the stored ones, or stores them.
fn compare(table: &Table) {
    let file = grid::workspace().join("tests/golden").join(table.name).with_extension("tsv");
    let found = lines(table);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, found.concat()).expect("the table can be written");
        return;
    }
    let stored = std::fs::read_to_string(&file).unwrap_or_default();
    let stored: Vec<&str> = stored.split_inclusive('\n').collect();
    let mut differences = String::new();
    for line in found.iter().filter(|line| !stored.contains(&line.as_str())) {
        write!(differences, "+ {line}").expect("a string takes it");
    }
    for line in stored.iter().filter(|line| !found.iter().any(|found| found == *line)) {
        write!(differences, "- {line}").expect("a string takes it");
    }
    let head = "with `cargo xtask golden --bless` the lines with + take the place of those with -";
    assert!(differences.is_empty(), "{}: {head}\n{differences}", file.display());
}

/// A line for each run, in order; the runs share the cores.
fn lines(table: &Table) -> Vec<String> {
    let folder = tempfile::tempdir().expect("there is room for models");
    for (name, text) in &table.models {
        std::fs::write(folder.path().join(name), text).expect("models can be written");
    }
    let next = AtomicUsize::new(0);
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut lines: Vec<(usize, String)> = std::thread::scope(|scope| {
        let work = || {
            let mut lines = Vec::new();
            // Relaxed: only the number must be unique.
            while let Some((at, run)) = take(&next, &table.runs) {
                lines.push((at, line(run, folder.path())));
            }
            lines
        };
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no run panics")).collect()
    });
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}

fn take<'a>(next: &AtomicUsize, runs: &'a [Run]) -> Option<(usize, &'a Run)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, runs.get(at)?))
}

/// The model, the options, the exit status, and what was answered.
fn line(run: &Run, folder: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stubborn"));
    let path: PathBuf = if run.is_bundled { grid::workspace() } else { folder.to_path_buf() };
    command.current_dir(path).arg("check").arg(&run.model).args(&run.options);
    command.args(["--threads", "1", "--format", "json", "--no-progress"]);
    let output = command.stdin(Stdio::null()).output().expect("stubborn runs");
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let told: Vec<String> = match (said["results"].as_array(), said["errors"].as_array()) {
        (Some(results), _) => results.iter().map(result).collect(),
        (_, Some(errors)) => errors.iter().map(error).collect(),
        // The command line itself is wrong.
        _ => vec![String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_string()],
    };
    let code = output.status.code().map_or("killed".to_string(), |code| code.to_string());
    format!("{}\t{}\t{code}\t{}\n", run.model, run.options.join(" "), told.join(" ; "))
}

fn result(result: &Value) -> String {
    let word = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_string(),
        other => other.to_string(),
    };
    let method = &result["method"];
    let method = ["search", "por", "fairness", "store", "engine"].map(|key| word(&method[key])).join("/");
    let counts = ["states", "transitions", "depth", "errors"].map(|key| word(&result[key])).join("/");
    let mut told = [&result["property"], &result["verdict"], &result["reason"]].map(word).join(" ");
    write!(told, " {method} {counts}").expect("a string takes it");
    if !result["value"].is_null() {
        write!(told, " value:{}", result["value"]).expect("a string takes it");
    }
    if let Some(steps) = result["trace"]["steps"].as_array() {
        let digest = digest(&result["trace"].to_string());
        write!(told, " trace:{}:{digest:08x}", steps.len()).expect("a string takes it");
    }
    told
}

fn error(error: &Value) -> String {
    let text = |key: &str| error[key].as_str().unwrap_or("-").to_string();
    format!("{}: {}", text("code"), text("message"))
}

/// FNV-1a, folded.
fn digest(text: &str) -> u32 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)) as u32
}
