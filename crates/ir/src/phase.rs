//! The phases of a program, one after the other, like the rungs of a ladder: what a later one allows happens only
//! where the earlier ones allow nothing.

use model::Phase;

use crate::Interpreter;

impl Interpreter {
    /// The phase of a state. `is_reached` tries one after the other, and says whether it is the one; the last is it
    /// in any case.
    pub fn climb(&self, mut is_reached: impl FnMut(Phase) -> bool) -> Phase {
        if is_reached(Phase::Normal) || !self.uses_timeout() {
            return Phase::Normal;
        }
        is_reached(Phase::Timeout);
        Phase::Timeout
    }

    /// The phase that a predicate sees. It may ask for `timeout` even where no process does.
    pub(crate) fn phase_seen(&self, state: &[u64]) -> Phase {
        let mut steps = Vec::new();
        self.steps(state, None, Phase::Normal, &mut steps);
        if steps.is_empty() { Phase::Timeout } else { Phase::Normal }
    }
}
