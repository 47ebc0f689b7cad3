//! Does a trace show what it should?

use std::collections::HashSet;

use model::{
    Actor, Choices, End, Failure, FailureKind, Patience, Phase, Play, PredicateId, Run, RunStep, Step, Trace,
};

use crate::evidence::{Evidence, Unconfirmed};
use crate::infinite::{self, Flaw, Witness};

/// Re-executes a trace from the beginning of a run, and checks what it shows.
///
/// # Errors
/// The first step that is not possible, or the end if the evidence is not there.
pub fn replay(
    play: Result<Box<dyn Play + '_>, Failure>,
    trace: &Trace,
    evidence: &Evidence,
    patience: &Patience,
) -> Result<Run, Unconfirmed> {
    let play = match play {
        Ok(play) => play,
        Err(failure) => return failed_start(&failure, trace, evidence),
    };
    let last = trace.steps.len().saturating_sub(1);
    if let Some(lasso) = trace.lasso.filter(|lasso| lasso.start >= trace.steps.len()) {
        let message = format!("the loop starts at step {}, behind the last one", lasso.start + 1);
        return Err(Unconfirmed::at(last, message));
    }
    let run =
        Run { initial: play.variables(), loop_start: trace.lasso.map(|lasso| lasso.start), ..Run::default() };
    let witness = Witness::new(evidence, &*play);
    let mut replay =
        Replay { play, run, evidence, failures: Vec::new(), start: None, measured: None, witness };
    let mut pace = patience.pace();
    for (index, step) in trace.steps.iter().enumerate() {
        pace.steps(STEP)?;
        let is_last = index == last && trace.lasso.is_none();
        let begins_loop = trace.lasso.is_some_and(|lasso| lasso.start == index);
        replay.look(begins_loop);
        replay.step(step, is_last).map_err(|message| Unconfirmed::at(index, message))?;
    }
    let flaw = |flaw| match flaw {
        Flaw::Wrong(message) => Unconfirmed::at(last, message),
        Flaw::Unfair(message) => Unconfirmed::Unfair(crate::Mismatch { step: last, message }),
    };
    replay.check_end(trace).map_err(flaw)?;
    replay.run.standing = replay.play.standing();
    Ok(replay.run)
}

/// What a step counts beside others that are looked at with patience: it is told in words.
pub(crate) const STEP: usize = 1 << 4;

fn failed_start(failure: &Failure, trace: &Trace, evidence: &Evidence) -> Result<Run, Unconfirmed> {
    if trace.steps.is_empty() && matches!(evidence, Evidence::Failure(claimed) if same(claimed, failure)) {
        Ok(Run::default())
    } else {
        let message = format!("the initial state cannot be computed: {}", failure.detail);
        Err(Unconfirmed::at(0, message))
    }
}

/// Says that failures end a run that goes on in the trace.
pub(crate) fn run_ends(failures: &[Failure]) -> String {
    let detail = failures.last().map_or("", |last| &last.detail);
    format!("the step fails, and the run ends here: {detail}")
}

/// Whether two failures are the same apart from their wording.
fn same(a: &Failure, b: &Failure) -> bool {
    a.kind == b.kind && a.location == b.location
}

/// Whether others see the present state of a run.
pub(crate) fn is_observable(play: &dyn Play) -> bool {
    play.holder().is_none() || play.choices().observable
}

/// A state of a run to which a loop has to come back.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Place {
    state: Vec<u64>,
    /// Who holds atomicity, if the state is inside an atomic sequence.
    inside: Option<Actor>,
}

impl Place {
    pub fn of(play: &dyn Play) -> Place {
        let inside = if is_observable(play) { None } else { play.holder() };
        Place { state: play.state().to_vec(), inside }
    }
}

struct Replay<'a> {
    play: Box<dyn Play + 'a>,
    run: Run,
    evidence: &'a Evidence,
    /// What failed in the last step.
    failures: Vec<Failure>,
    /// Where the loop starts.
    start: Option<Place>,
    /// The value there of what is said to grow.
    measured: Option<i64>,
    witness: Witness,
}

impl Replay<'_> {
    /// Looks at the state before a step.
    fn look(&mut self, begins_loop: bool) {
        if begins_loop {
            self.start = Some(Place::of(&*self.play));
            if let Evidence::Grows(predicate) = self.evidence {
                self.measured = self.play.predicate(*predicate).ok();
            }
        }
        if is_observable(&*self.play) {
            self.witness.see(&*self.play, self.evidence.atoms(), self.start.is_some());
        }
    }

    fn step(&mut self, step: &Step, is_last: bool) -> Result<(), String> {
        if self.start.is_some() {
            self.witness.note(step);
        }
        if step.is_stutter() {
            return self.stutter();
        }
        self.check_possible(step, &self.play.choices_of(step.action.actor.transition))?;
        let mut told = self.play.tell(&step.action, step.phase);
        let observable = std::mem::replace(&mut told.step.step.observable, step.observable);
        self.failures = told.failures;
        self.run.steps.push(told.step);
        if is_last {
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

    fn stutter(&mut self) -> Result<(), String> {
        if !self.play.is_stuck() {
            return Err("nothing happens, although an action is enabled".to_string());
        }
        self.failures.clear();
        self.run.steps.push(RunStep::stutter());
        Ok(())
    }

    fn check_possible(&self, step: &Step, choices: &Choices) -> Result<(), String> {
        if !choices.actions.contains(&step.action) {
            let actor = step.action.actor;
            return Err(match self.play.holder() {
                Some(holder) if !is_observable(&*self.play) && holder != actor.who => {
                    format!(
                        "process {} moves while process {} is in an atomic sequence",
                        actor.who.0, holder.0
                    )
                }
                _ => format!("process {} cannot take transition {} here", actor.who.0, actor.transition),
            });
        }
        if step.phase != choices.phase {
            return Err("the step and the state disagree about `timeout`".to_string());
        }
        Ok(())
    }

    fn check_end(&mut self, trace: &Trace) -> Result<(), Flaw> {
        let evidence = self.evidence;
        let is_inside = self.start.as_ref().is_some_and(|start| start.inside.is_some());
        // An automaton may fail while the run is in an atomic sequence that it never leaves.
        let may_go_on = !evidence.is_finite() || is_inside && matches!(evidence, Evidence::Fails { .. });
        if trace.lasso.is_some() && !may_go_on {
            return Err(Flaw::Wrong("the run is infinite".to_string()));
        }
        let is_closed = self.start.as_ref().is_none_or(|start| *start == Place::of(&*self.play));
        if !is_closed && !matches!(evidence, Evidence::Grows(_)) {
            return Err(Flaw::Wrong("the loop does not lead back to its start".to_string()));
        }
        if is_inside {
            self.witness.stay().map_err(Flaw::Wrong)?;
        }
        match evidence {
            Evidence::Infinite { language, stutters, fairness, .. } => {
                self.witness.check(language, *stutters, *fairness, &*self.play)
            }
            Evidence::Run => Ok(()),
            Evidence::Grows(predicate) => self.check_growth(trace, *predicate).map_err(Flaw::Wrong),
            _ => self.check_finite(evidence).map_err(Flaw::Wrong),
        }
    }

    /// Whether a finite run shows something at its end.
    fn check_finite(&mut self, evidence: &Evidence) -> Result<(), String> {
        let play = &*self.play;
        match evidence {
            Evidence::Failure(failure) if failure.kind == FailureKind::EndlessLoop => {
                let failed = self.failures.iter().any(|found| same(found, failure));
                expect(failed || never_ends(play), "the atomic sequence can be left")
            }
            Evidence::Failure(failure) => {
                let in_step = self.failures.iter().any(|found| same(found, failure));
                let happens = in_step || predicate_fails(play, failure);
                expect(happens, &format!("the failure does not happen: {}", failure.detail))
            }
            Evidence::Stuck => {
                expect(play.is_stuck(), "an action is still enabled at the end")?;
                expect(play.end() == End::Invalid, "the end is a valid one")
            }
            Evidence::Reaches(predicate) => {
                let reached = play.predicate(*predicate).is_ok_and(|value| value != 0);
                expect(reached, "the last state is not the claimed one")
            }
            Evidence::Fails { automaton, atoms, at } => {
                let at_end = self.start.is_none().then(|| infinite::valuation(play, atoms));
                let read = self.witness.read_so_far(at_end, automaton);
                let fails = infinite::can_reach(automaton, *at, &read);
                expect(fails, "the property's automaton does not reach its end")
            }
            Evidence::Run | Evidence::Infinite { .. } | Evidence::Grows(_) => Ok(()),
        }
    }

    /// Whether the loop can be taken for ever, and a predicate is greater each time.
    fn check_growth(&self, trace: &Trace, predicate: PredicateId) -> Result<(), String> {
        let (Some(start), Some(lasso)) = (&self.start, trace.lasso) else {
            return Err("the run is not infinite".to_string());
        };
        let repeats = self.play.repeats(&start.state, &trace.steps[lasso.start..]);
        expect(repeats, "the part that should repeat for ever cannot be repeated")?;
        let grows = matches!((self.measured, self.play.predicate(predicate)), (Some(before), Ok(after)) if before < after);
        expect(grows, "the value does not grow")
    }
}

fn expect(is_so: bool, otherwise: &str) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(otherwise.to_string()) }
}

fn predicate_fails(play: &dyn Play, failure: &Failure) -> bool {
    (0..play.n_predicates()).any(|k| play.predicate(PredicateId(k)).is_err_and(|found| same(&found, failure)))
}

/// Whether an atomic sequence goes on for ever, whatever is chosen in it.
fn never_ends(play: &dyn Play) -> bool {
    let mut seen = HashSet::new();
    let mut pending = vec![play.fork()];
    while let Some(play) = pending.pop() {
        let Some(holder) = play.holder() else { return false };
        let choices = play.choices();
        if choices.observable {
            return false;
        }
        if !seen.insert((play.state().to_vec(), holder)) {
            continue;
        }
        for action in &choices.actions {
            let mut next = play.fork();
            if next.tell(action, Phase::Normal).ended {
                return false;
            }
            pending.push(next);
        }
    }
    true
}
