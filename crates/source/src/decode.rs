//! Bytes to text.

use crate::diagnostic::{Diagnostic, Rejected};
use crate::file::Span;

/// The code of the error that text gives which is not UTF-8.
pub const NOT_UTF_8: &str = "E0106";

/// The mark that editors on Windows put in front of UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What is to be done about a stretch of text that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The text is refused.
    Refused,
    /// Wrong bytes are replaced.
    Replaced,
}

/// Reads a text in UTF-8. A byte order mark is left out.
///
/// # Errors
/// Bytes that are not UTF-8. `name` is what the text is called in messages.
pub fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Box<Rejected>> {
    decode_but(name, bytes, |bytes| (bytes.len(), Wrong::Refused))
}

/// The same for a language in which some wrong bytes do not matter: old texts have comments in other
/// encodings. `stretch` says how many of the bytes that are left belong together, at least one, and what
/// is to be done if they are not UTF-8.
///
/// # Errors
/// Bytes that are not UTF-8, where they matter.
pub fn decode_but(
    name: &str,
    mut bytes: Vec<u8>,
    stretch: impl Fn(&[u8]) -> (usize, Wrong),
) -> Result<String, Box<Rejected>> {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    let wrong = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    let bytes = wrong.as_bytes();
    let mut text = String::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let (length, wrong) = stretch(&bytes[at..]);
        let piece = &bytes[at..at + length];
        match (std::str::from_utf8(piece), wrong) {
            (Ok(piece), _) => text.push_str(piece),
            (Err(_), Wrong::Replaced) => text.push_str(&String::from_utf8_lossy(piece)),
            (Err(error), Wrong::Refused) => {
                text.push_str(&String::from_utf8_lossy(&piece[..error.valid_up_to()]));
                return Err(Box::new(refuse(name, text, &piece[error.valid_up_to()..])));
            }
        }
        at += length;
    }
    Ok(text)
}

/// A text is readable up to here; of what follows, the rest of the line is shown.
fn refuse(name: &str, mut text: String, rest: &[u8]) -> Rejected {
    let message = format!("the text is not UTF-8: there is a byte {:#04x}", rest[0]);
    let error = Diagnostic::error(NOT_UTF_8, message).at(Span::at(text.len()));
    let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    text.push_str(&String::from_utf8_lossy(line));
    Rejected::new(name, text, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A language in which a line with `#` in front is a comment.
    fn stretch(bytes: &[u8]) -> (usize, Wrong) {
        let length = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| end + 1);
        (length, if bytes[0] == b'#' { Wrong::Replaced } else { Wrong::Refused })
    }

    /// The line, the column and the message of a refusal.
    fn refusal(result: Result<String, Box<Rejected>>) -> (u32, u32, String) {
        let rejected = result.expect_err("it is not UTF-8");
        let error = &rejected.diagnostics[0];
        assert_eq!((error.code, rejected.sources.files[0].name.as_str()), (NOT_UTF_8, "name"));
        let position = rejected.sources.position(error.span.expect("it has a place"));
        (position.line, position.column, error.message.clone())
    }

    #[test]
    fn text_is_taken_without_the_mark_of_editors() {
        assert_eq!(decode("name", "ä\nb".into()).unwrap(), "ä\nb");
        assert_eq!(decode("name", "\u{feff}ä\nb".into()).unwrap(), "ä\nb");
        assert_eq!(decode("name", Vec::new()).unwrap(), "");
    }

    #[test]
    fn wrong_bytes_are_refused_with_their_place() {
        let message = "the text is not UTF-8: there is a byte 0xe9".to_string();
        assert_eq!(refusal(decode("name", b"\xef\xbb\xbf\xe9".to_vec())), (1, 1, message.clone()));
        assert_eq!(refusal(decode("name", b"a\n\xc3\xa4b\xe9c\nd".to_vec())), (2, 3, message.clone()));
        assert_eq!(refusal(decode_but("name", b"#\xe9\n#\nx\xe9".to_vec(), stretch)), (3, 2, message));
    }

    #[test]
    fn wrong_bytes_are_replaced_where_they_do_not_matter() {
        assert_eq!(decode_but("name", b"a\n#\xe9\nb".to_vec(), stretch).unwrap(), "a\n#\u{fffd}\nb");
    }
}
