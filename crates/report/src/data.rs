//! What there is to report.

use check::answer::Unreached;
use model::{Run, RunStep};
use replay::json::JsonFailure;
use serde::Serialize;

/// The results of a check.
#[derive(Clone, Debug)]
pub struct Report {
    /// The tool's version.
    pub version: &'static str,
    /// The model, as the user named it.
    pub path: String,
    /// Its language.
    pub language: &'static str,
    /// The results, in the order in which they were asked for.
    pub results: Vec<PropertyResult>,
    /// What is wrong with properties that were asked for and cannot be checked.
    pub errors: Vec<crate::diagnostics::ErrorRecord>,
    /// From start to end.
    pub seconds: f64,
    /// The most memory that the process had.
    pub peak_rss_bytes: u64,
}

/// The answer about one property.
#[derive(Clone, Debug)]
pub struct PropertyResult {
    /// Its name.
    pub property: String,
    /// What kind of property: `safety`, `deadlock`, `ltl`, …
    pub kind: &'static str,
    /// The formula, if it has one.
    pub formula: Option<String>,
    /// The answer.
    pub verdict: Verdict,
    /// Why it is violated or unknown.
    pub reason: Option<String>,
    /// How it was decided.
    pub method: Method,
    /// What was counted.
    pub counts: Counts,
    /// What is suspicious about the model.
    pub warnings: Vec<String>,
    /// Things to know when reading this result.
    pub notes: Vec<String>,
    /// Things that explain how it was found, for people.
    pub remarks: Vec<String>,
    /// The run that shows the violation.
    pub run: Option<Run>,
    /// What fails at the end of the run.
    pub failure: Option<JsonFailure>,
    /// True if all states were visited.
    pub complete: bool,
    /// What was never executed, if that is known.
    pub unreached: Vec<Unreached>,
    /// For nets: how many firings there are from the states.
    pub edges: Option<u64>,
    /// The number that was asked for.
    pub value: Option<i64>,
    /// For nets: the most tokens that there are at a time.
    pub tokens: Option<Tokens>,
}

/// The most tokens in the markings of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tokens {
    /// In one place.
    pub in_place: i64,
    /// In all places together.
    pub in_all: i64,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
    /// Not decided.
    Unknown,
}

/// How a property was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the names of the command line's options")]
pub struct Method {
    pub search: String,
    pub por: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compress: Option<&'static str>,
    pub symmetry: String,
    pub fairness: String,
    pub store: String,
    pub engine: String,
    pub threads: u32,
}

/// What a search has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// Observable states stored.
    pub states: u64,
    /// Arrivals at a state already stored.
    pub matched: u64,
    /// All arrivals.
    pub transitions: u64,
    /// The longest path, in observable steps.
    pub depth: u64,
    /// Violations.
    pub errors: u64,
    /// Memory of the store.
    pub store_bytes: u64,
    /// Time of the search.
    pub seconds: f64,
    /// Bytes of the longest state.
    #[serde(skip)]
    pub state_bytes: u64,
}

impl PropertyResult {
    /// What is wrong, in a few words.
    pub fn explanation(&self) -> Option<String> {
        let reason = self.reason.as_deref()?;
        Some(match (&self.failure, reason) {
            (Some(failure), "assertion") => format!("assertion violated: {}", failure.message),
            (Some(failure), _) => format!("{}: {}", failure.kind.replace('-', " "), failure.message),
            (None, "invalid-end-state") => "invalid end state".to_string(),
            (None, "deadlock") if self.is_about_net() => {
                "a marking is reachable in which no transition is enabled".to_string()
            }
            (None, "deadlock") => "a state is reachable in which no process can move".to_string(),
            (None, "local-deadlock") => {
                "a state is reachable from which a process can never move again, while others go on"
                    .to_string()
            }
            (None, "invariant") => format!("a {} is reachable in which it does not hold", self.state_word()),
            (None, "formula") => self.false_formula(),
            (None, "acceptance-cycle") => self.forbidden_run().to_string(),
            (None, "non-progress-cycle") => "an infinite run makes progress only finitely often".to_string(),
            // A prefix of the run is enough.
            (None, "never-claim") if self.kind == "automaton" => {
                "the automaton accepts a run, however it goes on".to_string()
            }
            (None, "never-claim") => "the never claim reaches its end".to_string(),
            (None, "memory") => "the memory limit was reached".to_string(),
            (None, "time") => "the time limit was reached".to_string(),
            (None, "states") => "the limit on the number of states was reached".to_string(),
            (None, "depth") => "there are states beyond the depth limit".to_string(),
            (None, "interrupted") => "interrupted".to_string(),
            (None, "lossy-store") => "the store may have missed states".to_string(),
            (None, "may-miss") => "nothing was found, but not all states were visited".to_string(),
            (None, "unbounded") => "the sum can grow for ever".to_string(),
            (None, "tokens") => "a place has more tokens than can be counted".to_string(),
            (None, "number-too-large") => "a number does not fit into 64 bits".to_string(),
            (None, "broken-bound") => "the net violates a bound that it declares".to_string(),
            (None, "mixed-logic") => {
                "the formula is neither in LTL nor in CTL, and CTL* is not supported yet".to_string()
            }
            (None, "formula-too-large") => "the automaton of the formula would be too large".to_string(),
            (None, "too-many-atoms") => "the formula has more than 64 different atoms".to_string(),
            (None, other) => other.to_string(),
        })
    }

    /// Whether it is about a net.
    fn is_about_net(&self) -> bool {
        self.edges.is_some()
    }

    /// What a state is called.
    fn state_word(&self) -> &'static str {
        if self.is_about_net() { "marking" } else { "state" }
    }

    /// How a formula is false.
    fn false_formula(&self) -> String {
        let state = self.state_word();
        match (self.kind, &self.run) {
            ("reach", _) => format!("no such {state} is reachable"),
            ("home", _) => format!("a {state} is reachable from which no such {state} is reachable any more"),
            ("live", _) if self.is_about_net() => {
                "a marking is reachable from which a transition can never fire again".to_string()
            }
            ("live", _) => {
                "a state is reachable from which the statement is never executed again".to_string()
            }
            (_, Some(run)) if has_ended(run) => "a run that ends violates the formula".to_string(),
            (_, Some(_)) => "a run violates the formula".to_string(),
            (_, None) => "the answer is no".to_string(),
        }
    }

    /// What an infinite run does that the property forbids.
    fn forbidden_run(&self) -> &'static str {
        match (self.kind, self.run.as_ref().is_some_and(has_ended)) {
            ("ltl", false) => "a run violates the formula",
            ("ltl", true) => "a run that ends violates the formula",
            ("acceptance", false) => "a run passes an accept label infinitely often",
            ("acceptance", true) => "a run ends at an accept label and stays there (accept stutter)",
            (_, false) => "a forbidden run is accepted (acceptance cycle)",
            (_, true) => "a forbidden run that ends is accepted (acceptance cycle)",
        }
    }

    /// How the infinite runs are restricted, as in `holds under weak fairness`.
    pub fn under_fairness(&self) -> String {
        match self.method.fairness.as_str() {
            "none" => String::new(),
            fairness => format!(" under {fairness} fairness"),
        }
    }
}

/// Whether nothing happens any more in an infinite run: its loop repeats the last state.
pub fn has_ended(run: &Run) -> bool {
    let is_stutter = |step: &RunStep| step.step.is_stutter();
    run.loop_start.is_some_and(|start| run.steps[start..].iter().all(is_stutter))
}
