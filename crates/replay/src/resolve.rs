//! From a trace that was read back to steps of the model.
//!
//! The published fields of a step may fit several steps of the model; all runs that fit are followed
//! side by side, and the first that fits to the end is taken.

use model::{Action, Failure, Lasso, Patience, Play, Step, StepText, Trace};

use crate::check::{STEP, run_ends};
use crate::evidence::Unconfirmed;
use crate::json::{JsonStep, JsonTrace, Object, changes_object, variables};

/// A run that fits a trace so far, and its last step in the tree of all of them.
type Front<'a> = (Box<dyn Play + 'a>, Option<usize>);

/// A step that was taken, and the run behind it; or why it does not fit.
type Taken<'a> = Result<(Box<dyn Play + 'a>, Step), String>;

/// A step in the tree of all runs that fit so far.
struct Node {
    parent: Option<usize>,
    step: Step,
}

/// Finds the steps of the model that a trace stands for.
///
/// # Errors
/// The first step that fits nothing the model can do there.
pub fn resolve(
    play: Result<Box<dyn Play + '_>, Failure>,
    trace: &JsonTrace,
    patience: &Patience,
) -> Result<Trace, Unconfirmed> {
    let play = match play {
        Ok(play) => play,
        Err(_) if trace.steps.is_empty() => return Ok(Trace::default()),
        Err(failure) => {
            let message = format!("the initial state cannot be computed: {}", failure.detail);
            return Err(Unconfirmed::at(0, message));
        }
    };
    check_initial(trace, &variables(&play.variables()))?;
    let mut pace = patience.pace();
    let mut fronts: Vec<Front<'_>> = vec![(play, None)];
    let mut nodes: Vec<Node> = Vec::new();
    for (index, wanted) in trace.steps.iter().enumerate() {
        let last = index + 1 == trace.steps.len();
        let mut next: Vec<Front<'_>> = Vec::new();
        let mut misfit = None;
        for (play, node) in &fronts {
            pace.steps(STEP)?;
            for found in matches(&**play, wanted, last) {
                let (play, step) = match found {
                    Ok(found) => found,
                    Err(why) => {
                        misfit = Some(why);
                        continue;
                    }
                };
                let joins =
                    |(other, _): &Front<'_>| other.state() == play.state() && other.holder() == play.holder();
                if !next.iter().any(joins) {
                    nodes.push(Node { parent: *node, step });
                    next.push((play, Some(nodes.len() - 1)));
                }
            }
        }
        if next.is_empty() {
            let cannot = || format!("no enabled step is `{}` (line {})", wanted.action, wanted.line);
            return Err(Unconfirmed::at(index, misfit.unwrap_or_else(cannot)));
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
fn check_initial(trace: &JsonTrace, initial: &Object) -> Result<(), Unconfirmed> {
    let names = initial.keys().chain(trace.initial.keys());
    let differs = |name: &&String| initial.get(*name) != trace.initial.get(*name);
    match names.into_iter().find(differs) {
        Some(name) => Err(Unconfirmed::at(0, format!("`{name}` has another value initially"))),
        None => Ok(()),
    }
}

/// The steps that a step of the trace may stand for, with where they lead; or what is wrong with one
/// that is close.
fn matches<'a>(play: &(dyn Play + 'a), wanted: &JsonStep, last: bool) -> Vec<Taken<'a>> {
    let choices = wanted.transition.map_or_else(|| play.choices(), |number| play.choices_of(number));
    let mut found = Vec::new();
    for action in &choices.actions {
        let step = Step { action: *action, observable: wanted.observable, phase: choices.phase };
        let text = play.describe(&step);
        if !fits(&text, action, wanted) {
            continue;
        }
        found.push(match text.process {
            process if process != wanted.process => {
                let process = process.unwrap_or_default();
                Err(format!("process {} is of type `{process}`", text.pid))
            }
            _ => take(play, &step, wanted, last).map(|next| (next, step)),
        });
    }
    let is_nobodys = wanted.pid.is_none() && wanted.transition.is_none();
    if is_nobodys && found.iter().all(Result::is_err) {
        found.push(stutter(play, wanted));
    }
    found
}

/// A step in which nothing happens: it has no process, and nothing else.
fn stutter<'a>(play: &(dyn Play + 'a), wanted: &JsonStep) -> Taken<'a> {
    let nothing = wanted.process.is_none() && wanted.partner.is_none() && wanted.changes.is_empty();
    if !nothing || !wanted.observable {
        return Err("a step without a process does something".to_string());
    }
    if !play.is_stuck() {
        return Err("nothing happens, although an action is enabled".to_string());
    }
    Ok((play.fork(), Step::STUTTER))
}

/// Takes a step, which must have the effect that the trace says.
fn take<'a>(
    before: &(dyn Play + 'a),
    step: &Step,
    wanted: &JsonStep,
    last: bool,
) -> Result<Box<dyn Play + 'a>, String> {
    let mut play = before.fork();
    let told = play.tell(&step.action, step.phase);
    if told.ended && !last {
        return Err(run_ends(&told.failures));
    }
    // Nothing is known about the state behind a failure that ends the run. One that ends with a failure in an atomic
    // sequence need not say whether it could go on.
    let is_open = last && !told.ended && !told.failures.is_empty() && play.holder().is_some();
    let seen = if is_open { wanted.observable } else { told.ended || told.step.step.observable };
    if changes_object(&told.step.changes) != wanted.changes {
        return Err(format!("`{}` (line {}) does not make these changes", wanted.action, wanted.line));
    }
    if seen != wanted.observable {
        return Err(format!("the state behind it {} observable", if seen { "is" } else { "is not" }));
    }
    Ok(play)
}

fn fits(text: &StepText, action: &Action, wanted: &JsonStep) -> bool {
    let partner = action.partner();
    let pid = text.process.is_some().then_some(text.pid);
    wanted.pid == pid
        && wanted.partner == text.partner
        && wanted.line == text.location.line
        && wanted.action == text.action
        && wanted.transition.is_none_or(|number| number == action.actor.transition)
        && wanted.partner_transition.is_none_or(|number| partner.is_some_and(|p| p.transition == number))
}
