//! Expressions and references to variables.

use ir::{Base, BinaryOp, Expr, Mark, Pattern, Place, Receive, UnaryOp};

use super::Lowering;
use super::regions::place;
use crate::tree::{self, ExprKind, Owner, ProctypeId, RecvArg, VarId, VarRef};

impl Lowering<'_, '_> {
    pub fn expr(&mut self, expr: &tree::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Const(value) | ExprKind::Mtype(_, value) => Expr::Const(*value),
            ExprKind::Var(var) => self.load(var),
            ExprKind::Pid => Expr::Pid,
            ExprKind::Last => match self.last {
                Some(slot) => Expr::Load(place(Base::Global, &self.globals.0, slot, Vec::new())),
                None => Expr::Const(0),
            },
            ExprKind::NrPr => Expr::NrProcesses,
            ExprKind::Priority => Expr::PriorityOf(Box::new(Expr::Pid)),
            ExprKind::Timeout => Expr::Timeout,
            ExprKind::NonProgress => Expr::Unary(UnaryOp::Not, Box::new(Expr::SomeAt(Mark::Progress))),
            ExprKind::Any => Expr::Const(0),
            ExprKind::Unary(op, operand) => Expr::Unary(*op, self.boxed(operand)),
            ExprKind::Binary(op, left, right) => Expr::Binary(*op, self.boxed(left), self.boxed(right)),
            ExprKind::Cond(condition, then, otherwise) => {
                Expr::Cond(self.boxed(condition), self.boxed(then), self.boxed(otherwise))
            }
            ExprKind::Run { .. } => Expr::NewPid,
            ExprKind::Chan(op, chan) => Expr::Channel(*op, Box::new(self.load(chan))),
            ExprKind::Poll { chan, args, random } => {
                Expr::Poll(Box::new(self.receive(chan, args, *random, true)))
            }
            ExprKind::Enabled(pid) => Expr::Enabled(self.boxed(pid)),
            ExprKind::PcValue(pid) => Expr::PcValue(self.boxed(pid)),
            ExprKind::GetPriority(pid) => Expr::PriorityOf(self.boxed(pid)),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                let pid = pid.as_ref().map(|pid| self.boxed(pid));
                let automaton = &self.automata[proctype.0 as usize];
                let location = automaton.flow.labels[label.0 as usize].and_then(|elem| automaton.index[elem]);
                Expr::At { process: ir::ProcessId(proctype.0), pid, location: location.map(ir::LocationId) }
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                let process = ir::ProcessId(proctype.0);
                let pid = pid.as_ref().map(|pid| self.boxed(pid));
                match self.var_place(var) {
                    Some(place) => Expr::Load(Place { base: Base::Remote { process, pid }, ..place }),
                    None => Expr::Const(0),
                }
            }
        }
    }

    fn boxed(&mut self, expr: &tree::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    pub fn load(&mut self, var: &VarRef) -> Expr {
        self.var_place(var).map_or(Expr::Const(0), Expr::Load)
    }

    /// A guard as a list of conditions that must all be true.
    pub fn conjuncts(&mut self, expr: &tree::Expr, out: &mut Vec<Expr>) {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.conjuncts(left, out);
                self.conjuncts(right, out);
            }
            ExprKind::Const(value) if *value != 0 => {}
            ExprKind::Run { .. } => {}
            _ => out.push(self.expr(expr)),
        }
    }

    pub fn receive(&mut self, chan: &VarRef, args: &[RecvArg], random: bool, peek: bool) -> Receive {
        let channel = self.load(chan);
        let fields = args
            .iter()
            .map(|arg| match arg {
                RecvArg::Store(var) => self.var_place(var).map_or(Pattern::Ignore, Pattern::Store),
                RecvArg::Ignore => Pattern::Ignore,
                RecvArg::Match(expr) => Pattern::Match(self.expr(expr)),
            })
            .collect();
        Receive { channel, fields, random, peek }
    }

    /// Where a variable lies; none for the write-only `_`.
    pub fn var_place(&mut self, var: &VarRef) -> Option<Place> {
        let mut path = Vec::new();
        let mut indices = Vec::new();
        let mut part = Some(var);
        while let Some(reference) = part {
            path.push(reference.var);
            if self.program.vars[reference.var.0 as usize].array.is_some() {
                indices.push(reference.index.as_ref().map_or(Expr::Const(0), |index| self.expr(index)));
            }
            part = reference.field.as_deref();
        }
        self.place_at(&path, indices)
    }

    pub fn place_at(&mut self, path: &[VarId], indices: Vec<Expr>) -> Option<Place> {
        let (base, (region, slots)) = match self.program.vars[path[0].0 as usize].owner {
            Owner::Process(ProctypeId(process)) => (Base::Frame, &self.frames[process as usize]),
            _ => (Base::Global, &self.globals),
        };
        slots.get(path).map(|&slot| place(base, region, slot, indices))
    }
}
