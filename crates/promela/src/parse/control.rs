//! Selection, repetition, `for` and `select`.

use source::Span;

use super::expr::Whole;
use super::init::evaluate;
use super::{Failed, Parse, Parser};
use crate::lex::{Keyword, Kind, Token};
use crate::tree::{Expr, ExprKind, Init, SelectForm, Sequence, Stmt, StmtKind, Type, VarId, VarRef};

/// `select` over at most this many values beyond the first is one choice.
const MAX_CHOICE: i32 = 32;

impl Parser<'_> {
    pub(super) fn selection(&mut self) -> Parse<StmtKind> {
        self.stream.bump();
        let options = self.options(Keyword::Fi)?;
        Ok(StmtKind::If(options))
    }

    pub(super) fn repetition(&mut self) -> Parse<StmtKind> {
        self.stream.bump();
        let options = self.in_loop(|parser| parser.options(Keyword::Od))?;
        Ok(StmtKind::Do(options))
    }

    fn in_loop<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let d_step = self.state().d_step;
        self.state().loops.push(d_step);
        let result = read(self);
        self.state().loops.pop();
        result
    }

    fn options(&mut self, end: Keyword) -> Parse<Vec<Sequence>> {
        self.state().at_start = false;
        let mut options = Vec::new();
        while let Some(separator) = self.accept(Kind::ColonColon) {
            let option = self.sequence(separator.span)?;
            self.check_not_empty(&option, separator.span);
            options.push(option);
        }
        let what = match (options.is_empty(), end) {
            (true, _) => "`::`",
            (false, Keyword::Fi) => "`::` or `fi`",
            (false, _) => "`::` or `od`",
        };
        if options.is_empty() {
            return self.unexpected(what);
        }
        self.expect(Kind::Key(end), what)?;
        self.check_options(&options);
        Ok(options)
    }

    fn check_options(&mut self, options: &[Sequence]) {
        let mut else_span: Option<Span> = None;
        for option in options {
            let Some(first) = option.stmts.first() else { continue };
            if let StmtKind::Decl { vars, .. } = &first.kind {
                let is_step = |var: &VarId| !matches!(self.program.vars[var.0 as usize].init, Init::Chan(_));
                if vars.iter().any(is_step) {
                    self.warn(
                        "W0803",
                        first.span,
                        "this declaration is the guard of its option, always executable",
                    )
                    .help("declare the variable before the selection");
                }
            }
            if matches!(first.kind, StmtKind::Else) {
                if let Some(first_else) = else_span {
                    self.error("E0602", first.span, "second `else` of a selection")
                        .related(first_else, "the first one");
                }
                else_span = Some(first.span);
            }
            self.warn_stray_else(option);
        }
        if let Some(span) = else_span {
            let beside = options.iter().filter_map(|option| option.stmts.first());
            let rendezvous = beside.filter_map(|stmt| self.rendezvous(stmt)).next();
            if let Some(other) = rendezvous {
                self.warn(
                    "W0804",
                    span,
                    "`else` beside a rendezvous: whether it can be executed is hard to foresee",
                )
                .related(other, "the rendezvous");
            }
        }
    }

    fn warn_stray_else(&mut self, option: &Sequence) {
        for stmt in option.stmts.iter().skip(1).filter(|stmt| matches!(stmt.kind, StmtKind::Else)) {
            self.warn("W0813", stmt.span, "this `else` is not the guard of an option and always executable");
        }
    }

    /// The place of a send or receive on a channel that is known to be a rendezvous.
    fn rendezvous(&self, stmt: &Stmt) -> Option<Span> {
        match &stmt.kind {
            StmtKind::Send { chan, .. } | StmtKind::Receive { chan, .. } => {
                let (capacity, _) = self.known_channel(chan)?;
                (capacity == 0).then_some(stmt.span)
            }
            StmtKind::Block(body)
            | StmtKind::Atomic(body)
            | StmtKind::DStep(body)
            | StmtKind::Inline { body, .. } => self.rendezvous(body.stmts.first()?),
            _ => None,
        }
    }

    pub(super) fn for_loop(&mut self) -> Parse<StmtKind> {
        self.stream.bump();
        self.expect(Kind::LeftParen, "`(`")?;
        let var = self.var_ref(Whole::Anything)?;
        if self.accept_word("in").is_some() {
            return self.for_in(var);
        }
        self.expect(Kind::Colon, "`:` or `in`")?;
        let (from, to) = self.range()?;
        self.check_counter(&var, "for");
        if let (Ok(first), Ok(last)) = (evaluate(&from), evaluate(&to))
            && first > last
        {
            self.warn("W0814", from.span.to(to.span), "this loop is never entered");
        }
        let body = self.for_body()?;
        Ok(StmtKind::For { var, from, to, body })
    }

    /// A word that is reserved in one place only.
    fn accept_word(&mut self, word: &str) -> Option<Span> {
        let token = self.stream.peek();
        (token.kind == Kind::Name && self.name(token.text) == word).then(|| self.stream.bump().span)
    }

    fn range(&mut self) -> Parse<(Expr, Expr)> {
        let from = self.expression()?;
        self.expect(Kind::DotDot, "`..`")?;
        let to = self.expression()?;
        self.expect(Kind::RightParen, "`)`")?;
        Ok((from, to))
    }

    fn for_body(&mut self) -> Parse<Sequence> {
        while self.accept(Kind::Semi).is_some() {}
        self.state().at_start = false;
        self.in_loop(Self::braces)
    }

    /// `for (variable in array)` or `for (message in channel)`
    fn for_in(&mut self, var: VarRef) -> Parse<StmtKind> {
        let over = self.var_ref(Whole::Anything)?;
        self.expect(Kind::RightParen, "`)`")?;
        let over_var = &self.program.vars[self.innermost(&over).var.0 as usize];
        let is_whole_array = over_var.array.is_some() && self.innermost(&over).index.is_none();
        if let Type::Struct(id) = self.type_of(&var) {
            let capacity = match &over_var.init {
                Init::Chan(init) if init.fields == [Type::Struct(id)] && init.capacity > 0 => {
                    Some(init.capacity)
                }
                _ => None,
            };
            let Some(capacity) = capacity.filter(|_| !is_whole_array) else {
                self.error(
                    "E0516",
                    over.span,
                    "this is not a buffered channel whose messages have the variable's type",
                );
                return Err(Failed);
            };
            if !self.can_expand(&var) {
                return Err(Failed);
            }
            let counter = self.loop_counter(capacity, var.span);
            let fields = self.fields_of(var.clone());
            let body = self.for_body()?;
            return Ok(StmtKind::ForChan { var, fields, chan: over, counter, body });
        }
        let size = over_var.array.filter(|_| is_whole_array);
        self.check_counter(&var, "for");
        let Some(size) = size else {
            self.error("E0516", over.span, "this is not an array")
                .help("a structure can run through a channel");
            return Err(Failed);
        };
        let constant = |value: i32| Expr { kind: ExprKind::Const(value), span: over.span };
        let (from, to) = (constant(0), constant(size as i32 - 1));
        let body = self.for_body()?;
        Ok(StmtKind::For { var, from, to, body })
    }

    /// The hidden counter of a loop over a channel. The loops of one block share it, as in Spin.
    fn loop_counter(&mut self, capacity: u32, span: Span) -> VarId {
        let shared = self.state().blocks.last().and_then(|block| block.counter);
        let ty = if capacity > 255 { Type::Short } else { Type::Byte };
        if let Some(counter) = shared {
            self.program.vars[counter.0 as usize].ty = ty;
            return counter;
        }
        let counter = self.hidden_var("_f0r_t3mp", ty, span);
        let state = self.state();
        state.locals.push(counter);
        if let Some(block) = state.blocks.last_mut() {
            block.counter = Some(counter);
        }
        counter
    }

    fn check_counter(&mut self, var: &VarRef, what: &str) {
        let declared = &self.program.vars[var.var.0 as usize];
        if declared.array.is_some() || matches!(declared.ty, Type::Chan | Type::Struct(_)) {
            let message = format!("the variable of `{what}` must be a simple one");
            self.error("E0516", var.span, message);
        }
    }

    pub(super) fn select(&mut self) -> Parse<StmtKind> {
        let start = self.stream.bump().span;
        self.expect(Kind::LeftParen, "`(`")?;
        let is_simple = self.is_simple_select();
        let var = self.var_ref(Whole::Anything)?;
        self.expect(Kind::Colon, "`:`")?;
        let (from, to) = self.range()?;
        self.check_counter(&var, "select");
        let form = match (is_simple, evaluate(&from), evaluate(&to)) {
            (true, Ok(from), Ok(to)) if to.saturating_sub(from) <= MAX_CHOICE => SelectForm::Choice,
            (true, Ok(_), Ok(_)) => SelectForm::LoopBreakLast,
            _ => SelectForm::LoopBreakFirst,
        };
        let span = self.since(start);
        if let (Ok(first), Ok(last)) = (evaluate(&from), evaluate(&to)) {
            match form {
                SelectForm::LoopBreakFirst if first > last => {
                    self.warn("W0814", span, "this range is empty; the first value is taken");
                }
                _ if first > last => {
                    self.error("E0608", span, "`select` over an empty range");
                }
                _ => {}
            }
        }
        Ok(StmtKind::Select { var, from, to, form })
    }

    /// Spin rewrites `select` as text if it stands on one line, outside of inlines, and has a plain
    /// name without underscore and two numbers.
    fn is_simple_select(&mut self) -> bool {
        let tokens: Vec<Token> = (0..6).map(|n| self.stream.peek_at(n)).collect();
        let kinds: Vec<Kind> = tokens.iter().map(|token| token.kind).collect();
        let outside = self.body.as_ref().is_none_or(|body| body.expansions.is_empty());
        outside
            && kinds == [Kind::Name, Kind::Colon, Kind::Number, Kind::DotDot, Kind::Number, Kind::RightParen]
            && self.name(tokens[0].text).bytes().all(|c| c.is_ascii_alphanumeric())
            && !tokens.iter().any(|token| token.newline)
    }
}
