//! Instances of the Model Checking Contest: a folder with a net and files of questions.

use std::path::Path;

use check::question::Time;
use model::Patience;
use petri::{Predicates, contest, pnml, xml};

use super::{Net, ask};
use crate::error::Error;
use crate::language::Language;

/// The file of the net.
pub const MODEL: &str = "model.pnml";

/// Opens an instance with the questions of an examination; nothing if that or the net is of a kind that is not answered.
///
/// # Errors
/// If there are errors in the files, or if it takes too long.
pub fn open(folder: &Path, examination: &str, patience: &Patience) -> Result<Option<Net>, Error> {
    let file = |name: &str| {
        let path = folder.join(name).display().to_string();
        let bytes = std::fs::read(&path).map_err(|error| Error::unreadable(&path, &error))?;
        Ok::<_, Error>((path, bytes))
    };
    let (path, bytes) = file(MODEL)?;
    let text = xml::decode(&path, &bytes)?;
    let refuse = |error: Box<source::Diagnostic>| Error::in_text(&path, &text, *error);
    if pnml::kind(&text, patience)?.map_err(refuse)? == pnml::Kind::Coloured {
        return Ok(None);
    }
    let net = pnml::read(&text, patience)?.map_err(refuse)?;
    let mut predicates = Predicates::default();
    let asked = if let Some(property) = contest::global_property(examination) {
        ask::of_examination(property, &net, &mut predicates)
    } else if contest::WITH_FILE.contains(&examination) {
        let (path, bytes) = file(&format!("{examination}.xml"))?;
        let time = match examination {
            _ if examination.starts_with("LTL") => Time::Linear,
            _ if examination.starts_with("CTL") => Time::Branching,
            _ => Time::Any,
        };
        ask::of_contest(&path, &bytes, time, &net, &mut predicates, patience)?
    } else {
        return Ok(None);
    };
    Ok(Some(Net::new(path.clone(), Language::Pnml, net, predicates, asked)))
}
