//! Puts the labels of jumps in, once they are known.
//!
//! While a body is read, a `goto` holds the number of the jump and a reference to the body's own
//! label the number of the reference, marked by [`OWN`].

use crate::tree::{Expr, ExprKind, LabelId, RecvArg, Sequence, Stmt, StmtKind, VarRef};

/// Marks the number of a reference to a label of the body that is being read.
pub(super) const OWN: u32 = 1 << 31;

/// What the numbers of jumps and references are to be replaced by.
pub(super) struct Patch {
    pub(super) jumps: Vec<LabelId>,
    pub(super) references: Vec<LabelId>,
}

impl Patch {
    pub(super) fn sequence(&self, sequence: &mut Sequence) {
        sequence.stmts.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Goto(label) => *label = self.jumps[label.0 as usize],
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter_mut().for_each(|option| self.sequence(option))
            }
            StmtKind::Atomic(body)
            | StmtKind::DStep(body)
            | StmtKind::Block(body)
            | StmtKind::Inline { body, .. } => {
                self.sequence(body);
            }
            StmtKind::ForChan { body, var, fields, chan, .. } => {
                self.sequence(body);
                self.var(var);
                fields.iter_mut().for_each(|field| self.var(field));
                self.var(chan);
            }
            StmtKind::For { body, var, from, to } => {
                self.sequence(body);
                self.var(var);
                self.expr(from);
                self.expr(to);
            }
            StmtKind::Unless { main, escape } => {
                self.stmt(main);
                self.stmt(escape);
            }
            kind => self.simple(kind),
        }
    }

    /// Statements without statements inside.
    fn simple(&self, kind: &mut StmtKind) {
        if self.references.is_empty() {
            return;
        }
        match kind {
            StmtKind::Assign(var, expr) => {
                self.var(var);
                self.expr(expr);
            }
            StmtKind::Condition(expr) | StmtKind::Printm(expr) | StmtKind::Assert(expr) => self.expr(expr),
            StmtKind::Print { args, .. } => args.iter_mut().for_each(|arg| self.expr(arg)),
            StmtKind::Send { chan, args, .. } => {
                self.var(chan);
                args.iter_mut().for_each(|arg| self.expr(arg));
            }
            StmtKind::Receive { chan, args, .. } => {
                self.var(chan);
                args.iter_mut().for_each(|arg| self.arg(arg));
            }
            StmtKind::SetPriority(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            StmtKind::Select { var, from, to, .. } => {
                self.var(var);
                self.expr(from);
                self.expr(to);
            }
            _ => {}
        }
    }

    fn arg(&self, arg: &mut RecvArg) {
        match arg {
            RecvArg::Store(var) => self.var(var),
            RecvArg::Ignore => {}
            RecvArg::Match(expr) => self.expr(expr),
        }
    }

    fn var(&self, var: &mut VarRef) {
        if let Some(index) = &mut var.index {
            self.expr(index);
        }
        if let Some(field) = &mut var.field {
            self.var(field);
        }
    }

    pub(super) fn expr(&self, expr: &mut Expr) {
        if self.references.is_empty() {
            return;
        }
        match &mut expr.kind {
            ExprKind::Var(var) | ExprKind::Chan(_, var) => self.var(var),
            ExprKind::Unary(_, a)
            | ExprKind::Enabled(a)
            | ExprKind::PcValue(a)
            | ExprKind::GetPriority(a) => {
                self.expr(a);
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Cond(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            ExprKind::Run { args, .. } => args.iter_mut().for_each(|arg| self.expr(arg)),
            ExprKind::Poll { chan, args, .. } => {
                self.var(chan);
                args.iter_mut().for_each(|arg| self.arg(arg));
            }
            ExprKind::RemoteLabel { pid, label, .. } => {
                if label.0 & OWN != 0 {
                    *label = self.references[(label.0 & !OWN) as usize];
                }
                if let Some(pid) = pid {
                    self.expr(pid);
                }
            }
            ExprKind::RemoteVar { pid, var, .. } => {
                self.var(var);
                if let Some(pid) = pid {
                    self.expr(pid);
                }
            }
            _ => {}
        }
    }
}

/// For every label that stands directly at a jump, the label where that jump leads to.
pub(super) fn labelled_jumps(sequence: &Sequence, leads_to: &mut [Option<LabelId>]) {
    for stmt in &sequence.stmts {
        labelled_jumps_of(stmt, leads_to);
    }
}

fn labelled_jumps_of(stmt: &Stmt, leads_to: &mut [Option<LabelId>]) {
    if let (false, Some(StmtKind::Goto(target))) = (stmt.labels.is_empty(), first_step(stmt)) {
        for label in &stmt.labels {
            leads_to[label.0 as usize] = Some(*target);
        }
    }
    match &stmt.kind {
        StmtKind::If(options) | StmtKind::Do(options) => {
            options.iter().for_each(|option| labelled_jumps(option, leads_to));
        }
        StmtKind::Atomic(body)
        | StmtKind::DStep(body)
        | StmtKind::Block(body)
        | StmtKind::Inline { body, .. }
        | StmtKind::For { body, .. }
        | StmtKind::ForChan { body, .. } => labelled_jumps(body, leads_to),
        StmtKind::Unless { main, escape } => {
            labelled_jumps_of(main, leads_to);
            labelled_jumps_of(escape, leads_to);
        }
        _ => {}
    }
}

/// What is executed first in a statement that consists of others in a row.
fn first_step(stmt: &Stmt) -> Option<&StmtKind> {
    match &stmt.kind {
        StmtKind::Atomic(body)
        | StmtKind::DStep(body)
        | StmtKind::Block(body)
        | StmtKind::Inline { body, .. } => first_step(body.stmts.first()?),
        kind => Some(kind),
    }
}
