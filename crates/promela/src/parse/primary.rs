//! Operands: constants, names, brackets and the predefined functions.

use source::Span;

use super::expr::Whole;
use super::init::MAX_MESSAGE_FIELDS;
use super::scope::{BodyKind, Symbol};
use super::{Parse, Parser};
use crate::lex::{Keyword, Kind, Token};
use crate::preprocess::MAX_TOKENS;
use crate::tree::{ChannelOp, Expr, ExprKind, Type, VarRef};

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parse<Expr> {
        self.height = 1;
        let token = self.stream.peek();
        let kind = match token.kind {
            Kind::Number => self.number(token),
            Kind::Char => self.character(token),
            Kind::Key(Keyword::Skip | Keyword::True) => ExprKind::Const(1),
            Kind::Key(Keyword::False) => ExprKind::Const(0),
            Kind::Key(Keyword::Timeout) => ExprKind::Timeout,
            Kind::Key(Keyword::Np) => {
                let in_process = self.body.as_ref().is_some_and(|body| body.kind != BodyKind::NeverClaim);
                if in_process || (self.body.is_none() && !self.in_formula) {
                    self.error("E0605", token.span, "`np_` can be used in claims and formulas only");
                }
                ExprKind::NonProgress
            }
            Kind::LeftParen => return self.nested(Self::bracketed),
            Kind::Name => return self.named(token),
            Kind::Key(keyword) => return self.function(token, keyword),
            _ => return self.unexpected("an expression"),
        };
        self.stream.bump();
        Ok(Expr { kind, span: token.span })
    }

    fn number(&mut self, token: Token) -> ExprKind {
        let text = self.name(token.text);
        // As Spin does: what does not fit 32 bits is cut off, what does not fit 64 becomes the greatest.
        let value = text.parse::<i64>().unwrap_or(i64::MAX);
        let cut = value as i32;
        if i64::from(cut) != value {
            let message = format!("{text} does not fit into 32 bits and is read as {cut}");
            self.warn("W0807", token.span, message);
        }
        ExprKind::Const(cut)
    }

    fn character(&mut self, token: Token) -> ExprKind {
        let value = match self.name(token.text).as_bytes() {
            [_, b'\\', b'n', ..] => b'\n',
            [_, b'\\', b'r', ..] => b'\r',
            [_, b'\\', b't', ..] => b'\t',
            [_, b'\\', b'f', ..] => 12,
            [_, b'\\', c, _] | [_, c, ..] => *c,
            _ => 0,
        };
        ExprKind::Const(i32::from(value))
    }

    /// `( … )` or `( condition -> then : otherwise )`
    fn bracketed(&mut self) -> Parse<Expr> {
        let open = self.stream.bump().span;
        let mut expr = self.value_or_structure()?;
        let mut height = self.height;
        if self.accept(Kind::Arrow).is_some() {
            self.check_value(&expr);
            let then = self.expression()?;
            height = height.max(self.height);
            self.expect(Kind::Colon, "`:`")?;
            let otherwise = self.expression()?;
            self.grow(height, open)?;
            let span = expr.span;
            expr = Expr { kind: ExprKind::Cond(Box::new(expr), Box::new(then), Box::new(otherwise)), span };
        }
        self.expect(Kind::RightParen, "`)`")?;
        // The brackets belong to the operand, so that texts and labels show them.
        expr.span = self.since(open);
        Ok(expr)
    }

    /// An operand that starts with a name.
    fn named(&mut self, token: Token) -> Parse<Expr> {
        if let Some(kind) = self.predefined(token)? {
            self.stream.bump();
            return Ok(Expr { kind, span: token.span });
        }
        let local = self.body.as_ref().and_then(|body| body.find(token.text));
        match self.symbol(token.text) {
            Some(&Symbol::Mtype(set, value)) if local.is_none() => {
                self.stream.bump();
                return Ok(Expr { kind: ExprKind::Mtype(set, value), span: token.span });
            }
            _ => {}
        }
        if local.is_none()
            && self.globals.proctypes.contains_key(&token.text)
            && self.find_var(token.text).is_none()
        {
            return self.remote(token);
        }
        let var = self.var_ref(Whole::Structure)?;
        self.var_operand(var)
    }

    /// `_pid` and the like.
    fn predefined(&mut self, token: Token) -> Parse<Option<ExprKind>> {
        let kind = match self.name(token.text) {
            "_pid" => ExprKind::Pid,
            "_nr_pr" => return Ok(Some(ExprKind::NrPr)),
            "_last" => {
                self.program.uses_last = true;
                return Ok(Some(ExprKind::Last));
            }
            "_priority" => {
                self.use_priority(token.span);
                ExprKind::Priority
            }
            "_" => {
                if self.body.as_ref().is_some_and(|body| body.kind == BodyKind::Trace) {
                    return Ok(Some(ExprKind::Any));
                }
                self.error("E0616", token.span, "`_` can be written to, but not read");
                return Ok(Some(ExprKind::Const(0)));
            }
            _ => return Ok(None),
        };
        if self.body.as_ref().is_none_or(|body| body.kind == BodyKind::NeverClaim) {
            let message =
                format!("there is no process here that `{}` could belong to", self.name(token.text));
            self.error("E0618", token.span, message);
        }
        Ok(Some(kind))
    }

    /// A variable as an operand, or a poll of a channel.
    pub(super) fn var_operand(&mut self, var: VarRef) -> Parse<Expr> {
        let random = self.at(Kind::QueryQuery);
        if (random || self.at(Kind::Query)) && self.stream.peek_at(1).kind == Kind::LeftBracket {
            self.check_chan(&var);
            self.stream.bump();
            self.stream.bump();
            let args = self.nested(|parser| parser.receive_args(Kind::RightBracket))?;
            self.expect(Kind::RightBracket, "`]`")?;
            self.check_receive(&var, &args);
            let span = self.since(var.span);
            self.height += 1;
            return Ok(Expr { kind: ExprKind::Poll { chan: var, args, random }, span });
        }
        let span = var.span;
        Ok(Expr { kind: ExprKind::Var(var), span })
    }

    /// A value where a structure cannot stand: reports one.
    pub(super) fn check_value(&mut self, expr: &Expr) {
        let ExprKind::Var(var) = &expr.kind else { return };
        if matches!(self.type_of(var), Type::Struct(_)) {
            let name = self.program.vars[self.innermost(var).var.0 as usize].name.clone();
            let message = format!("`{name}` is a structure and cannot be used as a value");
            self.error("E0504", expr.span, message).help("name one of its fields");
        }
    }

    /// `run`, `len` and the like.
    fn function(&mut self, token: Token, keyword: Keyword) -> Parse<Expr> {
        let chan_op = match keyword {
            Keyword::Len => Some(ChannelOp::Len),
            Keyword::Empty => Some(ChannelOp::Empty),
            Keyword::Nempty => Some(ChannelOp::Nempty),
            Keyword::Full => Some(ChannelOp::Full),
            Keyword::Nfull => Some(ChannelOp::Nfull),
            _ => None,
        };
        let wrap: fn(Box<Expr>) -> ExprKind = match keyword {
            Keyword::Run => return self.nested(Self::run),
            Keyword::Enabled => ExprKind::Enabled,
            Keyword::PcValue => ExprKind::PcValue,
            Keyword::GetPriority => ExprKind::GetPriority,
            _ if chan_op.is_some() => ExprKind::Enabled,
            _ => return self.unexpected("an expression"),
        };
        self.stream.bump();
        self.expect(Kind::LeftParen, "`(`")?;
        let kind = match chan_op {
            Some(op) => {
                let chan = self.nested(|parser| parser.var_ref(Whole::Nothing))?;
                self.check_chan(&chan);
                ExprKind::Chan(op, chan)
            }
            None => {
                if keyword == Keyword::GetPriority {
                    self.use_priority(token.span);
                }
                let argument = self.nested(Self::expression)?;
                self.check_value(&argument);
                wrap(Box::new(argument))
            }
        };
        self.height += 1;
        self.expect(Kind::RightParen, "`)`")?;
        Ok(Expr { kind, span: self.since(token.span) })
    }

    /// `run P(arguments)`
    fn run(&mut self) -> Parse<Expr> {
        let start = self.stream.bump().span;
        let (name, span) = self.expect_name("the name of a process type")?;
        self.check_run_place(start);
        self.expect(Kind::LeftParen, "`(`")?;
        let args = if self.at(Kind::RightParen) { Vec::new() } else { self.values_list()? };
        self.expect(Kind::RightParen, "`)`")?;
        self.height += 1;
        let priority = self.optional_priority()?;
        let whole = self.since(start);
        let Some(&proctype) = self.globals.proctypes.get(&name) else {
            let message = format!("there is no process type `{}`", self.name(name));
            self.error("E0403", span, message);
            return Ok(Expr { kind: ExprKind::Const(0), span: whole });
        };
        self.pending.runs.push((span, proctype, args.len()));
        Ok(Expr { kind: ExprKind::Run { proctype, args, priority }, span: whole })
    }

    fn check_run_place(&mut self, span: Span) {
        match &self.body {
            Some(body) if body.d_step != 0 => {
                self.error("E0604", span, "`run` cannot be used inside d_step")
                    .help("use `atomic` instead of `d_step`");
            }
            Some(body) if matches!(body.kind, BodyKind::Process(_)) => {}
            _ => {
                self.error("E0611", span, "`run` can be used in processes only");
            }
        }
    }

    /// Values separated by commas; a structure stands for its fields.
    pub(super) fn values_list(&mut self) -> Parse<Vec<Expr>> {
        let mut values = Vec::new();
        let mut height = 0;
        loop {
            let value = self.nested(Self::value_or_structure)?;
            height = height.max(self.height);
            self.add_value(&mut values, value);
            if self.accept(Kind::Comma).is_none() {
                self.height = height;
                return Ok(values);
            }
        }
    }

    /// Adds a value, or the fields of a structure.
    pub(super) fn add_value(&mut self, values: &mut Vec<Expr>, value: Expr) {
        match value.kind {
            ExprKind::Var(var) => {
                if !self.can_expand(&var) {
                    return;
                }
                let as_value = |var: VarRef| Expr { span: var.span, kind: ExprKind::Var(var) };
                values.extend(self.fields_of(var).into_iter().map(as_value));
            }
            _ => values.push(value),
        }
    }

    /// Reports a structure that cannot be part of a message.
    pub(super) fn can_expand(&mut self, var: &VarRef) -> bool {
        let Type::Struct(id) = self.type_of(var) else { return true };
        let shape = &self.globals.shapes[id.0 as usize];
        let (values, depth) = (shape.values, shape.depth);
        if values > MAX_MESSAGE_FIELDS || !shape.in_messages {
            self.error("E0512", var.span, "a structure of this type cannot be part of a message");
            return false;
        }
        self.charge(var, values * depth)
    }

    /// Counts copies of a reference that are not in the text; refuses too many.
    pub(super) fn charge(&mut self, var: &VarRef, copies: usize) -> bool {
        let mut size = 1;
        var.visit(&mut |_| size += 1);
        self.expanded = self.expanded.saturating_add(size * copies);
        let fits = self.expanded <= MAX_TOKENS;
        if !fits {
            self.error("E0107", var.span, "the model becomes too large when its structures are expanded");
        }
        fits
    }

    /// Reports `run` where it cannot stand.
    pub(super) fn refuse_run(&mut self, expr: &Expr, place: &str) {
        if let Some(span) = runs(expr).first() {
            self.error("E0611", *span, format!("`run` cannot be used in {place}"));
        }
    }
}

/// The places of the runs in an expression.
pub(super) fn runs(expr: &Expr) -> Vec<Span> {
    let mut found = Vec::new();
    expr.visit(&mut |expr| {
        if let ExprKind::Run { .. } = expr.kind {
            found.push(expr.span);
        }
    });
    found
}
