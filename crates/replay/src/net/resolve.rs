//! From a trace that was read back to firings.

use model::{Action, Actor, Lasso, Phase, Step, Trace};
use petri::{Net, TransitionId};

use crate::check::Mismatch;
use crate::json::{self, JsonStep, JsonTrace, variables};
use crate::net::{NetPlayer, stutter};
use crate::player::Play;
use crate::resolve::check_initial;

/// Finds the firings that a trace stands for.
///
/// # Errors
/// The first step that cannot happen, or does something else than the trace says.
pub fn resolve(trace: &JsonTrace, net: &Net) -> Result<Trace, Mismatch> {
    let mut player = NetPlayer::new(net);
    check_initial(trace, &variables(&player.variables()))?;
    let mut steps = Vec::new();
    for (at, wanted) in trace.steps.iter().enumerate() {
        let mismatch = |message: String| Mismatch { step: at, message };
        let cannot = || mismatch(format!("`{}` cannot happen here", wanted.action));
        let step = find(wanted, net).filter(|step| player.can_happen(step)).ok_or_else(cannot)?;
        let told = if step.is_stutter() { stutter() } else { player.tell(&step.action, Phase::Normal).step };
        // The number need not be there.
        if (JsonStep { transition: wanted.transition, ..json::step(&told) }) != *wanted {
            return Err(mismatch(format!("`{}` does something else here", wanted.action)));
        }
        steps.push(step);
    }
    Ok(Trace { steps, lasso: trace.loop_start.map(|start| Lasso { start }) })
}

/// The transition with this number, or else with this name; or else nothing happens.
fn find(wanted: &JsonStep, net: &Net) -> Option<Step> {
    let fire =
        |number: u32| Step { action: Action::solo(Actor(0), number), observable: true, phase: Phase::Normal };
    let is_named = |id: &TransitionId| net.transition(*id).name == wanted.action;
    match wanted.transition {
        Some(number) => Some(fire(number)),
        None if wanted.changes.is_empty() && wanted.action == stutter().text.action => Some(Step::STUTTER),
        None => net.transition_ids().find(is_named).map(|id| fire(id.0)),
    }
}
