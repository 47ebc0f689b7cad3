//! What readers of nets and of formulas come to.

use source::{Diagnostic, Span};

/// What was read, or what is wrong with the text. Its place is in file 0: who has the text knows its name.
pub type Read<T> = Result<T, Box<Diagnostic>>;

/// What is wrong at a byte of a text.
pub(crate) fn refusal(at: usize, code: &'static str, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message).at(Span::at(at)))
}

/// What is wrong, but at no place of a text.
pub(crate) fn refusal_of_all(code: &'static str, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message))
}

#[cfg(test)]
pub(crate) mod tests {
    use source::{Position, Sources};

    use super::*;

    /// The line and the column of what is wrong with a text.
    pub(crate) fn place(text: &str, error: &Diagnostic) -> (u32, u32) {
        let Position { line, column } = Sources::of("", text).position(error.span.expect("it has a place"));
        (line, column)
    }

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
}
