//! Runs of nets, by the firing rule alone.

use logic::{Ltl, lasso};
use model::{Phase, Step, StepText, Trace};
use petri::semantics::{fire, holds, is_enabled, value};
use petri::{Fair, Formula, Net, PlaceId, Sum, TransitionId};

use crate::check::Mismatch;
use crate::player::Play;
use crate::run::{Run, RunStep};

mod player;
mod resolve;

pub use player::NetPlayer;
pub use resolve::resolve;

/// What a run of a net is said to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetClaim {
    /// That it is possible.
    Run,
    /// A predicate holds at its end.
    Reaches(Formula),
    /// It goes on for ever and does not satisfy a formula, whose atoms these are.
    Violates(Ltl<u32>, Vec<Formula>),
    /// Its loop can be repeated for ever and leads to a marking with more tokens each time, also in this sum.
    Grows(Sum),
}

/// Re-executes a run and checks what it claims.
///
/// # Errors
/// The first step that is not possible, or the end if the claim is not true there.
pub fn replay(net: &Net, trace: &Trace, claim: &NetClaim) -> Result<Run, Mismatch> {
    let start = trace.lasso.map(|lasso| lasso.start);
    let mut player = NetPlayer::new(net);
    let mut run = Run { initial: player.variables(), loop_start: start, ..Run::default() };
    let mut markings = vec![player.marking().to_vec()];
    for (at, step) in trace.steps.iter().enumerate() {
        let mismatch = |message: &str| Mismatch { step: at, message: message.to_string() };
        let can_happen = player.can_happen(step);
        run.steps.push(if !step.is_stutter() {
            if !can_happen {
                return Err(mismatch("this transition cannot fire here"));
            }
            player.tell(&step.action, Phase::Normal).step
        } else if can_happen {
            stutter()
        } else {
            return Err(mismatch("nothing happens, although something can"));
        });
        markings.push(player.marking().to_vec());
    }
    let marking = player.marking();
    let end = Mismatch { step: trace.steps.len().saturating_sub(1), message: String::new() };
    let wrong = |message: &str| Err(Mismatch { message: message.to_string(), ..end.clone() });
    if let Some(start) = start
        && (start >= trace.steps.len()
            || (markings[start] != marking && !matches!(claim, NetClaim::Grows(_))))
    {
        return wrong("the loop does not lead back to its start");
    }
    match claim {
        NetClaim::Run => {}
        NetClaim::Grows(sum) => {
            let Some(start) = start else { return wrong("the run does not go on for ever") };
            if !can_repeat(net, &trace.steps[start..], &markings[start], marking) {
                return wrong("what is said to be repeated for ever cannot be");
            }
            match (value(sum, &markings[start]), value(sum, marking)) {
                (Some(before), Some(after)) if before < after => {}
                _ => return wrong("the sum does not grow"),
            }
        }
        NetClaim::Reaches(goal) if holds(net, goal, marking) == Some(true) => {}
        NetClaim::Reaches(_) => return wrong("the last marking is not what it is said to be"),
        NetClaim::Violates(formula, atoms) => {
            let Some(start) = start else { return wrong("the run does not go on for ever") };
            let bit = |(k, atom): (usize, &Formula), marking: &[u64]| {
                u64::from(holds(net, atom, marking) == Some(true)) << k
            };
            let value =
                |marking: &Vec<u64>| atoms.iter().enumerate().map(|atom| bit(atom, marking)).sum::<u64>();
            let values: Vec<u64> = markings[..trace.steps.len()].iter().map(value).collect();
            if lasso::holds(formula, &values[..start], &values[start..]) {
                return wrong("the run does not violate the formula");
            }
        }
    }
    Ok(run)
}

/// Whether steps that lead from a marking to another can be taken there again, and so on: nothing is lost, and
/// nothing grows that forbids one of them.
fn can_repeat(net: &Net, steps: &[Step], before: &[u64], after: &[u64]) -> bool {
    let grows = |place: PlaceId| after[place.0 as usize] > before[place.0 as usize];
    let forbidden = |step: &Step| {
        let inhibitors = net.inhibitors(TransitionId(step.action.actor.transition));
        inhibitors.iter().any(|arc| grows(arc.place))
    };
    before.iter().zip(after).all(|(before, after)| before <= after)
        && !steps.iter().any(|step| step.is_stutter() || forbidden(step))
}

/// A step in which nothing happens.
fn stutter() -> RunStep {
    let text = StepText { action: "stutter".to_string(), ..StepText::default() };
    RunStep { step: Step::STUTTER, text, from: 0, changes: Vec::new() }
}

/// Whether an infinite run is fair to the transitions that want it: in its loop, a weakly fair one fires or is
/// disabled somewhere, and a strongly fair one fires or is disabled everywhere.
///
/// The run must be possible ([`replay`]). One that is finite is not fair.
pub fn is_fair(net: &Net, trace: &Trace) -> bool {
    let Some(lasso) = trace.lasso else { return false };
    let mut marking = net.initial();
    let mut seen = Vec::new();
    for (at, step) in trace.steps.iter().enumerate() {
        let fired = (!step.is_stutter()).then_some(TransitionId(step.action.actor.transition));
        if at >= lasso.start {
            seen.push((marking.clone(), fired));
        }
        if let Some(after) = fired.and_then(|transition| fire(net, transition, &marking)) {
            marking = after;
        }
    }
    net.transition_ids().all(|transition| {
        let is_enabled = |(marking, _): &(Vec<u64>, _)| is_enabled(net, transition, marking);
        let fires = seen.iter().any(|(_, fired)| *fired == Some(transition));
        fires
            || match net.transition(transition).fair {
                Fair::No => true,
                Fair::Weak => !seen.iter().all(is_enabled),
                Fair::Strong => !seen.iter().any(is_enabled),
            }
    })
}
