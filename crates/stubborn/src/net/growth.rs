//! Nets without bounds.

use check::system::Growth;
use model::{Action, Actor, Lasso, Patience, Phase, Step, Trace};
use petri::{Net, Sum, TransitionId};

/// So many names are told of a list.
const NAMES: usize = 8;

/// A run that lets a sum grow for ever, if one is found with some effort.
pub fn find(net: &Net, sum: &Sum, effort: u64, patience: &Patience) -> Option<Growth> {
    let growth = petri::Growth::find(net, sum, effort, patience)?;
    let gains = growth.gains(net)?;
    let fired = |steps: &[TransitionId]| {
        list(steps.iter().map(|&step| net.transition(step).name.as_str()), steps.len())
    };
    let (before, repeated) = growth.run.split_at(growth.start);
    let after = if before.is_empty() { String::new() } else { format!(", after {},", fired(before)) };
    let places = list(gains.iter().map(|(place, _)| net.place(*place).name.as_str()), gains.len());
    let description = format!(
        "the net is unbounded: {} can be repeated for ever{after} with more tokens on {places} each time",
        fired(repeated)
    );
    let steps = growth.run.iter().map(step).collect();
    Some(Growth { run: Trace { steps, lasso: Some(Lasso { start: growth.start }) }, description })
}

fn step(transition: &TransitionId) -> Step {
    Step { action: Action::solo(Actor(0), transition.0), observable: true, phase: Phase::Normal }
}

fn list<'a>(names: impl Iterator<Item = &'a str>, n_names: usize) -> String {
    let told = names.take(NAMES).collect::<Vec<_>>().join(", ");
    if n_names > NAMES { format!("{told} and {} more", n_names - NAMES) } else { told }
}
