//! Bytes to text.

use crate::lex::{block_comment, line_comment};

/// Text that is not UTF-8, outside comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotUtf8 {
    /// The first wrong byte.
    pub offset: usize,
}

/// Reads a source file as UTF-8. Old models have comments in other encodings; there, wrong bytes
/// are replaced.
pub fn decode(bytes: Vec<u8>) -> Result<String, NotUtf8> {
    let wrong = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    let bytes = wrong.as_bytes();
    let mut text = String::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (length, comment) = match rest {
            [b'/', b'/', ..] => (line_comment(rest), true),
            [b'/', b'*', ..] => (block_comment(rest).0, true),
            [b'"', ..] => (string_length(rest), false),
            _ => {
                (1 + rest[1..].iter().position(|c| matches!(c, b'/' | b'"')).unwrap_or(rest.len() - 1), false)
            }
        };
        let piece = &rest[..length];
        match std::str::from_utf8(piece) {
            Ok(piece) => text.push_str(piece),
            Err(_) if comment => text.push_str(&String::from_utf8_lossy(piece)),
            Err(error) => return Err(NotUtf8 { offset: at + error.valid_up_to() }),
        }
        at += length;
    }
    Ok(text)
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
    use super::*;

    #[test]
    fn wrong_bytes_are_taken_in_comments_only() {
        assert_eq!(
            decode(b"a /* \xe9 */ b // \xe9\nc".to_vec()).unwrap(),
            "a /* \u{fffd} */ b // \u{fffd}\nc"
        );
        assert_eq!(decode(b"ab \"/*\" \xe9 */".to_vec()), Err(NotUtf8 { offset: 8 }));
        assert_eq!(decode("x = 'é'".as_bytes().to_vec()).unwrap(), "x = 'é'");
    }
}
