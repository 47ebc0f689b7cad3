//! A run of a program in progress, on the reference interpreter.

use std::collections::HashMap;

use model::{
    Action, Actor, Change, Choices, End, Failure, Model, Phase, Play, PredicateId, RunStep, Standing, Step,
    StepText, Told, Value, Variable,
};

use crate::Interpreter;

/// A state of a run, together with who holds atomicity.
#[derive(Clone)]
pub struct Player<'a> {
    interpreter: &'a Interpreter,
    state: Vec<u64>,
    holder: Option<u16>,
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

    /// The same as something that can be played.
    ///
    /// # Errors
    /// The failure that happens while the initial state is computed.
    pub fn start(interpreter: &'a Interpreter) -> Result<Box<dyn Play + 'a>, Failure> {
        Ok(Box::new(Player::new(interpreter)?))
    }

    /// Takes a step that is one of the choices. Returns the failures behind which the run goes on.
    ///
    /// # Errors
    /// The failures, the last of which ends the run; the player then stays where it is.
    fn take(&mut self, action: &Action, phase: Phase) -> Result<Vec<Failure>, Vec<Failure>> {
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
    fn fork<'s>(&self) -> Box<dyn Play + 's>
    where
        Self: 's,
    {
        Box::new(self.clone())
    }

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

    fn state(&self) -> &[u64] {
        &self.state
    }

    fn holder(&self) -> Option<Actor> {
        self.holder.map(Actor::from)
    }

    fn n_predicates(&self) -> u32 {
        self.interpreter.program().predicates.len() as u32
    }

    fn predicate(&self, predicate: PredicateId) -> Result<i64, Failure> {
        self.interpreter.predicate(predicate, &self.state)
    }

    fn variables(&self) -> Vec<Variable> {
        self.interpreter.variables(&self.state)
    }

    fn end(&self) -> End {
        self.interpreter.end(&self.state)
    }

    fn describe_end(&self) -> &'static str {
        match self.end() {
            End::Valid => "a valid end state",
            End::Invalid => "an invalid end state",
        }
    }

    fn standing(&self) -> Vec<Standing> {
        let (interpreter, program) = (self.interpreter, self.interpreter.program());
        let stand = |pid: u16| {
            let location = interpreter.location_of(&self.state, pid);
            let template = interpreter.template_of(&self.state, pid);
            Standing {
                pid,
                process: program.processes[template.0 as usize].name.clone(),
                file: program.files.get(location.source.file as usize).cloned().unwrap_or_default(),
                line: location.source.line,
                number: location.number,
                end: location.end,
                statements: location.transitions.iter().map(|transition| transition.text.clone()).collect(),
            }
        };
        (0..interpreter.n_processes(&self.state) as u16).map(stand).collect()
    }
}

/// What differs between the variables of two states, in the order of declaration.
fn changes(interpreter: &Interpreter, before: &[u64], after: &[u64]) -> Vec<Change> {
    let (before, after) = interpreter.differing_variables(before, after);
    if before.len() == after.len() && before.iter().zip(&after).all(|(b, a)| b.name == a.name) {
        // The usual case: no process comes or goes.
        return Change::between(&before, &after);
    }
    let (old, new) = (by_name(&before), by_name(&after));
    let changed = after.iter().filter(|variable| old.get(&key(variable)) != Some(&&variable.value));
    let changed = changed.map(|v| change(&v.name, old.get(&key(v)).copied(), Some(&v.value)));
    let gone = before.iter().filter(|variable| !new.contains_key(&key(variable)));
    changed.chain(gone.map(|v| change(&v.name, Some(&v.value), None))).collect()
}

fn change(name: &str, before: Option<&Value>, after: Option<&Value>) -> Change {
    Change { name: name.to_string(), before: before.cloned(), after: after.cloned() }
}

/// A channel and the variable that holds it may have the same name.
fn key(variable: &Variable) -> (&str, bool) {
    (&variable.name, matches!(variable.value, Value::Messages(_)))
}

fn by_name(list: &[Variable]) -> HashMap<(&str, bool), &Value> {
    list.iter().map(|variable| (key(variable), &variable.value)).collect()
}
