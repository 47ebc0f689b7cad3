//! From effects and expressions to text.

use model::Location;

use super::lex::quote;
use super::names::{UNARY, operator};
use super::print::{Printer, source};
use crate::expr::{Base, ChannelOp, Expr, Mark, Op, Pattern, Piece, Place, Receive, UnaryOp};
use crate::program::ProcessId;

impl Printer {
    pub fn receive(&mut self, receive: &Receive) {
        self.expr(&receive.channel, UNARY);
        self.put(if receive.random { " ?? " } else { " ? " });
        self.put(if receive.peek { "<" } else { "" });
        self.list(&receive.fields, |printer, field| match field {
            Pattern::Store(place) => printer.place(place),
            Pattern::Ignore => printer.put("_"),
            Pattern::Match(Expr::Const(value)) => printer.put(&value.to_string()),
            Pattern::Match(expr) => printer.call("eval", expr),
        });
        self.put(if receive.peek { ">" } else { "" });
    }

    pub fn op(&mut self, op: &Op) {
        match op {
            Op::Assign(place, value) => {
                self.place(place);
                self.put(" = ");
                self.expr(value, 0);
            }
            Op::Run { process, args, priority } => {
                self.put("run ");
                self.process_name(*process);
                self.put("(");
                self.list(args, |printer, arg| printer.expr(arg, 0));
                self.put(")");
                if *priority != 1 {
                    self.put(&format!(" priority {priority}"));
                }
            }
            Op::Assert { condition, text, source: place } => {
                self.put("assert ");
                self.expr(condition, 0);
                self.remark(text, *place);
            }
            Op::SetPriority(process, priority) => {
                self.call("priority", process);
                self.put(" = ");
                self.expr(priority, 0);
            }
            Op::Print(print) => {
                self.put("print");
                self.put(if print.pieces.is_empty() { "" } else { " " });
                self.list(&print.pieces, Printer::piece);
            }
        }
    }

    /// Writes how something is written in the source, and where.
    pub fn remark(&mut self, text: &str, place: Location) {
        if !text.is_empty() {
            self.put(&format!(" {}", quote(text)));
        }
        let place = source(place);
        self.put(if place.is_empty() { "" } else { " " });
        self.put(place.trim_end());
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Text(text) => self.put(&quote(text)),
            Piece::Decimal(expr) => self.expr(expr, 0),
            Piece::Unsigned(expr) => self.call("unsigned", expr),
            Piece::Hex(expr) => self.call("hex", expr),
            Piece::Octal(expr) => self.call("octal", expr),
            Piece::Char(expr) => self.call("char", expr),
            Piece::Name(expr, set) => {
                self.put(&format!("name {set} "));
                self.call("", expr);
            }
        }
    }

    fn call(&mut self, name: &str, argument: &Expr) {
        self.put(name);
        self.put("(");
        self.expr(argument, 0);
        self.put(")");
    }

    /// Writes an expression, in parentheses if it binds less than `least`.
    pub fn expr(&mut self, expr: &Expr, least: u8) {
        match expr {
            Expr::Const(value) => self.put(&value.to_string()),
            Expr::Load(place) => self.place(place),
            Expr::Pid => self.put("_pid"),
            Expr::NrProcesses => self.put("_nr_pr"),
            Expr::OwnChannel(k) => self.put(&format!("own({k})")),
            Expr::Timeout => self.put("timeout"),
            Expr::NewPid => self.put("new_pid"),
            Expr::Unary(op, operand) => {
                self.put(match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "!",
                    UnaryOp::BitNot => "~",
                });
                // `-5` is a constant, and `!!` a sign of its own.
                match operand.as_ref() {
                    Expr::Const(_) | Expr::Unary(..) => self.call("", operand),
                    _ => self.expr(operand, UNARY),
                }
            }
            Expr::Binary(op, left, right) => {
                let (level, sign) = operator(*op);
                self.grouped(level < least, |printer| {
                    printer.expr(left, level);
                    printer.put(&format!(" {sign} "));
                    printer.expr(right, level + 1);
                });
            }
            Expr::Cond(condition, then, otherwise) => self.grouped(least > 0, |printer| {
                printer.expr(condition, 1);
                printer.put(" ? ");
                printer.expr(then, 0);
                printer.put(" : ");
                printer.expr(otherwise, 0);
            }),
            Expr::Channel(op, channel) => self.call(channel_op(*op), channel),
            Expr::Poll(receive) => {
                self.put("poll(");
                self.receive(receive);
                self.put(")");
            }
            Expr::Enabled(pid) => self.call("enabled", pid),
            Expr::PcValue(pid) => self.call("pc_value", pid),
            Expr::PriorityOf(pid) => self.call("priority", pid),
            Expr::SomeAt(Mark::Progress) => self.put("some_at(progress)"),
            Expr::SomeAt(Mark::Accept) => self.put("some_at(accept)"),
            Expr::At { process, pid, location } => {
                self.remote(*process, pid.as_deref());
                self.put(&location.map_or("@none".to_string(), |location| format!("@{}", location.0)));
            }
        }
    }

    fn grouped(&mut self, is_needed: bool, body: impl FnOnce(&mut Printer)) {
        self.put(if is_needed { "(" } else { "" });
        body(self);
        self.put(if is_needed { ")" } else { "" });
    }

    fn remote(&mut self, process: ProcessId, pid: Option<&Expr>) {
        self.process_name(process);
        if let Some(pid) = pid {
            self.put("[");
            self.expr(pid, 0);
            self.put("]");
        }
        self.put("::");
    }

    pub fn process_name(&mut self, process: ProcessId) {
        let name = self.names.processes.quoted(process.0);
        self.put(&name);
    }

    pub fn place(&mut self, place: &Place) {
        let names = match &place.base {
            Base::Global => Some(&self.names.globals),
            Base::Frame => self.process.and_then(|process| self.names.frames.get(process as usize)),
            Base::Remote { process, .. } => self.names.frames.get(process.0 as usize),
        };
        let (name, number) = names.map_or(("", Some(place.slot)), |names| names.reference(place.slot));
        let mut parts = name.split("[]").map(str::to_string).collect::<Vec<_>>().into_iter();
        match &place.base {
            Base::Global => {}
            Base::Frame => self.put("."),
            Base::Remote { process, pid } => self.remote(*process, pid.as_deref()),
        }
        self.put(&parts.next().unwrap_or_default());
        let number = number.map(|number| format!("#{number}")).unwrap_or_default();
        self.put(&number);
        for index in &place.indices {
            self.put("[");
            self.expr(index, 0);
            self.put("]");
            self.put(&parts.next().unwrap_or_default());
        }
    }
}

fn channel_op(op: ChannelOp) -> &'static str {
    match op {
        ChannelOp::Len => "len",
        ChannelOp::Empty => "empty",
        ChannelOp::Nempty => "nempty",
        ChannelOp::Full => "full",
        ChannelOp::Nfull => "nfull",
    }
}
