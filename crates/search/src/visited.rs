//! Which store a search has.

use model::Model;
use store::{Compact, Cut, Plain, Shared};

use crate::sample;

use crate::Options;

/// A store for searches that need nothing of a state but to have it back.
pub fn compact(model: &dyn Model, options: &Options) -> Box<dyn Shared> {
    let sample = sample::states(model);
    let cut = Cut::by_sample(sample.iter().map(Vec::as_slice));
    Box::new(Compact::new(limits(options), cut))
}

/// A store that numbers its states, from 0, in the order in which they are found.
pub fn numbered(model: &dyn Model, options: &Options) -> Box<dyn Shared> {
    let _ = model;
    Box::new(Plain::new(limits(options)))
}

fn limits(options: &Options) -> store::Limits {
    store::Limits { bytes: options.limits.memory, states: options.limits.states }
}
