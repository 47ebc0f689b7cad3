//! Nets without bounds: what is found out about them, and said.

use std::sync::Arc;

use model::{Action, Actor, Lasso, Phase, PredicateId, Step, Trace};
use petri::{Growth, Net, NetModel, NetOptions, Predicate, Sum, TransitionId};
use replay::net::NetClaim;
use report::{Counts, Method};

use crate::Outcome;
use crate::how;

use super::answers::{Answer, Decided, Shown};
use super::check::replayed;

/// How many numbers of tokens are looked at before a bound is computed: some hundredths of a second …
const BEFORE: u64 = 1 << 22;
/// … and when a search has come to no end.
const AFTERWARDS: u64 = 1 << 24;

/// So many names are told of a list.
const NAMES: usize = 8;

/// The answer to the question how great a sum becomes, if it is soon seen to have no bound.
pub fn decide(net: &Arc<Net>, sum: &Sum) -> Option<Decided> {
    let (growth, note) = find(net, sum, BEFORE)?;
    let method = Method { search: "walk".to_string(), engine: "net".to_string(), ..how::method() };
    Some(Decided {
        answer: Answer::Unbounded(shown(&growth, sum)),
        counts: Counts::default(),
        method,
        complete: false,
        notes: vec![note],
    })
}

/// What there is to say about a net of which a search has found no end: that it is unbounded, if that is so.
pub fn hint(net: &Arc<Net>) -> Outcome<Option<String>> {
    let sum = Sum::of_all(net);
    let Some((growth, note)) = find(net, &sum, AFTERWARDS) else { return Ok(None) };
    replayed(net, &shown(&growth, &sum))?;
    Ok(Some(note))
}

/// A run that lets a sum grow for ever, and its description.
fn find(net: &Arc<Net>, sum: &Sum, effort: u64) -> Option<(Growth, String)> {
    let model = NetModel::new(net.clone(), vec![Predicate::Value(sum.clone())], NetOptions::default());
    if model.is_ok_and(|model| model.at_most(PredicateId(0)).is_some()) {
        return None;
    }
    let growth = Growth::find(net, sum, effort)?;
    let gains = growth.gains(net)?;
    let fired = |steps: &[TransitionId]| {
        list(steps.iter().map(|&step| net.transition(step).name.as_str()), steps.len())
    };
    let (before, repeated) = growth.run.split_at(growth.start);
    let after = if before.is_empty() { String::new() } else { format!(", after {},", fired(before)) };
    let places = list(gains.iter().map(|(place, _)| net.place(*place).name.as_str()), gains.len());
    let note = format!(
        "the net is unbounded: {} can be repeated for ever{after} with more tokens on {places} each time",
        fired(repeated)
    );
    Some((growth, note))
}

fn list<'a>(names: impl Iterator<Item = &'a str>, n_names: usize) -> String {
    let told = names.take(NAMES).collect::<Vec<_>>().join(", ");
    if n_names > NAMES { format!("{told} and {} more", n_names - NAMES) } else { told }
}

fn shown(growth: &Growth, sum: &Sum) -> Shown {
    let step = |transition: &TransitionId| Step {
        action: Action::solo(Actor(0), transition.0),
        observable: true,
        phase: Phase::Normal,
    };
    let steps = growth.run.iter().map(step).collect();
    let trace = Trace { steps, lasso: Some(Lasso { start: growth.start }) };
    Shown { trace, claim: NetClaim::Grows(sum.clone()) }
}
