//! Never claims.
//!
//! A claim watches: it changes nothing and has no variables. Spin warns of some effects and refuses
//! others; with an effect, what is checked is another system.

use source::Span;

use super::scope::BodyKind;
use super::{Failed, Parse, Parser};
use crate::lex::{Keyword, Kind, Token};
use crate::tree::{NeverClaim, Sequence, Stmt, StmtKind};

const DSTEP: &str = "d_step";

impl Parser<'_> {
    pub(super) fn claim(&mut self) -> Parse<()> {
        let span = self.stream.bump().span;
        let name = match self.accept(Kind::Name) {
            Some(token) => self.name(token.text).to_owned(),
            None => {
                self.unnamed_claims += 1;
                match self.unnamed_claims {
                    1 => "never".to_owned(),
                    more => format!("never_{}", more - 1),
                }
            }
        };
        let open = self.expect(Kind::LeftBrace, "`{`")?;
        self.declare_claim(&name, span);
        let Some(taken) = self.stream.take_nested(Kind::LeftBrace, Kind::RightBrace) else {
            self.error("E0301", span, "this never claim has no closing brace");
            return Err(Failed);
        };
        self.expect_no_unit(&taken);
        let close = Token { kind: Kind::RightBrace, ..Token::end(self.stream.last_span()) };
        let tokens = [open].into_iter().chain(taken).chain([close, Token::end(close.span)]);
        // However wrong it is, what is behind it is read as if nothing had happened.
        let behind = self.stream.begin_part(tokens.collect());
        let before = self.demands();
        self.reports.begin_property(&name, false, span);
        let claim = self.claim_named(name, span);
        let is_wrong = self.reports.end_property();
        self.stream.end_part(behind);
        self.body = None;
        match claim {
            Ok(claim) if !is_wrong => self.program.claims.push(claim),
            _ => self.demand_only(before),
        }
        Ok(())
    }

    /// The text of a claim or a formula goes up to the brace that closes it. If a part of the model lies before that, a brace
    /// is missing, and nobody knows where.
    pub(super) fn expect_no_unit(&mut self, tokens: &[Token]) {
        use Keyword::*;
        let is_unit = |token: &&Token| {
            matches!(
                token.kind,
                Kind::Key(
                    Active
                        | Proctype
                        | DProctype
                        | Init
                        | Never
                        | Ltl
                        | Trace
                        | Notrace
                        | Typedef
                        | Inline
                        | Mtype
                )
            )
        };
        if let Some(unit) = tokens.iter().find(is_unit) {
            self.error(
                "E0301",
                unit.span,
                "a property cannot contain this: a closing brace is missing before it",
            );
        }
    }

    fn claim_named(&mut self, name: String, span: Span) -> Parse<NeverClaim> {
        self.begin_body(BodyKind::NeverClaim);
        self.open_block();
        let (body, locals) = self.body(None)?;
        if let Some(local) = locals.first() {
            let span = self.program.vars[local.0 as usize].span;
            self.error("E0621", span, "a never claim cannot have variables")
                .help("use several states of the claim instead, or a global variable that the model sets");
        }
        self.refuse_effects(&body.sequence);
        Ok(NeverClaim { name, body, span })
    }

    fn refuse_effects(&mut self, sequence: &Sequence) {
        sequence.stmts.iter().for_each(|stmt| self.refuse_effect(stmt));
    }

    fn refuse_effect(&mut self, stmt: &Stmt) {
        let effect = match &stmt.kind {
            StmtKind::If(options) | StmtKind::Do(options) => {
                return options.iter().for_each(|option| self.refuse_effects(option));
            }
            StmtKind::Atomic(body) | StmtKind::Block(body) | StmtKind::Inline { body, .. } => {
                return self.refuse_effects(body);
            }
            StmtKind::Unless { main, escape } => {
                self.refuse_effect(main);
                return self.refuse_effect(escape);
            }
            StmtKind::DStep(_) => {
                let keyword = Span { end: stmt.span.start + DSTEP.len() as u32, ..stmt.span };
                let is_written = self.program.sources.text(keyword) == DSTEP;
                let report = self
                    .error("E0622", stmt.span, format!("`{DSTEP}` cannot be used in a never claim"))
                    .help("use `atomic`, which a claim goes through in one go, too");
                if is_written {
                    report.replace(keyword, "atomic");
                }
                return;
            }
            StmtKind::Decl { .. }
            | StmtKind::Exclusive { .. }
            | StmtKind::Condition(_)
            | StmtKind::Else
            | StmtKind::Print { .. }
            | StmtKind::Printm(_)
            | StmtKind::Assert(_)
            | StmtKind::Goto(_)
            | StmtKind::Break => return,
            StmtKind::Assign(..) => "assign to variables",
            StmtKind::Send { .. } => "send messages",
            StmtKind::Receive { .. } => "receive messages",
            StmtKind::SetPriority(..) => "set priorities",
            StmtKind::For { .. } | StmtKind::ForChan { .. } | StmtKind::Select { .. } => "count",
        };
        let message = format!("a never claim cannot {effect}: it only watches");
        self.error("E0620", stmt.span, message);
    }
}
