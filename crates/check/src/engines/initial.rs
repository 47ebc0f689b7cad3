//! Questions about the initial state alone.

use logic::Formula;
use model::{Failure, Play, PredicateId};
use replay::Evidence;

use super::explore::truth;
use super::{Context, Found, Shown};
use crate::answer::{Answer, Outcome, Reason};
use crate::question::Property;

/// Answers a question by looking at the initial state.
pub(crate) fn answer(context: &Context<'_>, property: &Property, formula: &Formula<PredicateId>) -> Found {
    let looked = context.system.play().and_then(|play| holds(formula, &*play));
    match looked {
        Ok(holds) => Answer { complete: true, ..context.looked(truth(property, holds)) }.into(),
        Err(failure) => match context.no_answer(&failure) {
            Some(undecided) => context.undecided(undecided).into(),
            None => {
                let reason = Reason::Found(search::Reason::of(failure.kind));
                let (trace, evidence) = (model::Trace::default(), Evidence::Failure(failure));
                let shown = Shown { trace, evidence, stage: None };
                Found { answer: context.looked(Outcome::Violated(reason)), shown: Some(shown) }
            }
        },
    }
}

/// Whether a formula without temporal operators holds in a state.
fn holds(formula: &Formula<PredicateId>, play: &dyn Play) -> Result<bool, Failure> {
    Ok(match formula {
        Formula::Constant(value) => *value,
        Formula::Atom(atom) => play.predicate(*atom)? != 0,
        Formula::Not(operand) => !holds(operand, play)?,
        Formula::And(operands) => {
            for operand in operands {
                if !holds(operand, play)? {
                    return Ok(false);
                }
            }
            true
        }
        Formula::Or(operands) => {
            for operand in operands {
                if holds(operand, play)? {
                    return Ok(true);
                }
            }
            false
        }
        _ => unreachable!("a predicate has no temporal operators"),
    })
}
