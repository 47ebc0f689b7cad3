//! Does a trace do what it claims?

use std::collections::HashSet;
use std::fmt;

use ir::Interpreter;
use logic::Automaton;
use model::{End, Failure, FailureKind, Model, Phase, PredicateId, Step, StepText, Trace};

use crate::infinite::{self, Infinite, Witness};
use crate::player::{Choices, Play, Player};
use crate::run::{Run, RunStep, standing};

/// What a trace is said to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nothing: it is a run, and that is all.
    Run,
    /// The last step fails (the initial state, if there is no step), or a predicate of the property
    /// does in the last state.
    Failure(Failure),
    /// At the end nothing can happen, and some process is not at a proper end.
    Stuck,
    /// An automaton that reads the run, up to its end, gets to a state in which it fails.
    Fails {
        /// The automaton.
        automaton: Automaton,
        /// The predicates that are its atoms.
        atoms: Vec<PredicateId>,
        /// The state.
        at: u32,
    },
    /// It goes on for ever, in a way that is wrong.
    Infinite(Infinite),
}

impl Claim {
    /// The predicates that it is about.
    fn atoms(&self) -> &[PredicateId] {
        match self {
            Claim::Fails { atoms, .. } | Claim::Infinite(Infinite { atoms, .. }) => atoms,
            Claim::Run | Claim::Failure(_) | Claim::Stuck => &[],
        }
    }
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
    let (failures, loop_state, witness) = (Vec::new(), None, Witness::default());
    let loops_inside = false;
    let mut replay = Replay { interpreter, player, run, claim, failures, loop_state, loops_inside, witness };
    for (index, step) in trace.steps.iter().enumerate() {
        let last = index + 1 == trace.steps.len();
        let mismatch = |message| Mismatch { step: index, message };
        replay.look(trace.lasso.map(|lasso| lasso.start), index).map_err(mismatch)?;
        replay.step(step, last && trace.lasso.is_none()).map_err(mismatch)?;
    }
    let end = trace.steps.len().saturating_sub(1);
    replay.check_end(trace.lasso.is_some()).map_err(|message| Mismatch { step: end, message })?;
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

/// Says that failures end a run that goes on in the trace.
pub(crate) fn run_ends(failures: &[Failure]) -> String {
    let detail = failures.last().map_or("", |last| &last.detail);
    format!("it fails, and the run ends here: {detail}")
}

/// Whether two failures are the same apart from their wording.
fn same(a: &Failure, b: &Failure) -> bool {
    a.kind == b.kind && a.location == b.location
}

struct Replay<'a> {
    interpreter: &'a Interpreter,
    player: Player<'a>,
    run: Run,
    claim: &'a Claim,
    /// What failed in the last step.
    failures: Vec<Failure>,
    /// The state in which the loop starts, and who holds atomicity there.
    loop_state: Option<(Vec<u64>, Option<u16>)>,
    /// Whether that is inside an atomic sequence, which then never ends.
    loops_inside: bool,
    witness: Witness,
}

impl Replay<'_> {
    /// Looks at the state before a step.
    fn look(&mut self, loop_start: Option<usize>, index: usize) -> Result<(), String> {
        let choices = self.player.choices();
        if loop_start == Some(index) {
            self.loop_state = Some((self.player.state().to_vec(), self.player.holder()));
            self.loops_inside = !choices.observable;
        }
        if choices.observable {
            let valuation = infinite::valuation(self.interpreter, self.claim.atoms(), self.player.state());
            self.witness.see(valuation, &choices, self.loop_state.is_some());
        }
        Ok(())
    }

    fn step(&mut self, step: &Step, last: bool) -> Result<(), String> {
        let choices = self.player.choices();
        if self.loop_state.is_some() {
            self.witness.note(step);
        }
        if step.is_stutter() {
            return self.stutter(*step, &choices);
        }
        self.check_possible(step, &choices)?;
        let mut told = self.player.tell(&step.action, step.phase);
        let observable = std::mem::replace(&mut told.step.step.observable, step.observable);
        self.failures = told.failures;
        self.run.steps.push(told.step);
        if last {
            return Ok(());
        }
        if told.ended {
            return Err(run_ends(&self.failures));
        }
        if observable != step.observable {
            let seen = if observable { "is" } else { "is not" };
            return Err(format!("the state behind it {seen} observable"));
        }
        Ok(())
    }

    fn stutter(&mut self, step: Step, choices: &Choices) -> Result<(), String> {
        if !choices.actions.is_empty() {
            return Err("nothing happens, although something can".to_string());
        }
        self.failures.clear();
        let text = StepText { action: "stutter".to_string(), ..StepText::default() };
        self.run.steps.push(RunStep { step, text, from: 0, changes: Vec::new() });
        Ok(())
    }

    fn check_possible(&self, step: &Step, choices: &Choices) -> Result<(), String> {
        if !choices.actions.contains(&step.action) {
            let action = &step.action;
            let who = action.actor.who.pid();
            return Err(match self.player.holder() {
                Some(holder) if !choices.observable && holder != who => {
                    format!("process {who} moves while process {holder} is in an atomic sequence")
                }
                _ => format!("process {who} cannot take transition {} here", action.actor.transition),
            });
        }
        if step.phase != choices.phase {
            return Err("the step and the state differ about `timeout`".to_string());
        }
        Ok(())
    }

    fn check_end(&mut self, is_infinite: bool) -> Result<(), String> {
        if let Some((state, holder)) = &self.loop_state {
            let inside = !self.player.choices().observable;
            let same_holder = !inside || *holder == self.player.holder();
            if state.as_slice() != self.player.state() || inside != self.loops_inside || !same_holder {
                return Err("the loop does not lead back to its start".to_string());
            }
        }
        if self.loops_inside {
            self.witness.stay()?;
        }
        let claim = self.claim;
        let state = self.player.state();
        match claim {
            Claim::Run => Ok(()),
            Claim::Infinite(infinite) => self.witness.check(infinite),
            _ if is_infinite => Err("the run goes on for ever".to_string()),
            Claim::Failure(failure) if failure.kind == FailureKind::EndlessLoop => {
                let failed = self.failures.iter().any(|found| same(found, failure));
                if failed || never_ends(&self.player) {
                    Ok(())
                } else {
                    Err("the atomic sequence can be left".to_string())
                }
            }
            Claim::Failure(failure) => {
                let in_step = self.failures.iter().any(|found| same(found, failure));
                if in_step || self.predicate_fails(failure) {
                    Ok(())
                } else {
                    Err(format!("the failure does not happen: {}", failure.detail))
                }
            }
            Claim::Stuck => self.check_stuck(),
            Claim::Fails { automaton, atoms, at } => {
                let mut read = std::mem::take(&mut self.witness.prefix);
                read.push(infinite::valuation(self.interpreter, atoms, state));
                if infinite::can_reach(automaton, *at, &read) {
                    Ok(())
                } else {
                    Err("the property's automaton does not reach its end".to_string())
                }
            }
        }
    }

    fn predicate_fails(&self, failure: &Failure) -> bool {
        let n_predicates = self.interpreter.program().predicates.len() as u32;
        (0..n_predicates).any(|k| {
            let value = self.interpreter.predicate(PredicateId(k), self.player.state());
            value.is_err_and(|found| same(&found, failure))
        })
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
            if next.take(action, Phase::Normal).is_err() {
                return false;
            }
            pending.push(next);
        }
    }
    true
}
