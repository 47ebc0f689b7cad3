//! Errors and warnings about a model, with the source around them.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use serde::Serialize;
use source::{Diagnostic, Severity, SourceFile, Sources, Span};

use crate::json::pretty;

/// Longer lines are not quoted.
const MAX_QUOTE: usize = 100_000;

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

    /// The record in one line, with its place in front.
    pub fn one_line(&self) -> String {
        let mut place = String::new();
        if let Some(file) = &self.file {
            place = format!("{file}:");
            for number in [self.line, self.column].into_iter().flatten() {
                place.push_str(&format!("{number}:"));
            }
            place.push(' ');
        }
        format!("{place}{}: {}\n", self.code, self.message)
    }

    /// The record of a diagnostic.
    pub fn of(sources: &Sources, diagnostic: &Diagnostic) -> ErrorRecord {
        let record = ErrorRecord::new(diagnostic.code, diagnostic.message.as_str());
        let Some(span) = diagnostic.span else { return record };
        let position = sources.position(span);
        ErrorRecord {
            file: Some(sources.file(span.file).name.clone()),
            line: Some(position.line),
            column: Some(position.column),
            ..record
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

/// A diagnostic in one line: `W0801: … (file:3)`.
pub fn one_line(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.span.map(|span| {
        let (file, line) = (&sources.file(span.file).name, sources.position(span).line);
        format!(" ({file}:{line})")
    });
    format!("{}: {}{}", diagnostic.code, diagnostic.message, place.unwrap_or_default())
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
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let quote = diagnostic.span.map(|span| Quote::new(sources, span));
    let mut group = match &quote {
        Some(quote) => title.element(quote.element(AnnotationKind::Primary, &diagnostic.label)),
        None => Group::with_title(title),
    };
    let related = diagnostic.related.as_ref().map(|(span, label)| (Quote::new(sources, *span), label));
    if let Some((quote, label)) = &related {
        group = group.element(quote.element(AnnotationKind::Context, label));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    Renderer::styled().render(&[group as Group<'_>])
}

/// The lines of a file that a span touches.
struct Quote<'a> {
    file: &'a SourceFile,
    /// Nothing, if that would be too long.
    text: Option<&'a str>,
    first_line: usize,
    column: usize,
    span: std::ops::Range<usize>,
}

impl<'a> Quote<'a> {
    fn new(sources: &'a Sources, span: Span) -> Quote<'a> {
        let file = sources.file(span.file);
        let text = file.text.as_str();
        let start = text.floor_char_boundary(span.start as usize);
        let end = text.floor_char_boundary(span.end as usize).max(start);
        let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
        // Of a long stretch only the first lines are shown.
        let end = text[start..end].match_indices('\n').nth(4).map_or(end, |(at, _)| start + at);
        let to = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let (first_line, column) = (file.line(span.start) as usize, file.column(span.start) as usize);
        let text = (to - from <= MAX_QUOTE).then(|| &text[from..to]);
        Quote { file, text, first_line, column, span: start - from..end - from }
    }

    /// The lines with a mark, or only where they are.
    fn element(&self, kind: AnnotationKind, label: &'a str) -> Element<'a> {
        let name = self.file.name.as_str();
        let Some(text) = self.text else {
            return Origin::path(name).line(self.first_line).char_column(self.column).into();
        };
        let mut annotation = kind.span(self.span.clone());
        if !label.is_empty() {
            annotation = annotation.label(label);
        }
        Snippet::source(text).path(name).line_start(self.first_line).annotation(annotation).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, at: usize) -> String {
        let mut sources = Sources::default();
        let file = sources.add("a.pml".to_string(), text.to_string());
        let span = Span { file, start: at as u32, end: at as u32 + 1 };
        let quote = Quote::new(&sources, span);
        let group =
            Level::ERROR.primary_title("wrong").element(quote.element(AnnotationKind::Primary, "here"));
        Renderer::plain().render(&[group])
    }

    #[test]
    fn the_source_is_quoted_with_its_place() {
        let text = shown("byte x;\nx = y;\n", 12);
        assert_eq!(text, "error: wrong\n --> a.pml:2:5\n  |\n2 | x = y;\n  |     ^ here");
    }

    #[test]
    fn of_a_long_line_a_piece_is_quoted() {
        let long = format!("a\n{}é y = 1;{}\nb", "x".repeat(5000), "z".repeat(5000));
        let text = shown(&long, long.find('y').unwrap());
        assert!(text.contains("--> a.pml:2:5003\n"), "{text}");
        assert!(text.contains("xxxé y = 1;zzz"), "{text}");
        assert!(text.lines().all(|line| line.len() < 300), "{text}");
        let endless = format!("{} y{}", "x".repeat(100_000), "z".repeat(100_000));
        assert_eq!(shown(&endless, 100_001), "error: wrong\n--> a.pml:1:100002");
    }
}
