//! What is known about a program without running it.

mod access;
mod channels;
mod facts;
mod walk;

use crate::expr::Expr;
use crate::program::Program;

pub use facts::facts;

/// Whether any guard or effect asks for `timeout`.
pub fn uses_timeout(program: &Program) -> bool {
    let mut found = false;
    let mut visit = |expr: &Expr| found |= matches!(expr, Expr::Timeout);
    for process in &program.processes {
        process.provided.iter().for_each(|expr| walk::walk(expr, &mut visit));
        walk::transitions(process).for_each(|transition| walk::walk_transition(transition, &mut visit));
    }
    found
}
