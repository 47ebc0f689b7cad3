//! Changes to a program that leave fewer states to explore.
//!
//! They keep deadlocks, failures, and every property without X of what can be seen from outside: shared
//! variables, channels, and what remote references, `pc_value` and the like ask for. They change how many
//! states there are, and how many steps a run has.

mod merge;
mod reset;

pub use merge::merge_statements;
pub use reset::reset_dead_variables;

use crate::analysis::{transitions, walk, walk_transition};
use crate::expr::{Base, Expr, Op, Pattern, Place};
use crate::program::{Comm, Program};

/// Visits every expression of a program.
fn walk_program(program: &Program, visit: &mut dyn FnMut(&Expr)) {
    for process in &program.processes {
        process.provided.iter().for_each(|expr| walk(expr, visit));
        transitions(process).for_each(|transition| walk_transition(transition, visit));
    }
    program.predicates.iter().for_each(|predicate| walk(&predicate.expr, visit));
}

/// For each template and slot of its frame, whether somebody else may look at it.
fn seen_slots(program: &Program) -> Vec<Vec<bool>> {
    let mut seen: Vec<Vec<bool>> =
        program.processes.iter().map(|process| vec![false; process.frame.slots.len()]).collect();
    for (template, process) in program.processes.iter().enumerate() {
        seen[template][process.pc as usize] = true;
        process.priority.iter().for_each(|&slot| seen[template][slot as usize] = true);
    }
    let mut note = |place: &Place| {
        if let Base::Remote { process, .. } = &place.base {
            seen[process.0 as usize][place.slot as usize] = true;
        }
    };
    walk_program(program, &mut |expr| match expr {
        Expr::Load(place) => note(place),
        Expr::Poll(receive) => receive.fields.iter().for_each(|field| {
            if let Pattern::Store(place) = field {
                note(place);
            }
        }),
        _ => {}
    });
    let mut note_written = |place: &Place| note(place);
    for transition in program.processes.iter().flat_map(transitions) {
        crate::analysis::guarded_commands(transition, &mut |guarded| {
            if let Comm::Receive(receive) = &guarded.comm {
                for field in &receive.fields {
                    if let Pattern::Store(place) = field {
                        note_written(place);
                    }
                }
            }
            for op in &guarded.effect {
                if let Op::Assign(place, _) = op {
                    note_written(place);
                }
            }
        });
    }
    seen
}
