//! The parser: recursive descent, with names resolved on the way.
//!
//! Functions that read something return [`Parse`]; an `Err` means that an error was reported and
//! that the caller should find a place to go on from. Errors of meaning (an unknown name, a wrong
//! type) are reported without that: reading goes on with a stand-in.

mod body;
mod claim;
mod control;
mod decl;
mod expr;
mod init;
mod inline;
mod io;
mod ltl;
mod names;
mod primary;
mod remote;
mod scope;
mod stmt;
mod stream;
mod unit;
mod walk;

use model::{Over, Patience};
use source::{Diagnostic, Span};

use crate::lex::{Keyword, Kind, Token};
use crate::names::{NameId, Names};
use crate::preprocess::Output;
use crate::reports::Reports;
use crate::tree::{ProctypeId, Program, VarId};
use scope::{BodyState, Globals};
use stream::Stream;

/// How deep blocks and expressions may be nested, together.
pub const MAX_NESTING: usize = 200;
/// How many operators may stand above each other in the tree of an expression.
pub const MAX_EXPRESSION_HEIGHT: usize = 500;

/// An error was reported; the text up to here makes no sense.
#[derive(Debug)]
pub(crate) struct Failed;

pub(crate) type Parse<T> = Result<T, Failed>;

/// What can only be checked when everything has been read.
#[derive(Default)]
pub(crate) struct Pending {
    /// Sends: the place and the number of fields.
    pub(crate) sends: Vec<(Span, usize)>,
    /// Runs: the place, what is run, and the number of arguments.
    pub(crate) runs: Vec<(Span, ProctypeId, usize)>,
    /// The number of values each process type takes as arguments.
    pub(crate) parameters: Vec<usize>,
    /// The number of fields of the widest channel.
    pub(crate) widest: usize,
    /// The first rendezvous channel.
    pub(crate) rendezvous: Option<Span>,
    /// The first use of a priority.
    pub(crate) priority: Option<Span>,
}

/// What the text so far asks of the model as a whole.
#[derive(Clone, Copy)]
struct Demands {
    n_sends: usize,
    n_runs: usize,
    priority: Option<Span>,
    uses_last: bool,
    uses_priority: bool,
}

pub(crate) struct Parser<'a> {
    stream: Stream<'a>,
    names: Names,
    program: Program,
    reports: &'a mut Reports,
    globals: Globals,
    body: Option<BodyState>,
    pending: Pending,
    /// The formulas, put off to the end because they may name what comes later.
    formulas: Vec<unit::PutOff>,
    in_formula: bool,
    nesting: usize,
    /// The height of the expression read last.
    height: usize,
    /// Stands for every variable that does not exist.
    unknown: Option<VarId>,
    /// How many tokens inline expansion has made so far.
    expanded: usize,
    unnamed_claims: usize,
    unnamed_formulas: usize,
}

/// Reads the tokens of a model.
pub(crate) fn parse(
    input: Output,
    reports: &mut Reports,
    patience: &Patience,
) -> Result<(Program, Pending), Over> {
    let program = Program { sources: input.sources, ..Program::default() };
    let mut parser = Parser {
        stream: Stream::new(Vec::new(), patience),
        names: input.names,
        program,
        reports,
        globals: Globals::default(),
        body: None,
        pending: Pending::default(),
        formulas: Vec::new(),
        in_formula: false,
        nesting: 0,
        height: 0,
        unknown: None,
        expanded: 0,
        unnamed_claims: 0,
        unnamed_formulas: 0,
    };
    parser.find_proctypes(&input.tokens);
    parser.stream.restart(input.tokens);
    parser.units();
    match parser.stream.over() {
        Some(over) => Err(over),
        None => Ok((parser.program, parser.pending)),
    }
}

impl Parser<'_> {
    fn peek(&mut self) -> Kind {
        self.stream.peek().kind
    }

    fn at(&mut self, kind: Kind) -> bool {
        self.peek() == kind
    }

    fn at_key(&mut self, keyword: Keyword) -> bool {
        self.at(Kind::Key(keyword))
    }

    /// Takes the next token if it is of that kind.
    fn accept(&mut self, kind: Kind) -> Option<Token> {
        self.at(kind).then(|| self.stream.bump())
    }

    fn accept_key(&mut self, keyword: Keyword) -> Option<Token> {
        self.accept(Kind::Key(keyword))
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Parse<Token> {
        match self.accept(kind) {
            Some(token) => Ok(token),
            None => self.unexpected(what),
        }
    }

    fn expect_name(&mut self, what: &str) -> Parse<(NameId, Span)> {
        self.expect(Kind::Name, what).map(|token| (token.text, token.span))
    }

    /// Reports that something else was expected here.
    fn unexpected<T>(&mut self, expected: &str) -> Parse<T> {
        let token = self.stream.peek();
        if let Kind::Key(
            Keyword::CCode | Keyword::CDecl | Keyword::CExpr | Keyword::CState | Keyword::CTrack,
        ) = token.kind
        {
            return self.embedded_c();
        }
        let found = match token.kind {
            Kind::End => "the end of the text".to_owned(),
            Kind::Semi if token.text == NameId::default() && self.program.sources.text(token.span) != ";" => {
                "the end of the statement".to_owned()
            }
            _ => format!("`{}`", token.spelling(&self.names)),
        };
        let message = format!("expected {expected}, found {found}");
        self.reports.error("E0301", token.span, message).label(format!("expected {expected}"));
        Err(Failed)
    }

    /// Reads something nested; refuses to go too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= MAX_NESTING {
            let span = self.stream.peek().span;
            let message = format!("this is nested more than {MAX_NESTING} levels deep");
            self.reports.error("E0302", span, message);
            return Err(Failed);
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.reports.error(code, span, message)
    }

    fn warn(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.reports.warn(code, span, message)
    }

    /// Whether a token stands in the text as it is, and not because of a macro.
    fn is_written(&self, token: Token) -> bool {
        self.program.sources.text(token.span) == token.spelling(&self.names)
    }

    fn name(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    /// What is demanded before a claim or a formula …
    fn demands(&self) -> Demands {
        Demands {
            n_sends: self.pending.sends.len(),
            n_runs: self.pending.runs.len(),
            priority: self.pending.priority,
            uses_last: self.program.uses_last,
            uses_priority: self.program.uses_priority,
        }
    }

    /// … and again, if that is refused: then it demands nothing.
    fn demand_only(&mut self, before: Demands) {
        self.pending.sends.truncate(before.n_sends);
        self.pending.runs.truncate(before.n_runs);
        self.pending.priority = before.priority;
        self.program.uses_last = before.uses_last;
        self.program.uses_priority = before.uses_priority;
    }

    /// From a token to the last one taken.
    fn since(&self, start: Span) -> Span {
        start.to(self.stream.last_span())
    }

    /// Skips embedded C after complaining about it.
    fn embedded_c<T>(&mut self) -> Parse<T> {
        let token = self.stream.bump();
        let what = token.spelling(&self.names).to_owned();
        let help = match token.kind {
            Kind::Key(Keyword::CExpr) => "write the condition as a Promela expression",
            Kind::Key(Keyword::CCode) => {
                "write the computation as Promela statements, in a d_step if it is to be one step"
            }
            _ => "declare the data as Promela variables",
        };
        let message = format!("`{what}`: embedded C code is not supported");
        self.error("E0701", token.span, message).help(help);
        if self.accept(Kind::LeftBracket).is_some() {
            self.stream.take_nested(Kind::LeftBracket, Kind::RightBracket);
        }
        if self.accept(Kind::LeftBrace).is_some() {
            self.stream.take_nested(Kind::LeftBrace, Kind::RightBrace);
        }
        while self.accept(Kind::Str).is_some() {}
        Err(Failed)
    }
}
