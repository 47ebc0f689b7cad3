//! Changes to a program that leave fewer states to explore.
//!
//! They keep deadlocks, failures, and every property without X of what can be seen from outside: shared
//! variables, channels, and what remote references, `pc_value` and the like ask for. They change how many
//! states there are, and how many steps a run has. Each says where the transitions of the changed program come
//! from, so that its runs can be told as runs of the original.
//!
//! For the rest of the checker a changed program is a program: no engine, search or store knows of the change. Since
//! counts change, a pass is applied only where it is asked for.

mod merge;
mod reset;

pub use merge::merge_statements;
pub use reset::reset_dead_variables;

use model::{Over, Pace};

use crate::analysis::{guarded_commands, stores, stores_of_receive, transitions, walk, walk_transition};
use crate::expr::{Base, Expr, Place};
use crate::program::Program;
use crate::provenance::Provenance;

/// A changed program, and the way back; none if there is nothing to change. Or why the change was given up.
pub type Changed = Result<Option<(Program, Provenance)>, Over>;

/// Visits every expression of a program.
fn walk_program(program: &Program, pace: &mut Pace<'_>, visit: &mut dyn FnMut(&Expr)) -> Result<(), Over> {
    for process in &program.processes {
        process.provided.iter().for_each(|expr| walk(expr, visit));
        for transition in transitions(process) {
            pace.step()?;
            walk_transition(transition, visit);
        }
    }
    program.predicates.iter().for_each(|predicate| walk(&predicate.expr, visit));
    Ok(())
}

/// For each template and slot of its frame, whether somebody else may look at it.
fn seen_slots(program: &Program, pace: &mut Pace<'_>) -> Result<Vec<Vec<bool>>, Over> {
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
    walk_program(program, pace, &mut |expr| match expr {
        Expr::Load(place) => note(place),
        Expr::Poll(receive) => stores_of_receive(receive).for_each(&mut note),
        _ => {}
    })?;
    for transition in program.processes.iter().flat_map(transitions) {
        pace.step()?;
        guarded_commands(transition, &mut |guarded| stores(guarded, &mut note));
    }
    Ok(seen)
}
