//! Bytes to text.

use source::{Rejected, Wrong};

use crate::lex::{block_comment, line_comment};

/// Reads a source file as UTF-8. Old models have comments in other encodings; there, wrong bytes
/// are replaced.
///
/// # Errors
/// Bytes elsewhere that are not UTF-8. `name` is what the file is called in messages.
pub fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Box<Rejected>> {
    source::decode_but(name, bytes, stretch)
}

/// The length of the comment, the string or the other text that comes next.
fn stretch(bytes: &[u8]) -> (usize, Wrong) {
    match bytes {
        [b'/', b'/', ..] => (line_comment(bytes), Wrong::Replaced),
        [b'/', b'*', ..] => (block_comment(bytes).0, Wrong::Replaced),
        [b'"', ..] => (string_length(bytes), Wrong::Refused),
        _ => {
            let end = bytes[1..].iter().position(|c| matches!(c, b'/' | b'"'));
            (end.map_or(bytes.len(), |end| 1 + end), Wrong::Refused)
        }
    }
}

/// The length of a string that ends with a quote or with the line.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use source::Span;

    use super::*;

    #[test]
    fn wrong_bytes_are_taken_in_comments_only() {
        let decode = |bytes: &[u8]| decode("m.pml", bytes.to_vec());
        assert_eq!(decode(b"a /* \xe9 */ b // \xe9\nc").unwrap(), "a /* \u{fffd} */ b // \u{fffd}\nc");
        let wrong = decode(b"ab \"/*\" \xe9 */").unwrap_err();
        assert_eq!(wrong.diagnostics[0].span, Some(Span::at(8)));
        assert_eq!(decode("x = 'é'".as_bytes()).unwrap(), "x = 'é'");
    }
}
