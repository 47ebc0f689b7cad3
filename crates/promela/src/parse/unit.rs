//! The top level of a model.

use std::rc::Rc;

use source::Span;

use super::scope::{BodyKind, Symbol};
use super::{Failed, Parse, Parser};
use crate::lex::{Keyword, Kind, Token};
use crate::tree::{EventTrace, Ltl, Proctype, ProctypeId};

/// An `ltl` block that has not been read yet.
pub(super) struct PutOff {
    name: String,
    span: Span,
    tokens: Rc<[Token]>,
}

impl Parser<'_> {
    /// Numbers the process types, so that `run` can name one that comes later.
    pub(super) fn find_proctypes(&mut self, tokens: &[Token]) {
        let mut depth = 0usize;
        let mut count = 0;
        for pair in tokens.windows(2) {
            match pair[0].kind {
                Kind::LeftBrace => depth += 1,
                Kind::RightBrace => depth = depth.saturating_sub(1),
                Kind::Key(Keyword::Init) if depth == 0 => count += 1,
                Kind::Key(Keyword::Proctype | Keyword::DProctype) if depth == 0 => {
                    self.globals.proctypes.entry(pair[1].text).or_insert(ProctypeId(count));
                    count += 1;
                }
                _ => {}
            }
        }
    }

    pub(super) fn units(&mut self) {
        loop {
            while self.at(Kind::Semi) || self.at(Kind::Arrow) {
                self.stream.bump();
            }
            if self.at(Kind::End) || self.reports.full() {
                break;
            }
            if self.unit().is_err() {
                self.body = None;
                self.stream.in_sequence = false;
                self.stream.forget_parens();
                self.find_unit();
            }
        }
        for formula in std::mem::take(&mut self.formulas) {
            self.formula_unit(formula);
        }
    }

    fn unit(&mut self) -> Parse<()> {
        let token = self.stream.peek();
        match token.kind {
            Kind::Key(Keyword::Active | Keyword::Proctype | Keyword::DProctype) => self.proctype(),
            Kind::Key(Keyword::Init) => self.init(),
            Kind::Key(Keyword::Never) => self.claim(),
            Kind::Key(Keyword::Ltl) => self.put_off_formula(),
            Kind::Key(Keyword::Trace | Keyword::Notrace) => self.event_trace(),
            Kind::Key(Keyword::Typedef) => self.typedef(),
            Kind::Key(Keyword::Inline) => self.inline_definition(),
            Kind::Key(Keyword::CCode | Keyword::CDecl | Keyword::CState | Keyword::CTrack) => {
                // The block has been skipped, so reading can go on right behind it.
                let _ = self.embedded_c::<()>();
                Ok(())
            }
            _ if self.at_declaration() => {
                let vars = self.declaration()?;
                self.program.globals.extend(vars);
                self.separator()
            }
            _ => self.unexpected("a declaration or a process type"),
        }
    }

    /// What follows a global declaration: a separator, or directly the next unit.
    fn separator(&mut self) -> Parse<()> {
        match self.peek() {
            Kind::Semi | Kind::Arrow | Kind::End => Ok(()),
            _ if self.starts_unit() => Ok(()),
            _ => self.unexpected("`;`"),
        }
    }

    fn starts_unit(&mut self) -> bool {
        use Keyword::*;
        match self.peek() {
            Kind::Key(
                Active | Proctype | DProctype | Init | Never | Ltl | Trace | Notrace | Typedef | Inline
                | CCode | CDecl | CState | CTrack,
            ) => true,
            _ => self.at_declaration(),
        }
    }

    /// Skips to where a unit starts.
    fn find_unit(&mut self) {
        self.stream.truncate(1);
        self.stream.bump();
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Kind::End => return,
                Kind::LeftBrace => depth += 1,
                Kind::RightBrace => depth = depth.saturating_sub(1),
                Kind::Key(
                    Keyword::Active | Keyword::Proctype | Keyword::DProctype | Keyword::Init | Keyword::Never,
                ) => return,
                Kind::Semi if depth == 0 => return,
                _ if depth == 0 && self.starts_unit() => return,
                _ => {}
            }
            self.stream.bump();
        }
    }

    fn proctype(&mut self) -> Parse<()> {
        let active = self.instances()?;
        let deterministic = self.at_key(Keyword::DProctype);
        if !deterministic && !self.at_key(Keyword::Proctype) {
            return self.unexpected("`proctype`");
        }
        self.stream.bump();
        let (name, span) = self.expect_name("the name of the process type")?;
        let id = ProctypeId(self.program.proctypes.len() as u32);
        self.declare_global(name, span, Symbol::Proctype);
        self.stream.never_last.insert(name);
        self.begin_body(BodyKind::Process(id));
        // The parameters share the scope of the body's outermost block.
        self.open_block();
        self.expect(Kind::LeftParen, "`(`")?;
        let params = self.parameters(id)?;
        self.expect(Kind::RightParen, "`)`")?;
        let priority = self.optional_priority()?;
        let mut provided = match self.accept_key(Keyword::Provided) {
            None => None,
            Some(_) => {
                self.expect(Kind::LeftParen, "`(`")?;
                let condition = self.expression()?;
                self.expect(Kind::RightParen, "`)`")?;
                self.refuse_run(&condition, "a `provided` clause");
                Some(condition)
            }
        };
        let name = self.name(name).to_owned();
        let (body, locals) = self.body(provided.as_mut())?;
        self.program.proctypes.push(Proctype {
            name,
            params,
            locals,
            active,
            priority,
            provided,
            deterministic,
            body,
            span,
        });
        Ok(())
    }

    /// `active` or `active [n]`.
    fn instances(&mut self) -> Parse<u32> {
        if self.accept_key(Keyword::Active).is_none() {
            return Ok(0);
        }
        if self.accept(Kind::LeftBracket).is_none() {
            return Ok(1);
        }
        let count = self.constant_or_variable("the number of processes")?;
        self.expect(Kind::RightBracket, "`]`")?;
        match u32::try_from(count.value) {
            Ok(instances) if instances <= 255 => Ok(instances),
            _ => {
                self.error("E0518", count.span, format!("there cannot be {} processes", count.value))
                    .help("at most 255 processes can run");
                Ok(1)
            }
        }
    }

    pub(super) fn optional_priority(&mut self) -> Parse<Option<i32>> {
        let Some(keyword) = self.accept_key(Keyword::Priority) else { return Ok(None) };
        self.use_priority(keyword.span);
        let priority = self.constant("the priority")?;
        if !(0..=255).contains(&priority.value) {
            self.error("E0518", priority.span, "priorities lie between 1 and 255");
        }
        Ok(Some(priority.value))
    }

    pub(super) fn use_priority(&mut self, span: Span) {
        self.program.uses_priority = true;
        self.pending.priority.get_or_insert(span);
    }

    fn init(&mut self) -> Parse<()> {
        let span = self.stream.bump().span;
        let id = ProctypeId(self.program.proctypes.len() as u32);
        self.begin_body(BodyKind::Process(id));
        self.open_block();
        let priority = self.optional_priority()?;
        self.pending.parameters.push(0);
        let (body, locals) = self.body(None)?;
        self.program.proctypes.push(Proctype {
            name: ":init:".to_owned(),
            params: Vec::new(),
            locals,
            active: 1,
            priority,
            provided: None,
            deterministic: false,
            body,
            span,
        });
        Ok(())
    }

    pub(super) fn declare_claim(&mut self, name: &str, span: Span) {
        if let Some(first) = self.globals.claims.insert(name.to_owned(), span) {
            let message = format!("there are two claims named `{name}`");
            self.error("E0402", span, message).related(first, "the first one");
        }
    }

    fn event_trace(&mut self) -> Parse<()> {
        let token = self.stream.bump();
        let forbidden = token.kind == Kind::Key(Keyword::Notrace);
        self.begin_body(BodyKind::Trace);
        self.open_block();
        let (body, _) = self.body(None)?;
        if let Some(first) = &self.program.trace {
            let first = first.span;
            self.error("E0402", token.span, "there can be only one trace").related(first, "the first one");
            return Ok(());
        }
        self.program.trace = Some(EventTrace { forbidden, body, span: token.span });
        Ok(())
    }

    fn put_off_formula(&mut self) -> Parse<()> {
        let span = self.stream.bump().span;
        let name = match self.accept(Kind::Name) {
            Some(token) => self.name(token.text).to_owned(),
            None => {
                self.unnamed_formulas += 1;
                format!("ltl_{}", self.unnamed_formulas - 1)
            }
        };
        self.declare_claim(&name, span);
        self.expect(Kind::LeftBrace, "`{`")?;
        let Some(tokens) = self.stream.take_nested(Kind::LeftBrace, Kind::RightBrace) else {
            self.error("E0301", span, "this `ltl` block has no closing brace");
            return Err(Failed);
        };
        self.expect_no_unit(&tokens);
        self.formulas.push(PutOff { name, span, tokens: tokens.into() });
        Ok(())
    }

    fn formula_unit(&mut self, put_off: PutOff) {
        let end = Token::end(self.since(put_off.span));
        let tokens: Vec<Token> = put_off.tokens.iter().copied().chain([end]).collect();
        let end_span = put_off.tokens.last().map_or(put_off.span, |last| last.span);
        self.stream.restart(tokens);
        self.in_formula = true;
        let before = self.demands();
        self.reports.begin_property(&put_off.name, true, put_off.span);
        let formula = self.formula().and_then(|formula| {
            while self.accept(Kind::Semi).is_some() {}
            match self.peek() {
                Kind::End => Ok(formula),
                _ => self.unexpected("an operator or the end of the formula"),
            }
        });
        self.in_formula = false;
        let is_wrong = self.reports.end_property();
        match formula {
            Ok(formula) if !is_wrong => {
                let span = put_off.span.to(end_span);
                self.program.ltl.push(Ltl { name: put_off.name, formula, span });
            }
            _ => self.demand_only(before),
        }
    }
}
