//! Refusals: a question cannot be answered with the options that the user has named.

use crate::options::{Search, Store};
use crate::prefer::Conflict;
use crate::soundness::Need;

/// Why a question is not answered as the user wants it.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// What was named does not go together.
    Conflict {
        /// The name of the property.
        property: String,
        /// What does not go together with what.
        conflict: Conflict,
    },
    /// A search looks for one state, and more is asked.
    SeeksOne {
        /// The name of the property.
        property: String,
        /// The search.
        search: Search,
    },
    /// It is not known of single actors if they have ended.
    NoEnds {
        /// The name of the property.
        property: String,
    },
    /// A store keeps no states, and a search has to look them up again.
    KeepsNothing {
        /// The name of the property.
        property: String,
        /// The store.
        store: Store,
        /// The search.
        search: Search,
    },
}

impl Refusal {
    /// Its code, as `docs/errors.md` lists it.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Conflict { conflict: Conflict::Lacking { need: Need::Fair(_), .. }, .. } => "E0001",
            Refusal::Conflict { .. } => "E0013",
            Refusal::SeeksOne { .. } | Refusal::KeepsNothing { .. } | Refusal::NoEnds { .. } => "E0001",
        }
    }

    /// What is wrong, and what to do instead.
    pub fn message(&self) -> String {
        match self {
            Refusal::Conflict { property, conflict } => conflict.message(property),
            Refusal::SeeksOne { property, search } => format!(
                "`--search {search}` looks for a single state, and `{property}` needs more; it suits --deadlock, --reach, \
                 --invariant and formulas of the forms EF and AG"
            ),
            Refusal::NoEnds { property } => {
                format!("`{property}`: the model does not say which of its processes have ended")
            }
            Refusal::KeepsNothing { property, store, search } => format!(
                "`--store {store}` with `--search {search}` for the property `{property}`: it does not keep the states, and this \
                 search looks them up again; use `--search reach`"
            ),
        }
    }
}
