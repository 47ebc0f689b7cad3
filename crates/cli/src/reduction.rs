//! Whether and how the state space is reduced for a property: what the guard is asked.

use model::Model;
use reduce::{Admitted, InfiniteRuns, Question, Repetitions, Subject, Wish};
use replay::Shown;
use search::{Emptiness, Order};

use crate::Outcome;
use crate::exit::Stop;
use crate::failures::Failures;
use crate::how::Wanted;
use crate::input::Input;
use crate::properties::{Kind, Property};
use crate::temporal::Temporal;

/// Asks the guard about a property. `stop_after` is the number of violations that are enough.
pub fn admit(
    input: &Input,
    property: &Property,
    wanted: &Wanted,
    stop_after: Option<u64>,
) -> Outcome<Admitted> {
    if input.is_merged {
        admit_merging(input, property)?;
    }
    if wanted.por == Wish::None {
        return Ok(Admitted::default());
    }
    let failures = Failures::of(&input.interpreter);
    let watched = property.temporal.as_ref().map_or(&[][..], |temporal| &temporal.atoms);
    let subject = match (&property.temporal, property.kind) {
        (Some(temporal), _) => Subject::InfiniteRuns(InfiniteRuns {
            repetitions: repetitions(temporal, failures.in_program()),
            fairness: wanted.fairness,
            watched: watched.to_vec(),
            may_fail: watched.iter().any(|&atom| failures.in_predicate(atom)),
        }),
        (None, Kind::Deadlock) => Subject::Deadlock,
        (None, Kind::StateSpace) => Subject::StateSpace,
        (None, _) => Subject::Safety,
    };
    let question = Question {
        wish: wanted.por,
        property: &property.name,
        subject,
        order: match (wanted.order, wanted.emptiness) {
            (Some(Order::Breadth), _) => reduce::Order::Breadth,
            (_, Some(Emptiness::Concurrent)) => reduce::Order::Threads,
            // Infinite runs are not looked for in this order, but depth-first.
            (Some(Order::Any), _) if property.temporal.is_none() => reduce::Order::Threads,
            _ => reduce::Order::Depth,
        },
        all_errors: stop_after.is_none_or(|enough| enough > 1),
        hindrance: input.interpreter.independence(watched).err(),
        may_fail: failures.in_program(),
    };
    reduce::admit(&question).map_err(|refusal| Stop::refuse("E0013", refusal.to_string()))
}

/// Refuses a property for which it matters how often a state is repeated: merged statements hide that.
fn admit_merging(input: &Input, property: &Property) -> Outcome<()> {
    let Some(temporal) = &property.temporal else { return Ok(()) };
    let why = match repetitions(temporal, Failures::of(&input.interpreter).in_program()) {
        Repetitions::DoNotMatter => return Ok(()),
        Repetitions::Next => {
            "its formula has the operator X, and merging does not keep how often a state is repeated"
        }
        Repetitions::Followed => {
            "the automaton follows some runs that it does not accept, for as long as states are not repeated \
             too often, and a runtime error on the way would count"
        }
        Repetitions::NotShown => {
            "merging does not keep how often a state is repeated, and that this does not matter to the \
             automaton could not be shown"
        }
    };
    let message = format!("`--merge` with the property `{}`: {why}; leave --merge out", property.name);
    Err(Stop::refuse("E0013", message))
}

/// Whether it matters how often a state is repeated. A runtime error is a violation where the automaton
/// still follows the run; so if there may be one, how long that is must not depend on repetitions.
fn repetitions(temporal: &Temporal, may_fail: bool) -> Repetitions {
    match &temporal.shown {
        Shown::Violates(formula) if formula.has_next() => Repetitions::Next,
        Shown::Violates(_) => Repetitions::DoNotMatter,
        Shown::AcceptedBy(automaton) if may_fail && !logic::has_no_dead_ends(automaton) => {
            Repetitions::Followed
        }
        Shown::AcceptedBy(automaton) if logic::is_stutter_invariant(automaton) => Repetitions::DoNotMatter,
        Shown::AcceptedBy(_) => Repetitions::NotShown,
    }
}
