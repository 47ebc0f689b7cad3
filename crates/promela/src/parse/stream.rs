//! The tokens as the parser sees them: inline calls expanded, and with the separators that Spin
//! supplies or drops.
//!
//! A line end stands for `;` inside a body, outside parentheses, behind a token that can end a
//! statement. Behind `else` and behind `}` a missing `;` is supplied, and one before `}` or before
//! another separator is dropped.

use std::collections::VecDeque;
use std::rc::Rc;

use model::{Over, Pace, Patience};
use rustc_hash::FxHashSet;
use source::Span;

use crate::lex::{Keyword, Kind, Token};
use crate::names::NameId;

struct Frame {
    tokens: Rc<[Token]>,
    position: usize,
}

pub(super) struct Stream<'a> {
    patience: &'a Patience,
    pace: Pace<'a>,
    /// Why there are no more tokens, if it takes too long.
    over: Option<Over>,
    frames: Vec<Frame>,
    end: Token,
    /// Tokens that were looked at but not taken.
    ahead: VecDeque<Token>,
    /// A token that comes behind a supplied separator.
    held: Option<Token>,
    /// The last token read.
    last_read: Kind,
    /// The last token handed on.
    last: Kind,
    /// The place of the last token taken.
    last_span: Span,
    open_parens: u32,
    /// Inside a body or a typedef, where line ends count.
    pub(super) in_sequence: bool,
    /// Names behind which a line end does not count: those of inlines, process types and typedefs.
    pub(super) never_last: FxHashSet<NameId>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(tokens: Vec<Token>, patience: &'a Patience) -> Stream<'a> {
        let end = tokens.last().copied().unwrap_or(Token::end(Span::default()));
        let last_span = tokens.first().map_or(end.span, |first| first.span);
        Stream {
            patience,
            pace: patience.pace(),
            over: None,
            frames: vec![Frame { tokens: tokens.into(), position: 0 }],
            end,
            ahead: VecDeque::new(),
            held: None,
            last_read: Kind::Semi,
            last: Kind::Semi,
            last_span,
            open_parens: 0,
            in_sequence: false,
            never_last: FxHashSet::default(),
        }
    }

    /// Reads other tokens, as if nothing had been read before.
    pub(super) fn restart(&mut self, tokens: Vec<Token>) {
        *self = Stream { over: self.over, ..Stream::new(tokens, self.patience) };
    }

    /// Reads these tokens alone, until [`Stream::end_part`] goes on with what this gives.
    pub(super) fn begin_part(&mut self, tokens: Vec<Token>) -> Stream<'a> {
        let never_last = std::mem::take(&mut self.never_last);
        let part = Stream { over: self.over, never_last, ..Stream::new(tokens, self.patience) };
        std::mem::replace(self, part)
    }

    /// Goes on behind a part.
    pub(super) fn end_part(&mut self, behind: Stream<'a>) {
        let part = std::mem::replace(self, behind);
        self.over = part.over;
        self.never_last = part.never_last;
    }

    /// Why there are no more tokens, if it takes too long.
    pub(super) fn over(&self) -> Option<Over> {
        self.over
    }

    /// The token that comes next.
    pub(super) fn peek(&mut self) -> Token {
        self.peek_at(0)
    }

    /// The token that comes after `n` others.
    pub(super) fn peek_at(&mut self, n: usize) -> Token {
        while self.ahead.len() <= n {
            let token = self.filtered();
            self.ahead.push_back(token);
        }
        self.ahead[n]
    }

    /// Takes the next token.
    pub(super) fn bump(&mut self) -> Token {
        let token = self.ahead.pop_front().unwrap_or_else(|| self.filtered());
        self.last_span = token.span;
        token
    }

    /// The place of the last token taken.
    pub(super) fn last_span(&self) -> Span {
        self.last_span
    }

    /// Makes the last token taken seem to be elsewhere: behind an expansion, at its call.
    pub(super) fn set_last_span(&mut self, span: Span) {
        self.last_span = span;
    }

    /// Reads these tokens before all others.
    pub(super) fn push(&mut self, tokens: Rc<[Token]>) {
        // After an error, tokens may have been looked at too early: they come behind the new ones.
        let seen: Vec<Token> = self.ahead.drain(..).chain(self.held.take()).collect();
        if !seen.is_empty() {
            self.frames.push(Frame { tokens: seen.into(), position: 0 });
        }
        self.frames.push(Frame { tokens, position: 0 });
        self.last_read = Kind::Semi;
    }

    /// How many expansions are being read.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Gives up all expansions but the outer `depth` ones.
    pub(super) fn truncate(&mut self, depth: usize) {
        if self.frames.len() > depth {
            self.frames.truncate(depth);
            self.ahead.clear();
            self.held = None;
        }
        self.open_parens = 0;
    }

    /// Starts anew behind trouble.
    pub(super) fn forget_parens(&mut self) {
        self.open_parens = 0;
    }

    /// Takes tokens as they are written, up to the bracket that closes the one taken last.
    pub(super) fn take_nested(&mut self, open: Kind, close: Kind) -> Option<Vec<Token>> {
        let mut taken = Vec::new();
        let mut depth = 1;
        loop {
            let token = match self.ahead.pop_front().or_else(|| self.held.take()) {
                Some(token) => token,
                None => self.unfiltered(),
            };
            if token.kind == open {
                depth += 1;
            } else if token.kind == close {
                depth -= 1;
            }
            self.last_span = token.span;
            if depth == 0 {
                self.last = close;
                return Some(taken);
            }
            if token.kind == Kind::End {
                return None;
            }
            taken.push(token);
        }
    }

    fn next_written(&mut self) -> Token {
        self.over = self.over.or_else(|| self.pace.step().err());
        if self.over.is_some() {
            return self.end;
        }
        while let Some(frame) = self.frames.last() {
            if let Some(&token) = frame.tokens.get(frame.position) {
                return token;
            }
            if self.frames.len() == 1 {
                break;
            }
            self.frames.pop();
        }
        self.end
    }

    fn unfiltered(&mut self) -> Token {
        let token = self.next_written();
        if let Some(frame) = self.frames.last_mut() {
            frame.position += 1;
        }
        self.note(token);
        token
    }

    fn note(&mut self, token: Token) {
        match token.kind {
            Kind::LeftParen => self.open_parens += 1,
            Kind::RightParen => self.open_parens = self.open_parens.saturating_sub(1),
            _ => {}
        }
        self.last_read = match token.kind {
            Kind::Name if self.never_last.contains(&token.text) => Kind::Colon,
            kind => kind,
        };
    }

    /// The next token, or the separator that a line end stands for.
    fn with_line_ends(&mut self) -> Token {
        let token = self.next_written();
        let counts =
            token.newline && self.in_sequence && self.open_parens == 0 && can_end_statement(self.last_read);
        let before_unless = self.last_read == Kind::RightBrace && token.kind == Kind::Key(Keyword::Unless);
        if counts && !before_unless {
            self.last_read = Kind::Semi;
            return Token::implied_semi(token.span);
        }
        self.unfiltered()
    }

    fn filtered(&mut self) -> Token {
        let token = match self.held.take() {
            Some(held) => held,
            None => self.repaired(),
        };
        self.last = token.kind;
        token
    }

    fn repaired(&mut self) -> Token {
        use Keyword::{Else, Fi, Init, Never, Od, Proctype, Unless};
        let token = self.with_line_ends();
        let separate = match self.last {
            Kind::Key(Else) => !matches!(token.kind, Kind::Semi | Kind::Arrow | Kind::Key(Fi)),
            Kind::RightBrace => !matches!(
                token.kind,
                Kind::Key(Proctype | Init | Never | Fi | Od | Unless)
                    | Kind::ColonColon
                    | Kind::RightBrace
                    | Kind::Semi
                    | Kind::Arrow
                    | Kind::Comma
                    | Kind::End
            ),
            _ => false,
        };
        if separate {
            self.held = Some(token);
            return Token::implied_semi(token.span);
        }
        if matches!(token.kind, Kind::Semi | Kind::Arrow) {
            let next = self.with_line_ends();
            if matches!(next.kind, Kind::RightBrace | Kind::Arrow | Kind::Semi) {
                return next;
            }
            self.held = Some(next);
        }
        token
    }
}

fn can_end_statement(kind: Kind) -> bool {
    use Keyword::{Break, CCode, CDecl, CExpr, Else, False, Fi, Od, Skip, Timeout, True};
    matches!(
        kind,
        Kind::RightBrace
            | Kind::RightParen
            | Kind::RightBracket
            | Kind::Name
            | Kind::Number
            | Kind::Char
            | Kind::Increment
            | Kind::Decrement
            | Kind::Key(Od | Fi | Else | Break | Skip | True | False | Timeout | CCode | CExpr | CDecl)
    )
}
