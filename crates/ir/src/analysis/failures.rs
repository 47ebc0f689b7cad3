//! Whether something may go wrong at run time, as the text of a program shows it. True if in doubt.
//!
//! Whether an expression may have no value is asked by several who do not know the same: whoever looks at nothing but
//! the expression, [`Failures`], which knows the program, the analysis of independence, which knows what processes there
//! are. What they know is their [`Known`]; the rules are in [`may_fail`], once.
//!
//! A runtime error violates every property, so what is reduced must keep it, unless there is none.

use std::collections::HashMap;

use model::PredicateId;

use super::{guarded_commands, runs, stores, stores_of_receive, target, transitions, walk};
use crate::expr::{Base, BinaryOp, Expr, Op, Pattern, Place, Receive};
use crate::program::{Channel, Comm, Command, Process, Program, Transition};
use crate::{ControlLocation, Interpreter, MAX_CHANNELS, Piece};

/// What is known of the parts of an expression.
pub trait Known {
    /// The value that an expression always has.
    fn constant(&self, expr: &Expr) -> Option<i32>;

    /// Whether an expression always means a channel that is there.
    fn is_channel(&self, expr: &Expr) -> bool;

    /// Whether it can always be asked if a receive is possible, as far as the channel goes.
    fn can_be_polled(&self, receive: &Receive) -> bool;
}

/// Whether there may be a state in which an expression has no value.
pub fn may_fail(expr: &Expr, known: &dyn Known) -> bool {
    let mut found = false;
    walk(expr, &mut |part| {
        found |= match part {
            Expr::Load(place) => has_open_index(place, known),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, divisor) => {
                known.constant(divisor).is_none_or(|divisor| divisor == 0)
            }
            Expr::Channel(_, channel) => !known.is_channel(channel),
            Expr::Poll(receive) => {
                !known.can_be_polled(receive)
                    || stores_of_receive(receive).any(|place| has_open_index(place, known))
            }
            Expr::Enabled(_) => true,
            _ => false,
        };
    });
    found
}

/// Whether an index is not known, or known to be out of range.
fn has_open_index(place: &Place, known: &dyn Known) -> bool {
    let is_in_range = |(index, &(len, _)): (&Expr, &(u32, u32))| {
        known.constant(index).and_then(|index| u32::try_from(index).ok()).is_some_and(|index| index < len)
    };
    !place.indices.iter().zip(&place.dims).all(is_in_range)
}

/// The value of a constant.
fn literal(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Const(value) => Some(*value),
        _ => None,
    }
}

/// Nothing is known but what the expression says.
struct Nothing;

impl Known for Nothing {
    fn constant(&self, expr: &Expr) -> Option<i32> {
        literal(expr)
    }

    fn is_channel(&self, _: &Expr) -> bool {
        false
    }

    fn can_be_polled(&self, _: &Receive) -> bool {
        false
    }
}

impl Expr {
    /// Whether there may be a state in which it has no value, as far as it shows itself. True if in doubt.
    pub fn may_fail(&self) -> bool {
        may_fail(self, &Nothing)
    }
}

/// What is known about a program.
pub struct Failures<'p> {
    program: &'p Program,
    /// How many processes a state holds.
    most_processes: usize,
    /// The shared variables that always hold the same channel.
    channels: HashMap<u32, &'p Channel>,
}

impl<'p> Failures<'p> {
    /// Looks at a program, once at each statement: that takes less time than to make the interpreter.
    pub fn of(interpreter: &'p Interpreter) -> Failures<'p> {
        let program = interpreter.program();
        let mut channels = HashMap::new();
        for op in &program.init {
            let Op::Assign(place, value) = op else { continue };
            let channel = literal(value).and_then(|number| declared(program, number));
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
        for transition in program.processes.iter().flat_map(transitions) {
            guarded_commands(transition, &mut |guarded| stores(guarded, &mut forget));
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
        let in_base = match &place.base {
            Base::Global | Base::Frame => false,
            Base::Remote { pid, .. } => pid.as_ref().is_some_and(|pid| self.in_expr(pid)),
        };
        in_base || has_open_index(place, self)
    }

    fn in_any(&self, list: &[Expr]) -> bool {
        list.iter().any(|expr| self.in_expr(expr))
    }

    fn in_expr(&self, expr: &Expr) -> bool {
        may_fail(expr, self)
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
        let made_by: Vec<Vec<usize>> = processes.iter().map(made_by).collect();
        let mut starters: Vec<usize> = start.iter().map(|start| start.process.0 as usize).collect();
        let n_made: usize = starters.iter().map(|&starter| made_by[starter].len()).sum();
        if starters.len() + n_made > self.most_processes {
            return true;
        }
        let made: Vec<usize> = starters.iter().flat_map(|&starter| &made_by[starter]).copied().collect();
        let channels_of = |&number: &usize| processes[number].channels.len();
        let n_channels: usize = starters.iter().chain(&made).map(channels_of).sum();
        starters.sort_unstable();
        starters.dedup();
        let goes_round =
            |&starter: &usize| !made_by[starter].is_empty() && !cycle_free(&processes[starter], |_| true);
        global_channels.len() + n_channels > MAX_CHANNELS
            || made.iter().any(|&made| !made_by[made].is_empty())
            || starters.iter().any(goes_round)
    }
}

impl Known for Failures<'_> {
    fn constant(&self, expr: &Expr) -> Option<i32> {
        literal(expr)
    }

    fn is_channel(&self, expr: &Expr) -> bool {
        self.channel(expr).is_some()
    }

    fn can_be_polled(&self, receive: &Receive) -> bool {
        let suits = |channel: &Channel| channel.capacity > 0 && receive.fields.len() <= channel.fields.len();
        self.channel(&receive.channel).is_some_and(suits)
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

/// The templates of the processes that a process makes, as often as it says so.
fn made_by(process: &Process) -> Vec<usize> {
    let mut made = Vec::new();
    for transition in transitions(process) {
        guarded_commands(transition, &mut |guarded| made.extend(runs(guarded).map(|made| made.0 as usize)));
    }
    made
}

/// Whether some of the transitions of a process make no cycle.
fn cycle_free(process: &Process, counts: impl Fn(&Transition) -> bool) -> bool {
    let targets = |location: &ControlLocation| {
        let counted = location.transitions.iter().filter(|transition| counts(transition));
        counted.filter_map(target).map(|at| at as usize).collect::<Vec<usize>>()
    };
    let targets: Vec<Vec<usize>> = process.locations.iter().map(targets).collect();
    let parts = logic::components(targets.len(), |location, k| targets[location].get(k).copied());
    // Every edge that does not stay in its component is on no cycle.
    let stays = |(location, targets): (usize, &Vec<usize>)| {
        targets.iter().any(|&target| parts.of[target] == parts.of[location])
    };
    !targets.iter().enumerate().any(stays)
}
