//! What is wrong with a file, and where.

use std::fmt;

/// What is wrong with a net or with a file of properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Its code, listed in `docs/errors.md`: `E0310`.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The line, from 1; 0 if it is not about a place in a text.
    pub line: u32,
    /// The character in the line, from 1; 0 if it is not about a place in a text.
    pub column: u32,
}

impl Error {
    /// An error at a byte of a text.
    pub fn new(code: &'static str, message: impl Into<String>, text: &str, at: usize) -> Error {
        let before = &text[..text.floor_char_boundary(at)];
        let start_of_line = before.rfind('\n').map_or(0, |newline| newline + 1);
        Error {
            code,
            message: message.into(),
            line: before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1,
            column: before[start_of_line..].trim_start_matches('\u{feff}').chars().count() as u32 + 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Error { code, message, line, column } = self;
        if *line > 0 {
            write!(f, "{line}:{column}: ")?;
        }
        write!(f, "error[{code}]: {message}")
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
        // The page is missing where only the crate is at hand.
        let Ok(page) = std::fs::read_to_string(page) else {
            return println!("docs/errors.md is not there: skipped");
        };
        for number in (310..=322).chain(330..=337).chain(350..=361) {
            assert!(page.contains(&format!("| `E0{number}` |")), "E0{number} is not explained");
        }
    }

    #[test]
    fn places_are_counted_in_characters() {
        let at = |at| {
            let error = Error::new("E0000", "no", "ä\nöü\n", at);
            (error.line, error.column)
        };
        assert_eq!(
            [at(0), at(2), at(3), at(5), at(6), at(8), at(9)],
            [(1, 1), (1, 2), (2, 1), (2, 2), (2, 2), (3, 1), (3, 1)]
        );
        assert_eq!(Error::new("E0000", "no", "x", 0).to_string(), "1:1: error[E0000]: no");
    }
}
