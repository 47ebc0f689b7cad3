//! Stubborn and Spin side by side: time and memory, taken from outside.

mod liveness;
mod safety;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::checker::{Answer, Checker, Limits, Report};
use crate::process::Outcome;
use crate::spin::{self, Pan, Spin, Summary};
use crate::{place, process};

/// What to measure.
#[derive(Args)]
pub struct Options {
    /// Temporal properties instead of safety.
    #[arg(long)]
    liveness: bool,
    /// Only models whose name contains this.
    #[arg(long, default_value = "", value_name = "TEXT")]
    filter: String,
    /// Writes the results to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// How often each program is run; the best time counts.
    #[arg(long, default_value_t = 3, value_name = "K")]
    repeat: u32,
    /// How long a run may take, in seconds.
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    max_time: u64,
}

/// Where a model is.
#[derive(Clone, Copy)]
enum Home {
    Bundled(&'static str),
    Corpus(&'static str),
}

impl Home {
    /// The file, if it is there.
    fn locate(self) -> Option<PathBuf> {
        match self {
            Home::Bundled(name) => Some(place::workspace().join("models").join(name)),
            Home::Corpus(path) => Some(place::corpus().ok()?.join(path)).filter(|file| file.is_file()),
        }
    }
}

/// The programs to compare, and how.
struct Bench<'a> {
    checker: Checker,
    spin: Option<Spin>,
    options: &'a Options,
}

/// A run of pan.
struct SpinRun {
    summary: Summary,
    build_seconds: f64,
    seconds: f64,
    peak_bytes: u64,
}

/// Runs all, prints a table, writes the results. False if a model was not decided or the programs
/// differ.
pub fn run(options: &Options) -> Result<bool, String> {
    let spin = Spin::find().inspect_err(|reason| println!("Spin is left out: {reason}")).ok();
    let bench = Bench { checker: Checker::build()?, spin, options };
    let (rows, good) = if options.liveness { liveness::run(&bench) } else { safety::run(&bench) };
    if let Some(path) = &options.json {
        let text = format!("{:#}\n", bench.results(&rows));
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(good)
}

impl Bench<'_> {
    fn limit(&self) -> Duration {
        Duration::from_secs(self.options.max_time)
    }

    fn limits(&self) -> Limits {
        Limits { time: self.limit(), memory: 16 << 30, all_errors: false }
    }

    /// Our fastest run.
    fn ours(&self, file: &Path, asked: &[&str], limits: Limits) -> Result<Report, String> {
        self.best(
            |report: &Report| report.seconds,
            || match self.checker.check(file, asked, limits) {
                Answer::Result(report) if report.verdict == "unknown" => {
                    Err(format!("limit: {}", report.reason))
                }
                Answer::Result(report) => Ok(report),
                Answer::Refused(message) | Answer::Broken(message) => Err(message),
            },
        )
    }

    /// Finds the depth and the table size that suit the model, and measures. The arguments say what
    /// pan is to look for.
    fn pan(&self, pan: &Pan, asked: &[&str]) -> Result<SpinRun, String> {
        let (args, summary) = fit(pan, asked, self.limit())?;
        let best = self.best(|outcome: &Outcome| outcome.seconds, || pan.run(&args, self.limit()))?;
        let build_seconds = pan.spin_seconds + pan.gcc_seconds;
        Ok(SpinRun { summary, build_seconds, seconds: best.seconds, peak_bytes: best.peak_bytes })
    }

    /// The fastest of the runs.
    fn best<T>(&self, seconds: impl Fn(&T) -> f64, run: impl Fn() -> Result<T, String>) -> Result<T, String> {
        let mut best = run()?;
        for _ in 1..self.options.repeat {
            let next = run()?;
            if seconds(&next) < seconds(&best) {
                best = next;
            }
        }
        Ok(best)
    }

    fn results(&self, rows: &[Value]) -> Value {
        json!({
            "date": output("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]),
            "commit": output("git", &["rev-parse", "HEAD"]),
            "machine": machine(),
            "spin": self.spin.as_ref().map(|spin| spin.version.clone()),
            "gcc": output("gcc", &["-dumpfullversion"]),
            "repeat": self.options.repeat,
            "models": rows,
        })
    }
}

/// The arguments with which pan's stack and table fit the model, found by trying.
fn fit(pan: &Pan, asked: &[&str], limit: Duration) -> Result<(Vec<String>, Summary), String> {
    let arguments = |depth: u64, bits: u32| {
        let sizes = [format!("-m{depth}"), format!("-w{bits}")];
        asked.iter().map(|argument| argument.to_string()).chain(sizes).collect::<Vec<String>>()
    };
    let mut depth: u64 = 1_000_000;
    loop {
        let summary = spin::summary(&pan.run(&arguments(depth, 24), limit)?);
        match summary.incomplete {
            Some(reason) if reason.contains("depth") && depth < 100_000_000 => depth *= 10,
            Some(reason) => return Err(format!("pan: {reason}")),
            None => {
                let bits = (64 - summary.states.leading_zeros()).max(16);
                return Ok((arguments(summary.depth + summary.depth / 10 + 100, bits), summary));
            }
        }
    }
}

/// The processor, its cores and the memory.
fn machine() -> Value {
    let field = |file: &str, key: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default();
        line.split_once(':').map(|(_, value)| value.trim().to_string())
    };
    let cores = std::thread::available_parallelism().map_or(0, |n| n.get());
    json!({
        "processor": field("/proc/cpuinfo", "model name"),
        "cores": cores,
        "memory": field("/proc/meminfo", "MemTotal"),
    })
}

fn output(program: &str, args: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(args).current_dir(place::workspace());
    let outcome = process::run(&mut command, Duration::from_secs(10)).ok()?;
    outcome.success().then(|| outcome.stdout.trim().to_string())
}
