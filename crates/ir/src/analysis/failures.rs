//! Whether something may go wrong at run time, as the text of a program shows it. True if in doubt.
//!
//! A runtime error violates every property, so what is reduced must keep it, unless there is none.

use std::collections::HashMap;

use model::PredicateId;

use super::{guarded_commands, transitions};
use crate::expr::{Base, BinaryOp, Expr, Op, Pattern, Place, Receive};
use crate::program::{Channel, Comm, Command, Process, Program, Transition};
use crate::{ControlLocation, Interpreter, MAX_CHANNELS, Piece};

/// What is known about a program.
pub struct Failures<'p> {
    program: &'p Program,
    /// How many processes a state holds.
    most_processes: usize,
    /// The shared variables that always hold the same channel.
    channels: HashMap<u32, &'p Channel>,
}

impl<'p> Failures<'p> {
    /// Looks at a program.
    pub fn of(interpreter: &'p Interpreter) -> Failures<'p> {
        let program = interpreter.program();
        let mut channels = HashMap::new();
        for op in &program.init {
            let Op::Assign(place, value) = op else { continue };
            let channel = if let Expr::Const(number) = value { declared(program, *number) } else { None };
            match (global(place), channel) {
                (Some(slot), Some(channel)) => channels.insert(slot, channel),
                _ => channels.remove(&place.slot),
            };
        }
        // What is given another value later may be anything.
        let mut forget = |place: &Place| {
            if place.base == Base::Global {
                channels.remove(&place.slot);
            }
        };
        for process in &program.processes {
            transitions(process).for_each(|transition| stores(transition, &mut forget));
        }
        Failures { program, most_processes: interpreter.most_processes(), channels }
    }

    /// Whether a predicate may have no value in some state.
    pub fn in_predicate(&self, predicate: PredicateId) -> bool {
        self.program.predicates.get(predicate.0 as usize).is_none_or(|found| self.in_expr(&found.expr))
    }

    /// Whether a step may end in an error. A failed assertion is none.
    pub fn in_program(&self) -> bool {
        self.program.monitor.is_some()
            || self.may_have_too_many_processes()
            || self.program.processes.iter().any(|process| self.in_process(process))
    }

    fn in_process(&self, process: &Process) -> bool {
        process.deterministic
            || process.init.iter().any(|op| self.in_op(op))
            || process.provided.iter().any(|expr| self.in_expr(expr))
            || transitions(process).any(|transition| self.in_transition(transition))
            // An atomic sequence may never come to its end.
            || !cycle_free(process, |transition| transition.chain)
    }

    fn in_transition(&self, transition: &Transition) -> bool {
        match &transition.command {
            Command::Guarded(guarded) => {
                let in_comm = match &guarded.comm {
                    Comm::None => false,
                    Comm::Send(send) => {
                        let suits = |channel: &Channel| channel.fields.len() == send.fields.len();
                        !self.channel(&send.channel).is_some_and(suits) || self.in_any(&send.fields)
                    }
                    Comm::Receive(receive) => {
                        let suits = |channel: &Channel| channel.fields.len() == receive.fields.len();
                        !self.channel(&receive.channel).is_some_and(suits) || self.in_patterns(receive)
                    }
                };
                in_comm || self.in_any(&guarded.guard) || guarded.effect.iter().any(|op| self.in_op(op))
            }
            Command::Else { .. } | Command::Terminate => false,
            // It may block, or never end.
            Command::Block(_) => true,
        }
    }

    fn in_op(&self, op: &Op) -> bool {
        match op {
            Op::Assign(place, value) => self.in_place(place) || self.in_expr(value),
            Op::Run { args, .. } => self.in_any(args),
            Op::Assert { condition, .. } => self.in_expr(condition),
            Op::SetPriority(..) => true,
            Op::Print(print) => print.pieces.iter().filter_map(Piece::value).any(|expr| self.in_expr(expr)),
        }
    }

    fn in_patterns(&self, receive: &Receive) -> bool {
        receive.fields.iter().any(|pattern| match pattern {
            Pattern::Store(place) => self.in_place(place),
            Pattern::Ignore => false,
            Pattern::Match(expr) => self.in_expr(expr),
        })
    }

    fn in_place(&self, place: &Place) -> bool {
        let in_range = |(index, &(len, _)): (&Expr, &(u32, u32))| match index {
            Expr::Const(k) => u32::try_from(*k).is_ok_and(|k| k < len),
            _ => false,
        };
        let in_base = match &place.base {
            Base::Global | Base::Frame => false,
            Base::Remote { pid, .. } => pid.as_ref().is_some_and(|pid| self.in_expr(pid)),
        };
        in_base || !place.indices.iter().zip(&place.dims).all(in_range)
    }

    fn in_any(&self, list: &[Expr]) -> bool {
        list.iter().any(|expr| self.in_expr(expr))
    }

    fn in_expr(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_)
            | Expr::Pid
            | Expr::NrProcesses
            | Expr::OwnChannel(_)
            | Expr::Timeout
            | Expr::NewPid
            | Expr::SomeAt(_) => false,
            Expr::Load(place) => self.in_place(place),
            Expr::Unary(_, operand) | Expr::PcValue(operand) | Expr::PriorityOf(operand) => {
                self.in_expr(operand)
            }
            Expr::Binary(op, left, right) => {
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                let by_zero = divides && !matches!(**right, Expr::Const(value) if value != 0);
                by_zero || self.in_expr(left) || self.in_expr(right)
            }
            Expr::Cond(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().any(|part| self.in_expr(part))
            }
            Expr::Channel(_, channel) => self.channel(channel).is_none(),
            Expr::Poll(receive) => {
                let suits =
                    |channel: &Channel| channel.capacity > 0 && receive.fields.len() <= channel.fields.len();
                !self.channel(&receive.channel).is_some_and(suits) || self.in_patterns(receive)
            }
            Expr::Enabled(_) => true,
            Expr::At { pid, .. } => pid.as_ref().is_some_and(|pid| self.in_expr(pid)),
        }
    }

    /// The channel for which an expression always stands.
    fn channel(&self, expr: &Expr) -> Option<&'p Channel> {
        match expr {
            Expr::Const(number) => declared(self.program, *number),
            Expr::Load(place) => self.channels.get(&global(place)?).copied(),
            _ => None,
        }
    }

    /// Counts the processes that can ever be made, if each `run` is executed once at most by processes
    /// that are there from the start.
    fn may_have_too_many_processes(&self) -> bool {
        let Program { processes, start, global_channels, .. } = self.program;
        let mut made: Vec<usize> = start.iter().map(|start| start.process.0 as usize).collect();
        for starter in start {
            let process = &processes[starter.process.0 as usize];
            let mut runs = Vec::new();
            transitions(process).for_each(|transition| made_by(transition, &mut runs));
            if !runs.is_empty() && !cycle_free(process, |_| true) {
                return true;
            }
            made.extend(runs);
        }
        let is_made_later = |number: &usize| made[start.len()..].contains(number);
        let makes = |number: usize| {
            let mut runs = Vec::new();
            transitions(&processes[number]).for_each(|transition| made_by(transition, &mut runs));
            !runs.is_empty()
        };
        if (0..processes.len()).filter(is_made_later).any(makes) {
            return true;
        }
        let channels: usize = made.iter().map(|&number| processes[number].channels.len()).sum();
        made.len() > self.most_processes || global_channels.len() + channels > MAX_CHANNELS
    }
}

/// The slot of a shared variable that is no array.
fn global(place: &Place) -> Option<u32> {
    (place.base == Base::Global && place.indices.is_empty()).then_some(place.slot)
}

/// The channel with a number, if it exists from the start.
fn declared(program: &Program, number: i32) -> Option<&Channel> {
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    program.channels.get(program.global_channels.get(index)?.0 as usize)
}

/// The places to which a transition stores something.
fn stores(transition: &Transition, visit: &mut dyn FnMut(&Place)) {
    guarded_commands(transition, &mut |guarded| {
        for op in &guarded.effect {
            if let Op::Assign(place, _) = op {
                visit(place);
            }
        }
        if let Comm::Receive(receive) = &guarded.comm {
            for pattern in &receive.fields {
                if let Pattern::Store(place) = pattern {
                    visit(place);
                }
            }
        }
    });
}

/// The templates of the processes that a transition makes.
fn made_by(transition: &Transition, out: &mut Vec<usize>) {
    guarded_commands(transition, &mut |guarded| {
        for op in &guarded.effect {
            if let Op::Run { process, .. } = op {
                out.push(process.0 as usize);
            }
        }
    });
}

/// Whether some of the transitions of a process make no cycle.
fn cycle_free(process: &Process, counts: impl Fn(&Transition) -> bool) -> bool {
    let targets = |location: &ControlLocation| {
        let leads = |transition: &&Transition| {
            counts(transition) && !matches!(transition.command, Command::Terminate)
        };
        let transitions = location.transitions.iter().filter(leads);
        transitions.map(|transition| transition.target.0 as usize).collect::<Vec<usize>>()
    };
    let targets: Vec<Vec<usize>> = process.locations.iter().map(targets).collect();
    let parts = logic::components(targets.len(), |location, k| targets[location].get(k).copied());
    // Every edge that does not stay in its component is on no cycle.
    let stays = |(location, targets): (usize, &Vec<usize>)| {
        targets.iter().any(|&target| parts.of[target] == parts.of[location])
    };
    !targets.iter().enumerate().any(stays)
}
