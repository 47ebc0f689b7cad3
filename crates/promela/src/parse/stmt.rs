//! Sequences and simple statements.

use source::Span;

use super::expr::Whole;
use super::primary::runs;
use super::scope::{BodyKind, Jump, SetLabel};
use super::{Failed, Parse, Parser};
use crate::lex::{Keyword, Kind, Token};
use crate::tree::{BinaryOp, Expr, ExprKind, Init, LabelId, Sequence, Stmt, StmtKind, Type, VarRef};

impl Parser<'_> {
    /// Whether a sequence of statements ends here.
    fn at_sequence_end(&mut self) -> bool {
        matches!(
            self.peek(),
            Kind::RightBrace | Kind::ColonColon | Kind::Key(Keyword::Fi | Keyword::Od) | Kind::End
        )
    }

    fn at_separator(&mut self) -> bool {
        matches!(self.peek(), Kind::Semi | Kind::Arrow)
    }

    /// Reads statements up to the end of the sequence. After an error it goes on with the next one.
    pub(super) fn sequence(&mut self, start: Span) -> Parse<Sequence> {
        let mut sequence = Sequence::default();
        if self.at_separator() {
            // Goes on behind it, as if something had stood there.
            let _ = self.unexpected::<()>("a statement");
        }
        loop {
            while self.at_separator() {
                self.stream.bump();
            }
            if self.at_sequence_end() {
                return Ok(sequence);
            }
            if self.reports.full() {
                return Err(Failed);
            }
            let step = self.step().and_then(|step| {
                if self.at_separator() || self.at_sequence_end() {
                    Ok(step)
                } else {
                    self.unexpected("`;` or the end of the sequence")
                }
            });
            match step {
                Ok(step) => sequence.stmts.push(step),
                Err(Failed) => {
                    self.find_statement()?;
                    // So that nobody complains that there is no statement here.
                    let kind = StmtKind::Condition(Expr { kind: ExprKind::Const(1), span: start });
                    sequence.stmts.push(Stmt { labels: Vec::new(), kind, span: start });
                }
            }
        }
    }

    /// Skips to the end of a statement that makes no sense.
    fn find_statement(&mut self) -> Parse<()> {
        self.stream.forget_parens();
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Kind::End => return Err(Failed),
                Kind::Key(Keyword::Proctype | Keyword::DProctype | Keyword::Active | Keyword::Never) => {
                    return Err(Failed);
                }
                Kind::LeftBrace | Kind::Key(Keyword::If | Keyword::Do) => depth += 1,
                Kind::RightBrace | Kind::Key(Keyword::Fi | Keyword::Od) if depth > 0 => depth -= 1,
                Kind::Semi | Kind::Arrow if depth == 0 => return Ok(()),
                _ if depth == 0 && self.at_sequence_end() => return Ok(()),
                _ => {}
            }
            self.stream.bump();
        }
    }

    /// Reads `{ … }` with a scope of its own.
    pub(super) fn braces(&mut self) -> Parse<Sequence> {
        let open = self.expect(Kind::LeftBrace, "`{`")?.span;
        self.open_block();
        self.state().at_start = false;
        let sequence = self.sequence(open);
        self.close_block();
        let sequence = sequence?;
        self.expect(Kind::RightBrace, "`}`")?;
        self.check_not_empty(&sequence, open);
        Ok(sequence)
    }

    /// Declarations of channels and `xr`/`xs` are no statements.
    pub(super) fn check_not_empty(&mut self, sequence: &Sequence, span: Span) {
        let is_statement = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Decl { vars, .. } => {
                vars.iter().any(|var| !matches!(self.program.vars[var.0 as usize].init, Init::Chan(_)))
            }
            StmtKind::Exclusive { .. } => false,
            _ => true,
        };
        if !sequence.stmts.iter().any(is_statement) {
            self.error("E0303", span, "there is no statement here").help("`skip` does nothing");
        }
    }

    /// Reads a declaration, an `xr`/`xs` assertion, or a statement with its escape.
    fn step(&mut self) -> Parse<Stmt> {
        if self.at_key(Keyword::Typedef) {
            let span = self.stream.peek().span;
            self.error("E0304", span, "types must be declared outside of processes");
            return Err(Failed);
        }
        if self.at_key(Keyword::Xr) || self.at_key(Keyword::Xs) {
            return self.exclusive();
        }
        if self.at_declaration() {
            return self.declaration_step();
        }
        let main = self.statement()?;
        let Some(unless) = self.accept_key(Keyword::Unless) else { return Ok(main) };
        if self.state().d_step != 0 {
            self.error("E0614", unless.span, "`unless` cannot be used inside d_step");
        }
        let escape = self.nested(Self::statement)?;
        self.check_escape(&escape);
        let span = self.since(main.span);
        let kind = StmtKind::Unless { main: Box::new(main), escape: Box::new(escape) };
        Ok(Stmt { labels: Vec::new(), kind, span })
    }

    /// The start of an escape is no single place, so it cannot be jumped to.
    fn check_escape(&mut self, escape: &Stmt) {
        let mut first = escape;
        while let (true, StmtKind::Block(body)) = (first.labels.is_empty(), &first.kind) {
            let Some(inner) = body.stmts.first() else { return };
            first = inner;
        }
        if let Some(label) = first.labels.first() {
            let span = self.state().labels[label.0 as usize].span;
            self.error("E0612", span, "a label cannot stand in front of an escape");
        }
    }

    fn exclusive(&mut self) -> Parse<Stmt> {
        let token = self.stream.bump();
        let receive = token.kind == Kind::Key(Keyword::Xr);
        let mut chans = Vec::new();
        loop {
            let chan = self.var_ref(Whole::Anything)?;
            if !matches!(self.type_of(&chan), Type::Struct(_)) {
                self.check_chan(&chan);
            }
            chans.push(chan);
            if self.accept(Kind::Comma).is_none() {
                break;
            }
        }
        let kind = StmtKind::Exclusive { receive, chans };
        Ok(Stmt { labels: Vec::new(), kind, span: self.since(token.span) })
    }

    /// Reads a statement with its labels.
    pub(super) fn statement(&mut self) -> Parse<Stmt> {
        let mut labels = Vec::new();
        while self.at_label() {
            let token = self.stream.bump();
            self.stream.bump();
            labels.push(self.set_label(token));
        }
        let start = self.stream.peek().span;
        if !labels.is_empty() {
            if self.at_declaration() || self.at_key(Keyword::Xr) || self.at_key(Keyword::Xs) {
                self.error("E0305", start, "a label cannot stand in front of a declaration");
                return Err(Failed);
            }
            // A label at the end of a sequence stands for a place of its own.
            if self.at_separator() || self.at_sequence_end() {
                let span = self.stream.last_span();
                let kind = StmtKind::Condition(Expr { kind: ExprKind::Const(1), span });
                self.state().at_start = false;
                return Ok(Stmt { labels, kind, span });
            }
        }
        let kind = self.statement_kind()?;
        self.state().at_start = false;
        Ok(Stmt { labels, kind, span: self.since(start) })
    }

    /// `name :`, unless the name is that of a process type that came before: `P:variable`.
    fn at_label(&mut self) -> bool {
        let token = self.stream.peek();
        token.kind == Kind::Name
            && self.stream.peek_at(1).kind == Kind::Colon
            && !matches!(self.symbol(token.text), Some(super::scope::Symbol::Proctype))
    }

    fn set_label(&mut self, token: Token) -> LabelId {
        let state = self.state();
        let (blocks, d_step, expansion) = (state.block_path(), state.d_step, state.expansion());
        let (id, repeated) =
            state.add_label(SetLabel { name: token.text, span: token.span, blocks, d_step, expansion });
        if let Some(first) = repeated {
            let first = state.labels[first.0 as usize].span;
            let message = format!("label `{}` is set twice", self.name(token.text));
            self.error("E0405", token.span, message).related(first, "first set here");
        }
        id
    }

    fn statement_kind(&mut self) -> Parse<StmtKind> {
        let token = self.stream.peek();
        let kind = match token.kind {
            Kind::Key(Keyword::If) => self.nested(Self::selection)?,
            Kind::Key(Keyword::Do) => self.nested(Self::repetition)?,
            Kind::Key(Keyword::For) => {
                self.refuse_in_trace(token.span);
                self.nested(Self::for_loop)?
            }
            Kind::Key(Keyword::Goto) => self.goto()?,
            Kind::Key(Keyword::Break) => self.break_out()?,
            Kind::Key(_) | Kind::LeftBrace => {
                self.refuse_in_trace(token.span);
                self.keyword_statement(token)?
            }
            Kind::Name => self.named_statement(token)?,
            _ => {
                self.refuse_in_trace(token.span);
                self.condition()?
            }
        };
        Ok(kind)
    }

    /// In a trace only sends and receives count.
    fn refuse_in_trace(&mut self, span: Span) {
        if self.state().kind == BodyKind::Trace {
            self.error("E0613", span, "only sends and receives can be events of a trace");
        }
    }

    /// Reads the body of an `atomic` or `d_step`. Nobody sees its inner places, so a label with a
    /// meaning has none there.
    fn chain(&mut self) -> Parse<Sequence> {
        let n_labels = self.state().labels.len();
        let outer = std::mem::replace(&mut self.state().in_chain, true);
        let body = self.nested(Self::braces);
        self.state().in_chain = outer;
        let body = body?;
        let entry = body.stmts.first().map_or(&[][..], |first| &first.labels);
        let first = if outer { self.state().labels.len() } else { n_labels };
        for label in first..self.state().labels.len() {
            let SetLabel { name, span, .. } = self.state().labels[label];
            let name = self.name(name).to_owned();
            // Labels are numbered as they come.
            let is_inner = entry.binary_search(&LabelId(label as u32)).is_err();
            if is_inner && (name.starts_with("accept") || name.starts_with("progress")) {
                self.warn("W0819", span, format!("`{name}` is not seen inside an atomic sequence"))
                    .help("only states between atomic sequences count: move the label out of it");
            }
        }
        Ok(body)
    }

    fn keyword_statement(&mut self, token: Token) -> Parse<StmtKind> {
        match token.kind {
            Kind::LeftBrace => Ok(StmtKind::Block(self.nested(Self::braces)?)),
            Kind::Key(Keyword::Atomic) => {
                self.stream.bump();
                Ok(StmtKind::Atomic(self.chain()?))
            }
            Kind::Key(Keyword::DStep) => {
                self.stream.bump();
                let outer = self.state().d_step;
                if outer == 0 {
                    self.state().d_step = self.state().fresh();
                }
                let body = self.chain();
                self.state().d_step = outer;
                Ok(StmtKind::DStep(body?))
            }
            Kind::Key(Keyword::Select) => self.select(),
            Kind::Key(Keyword::Else) => {
                self.stream.bump();
                Ok(StmtKind::Else)
            }
            Kind::Key(Keyword::Printf) => self.printf(),
            Kind::Key(Keyword::Printm) => {
                self.stream.bump();
                self.expect(Kind::LeftParen, "`(`")?;
                let value = self.expression()?;
                self.expect(Kind::RightParen, "`)`")?;
                Ok(StmtKind::Printm(value))
            }
            Kind::Key(Keyword::Assert) => {
                self.stream.bump();
                let condition = self.expression()?;
                self.refuse_run(&condition, "an assertion");
                Ok(StmtKind::Assert(condition))
            }
            Kind::Key(Keyword::SetPriority) => {
                self.stream.bump();
                self.use_priority(token.span);
                self.expect(Kind::LeftParen, "`(`")?;
                let pid = self.expression()?;
                self.expect(Kind::Comma, "`,`")?;
                let priority = self.expression()?;
                self.expect(Kind::RightParen, "`)`")?;
                Ok(StmtKind::SetPriority(pid, priority))
            }
            Kind::Key(Keyword::Return) => self.return_value(),
            Kind::Key(Keyword::CCode | Keyword::CDecl) => self.embedded_c(),
            _ => self.condition(),
        }
    }

    fn goto(&mut self) -> Parse<StmtKind> {
        self.stream.bump();
        let (name, span) = self.expect_name("the name of a label")?;
        let state = self.state();
        let (blocks, d_step) = (state.block_path(), state.d_step);
        state.jumps.push(Jump { name, span, blocks, d_step });
        // The number of the jump, until the labels are known.
        Ok(StmtKind::Goto(LabelId(state.jumps.len() as u32 - 1)))
    }

    fn break_out(&mut self) -> Parse<StmtKind> {
        let span = self.stream.bump().span;
        let d_step = self.state().d_step;
        match self.state().loops.last() {
            None => {
                self.error("E0601", span, "`break` outside of a loop");
            }
            Some(&around) if around != d_step => {
                self.error("E0603", span, "`break` cannot lead out of a d_step sequence");
            }
            Some(_) => {}
        }
        Ok(StmtKind::Break)
    }

    fn return_value(&mut self) -> Parse<StmtKind> {
        let start = self.stream.bump().span;
        let value = self.expression()?;
        let target = self.state().expansions.last().and_then(|expansion| expansion.target.clone());
        match target {
            Some(target) if self.charge(&target, 1) => {
                self.check_assigned_run(&value);
                Ok(StmtKind::Assign(target, value))
            }
            Some(_) => Err(Failed),
            None => {
                self.error(
                    "E0610",
                    start,
                    "`return` is used outside of an inline that is called for its value",
                )
                .help("a value is asked for by `x = name(…)`");
                Ok(StmtKind::Condition(value))
            }
        }
    }

    /// A `run` in a value is executed with the assignment, so it must not be in a part of the
    /// expression that is evaluated only sometimes.
    fn check_assigned_run(&mut self, value: &Expr) {
        let runs = runs(value);
        let mut certain = 0;
        value.visit_certain(&mut |inner| certain += usize::from(matches!(inner.kind, ExprKind::Run { .. })));
        if runs.len() > 1 {
            self.error("E0611", runs[0], "there can be only one `run` in an expression");
        } else if runs.len() > certain {
            self.error(
                "E0611",
                runs[0],
                "`run` stands in a part of the expression that is not always evaluated",
            )
            .help("use `if` to decide whether to run");
        }
    }

    /// An expression as a statement.
    fn condition(&mut self) -> Parse<StmtKind> {
        let condition = self.expression()?;
        self.as_condition(condition)
    }

    pub(super) fn as_condition(&mut self, condition: Expr) -> Parse<StmtKind> {
        let runs = runs(&condition);
        if runs.len() > 1 {
            self.error("E0611", runs[0], "there can be only one `run` in an expression");
        } else if runs.len() == 1 && !matches!(condition.kind, ExprKind::Run { .. }) {
            self.error("E0611", runs[0], "`run` cannot be part of a condition");
        }
        Ok(StmtKind::Condition(condition))
    }

    /// A statement that starts with a name: a call, or something that is done to a variable.
    fn named_statement(&mut self, token: Token) -> Parse<StmtKind> {
        if let Some(inline) = self.called_inline(0) {
            self.refuse_in_trace(token.span);
            return Ok(self.inline_call(inline, None)?.kind);
        }
        if self.is_predefined(token.text)
            && matches!(self.stream.peek_at(1).kind, Kind::Assign | Kind::Increment | Kind::Decrement)
        {
            return self.predefined_assignment(token);
        }
        let is_other = self.find_var(token.text).is_none()
            && (self.symbol(token.text).is_some()
                || self.globals.proctypes.contains_key(&token.text)
                || self.is_predefined(token.text));
        if is_other {
            self.refuse_in_trace(token.span);
            let condition = self.expression()?;
            if let Kind::Assign | Kind::Increment | Kind::Decrement = self.peek() {
                self.error("E0606", token.span, "this is a constant and cannot be assigned to");
                return Err(Failed);
            }
            return self.as_condition(condition);
        }
        if self.find_var(token.text).is_none() && self.stream.peek_at(1).kind == Kind::Name {
            let message = format!("`{}` is not a type", self.name(token.text));
            self.error("E0407", token.span, message);
            return Err(Failed);
        }
        let var = self.var_ref(Whole::Structure)?;
        self.var_statement(var)
    }

    /// `_ = value` is a step without effect, `_priority = value` sets the priority; the other
    /// predefined names cannot be assigned.
    fn predefined_assignment(&mut self, token: Token) -> Parse<StmtKind> {
        self.refuse_in_trace(token.span);
        let name = self.name(token.text).to_owned();
        self.stream.bump();
        let assigns = self.stream.bump().kind == Kind::Assign;
        let span = token.span;
        let value = match assigns {
            true => self.expression()?,
            false => Expr { kind: ExprKind::Const(1), span },
        };
        match name.as_str() {
            "_priority" if assigns => {
                self.use_priority(span);
                Ok(StmtKind::SetPriority(Expr { kind: ExprKind::Pid, span }, value))
            }
            "_" if assigns => {
                // Always executable, but not a `skip`, which may be dropped.
                let one = Expr { kind: ExprKind::Const(1), span };
                Ok(StmtKind::Condition(self.binary(BinaryOp::Or, value, one)))
            }
            _ => {
                self.error("E0606", span, format!("`{name}` cannot be assigned to"));
                Ok(StmtKind::Condition(value))
            }
        }
    }

    fn var_statement(&mut self, var: VarRef) -> Parse<StmtKind> {
        let token = self.stream.peek();
        match token.kind {
            Kind::Bang | Kind::BangBang => return self.send(var),
            Kind::Query | Kind::QueryQuery if self.stream.peek_at(1).kind != Kind::LeftBracket => {
                return self.receive(var);
            }
            _ => self.refuse_in_trace(var.span),
        }
        match token.kind {
            Kind::Assign => {
                self.stream.bump();
                self.check_assignable(&var);
                if let Some(inline) = self.called_inline(0) {
                    return Ok(self.inline_call(inline, Some(var))?.kind);
                }
                let value = self.expression()?;
                // Spin does not look at what fields are assigned.
                if var.field.is_none() {
                    self.check_assigned(self.type_of(&var), &value);
                }
                self.check_assigned_run(&value);
                Ok(StmtKind::Assign(var, value))
            }
            Kind::Increment | Kind::Decrement => {
                self.stream.bump();
                self.check_assignable(&var);
                let op = if token.kind == Kind::Increment { BinaryOp::Add } else { BinaryOp::Sub };
                let span = self.since(var.span);
                let one = Expr { kind: ExprKind::Const(1), span: token.span };
                let old = Expr { kind: ExprKind::Var(var.clone()), span: var.span };
                let new = self.binary(op, old, one);
                Ok(StmtKind::Assign(var, Expr { span, ..new }))
            }
            _ => {
                let operand = self.var_operand(var)?;
                let condition = self.continued(operand)?;
                self.as_condition(condition)
            }
        }
    }

    fn check_assignable(&mut self, var: &VarRef) {
        if matches!(self.type_of(var), Type::Struct(_)) {
            self.error("E0504", var.span, "a structure cannot be assigned as a whole")
                .help("assign its fields one by one");
        }
    }

    /// Whether a value may be put into a variable of that type.
    pub(super) fn check_assigned(&mut self, ty: Type, value: &Expr) {
        match (ty, &value.kind) {
            (Type::Chan, ExprKind::Const(_) | ExprKind::Mtype(..)) => {
                self.error("E0513", value.span, "a constant cannot be assigned to a channel");
            }
            (Type::Mtype(set), &ExprKind::Mtype(other, _)) if set != other => {
                let name = |id: crate::tree::MtypeId| self.program.mtypes[id.0 as usize].name.as_deref();
                // A variable without a set takes constants of any.
                let Some(wanted) = name(set) else { return };
                let other = name(other).map_or("the unnamed set".to_owned(), |name| format!("set `{name}`"));
                let message = format!("this constant is from {other}, but set `{wanted}` is wanted");
                self.error("E0514", value.span, message);
            }
            _ => {}
        }
    }
}
