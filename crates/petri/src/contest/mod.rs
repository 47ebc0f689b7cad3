//! What the [Model Checking Contest](https://mcc.lip6.fr) asks about a net: its property files, and the
//! examinations that have none.

mod build;
mod read;
#[cfg(test)]
mod tests;

pub use read::read_properties;

use crate::formula::{Property, Question};

/// The examinations that have a property file, named like them: `UpperBounds.xml`.
pub const WITH_FILE: [&str; 7] = [
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "CTLCardinality",
    "CTLFireability",
    "LTLCardinality",
    "LTLFireability",
    "UpperBounds",
];

/// The property of an examination that asks the same of each net, under the name that answers give it.
///
/// ```
/// use petri::{Question, contest};
///
/// assert_eq!(contest::global_property("OneSafe").unwrap().question, Question::OneSafe);
/// assert_eq!(contest::global_property("UpperBounds"), None);
/// ```
pub fn global_property(examination: &str) -> Option<Property> {
    let question = match examination {
        "StateSpace" => Question::StateSpace,
        "ReachabilityDeadlock" => Question::Deadlock,
        "OneSafe" => Question::OneSafe,
        "StableMarking" => Question::StableMarking,
        "QuasiLiveness" => Question::QuasiLiveness,
        "Liveness" => Question::Liveness,
        _ => return None,
    };
    Some(Property { name: examination.to_owned(), question })
}
