//! From a run that was lifted to one that can be replayed.

use std::collections::HashMap;

use model::{Failure, Lasso, Patience, Play, Step, Trace};

use crate::check::{Place, STEP};
use crate::evidence::Unconfirmed;

/// So often a loop is repeated until it closes.
const MOST_ROUNDS: usize = 1 << 16;

/// Executes the actions of a run that was lifted from a changed model, and sets the flags and phases of its steps as they
/// are. What comes behind a failure that ends the run is left out. A loop that does not lead back to its start, because
/// the change has made states equal that are not quite, is repeated until it does.
///
/// # Errors
/// The first step that is not possible, or the end if the loop does not close.
pub fn settle(
    play: Result<Box<dyn Play + '_>, Failure>,
    trace: &Trace,
    patience: &Patience,
) -> Result<Trace, Unconfirmed> {
    // Nothing can be settled where nothing begins.
    let Ok(mut play) = play else { return Ok(trace.clone()) };
    let mut pace = patience.pace();
    let mut settled = Trace::default();
    let (before, body) = trace.steps.split_at(trace.lasso.map_or(trace.steps.len(), |lasso| lasso.start));
    for (index, step) in before.iter().enumerate() {
        pace.steps(STEP)?;
        if take(&mut *play, index, step, &mut settled)? {
            return Ok(settled);
        }
    }
    if trace.lasso.is_none() {
        return Ok(settled);
    }
    // Where each round has begun.
    let mut rounds = HashMap::from([(Place::of(&*play), settled.steps.len())]);
    while rounds.len() <= MOST_ROUNDS {
        for (index, step) in body.iter().enumerate() {
            pace.steps(STEP)?;
            if take(&mut *play, before.len() + index, step, &mut settled)? {
                return Ok(settled);
            }
        }
        if let Some(start) = rounds.insert(Place::of(&*play), settled.steps.len()) {
            settled.lasso = Some(Lasso { start });
            return Ok(settled);
        }
    }
    Err(Unconfirmed::at(trace.steps.len().saturating_sub(1), "the loop does not lead back to its start"))
}

/// Takes a step. Says whether the run ends with it.
fn take(play: &mut dyn Play, index: usize, step: &Step, settled: &mut Trace) -> Result<bool, Unconfirmed> {
    if step.is_stutter() {
        settled.steps.push(*step);
        return Ok(false);
    }
    let choices = play.choices_of(step.action.actor.transition);
    if !choices.actions.contains(&step.action) {
        let actor = step.action.actor;
        let message = format!("process {} cannot take transition {} here", actor.who.0, actor.transition);
        return Err(Unconfirmed::at(index, message));
    }
    let told = play.tell(&step.action, choices.phase);
    settled.steps.push(told.step.step);
    Ok(told.ended)
}
