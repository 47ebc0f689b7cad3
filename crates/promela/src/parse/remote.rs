//! References to labels and variables of other processes.

use source::Span;

use super::expr::Whole;
use super::scope::BodyKind;
use super::walk::OWN;
use super::{Failed, Parse, Parser};
use crate::lex::{Kind, Token};
use crate::names::NameId;
use crate::tree::{Expr, ExprKind, LabelId, ProctypeId, VarId};

impl Parser<'_> {
    /// `P[pid]@label`, `P@label`, `P[pid]:variable` or `P:variable`
    pub(super) fn remote(&mut self, token: Token) -> Parse<Expr> {
        self.stream.bump();
        let proctype = self.globals.proctypes[&token.text];
        let pid = match self.accept(Kind::LeftBracket) {
            Some(_) => {
                let pid = self.nested(Self::expression)?;
                self.expect(Kind::RightBracket, "`]`")?;
                self.height += 1;
                Some(Box::new(pid))
            }
            None => None,
        };
        let kind = match self.peek() {
            Kind::At => {
                self.stream.bump();
                let (name, span) = self.expect_name("the name of a label")?;
                let label = self.remote_label(proctype, token, name, span);
                ExprKind::RemoteLabel { proctype, pid, label }
            }
            Kind::Colon => {
                self.stream.bump();
                let height = self.height;
                let name = self.expect(Kind::Name, "the name of a variable")?;
                let var = self.remote_var(proctype, token, name);
                let var = self.var_ref_of(var, name, Whole::Nothing)?;
                self.height = self.height.max(height) + 1;
                ExprKind::RemoteVar { proctype, pid, var }
            }
            _ => {
                let name = self.name(token.text).to_owned();
                self.error("E0401", token.span, format!("`{name}` is a process type, not a variable"))
                    .help(format!("`{name}@label` and `{name}:variable` refer to a process"));
                return Err(Failed);
            }
        };
        Ok(Expr { kind, span: self.since(token.span) })
    }

    /// Whether a process type is the one that is being read.
    fn is_current(&self, proctype: ProctypeId) -> bool {
        self.body.as_ref().is_some_and(|body| body.kind == BodyKind::Process(proctype))
    }

    /// A process type that comes later cannot be referred to, except by formulas.
    fn report_later(&mut self, proctype: Token) {
        let message =
            format!("process type `{}` is declared after this reference to it", self.name(proctype.text));
        self.error("E0403", proctype.span, message).help("move the process type before this place");
    }

    fn remote_label(&mut self, proctype: ProctypeId, token: Token, name: NameId, span: Span) -> LabelId {
        if self.is_current(proctype) {
            let references = &mut self.state().own_references;
            references.push((name, span));
            return LabelId(OWN | (references.len() as u32 - 1));
        }
        let Some(target) = self.program.proctypes.get_mut(proctype.0 as usize) else {
            self.report_later(token);
            return LabelId(0);
        };
        let found = self.globals.remote_labels.get(&(proctype, name));
        let Some((&id, label)) = found.and_then(|id| Some((id, target.body.labels.get_mut(id.0 as usize)?)))
        else {
            self.report_unknown_label(name, span);
            return LabelId(0);
        };
        label.referenced = true;
        id
    }

    pub(super) fn report_unknown_label(&mut self, name: NameId, span: Span) {
        let message = format!("there is no label `{}` in that process type", self.name(name));
        self.error("E0404", span, message);
    }

    fn remote_var(&mut self, proctype: ProctypeId, token: Token, name: Token) -> VarId {
        let found = if self.is_current(proctype) {
            self.body.as_ref().and_then(|body| body.find(name.text))
        } else if self.program.proctypes.get(proctype.0 as usize).is_some() {
            self.globals.remote_vars.get(&(proctype, name.text)).copied()
        } else {
            self.report_later(token);
            return self.unknown_var();
        };
        match found {
            Some(var) => var,
            None => {
                let proctype = self.name(token.text).to_owned();
                let message = format!("process type `{proctype}` has no variable `{}`", self.name(name.text));
                self.error("E0408", name.span, message);
                self.unknown_var()
            }
        }
    }
}
