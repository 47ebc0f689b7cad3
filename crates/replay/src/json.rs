//! Traces as JSON.
//!
//! The fields of the published format come first; what follows them makes reading back exact. A
//! trace without those is read too: each step is then found by process, partner, line, text and
//! changes.

use std::cell::Cell;

use model::{Change, Failure, FailureKind, Location, Patience, Run, RunStep, Value, Variable};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Map;

use crate::evidence::Evidence;

/// Names and values, in order.
pub type Object = Map<String, serde_json::Value>;

/// A trace with what it shows: one that was read, or a [`Told`] one that is to be written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TraceFile<T = JsonTrace> {
    /// The trace itself.
    #[serde(flatten)]
    pub trace: T,
    /// The property that is violated.
    #[serde(default)]
    pub property: Option<String>,
    /// What kind of property that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
    /// The formula, fully bracketed, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The fairness under which the property is violated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<String>,
    /// What fails in the last step.
    #[serde(default)]
    pub failure: Option<JsonFailure>,
}

/// A trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonTrace {
    /// The variables of the initial state.
    pub initial: Object,
    /// The steps.
    pub steps: Vec<JsonStep>,
    /// Index of the loop's first step.
    #[serde(default)]
    pub loop_start: Option<usize>,
    /// Whether steps are missing: there was no time to write them all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonStep {
    /// The process type; none for a stutter step.
    pub process: Option<String>,
    /// The process.
    pub pid: Option<u16>,
    /// The receiver of a rendezvous.
    #[serde(default)]
    pub partner: Option<u16>,
    /// The line of the statement.
    pub line: u32,
    /// The statement.
    pub action: String,
    /// False inside an atomic chain.
    pub observable: bool,
    /// The values before and after of what changes.
    #[serde(default)]
    pub changes: Object,
    /// The file of the statement.
    #[serde(default)]
    pub file: Option<String>,
    /// The receiver's statement in a rendezvous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner_action: Option<String>,
    /// What the step prints.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The number of the transition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transition: Option<u32>,
    /// The number of the receiver's transition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner_transition: Option<u32>,
}

/// A failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonFailure {
    /// Its kind, as [`kind_name`] gives it.
    pub kind: String,
    /// The particulars.
    pub message: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A value as JSON: a number, a name, or the messages of a channel.
pub fn value(value: &Value) -> serde_json::Value {
    match value {
        Value::Int(number) => (*number).into(),
        Value::Name(name) => name.as_str().into(),
        Value::Messages(messages) => {
            let message = |fields: &Vec<Value>| fields.iter().map(self::value).collect();
            serde_json::Value::Array(messages.iter().map(message).collect())
        }
    }
}

/// Variables as JSON.
pub(crate) fn variables(list: &[Variable]) -> Object {
    list.iter().map(|variable| (variable.name.clone(), value(&variable.value))).collect()
}

/// Changes as JSON: the values before and after.
pub(crate) fn changes_object(list: &[Change]) -> Object {
    let side = |side: &Option<Value>| side.as_ref().map_or(serde_json::Value::Null, value);
    let pair = |change: &Change| serde_json::Value::from(vec![side(&change.before), side(&change.after)]);
    list.iter().map(|change| (change.name.clone(), pair(change))).collect()
}

/// A run to be written as a trace, one step after the other: nothing of it is made before it is written.
#[derive(Clone, Debug)]
pub struct Told<'a> {
    run: &'a Run,
    patience: Option<&'a Patience>,
}

/// Tells a run.
pub fn trace(run: &Run) -> Told<'_> {
    Told { run, patience: None }
}

impl<'a> Told<'a> {
    /// Ends the list of steps when there is no patience left, and says so.
    pub fn within(self, patience: &'a Patience) -> Told<'a> {
        Told { patience: Some(patience), ..self }
    }
}

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let steps = Steps { told: self, is_cut: Cell::new(false) };
        let mut trace = serializer.serialize_map(None)?;
        trace.serialize_entry("initial", &variables(&self.run.initial))?;
        trace.serialize_entry("steps", &steps)?;
        trace.serialize_entry("loop_start", &self.run.loop_start)?;
        if steps.is_cut.get() {
            trace.serialize_entry("cut", &true)?;
        }
        trace.end()
    }
}

/// The steps of a run, as long as there is patience.
struct Steps<'t, 'a> {
    told: &'t Told<'a>,
    is_cut: Cell<bool>,
}

impl Serialize for Steps<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pace = self.told.patience.map(Patience::pace);
        let goes_on = |_: &&RunStep| {
            let is_over = pace.as_mut().is_some_and(|pace| pace.step().is_err());
            self.is_cut.set(is_over);
            !is_over
        };
        serializer.collect_seq(self.told.run.steps.iter().take_while(goes_on).map(step))
    }
}

impl From<Told<'_>> for JsonTrace {
    fn from(told: Told<'_>) -> JsonTrace {
        let Run { initial, steps, loop_start, .. } = told.run;
        let steps = steps.iter().map(step).collect();
        JsonTrace { initial: variables(initial), steps, loop_start: *loop_start, cut: false }
    }
}

pub(crate) fn step(step: &RunStep) -> JsonStep {
    let text = &step.text;
    JsonStep {
        process: text.process.clone(),
        pid: text.process.as_ref().map(|_| text.pid),
        partner: text.partner,
        line: text.location.line,
        action: text.action.clone(),
        observable: step.step.observable,
        changes: changes_object(&step.changes),
        file: text.process.as_ref().map(|_| text.file.clone()),
        partner_action: text.partner_action.as_ref().map(|(_, action)| action.clone()),
        output: text.output.clone(),
        transition: (!step.step.is_stutter()).then_some(step.step.action.actor.transition),
        partner_transition: step.step.action.partner().map(|partner| partner.transition),
    }
}

/// Writes a failure. `files` are the names that its location refers to.
pub fn failure(failure: &Failure, files: &[String]) -> JsonFailure {
    JsonFailure {
        kind: kind_name(failure.kind).to_string(),
        message: failure.detail.clone(),
        file: files.get(failure.location.file as usize).cloned().unwrap_or_default(),
        line: failure.location.line,
        column: failure.location.column,
    }
}

/// Makes a function from kinds to names and one back.
macro_rules! kind_names {
    ($($kind:ident => $name:literal,)*) => {
        /// The name of a kind of failure in JSON.
        pub fn kind_name(kind: FailureKind) -> &'static str {
            match kind {
                $(FailureKind::$kind => $name,)*
            }
        }

        fn kind_of_name(name: &str) -> Option<FailureKind> {
            match name {
                $($name => Some(FailureKind::$kind),)*
                _ => None,
            }
        }
    };
}

kind_names! {
    Assertion => "assertion",
    IndexOutOfRange => "index-out-of-range",
    DivisionByZero => "division-by-zero",
    TooManyProcesses => "too-many-processes",
    TooManyChannels => "too-many-channels",
    UninitialisedChannel => "uninitialised-channel",
    MessageArity => "message-arity",
    PollOfRendezvous => "poll-of-rendezvous",
    BlockedInDstep => "blocked-in-d-step",
    RendezvousInDstep => "rendezvous-in-d-step",
    EndlessLoop => "endless-loop",
    Nondeterminism => "nondeterminism",
    SelfReference => "self-reference",
    PriorityOutOfRange => "priority-out-of-range",
    TraceMismatch => "trace-mismatch",
    NotraceMatch => "notrace-match",
    BrokenBound => "broken-bound",
    NumberTooLarge => "number-too-large",
}

/// Reads a trace file: a trace, or the whole result of a check, of which the first trace is taken.
///
/// # Errors
/// What is wrong with the text.
pub fn parse(text: &str) -> Result<TraceFile, String> {
    let json: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let results = json.get("results").and_then(|results| results.as_array());
    let object = match results {
        None => json,
        Some(results) => {
            let violated = results.iter().find(|result| result.get("trace").is_some_and(|t| t.is_object()));
            let result = violated.ok_or("none of the results has a trace")?;
            let mut object = result["trace"].clone();
            for key in ["property", "kind", "reason", "formula", "failure"] {
                object[key] = result.get(key).cloned().unwrap_or_default();
            }
            object["fairness"] = result["method"]["fairness"].clone();
            object
        }
    };
    let file: TraceFile = serde_json::from_value(object).map_err(|error| format!("not a trace: {error}"))?;
    if file.trace.cut {
        return Err("steps are missing: there was no time to write them all".to_string());
    }
    Ok(file)
}

/// What a trace file shows. `files` are the names that places in the model refer to; `other` says what a trace with any
/// other reason shows, or with none.
///
/// # Errors
/// If it says something that this version does not know, or that makes no sense.
pub fn evidence(
    file: &TraceFile,
    files: &[String],
    other: impl FnOnce(Option<&str>) -> Result<Evidence, String>,
) -> Result<Evidence, String> {
    match (file.reason.as_deref(), &file.failure) {
        (None, None) if file.property.is_none() => Ok(Evidence::Run),
        (Some(reason @ ("assertion" | "runtime-error")), Some(failure)) => {
            let failure = failure_of(failure, files)?;
            let fits = (failure.kind == FailureKind::Assertion) == (reason == "assertion");
            if fits { Ok(Evidence::Failure(failure)) } else { Err(format!("the failure is no {reason}")) }
        }
        (Some(reason @ ("assertion" | "runtime-error")), None) => {
            Err(format!("a trace with the reason `{reason}` must say what fails"))
        }
        (Some(reason), Some(_)) => Err(format!("nothing fails with the reason `{reason}`")),
        (Some("invalid-end-state" | "deadlock"), None) => Ok(Evidence::Stuck),
        (reason, None) => other(reason),
        (None, Some(_)) => Err("it has no reason why the property is violated".to_string()),
    }
}

/// A failure that was read back.
fn failure_of(failure: &JsonFailure, files: &[String]) -> Result<Failure, String> {
    let kind = kind_of_name(&failure.kind);
    let kind = kind.ok_or_else(|| format!("unknown kind of failure `{}`", failure.kind))?;
    let index = files.iter().position(|name| *name == failure.file);
    let location = Location { file: index.unwrap_or(0) as u16, line: failure.line, column: failure.column };
    Ok(Failure { kind, location, detail: failure.message.clone() })
}
