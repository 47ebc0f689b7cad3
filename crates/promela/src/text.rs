//! Statements and expressions as text, in Spin's form: fully bracketed, on one line.

use std::fmt::Write;

use crate::lower::flow::{ElementKind, Group, LoopPart};
use crate::tree::{
    BinaryOp, Body, ChannelOp, Expr, ExprKind, Formula, Init, Program, RecvArg, Stmt, StmtKind, UnaryOp,
    VarRef,
};

/// An expression.
pub fn expr(program: &Program, expr: &Expr) -> String {
    let mut printer = Printer { program, out: String::new() };
    printer.expr(expr);
    printer.out
}

/// A formula as Spin echoes it: every operand in brackets, `->` and `W` taken apart.
pub fn formula(program: &Program, formula: &Formula) -> String {
    let operand = |operand: &Formula| format!("({})", self::formula(program, operand));
    match formula {
        // Spin puts brackets of its own around these.
        Formula::Atom(atom) if matches!(atom.kind, ExprKind::RemoteLabel { .. }) => {
            format!("({})", expr(program, atom))
        }
        Formula::Atom(atom) => expr(program, atom),
        Formula::Constant(value) => i32::from(*value).to_string(),
        Formula::Unary(op, inner) => format!("{} {}", prefix(*op), operand(inner)),
        Formula::Binary(logic::BinaryOp::Implies, left, right) => {
            format!("(! {}) || {}", operand(left), operand(right))
        }
        Formula::Binary(logic::BinaryOp::WeakUntil, left, right) => {
            let (left, right) = (operand(left), operand(right));
            // One inside the other would double each time.
            match left.len() {
                ..1000 => format!("([] {left}) || ({left} U {right})"),
                _ => format!("{left} W {right}"),
            }
        }
        Formula::Binary(op, left, right) => format!("{} {} {}", operand(left), infix(*op), operand(right)),
    }
}

/// A formula with brackets where they help a reader.
pub fn reading(program: &Program, formula: &Formula) -> String {
    let operand = |operand: &Formula| match operand {
        Formula::Binary(..) => format!("({})", reading(program, operand)),
        Formula::Unary(op, _) if *op != logic::UnaryOp::Not => format!("({})", reading(program, operand)),
        _ => reading(program, operand),
    };
    match formula {
        Formula::Atom(atom) => expr(program, atom),
        Formula::Constant(value) => value.to_string(),
        Formula::Unary(logic::UnaryOp::Not, inner) => format!("!{}", operand(inner)),
        Formula::Unary(op, inner) => format!("{} {}", prefix(*op), operand(inner)),
        Formula::Binary(op, left, right) => format!("{} {} {}", operand(left), infix(*op), operand(right)),
    }
}

fn prefix(op: logic::UnaryOp) -> &'static str {
    match op {
        logic::UnaryOp::Not => "!",
        logic::UnaryOp::Next => "X",
        logic::UnaryOp::Always => "[]",
        logic::UnaryOp::Eventually => "<>",
    }
}

fn infix(op: logic::BinaryOp) -> &'static str {
    match op {
        logic::BinaryOp::And => "&&",
        logic::BinaryOp::Or => "||",
        logic::BinaryOp::Implies => "->",
        logic::BinaryOp::Equivalent => "<->",
        logic::BinaryOp::Xor => "^",
        logic::BinaryOp::Until => "U",
        logic::BinaryOp::WeakUntil => "W",
        logic::BinaryOp::Release => "V",
        logic::BinaryOp::StrongRelease => "M",
    }
}

/// The statement of an element. `line` is where it stands.
pub(crate) fn element(program: &Program, body: &Body, node: &ElementKind<'_>, line: u32) -> String {
    let mut printer = Printer { program, out: String::new() };
    match node {
        ElementKind::Stmt(stmt) => printer.stmt(stmt),
        ElementKind::Skip => printer.out.push_str("(1)"),
        ElementKind::Declare(var) => {
            let decl = &program.vars[var.0 as usize];
            let _ = write!(printer.out, "{} = ", decl.name);
            match &decl.init {
                Init::Expr(value) => printer.expr(value),
                _ => printer.out.push('0'),
            }
        }
        ElementKind::Loop(part) => printer.loop_part(*part),
        ElementKind::Else => printer.out.push_str("else"),
        ElementKind::Goto(label) => {
            let _ = write!(printer.out, "goto {}", body.labels[label.0 as usize].name);
        }
        ElementKind::Break(_) | ElementKind::Exit => printer.out.push_str("break"),
        ElementKind::Join => printer.out.push_str(".(goto)"),
        ElementKind::End => printer.out.push_str("-end-"),
        ElementKind::Group(Group::DStep, _) => {
            let _ = write!(printer.out, "D_STEP{line}");
        }
        ElementKind::Choice(_) | ElementKind::Unless(..) | ElementKind::Group(..) => {}
    }
    printer.out
}

struct Printer<'a> {
    program: &'a Program,
    out: String,
}

impl Printer<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Condition(condition) => self.bracketed(condition),
            StmtKind::Assign(var, value) => {
                self.var(var);
                self.out.push_str(" = ");
                self.expr(value);
            }
            StmtKind::Print { format, args } => {
                let _ = write!(self.out, "printf('{format}'");
                for arg in args {
                    self.out.push(',');
                    self.expr(arg);
                }
                self.out.push(')');
            }
            StmtKind::Printm(value) => {
                self.out.push_str("printm(");
                self.expr(value);
                self.out.push(')');
            }
            StmtKind::Assert(condition) => {
                self.out.push_str("assert");
                self.bracketed(condition);
            }
            StmtKind::Send { chan, args, sorted } => {
                self.var(chan);
                self.out.push_str(if *sorted { "!!" } else { "!" });
                self.list(args);
            }
            StmtKind::Receive { chan, args, random, peek } => {
                self.var(chan);
                self.out.push_str(if *random { "??" } else { "?" });
                self.out.push_str(if *peek { "<" } else { "" });
                self.patterns(args);
                self.out.push_str(if *peek { ">" } else { "" });
            }
            StmtKind::SetPriority(process, priority) => {
                self.out.push_str("set_priority(");
                self.expr(process);
                self.out.push_str(", ");
                self.expr(priority);
                self.out.push(')');
            }
            _ => {}
        }
    }

    fn loop_part(&mut self, part: LoopPart<'_>) {
        match part {
            LoopPart::Start(var, value) => {
                self.var(var);
                self.out.push_str(" = ");
                self.expr(value);
            }
            LoopPart::Choose(var, value) => {
                self.var(var);
                let _ = write!(self.out, " = {value}");
            }
            LoopPart::Next(var) => {
                self.var(var);
                self.out.push_str(" = (");
                self.var(var);
                self.out.push_str("+1)");
            }
            LoopPart::Test(var, bound) | LoopPart::Below(var, bound) => {
                self.out.push_str("((");
                self.var(var);
                self.out.push_str(if matches!(part, LoopPart::Test(..)) { "<=" } else { "<" });
                self.expr(bound);
                self.out.push_str("))");
            }
            LoopPart::ChanStart(stmt)
            | LoopPart::ChanTest(stmt)
            | LoopPart::ChanReceive(stmt)
            | LoopPart::ChanSend(stmt)
            | LoopPart::ChanNext(stmt) => self.channel_loop_part(part, stmt),
        }
    }

    fn channel_loop_part(&mut self, part: LoopPart<'_>, stmt: &Stmt) {
        let StmtKind::ForChan { fields, chan, counter, .. } = &stmt.kind else { return };
        let counter = self.program.vars[counter.0 as usize].name.clone();
        match part {
            LoopPart::ChanStart(_) => {
                let _ = write!(self.out, "{counter} = 0");
            }
            LoopPart::ChanTest(_) => {
                let _ = write!(self.out, "(({counter}<len(");
                self.var(chan);
                self.out.push_str(")))");
            }
            LoopPart::ChanReceive(_) | LoopPart::ChanSend(_) => {
                self.var(chan);
                self.out.push(if matches!(part, LoopPart::ChanSend(_)) { '!' } else { '?' });
                for (k, field) in fields.iter().enumerate() {
                    self.out.push_str(if k > 0 { "," } else { "" });
                    self.var(field);
                }
            }
            _ => {
                let _ = write!(self.out, "{counter} = ({counter}+1)");
            }
        }
    }

    fn bracketed(&mut self, expr: &Expr) {
        self.out.push('(');
        self.expr(expr);
        self.out.push(')');
    }

    fn list(&mut self, exprs: &[Expr]) {
        for (k, expr) in exprs.iter().enumerate() {
            self.out.push_str(if k > 0 { "," } else { "" });
            self.expr(expr);
        }
    }

    fn patterns(&mut self, args: &[RecvArg]) {
        for (k, arg) in args.iter().enumerate() {
            self.out.push_str(if k > 0 { "," } else { "" });
            match arg {
                RecvArg::Store(var) => self.var(var),
                RecvArg::Ignore => self.out.push('_'),
                RecvArg::Match(expr) if matches!(expr.kind, ExprKind::Const(_) | ExprKind::Mtype(..)) => {
                    self.expr(expr);
                }
                RecvArg::Match(expr) => {
                    self.out.push_str("eval");
                    self.bracketed(expr);
                }
            }
        }
    }

    fn var(&mut self, var: &VarRef) {
        self.out.push_str(&self.program.vars[var.var.0 as usize].name);
        if let Some(index) = &var.index {
            self.out.push('[');
            self.expr(index);
            self.out.push(']');
        }
        if let Some(field) = &var.field {
            self.out.push('.');
            self.var(field);
        }
    }

    fn call(&mut self, name: &str, arg: &Expr) {
        self.out.push_str(name);
        self.bracketed(arg);
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Const(value) => {
                let _ = write!(self.out, "{value}");
            }
            ExprKind::Mtype(set, value) => {
                let names = &self.program.mtypes[set.0 as usize].names;
                match names.iter().find(|(_, v)| v == value) {
                    Some((name, _)) => self.out.push_str(name),
                    None => {
                        let _ = write!(self.out, "{value}");
                    }
                }
            }
            ExprKind::Var(var) => self.var(var),
            ExprKind::Pid => self.out.push_str("_pid"),
            ExprKind::Last => self.out.push_str("_last"),
            ExprKind::NrPr => self.out.push_str("_nr_pr"),
            ExprKind::Priority => self.out.push_str("_priority"),
            ExprKind::Timeout => self.out.push_str("timeout"),
            ExprKind::NonProgress => self.out.push_str("np_"),
            ExprKind::Any => self.out.push('_'),
            ExprKind::Unary(op, operand) => {
                let sign = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "!",
                    UnaryOp::BitNot => "~",
                };
                self.call(sign, operand);
            }
            ExprKind::Binary(op, left, right) => {
                self.out.push('(');
                self.expr(left);
                self.out.push_str(operator(*op));
                self.expr(right);
                self.out.push(')');
            }
            ExprKind::Cond(condition, then, otherwise) => {
                self.out.push_str("( ");
                self.bracketed(condition);
                self.out.push_str(" -> ");
                self.bracketed(then);
                self.out.push_str(" : ");
                self.bracketed(otherwise);
                self.out.push_str(" )");
            }
            ExprKind::Run { proctype, args, .. } => {
                let _ = write!(self.out, "run {}(", self.program.proctypes[proctype.0 as usize].name);
                self.list(args);
                self.out.push(')');
            }
            ExprKind::Chan(op, chan) => {
                let name = match op {
                    ChannelOp::Len => "len",
                    ChannelOp::Empty => "empty",
                    ChannelOp::Nempty => "nempty",
                    ChannelOp::Full => "full",
                    ChannelOp::Nfull => "nfull",
                };
                let _ = write!(self.out, "{name}(");
                self.var(chan);
                self.out.push(')');
            }
            ExprKind::Poll { chan, args, random } => {
                self.var(chan);
                self.out.push_str(if *random { "??[" } else { "?[" });
                self.patterns(args);
                self.out.push(']');
            }
            ExprKind::Enabled(pid) => self.call("enabled", pid),
            ExprKind::PcValue(pid) => self.call("pc_value", pid),
            ExprKind::GetPriority(pid) => self.call("get_priority", pid),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                let target = &self.program.proctypes[proctype.0 as usize];
                self.remote(&target.name, pid.as_deref());
                let _ = write!(self.out, "@{}", target.body.labels[label.0 as usize].name);
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                self.remote(&self.program.proctypes[proctype.0 as usize].name, pid.as_deref());
                self.out.push(':');
                self.var(var);
            }
        }
    }

    fn remote(&mut self, name: &str, pid: Option<&Expr>) {
        self.out.push_str(name);
        if let Some(pid) = pid {
            self.out.push('[');
            self.expr(pid);
            self.out.push(']');
        }
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
    }
}
