//! What is known about a program without running it.

mod channels;
mod failures;
mod walk;

use crate::expr::{BinaryOp, Expr, Place};
use crate::program::Program;

pub use channels::{ChannelSets, Denoted};
pub use failures::Failures;
pub use walk::{guarded_commands, transitions, walk, walk_transition};

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

    /// Whether there may be a state in which it has no value. True if in doubt.
    pub fn may_fail(&self) -> bool {
        self.contains(&|expr| match expr {
            Expr::Load(place) => has_open_index(place),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, divisor) => {
                !matches!(divisor.as_ref(), Expr::Const(value) if *value != 0)
            }
            Expr::Channel(..) | Expr::Poll(_) | Expr::Enabled(_) => true,
            _ => false,
        })
    }

    fn contains(&self, is_wanted: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        walk(self, &mut |expr| found |= is_wanted(expr));
        found
    }
}

/// Whether an index is not known, or known to be out of range.
fn has_open_index(place: &Place) -> bool {
    let in_range = |(index, &(len, _)): (&Expr, &(u32, u32))| match index {
        Expr::Const(k) => u32::try_from(*k).is_ok_and(|k| k < len),
        _ => false,
    };
    !place.indices.iter().zip(&place.dims).all(in_range)
}
