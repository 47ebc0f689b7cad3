use crate::{Step, StepText, Value, Variable};

/// A run as people read it, told step by step: plain data for reports.
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

impl RunStep {
    /// A step in which nothing happens.
    pub fn stutter() -> RunStep {
        let text = StepText { action: "stutter".to_string(), ..StepText::default() };
        RunStep { step: Step::STUTTER, text, from: 0, changes: Vec::new() }
    }
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

impl Change {
    /// What differs between two states with the same variables.
    pub fn between(before: &[Variable], after: &[Variable]) -> Vec<Change> {
        let changed = before.iter().zip(after).filter(|(before, after)| before.value != after.value);
        let change = |(before, after): (&Variable, &Variable)| Change {
            name: after.name.clone(),
            before: Some(before.value.clone()),
            after: Some(after.value.clone()),
        };
        changed.map(change).collect()
    }
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
