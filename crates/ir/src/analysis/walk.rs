//! Visiting everything inside a transition.

use crate::expr::{Base, Expr, Op, Pattern, Piece, Place, Receive};
use crate::program::{Comm, Command, Guarded, Process, ProcessId, Transition};

/// All transitions of a process, in the order of their numbers.
pub fn transitions(process: &Process) -> impl Iterator<Item = &Transition> {
    process.locations.iter().flat_map(|location| &location.transitions)
}

/// Where a transition leads; none if the process ends.
pub fn target(transition: &Transition) -> Option<u32> {
    (transition.command != Command::Terminate).then_some(transition.target.0)
}

/// Visits the guarded commands of a transition: one, or those inside a block.
pub fn guarded_commands<'t>(transition: &'t Transition, visit: &mut dyn FnMut(&'t Guarded)) {
    match &transition.command {
        Command::Guarded(guarded) => visit(guarded),
        Command::Else { .. } | Command::Terminate => {}
        Command::Block(block) => {
            block.locations.iter().flatten().for_each(|transition| guarded_commands(transition, visit));
        }
    }
}

/// Visits the places in which a guarded command stores something.
pub fn stores<'t>(guarded: &'t Guarded, visit: &mut dyn FnMut(&'t Place)) {
    if let Comm::Receive(receive) = &guarded.comm {
        stores_of_receive(receive).for_each(&mut *visit);
    }
    for op in &guarded.effect {
        if let Op::Assign(place, _) = op {
            visit(place);
        }
    }
}

/// The places in which a receive stores something.
pub fn stores_of_receive(receive: &Receive) -> impl Iterator<Item = &Place> {
    receive.fields.iter().filter_map(|pattern| match pattern {
        Pattern::Store(place) => Some(place),
        Pattern::Ignore | Pattern::Match(_) => None,
    })
}

/// The templates of which a guarded command makes processes.
pub fn runs(guarded: &Guarded) -> impl Iterator<Item = ProcessId> {
    guarded.effect.iter().filter_map(|op| match op {
        Op::Run { process, .. } => Some(*process),
        _ => None,
    })
}

/// Visits every expression of a transition, the inner ones too.
pub fn walk_transition(transition: &Transition, visit: &mut dyn FnMut(&Expr)) {
    guarded_commands(transition, &mut |guarded| walk_guarded(guarded, visit));
}

fn walk_guarded(guarded: &Guarded, visit: &mut dyn FnMut(&Expr)) {
    guarded.guard.iter().for_each(|expr| walk(expr, visit));
    match &guarded.comm {
        Comm::None => {}
        Comm::Send(send) => {
            walk(&send.channel, visit);
            send.fields.iter().for_each(|expr| walk(expr, visit));
        }
        Comm::Receive(receive) => walk_receive(receive, visit),
    }
    guarded.effect.iter().for_each(|op| walk_op(op, visit));
}

fn walk_op(op: &Op, visit: &mut dyn FnMut(&Expr)) {
    match op {
        Op::Assign(place, value) => {
            walk_place(place, visit);
            walk(value, visit);
        }
        Op::Run { args, .. } => args.iter().for_each(|expr| walk(expr, visit)),
        Op::Assert { condition, .. } => walk(condition, visit),
        Op::SetPriority(process, priority) => {
            walk(process, visit);
            walk(priority, visit);
        }
        Op::Print(print) => print.pieces.iter().filter_map(Piece::value).for_each(|expr| walk(expr, visit)),
    }
}

fn walk_receive(receive: &Receive, visit: &mut dyn FnMut(&Expr)) {
    walk(&receive.channel, visit);
    for pattern in &receive.fields {
        match pattern {
            Pattern::Store(place) => walk_place(place, visit),
            Pattern::Ignore => {}
            Pattern::Match(expr) => walk(expr, visit),
        }
    }
}

fn walk_place(place: &Place, visit: &mut dyn FnMut(&Expr)) {
    if let Base::Remote { pid: Some(pid), .. } = &place.base {
        walk(pid, visit);
    }
    place.indices.iter().for_each(|expr| walk(expr, visit));
}

/// Visits an expression and the ones inside it.
pub fn walk(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(expr);
    match expr {
        Expr::Const(_)
        | Expr::Pid
        | Expr::NrProcesses
        | Expr::OwnChannel(_)
        | Expr::Timeout
        | Expr::NewPid
        | Expr::SomeAt(_) => {}
        Expr::Load(place) => walk_place(place, visit),
        Expr::Unary(_, operand)
        | Expr::Channel(_, operand)
        | Expr::Enabled(operand)
        | Expr::PcValue(operand)
        | Expr::PriorityOf(operand) => walk(operand, visit),
        Expr::Binary(_, left, right) => {
            walk(left, visit);
            walk(right, visit);
        }
        Expr::Cond(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|expr| walk(expr, visit));
        }
        Expr::Poll(receive) => walk_receive(receive, visit),
        Expr::At { pid, .. } => pid.iter().for_each(|pid| walk(pid, visit)),
    }
}
