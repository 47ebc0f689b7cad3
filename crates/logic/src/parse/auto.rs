//! Which dialect a text is written in.

use super::Dialect;
use super::dialect::SPIN_WORDS;
use super::lex::{Kind, token};

/// The dialect that the text looks like; the rule is at [`Dialect::Auto`].
pub(super) fn dialect_of(text: &str) -> Dialect {
    let mut looks_like_spot = false;
    let mut position = 0;
    loop {
        let token = token(text, position);
        match token.kind {
            Kind::End if looks_like_spot => return Dialect::Spot,
            Kind::End => return Dialect::Inline,
            Kind::Symbol if matches!(token.text, "[]" | "<>") => return Dialect::Inline,
            Kind::Name if SPIN_WORDS.contains(&token.text) => return Dialect::Inline,
            Kind::Symbol => looks_like_spot |= matches!(token.text, "&" | "|" | "=>" | "<=>"),
            Kind::Name => looks_like_spot |= is_letter_operator(token.text),
            _ => {}
        }
        position = token.end();
    }
}

/// Whether the word is or begins with letters that stand for operators, as far as one can tell.
pub(super) fn is_letter_operator(word: &str) -> bool {
    let rest = word.trim_start_matches(['G', 'F', 'X']);
    let n_letters = word.len() - rest.len();
    match rest.as_bytes() {
        [] => n_letters > 1 || word != "X",
        [first, digits @ ..] if n_letters > 0 => {
            first.is_ascii_lowercase() && digits.iter().all(u8::is_ascii_digit)
        }
        _ => matches!(word, "R" | "M" | "xor"),
    }
}
