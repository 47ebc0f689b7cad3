//! The public models and what Spin said of them (`expected.tsv`).

use std::path::{Path, PathBuf};

use crate::place;

/// A row of `expected.tsv`.
#[derive(Clone, Debug)]
pub struct Row {
    /// The model's path below the corpus.
    pub path: String,
    /// The model's path.
    pub file: PathBuf,
    /// Whether Spin takes it.
    pub accepted: bool,
    /// `holds` or `violated`; empty if unknown.
    pub safety: String,
    /// The first error that Spin reports.
    pub error_kind: String,
    /// The states of the complete search.
    pub states: Option<u64>,
    /// Its transitions.
    pub transitions: Option<u64>,
    /// What Spin says of its temporal properties.
    pub claims: Vec<Claim>,
    /// Why a cell is empty.
    pub note: String,
}

/// A temporal property, and what Spin says of it.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name, with `+fair` if only fair runs count: that of an `ltl` block or a never claim,
    /// `accept` for the accept labels, `non-progress` for the progress labels.
    pub name: String,
    /// `holds`, `violated` or `unknown`.
    pub verdict: String,
}

impl Claim {
    /// Whether only runs count that are fair to the processes.
    pub fn is_fair(&self) -> bool {
        self.name.ends_with("+fair")
    }

    /// The options of `stubborn check` that ask for it.
    pub fn options(&self) -> Vec<&str> {
        let mut options = match self.name.trim_end_matches("+fair") {
            "accept" => vec!["--acceptance"],
            "non-progress" => vec!["--progress"],
            // A block without a name.
            "ltl" => vec!["--property", "ltl_0"],
            name => vec!["--property", name],
        };
        if self.is_fair() {
            options.extend(["--fairness", "weak"]);
        }
        options
    }

    /// The same for `pan -a`.
    pub fn pan_options(&self) -> Vec<&str> {
        let mut options = match self.name.trim_end_matches("+fair") {
            "accept" | "never" => vec![],
            "ltl" => vec!["-N", "ltl_0"],
            name => vec!["-N", name],
        };
        if self.is_fair() {
            options.push("-f");
        }
        options
    }
}

impl Row {
    /// Whether the model contains C code.
    pub fn has_c_code(&self) -> bool {
        self.note.starts_with("embedded C")
            || std::fs::read(&self.file).is_ok_and(|bytes| has_c_code(&String::from_utf8_lossy(&bytes)))
    }
}

/// The rows whose path contains `filter`.
pub fn rows(filter: &str) -> Result<Vec<Row>, String> {
    let root = place::corpus()?;
    let table = root.join("expected.tsv");
    let text = std::fs::read_to_string(&table).map_err(|error| format!("{}: {error}", table.display()))?;
    let mut rows = parse(&root, &text);
    rows.retain(|row| row.path.contains(filter));
    Ok(rows)
}

/// The rows of a table whose paths are relative to `root`.
pub fn parse(root: &Path, table: &str) -> Vec<Row> {
    table.lines().skip(1).filter_map(|line| row(root, line)).collect()
}

fn row(root: &Path, line: &str) -> Option<Row> {
    let mut cells = line.split('\t');
    let path = cells.next()?.to_string();
    let accepted = cells.next()? == "accept";
    let mut cell = || cells.next().unwrap_or_default().to_string();
    let (safety, error_kind, states, transitions) = (cell(), cell(), cell(), cell());
    let (named, non_progress, note) = (cell(), cell(), cell());
    let (states, transitions) = (states.parse().ok(), transitions.parse().ok());
    let claims = claims(&named, &non_progress);
    Some(Row {
        file: root.join(&path),
        path,
        accepted,
        safety,
        error_kind,
        states,
        transitions,
        claims,
        note,
    })
}

/// `p=holds;p+fair=violated`, and the verdict on the progress labels, which may be empty.
fn claims(named: &str, non_progress: &str) -> Vec<Claim> {
    let claim =
        |(name, verdict): (&str, &str)| Claim { name: name.to_string(), verdict: verdict.to_string() };
    let progress = (!non_progress.is_empty()).then_some(("non-progress", non_progress));
    named.split(';').filter_map(|item| item.split_once('=')).chain(progress).map(claim).collect()
}

/// Whether a text uses embedded C outside comments.
fn has_c_code(text: &str) -> bool {
    let mut rest = text;
    while let Some(found) = rest.find("c_") {
        let word: String = rest[found..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let starts = !rest[..found].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if starts && ["c_code", "c_expr", "c_decl", "c_state", "c_track"].contains(&word.as_str()) {
            return !in_comment(text, text.len() - rest.len() + found);
        }
        rest = &rest[found + 2..];
    }
    false
}

fn in_comment(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let opened = before.rfind("/*");
    let closed = before.rfind("*/");
    let line = before.rfind('\n').map_or(0, |k| k + 1);
    before[line..].contains("//") || opened.is_some_and(|open| closed.is_none_or(|close| close < open))
}
