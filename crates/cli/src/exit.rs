//! How the process ends.

use std::panic::PanicHookInfo;

use model::Over;
use report::diagnostics::{self, ErrorRecord};
use report::{junit, sarif};
use source::{Diagnostic, Sources};
use stubborn::Error;

use crate::args::Format;
use crate::output;

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Every checked property holds; the command did its work.
    Fine = 0,
    /// A property is violated.
    Violated = 1,
    /// Bad usage, a model that cannot be read, options that do not go together.
    Refused = 2,
    /// Not decided.
    Unknown = 3,
    /// A defect of this program.
    Internal = 4,
    /// Stopped by the user.
    Interrupted = 130,
}

/// Why a command cannot be carried out.
#[derive(Debug)]
pub enum Stop {
    /// The user's fault: the errors, and the same as text for people.
    Refused { records: Vec<ErrorRecord>, text: String },
    /// There was too little time or memory to read the model, or the user has interrupted.
    Over(Over),
    /// Nobody reads the output any more.
    Unheard,
    /// Our fault.
    Internal(String),
}

impl Stop {
    /// An error that is not about a place in the model.
    pub fn refuse(code: &str, message: impl Into<String>) -> Stop {
        let record = ErrorRecord::new(code, message);
        let text = format!("error[{code}]: {}\n", record.message);
        Stop::Refused { records: vec![record], text }
    }

    /// An error about a file.
    pub fn refuse_file(code: &str, file: &str, message: impl Into<String>) -> Stop {
        let mut record = ErrorRecord::new(code, message);
        record.file = Some(file.to_string());
        let text = format!("error[{code}]: {file}: {}\n", record.message);
        Stop::Refused { records: vec![record], text }
    }

    /// An option of the contract that does nothing yet.
    pub fn unavailable(what: &str, instead: &str) -> Stop {
        Error::unavailable(what, instead).into()
    }

    /// What is wrong, for reports.
    pub fn records(&self) -> Vec<ErrorRecord> {
        match self {
            Stop::Refused { records, .. } => records.clone(),
            _ => Vec::new(),
        }
    }

    fn rejected(sources: &Sources, diagnostics: &[Diagnostic]) -> Stop {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        Stop::Refused {
            records: errors.map(|error| ErrorRecord::of(sources, error)).collect(),
            text: diagnostics::render(sources, diagnostics),
        }
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        match error {
            Error::Rejected(rejected) => Stop::rejected(&rejected.sources, &rejected.diagnostics),
            Error::Refused { code, file: Some(file), message } => Stop::refuse_file(code, &file, message),
            Error::Refused { code, file: None, message } => Stop::refuse(code, message),
            Error::Stopped(over) => Stop::Over(over),
        }
    }
}

/// Tells the user why nothing came of it.
pub fn report(stop: Stop, format: Format) -> Exit {
    match stop {
        Stop::Refused { records, text } => {
            let report = match format {
                Format::Json => diagnostics::json(&records),
                Format::Sarif => sarif::errors(&records, env!("CARGO_PKG_VERSION")),
                Format::Junit => junit::errors(&records),
                Format::Human | Format::Spin | Format::Mcc => String::new(),
            };
            // If even this cannot be written, what follows is all there is.
            let _ = output::print(&report);
            output::complain(&text);
            Exit::Refused
        }
        Stop::Over(over) => {
            output::complain(&format!("the model was not read: {over}\n"));
            if over == Over::Interrupted { Exit::Interrupted } else { Exit::Unknown }
        }
        Stop::Unheard => Exit::Fine,
        Stop::Internal(message) => {
            output::complain(&format!("internal error: {message}\n{ASK}\n"));
            Exit::Internal
        }
    }
}

const ASK: &str = "This is a defect of stubborn. Please report it, with the model and the command line.";

/// What is said when the program panics.
pub fn report_panic(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let message = payload.downcast_ref::<String>().map(String::as_str);
    let message = message.or(payload.downcast_ref::<&str>().copied()).unwrap_or("unknown cause");
    let place = info.location().map_or(String::new(), |at| format!(" ({}:{})", at.file(), at.line()));
    output::complain(&format!("internal error: {message}{place}\n{ASK}\n"));
}
