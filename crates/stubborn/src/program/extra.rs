//! Formulas and automata from elsewhere, put into words that can be read behind the model: so they can use its macros.

use std::io::Read;
use std::path::Path;

use logic::{Dialect, Notation, Parsed};
use model::Patience;
use promela::tree;
use source::{Diagnostic, FileId, Rejected, Span};

use crate::error::{Error, reason};
use crate::what::{What, is_name};

use super::ask::Condition;

/// How formulas of the user are called in messages.
const FORMULA: &str = "--ltl";

/// Properties that are not in the model.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// Formulas.
    pub(super) formulas: Vec<Formula>,
    /// Where never claims come from, and their texts.
    pub automata: Vec<(String, String)>,
    /// What is suspicious about them.
    pub(super) warnings: Vec<String>,
}

/// A formula that is not in the model.
#[derive(Clone, Debug)]
pub(super) struct Formula {
    /// Where it comes from.
    name: String,
    /// What stands in its `ltl` block, with all brackets.
    text: String,
    /// The same as the user has written it, if it may stand there.
    given: Option<String>,
}

impl Extra {
    /// What is asked for besides the model's own properties.
    ///
    /// # Errors
    /// If a formula or an automaton cannot be read, or if it takes too long.
    pub fn of(what: &What, patience: &Patience) -> Result<Extra, Error> {
        let mut extra = Extra::default();
        for text in what.ltl.iter().filter(|text| !is_name(text)) {
            let parsed = parse_formula(FORMULA, text, what.dialect)?;
            extra.warnings.extend(formula_warnings(FORMULA, &parsed));
            let given = (parsed.dialect == Dialect::Inline).then(|| text.clone());
            extra.formulas.push(Formula { name: FORMULA.to_string(), text: spin_text(&parsed), given });
        }
        for path in &what.automaton {
            let (name, claim) = read_automaton(path, patience)?;
            extra.automata.push((name, with_name(claim, &identifier(path))));
        }
        Ok(extra)
    }

    /// Whether there are formulas.
    pub(super) fn has_formulas(&self) -> bool {
        !self.formulas.is_empty()
    }

    /// The texts to be read behind the model.
    pub(super) fn sources(&self) -> Vec<(String, String)> {
        let block = |formula: &Formula| (formula.name.clone(), format!("ltl {{ {} }}\n", formula.text));
        self.formulas.iter().map(block).chain(self.automata.iter().cloned()).collect()
    }

    /// The same with the formulas as they were written, each a text of its own: then errors have their
    /// places in it.
    pub(super) fn sources_as_given(&self) -> Vec<(String, String)> {
        let mut sources = Vec::new();
        for formula in &self.formulas {
            let text = formula.given.as_ref().unwrap_or(&formula.text);
            sources.extend(["ltl {", text, "}\n"].map(|text| (formula.name.clone(), text.to_string())));
        }
        sources.extend(self.automata.iter().cloned());
        sources
    }

    /// The texts hold what they should, and nothing that would change the model.
    pub(super) fn expect_properties_only(&self, program: &tree::Program) -> Result<(), Error> {
        let n_in = |name: &str, spans: &mut dyn Iterator<Item = Span>| {
            spans.filter(|span| program.sources.file(span.file).name == name).count()
        };
        let n_others = |name: &str| {
            let processes = program.proctypes.iter().map(|process| process.span);
            let variables = program.vars.iter().map(|variable| variable.span);
            n_in(name, &mut processes.chain(variables).chain(program.trace.iter().map(|trace| trace.span)))
        };
        let n_claims = |name: &str| n_in(name, &mut program.claims.iter().map(|claim| claim.span));
        let n_formulas = |name: &str| n_in(name, &mut program.ltl.iter().map(|ltl| ltl.span));
        for (name, _) in &self.automata {
            if (n_claims(name), n_formulas(name), n_others(name)) != (1, 0, 0) {
                let message = "this is neither an automaton in the HOA format nor one never claim";
                return Err(Error::about(name, "E0012", message));
            }
        }
        for Formula { name, .. } in &self.formulas {
            if (n_claims(name), n_formulas(name), n_others(name)) != (0, self.formulas.len(), 0) {
                return Err(Error::about(name, "E0011", "there is something behind the formula"));
            }
        }
        Ok(())
    }
}

/// Conditions as texts to be read behind the model: blocks of formulas without temporal operators, each a text of its own,
/// so that errors have their places in it.
pub(super) fn sources_of(conditions: &[Condition]) -> Vec<(String, String)> {
    let mut sources = Vec::new();
    for (number, Condition { origin, text, line }) in conditions.iter().enumerate() {
        let text = "\n".repeat(*line) + text;
        let block = [format!("ltl _condition_{number} {{"), text, "}\n".to_string()];
        sources.extend(block.map(|text| (origin.clone(), text)));
    }
    sources
}

/// What begins the block that a text of the user stands in, and what ends it.
const BLOCK: [&str; 2] = ["ltl ", "}\n"];

/// Errors at the brackets around a text of the user are errors at its end.
pub(super) fn in_own_text(mut rejected: Box<Rejected>) -> Box<Rejected> {
    let sources = &rejected.sources;
    let own = |file: FileId| {
        let text = sources.file(file).text.as_str();
        let begins = text.starts_with(BLOCK[0]) && text.ends_with('{');
        if begins { file.0.checked_add(1) } else { (text == BLOCK[1]).then(|| file.0.checked_sub(1))? }
    };
    for diagnostic in &mut rejected.diagnostics {
        if let Some(file) = diagnostic.span.and_then(|span| own(span.file)).map(FileId) {
            let end = sources.file(file).text.len();
            diagnostic.span = Some(Span { file, ..Span::at(end) });
        }
    }
    rejected
}

/// The texts of conditions hold what they should, and nothing that would change the model.
pub(super) fn expect_conditions_only(conditions: &[Condition], program: &tree::Program) -> Result<(), Error> {
    let expected = (0..conditions.len()).map(|number| format!("_condition_{number}"));
    let found = program.ltl.iter().rev().take(conditions.len()).rev().map(|ltl| &ltl.name);
    let is_from_elsewhere = |span: Span| {
        let name = &program.sources.file(span.file).name;
        conditions.iter().any(|condition| condition.origin == *name)
    };
    let processes = program.proctypes.iter().map(|process| process.span);
    let variables = program.vars.iter().map(|variable| variable.span);
    let claims = program.claims.iter().map(|claim| claim.span);
    let traces = program.trace.iter().map(|trace| trace.span);
    let mut others = processes.chain(variables).chain(claims).chain(traces);
    match conditions.first() {
        Some(first) if !expected.eq(found.cloned()) || others.any(is_from_elsewhere) => {
            Err(Error::about(&first.origin, "E0011", "there is something behind the condition"))
        }
        _ => Ok(()),
    }
}

/// Reads a formula; `name` is where it comes from.
///
/// # Errors
/// If it is none.
pub fn parse_formula(name: &str, text: &str, dialect: Dialect) -> Result<Parsed, Error> {
    logic::parse(text, dialect).map_err(|error| {
        let mut diagnostic = Diagnostic::error("E0011", error.message).at(Span::from(error.span));
        diagnostic.help = error.help;
        Error::in_text(name, text, diagnostic)
    })
}

/// What is suspicious about a formula, in one line each.
pub fn formula_warnings(name: &str, parsed: &Parsed) -> Vec<String> {
    parsed.warnings.iter().map(|warning| format!("{name}: {}", warning.message)).collect()
}

/// A formula as it may stand in an `ltl` block, with all brackets.
fn spin_text(parsed: &Parsed) -> String {
    logic::print(&parsed.formula, Notation::Spin, &String::clone)
}

/// An automaton as a never claim, and how that is called in messages.
///
/// # Errors
/// If it cannot be read, or if it takes too long.
pub fn read_automaton(path: &Path, patience: &Patience) -> Result<(String, String), Error> {
    let name = path.display().to_string();
    let refuse = |message: String| Error::about(&name, "E0012", message);
    let limit = promela::MAX_SOURCE_BYTES as u64;
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
    read.map_err(|error| refuse(reason(&error)))?;
    if bytes.len() as u64 > limit {
        return Err(refuse(format!("larger than {} MiB", limit >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|_| refuse("the text is not UTF-8".to_string()))?;
    if text.trim_start().starts_with("HOA:") {
        Ok((format!("{name} (as a never claim)"), claim_of_hoa(&name, &text, patience)?))
    } else {
        Ok((name, text))
    }
}

fn claim_of_hoa(name: &str, text: &str, patience: &Patience) -> Result<String, Error> {
    let (automaton, atoms) = logic::hoa::read(text, patience)?.map_err(|error| {
        let place = Span::at(offset(text, error.line, error.column));
        Error::in_text(name, text, Diagnostic::error("E0012", error.message).at(place))
    })?;
    let suits = automaton.n_sets <= 1 && automaton.is_state_based();
    let automaton = if suits { automaton } else { logic::degeneralise(&automaton, patience)? };
    Ok(logic::never(&automaton, &atoms, "").expect("the automaton was made state-based"))
}

/// Where a line and a column, both from 1, lie in a text.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = text[start..].char_indices().nth(column.saturating_sub(1));
    rest.map_or(text.len(), |(at, _)| start + at)
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
