//! Expressions, places and effects.

use super::Verifier;
use crate::expr::{Base, Expr, MAX_DEPTH, Op, Pattern, Piece, Place, Print, Receive};
use crate::program::ProcessId;

/// What an expression may ask for.
#[derive(Clone, Copy)]
pub struct Scope {
    /// The template of the process that evaluates it; none for the system as a whole.
    process: Option<usize>,
    /// True behind a `run`.
    new_pid: bool,
}

impl Scope {
    /// No process.
    pub const GLOBAL: Scope = Scope { process: None, new_pid: false };

    /// A process of a template.
    pub fn of(process: usize) -> Scope {
        Scope { process: Some(process), new_pid: false }
    }
}

impl Verifier<'_> {
    /// Effects that give initial values: no process can be made there.
    pub fn init(&mut self, ops: &[Op], scope: Scope) {
        let runs = ops.iter().any(|op| matches!(op, Op::Run { .. }));
        self.check(!runs, || "a process is made while another one is".into());
        self.effect(ops, scope);
    }

    pub fn effect(&mut self, ops: &[Op], mut scope: Scope) {
        for op in ops {
            match op {
                Op::Assign(place, value) => {
                    self.place(place, scope, 0);
                    self.expr(value, scope, 0);
                }
                Op::Run { process, args, .. } => {
                    args.iter().for_each(|arg| self.expr(arg, scope, 0));
                    self.process_id(*process);
                    let n_params =
                        self.program.processes.get(process.0 as usize).map_or(0, |p| p.params.len());
                    self.check(args.len() <= n_params, || "more arguments than parameters".into());
                    scope.new_pid = true;
                }
                Op::Assert { condition, source, .. } => {
                    self.expr(condition, scope, 0);
                    self.source(*source);
                }
                Op::SetPriority(process, priority) => {
                    self.expr(process, scope, 0);
                    self.expr(priority, scope, 0);
                }
                Op::Print(print) => self.print(print, scope),
            }
        }
    }

    fn print(&mut self, print: &Print, scope: Scope) {
        for piece in &print.pieces {
            match piece {
                Piece::Text(_) => {}
                Piece::Decimal(expr)
                | Piece::Unsigned(expr)
                | Piece::Hex(expr)
                | Piece::Octal(expr)
                | Piece::Char(expr)
                // A set of names that is not there means that no value has a name.
                | Piece::Name(expr, _) => self.expr(expr, scope, 0),
            }
        }
    }

    pub fn process_id(&mut self, process: ProcessId) {
        let is_good = (process.0 as usize) < self.program.processes.len();
        self.check(is_good, || format!("there is no process #{}", process.0));
    }

    /// Checks an expression that lies inside `depth` others.
    pub fn expr(&mut self, expr: &Expr, scope: Scope, depth: usize) {
        if depth >= MAX_DEPTH {
            return self.check(false, || format!("an expression more than {MAX_DEPTH} levels deep"));
        }
        let depth = depth + 1;
        match expr {
            Expr::Const(_) | Expr::NrProcesses | Expr::Timeout | Expr::SomeAt(_) => {}
            Expr::Pid => self.check(scope.process.is_some(), || "the pid of no process".into()),
            Expr::NewPid => {
                self.check(scope.new_pid, || "the pid of a new process, but there is none".into())
            }
            Expr::OwnChannel(k) => {
                let process = scope.process.and_then(|process| self.program.processes.get(process));
                let is_good = process.is_some_and(|process| (*k as usize) < process.channels.len());
                self.check(is_good, || format!("there is no own channel {k}"));
            }
            Expr::Load(place) => self.place(place, scope, depth),
            Expr::Unary(_, operand)
            | Expr::Channel(_, operand)
            | Expr::Enabled(operand)
            | Expr::PcValue(operand)
            | Expr::PriorityOf(operand) => self.expr(operand, scope, depth),
            Expr::Binary(_, left, right) => {
                self.expr(left, scope, depth);
                self.expr(right, scope, depth);
            }
            Expr::Cond(condition, then, otherwise) => {
                for part in [condition, then, otherwise] {
                    self.expr(part, scope, depth);
                }
            }
            Expr::Poll(receive) => self.receive(receive, scope, depth),
            Expr::At { process, pid, location } => {
                self.process_id(*process);
                if let (Some(template), Some(location)) =
                    (self.program.processes.get(process.0 as usize), location)
                {
                    let is_good = (location.0 as usize) < template.locations.len();
                    self.check(is_good, || {
                        format!("there is no location {} of '{}'", location.0, template.name)
                    });
                }
                pid.iter().for_each(|pid| self.expr(pid, scope, depth));
            }
        }
    }

    pub fn receive(&mut self, receive: &Receive, scope: Scope, depth: usize) {
        self.expr(&receive.channel, scope, depth);
        for pattern in &receive.fields {
            match pattern {
                Pattern::Store(place) => self.place(place, scope, depth),
                Pattern::Ignore => {}
                Pattern::Match(expr) => self.expr(expr, scope, depth),
            }
        }
    }

    fn place(&mut self, place: &Place, scope: Scope, depth: usize) {
        let region = match &place.base {
            Base::Global => Some(&self.program.globals),
            Base::Frame => scope.process.map(|process| &self.program.processes[process].frame),
            Base::Remote { process, pid } => {
                pid.iter().for_each(|pid| self.expr(pid, scope, depth));
                self.program.processes.get(process.0 as usize).map(|process| &process.frame)
            }
        };
        match region.map(|region| region.slots.get(place.slot as usize)) {
            None => self.check(false, || "a variable of no process".into()),
            Some(None) => self.check(false, || format!("there is no slot #{}", place.slot)),
            Some(Some(slot)) => {
                let dims = slot.dims.iter().map(|dim| (dim.len, dim.stride));
                let is_copy = (place.offset, place.width, place.signed)
                    == (slot.offset, slot.width, slot.signed)
                    && dims.eq(place.dims.iter().copied());
                self.check(is_copy, || format!("a place that does not agree with the slot '{}'", slot.name));
            }
        }
        let (given, wanted) = (place.indices.len(), place.dims.len());
        self.check(given == wanted, || format!("{given} indices for {wanted} dimensions"));
        place.indices.iter().for_each(|index| self.expr(index, scope, depth));
    }

    /// A place that takes an argument: a fixed one in the frame.
    pub fn param(&mut self, place: &Place, scope: Scope) {
        self.check(place.base == Base::Frame, || "a parameter outside the frame".into());
        self.place(place, scope, 0);
        let mut indices = place.indices.iter().zip(&place.dims);
        let is_fixed = indices.all(
            |(index, (len, _))| matches!(index, Expr::Const(k) if u32::try_from(*k).is_ok_and(|k| k < *len)),
        );
        self.check(is_fixed, || "a parameter with an index that is not fixed or not in range".into());
    }
}
