//! Programs: Promela, and the representation to which it is translated.

mod ask;
mod engine;
mod evidence;
pub(crate) mod extra;
mod live;
mod properties;
mod unreached;

use std::path::Path;
use std::sync::Arc;

use check::options::Engine;
use check::soundness::{Setting, Value};
use check::system::{Facts, Stage, StageNeed, Undecided};
use check::{Property, System};
use ir::{Expr, Failures, Interpreter, Mark, Player};
use model::{BitSet, Failure, Lift, Location, Model, Patience, Play, PredicateId};
use promela::Refused;
use source::{Diagnostic, Position, Sources, Span};

pub use properties::Properties;

use crate::error::Error;
use crate::language::{self, Language, Source};
use crate::what::{Reading, What};
use ask::{Condition, EXECUTED, Wishes};
use extra::Extra;
use properties::{Found, kind_of};

/// A program with what is asked of it.
pub struct Program {
    path: String,
    language: Language,
    /// As it was written.
    original: Arc<Interpreter>,
    /// What is explored of it.
    searched: Arc<Interpreter>,
    /// The way back.
    lifts: Lifts,
    /// What may be explored instead, and the way back from there.
    smaller: Option<(Arc<Interpreter>, Lifts)>,
    facts: Facts,
    /// For each predicate, whether it may have no value in some state.
    may_fail: Vec<bool>,
    properties: Properties,
    asked: Vec<Property>,
    /// What is wrong with properties that are asked for and cannot be checked.
    refused: Vec<Diagnostic>,
    warnings: Warnings,
}

/// What is suspicious about a model.
#[derive(Debug, Default)]
pub struct Warnings {
    /// The texts.
    pub sources: Sources,
    /// What was found in them.
    pub diagnostics: Vec<Diagnostic>,
    /// What was found in texts from elsewhere, in one line each.
    pub others: Vec<String>,
}

impl Program {
    /// Reads a program, and what is asked of it.
    ///
    /// # Errors
    /// If there are errors in it or in the questions, or if it takes too long.
    pub fn open(
        source: Source,
        reading: &Reading,
        what: &What,
        patience: &Patience,
    ) -> Result<Program, Error> {
        Program::open_with(source, reading, what, Extra::of(what, patience)?, patience)
    }

    /// The same with formulas and automata that were already read.
    ///
    /// # Errors
    /// If there are errors in it or in the questions, or if it takes too long.
    pub fn open_with(
        source: Source,
        reading: &Reading,
        what: &What,
        extra: Extra,
        patience: &Patience,
    ) -> Result<Program, Error> {
        let Source { path, language, bytes } = source;
        let wishes = Wishes::of(what)?;
        let mut text = match language {
            Language::Ir => read_ir(&path, bytes, &wishes.conditions)?,
            _ => read_promela(&path, bytes, reading, extra, &wishes.conditions, patience)?,
        };
        text.warnings.others.extend(wishes.warnings.iter().cloned());
        let asked = wishes.properties(&text.conditions, &mut text.program)?;
        Program::new(path, language, text, asked, (reading, what), patience)
    }

    fn new(
        path: String,
        language: Language,
        text: Text,
        wishes: Vec<Property>,
        (reading, what): (&Reading, &What),
        patience: &Patience,
    ) -> Result<Program, Error> {
        let Text { mut program, temporal, n_formulas, n_automata, refused, mut warnings, .. } = text;
        if reading.max_processes > ir::MAX_PROCESSES && program.last.is_some() {
            let message = format!(
                "`--max-processes {}`: the model uses `_last`, which cannot hold a number above {}",
                reading.max_processes,
                ir::MAX_PROCESSES
            );
            return Err(Error::new("E0001", message));
        }
        program.lossy |= reading.loses_messages;
        let progress = Box::new(Expr::SomeAt(Mark::Progress));
        let non_progress = add_predicate(&mut program, Expr::Unary(ir::UnaryOp::Not, progress), "np_");
        let accept = add_predicate(&mut program, Expr::SomeAt(Mark::Accept), "accept");
        let locations = || program.processes.iter().flat_map(|process| &process.locations);
        let properties = Properties::of(&Found {
            temporal: &temporal,
            n_formulas,
            n_automata,
            non_progress,
            accept: (accept, locations().any(|location| location.accept)),
            checks: what.checks(),
            refused: &refused,
        });
        let asked = properties.select(what, wishes)?;
        let (wrong, others): (Vec<Refused>, Vec<Refused>) = refused.into_iter().partition(|one| {
            asked.iter().any(|property| property.name == one.name && property.kind == kind_of(one))
        });
        let sources = &warnings.sources;
        let unasked = others.iter().map(|one| {
            let first = one.diagnostics.first().map_or("", |error| error.message.as_str());
            let Position { line, .. } = sources.position(one.span);
            format!(
                "{}:{line}: the property `{}` cannot be checked: {first}",
                sources.file(one.span.file).name,
                one.name
            )
        });
        let unasked: Vec<String> = unasked.collect();
        warnings.others.extend(unasked);
        let asked: Vec<Property> = asked
            .into_iter()
            .filter(|property| {
                !wrong.iter().any(|one| property.name == one.name && property.kind == kind_of(one))
            })
            .collect();
        let diagnostics: Vec<Diagnostic> = wrong.into_iter().flat_map(|one| one.diagnostics).collect();
        if asked.is_empty() && !diagnostics.is_empty() {
            return Err(Error::in_texts(warnings.sources.clone(), diagnostics));
        }
        let (changed, lifts) = passes(&program, (reading.resets_dead, reading.merges), patience)?;
        let is_changed = reading.resets_dead || reading.merges;
        let (smaller, smaller_lifts) =
            if is_changed { (None, Vec::new()) } else { passes(&program, (true, true), patience)? };
        let executor = |program| {
            let mut interpreter = Interpreter::new(program);
            interpreter.require_empty_channels(reading.is_strict_about_ends);
            interpreter.allow_processes(reading.max_processes);
            Arc::new(interpreter)
        };
        let original = executor(program);
        let searched = changed.map_or_else(|| original.clone(), executor);
        let smaller = smaller.map(|program| (executor(program), smaller_lifts));
        let failures = Failures::of(&searched);
        let values = Setting::default()
            .with_if(Value::MayFail, failures.in_program())
            .with_if(Value::ManyOutcomes, has_chains(searched.program()))
            .with_if(Value::Reset, reading.resets_dead)
            .with_if(Value::Chains, reading.merges);
        let values = searched.hindrance().map_or(values, |hindrance| values.with(hindrance.into()));
        let predicates = 0..searched.program().predicates.len() as u32;
        let may_fail = predicates.map(|number| failures.in_predicate(PredicateId(number))).collect();
        let n_actions = searched.n_transitions();
        let compressed = smaller.as_ref().map(|(smaller, _)| {
            let values = Setting::of(&[Value::Reset, Value::Chains]);
            values.with_if(Value::ManyOutcomes, has_chains(smaller.program()))
        });
        let facts = Facts { values, compressed, n_actions, has_ends: true, ..Facts::default() };
        Ok(Program {
            path,
            language,
            original,
            searched,
            lifts,
            smaller,
            facts,
            may_fail,
            properties,
            asked,
            refused: diagnostics,
            warnings,
        })
    }

    /// Its name, as the user gave it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Its language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// What executes it as it was written.
    pub fn interpreter(&self) -> &Arc<Interpreter> {
        &self.original
    }

    /// What executes what is explored of it.
    pub fn searched(&self) -> &Arc<Interpreter> {
        &self.searched
    }

    /// Its properties.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// What is asked.
    pub fn asked(&self) -> &[Property] {
        &self.asked
    }

    /// What is wrong with properties that are asked for and cannot be checked; the others can.
    pub fn refused(&self) -> Option<Error> {
        let is_fine = self.refused.is_empty();
        (!is_fine).then(|| Error::in_texts(self.warnings.sources.clone(), self.refused.clone()))
    }

    /// What is suspicious about it.
    pub fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("path", &self.path)
            .field("asked", &self.asked)
            .finish_non_exhaustive()
    }
}

impl System for Program {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn may_fail(&self, predicate: PredicateId) -> bool {
        self.may_fail.get(predicate.0 as usize).is_none_or(|may_fail| *may_fail)
    }

    fn engine(&self, wanted: Engine, memory: Option<u64>) -> Engine {
        engine::engine(wanted, memory)
    }

    fn stage(&self, need: &StageNeed, _patience: &Patience) -> Result<Stage, Undecided> {
        let smaller = self.smaller.as_ref().filter(|_| need.compressed);
        let (program, lifts) =
            smaller.map_or((&self.searched, &self.lifts), |(program, lifts)| (program, lifts));
        let model = engine::executor(program, need);
        let is_compressed = smaller.is_some() || self.facts.values.has(Value::Chains);
        Ok(Stage { model, lifts: lifts.clone(), is_compressed, cut: Arc::default() })
    }

    fn unreached(&self, executed: &BitSet) -> Vec<check::answer::Unreached> {
        unreached::unreached(&self.original, executed)
    }

    fn play(&self) -> Result<Box<dyn Play + '_>, Failure> {
        Player::start(&self.original)
    }
}

/// Whether the text that a report has of a question is a formula that can be read again.
fn is_formula(text: &str) -> bool {
    !text.starts_with(EXECUTED)
}

/// Whether a step may be followed by others in an atomic sequence, which may branch.
fn has_chains(program: &ir::Program) -> bool {
    let locations = program.processes.iter().flat_map(|process| &process.locations);
    locations.flat_map(|location| &location.transitions).any(|transition| transition.chain)
}

/// The way back from a changed program.
type Lifts = Vec<Arc<dyn Lift>>;

/// What is explored instead of a program, and the way back.
type Changed = (Option<ir::Program>, Lifts);

/// A change of programs.
type Pass = fn(&ir::Program, &Patience) -> ir::transform::Changed;

/// Does to a program what is wanted before it is explored.
fn passes(
    program: &ir::Program,
    (resets_dead, merges): (bool, bool),
    patience: &Patience,
) -> Result<Changed, Error> {
    let passes: [(bool, Pass); 2] =
        [(resets_dead, ir::transform::reset_dead_variables), (merges, ir::transform::merge_statements)];
    let (mut changed, mut lifts) = (None, Lifts::new());
    for (_, pass) in passes.into_iter().filter(|(is_wanted, _)| *is_wanted) {
        if let Some((program, provenance)) = pass(changed.as_ref().unwrap_or(program), patience)? {
            changed = Some(program);
            lifts.push(Arc::new(provenance));
        }
    }
    Ok((changed, lifts))
}

/// A program with what was found beside it.
struct Text {
    program: ir::Program,
    temporal: Vec<promela::Property>,
    n_formulas: usize,
    n_automata: usize,
    /// The predicates that are conditions of the user.
    conditions: Vec<PredicateId>,
    /// The claims and formulas that are not accepted.
    refused: Vec<Refused>,
    warnings: Warnings,
}

fn read_promela(
    path: &str,
    bytes: Vec<u8>,
    reading: &Reading,
    extra: Extra,
    conditions: &[Condition],
    patience: &Patience,
) -> Result<Text, Error> {
    let name = if path == "-" { "<stdin>" } else { path };
    let text = promela::decode(name, bytes)?;
    let names = reading.defines.iter().map(|text| text.split('=').next().unwrap_or_default());
    names.chain(reading.undefines.iter().map(String::as_str)).try_for_each(expect_macro_name)?;
    let define = |text: &String| match text.split_once('=') {
        Some((name, value)) => (name.to_string(), Some(value.to_string())),
        None => (text.clone(), None),
    };
    let mut options = promela::Options {
        defines: reading.defines.iter().map(define).collect(),
        undefines: reading.undefines.clone(),
        include_dirs: reading.include_dirs.clone(),
        extra: [extra.sources(), extra::sources_of(conditions)].concat(),
        patience: patience.clone(),
    };
    let load = |path: &Path| language::read_part(path);
    let parsed = promela::parse(name, text.clone(), &options, &load)?;
    // What the user has added must be right; of the model's own claims and formulas the others can do without one.
    let extra_names: Vec<String> = options.extra.iter().map(|(name, _)| name.clone()).collect();
    let is_extra = |sources: &Sources, one: &Refused| extra_names.contains(&sources.file(one.span.file).name);
    let is_given = parsed.refused.iter().any(|one| is_extra(&parsed.program.sources, one));
    let parsed = if is_given { parsed.accept() } else { parsed.accept_partly() };
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(rejected) if extra.has_formulas() => {
            options.extra = [extra.sources_as_given(), extra::sources_of(conditions)].concat();
            let located = promela::parse(name, text, &options, &load)?.accept().err();
            return Err(extra::in_own_text(located.unwrap_or(rejected)).into());
        }
        Err(rejected) => return Err(extra::in_own_text(rejected).into()),
    };
    extra.expect_properties_only(&parsed.program)?;
    extra::expect_conditions_only(conditions, &parsed.program)?;
    let lowered = promela::lower_with_conditions(&parsed.program, conditions.len(), patience)?
        .map_err(|diagnostics| Error::in_texts(parsed.program.sources.clone(), diagnostics))?;
    let refused = [parsed.refused, lowered.refused].concat();
    if let Some(given) = refused.iter().find(|one| is_extra(&parsed.program.sources, one)) {
        return Err(Error::in_texts(parsed.program.sources.clone(), given.diagnostics.clone()));
    }
    let found = conditions.iter().zip(lowered.conditions).map(|(condition, found)| {
        let message = "a condition on one state has no temporal operators";
        found.ok_or_else(|| {
            Error::in_text(
                &condition.origin,
                &condition.text,
                Diagnostic::error("E0011", message).at(Span::at(0)),
            )
        })
    });
    let conditions = found.collect::<Result<_, _>>()?;
    let mut program = lowered.program;
    name_places(&mut program);
    Ok(Text {
        conditions,
        refused,
        program,
        temporal: lowered.properties,
        n_formulas: extra.formulas.len(),
        n_automata: extra.automata.len(),
        warnings: Warnings {
            sources: parsed.program.sources,
            diagnostics: parsed.diagnostics,
            others: extra.warnings,
        },
    })
}

/// What is to be defined must be a name: `-D3=4` would never replace anything.
fn expect_macro_name(name: &str) -> Result<(), Error> {
    let fits = |c: char| c == '_' || c.is_ascii_alphanumeric();
    if name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(fits) {
        return Ok(());
    }
    let message = format!("`{name}` cannot be the name of a macro; write -DNAME, -DNAME=VALUE, -UNAME");
    Err(Error::new("E0005", message))
}

fn read_ir(path: &str, bytes: Vec<u8>, conditions: &[Condition]) -> Result<Text, Error> {
    let text = promela::decode(path, bytes)?;
    let mut program = ir::text::parse(&text).map_err(|error| Error::in_text(path, &text, *error))?;
    let mut read = Vec::new();
    for Condition { origin, text, .. } in conditions {
        let expr = ir::text::parse_condition(text, &program)
            .map_err(|error| Error::in_text(origin, text, *error))?;
        read.push(add_predicate(&mut program, expr, text));
    }
    ir::verify(&program).map_err(|errors| Error::about(path, "E0009", errors.join("; ")))?;
    let (temporal, warnings) = (Vec::new(), Warnings::default());
    let (conditions, refused) = (read, Vec::new());
    Ok(Text { program, temporal, n_formulas: 0, n_automata: 0, conditions, refused, warnings })
}

/// Texts of the user may have one name. A place in one of them is told with that name alone, so all are in the first.
fn name_places(program: &mut ir::Program) {
    let ir::Program { files, predicates, .. } = program;
    for predicate in predicates {
        let name = files.get(usize::from(predicate.source.file));
        let first = files.iter().position(|file| Some(file) == name);
        predicate.source.file = first.map_or(predicate.source.file, |first| first as u16);
    }
}

fn add_predicate(program: &mut ir::Program, expr: Expr, text: &str) -> PredicateId {
    program.predicates.push(ir::Predicate { expr, text: text.to_string(), source: Location::default() });
    PredicateId(program.predicates.len() as u32 - 1)
}
