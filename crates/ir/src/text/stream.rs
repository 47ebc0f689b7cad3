//! A position in a list of tokens, and what can be taken there.

use source::{Diagnostic, Span};

use super::MALFORMED;
use super::lex::{Placed, Token};

pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// An error at a byte of the text.
pub fn error(at: usize, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(MALFORMED, message).at(Span::at(at)))
}

/// The tokens of a text and how far they are read.
#[derive(Clone, Copy)]
pub struct Stream<'t> {
    /// Ends with [`Token::End`], which is never taken.
    tokens: &'t [Placed<'t>],
    at: usize,
}

impl<'t> Stream<'t> {
    /// `tokens` ends with [`Token::End`].
    pub fn new(tokens: &'t [Placed<'t>]) -> Stream<'t> {
        Stream { tokens, at: 0 }
    }

    pub fn peek(&self) -> &'t Token<'t> {
        &self.tokens[self.at].token
    }

    pub fn next(&mut self) -> &'t Token<'t> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// An error at the next token.
    pub fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(error(self.tokens[self.at].at, message))
    }

    pub fn expected<T>(&self, what: &str) -> Result<T> {
        self.error(format!("expected {what}, found {}", self.peek()))
    }

    pub fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if *found == word)
    }

    /// Takes a sign if it is the next token.
    pub fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.next();
        }
        found
    }

    /// Takes a word if it is the next token.
    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    pub fn sign(&mut self, sign: &str) -> Result<()> {
        if self.take_sign(sign) { Ok(()) } else { self.expected(&format!("'{sign}'")) }
    }

    pub fn word(&mut self, what: &str) -> Result<&'t str> {
        match self.peek() {
            Token::Word(word) => {
                self.next();
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    pub fn number(&mut self) -> Result<u32> {
        match *self.peek() {
            Token::Number(number) => {
                self.next();
                Ok(number)
            }
            _ => self.expected("a number"),
        }
    }

    /// A number that fits into a smaller type.
    pub fn small<T: TryFrom<u32>>(&mut self) -> Result<T> {
        let before = *self;
        let number = self.number()?;
        T::try_from(number).or_else(|_| before.error(format!("{number} is too large here")))
    }

    /// A constant, perhaps with a minus in front.
    pub fn constant(&mut self) -> Result<i32> {
        let before = *self;
        let sign = if self.take_sign("-") { -1 } else { 1 };
        let value = sign * i64::from(self.number()?);
        i32::try_from(value).or_else(|_| before.error(format!("{value} is not a 32-bit number")))
    }

    pub fn text(&mut self) -> Option<String> {
        match self.peek() {
            Token::Text(text) => {
                self.next();
                Some(text.clone())
            }
            _ => None,
        }
    }

    /// A word or a text.
    pub fn word_or_text(&mut self, what: &str) -> Result<String> {
        match self.text() {
            Some(text) => Ok(text),
            None => self.word(what).map(str::to_string),
        }
    }

    /// Things with commas in between.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take_sign(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Skips to the place behind the brace that closes the next one that is opened.
    pub fn skip_braces(&mut self) -> Result<()> {
        let mut depth = 0;
        let start = *self;
        loop {
            match self.peek() {
                Token::Sign("{") => depth += 1,
                Token::Sign("}") => depth -= 1,
                Token::End => return start.error("expected a '{' with its '}'"),
                _ => {}
            }
            if depth < 0 {
                return self.expected("'{'");
            }
            let closed = depth == 0 && self.is_sign("}");
            self.next();
            if closed {
                return Ok(());
            }
        }
    }
}
