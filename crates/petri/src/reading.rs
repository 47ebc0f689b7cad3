//! What readers of nets and of formulas come to.

use model::Over;
use source::{Diagnostic, Span};

/// What was read, or what is wrong with the text. Its place is in file 0: who has the text knows its name.
pub type Read<T> = Result<T, Box<Diagnostic>>;

/// Why a reader stops before the end of its text.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Something is wrong with the text.
    Wrong(Box<Diagnostic>),
    /// It takes longer than there is patience.
    Over(Over),
}

impl From<Over> for Stop {
    fn from(over: Over) -> Stop {
        Stop::Over(over)
    }
}

/// What a part of a reader comes to.
pub(crate) type Reading<T> = Result<T, Stop>;

/// What a reader comes to, if it has come to the end.
pub(crate) fn settled<T>(reading: Reading<T>) -> Result<Read<T>, Over> {
    match reading {
        Ok(read) => Ok(Ok(read)),
        Err(Stop::Wrong(error)) => Ok(Err(error)),
        Err(Stop::Over(over)) => Err(over),
    }
}

/// What is wrong at a byte of a text.
pub(crate) fn refusal(at: usize, code: &'static str, message: impl Into<String>) -> Stop {
    Stop::Wrong(Box::new(Diagnostic::error(code, message).at(Span::at(at))))
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
