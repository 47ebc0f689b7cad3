//! Which store a search has.

use model::Model;
use store::{Bitstate, Cleary, Cut, Full, HashCompact, Limits, Numbered, Shared, Table};

use crate::{Options, Store, sample};

/// How many bits a state sets in bitstate hashing, as Spin has it.
const BITS_PER_STATE: u32 = 3;

/// A store for searches that need nothing of a state but to have it back.
///
/// # Errors
/// If there is no memory for it.
pub fn any(model: &dyn Model, options: &Options) -> Result<Box<dyn Shared>, Full> {
    Ok(match options.store {
        Store::Compressed => Box::new(Cleary::new(limits(options), cut(model, options))),
        Store::Tree => Box::new(Cleary::binary(limits(options), cut(model, options))),
        Store::Table => Box::new(Table::new(limits(options))),
        Store::HashCompact => Box::new(HashCompact::new(limits(options))),
        Store::Bitstate(bytes) => {
            if bytes > options.limits.memory {
                return Err(Full::Memory);
            }
            Box::new(Bitstate::new(bytes, BITS_PER_STATE)?)
        }
    })
}

/// A store that numbers its states, from 0, in the order in which they are found. There is but one.
pub fn numbered(model: &dyn Model, options: &Options) -> Box<dyn Shared> {
    Box::new(Numbered::new(limits(options), cut(model, options)))
}

fn cut(model: &dyn Model, options: &Options) -> Cut {
    options.cut.get_or_init(|| Cut::by_sample(sample::states(model).iter().map(Vec::as_slice))).clone()
}

fn limits(options: &Options) -> Limits {
    Limits { bytes: options.limits.memory, states: options.limits.states }
}
