//! What the table of what is sound together says about a property of a program.

use ::check::options::Search;
use ::check::prefer::{self, Admitted};
use ::check::soundness::{Setting, Value};
use ir::Failures;
use model::Model;
use replay::Shown;
use search::Order;

use crate::Outcome;
use crate::exit::Stop;
use crate::how::Wanted;
use crate::input::Input;
use crate::properties::{Kind, Property};
use crate::temporal::Temporal;

/// Whether and how the state space is reduced for a property. `stop_after` is the number of violations that are enough.
pub fn admit(
    input: &Input,
    property: &Property,
    wanted: &Wanted,
    stop_after: Option<u64>,
) -> Outcome<Admitted> {
    let failures = Failures::of(&input.interpreter);
    let setting = setting(property, wanted, &failures)
        .with_if(Value::MayFail, failures.in_program())
        .with_if(Value::AllErrors, stop_after.is_none_or(|enough| enough > 1))
        .with_if(Value::Chains, input.is_merged);
    let setting = input.interpreter.hindrance().map_or(setting, |hindrance| setting.with(hindrance.into()));
    let watched = property.temporal.as_ref().map_or(&[][..], |temporal| &temporal.atoms);
    let search = search(property, wanted);
    prefer::reduction(setting, wanted.por, search, watched)
        .map_err(|conflict| Stop::refuse("E0013", conflict.message(&property.name)))
}

/// The search for which it is asked: another one than the one that is used where that does not suit the automaton, but
/// what it provides is provided by all that may be used instead.
fn search(property: &Property, wanted: &Wanted) -> Search {
    match &property.temporal {
        Some(_) => wanted.search.filter(|search| search.emptiness().is_some()).unwrap_or(Search::Scc),
        None => wanted.search.filter(|search| search.order().is_some()).unwrap_or(Search::Dfs),
    }
}

fn setting(property: &Property, wanted: &Wanted, failures: &Failures<'_>) -> Setting {
    let is_breadth = wanted.order == Some(Order::Breadth);
    let Some(temporal) = &property.temporal else {
        let class = match property.kind {
            Kind::Deadlock => Value::Deadlock,
            Kind::StateSpace => Value::Count,
            _ => Value::Safety,
        };
        return Setting::of(&[class]).with_if(Value::Shortest, is_breadth);
    };
    let class = if has_next(temporal) { Value::LinearX } else { Value::Linear };
    let (follows_in_vain, may_count) = match &temporal.shown {
        Shown::AcceptedBy(automaton) => {
            let follows_in_vain = !logic::has_no_dead_ends(automaton);
            (follows_in_vain, !logic::is_stutter_invariant(automaton))
        }
        Shown::Violates(_) => (false, false),
    };
    Setting::of(&[class])
        .with_fairness(wanted.fairness)
        .with_if(Value::Shortest, is_breadth)
        .with_if(Value::FollowsInVain, follows_in_vain)
        .with_if(Value::MayCount, may_count)
        .with_if(Value::AtomMayFail, temporal.atoms.iter().any(|&atom| failures.in_predicate(atom)))
}

fn has_next(temporal: &Temporal) -> bool {
    matches!(&temporal.shown, Shown::Violates(formula) if formula.has_next())
}
