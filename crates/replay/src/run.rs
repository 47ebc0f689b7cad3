//! A run as people read it: plain data for reports.

use std::collections::HashMap;

use ir::Interpreter;
use model::{Step, StepText, Value, Variable};

/// A run, told step by step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The variables of the initial state.
    pub initial: Vec<Variable>,
    /// The steps.
    pub steps: Vec<RunStep>,
    /// Index of the first step of the loop, if the run is infinite.
    pub loop_start: Option<usize>,
    /// Where the processes stand at the end, by pid.
    pub standing: Vec<Standing>,
}

/// Where a process stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The process.
    pub pid: u16,
    /// Its type.
    pub process: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The number of its control location.
    pub number: u32,
    /// True if it may stay there for ever.
    pub end: bool,
    /// The statements that it may execute there, if they are executable.
    pub statements: Vec<String>,
}

/// Where the processes of a state stand.
pub fn standing(interpreter: &Interpreter, state: &[u64]) -> Vec<Standing> {
    let program = interpreter.program();
    let stand = |pid: u16| {
        let location = interpreter.location_of(state, pid);
        Standing {
            pid,
            process: program.processes[interpreter.template_of(state, pid).0 as usize].name.clone(),
            file: program.files.get(location.source.file as usize).cloned().unwrap_or_default(),
            line: location.source.line,
            number: location.number,
            end: location.end,
            statements: location.transitions.iter().map(|transition| transition.text.clone()).collect(),
        }
    };
    (0..interpreter.n_processes(state) as u16).map(stand).collect()
}

/// A step of a run. A stutter step has no words and changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStep {
    /// Who does what.
    pub step: Step,
    /// The same in words.
    pub text: StepText,
    /// The number of the control location from which the step is taken.
    pub from: u32,
    /// The variables that change.
    pub changes: Vec<Change>,
}

/// A variable with its values before and after a step. A variable that is not there before or after
/// belongs to a process that is created or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The variable.
    pub name: String,
    /// Its value before.
    pub before: Option<Value>,
    /// Its value after.
    pub after: Option<Value>,
}

/// What differs between the variables of two states, in the order of declaration.
pub fn changes(interpreter: &Interpreter, before: &[u64], after: &[u64]) -> Vec<Change> {
    let (before, after) = interpreter.differing_variables(before, after);
    if before.len() == after.len() && before.iter().zip(&after).all(|(b, a)| b.name == a.name) {
        // The usual case: no process comes or goes.
        let pairs = before.iter().zip(&after).filter(|(b, a)| b.value != a.value);
        return pairs.map(|(b, a)| change(&a.name, Some(&b.value), Some(&a.value))).collect();
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
