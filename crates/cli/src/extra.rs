//! Formulas and automata from the command line, put into words that can be read behind the model.

use std::io::Read;
use std::path::Path;

use logic::{Dialect, Notation, Parsed};
use report::diagnostics::ErrorRecord;

use crate::args::WhatArgs;
use crate::exit::Stop;
use crate::input::{Extra, Formula};
use crate::properties::is_name;
use crate::{Outcome, files};

/// How formulas on the command line are called in messages.
const FORMULA: &str = "--ltl";

/// What the options ask for besides the model's own properties.
pub fn from_options(what: &WhatArgs) -> Outcome<Extra> {
    let mut extra = Extra::default();
    for text in what.ltl.iter().filter(|text| !is_name(text)) {
        let parsed = parse(FORMULA, text, what.dialect.into())?;
        extra.warnings.extend(warnings(FORMULA, &parsed));
        let given = (parsed.dialect == Dialect::Inline).then(|| text.clone());
        extra.formulas.push(Formula { name: FORMULA.to_string(), text: spin_text(&parsed), given });
    }
    for path in &what.automaton {
        let (name, claim) = read_automaton(path)?;
        extra.automata.push((name, with_name(claim, &identifier(path))));
    }
    Ok(extra)
}

/// Reads a formula; `name` is where it comes from.
pub fn parse(name: &str, text: &str, dialect: Dialect) -> Outcome<Parsed> {
    logic::parse(text, dialect).map_err(|error| {
        let column = text[..error.span.start].chars().count() as u32 + 1;
        let mut record = ErrorRecord::new("E0011", error.message.as_str());
        (record.file, record.line, record.column) = (Some(name.to_string()), Some(1), Some(column));
        let length = text[error.span].chars().count();
        let help = error.help.map(|help| format!("  = help: {help}\n")).unwrap_or_default();
        let quoted = quote(text, column as usize - 1, length);
        let text = format!("error[E0011]: {name}: {}\n{quoted}{help}", record.message);
        Stop::Refused { records: vec![record], text }
    })
}

/// Characters of a formula that are quoted before and behind the start of an error.
const BEFORE: usize = 40;
const BEHIND: usize = 60;

/// A place in a formula, marked in what stands around it.
fn quote(text: &str, start: usize, length: usize) -> String {
    let skipped = start.saturating_sub(BEFORE);
    let around: String = text.chars().skip(skipped).take(BEFORE + BEHIND).collect();
    let around = around.replace(char::is_whitespace, " ");
    let dots = if skipped > 0 { "…" } else { "" };
    let indent = start - skipped + dots.chars().count();
    let marks = "^".repeat(length.clamp(1, BEHIND));
    format!("  | {dots}{around}\n  | {:indent$}{marks}\n", "")
}

/// What is suspicious about a formula, in one line each.
pub fn warnings(name: &str, parsed: &Parsed) -> Vec<String> {
    parsed.warnings.iter().map(|warning| format!("{name}: {}", warning.message)).collect()
}

/// A formula as it may stand in an `ltl` block, with all brackets.
pub fn spin_text(parsed: &Parsed) -> String {
    logic::print(&parsed.formula, Notation::Spin, &String::clone)
}

/// An automaton as a never claim, and how that is called in messages.
pub fn read_automaton(path: &Path) -> Outcome<(String, String)> {
    let name = path.display().to_string();
    let refuse = |message: String| Stop::refuse_file("E0012", &name, message);
    let limit = promela::MAX_SOURCE_BYTES as u64;
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
    read.map_err(|error| refuse(files::reason(&error)))?;
    if bytes.len() as u64 > limit {
        return Err(refuse(format!("larger than {} MiB", limit >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|_| refuse("the text is not UTF-8".to_string()))?;
    if text.trim_start().starts_with("HOA:") {
        Ok((format!("{name} (as a never claim)"), claim_of_hoa(&name, &text)?))
    } else {
        Ok((name, text))
    }
}

fn claim_of_hoa(name: &str, text: &str) -> Outcome<String> {
    let (automaton, atoms) = logic::hoa::read(text).map_err(|error| {
        let mut record = ErrorRecord::new("E0012", error.message.as_str());
        record.file = Some(name.to_string());
        (record.line, record.column) = (Some(error.line as u32), Some(error.column as u32));
        let text = format!("error[E0012]: {name}:{}:{}: {}\n", error.line, error.column, error.message);
        Stop::Refused { records: vec![record], text }
    })?;
    let suits = automaton.n_sets <= 1 && automaton.is_state_based();
    let automaton = if suits { automaton } else { logic::degeneralise(&automaton) };
    logic::never(&automaton, &atoms, "")
        .ok_or_else(|| Stop::Internal("an automaton was not made state-based".to_string()))
}

/// The name of a file as an identifier.
fn identifier(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("automaton_{name}") }
}

/// Gives a never claim a name, if it has none.
fn with_name(claim: String, name: &str) -> String {
    match claim.split_once("never") {
        Some((before, rest)) if rest.trim_start().starts_with('{') => format!("{before}never {name} {rest}"),
        _ => claim,
    }
}
