//! Errors and warnings about a model, with the source around them.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use promela::diagnostic::{Diagnostic, Severity};
use promela::source::{SourceFile, Sources, Span};
use serde::Serialize;

use crate::json::pretty;

/// Lines longer than this are not quoted.
const MAX_QUOTE: usize = 4000;

/// An error for programs to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorRecord {
    /// Its code.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// The file, if it is about one.
    pub file: Option<String>,
    /// The line, if it is about one.
    pub line: Option<u32>,
    /// The column, if it is about one.
    pub column: Option<u32>,
}

impl ErrorRecord {
    /// An error that is not about a place.
    pub fn new(code: &str, message: impl Into<String>) -> ErrorRecord {
        ErrorRecord { code: code.to_string(), message: message.into(), file: None, line: None, column: None }
    }

    /// The record of a diagnostic.
    pub fn of(sources: &Sources, diagnostic: &Diagnostic) -> ErrorRecord {
        let location = sources.locate(diagnostic.span);
        ErrorRecord {
            code: diagnostic.code.to_string(),
            message: diagnostic.message.clone(),
            file: Some(sources.file(diagnostic.span.file).name.clone()),
            line: Some(location.line),
            column: Some(location.column),
        }
    }
}

/// The JSON object that stands for a failed run.
pub fn json(errors: &[ErrorRecord]) -> String {
    #[derive(Serialize)]
    struct Root<'a> {
        schema: u32,
        errors: &'a [ErrorRecord],
    }
    pretty(&Root { schema: 1, errors })
}

/// A diagnostic in one line: `W0301: … (file:3)`.
pub fn one_line(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let file = &sources.file(diagnostic.span.file).name;
    let line = sources.locate(diagnostic.span).line;
    format!("{}: {} ({file}:{line})", diagnostic.code, diagnostic.message)
}

/// Diagnostics with their source, for people.
pub fn render(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&render_one(sources, diagnostic));
        out.push_str("\n\n");
    }
    out
}

fn render_one(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let quote = Quote::new(sources, diagnostic.span);
    let mut group = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code)
        .element(quote.snippet(AnnotationKind::Primary, &diagnostic.label));
    let related = diagnostic.related.as_ref().map(|(span, label)| (Quote::new(sources, *span), label));
    if let Some((quote, label)) = &related {
        group = group.element(quote.snippet(AnnotationKind::Context, label));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    Renderer::styled().render(&[group as Group<'_>])
}

/// The lines of a file that a span touches.
struct Quote<'a> {
    file: &'a SourceFile,
    text: &'a str,
    first_line: usize,
    span: std::ops::Range<usize>,
}

impl<'a> Quote<'a> {
    fn new(sources: &'a Sources, span: Span) -> Quote<'a> {
        let file = sources.file(span.file);
        let text = file.text.as_str();
        let start = floor(text, span.start as usize);
        let end = floor(text, span.end as usize).max(start);
        let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
        // Of a long stretch only the first lines are shown.
        let end = text[start..end].match_indices('\n').nth(4).map_or(end, |(at, _)| start + at);
        let to = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let first_line = file.line(span.start) as usize;
        if to - from > MAX_QUOTE {
            return Quote { file, text: "", first_line, span: 0..0 };
        }
        Quote { file, text: &text[from..to], first_line, span: start - from..end - from }
    }

    fn snippet(
        &self,
        kind: AnnotationKind,
        label: &'a str,
    ) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let mut annotation = kind.span(self.span.clone());
        if !label.is_empty() {
            annotation = annotation.label(label);
        }
        Snippet::source(self.text)
            .path(self.file.name.as_str())
            .line_start(self.first_line)
            .annotation(annotation)
    }
}

/// The nearest character boundary at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
