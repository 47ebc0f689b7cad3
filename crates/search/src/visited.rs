//! Which store a search has.

use model::Model;
use store::{Plain, Shared};

use crate::Options;

/// A store for searches that need nothing of a state but to have it back.
pub fn compact(model: &dyn Model, options: &Options) -> Box<dyn Shared> {
    numbered(model, options)
}

/// A store that numbers its states, from 0, in the order in which they are found.
pub fn numbered(model: &dyn Model, options: &Options) -> Box<dyn Shared> {
    let _ = model;
    let limits = store::Limits { bytes: options.limits.memory, states: options.limits.states };
    Box::new(Plain::new(limits))
}
