//! Petri nets: reading them, asking about them, and the contest's protocol.

mod answers;
mod ask;
mod branching;
mod check;
mod contest;
mod decide;
mod example;
mod follow;
mod reaching;
mod show;
mod unbounded;
mod watching;

use std::sync::Arc;

use petri::Net;
use report::diagnostics::ErrorRecord;

use crate::Outcome;
use crate::args::{Language, ModelArgs};
use crate::exit::Stop;
use crate::input::Opened;

pub use ask::of_programs;
pub use check::run as check;
pub use contest::run as contest;
pub use example::run as example;
pub use follow::follow;
pub use show::run as show;

/// Reads a net.
fn read(opened: Opened) -> Outcome<Arc<Net>> {
    let Opened { path, language, bytes } = opened;
    let mut net = match language {
        Language::Pnml => petri::pnml::read(&bytes),
        _ => {
            let text = String::from_utf8(bytes)
                .map_err(|_| Stop::refuse_file("E0106", &path, "the text is not UTF-8"))?;
            petri::lola::read_net(&text)
        }
    }
    .map_err(|error| located(&path, &error))?;
    if net.name.is_empty() {
        net.name = std::path::Path::new(&path)
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    }
    Ok(Arc::new(net))
}

/// Reads a net that is run, not checked.
pub fn read_alone(args: &ModelArgs, opened: Opened) -> Outcome<Arc<Net>> {
    ask::refuse_of_reading(args)?;
    read(opened)
}

/// An error with its place in a file or an option.
fn located(name: &str, error: &petri::Error) -> Stop {
    let mut record = ErrorRecord::new(error.code, error.message.as_str());
    record.file = Some(name.to_string());
    let place = if error.line > 0 {
        (record.line, record.column) = (Some(error.line), Some(error.column));
        format!("{name}:{}:{}", error.line, error.column)
    } else {
        name.to_string()
    };
    Stop::Refused {
        records: vec![record],
        text: format!("error[{}]: {place}: {}\n", error.code, error.message),
    }
}
