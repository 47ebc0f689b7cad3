//! Drives an installed Spin: `spin -a`, `gcc`, `pan`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process::{self, Outcome};

/// How long `spin -a` and `gcc` may take.
const BUILD_LIMIT: Duration = Duration::from_secs(300);

/// The switches under which state counts are defined: no dataflow resets, no hiding of write-only
/// variables, no merging of statements.
const PLAIN: [&str; 4] = ["-a", "-o1", "-o2", "-o3"];

/// What a verifier is for.
#[derive(Clone, Copy, Debug)]
pub struct Purpose {
    name: &'static str,
    spin: &'static [&'static str],
    gcc: &'static [&'static str],
}

impl Purpose {
    /// Safety only, without reduction and claims.
    pub const SAFETY: Purpose =
        Purpose { name: "pan", spin: &PLAIN, gcc: &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"] };
    /// The same with merging of statements, as it comes.
    pub const MERGED_SAFETY: Purpose =
        Purpose { name: "pan-merged", spin: &["-a"], gcc: &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"] };
    /// Safety only, without claims, with everything that Spin does by itself.
    pub const REDUCED_SAFETY: Purpose =
        Purpose { name: "pan-reduced", spin: &["-a"], gcc: &["-DSAFETY", "-DNOCLAIM"] };
    /// Temporal properties, without reduction.
    pub const LIVENESS: Purpose = Purpose { name: "pan-a", spin: &PLAIN, gcc: &["-DNOREDUCE"] };
    /// Temporal properties, with everything that Spin does by itself.
    pub const REDUCED_LIVENESS: Purpose = Purpose { name: "pan-a-reduced", spin: &["-a"], gcc: &[] };

    /// A name for it, different from those of the others.
    pub fn name(self) -> &'static str {
        self.name
    }
}

/// An installed Spin with a C compiler.
#[derive(Clone, Debug)]
pub struct Spin {
    /// What `spin -V` says.
    pub version: String,
}

/// Where the way from the model to pan ended.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// Spin does not take the model.
    Spin(String),
    /// The generated C does not compile.
    Compiler(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Spin(message) => write!(f, "spin: {message}"),
            Refusal::Compiler(message) => write!(f, "gcc: {message}"),
        }
    }
}

/// A compiled verifier.
#[derive(Clone, Debug)]
pub struct Pan {
    dir: PathBuf,
    /// How long `spin -a` took.
    pub spin_seconds: f64,
    /// How long `gcc` took.
    pub gcc_seconds: f64,
}

impl Spin {
    /// Looks for the tools.
    pub fn find() -> Result<Spin, String> {
        let version = answer("spin", &["-V"])
            .ok_or("no `spin` on the PATH: install it (Debian: apt install spin) to compare with it")?;
        answer("gcc", &["--version"])
            .ok_or("no `gcc` on the PATH: Spin needs it to compile its verifiers")?;
        Ok(Spin { version: version.lines().next().unwrap_or_default().to_string() })
    }

    /// Generates and compiles the verifier of a model's safety in `dir`, which is emptied first. The
    /// flags are for gcc.
    pub fn build(&self, model: &Path, dir: &Path, flags: &[&str]) -> Result<Pan, Refusal> {
        self.build_with(model, dir, Purpose::SAFETY, &[], flags)
    }

    /// The same for any purpose, with macros for the model (`-DN=3`).
    pub fn build_with(
        &self,
        model: &Path,
        dir: &Path,
        purpose: Purpose,
        defines: &[&str],
        flags: &[&str],
    ) -> Result<Pan, Refusal> {
        let _ = std::fs::remove_dir_all(dir);
        std::fs::create_dir_all(dir).map_err(|error| Refusal::Spin(error.to_string()))?;
        let spin = process::run(
            Command::new("spin").args(purpose.spin).args(defines).arg(model).current_dir(dir),
            BUILD_LIMIT,
        )
        .map_err(|error| Refusal::Spin(error.to_string()))?;
        // Some errors do not keep Spin from writing a verifier; these models count as accepted.
        if !dir.join("pan.c").is_file() {
            return Err(Refusal::Spin(spin.complaint()));
        }
        let gcc = process::run(
            Command::new("gcc")
                .arg("-w")
                .args(purpose.gcc)
                .args(flags)
                .args(["-o", "pan", "pan.c", "-lm"])
                .current_dir(dir),
            BUILD_LIMIT,
        )
        .map_err(|error| Refusal::Compiler(error.to_string()))?;
        if !gcc.success() {
            return Err(Refusal::Compiler(gcc.complaint()));
        }
        Ok(Pan { dir: dir.to_path_buf(), spin_seconds: spin.seconds, gcc_seconds: gcc.seconds })
    }
}

fn answer(program: &str, args: &[&str]) -> Option<String> {
    let outcome = process::run(Command::new(program).args(args), BUILD_LIMIT).ok()?;
    outcome.success().then_some(outcome.stdout)
}

impl Pan {
    /// Runs the verifier.
    pub fn run(&self, args: &[String], limit: Duration) -> Result<Outcome, String> {
        let program = self.dir.join("pan");
        process::run(Command::new(&program).args(args).current_dir(&self.dir), limit)
            .map_err(|error| format!("{}: {error}", program.display()))
    }

    /// Its state tables (`pan -d`).
    pub fn tables(&self) -> Result<String, String> {
        let outcome = self.run(&["-d".to_string()], BUILD_LIMIT)?;
        let refused = outcome.stdout.lines().find(|line| line.contains("self-loop"));
        match refused {
            Some(line) => Err(line.trim().to_string()),
            None => Ok(outcome.stdout),
        }
    }
}

/// What pan reports at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// States stored.
    pub states: u64,
    /// Arrivals at a stored state.
    pub matched: u64,
    /// Both together.
    pub transitions: u64,
    /// How deep it went.
    pub depth: u64,
    /// How many errors it counts.
    pub errors: u64,
    /// The first error.
    pub first_error: Option<String>,
    /// Why the search is not complete, if it is not.
    pub incomplete: Option<String>,
}

/// What makes a search incomplete, or ends it although all errors are asked for.
const LIMITS: [&str; 10] = [
    "max search depth too small",
    "VECTORSZ",
    "aborting",
    "too many queues",
    "too many processes",
    "block in d_step",
    "rv-attempt in d_step",
    "out of memory",
    "MEMLIM",
    "self-loop",
];

/// Reads pan's summary.
pub fn summary(outcome: &Outcome) -> Summary {
    let text = &outcome.stdout;
    let mut summary = Summary::default();
    let count = |line: &str| line.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    let mut complete = false;
    for line in text.lines().chain(outcome.stderr.lines()) {
        let number = count(line).map(|number| number as u64);
        if let Some(rest) = line.split("depth reached ").nth(1) {
            let mut numbers = rest.split(", errors: ").map(|part| part.trim().parse().unwrap_or(0));
            summary.depth = numbers.next().unwrap_or(0);
            summary.errors = numbers.next().unwrap_or(0);
        } else if line.contains("states, stored") {
            summary.states = number.unwrap_or(0);
            complete = true;
        } else if line.contains("states, matched") {
            summary.matched = number.unwrap_or(0);
        } else if line.contains("transitions (=") {
            summary.transitions = number.unwrap_or(0);
        } else if let Some(error) = line.strip_prefix("pan:1: ").filter(|_| summary.first_error.is_none()) {
            summary.first_error = Some(error.trim().to_string());
        }
        if summary.incomplete.is_none() && LIMITS.iter().any(|limit| line.contains(limit)) {
            summary.incomplete = Some(line.trim().to_string());
        }
    }
    if outcome.timed_out {
        summary.incomplete = Some("time limit".to_string());
    } else if !complete && summary.incomplete.is_none() {
        summary.incomplete = Some(format!("pan ended with {:?}: {}", outcome.code, outcome.complaint()));
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::summary;
    use crate::process::Outcome;

    fn pan(stdout: &str) -> Outcome {
        let (stdout, stderr) = (stdout.to_string(), String::new());
        Outcome { code: Some(0), stdout, stderr, seconds: 0.0, peak_bytes: 0, timed_out: false }
    }

    const END: &str = "State-vector 12 byte, depth reached 99, errors: 48\n      101 states, stored\n       \
        51 states, matched\n      152 transitions (= stored+matched)\n";

    #[test]
    fn a_summary_is_read() {
        let read = summary(&pan(&format!("pan:1: assertion violated (x<3) (at depth 5)\n{END}")));
        assert_eq!(
            (read.states, read.matched, read.transitions, read.depth, read.errors),
            (101, 51, 152, 99, 48)
        );
        assert_eq!(read.first_error.as_deref(), Some("assertion violated (x<3) (at depth 5)"));
        assert_eq!(read.incomplete, None);
    }

    #[test]
    fn an_incomplete_search_is_noticed() {
        assert!(summary(&pan(&format!("error: max search depth too small\n{END}"))).incomplete.is_some());
        assert!(summary(&pan("")).incomplete.is_some());
        assert!(summary(&Outcome { timed_out: true, ..pan(END) }).incomplete.is_some());
    }
}
