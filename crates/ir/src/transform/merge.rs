//! A statement that concerns nobody else is executed together with the one before it.
//!
//! Such a statement can always be executed, alone at its location, cannot fail, and changes nothing but
//! variables of its process that nobody else looks at. So it does not matter when it happens, and nobody
//! need see the process stand in front of it: the step that leads there does not end there, as in an
//! atomic chain. If it led to a label that is asked for, it would be seen: the process may stay in front of
//! it for ever, away from the label.

use model::Patience;
use rustc_hash::FxHashSet;

use super::{Changed, seen_slots, walk_program};
use crate::analysis::{transitions, walk};
use crate::expr::{Base, Expr, Op, Place};
use crate::program::{Comm, Command, ControlLocation, Guarded, Predicate, Process, Program, Transition};
use crate::provenance::Provenance;
use crate::rewrite;

/// Merges statements. Where it is seen that a process can move (priorities, `provided`, `_last`, `enabled`, `pc_value`,
/// `timeout` in a property), nothing is merged.
///
/// # Errors
/// If it takes too long.
pub fn merge_statements(program: &Program, patience: &Patience) -> Changed {
    let mut pace = patience.pace();
    let asks_timeout = |predicate: &Predicate| {
        let mut found = false;
        walk(&predicate.expr, &mut |expr| found |= matches!(expr, Expr::Timeout));
        found
    };
    let mut is_watched =
        program.priorities || program.last.is_some() || program.predicates.iter().any(asks_timeout);
    let mut asked_for = FxHashSet::default();
    walk_program(program, &mut pace, &mut |expr| match expr {
        Expr::PcValue(_) | Expr::Enabled(_) => is_watched = true,
        Expr::At { process, location: Some(location), .. } => {
            asked_for.insert((process.0, location.0));
        }
        _ => {}
    })?;
    if is_watched {
        return Ok(None);
    }
    let seen = seen_slots(program, &mut pace)?;
    let mut passed = Vec::with_capacity(program.processes.len());
    for (template, process) in program.processes.iter().enumerate() {
        if process.provided.is_some() || process.deterministic {
            passed.push(vec![false; process.locations.len()]);
            continue;
        }
        let is_marked = |at: usize| {
            let location = &process.locations[at];
            location.progress || location.accept || asked_for.contains(&(template as u32, at as u32))
        };
        let mut silent = Vec::with_capacity(process.locations.len());
        for (at, location) in process.locations.iter().enumerate() {
            pace.steps(location.transitions.len())?;
            let mut targets = location.transitions.iter().map(|transition| transition.target.0 as usize);
            silent.push(!is_marked(at) && is_silent(location, &seen[template]) && !targets.any(is_marked));
        }
        passed.push(passed_through(process, &silent));
    }
    let is_new = |(process, passed): (&Process, &Vec<bool>)| {
        transitions(process).any(|transition| !transition.chain && goes_on(transition, passed))
    };
    if !program.processes.iter().zip(&passed).any(is_new) {
        return Ok(None);
    }
    let merged = rewrite::with_transitions(program, patience, |origin, transition| {
        transition.chain |= goes_on(transition, &passed[origin.process]);
    })?;
    Ok(Some((merged, Provenance::same())))
}

/// Whether a step goes on at the location to which it leads, if some are only passed through.
fn goes_on(transition: &Transition, passed: &[bool]) -> bool {
    // Behind a send it is the receiver that goes on, if the channel has no room.
    let is_send = matches!(&transition.command, Command::Guarded(Guarded { comm: Comm::Send(_), .. }));
    let ends = matches!(transition.command, Command::Terminate);
    !is_send && !ends && passed[transition.target.0 as usize]
}

/// Whether a process need not be seen to stand at a location.
fn is_silent(location: &ControlLocation, seen: &[bool]) -> bool {
    if location.end {
        return false;
    }
    let [transition] = location.transitions.as_slice() else { return false };
    let Command::Guarded(Guarded { guard, comm: Comm::None, effect }) = &transition.command else {
        return false;
    };
    let is_true = |expr: &Expr| matches!(expr, Expr::Const(value) if *value != 0);
    // What follows in an atomic chain may concern others.
    let is_alone = transition.escape.is_none() && !transition.chain;
    is_alone && guard.iter().all(is_true) && effect.iter().all(|op| is_own(op, seen))
}

/// Whether an effect changes only what nobody else looks at, and depends on nothing else.
fn is_own(op: &Op, seen: &[bool]) -> bool {
    let own = |place: &Place| place.base == Base::Frame && !seen[place.slot as usize];
    match op {
        Op::Assign(place, value) => {
            own(place) && !Expr::Load(place.clone()).may_fail() && is_own_value(value) && !value.may_fail()
        }
        Op::Run { .. } | Op::Assert { .. } | Op::SetPriority(..) | Op::Print(_) => false,
    }
}

/// Whether only the process itself can change the value of an expression.
fn is_own_value(value: &Expr) -> bool {
    let mut is_own = true;
    walk(value, &mut |expr| match expr {
        Expr::Const(_) | Expr::Pid | Expr::OwnChannel(_) | Expr::Unary(..) | Expr::Binary(..) => {}
        Expr::Cond(..) => {}
        Expr::Load(place) => is_own &= place.base == Base::Frame,
        _ => is_own = false,
    });
    is_own
}

/// The silent locations at which a process is never seen.
fn passed_through(process: &Process, silent: &[bool]) -> Vec<bool> {
    let targets: Vec<usize> = process
        .locations
        .iter()
        .map(|location| location.transitions.first().map_or(0, |only| only.target.0 as usize))
        .collect();
    let mut leading: Vec<Vec<usize>> = vec![Vec::new(); silent.len()];
    (0..silent.len()).filter(|&at| silent[at]).for_each(|at| leading[targets[at]].push(at));
    // Around a circle of silent locations somebody has to be seen: only those that lead out of them all are passed.
    let mut passed = vec![false; silent.len()];
    let mut open: Vec<usize> = (0..silent.len()).filter(|&at| !silent[at]).collect();
    while let Some(at) = open.pop() {
        for &before in &leading[at] {
            passed[before] = true;
            open.push(before);
        }
    }
    passed
}
