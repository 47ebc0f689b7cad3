//! Our own front end.

use std::path::Path;

use promela::tree;
use source::{Diagnostic, Rejected, Sources};

/// Reads a model into its syntax tree.
pub fn parse(model: &Path) -> Result<tree::Program, String> {
    let bytes = std::fs::read(model).map_err(|error| error.to_string())?;
    let refuse = |rejected: Box<Rejected>| first_error(&rejected.sources, &rejected.diagnostics);
    let name = model.to_string_lossy();
    let text = promela::decode(&name, bytes).map_err(refuse)?;
    let loader = |path: &Path| std::fs::read(path);
    let parsed =
        promela::parse(&name, text, &promela::Options::default(), &loader).expect("there is time").accept();
    Ok(parsed.map_err(refuse)?.program)
}

/// Translates a syntax tree.
pub fn lower(program: &tree::Program) -> Result<ir::Program, String> {
    promela::lower(program).map_err(|diagnostics| first_error(&program.sources, &diagnostics))
}

fn first_error(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    let Some(error) = diagnostics.iter().find(|diagnostic| diagnostic.is_error()) else {
        return "rejected without an error".to_string();
    };
    let line = error.span.map_or(0, |span| sources.position(span).line);
    format!("line {line}: {} ({})", error.message, error.code)
}
