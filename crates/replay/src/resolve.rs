//! From a trace that was read back to steps of the model.
//!
//! The published fields of a step may fit several steps of the model; all runs that fit are followed
//! side by side, and the first that fits to the end is taken.

use ir::Interpreter;
use model::{Action, Lasso, Model, Phase, Step, Trace};

use crate::check::{Mismatch, run_ends};
use crate::json::{JsonStep, JsonTrace, Object, changes_object, variables};
use crate::player::{Play, Player};
use crate::run::changes;

/// Finds the steps of the model that a trace stands for.
///
/// # Errors
/// The first step that fits nothing the model can do there.
pub fn resolve(trace: &JsonTrace, interpreter: &Interpreter) -> Result<Trace, Mismatch> {
    let player = match Player::new(interpreter) {
        Ok(player) => player,
        Err(_) if trace.steps.is_empty() => return Ok(Trace::default()),
        Err(failure) => {
            let message = format!("the initial state cannot be computed: {}", failure.detail);
            return Err(Mismatch { step: 0, message });
        }
    };
    check_initial(trace, &variables(&interpreter.variables(player.state())))?;
    let mut fronts = vec![(player, None)];
    let mut nodes: Vec<Node> = Vec::new();
    for (index, wanted) in trace.steps.iter().enumerate() {
        let last = index + 1 == trace.steps.len();
        let mut next: Vec<(Player<'_>, Option<usize>)> = Vec::new();
        let mut misfit = None;
        for (player, node) in &fronts {
            let fitting = matches(interpreter, player, wanted, last);
            for found in fitting {
                let (player, step) = match found {
                    Ok(found) => found,
                    Err(why) => {
                        misfit = Some(why);
                        continue;
                    }
                };
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
            let cannot = || format!("the model cannot do `{}` (line {}) here", wanted.action, wanted.line);
            return Err(Mismatch { step: index, message: misfit.unwrap_or_else(cannot) });
        }
        fronts = next;
    }
    let end = fronts.first().and_then(|(_, node)| *node);
    let way = std::iter::successors(end, |&node| nodes[node].parent);
    let mut steps: Vec<Step> = way.map(|node| nodes[node].step).collect();
    steps.reverse();
    Ok(Trace { steps, lasso: trace.loop_start.map(|start| Lasso { start }) })
}

/// The initial values must be those of the model.
pub(crate) fn check_initial(trace: &JsonTrace, initial: &Object) -> Result<(), Mismatch> {
    let names = initial.keys().chain(trace.initial.keys());
    let differs = |name: &&String| initial.get(*name) != trace.initial.get(*name);
    match names.into_iter().find(differs) {
        Some(name) => {
            let message = format!("`{name}` has another value initially");
            Err(Mismatch { step: 0, message })
        }
        None => Ok(()),
    }
}

/// A step in the tree of all runs that fit so far.
struct Node {
    parent: Option<usize>,
    step: Step,
}

/// The steps that a step of the trace may stand for, with where they lead; or what is wrong with one
/// that is close.
fn matches<'a>(
    interpreter: &Interpreter,
    player: &Player<'a>,
    wanted: &JsonStep,
    last: bool,
) -> Vec<Result<(Player<'a>, Step), String>> {
    let Some(pid) = wanted.pid else { return vec![stutter(player, wanted)] };
    let choices = player.choices();
    let actions = choices.actions.iter().filter(|action| fits(interpreter, action, wanted));
    let found = actions.map(|action| {
        let template = interpreter.template_of(player.state(), pid);
        let process = &interpreter.program().processes[template.0 as usize].name;
        if wanted.process.as_ref() != Some(process) {
            return Err(format!("process {pid} is of type `{process}`"));
        }
        let next = take(interpreter, player, action, choices.phase, wanted, last)?;
        Ok((next, Step { action: *action, observable: wanted.observable, phase: choices.phase }))
    });
    found.collect()
}

/// A step in which nothing happens: it has no process, and nothing else.
fn stutter<'a>(player: &Player<'a>, wanted: &JsonStep) -> Result<(Player<'a>, Step), String> {
    let nothing = wanted.process.is_none() && wanted.partner.is_none() && wanted.changes.is_empty();
    if !nothing || !wanted.observable {
        return Err("a step without a process does something".to_string());
    }
    if !player.choices().actions.is_empty() {
        return Err("nothing happens, although something can".to_string());
    }
    Ok((player.clone(), Step::STUTTER))
}

/// Takes a step, which must have the effect that the trace says.
fn take<'a>(
    interpreter: &Interpreter,
    before: &Player<'a>,
    action: &Action,
    phase: Phase,
    wanted: &JsonStep,
    last: bool,
) -> Result<Player<'a>, String> {
    let mut player = before.clone();
    let (changed, seen) = match player.take(action, phase) {
        Ok(failures) => {
            let changed = changes_object(&changes(interpreter, before.state(), player.state()));
            let seen = player.holder().is_none() || player.choices().observable;
            // A run that ends with a failure in an atomic sequence need not say whether it could go on.
            let open = last && !failures.is_empty() && player.holder().is_some();
            (changed, if open { wanted.observable } else { seen })
        }
        // Nothing is known about the state behind a failure that ends the run.
        Err(_) if last => (Object::new(), true),
        Err(failures) => return Err(run_ends(&failures)),
    };
    if changed != wanted.changes {
        return Err(format!("`{}` (line {}) does not make these changes", wanted.action, wanted.line));
    }
    if seen != wanted.observable {
        return Err(format!("the state behind it {} observable", if seen { "is" } else { "is not" }));
    }
    Ok(player)
}

fn fits(interpreter: &Interpreter, action: &Action, wanted: &JsonStep) -> bool {
    let transition = interpreter.transition(action.actor.transition);
    let partner = action.partner();
    wanted.pid == Some(action.actor.who.pid())
        && wanted.partner == partner.map(|partner| partner.who.pid())
        && wanted.line == transition.source.line
        && wanted.action == transition.text
        && wanted.transition.is_none_or(|number| number == action.actor.transition)
        && wanted.partner_transition.is_none_or(|number| partner.is_some_and(|p| p.transition == number))
}
