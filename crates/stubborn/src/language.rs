//! Languages, and which one a text is in.

use std::io::Read;
use std::path::Path;

use crate::error::Error;

/// A language in which models are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Promela.
    Promela,
    /// Nets in the Petri Net Markup Language.
    Pnml,
    /// Nets in the format of LoLA.
    Lola,
    /// The intermediate representation of programs, as text.
    Ir,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 4] = [Language::Promela, Language::Pnml, Language::Lola, Language::Ir];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Language::Promela => "promela",
            Language::Pnml => "pnml",
            Language::Lola => "lola",
            Language::Ir => "ir",
        }
    }

    /// Whether models in it are nets.
    pub fn is_of_nets(self) -> bool {
        matches!(self, Language::Pnml | Language::Lola)
    }

    /// The language of a model by the ending of its name, or by how it begins.
    pub fn recognise(path: &str, bytes: &[u8]) -> Language {
        Language::by_ending(path).unwrap_or_else(|| {
            let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
            let start = start.trim_start();
            if start.starts_with("<?xml") || start.starts_with("<pnml") {
                Language::Pnml
            } else if start.starts_with("PLACE") || start.starts_with('{') {
                // A brace starts a comment; no program starts with one.
                Language::Lola
            } else {
                Language::Promela
            }
        })
    }

    fn by_ending(path: &str) -> Option<Language> {
        match Path::new(path).extension()?.to_str()? {
            "pml" | "pm" | "prom" | "promela" | "prm" | "spin" => Some(Language::Promela),
            "pnml" => Some(Language::Pnml),
            "lola" | "net" => Some(Language::Lola),
            "ir" => Some(Language::Ir),
            _ => None,
        }
    }
}

/// A text whose language is known.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name, as the user gave it.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// The largest file of a net.
const MAX_NET_BYTES: u64 = 4 << 30;

/// The largest file of a program.
const MAX_PROGRAM_BYTES: u64 = promela::MAX_SOURCE_BYTES as u64;

impl Source {
    /// A text that is in no file.
    pub fn of_text(name: &str, language: Language, text: &str) -> Source {
        Source { path: name.to_string(), language, bytes: text.as_bytes().to_vec() }
    }

    /// Reads a file, or the standard input if it is called `-`.
    ///
    /// # Errors
    /// If it cannot be read, or is too large.
    pub fn read(path: &str, language: Option<Language>) -> Result<Source, Error> {
        let is_net = language.or_else(|| Language::by_ending(path)).is_some_and(Language::is_of_nets);
        let limit = if is_net { MAX_NET_BYTES } else { MAX_PROGRAM_BYTES };
        let result = if path == "-" {
            read_limited(std::io::stdin(), limit)
        } else {
            std::fs::File::open(path).and_then(|file| read_limited(file, limit))
        };
        let bytes = result.map_err(|error| Error::unreadable(path, &error))?;
        let language = language.unwrap_or_else(|| Language::recognise(path, &bytes));
        Ok(Source { path: path.to_string(), language, bytes })
    }
}

/// Reads a file that belongs to a program.
pub(crate) fn read_part(path: &Path) -> std::io::Result<Vec<u8>> {
    std::fs::File::open(path).and_then(|file| read_limited(file, MAX_PROGRAM_BYTES))
}

/// Reads everything, but no more than a source may have: a device may never end.
fn read_limited(reader: impl Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(std::io::Error::other(format!(
            "larger than {} MiB, the most that a source may have",
            limit >> 20
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_follows_the_ending_then_the_content() {
        let recognise = Language::recognise;
        assert_eq!(recognise("a.pml", b"<?xml"), Language::Promela);
        assert_eq!(recognise("a.pnml", b""), Language::Pnml);
        assert_eq!(recognise("a.net", b""), Language::Lola);
        assert_eq!(recognise("model", b"  <?xml version"), Language::Pnml);
        assert_eq!(recognise("i4", b"PLACE a;"), Language::Lola);
        assert_eq!(recognise("i4", b"\n{ a comment } PLACE a;"), Language::Lola);
        assert_eq!(recognise("i4", b"byte x;"), Language::Promela);
        assert_eq!(recognise("-", b""), Language::Promela);
    }
}
