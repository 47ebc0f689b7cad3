//! What generated functions are called with.

use std::mem::MaybeUninit;

use ir::Interpreter;
use model::{Action, Phase, Successors};

use crate::abi::{Context, Instance};
use crate::code::Code;
use crate::table::Table;

/// What is handed to every function.
pub fn context(code: &Code, table: &Table, phase: Phase, executed: *mut u64) -> Context {
    Context {
        shape: &raw const table.shape,
        executed,
        follow: code.follow.as_ptr(),
        meet: code.meet.as_ptr(),
        take: code.take.as_ptr(),
        unusual: 0,
        timeout: u32::from(phase == Phase::Timeout),
        first_met: 0,
        message: [const { MaybeUninit::uninit() }; _],
    }
}

/// Where the executed transitions are noted: among what is wanted, or where nobody looks.
pub fn executed(interpreter: &Interpreter, out: &mut Successors) -> *mut u64 {
    let n = interpreter.n_transitions();
    match &mut out.executed {
        Some(executed) => executed.words_mut(n).as_mut_ptr(),
        None => {
            let memory = &mut out.scratch.other;
            if memory.len() < n.div_ceil(64) {
                memory.resize(n.div_ceil(64), 0);
            }
            memory.as_mut_ptr()
        }
    }
}

/// The two sides of an action in a shape's table, and their transitions in one word.
pub fn sides(table: &Table, action: &Action) -> (*const Instance, *const Instance, u64) {
    let actor = &raw const table.instances[action.actor.who.0 as usize];
    let number = u64::from(action.actor.transition);
    match action.partner() {
        Some(partner) => {
            let instance = &raw const table.instances[partner.who.0 as usize];
            (actor, instance, number | u64::from(partner.transition) << 32)
        }
        None => (actor, std::ptr::null(), number),
    }
}
