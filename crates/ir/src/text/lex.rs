//! From characters to tokens.

use std::fmt;

use super::stream::{Result, error};

/// A piece of text with a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// A name or a word of the language.
    Word(&'t str),
    /// A number.
    Number(u32),
    /// A text in quotes, with the escapes resolved.
    Text(String),
    /// An operator or a bracket.
    Sign(&'static str),
    /// Behind everything.
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "'{word}'"),
            Token::Number(number) => write!(f, "'{number}'"),
            Token::Text(_) => f.write_str("a text"),
            Token::Sign(sign) => write!(f, "'{sign}'"),
            Token::End => f.write_str("the end"),
        }
    }
}

/// A token and where it starts.
pub struct Placed<'t> {
    pub token: Token<'t>,
    pub at: usize,
}

/// The signs, longer ones in front of their prefixes.
const SIGNS: [&str; 38] = [
    "->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "!!", "??", "::", "{", "}", "[", "]", "(", ")",
    ".", ",", ";", ":", "@", "#", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?",
];

/// Cuts a text into tokens; the last one is [`Token::End`].
pub fn lex(text: &str) -> Result<Vec<Placed<'_>>> {
    let mut lexer = Lexer { rest: text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let at = lexer.at;
        let token = lexer.token()?;
        let is_end = token == Token::End;
        tokens.push(Placed { token, at });
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    rest: &'t str,
    /// Where the rest starts.
    at: usize,
}

impl<'t> Lexer<'t> {
    /// Takes a number of bytes off the text.
    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.at += bytes;
        taken
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest.starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token<'t>> {
        let Some(first) = self.rest.chars().next() else { return Ok(Token::End) };
        if first.is_ascii_alphabetic() || first == '_' {
            return Ok(Token::Word(self.take_while(|c| c.is_ascii_alphanumeric() || c == '_')));
        }
        if first.is_ascii_digit() {
            let at = self.at;
            let digits = self.take_while(|c| c.is_ascii_digit());
            return digits.parse().map(Token::Number).map_err(|_| error(at, "this number is too large"));
        }
        if first == '"' {
            return self.quoted();
        }
        let sign = SIGNS.iter().find(|sign| self.rest.starts_with(**sign));
        match sign {
            Some(sign) => {
                self.take(sign.len());
                Ok(Token::Sign(sign))
            }
            None => Err(error(self.at, format!("unexpected character {first:?}"))),
        }
    }

    fn quoted(&mut self) -> Result<Token<'t>> {
        let at = self.at;
        self.take(1);
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|c| !matches!(c, '"' | '\\' | '\n')));
            match self.rest.as_bytes().first() {
                Some(b'"') => {
                    self.take(1);
                    return Ok(Token::Text(text));
                }
                Some(b'\\') => text.push(self.escape()?),
                _ => return Err(error(at, "this text is not closed")),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let unknown = error(self.at, "unknown escape in a text");
        self.take(1);
        let Some(letter) = self.rest.chars().next() else { return Err(unknown) };
        self.take(letter.len_utf8());
        match letter {
            'n' => Ok('\n'),
            't' => Ok('\t'),
            'r' => Ok('\r'),
            '"' | '\\' => Ok(letter),
            'u' if self.rest.starts_with('{') => {
                self.take(1);
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                match code {
                    Some(code) if self.rest.starts_with('}') => {
                        self.take(1);
                        Ok(code)
                    }
                    _ => Err(unknown),
                }
            }
            _ => Err(unknown),
        }
    }
}

/// Writes a text in quotes.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
