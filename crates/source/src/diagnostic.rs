//! Errors and warnings about a text, as plain data.

use std::fmt;

use crate::file::{Sources, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The text can be used; something about it is suspicious.
    Warning,
    /// The text cannot be used.
    Error,
}

/// A message about a text, or about a place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Its code, listed in `docs/errors.md`: `E0101`, `W0801`.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where; nothing if it is not about a place in a text.
    pub span: Option<Span>,
    /// A short remark to be put beside the place.
    pub label: String,
    /// What to do about it, or where the other end of the trouble lies.
    pub help: Option<String>,
    /// A second place that matters.
    pub related: Option<(Span, String)>,
    /// What to change in the text to do what `help` says; nothing if that needs thought.
    pub fix: Vec<Edit>,
}

/// A stretch of a text that is to be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The stretch.
    pub span: Span,
    /// What is to stand there.
    pub text: String,
}

impl Diagnostic {
    /// A message without a place.
    pub fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            code,
            message: message.into(),
            span: None,
            label: String::new(),
            help: None,
            related: None,
            fix: Vec::new(),
        }
    }

    /// An error without a place.
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message)
    }

    /// The same at a place.
    pub fn at(self, span: Span) -> Diagnostic {
        Diagnostic { span: Some(span), ..self }
    }

    /// Sets the remark beside the place.
    pub fn label(&mut self, label: impl Into<String>) -> &mut Diagnostic {
        self.label = label.into();
        self
    }

    /// Sets the advice.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Sets the second place, unless there is one already.
    pub fn related(&mut self, span: Span, label: impl Into<String>) -> &mut Diagnostic {
        self.related.get_or_insert_with(|| (span, label.into()));
        self
    }

    /// Adds to what is to be changed.
    pub fn replace(&mut self, span: Span, text: impl Into<String>) -> &mut Diagnostic {
        self.fix.push(Edit { span, text: text.into() });
        self
    }

    /// Whether the text cannot be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.is_error() { "error" } else { "warning" };
        write!(f, "{severity}[{}]: {}", self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// Texts with errors.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The texts.
    pub sources: Sources,
    /// What is wrong with them: at least one error.
    pub diagnostics: Vec<Diagnostic>,
}

impl Rejected {
    /// A single text with an error.
    pub fn new(name: &str, text: impl Into<String>, error: Diagnostic) -> Rejected {
        Rejected { sources: Sources::of(name, text), diagnostics: vec![error] }
    }
}
