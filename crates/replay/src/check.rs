//! Does a trace do what it claims?

use std::collections::HashSet;
use std::fmt;

use ir::Interpreter;
use model::{End, Failure, FailureKind, Model, Step, Trace};

use crate::player::{Choices, Player};
use crate::run::{Run, standing};

/// What a trace is said to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nothing: it is a run, and that is all.
    Run,
    /// The last step fails (the initial state, if there is no step).
    Failure(Failure),
    /// At the end nothing can happen, and some process is not at a proper end.
    Stuck,
}

/// Why a trace does not replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The step, from 0.
    pub step: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step + 1, self.message)
    }
}

impl std::error::Error for Mismatch {}

/// Re-executes a trace and checks what it claims.
///
/// # Errors
/// The first step that is not possible, or the end if the claim is not true there.
pub fn replay(interpreter: &Interpreter, trace: &Trace, claim: &Claim) -> Result<Run, Mismatch> {
    let player = match Player::new(interpreter) {
        Ok(player) => player,
        Err(failure) => return failed_start(&failure, trace, claim),
    };
    if let Some(lasso) = trace.lasso.filter(|lasso| lasso.start >= trace.steps.len()) {
        let message = format!("the loop starts at step {}, behind the last one", lasso.start + 1);
        return Err(Mismatch { step: trace.steps.len().saturating_sub(1), message });
    }
    let initial = interpreter.variables(player.state());
    let run = Run { initial, loop_start: trace.lasso.map(|lasso| lasso.start), ..Run::default() };
    let mut replay = Replay { interpreter, player, run, failures: Vec::new(), loop_state: None };
    for (index, step) in trace.steps.iter().enumerate() {
        let last = index + 1 == trace.steps.len();
        if trace.lasso.is_some_and(|lasso| lasso.start == index) {
            replay.loop_state = Some(replay.player.state().to_vec());
        }
        replay.step(step, last).map_err(|message| Mismatch { step: index, message })?;
    }
    let end = trace.steps.len().saturating_sub(1);
    replay.check_end(claim).map_err(|message| Mismatch { step: end, message })?;
    replay.run.standing = standing(interpreter, replay.player.state());
    Ok(replay.run)
}

fn failed_start(failure: &Failure, trace: &Trace, claim: &Claim) -> Result<Run, Mismatch> {
    if trace.steps.is_empty() && matches!(claim, Claim::Failure(claimed) if same(claimed, failure)) {
        Ok(Run::default())
    } else {
        let message = format!("the initial state cannot be computed: {}", failure.detail);
        Err(Mismatch { step: 0, message })
    }
}

/// Whether two failures are the same apart from their wording.
fn same(a: &Failure, b: &Failure) -> bool {
    a.kind == b.kind && a.location == b.location
}

struct Replay<'a> {
    interpreter: &'a Interpreter,
    player: Player<'a>,
    run: Run,
    /// What failed in the last step.
    failures: Vec<Failure>,
    /// The state in which the loop starts.
    loop_state: Option<Vec<u64>>,
}

impl Replay<'_> {
    fn step(&mut self, step: &Step, last: bool) -> Result<(), String> {
        let choices = self.player.choices();
        self.check_possible(step, &choices)?;
        let mut told = self.player.tell(&step.action, step.timeout);
        let observable = std::mem::replace(&mut told.step.step.observable, step.observable);
        self.failures = told.failures;
        self.run.steps.push(told.step);
        if last {
            return Ok(());
        }
        if told.ended {
            return Err(format!("it fails, and the run ends here: {}", self.failures[0].detail));
        }
        if observable != step.observable {
            let seen = if observable { "is" } else { "is not" };
            return Err(format!("the state behind it {seen} observable"));
        }
        Ok(())
    }

    fn check_possible(&self, step: &Step, choices: &Choices) -> Result<(), String> {
        if !choices.actions.contains(&step.action) {
            let action = &step.action;
            let who = action.actor.process;
            return Err(match self.player.holder() {
                Some(holder) if !choices.observable && holder != who => {
                    format!("process {who} moves while process {holder} is in an atomic sequence")
                }
                _ => format!("process {who} cannot take transition {} here", action.actor.transition),
            });
        }
        if step.timeout != choices.timeout {
            return Err("the step and the state differ about `timeout`".to_string());
        }
        Ok(())
    }

    fn check_end(&self, claim: &Claim) -> Result<(), String> {
        if let Some(state) = &self.loop_state
            && state.as_slice() != self.player.state()
        {
            return Err("the loop does not lead back to its start".to_string());
        }
        match claim {
            Claim::Run => Ok(()),
            Claim::Failure(failure) if failure.kind == FailureKind::EndlessLoop => {
                let failed = self.failures.iter().any(|found| same(found, failure));
                if failed || never_ends(&self.player) {
                    Ok(())
                } else {
                    Err("the atomic sequence can be left".to_string())
                }
            }
            Claim::Failure(failure) => {
                if self.failures.iter().any(|found| same(found, failure)) {
                    Ok(())
                } else {
                    Err(format!("the failure does not happen: {}", failure.detail))
                }
            }
            Claim::Stuck => self.check_stuck(),
        }
    }

    fn check_stuck(&self) -> Result<(), String> {
        if !self.player.choices().actions.is_empty() {
            return Err("something can still happen at the end".to_string());
        }
        match self.interpreter.end(self.player.state()) {
            End::Invalid => Ok(()),
            End::Valid => Err("the end is a valid one".to_string()),
        }
    }
}

/// Whether an atomic sequence goes on for ever, whatever is chosen in it.
fn never_ends(player: &Player<'_>) -> bool {
    let mut seen = HashSet::new();
    let mut pending = vec![player.clone()];
    while let Some(player) = pending.pop() {
        let Some(holder) = player.holder() else { return false };
        let choices = player.choices();
        if choices.observable {
            return false;
        }
        if !seen.insert((player.state().to_vec(), holder)) {
            continue;
        }
        for action in &choices.actions {
            let mut next = player.clone();
            if next.take(action, false).is_err() {
                return false;
            }
            pending.push(next);
        }
    }
    true
}
