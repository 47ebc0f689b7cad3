//! Why a model cannot be opened, or a question about it not be asked.

use std::{fmt, io};

use model::Over;
use report::diagnostics::ErrorRecord;
use source::{Diagnostic, Rejected, Sources};

/// Why a model cannot be opened, or a question about it not be asked.
#[derive(Clone, Debug)]
pub enum Error {
    /// A text has errors.
    Rejected(Box<Rejected>),
    /// Something else is wrong, perhaps with a file.
    Refused {
        /// Its code, listed in `docs/errors.md`.
        code: &'static str,
        /// The file that it is about.
        file: Option<String>,
        /// What is wrong.
        message: String,
    },
    /// It takes too much time or memory, or the user has interrupted.
    Stopped(Over),
}

impl Error {
    /// An error that is not about a file.
    pub fn new(code: &'static str, message: impl Into<String>) -> Error {
        Error::Refused { code, file: None, message: message.into() }
    }

    /// An error about a file.
    pub fn about(file: &str, code: &'static str, message: impl Into<String>) -> Error {
        Error::Refused { code, file: Some(file.to_string()), message: message.into() }
    }

    /// An option that there is not yet.
    pub fn unavailable(what: &str, instead: &str) -> Error {
        Error::new("E0004", format!("{what} is not available yet; {instead}"))
    }

    /// An error in a single text, which has a name in messages.
    pub fn in_text(name: &str, text: &str, error: Diagnostic) -> Error {
        Error::Rejected(Box::new(Rejected::new(name, text, error)))
    }

    /// Errors in texts.
    pub(crate) fn in_texts(sources: Sources, diagnostics: Vec<Diagnostic>) -> Error {
        Error::Rejected(Box::new(Rejected { sources, diagnostics }))
    }

    /// A file that cannot be read.
    pub fn unreadable(file: &str, error: &io::Error) -> Error {
        Error::about(file, "E0002", reason(error))
    }
}

impl fmt::Display for Error {
    /// A line for each error, with its place in front.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: String = match self {
            Error::Rejected(rejected) => {
                let errors = rejected.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
                errors.map(|error| ErrorRecord::of(&rejected.sources, error).one_line()).collect()
            }
            Error::Refused { code, file, message } => {
                ErrorRecord { file: file.clone(), ..ErrorRecord::new(code, message.as_str()) }.one_line()
            }
            Error::Stopped(over) => return over.fmt(f),
        };
        f.write_str(lines.trim_end())
    }
}

impl std::error::Error for Error {}

impl From<Box<Rejected>> for Error {
    fn from(rejected: Box<Rejected>) -> Error {
        Error::Rejected(rejected)
    }
}

impl From<Over> for Error {
    fn from(over: Over) -> Error {
        Error::Stopped(over)
    }
}

/// What is wrong with a file, without the number that the system has for it.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        io::ErrorKind::IsADirectory => "this is a directory".to_string(),
        _ => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
            first.to_lowercase() + rest
        }
    }
}
