//! Runs the `stubborn` binary and reads its JSON.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::place;
use crate::process::{self, Outcome};

/// How much longer than its own limit a run may take before it counts as a hang.
const GRACE: Duration = Duration::from_secs(30);

/// The binary.
pub struct Checker {
    program: PathBuf,
    /// The program that runs it, with its arguments; none if it runs by itself.
    wrapper: Vec<String>,
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

/// How a check has found its answer, in the words of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Method {
    /// The search.
    pub search: String,
    /// The method of partial-order reduction.
    pub por: String,
    /// What executes the model.
    pub engine: String,
    /// What holds the states.
    pub store: String,
    /// How many threads there were.
    pub threads: u64,
}

/// What a check says about a property.
#[derive(Clone, Debug)]
pub struct Report {
    /// `holds`, `violated` or `unknown`.
    pub verdict: String,
    /// Why.
    pub reason: String,
    /// How the answer was found.
    pub method: Method,
    /// States stored.
    pub states: u64,
    /// All arrivals.
    pub transitions: u64,
    /// Violations.
    pub errors: u64,
    /// How many steps the run has that shows the answer, if there is one.
    pub n_steps: Option<u64>,
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
        cargo.args(["build", "--release", "--quiet", "-p", "stubborn-cli"]).current_dir(place::workspace());
        let built = process::run(&mut cargo, Duration::from_secs(1800)).map_err(|error| error.to_string())?;
        if !built.success() {
            return Err(format!("`stubborn` does not compile: {}", built.complaint()));
        }
        Ok(Checker { program: place::generated("release").join("stubborn"), wrapper: Vec::new() })
    }

    /// A binary that is there already.
    pub fn at(program: &Path) -> Checker {
        Checker { program: program.to_path_buf(), wrapper: Vec::new() }
    }

    /// Writes a net of the literature, in LoLA's format.
    pub fn net_example(&self, name: &str, file: &Path) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        command.arg("net-example").args(name.split(' '));
        let made = process::run(&mut command, GRACE).map_err(|error| error.to_string())?;
        if !made.success() {
            return Err(format!("net-example {name}: {}", made.complaint()));
        }
        std::fs::write(file, made.stdout).map_err(|error| format!("{}: {error}", file.display()))
    }

    /// The same binary, run by another program.
    pub fn under(&self, wrapper: Vec<String>) -> Checker {
        Checker { program: self.program.clone(), wrapper }
    }

    /// Checks one property on one thread without any reduction. The options name it, and say more about the model
    /// or the search.
    pub fn check(&self, model: &Path, options: &[&str], limits: Limits) -> Answer {
        self.check_reduced(model, "none", options, limits)
    }

    /// Checks one property with all choices left to the checker that the options do not make.
    pub fn check_as_asked(&self, model: &Path, options: &[&str], limits: Limits) -> Answer {
        let mut command = match self.wrapper.split_first() {
            Some((wrapper, arguments)) => {
                let mut command = Command::new(wrapper);
                command.args(arguments).arg(&self.program);
                command
            }
            None => Command::new(&self.program),
        };
        command.args(["check", "--format", "json", "--no-progress"]);
        command.arg("--max-time").arg(format!("{}s", limits.time.as_secs()));
        command.arg("--max-memory").arg(limits.memory.to_string());
        if limits.all_errors {
            command.arg("--all-errors");
        }
        if model.extension().is_some_and(|extension| extension == "net" || extension == "pnml") {
            command.args(options).arg(model);
        } else {
            command.args(["--language", "promela"]).args(options).arg(model);
        }
        match process::run(&mut command, limits.time + GRACE) {
            Ok(outcome) => answer(&outcome, limits),
            Err(error) => Answer::Broken(format!("{}: {error}", self.program.display())),
        }
    }

    /// Checks one property on one thread, with a method of partial-order reduction.
    pub fn check_reduced(&self, model: &Path, por: &str, options: &[&str], limits: Limits) -> Answer {
        self.check_as_asked(model, &[&["--threads", "1", "--por", por], options].concat(), limits)
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
        method: method(&result["method"]),
        states: number("states"),
        transitions: number("transitions"),
        errors: number("errors"),
        n_steps: result["trace"]["steps"].as_array().map(|steps| steps.len() as u64),
        complete: is_complete(result, outcome, limits),
        seconds: outcome.seconds,
        peak_bytes: outcome.peak_bytes,
    })
}

fn method(json: &Value) -> Method {
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_string();
    Method {
        search: text("search"),
        por: text("por"),
        engine: text("engine"),
        store: text("store"),
        threads: json["threads"].as_u64().unwrap_or(0),
    }
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
