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

use petri::{Net, lola, pnml, xml};

use crate::Outcome;
use crate::args::{Language, ModelArgs};
use crate::input::{self, Opened};

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
        Language::Pnml => read_pnml(&path, &bytes)?,
        _ => {
            let text = source::decode(&path, bytes)?;
            lola::read_net(&text).map_err(|error| input::refuse_text(&path, &text, *error))?
        }
    };
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

/// Reads a net in XML.
fn read_pnml(path: &str, bytes: &[u8]) -> Outcome<Net> {
    let text = xml::decode(path, bytes)?;
    pnml::read(&text).map_err(|error| input::refuse_text(path, &text, *error))
}
