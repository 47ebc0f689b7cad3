//! What is known about a program without running it.

mod channels;
mod failures;
mod walk;

use crate::expr::Expr;
use crate::program::Program;

pub use channels::{ChannelSets, Denoted};
pub use failures::{Failures, Known, may_fail};
pub use walk::{
    guarded_commands, runs, stores, stores_of_receive, target, transitions, walk, walk_transition,
};

/// Whether any guard or effect asks for `timeout`.
pub fn uses_timeout(program: &Program) -> bool {
    let mut found = false;
    let mut visit = |expr: &Expr| found |= matches!(expr, Expr::Timeout);
    for process in &program.processes {
        process.provided.iter().for_each(|expr| walk(expr, &mut visit));
        transitions(process).for_each(|transition| walk_transition(transition, &mut visit));
    }
    found
}

impl Expr {
    /// Whether it depends on `timeout`, given whether a process does.
    pub(crate) fn depends_on_timeout(&self, a_process_does: bool) -> bool {
        self.contains(&|expr| match expr {
            Expr::Timeout => true,
            Expr::Enabled(_) => a_process_does,
            _ => false,
        })
    }

    fn contains(&self, is_wanted: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        walk(self, &mut |expr| found |= is_wanted(expr));
        found
    }
}
