//! XML as a sequence of elements and texts, each with its place.
//!
//! Prefixes of namespaces are left out. Comments, processing instructions and document types are skipped,
//! so that an entity that a document declares is as unknown as any other: there is nothing to expand.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{self, BytesRef, BytesStart};

use model::{Pace, Patience};
use source::{Diagnostic, Rejected, Span};

use crate::reading::{Reading, Stop, refusal};

/// What comes next in a document.
pub(crate) enum Event<'a> {
    /// An element begins.
    Start(Element<'a>),
    /// A part of the text of an element.
    Text(Cow<'a, str>),
    /// The innermost element ends.
    End,
}

/// The start of an element.
pub(crate) struct Element<'a> {
    start: BytesStart<'a>,
    /// The byte of the text at which it begins.
    pub(crate) at: usize,
}

impl Element<'_> {
    pub(crate) fn name(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// The value of an attribute, if the element has it.
    pub(crate) fn attribute(&self, name: &str) -> Reading<Option<Cow<'_, str>>> {
        let wrong = |error: quick_xml::Error| malformed(self.at, &error.to_string());
        let attribute = self.start.try_get_attribute(name).map_err(|error| wrong(error.into()))?;
        let value = attribute.map(|attribute| attribute.normalized_value(XmlVersion::Implicit1_0));
        value.transpose().map_err(wrong)
    }
}

/// A document that is being read.
pub(crate) struct Xml<'a> {
    text: &'a str,
    reader: quick_xml::Reader<&'a [u8]>,
    /// Where the elements begin that have not ended yet.
    open: Vec<usize>,
    pace: Pace<'a>,
}

impl<'a> Xml<'a> {
    pub(crate) fn new(text: &'a str, patience: &'a Patience) -> Xml<'a> {
        let mut reader = quick_xml::Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Xml { text, reader, open: Vec::new(), pace: patience.pace() }
    }

    /// The next event; none at the end of the document.
    pub(crate) fn next(&mut self) -> Reading<Option<Event<'a>>> {
        loop {
            self.pace.step()?;
            let at = self.reader.buffer_position() as usize;
            let event = self.reader.read_event().map_err(|error| {
                let at = self.reader.error_position() as usize;
                malformed(at, &error.to_string())
            })?;
            return Ok(Some(match event {
                events::Event::Start(start) => {
                    self.open.push(at);
                    Event::Start(Element { start, at })
                }
                events::Event::End(_) => {
                    self.open.pop();
                    Event::End
                }
                events::Event::Text(text) => Event::Text(text.into_inner()),
                events::Event::CData(text) => Event::Text(text.into_inner()),
                events::Event::GeneralRef(reference) => Event::Text(Xml::resolve(&reference, at)?),
                events::Event::Eof if self.open.is_empty() => return Ok(None),
                events::Event::Eof => return Err(self.unfinished()),
                _ => continue,
            }));
        }
    }

    fn unfinished(&self) -> Stop {
        let start = self.open.last().map_or("", |&at| &self.text[at + 1..]);
        let name = start.split(|c: char| c.is_whitespace() || "/>".contains(c)).next().unwrap_or_default();
        malformed(self.text.len(), &format!("the file ends before the end of <{name}>"))
    }

    fn resolve(reference: &BytesRef, at: usize) -> Reading<Cow<'static, str>> {
        if let Ok(Some(character)) = reference.resolve_char_ref() {
            return Ok(character.to_string().into());
        }
        let unknown = || malformed(at, &format!("the entity &{}; is unknown", &**reference));
        resolve_predefined_entity(reference).map(Cow::from).ok_or_else(unknown)
    }
}

fn malformed(at: usize, message: &str) -> Stop {
    refusal(at, "E0310", format!("this is no XML: {message}"))
}

/// The text of a document: in UTF-8 or UTF-16 if it starts with a byte order mark, otherwise as it says
/// itself.
///
/// # Errors
/// Bytes that cannot be read so. `name` is what the document is called in messages.
pub fn decode<'b>(name: &str, bytes: &'b [u8]) -> Result<Cow<'b, str>, Box<Rejected>> {
    decoded(bytes).map_err(|Wrong { before, message }| {
        let error = Diagnostic::error("E0311", message).at(Span::at(before.len()));
        Box::new(Rejected::new(name, before, error))
    })
}

/// What is wrong with bytes, and the text before them.
struct Wrong {
    before: String,
    message: String,
}

fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, Wrong> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf_8(rest),
        [0xFE, 0xFF, rest @ ..] => utf_16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf_16(rest, u16::from_le_bytes),
        _ => match declared_encoding(bytes).unwrap_or("UTF-8").to_ascii_uppercase().as_str() {
            "UTF-8" | "UTF8" | "US-ASCII" | "ASCII" => utf_8(bytes),
            "ISO-8859-1" | "LATIN1" => Ok(bytes.iter().copied().map(char::from).collect()),
            other => {
                let message = format!("the encoding `{other}` cannot be read");
                Err(Wrong { before: String::new(), message })
            }
        },
    }
}

fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let rest = bytes.strip_prefix(b"<?xml")?;
    let end = rest.iter().position(|byte| *byte == b'>')?;
    let declaration = std::str::from_utf8(&rest[..end]).ok()?;
    declaration.split_once("encoding")?.1.split(['"', '\'']).nth(1)
}

fn utf_8(bytes: &[u8]) -> Result<Cow<'_, str>, Wrong> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
            Err(Wrong { before, message: "these bytes are not UTF-8".to_string() })
        }
    }
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, Wrong> {
    let (units, rest) = bytes.as_chunks();
    let mut text = String::with_capacity(units.len());
    for character in char::decode_utf16(units.iter().copied().map(unit)) {
        match character {
            Ok(character) => text.push(character),
            Err(_) => return Err(Wrong { before: text, message: "these bytes are not UTF-16".to_string() }),
        }
    }
    match rest {
        [] => Ok(text.into()),
        _ => Err(Wrong { before: text, message: "the file ends within a character".to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use source::{Sources, Span};

    use crate::reading::settled;

    use super::*;

    fn placed(text: &str, error: &Diagnostic) -> String {
        let at = Sources::of("", text).position(error.span.expect("it has a place"));
        format!("{}:{} {}", at.line, at.column, error.message)
    }

    /// All events in a line; at an error its line, column and message.
    fn events(text: &str) -> String {
        let patience = Patience::default();
        let mut xml = Xml::new(text, &patience);
        let mut out = Vec::new();
        loop {
            out.push(match xml.next() {
                Ok(None) => return out.join(" "),
                Ok(Some(Event::Start(element))) => format!("<{}", element.name()),
                Ok(Some(Event::Text(text))) => text.into_owned(),
                Ok(Some(Event::End)) => ">".into(),
                Err(Stop::Wrong(error)) => return placed(text, &error),
                Err(Stop::Over(over)) => unreachable!("{over}"),
            });
        }
    }

    #[test]
    fn elements_and_texts() {
        assert_eq!(
            events("<?xml version='1.0'?><!DOCTYPE a><x:a b='c'>t<!-- no --><d/><?no?></x:a>"),
            "<a t <d > >"
        );
        assert_eq!(events("<a>&lt;&#65;&#x42;<![CDATA[<&]]></a>"), "<a < A B <& >");
    }

    #[test]
    fn what_is_no_xml_is_an_error_with_a_place() {
        assert_eq!(events("<a>\n<b>"), "2:4 this is no XML: the file ends before the end of <b>");
        assert!(events("<a>\n</b>").starts_with("2:1 this is no XML: "), "{}", events("<a>\n</b>"));
        assert!(events("</b>").starts_with("1:1 this is no XML: "));
        assert!(events("<a>\n<b c='").starts_with("2:1 this is no XML: "));
        assert!(events("<a><!-- ").starts_with("1:4 this is no XML: "));
        assert_eq!(events("<a>\n &x;</a>"), "2:2 this is no XML: the entity &x; is unknown");
        assert_eq!(events("<a>&#xD800;</a>"), "1:4 this is no XML: the entity &#xD800; is unknown");
        let bomb = "<!DOCTYPE a [<!ENTITY x 'ha'><!ENTITY y '&x;&x;'>]><a>&y;</a>";
        assert_eq!(events(bomb), "1:55 this is no XML: the entity &y; is unknown");
    }

    #[test]
    fn attributes_are_normalised() {
        let patience = Patience::default();
        let mut xml = Xml::new("<a b='x&amp;y' c='1'/><a b='&z;'/><a b/>", &patience);
        let mut next = || loop {
            if let Ok(Some(Event::Start(element))) = xml.next() {
                return settled(element.attribute("b").map(|value| value.map(Cow::into_owned))).unwrap();
            }
        };
        assert_eq!(next(), Ok(Some("x&y".into())));
        assert_eq!(next().unwrap_err().span, Some(Span::at(22)));
        assert_eq!(next().unwrap_err().code, "E0310");
    }

    #[test]
    fn encodings() {
        let latin = b"<?xml version='1.0' encoding = \"iso-8859-1\"?>\xE4";
        let decode = |bytes| decode("", bytes);
        assert!(decode(latin).unwrap().ends_with("?>ä"));
        assert_eq!(decode(b"\xEF\xBB\xBFa").unwrap(), "a");
        assert_eq!(decode(b"\xFE\xFF\0a\0\xE4").unwrap(), "aä");
        assert_eq!(decode(b"\xFF\xFEa\0").unwrap(), "a");
        let error = |bytes| {
            let Rejected { sources, diagnostics } = *decode(bytes).unwrap_err();
            let position = sources.position(diagnostics[0].span.expect("it has a place"));
            assert_eq!(diagnostics[0].code, "E0311");
            (diagnostics[0].message.clone(), position.line, position.column)
        };
        assert_eq!(error(b"a\nb\xFF"), ("these bytes are not UTF-8".into(), 2, 2));
        assert_eq!(error(b"\xFE\xFF\0a\xD8\0\0b"), ("these bytes are not UTF-16".into(), 1, 2));
        assert_eq!(error(b"\xFF\xFEa"), ("the file ends within a character".into(), 1, 1));
        let other = b"<?xml version='1.0' encoding='EBCDIC'?>";
        assert_eq!(error(other), ("the encoding `EBCDIC` cannot be read".into(), 1, 1));
    }
}
