//! Dead variables are set to 0.
//!
//! A variable is live at a location if its value may still be read behind it. Where the value of a dead
//! one is the only difference between two states, they are the same for everybody. Only scalar variables
//! of processes are looked at that are written at all and that no other process reads.

use super::seen_slots;
use crate::analysis::{guarded_commands, walk, walk_transition};
use crate::expr::{Base, Expr, Op, Pattern, Place};
use crate::program::{Comm, Command, Guarded, LocationId, Process, Program, Transition};

/// A set of slots of a frame.
type Slots = Vec<bool>;

/// Sets variables to 0 with the step behind which nobody reads their values.
pub fn reset_dead_variables(program: &mut Program) {
    let seen = seen_slots(program);
    for (process, seen) in program.processes.iter_mut().zip(&seen) {
        let candidates = candidates(process, seen);
        if candidates.contains(&true) {
            let live = live(process);
            reset(process, &candidates, &live);
        }
    }
}

/// The slots that may be set to 0.
fn candidates(process: &Process, seen: &[bool]) -> Slots {
    let mut written = vec![false; process.frame.slots.len()];
    for transition in process.locations.iter().flat_map(|location| &location.transitions) {
        written_by(transition, &mut |place| written[place.slot as usize] = true);
    }
    let is_scalar = |slot: usize| process.frame.slots[slot].dims.is_empty();
    (0..written.len()).map(|slot| written[slot] && !seen[slot] && is_scalar(slot)).collect()
}

/// For each location, the slots that may be read from there on.
fn live(process: &Process) -> Vec<Slots> {
    let n_slots = process.frame.slots.len();
    let mut always = vec![false; n_slots];
    process.provided.iter().for_each(|expr| walk(expr, &mut |expr| note_read(expr, &mut always)));
    let mut live = vec![always; process.locations.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (at, location) in process.locations.iter().enumerate().rev() {
            let mut slots = live[at].clone();
            for transition in &location.transitions {
                let mut behind = match transition.command {
                    Command::Terminate => vec![false; n_slots],
                    _ => live[transition.target.0 as usize].clone(),
                };
                if let Command::Guarded(guarded) = &transition.command {
                    written(guarded, &mut |place| {
                        if place.indices.is_empty() {
                            behind[place.slot as usize] = false;
                        }
                    });
                }
                walk_transition(transition, &mut |expr| note_read(expr, &mut behind));
                slots.iter_mut().zip(behind).for_each(|(slot, behind)| *slot |= behind);
            }
            changed |= slots != live[at];
            live[at] = slots;
        }
    }
    live
}

fn reset(process: &mut Process, candidates: &[bool], live: &[Slots]) {
    let resets: Vec<Op> = (0..candidates.len() as u32).map(|slot| set_to_zero(process, slot)).collect();
    let dead_from_the_start = (0..candidates.len()).filter(|&slot| candidates[slot] && !live[0][slot]);
    process.init.extend(dead_from_the_start.map(|slot| resets[slot].clone()));
    for (at, location) in process.locations.iter_mut().enumerate() {
        for transition in &mut location.transitions {
            let mut before = live[at].clone();
            written_by(transition, &mut |place| before[place.slot as usize] = true);
            let LocationId(target) = transition.target;
            let Command::Guarded(guarded) = &mut transition.command else { continue };
            let dies = |&slot: &usize| candidates[slot] && before[slot] && !live[target as usize][slot];
            guarded.effect.extend((0..candidates.len()).filter(dies).map(|slot| resets[slot].clone()));
        }
    }
}

fn set_to_zero(process: &Process, slot: u32) -> Op {
    let found = &process.frame.slots[slot as usize];
    let place = Place {
        base: Base::Frame,
        slot,
        indices: Vec::new(),
        offset: found.offset,
        width: found.width,
        signed: found.signed,
        dims: Vec::new(),
    };
    Op::Assign(place, Expr::Const(0))
}

fn note_read(expr: &Expr, slots: &mut [bool]) {
    if let Expr::Load(Place { base: Base::Frame, slot, .. }) = expr {
        slots[*slot as usize] = true;
    }
}

/// Visits the places in the frame that a transition writes to.
fn written_by(transition: &Transition, visit: &mut dyn FnMut(&Place)) {
    guarded_commands(transition, &mut |guarded| written(guarded, visit));
}

fn written(guarded: &Guarded, visit: &mut dyn FnMut(&Place)) {
    let mut in_frame = |place: &Place| {
        if place.base == Base::Frame {
            visit(place);
        }
    };
    if let Comm::Receive(receive) = &guarded.comm {
        for field in &receive.fields {
            if let Pattern::Store(place) = field {
                in_frame(place);
            }
        }
    }
    for op in &guarded.effect {
        if let Op::Assign(place, _) = op {
            in_frame(place);
        }
    }
}
