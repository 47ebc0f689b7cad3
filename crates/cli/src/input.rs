//! Reading a model: from a file name to something that can be run.

use std::io::Read;
use std::path::Path;

use std::sync::Arc;

use ir::{Expr, Interpreter, Mark};
use model::{Location, PredicateId};
use promela::tree;
use report::diagnostics::{self, ErrorRecord};
use source::{Diagnostic, Rejected, Sources, Span};

use crate::Outcome;
use crate::args::{Language, ModelArgs};
use crate::exit::Stop;
use crate::{files, output};

/// A model that can be run.
pub struct Input {
    /// Its name, as the user gave it.
    pub path: String,
    /// Its language.
    pub language: &'static str,
    /// What is run.
    pub interpreter: Arc<Interpreter>,
    /// The never claims, then the formulas; of each, those from the command line come last.
    pub properties: Vec<promela::Property>,
    /// How many of them are formulas from the command line.
    pub n_formulas: usize,
    /// How many of them are automata from the command line.
    pub n_automata: usize,
    /// The predicate that holds where no process is at a progress label.
    pub non_progress: PredicateId,
    /// The predicate that holds where some process is at an accept label.
    pub accept: PredicateId,
    /// Whether statements are merged, so that runs do not show how often a state is repeated.
    pub is_merged: bool,
    /// What is suspicious about it, in one line each.
    pub warnings: Vec<String>,
    /// The same, with the source around it.
    warning_text: String,
}

impl Input {
    /// Shows the warnings to the user.
    pub fn show_warnings(&self) {
        output::complain(&self.warning_text);
    }
}

/// What valid end states ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Every process at a proper place.
    Usual,
    /// Empty channels besides.
    Strict,
}

/// Properties that are not in the model.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// Formulas.
    pub formulas: Vec<Formula>,
    /// Where never claims come from, and their texts.
    pub automata: Vec<(String, String)>,
    /// What is suspicious about them.
    pub warnings: Vec<String>,
}

/// A formula that is not in the model.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Where it comes from.
    pub name: String,
    /// What stands in its `ltl` block, with all brackets.
    pub text: String,
    /// The same as the user has written it, if it may stand there.
    pub given: Option<String>,
}

impl Extra {
    /// The texts to be read behind the model.
    fn sources(&self) -> Vec<(String, String)> {
        let block = |formula: &Formula| (formula.name.clone(), format!("ltl {{ {} }}\n", formula.text));
        self.formulas.iter().map(block).chain(self.automata.iter().cloned()).collect()
    }

    /// The same with the formulas as they were written, each a text of its own: then errors have their
    /// places in it.
    fn sources_as_given(&self) -> Vec<(String, String)> {
        let mut sources = Vec::new();
        for formula in &self.formulas {
            let text = formula.given.as_ref().unwrap_or(&formula.text);
            sources.extend(["ltl {", text, "}\n"].map(|text| (formula.name.clone(), text.to_string())));
        }
        sources.extend(self.automata.iter().cloned());
        sources
    }
}

/// A file whose language is known.
pub struct Opened {
    /// Its name, as the user gave it.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Opens a model.
pub fn open(args: &ModelArgs) -> Outcome<Opened> {
    let path = args.model.clone();
    let is_net = args.language.or_else(|| by_ending(&path)).is_some_and(Language::is_of_nets);
    let bytes = read_bytes(&path, if is_net { MAX_NET_BYTES } else { promela::MAX_SOURCE_BYTES as u64 })?;
    let language = args.language.unwrap_or_else(|| recognise(&path, &bytes));
    Ok(Opened { path, language, bytes })
}

/// Reads a model together with properties from elsewhere.
pub fn read_with(args: &ModelArgs, opened: Opened, ends: Ends, extra: Extra) -> Outcome<Input> {
    let Opened { language, bytes, .. } = opened;
    match language {
        Language::Promela => read_promela(args, bytes, ends, extra),
        Language::Ir if !extra.formulas.is_empty() || !extra.automata.is_empty() => {
            Err(Stop::unavailable("a formula or automaton for a model in ir", "use the Promela model"))
        }
        Language::Ir => read_ir(args, bytes, ends),
        Language::Pnml | Language::Lola => {
            let message = "this command is for Promela, and this is a net; use `stubborn check`";
            Err(Stop::refuse_file("E0003", &args.model, message))
        }
    }
}

fn read_promela(args: &ModelArgs, bytes: Vec<u8>, ends: Ends, extra: Extra) -> Outcome<Input> {
    let name = if args.model == "-" { "<stdin>" } else { &args.model };
    let text = promela::decode(name, bytes)?;
    let names = args.defines.iter().map(|text| text.split('=').next().unwrap_or_default());
    for name in names.chain(args.undefines.iter().map(String::as_str)) {
        expect_macro_name(name)?;
    }
    let define = |text: &String| match text.split_once('=') {
        Some((name, value)) => (name.to_string(), Some(value.to_string())),
        None => (text.clone(), None),
    };
    let mut options = promela::Options {
        defines: args.defines.iter().map(define).collect(),
        undefines: args.undefines.clone(),
        include_dirs: args.include_dirs.clone(),
        extra: extra.sources(),
    };
    let load = |path: &Path| {
        let limit = promela::MAX_SOURCE_BYTES as u64;
        std::fs::File::open(path).and_then(|file| read_limited(file, limit))
    };
    let parsed = promela::parse(name, text.clone(), &options, &load).accept().map_err(|rejected| {
        options.extra = extra.sources_as_given();
        let is_open = !extra.formulas.is_empty();
        let located = is_open.then(|| promela::parse(name, text, &options, &load).accept().err());
        Stop::from(located.flatten().unwrap_or(rejected))
    })?;
    expect_properties_only(&parsed.program, &extra)?;
    let sources = &parsed.program.sources;
    let lowered =
        promela::lower_with_properties(&parsed.program).map_err(|errors| rejection(sources, &errors))?;
    let mut warnings: Vec<String> =
        parsed.diagnostics.iter().map(|warning| diagnostics::one_line(sources, warning)).collect();
    let mut warning_text = diagnostics::render(sources, &parsed.diagnostics);
    extra.warnings.iter().for_each(|warning| warning_text.push_str(&format!("warning: {warning}\n")));
    warnings.extend(extra.warnings);
    Ok(Input {
        warnings,
        warning_text,
        properties: lowered.properties,
        n_formulas: extra.formulas.len(),
        n_automata: extra.automata.len(),
        ..input(args, "promela", lowered.program, ends)?
    })
}

/// Texts from the command line hold what they should, and nothing that would change the model.
fn expect_properties_only(program: &tree::Program, extra: &Extra) -> Outcome<()> {
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
    for (name, _) in &extra.automata {
        if (n_claims(name), n_formulas(name), n_others(name)) != (1, 0, 0) {
            let message = "this is neither an automaton in the HOA format nor one never claim";
            return Err(Stop::refuse_file("E0012", name, message));
        }
    }
    for Formula { name, .. } in &extra.formulas {
        if (n_claims(name), n_formulas(name), n_others(name)) != (0, extra.formulas.len(), 0) {
            return Err(Stop::refuse_file("E0011", name, "there is more than a formula"));
        }
    }
    Ok(())
}

/// What is defined on the command line must be a name: `-D3=4` would never replace anything.
fn expect_macro_name(name: &str) -> Outcome<()> {
    let fits = |c: char| c == '_' || c.is_ascii_alphanumeric();
    if name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(fits) {
        return Ok(());
    }
    Err(Stop::refuse(
        "E0005",
        format!("`{name}` cannot be the name of a macro; write -DNAME, -DNAME=VALUE, -UNAME"),
    ))
}

fn read_ir(args: &ModelArgs, bytes: Vec<u8>, ends: Ends) -> Outcome<Input> {
    let text = promela::decode(&args.model, bytes)?;
    let program = ir::text::parse(&text).map_err(|error| refuse_text(&args.model, &text, *error))?;
    ir::verify(&program).map_err(|errors| Stop::refuse_file("E0009", &args.model, errors.join("; ")))?;
    input(args, "ir", program, ends)
}

/// A model without properties.
fn input(args: &ModelArgs, language: &'static str, mut program: ir::Program, ends: Ends) -> Outcome<Input> {
    if args.max_processes > ir::MAX_PROCESSES && program.last.is_some() {
        let message = format!(
            "`--max-processes {}`: the model uses `_last`, which holds no number above {}",
            args.max_processes,
            ir::MAX_PROCESSES
        );
        return Err(Stop::refuse("E0001", message));
    }
    program.lossy |= args.lose_messages;
    let progress = Box::new(Expr::SomeAt(Mark::Progress));
    let non_progress = add_predicate(&mut program, Expr::Unary(ir::UnaryOp::Not, progress), "np_");
    let accept = add_predicate(&mut program, Expr::SomeAt(Mark::Accept), "accept");
    if args.reset_dead {
        ir::transform::reset_dead_variables(&mut program);
    }
    if args.merge {
        ir::transform::merge_statements(&mut program);
    }
    let mut interpreter = Interpreter::new(program);
    interpreter.require_empty_channels(ends == Ends::Strict);
    interpreter.allow_processes(args.max_processes);
    Ok(Input {
        path: args.model.clone(),
        language,
        interpreter: Arc::new(interpreter),
        properties: Vec::new(),
        n_formulas: 0,
        n_automata: 0,
        non_progress,
        accept,
        is_merged: args.merge,
        warnings: Vec::new(),
        warning_text: String::new(),
    })
}

fn add_predicate(program: &mut ir::Program, expr: Expr, text: &str) -> PredicateId {
    program.predicates.push(ir::Predicate { expr, text: text.to_string(), source: Location::default() });
    PredicateId(program.predicates.len() as u32 - 1)
}

/// A model that cannot be read.
impl From<Box<Rejected>> for Stop {
    fn from(rejected: Box<Rejected>) -> Stop {
        rejection(&rejected.sources, &rejected.diagnostics)
    }
}

/// A single text that cannot be read, and what it is called in messages.
pub fn refuse_text(name: &str, text: &str, error: Diagnostic) -> Stop {
    rejection(&Sources::of(name, text), &[error])
}

fn rejection(sources: &Sources, diagnostics: &[Diagnostic]) -> Stop {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    Stop::Refused {
        records: errors.map(|error| ErrorRecord::of(sources, error)).collect(),
        text: diagnostics::render(sources, diagnostics),
    }
}

/// The largest file of a net.
const MAX_NET_BYTES: u64 = 4 << 30;

fn read_bytes(path: &str, limit: u64) -> Outcome<Vec<u8>> {
    let result = if path == "-" {
        read_limited(std::io::stdin(), limit)
    } else {
        std::fs::File::open(path).and_then(|file| read_limited(file, limit))
    };
    result.map_err(|error| Stop::refuse_file("E0002", path, files::reason(&error)))
}

/// Reads everything, but no more than a source may have: a device may never end.
fn read_limited(reader: impl Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(std::io::Error::other(format!(
            "larger than {} MiB, the most that a source may have",
            limit >> 20
        )));
    }
    Ok(bytes)
}

/// The language of a model by the ending of its name, or by how it begins.
pub fn recognise(path: &str, bytes: &[u8]) -> Language {
    by_ending(path).unwrap_or_else(|| {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
        let start = start.trim_start();
        if start.starts_with("<?xml") || start.starts_with("<pnml") {
            Language::Pnml
        } else if start.starts_with("PLACE") || start.starts_with('{') {
            // A brace starts a comment; no program starts with one.
            Language::Lola
        } else {
            Language::Promela
        }
    })
}

fn by_ending(path: &str) -> Option<Language> {
    match Path::new(path).extension()?.to_str()? {
        "pml" | "pm" | "prom" | "promela" | "prm" | "spin" => Some(Language::Promela),
        "pnml" => Some(Language::Pnml),
        "lola" | "net" => Some(Language::Lola),
        "ir" => Some(Language::Ir),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_follows_the_ending_then_the_content() {
        assert_eq!(recognise("a.pml", b"<?xml"), Language::Promela);
        assert_eq!(recognise("a.pnml", b""), Language::Pnml);
        assert_eq!(recognise("a.net", b""), Language::Lola);
        assert_eq!(recognise("model", b"  <?xml version"), Language::Pnml);
        assert_eq!(recognise("i4", b"PLACE a;"), Language::Lola);
        assert_eq!(recognise("i4", b"\n{ a comment } PLACE a;"), Language::Lola);
        assert_eq!(recognise("i4", b"byte x;"), Language::Promela);
        assert_eq!(recognise("-", b""), Language::Promela);
    }
}
