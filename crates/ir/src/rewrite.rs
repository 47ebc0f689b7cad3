//! The rebuilding walk, beside the reading one of `analysis::walk`.

use model::{Over, Patience};

use crate::program::{Program, Transition};

/// Where a transition begins.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The template.
    pub process: usize,
    /// The location.
    pub location: usize,
}

/// A copy of a program, each transition of which may be changed.
///
/// # Errors
/// If it takes too long.
pub fn with_transitions(
    program: &Program,
    patience: &Patience,
    mut change: impl FnMut(Origin, &mut Transition),
) -> Result<Program, Over> {
    patience.check()?;
    let mut copy = program.clone();
    let mut pace = patience.pace();
    for (process, changed) in copy.processes.iter_mut().enumerate() {
        for (location, at) in changed.locations.iter_mut().enumerate() {
            pace.steps(at.transitions.len())?;
            at.transitions.iter_mut().for_each(|transition| change(Origin { process, location }, transition));
        }
    }
    Ok(copy)
}
