//! Bodies of process types, claims and traces: their start and their end.

use super::scope::{BodyKind, BodyState};
use super::walk::{Patch, labelled_jumps};
use super::{Parse, Parser};
use crate::lex::Kind;
use crate::tree::{Body, Expr, Init, Label, LabelId, ProctypeId, VarId};

impl Parser<'_> {
    pub(super) fn begin_body(&mut self, kind: BodyKind) {
        self.body = Some(BodyState::new(kind));
    }

    /// The state of the body that is being read. Outside any, a throw-away one.
    pub(super) fn state(&mut self) -> &mut BodyState {
        self.body.get_or_insert_with(|| BodyState::new(BodyKind::NeverClaim))
    }

    pub(super) fn open_block(&mut self) {
        self.state().open_block();
    }

    pub(super) fn close_block(&mut self) {
        self.state().close_block();
    }

    /// Reads `{ … }` as the body that was begun; gives it and its locals. A `provided` clause may
    /// name its labels.
    pub(super) fn body(&mut self, provided: Option<&mut Expr>) -> Parse<(Body, Vec<VarId>)> {
        let open = self.expect(Kind::LeftBrace, "`{`")?;
        self.stream.in_sequence = true;
        let sequence = self.sequence(open.span)?;
        let end = self.expect(Kind::RightBrace, "`}`")?.span;
        self.stream.in_sequence = false;
        if sequence.stmts.is_empty() {
            self.error("E0303", open.span.to(end), "this body is empty").help("`skip` does nothing");
        }
        let mut body = Body { sequence, labels: Vec::new(), end };
        let locals = self.end_body(&mut body, provided);
        Ok((body, locals))
    }

    /// Resolves the jumps of a body.
    fn end_body(&mut self, body: &mut Body, provided: Option<&mut Expr>) -> Vec<VarId> {
        let Some(state) = self.body.take() else { return Vec::new() };
        for label in &state.labels {
            let name = self.name(label.name).to_owned();
            body.labels.push(Label { name, span: label.span, referenced: false });
        }
        let mut patch = Patch { jumps: Vec::new(), references: Vec::new() };
        for jump in &state.jumps {
            let destination = state.destination(jump);
            match destination {
                None => {
                    let message = format!("there is no label `{}` in this body", self.name(jump.name));
                    self.error("E0404", jump.span, message);
                }
                Some(label) => {
                    let label = &state.labels[label.0 as usize];
                    if label.d_step != jump.d_step {
                        let message = "a jump cannot lead into or out of a d_step sequence";
                        self.error("E0603", jump.span, message).related(label.span, "the label");
                    }
                }
            }
            patch.jumps.push(destination.unwrap_or(LabelId(0)));
        }
        for &(name, span) in &state.own_references {
            let found = state.first_label(name);
            match found {
                Some(label) => body.labels[label.0 as usize].referenced = true,
                None => self.report_unknown_label(name, span),
            }
            patch.references.push(found.unwrap_or(LabelId(0)));
        }
        patch.sequence(&mut body.sequence);
        if !self.reports.failed() {
            self.refuse_endless_jumps(body);
        }
        if let Some(provided) = provided {
            patch.expr(provided);
        }
        for local in &state.locals {
            if let Init::Expr(expr) = &mut self.program.vars[local.0 as usize].init {
                patch.expr(expr);
            }
        }
        if let BodyKind::Process(proctype) = state.kind {
            self.remember(proctype, &state);
        }
        state.locals
    }

    /// Makes labels and variables known to references from elsewhere.
    fn remember(&mut self, proctype: ProctypeId, state: &BodyState) {
        for (index, label) in state.labels.iter().enumerate() {
            let id = LabelId(index as u32);
            self.globals.remote_labels.entry((proctype, label.name)).or_insert(id);
        }
        for &local in &state.locals {
            let name = self.names.intern(&self.program.vars[local.0 as usize].name);
            self.globals.remote_vars.entry((proctype, name)).or_insert(local);
        }
    }

    /// Jumps are no steps, so a circle of them would be passed for ever in no time.
    fn refuse_endless_jumps(&mut self, body: &Body) {
        let mut leads_to = vec![None; body.labels.len()];
        labelled_jumps(&body.sequence, &mut leads_to);
        // The label from which each one was first reached.
        let mut reached_from = vec![usize::MAX; body.labels.len()];
        for start in 0..body.labels.len() {
            let mut at = start;
            while reached_from[at] == usize::MAX {
                reached_from[at] = start;
                match leads_to[at] {
                    Some(LabelId(next)) => at = next as usize,
                    None => break,
                }
            }
            if leads_to[at].is_some() && reached_from[at] == start {
                let label = &body.labels[at];
                let message = format!("jumps to `{}` never reach a statement", label.name);
                self.error("E0619", label.span, message);
                return;
            }
        }
    }
}
