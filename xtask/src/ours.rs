//! Our own front end.

use std::path::Path;

use promela::tree;

/// Reads a model into its syntax tree.
pub fn parse(model: &Path) -> Result<tree::Program, String> {
    let bytes = std::fs::read(model).map_err(|error| error.to_string())?;
    let text = promela::decode(bytes).map_err(|wrong| format!("not UTF-8 at byte {}", wrong.offset))?;
    let loader = |path: &Path| std::fs::read(path);
    match promela::parse(&model.to_string_lossy(), text, &promela::Options::default(), &loader) {
        Ok(parsed) => Ok(parsed.program),
        Err(rejected) => Err(first_error(&rejected.sources, &rejected.diagnostics)),
    }
}

/// Translates a syntax tree.
pub fn lower(program: &tree::Program) -> Result<ir::Program, String> {
    promela::lower(program).map_err(|diagnostics| first_error(&program.sources, &diagnostics))
}

fn first_error(sources: &promela::source::Sources, diagnostics: &[promela::Diagnostic]) -> String {
    let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == promela::Severity::Error);
    match error {
        Some(error) => {
            format!("line {}: {} ({})", sources.locate(error.span).line, error.message, error.code)
        }
        None => "rejected without an error".to_string(),
    }
}
