//! From a trace that was read back to steps of the model.
//!
//! The published fields of a step may fit several steps of the model; all runs that fit are followed
//! side by side, and the first that fits to the end is taken.

use ir::Interpreter;
use model::{Action, Lasso, Step, Trace};

use crate::check::Mismatch;
use crate::json::{JsonStep, JsonTrace, changes_object};
use crate::player::Player;
use crate::run::changes;

/// Finds the steps of the model that a trace stands for.
///
/// # Errors
/// The first step that fits nothing the model can do there.
pub fn resolve(trace: &JsonTrace, interpreter: &Interpreter) -> Result<Trace, Mismatch> {
    let Ok(player) = Player::new(interpreter) else { return Ok(Trace::default()) };
    let mut fronts = vec![(player, None)];
    let mut nodes: Vec<Node> = Vec::new();
    for (index, wanted) in trace.steps.iter().enumerate() {
        let last = index + 1 == trace.steps.len();
        let mut next: Vec<(Player<'_>, Option<usize>)> = Vec::new();
        for (player, node) in &fronts {
            for (player, step) in matches(interpreter, player, wanted, last) {
                let joins = |(other, _): &(Player<'_>, _)| {
                    other.state() == player.state() && other.holder() == player.holder()
                };
                if !next.iter().any(joins) {
                    nodes.push(Node { parent: *node, step });
                    next.push((player, Some(nodes.len() - 1)));
                }
            }
        }
        if next.is_empty() {
            let message = format!("the model cannot do `{}` (line {}) here", wanted.action, wanted.line);
            return Err(Mismatch { step: index, message });
        }
        fronts = next;
    }
    let end = fronts.first().and_then(|(_, node)| *node);
    let way = std::iter::successors(end, |&node| nodes[node].parent);
    let mut steps: Vec<Step> = way.map(|node| nodes[node].step).collect();
    steps.reverse();
    Ok(Trace { steps, lasso: trace.loop_start.map(|start| Lasso { start }) })
}

/// A step in the tree of all runs that fit so far.
struct Node {
    parent: Option<usize>,
    step: Step,
}

/// The steps that a step of the trace may stand for, with where they lead.
fn matches<'a>(
    interpreter: &Interpreter,
    player: &Player<'a>,
    wanted: &JsonStep,
    last: bool,
) -> Vec<(Player<'a>, Step)> {
    let choices = player.choices();
    let before = player.state();
    let mut found = Vec::new();
    for action in choices.actions.iter().filter(|action| fits(interpreter, action, wanted)) {
        let mut player = player.clone();
        let fits = match player.take(action, choices.timeout) {
            Ok(_) => changes_object(&changes(interpreter, before, player.state())) == wanted.changes,
            // Nothing is known about the state behind a failure that ends the run.
            Err(_) => last,
        };
        if fits {
            let step = Step { action: *action, observable: wanted.observable, timeout: choices.timeout };
            found.push((player, step));
        }
    }
    found
}

fn fits(interpreter: &Interpreter, action: &Action, wanted: &JsonStep) -> bool {
    let transition = interpreter.transition(action.actor.transition);
    let partner = action.partner();
    wanted.pid == Some(action.actor.process)
        && wanted.partner == partner.map(|partner| partner.process)
        && wanted.line == transition.source.line
        && wanted.action == transition.text
        && wanted.transition.is_none_or(|number| number == action.actor.transition)
        && wanted.partner_transition.is_none_or(|number| partner.is_some_and(|p| p.transition == number))
}
