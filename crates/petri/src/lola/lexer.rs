//! Words and signs.

use std::borrow::Cow;
use std::fmt;

use model::{Pace, Patience};

use crate::reading::{Reading, Stop, refusal};

/// A name, a number, a keyword or a sign.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    /// What it says; nothing at the end of the text.
    pub text: Cow<'a, str>,
    /// Whether it stood in quotes, so that it is a name whatever it says.
    pub quoted: bool,
    /// Where it starts.
    pub at: usize,
}

impl Token<'_> {
    pub fn is(&self, word: &str) -> bool {
        !self.quoted && self.text == word
    }

    pub fn is_end(&self) -> bool {
        self.is("")
    }

    /// Whether it is one of the signs that no name contains.
    pub fn is_separator(&self) -> bool {
        !self.quoted && self.text.len() == 1 && self.text.starts_with(separates)
    }

    pub fn is_number(&self) -> bool {
        !self.quoted && !self.is_end() && self.text.bytes().all(|byte| byte.is_ascii_digit())
    }
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 60;
        if self.is_end() {
            return f.write_str("the end of the text");
        }
        let more = if self.text.chars().nth(SHOWN).is_some() { "…" } else { "" };
        write!(f, "`{}{more}`", self.text.chars().take(SHOWN).collect::<String>())
    }
}

/// Where a text is cut into tokens.
pub(super) struct Lexer<'a> {
    pub text: &'a str,
    pub at: usize,
    /// Where the last run of other characters than blanks and separators ends: whoever uses only a part of
    /// it and sets `at` back does not make us look for its end again.
    run_end: usize,
    pub pace: Pace<'a>,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str, patience: &'a Patience) -> Lexer<'a> {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Lexer { text, at, run_end: 0, pace: patience.pace() }
    }

    pub fn next(&mut self) -> Reading<Token<'a>> {
        self.pace.step()?;
        self.skip()?;
        let at = self.at;
        let rest = &self.text[at..];
        if rest.starts_with('"') {
            return self.quoted();
        }
        if rest.starts_with(separates) {
            self.at += 1;
        } else {
            if at >= self.run_end {
                let length = rest.find(|c| blank(c) || separates(c)).unwrap_or(rest.len());
                self.run_end = at + length;
            }
            self.at = self.run_end;
        }
        Ok(Token { text: Cow::Borrowed(&self.text[at..self.at]), quoted: false, at })
    }

    /// Goes behind blanks and comments.
    fn skip(&mut self) -> Reading<()> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches(blank);
            self.at += rest.len() - trimmed.len();
            let length = if trimmed.starts_with('{') {
                braces(trimmed)
            } else if let Some(inner) = trimmed.strip_prefix("/*") {
                inner.find("*/").map(|length| length + 4)
            } else {
                return Ok(());
            };
            self.at += length.ok_or_else(|| refusal(self.at, "E0352", "this comment has no end"))?;
        }
    }

    fn quoted(&mut self) -> Reading<Token<'a>> {
        let at = self.at;
        let inner = &self.text[at + 1..];
        let mut end = 0;
        loop {
            let length = inner[end..].find('"');
            end += length.ok_or_else(|| refusal(at, "E0352", "this name in quotes has no end"))?;
            if !inner[end + 1..].starts_with('"') {
                break;
            }
            end += 2;
        }
        self.at = at + end + 2;
        let text = &inner[..end];
        let text = if text.contains('"') { text.replace("\"\"", "\"").into() } else { Cow::Borrowed(text) };
        Ok(Token { text, quoted: true, at })
    }
}

fn blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn separates(c: char) -> bool {
    matches!(c, ',' | ';' | ':' | '(' | ')' | '{' | '}')
}

/// The length of the comment in braces that a text starts with.
fn braces(text: &str) -> Option<usize> {
    let mut open = 0;
    let end = text.bytes().position(|byte| {
        open += i64::from(byte == b'{') - i64::from(byte == b'}');
        open == 0
    });
    end.map(|end| end + 1)
}

/// A name as it has to be written where some words are reserved.
pub(super) fn written(name: &str, reserved: bool) -> Cow<'_, str> {
    let odd = name.is_empty() || name.starts_with(['"', '\u{feff}']) || name.starts_with("/*");
    if odd || reserved || name.contains(|c| blank(c) || separates(c)) {
        format!("\"{}\"", name.replace('"', "\"\"")).into()
    } else {
        name.into()
    }
}

/// A reader that knows the next token before it takes it.
pub(super) trait Ahead<'a> {
    /// The next token.
    fn token(&self) -> &Token<'a>;

    /// Takes the next token.
    fn next(&mut self) -> Reading<Token<'a>>;

    /// What is wrong if something else should be next.
    fn expected(&self, what: &str) -> Stop;

    /// Takes a word, if it is next.
    fn accept(&mut self, word: &str) -> Reading<bool> {
        let there = self.token().is(word);
        if there {
            self.next()?;
        }
        Ok(there)
    }

    /// Takes a word, which must be next.
    fn expect(&mut self, word: &str) -> Reading<()> {
        match self.accept(word)? {
            true => Ok(()),
            false => Err(self.expected(&format!("`{word}`"))),
        }
    }
}
