//! Inlines: their definition, and their expansion at a call.
//!
//! An inline is text: at each call the parameters are replaced token by token, and the result is
//! read as a block. Tokens that replace a parameter get its place, so that what is reported lies in
//! the inline; the call is added to the report.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use source::Span;

use super::scope::{Expansion, Symbol};
use super::{Failed, Parse, Parser};
use crate::lex::{Kind, Token};
use crate::names::NameId;
use crate::preprocess::MAX_TOKENS;
use crate::tree::{Stmt, StmtKind, VarRef};

/// An inline.
pub(super) struct Inline {
    name: NameId,
    /// The parameters with their positions.
    parameters: FxHashMap<NameId, usize>,
    arity: usize,
    /// The body, braces included.
    body: Vec<Token>,
}

impl Parser<'_> {
    pub(super) fn inline_definition(&mut self) -> Parse<()> {
        self.stream.bump();
        let (name, span) = self.expect_name("the name of the inline")?;
        self.expect(Kind::LeftParen, "`(`")?;
        let mut parameters = FxHashMap::default();
        let mut arity = 0;
        while let Some(parameter) = self.accept(Kind::Name) {
            parameters.entry(parameter.text).or_insert(arity);
            arity += 1;
            if self.accept(Kind::Comma).is_none() {
                break;
            }
        }
        self.expect(Kind::RightParen, "`)`")?;
        let open = self.expect(Kind::LeftBrace, "`{`")?;
        let Some(tokens) = self.stream.take_nested(Kind::LeftBrace, Kind::RightBrace) else {
            self.error("E0301", open.span, "this brace is not closed");
            return Err(Failed);
        };
        let close = Token { kind: Kind::RightBrace, span: self.stream.last_span(), newline: false, ..open };
        let body = [open].into_iter().chain(tokens).chain([close]).collect();
        let inline = Rc::new(Inline { name, parameters, arity, body });
        self.declare_global(name, span, Symbol::Inline(inline));
        self.stream.never_last.insert(name);
        Ok(())
    }

    /// The inline that is called here, if one is.
    pub(super) fn called_inline(&mut self, ahead: usize) -> Option<Rc<Inline>> {
        let token = self.stream.peek_at(ahead);
        if token.kind != Kind::Name || self.stream.peek_at(ahead + 1).kind != Kind::LeftParen {
            return None;
        }
        match self.symbol(token.text) {
            Some(Symbol::Inline(inline)) => Some(inline.clone()),
            _ => None,
        }
    }

    /// Reads a call and what it expands to. `return` puts its value into the target.
    pub(super) fn inline_call(&mut self, inline: Rc<Inline>, target: Option<VarRef>) -> Parse<Stmt> {
        let call = self.stream.bump();
        self.stream.bump();
        let name = self.name(call.text).to_owned();
        let Some(tokens) = self.stream.take_nested(Kind::LeftParen, Kind::RightParen) else {
            self.error("E0301", call.span, format!("this call of `{name}` has no `)`"));
            return Err(Failed);
        };
        let span = self.since(call.span);
        let arguments = split_arguments(&tokens);
        self.check_call(&inline, &name, span, arguments.len())?;
        let expansion = self.substituted(&inline, &arguments, span)?;
        let depth = self.stream.depth();
        self.stream.push(expansion.into());
        let id = self.state().fresh();
        self.state().at_start = false;
        self.state().expansions.push(Expansion { inline, id, target });
        self.reports.calls.push((span, format!("in this call of `{name}`")));
        let body = self.nested(Self::braces);
        self.reports.calls.pop();
        self.state().expansions.pop();
        // What is left of the text after an error must not be taken for the caller's.
        if body.is_err() {
            self.stream.truncate(depth);
        }
        self.stream.set_last_span(span);
        Ok(Stmt { labels: Vec::new(), kind: StmtKind::Inline { name, body: body? }, span })
    }

    fn check_call(&mut self, inline: &Rc<Inline>, name: &str, span: Span, given: usize) -> Parse<()> {
        let wanted = inline.arity;
        if given != wanted {
            self.error(
                "E0508",
                span,
                format!("inline `{name}` takes {wanted} arguments, but {given} are given"),
            );
            return Err(Failed);
        }
        if self.state().expansions.iter().any(|active| active.inline.name == inline.name) {
            self.error("E0409", span, format!("inline `{name}` calls itself"));
            return Err(Failed);
        }
        Ok(())
    }

    /// The body of an inline with the arguments put in.
    fn substituted(&mut self, inline: &Inline, arguments: &[&[Token]], call: Span) -> Parse<Vec<Token>> {
        let mut tokens = Vec::new();
        for &token in &inline.body {
            let parameter = inline.parameters.get(&token.text).filter(|_| token.kind == Kind::Name);
            let Some(&parameter) = parameter else {
                tokens.push(token);
                continue;
            };
            for (index, argument) in arguments[parameter].iter().enumerate() {
                tokens.push(Token { span: token.span, newline: index == 0 && token.newline, ..*argument });
            }
            if tokens.len() > MAX_TOKENS {
                break;
            }
        }
        self.expanded += tokens.len();
        if self.expanded > MAX_TOKENS {
            let message = format!("the inlines make more than {MAX_TOKENS} tokens");
            self.error("E0107", call, message);
            return Err(Failed);
        }
        Ok(tokens)
    }
}

/// Splits at the commas outside brackets.
fn split_arguments(tokens: &[Token]) -> Vec<&[Token]> {
    if tokens.is_empty() {
        return Vec::new();
    }
    let mut depth = 0i32;
    let is_separator = |token: &Token| {
        match token.kind {
            Kind::LeftParen | Kind::LeftBracket | Kind::LeftBrace => depth += 1,
            Kind::RightParen | Kind::RightBracket | Kind::RightBrace => depth -= 1,
            _ => {}
        }
        token.kind == Kind::Comma && depth == 0
    };
    tokens.split(is_separator).collect()
}
