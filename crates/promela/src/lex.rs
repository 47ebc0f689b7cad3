//! Characters to tokens.
//!
//! A [`Cursor`] reads one file. It knows comments, line splices and the spelling of Promela's
//! tokens, and nothing of macros. Errors become tokens of their own ([`Kind::BadString`] and the
//! like), because text that is skipped by `#if` may contain anything.

use source::{FileId, Span};

use crate::names::{NameId, Names};

macro_rules! keywords {
    ($($name:ident $text:literal),* $(,)?) => {
        /// A reserved word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Keyword { $($name),* }

        impl Keyword {
            /// The keywords with their spellings.
            pub(crate) const TABLE: &[(&str, Keyword)] = &[$(($text, Keyword::$name)),*];
        }
    };
}

keywords! {
    Active "active", Assert "assert", Atomic "atomic", Bit "bit", Bool "bool", Break "break", Byte "byte",
    CCode "c_code", CDecl "c_decl", CExpr "c_expr", CState "c_state", CTrack "c_track",
    DProctype "D_proctype", Do "do", Chan "chan", Else "else", Empty "empty", Enabled "enabled", Eval "eval",
    False "false", Fi "fi", For "for", Full "full", GetPriority "get_priority", Goto "goto", Hidden "hidden",
    If "if", Init "init", Inline "inline", Int "int", Len "len", Local "local", Ltl "ltl", Mtype "mtype",
    Nempty "nempty", Never "never", Nfull "nfull", Notrace "notrace", Np "np_", Od "od", Of "of",
    PcValue "pc_value", Pid "pid", Printf "printf", Printm "printm", Priority "priority", Proctype "proctype",
    Provided "provided", Return "return", Run "run", DStep "d_step", Select "select",
    SetPriority "set_priority", Short "short", Skip "skip", Timeout "timeout", Trace "trace", True "true",
    Show "show", Typedef "typedef", Unless "unless", Unsigned "unsigned", Xr "xr", Xs "xs",
}

macro_rules! kinds {
    ($($name:ident $text:literal),* $(,)?) => {
        /// What a token is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Kind {
            Name, Number, Char, Str, Key(Keyword),
            $($name),*,
            /// A string without its closing quote.
            BadString,
            /// A quote that does not belong to a character constant.
            BadChar,
            /// A character that no token starts with.
            Unknown,
            End,
        }

        impl Kind {
            /// How it is spelled, if that is always the same.
            pub(crate) fn fixed_spelling(self) -> Option<&'static str> {
                match self {
                    $(Kind::$name => Some($text),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    LeftParen "(", RightParen ")", LeftBracket "[", RightBracket "]", LeftBrace "{", RightBrace "}",
    Semi ";", Comma ",", Colon ":", ColonColon "::", Dot ".", DotDot "..", At "@", Arrow "->",
    Assign "=", Increment "++", Decrement "--", Bang "!", BangBang "!!", Query "?", QueryQuery "??",
    Plus "+", Minus "-", Star "*", Slash "/", Percent "%", Amp "&", AndAnd "&&", Pipe "|", OrOr "||",
    Caret "^", Tilde "~", Less "<", LessEqual "<=", Greater ">", GreaterEqual ">=", EqualEqual "==",
    NotEqual "!=", ShiftLeft "<<", ShiftRight ">>", Backslash "\\", Hash "#", HashHash "##",
    // In formulas only.
    Box "□", Diamond "◇", Circle "○", LogicalNot "¬", LogicalAnd "∧", LogicalOr "∨", LongArrow "→",
    DoubleArrow "↔",
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Its spelling, unless the kind tells it.
    pub(crate) text: NameId,
    pub(crate) span: Span,
    /// It is the first of a logical line: directives start here.
    pub(crate) starts_line: bool,
    /// A physical line ended between the token before it and this one.
    pub(crate) newline: bool,
    /// White space or a comment stands before it.
    pub(crate) spaced: bool,
    /// It names a macro that must not be expanded any more.
    pub(crate) fixed: bool,
}

impl Token {
    pub(crate) fn end(span: Span) -> Token {
        Token {
            kind: Kind::End,
            text: NameId::default(),
            span,
            starts_line: true,
            newline: true,
            spaced: true,
            fixed: false,
        }
    }

    /// A separator that stands for the end of a line.
    pub(crate) fn implied_semi(span: Span) -> Token {
        Token { kind: Kind::Semi, newline: false, ..Token::end(span) }
    }

    pub(crate) fn spelling(self, names: &Names) -> &str {
        self.kind.fixed_spelling().unwrap_or_else(|| names.get(self.text))
    }
}

/// A place in a file that is being read.
#[derive(Clone)]
pub(crate) struct Cursor {
    file: FileId,
    position: usize,
    fresh: bool,
    /// Where a comment starts that has no end.
    pub(crate) open_comment: Option<Span>,
}

impl Cursor {
    pub(crate) fn new(file: FileId) -> Cursor {
        Cursor { file, position: 0, fresh: true, open_comment: None }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }

    /// The next token of the file, which has the given text.
    pub(crate) fn next(&mut self, text: &str, names: &mut Names) -> Token {
        let mut token = Token::end(self.span(text.len(), text.len()));
        token.starts_line = self.fresh;
        token.newline = false;
        token.spaced = false;
        self.skip_space(text.as_bytes(), &mut token);
        self.fresh = false;
        let start = self.position;
        let Some(&first) = text.as_bytes().get(start) else {
            token.starts_line = true;
            return token;
        };
        let bytes = text.as_bytes();
        let (kind, end) = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => (Kind::Name, word_end(bytes, start)),
            b'0'..=b'9' => (Kind::Number, word_end(bytes, start)),
            b'"' => string_end(bytes, start),
            b'\'' => char_end(bytes, start),
            _ => punctuation(text, start),
        };
        self.position = end;
        token.kind = kind;
        token.span = self.span(start, end);
        if kind.fixed_spelling().is_none() {
            token.text = intern_without_splices(&text[start..end], names);
        }
        token
    }

    /// Skips white space and comments; notes in the token what they were.
    fn skip_space(&mut self, bytes: &[u8], token: &mut Token) {
        loop {
            let rest = &bytes[self.position.min(bytes.len())..];
            let length = match rest {
                [b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' | 0, ..] => 1,
                [b'\n', ..] => {
                    token.starts_line = true;
                    token.newline = true;
                    1
                }
                [b'\\', ..] if splice(rest) > 0 => {
                    token.newline = true;
                    splice(rest)
                }
                [b'/', b'/', ..] => line_comment(rest),
                [b'/', b'*', ..] => {
                    let start = self.position;
                    let (length, closed) = block_comment(rest);
                    if !closed {
                        self.open_comment.get_or_insert(self.span(start, start + 2));
                    }
                    token.newline |= rest[..length].contains(&b'\n');
                    length
                }
                // Spin skips the end of a comment that it takes for nested.
                [b'*', b'/', after, ..] if !matches!(after, b'*' | b'/') => 2,
                _ => return,
            };
            token.spaced = true;
            self.position += length;
        }
    }
}

/// The length of a backslash with a line end behind it, or 0.
fn splice(bytes: &[u8]) -> usize {
    match bytes {
        [b'\\', b'\n', ..] => 2,
        [b'\\', b'\r', b'\n', ..] => 3,
        _ => 0,
    }
}

/// The length of a comment that ends with the line.
pub(crate) fn line_comment(bytes: &[u8]) -> usize {
    let mut at = 2;
    while at < bytes.len() && bytes[at] != b'\n' {
        at += splice(&bytes[at..]).max(1);
    }
    at.min(bytes.len())
}

/// The length of a bracketed comment, and whether it has an end.
pub(crate) fn block_comment(bytes: &[u8]) -> (usize, bool) {
    match bytes[2..].windows(2).position(|pair| pair == b"*/") {
        Some(at) => (at + 4, true),
        None => (bytes.len(), false),
    }
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        match bytes.get(at) {
            Some(c) if c.is_ascii_alphanumeric() || *c == b'_' => at += 1,
            Some(b'\\') if splice(&bytes[at..]) > 0 => at += splice(&bytes[at..]),
            _ => return at,
        }
    }
}

fn string_end(bytes: &[u8], start: usize) -> (Kind, usize) {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(b'"') => return (Kind::Str, at + 1),
            None | Some(b'\n') => return (Kind::BadString, at),
            Some(b'\\') => at += splice(&bytes[at..]).max(2),
            Some(_) => at += 1,
        }
        at = at.min(bytes.len());
    }
}

/// `'x'` or `'\n'`; a lone quote is no more than itself.
fn char_end(bytes: &[u8], start: usize) -> (Kind, usize) {
    match &bytes[start..] {
        [_, b'\\', c, b'\'', ..] if c.is_ascii() && *c != b'\n' => (Kind::Char, start + 4),
        [_, c, b'\'', ..] if c.is_ascii() && !matches!(c, b'\n' | b'\\') => (Kind::Char, start + 3),
        _ => (Kind::BadChar, start + 1),
    }
}

fn punctuation(text: &str, start: usize) -> (Kind, usize) {
    let rest = &text[start..];
    let mut bytes = rest.bytes();
    let (first, second) = (bytes.next().unwrap_or(0), bytes.next().unwrap_or(0));
    let two = match (first, second) {
        (b':', b':') => Kind::ColonColon,
        (b'-', b'>') => Kind::Arrow,
        (b'-', b'-') => Kind::Decrement,
        (b'+', b'+') => Kind::Increment,
        (b'<', b'<') => Kind::ShiftLeft,
        (b'<', b'=') => Kind::LessEqual,
        (b'>', b'>') => Kind::ShiftRight,
        (b'>', b'=') => Kind::GreaterEqual,
        (b'=', b'=') => Kind::EqualEqual,
        (b'!', b'=') => Kind::NotEqual,
        (b'!', b'!') => Kind::BangBang,
        (b'?', b'?') => Kind::QueryQuery,
        (b'&', b'&') => Kind::AndAnd,
        (b'|', b'|') => Kind::OrOr,
        (b'.', b'.') => Kind::DotDot,
        (b'#', b'#') => Kind::HashHash,
        _ => Kind::Unknown,
    };
    if two != Kind::Unknown {
        return (two, start + 2);
    }
    let one = match first {
        b'(' => Kind::LeftParen,
        b')' => Kind::RightParen,
        b'[' => Kind::LeftBracket,
        b']' => Kind::RightBracket,
        b'{' => Kind::LeftBrace,
        b'}' => Kind::RightBrace,
        b';' => Kind::Semi,
        b',' => Kind::Comma,
        b':' => Kind::Colon,
        b'.' => Kind::Dot,
        b'@' => Kind::At,
        b'=' => Kind::Assign,
        b'!' => Kind::Bang,
        b'?' => Kind::Query,
        b'+' => Kind::Plus,
        b'-' => Kind::Minus,
        b'*' => Kind::Star,
        b'/' => Kind::Slash,
        b'%' => Kind::Percent,
        b'&' => Kind::Amp,
        b'|' => Kind::Pipe,
        b'^' => Kind::Caret,
        b'~' => Kind::Tilde,
        b'<' => Kind::Less,
        b'>' => Kind::Greater,
        b'\\' => Kind::Backslash,
        b'#' => Kind::Hash,
        _ => logical(rest),
    };
    (one, start + rest.chars().next().map_or(1, char::len_utf8))
}

/// The operator of logic that a text starts with.
fn logical(text: &str) -> Kind {
    match text.chars().next() {
        Some('□') => Kind::Box,
        Some('◇') => Kind::Diamond,
        Some('○') => Kind::Circle,
        Some('¬') => Kind::LogicalNot,
        Some('∧') => Kind::LogicalAnd,
        Some('∨') => Kind::LogicalOr,
        Some('→') => Kind::LongArrow,
        Some('↔') => Kind::DoubleArrow,
        _ => Kind::Unknown,
    }
}

fn intern_without_splices(spelling: &str, names: &mut Names) -> NameId {
    if spelling.contains("\\\n") || spelling.contains("\\\r\n") {
        names.intern(&spelling.replace("\\\n", "").replace("\\\r\n", ""))
    } else {
        names.intern(spelling)
    }
}
