//! Runs the `stubborn` binary and reads its JSON.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::process::{self, Outcome};
use crate::{place, spin};

/// How much longer than its own limit a run may take before it counts as a hang.
const GRACE: Duration = Duration::from_secs(30);

/// The binary.
pub struct Checker {
    program: PathBuf,
}

/// How to run it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Its time limit.
    pub time: Duration,
    /// Its memory limit in bytes.
    pub memory: u64,
    /// Whether it goes on after the first violation.
    pub all_errors: bool,
}

/// What came of it.
pub enum Answer {
    /// A verdict, or the reason why there is none.
    Result(Report),
    /// The model was refused, with this message.
    Refused(String),
    /// A crash, a hang, or output that is not what was promised.
    Broken(String),
}

/// What a check says about a property.
#[derive(Clone, Debug)]
pub struct Report {
    /// `holds`, `violated` or `unknown`.
    pub verdict: String,
    /// Why.
    pub reason: String,
    /// The method of partial-order reduction that was used.
    pub por: String,
    /// States stored.
    pub states: u64,
    /// All arrivals.
    pub transitions: u64,
    /// Violations.
    pub errors: u64,
    /// Whether no limit has ended the search.
    pub complete: bool,
    /// Wall time, from outside.
    pub seconds: f64,
    /// The most memory held, from outside.
    pub peak_bytes: u64,
}

impl Checker {
    /// Builds the binary.
    pub fn build() -> Result<Checker, String> {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args(["build", "--release", "--quiet", "-p", "stubborn"]).current_dir(place::workspace());
        let built = process::run(&mut cargo, Duration::from_secs(1800)).map_err(|error| error.to_string())?;
        if !built.success() {
            return Err(format!("`stubborn` does not compile: {}", built.complaint()));
        }
        Ok(Checker { program: place::generated("release").join("stubborn") })
    }

    /// Checks one property without any reduction. The options name it, and say more about the model
    /// or the search.
    pub fn check(&self, model: &Path, options: &[&str], limits: Limits) -> Answer {
        self.check_reduced(model, "none", options, limits)
    }

    /// Checks one property with the reduction that is chosen by default.
    pub fn check_by_default(&self, model: &Path, options: &[&str], limits: Limits) -> Answer {
        let mut command = Command::new(&self.program);
        command.args(["check", "--threads", "1", "--format", "json", "--no-progress"]);
        command.arg("--max-time").arg(format!("{}s", limits.time.as_secs()));
        command.arg("--max-memory").arg(limits.memory.to_string());
        if limits.all_errors {
            command.arg("--all-errors");
        }
        command.args(["--language", "promela"]).args(options).arg(model);
        match process::run(&mut command, limits.time + GRACE) {
            Ok(outcome) => answer(&outcome, limits),
            Err(error) => Answer::Broken(format!("{}: {error}", self.program.display())),
        }
    }

    /// Checks one property with a method of partial-order reduction.
    pub fn check_reduced(&self, model: &Path, por: &str, options: &[&str], limits: Limits) -> Answer {
        self.check_by_default(model, &[&["--por", por], options].concat(), limits)
    }
}

fn answer(outcome: &Outcome, limits: Limits) -> Answer {
    if outcome.timed_out {
        return Answer::Broken("hangs".to_string());
    }
    let code = outcome.code;
    let Ok(json) = serde_json::from_str::<Value>(&outcome.stdout) else {
        return Answer::Broken(format!("exit status {code:?}, no JSON: {}", outcome.complaint()));
    };
    if code == Some(2) {
        let error = &json["errors"][0];
        let message = error["message"].as_str().unwrap_or("no message");
        return Answer::Refused(format!(
            "line {}: {message} ({})",
            error["line"],
            error["code"].as_str().unwrap_or("?")
        ));
    }
    if !matches!(code, Some(0 | 1 | 3)) {
        return Answer::Broken(format!("exit status {code:?}: {}", outcome.complaint()));
    }
    let Some([result]) = json["results"].as_array().map(Vec::as_slice) else {
        return Answer::Broken("not one result".to_string());
    };
    let text = |key: &str| result[key].as_str().unwrap_or_default().to_string();
    let number = |key: &str| result[key].as_u64().unwrap_or(0);
    Answer::Result(Report {
        verdict: text("verdict"),
        reason: text("reason"),
        por: result["method"]["por"].as_str().unwrap_or_default().to_string(),
        states: number("states"),
        transitions: number("transitions"),
        errors: number("errors"),
        complete: is_complete(result, outcome, limits),
        seconds: outcome.seconds,
        peak_bytes: outcome.peak_bytes,
    })
}

/// Whether all states were visited. After a violation the verdict does not tell; then what was used
/// of the limits does.
fn is_complete(result: &Value, outcome: &Outcome, limits: Limits) -> bool {
    let in_time = result["seconds"].as_f64().unwrap_or(0.0) < 0.99 * limits.time.as_secs_f64();
    let in_memory = outcome.peak_bytes < limits.memory / 10 * 9;
    match result["verdict"].as_str() {
        Some("holds") => true,
        Some("violated") => result["complete"].as_bool().unwrap_or(in_time && in_memory),
        _ => false,
    }
}

impl Report {
    /// The verdict in the words of a pan summary.
    pub fn agrees_with(&self, summary: &spin::Summary) -> bool {
        (self.verdict == "violated") == (summary.errors > 0)
    }
}
