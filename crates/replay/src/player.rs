//! A run in progress: which steps are possible, and taking one.

use ir::Interpreter;
use model::{Action, End, Failure, Model, Phase, Step, StepText, Variable};

use crate::run::{RunStep, Standing, changes, standing};

/// A run in progress, of a program or of a net.
pub trait Play: Clone {
    /// What can happen.
    fn choices(&self) -> Choices;

    /// Takes a step that is one of the choices, and tells what happens.
    fn tell(&mut self, action: &Action, phase: Phase) -> Told;

    /// A step that can be taken here, in words.
    fn describe(&self, step: &Step) -> StepText;

    /// The values here.
    fn variables(&self) -> Vec<Variable>;

    /// What is here, if nothing can happen.
    fn end(&self) -> &'static str;

    /// Where the processes stand.
    fn standing(&self) -> Vec<Standing>;
}

/// A state of a run, together with who holds atomicity.
#[derive(Clone)]
pub struct Player<'a> {
    interpreter: &'a Interpreter,
    state: Vec<u64>,
    holder: Option<u16>,
}

/// The steps that are possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The steps, in the model's order.
    pub actions: Vec<Action>,
    /// The phase in which they are possible.
    pub phase: Phase,
    /// False if they continue an atomic chain, in the middle of which nobody else can move.
    pub observable: bool,
}

/// A step that was taken, told for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The step.
    pub step: RunStep,
    /// What failed in it.
    pub failures: Vec<Failure>,
    /// True if the run ends with the last failure; the player then stays where it is.
    pub ended: bool,
}

impl<'a> Player<'a> {
    /// Starts in the initial state.
    ///
    /// # Errors
    /// The failure that happens while the initial state is computed.
    pub fn new(interpreter: &'a Interpreter) -> Result<Player<'a>, Failure> {
        let mut state = Vec::new();
        interpreter.initial(&mut state)?;
        Ok(Player { interpreter, state, holder: None })
    }

    /// The present state.
    pub fn state(&self) -> &[u64] {
        &self.state
    }

    /// The process that holds atomicity, if one does.
    pub fn holder(&self) -> Option<u16> {
        self.holder
    }

    /// Takes a step that is one of the choices. Returns the failures behind which the run goes on.
    ///
    /// # Errors
    /// The failures, the last of which ends the run; the player then stays where it is.
    pub fn take(&mut self, action: &Action, phase: Phase) -> Result<Vec<Failure>, Vec<Failure>> {
        let mut failures = Vec::new();
        let mut state = self.state.clone();
        match self.interpreter.execute(&mut state, action, phase, &mut failures) {
            Ok(holder) => (self.state, self.holder) = (state, holder),
            Err(last) => {
                failures.push(last);
                return Err(failures);
            }
        }
        Ok(failures)
    }
}

impl Play for Player<'_> {
    /// What can happen. A process that holds atomicity is the only one to move as long as it can.
    fn choices(&self) -> Choices {
        let mut actions = Vec::new();
        if self.holder.is_some() {
            self.interpreter.steps(&self.state, self.holder, Phase::Normal, &mut actions);
            if !actions.is_empty() {
                return Choices { actions, phase: Phase::Normal, observable: false };
            }
        }
        let phase = self.interpreter.climb(|phase| {
            self.interpreter.steps(&self.state, None, phase, &mut actions);
            !actions.is_empty()
        });
        Choices { actions, phase, observable: true }
    }

    fn tell(&mut self, action: &Action, phase: Phase) -> Told {
        let mut step = Step { action: *action, observable: true, phase };
        let text = self.describe(&step);
        let from = self.interpreter.location_of(&self.state, action.actor.who.pid()).number;
        let before = self.state.clone();
        match self.take(action, phase) {
            Ok(failures) => {
                step.observable = self.holder.is_none() || self.choices().observable;
                let changes = changes(self.interpreter, &before, &self.state);
                Told { step: RunStep { step, text, from, changes }, failures, ended: false }
            }
            Err(failures) => {
                let step = RunStep { step, text, from, changes: Vec::new() };
                Told { step, failures, ended: true }
            }
        }
    }

    fn describe(&self, step: &Step) -> StepText {
        self.interpreter.describe(step, &self.state)
    }

    fn variables(&self) -> Vec<Variable> {
        self.interpreter.variables(&self.state)
    }

    fn end(&self) -> &'static str {
        match self.interpreter.end(&self.state) {
            End::Valid => "a valid end state",
            End::Invalid => "an invalid end state",
        }
    }

    fn standing(&self) -> Vec<Standing> {
        standing(self.interpreter, &self.state)
    }
}
