//! Stubborn and Spin side by side: time and memory, taken from outside.

mod liveness;
mod models;
mod reduced;
mod safety;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::checker::{Answer, Checker, Limits, Report};
use crate::process::Outcome;
use crate::spin::{self, Pan, Purpose, Spin, Summary};
use crate::{place, process};

/// What to measure.
#[derive(Args)]
pub struct Options {
    /// Temporal properties instead of safety.
    #[arg(long)]
    liveness: bool,
    /// With partial-order reduction, beside the complete search.
    #[arg(long)]
    reduced: bool,
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

/// How pan is compiled, with room for large states.
const FLAGS: [&str; 3] = ["-O2", "-DVECTORSZ=4096", "-DMEMLIM=16000"];
/// The same for temporal properties. With fairness, room for 14 processes.
const TEMPORAL_FLAGS: [&str; 4] = [FLAGS[0], FLAGS[1], FLAGS[2], "-DNFAIR=4"];

/// Our partial-order reduction.
#[derive(Clone, Copy)]
enum Por<'a> {
    None,
    /// What is chosen if nothing is said.
    Default,
    By(&'a str),
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
    let (rows, good) = match options {
        Options { reduced: true, .. } => reduced::run(&bench),
        Options { liveness: true, .. } => liveness::run(&bench),
        _ => safety::run(&bench),
    };
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
    fn ours(&self, file: &Path, por: Por<'_>, asked: &[&str], limits: Limits) -> Result<Report, String> {
        let check = || match por {
            Por::None => self.checker.check(file, asked, limits),
            Por::Default => self.checker.check_by_default(file, asked, limits),
            Por::By(method) => self.checker.check_reduced(file, method, asked, limits),
        };
        self.best(
            |report: &Report| report.seconds,
            || match check() {
                Answer::Result(report) if report.verdict == "unknown" => {
                    Err(format!("limit: {}", report.reason))
                }
                Answer::Result(report) if limits.all_errors && !report.complete => {
                    Err("limit: not all states were visited".to_string())
                }
                Answer::Result(report) => Ok(report),
                Answer::Refused(message) | Answer::Broken(message) => Err(message),
            },
        )
    }

    /// Builds pan and measures it. The flags are for gcc.
    fn spin(
        &self,
        file: &Path,
        purpose: Purpose,
        defines: &[&str],
        flags: &[&str],
        asked: &[&str],
    ) -> Result<SpinRun, String> {
        let spin = self.spin.as_ref().ok_or("no Spin")?;
        let dir = place::generated("bench.work");
        let pan = spin.build_with(file, &dir, purpose, defines, flags);
        let run = self.pan(&pan.map_err(|refusal| refusal.to_string())?, asked);
        let _ = std::fs::remove_dir_all(&dir);
        run
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

impl SpinRun {
    fn to_json(&self) -> Value {
        json!({"states": self.summary.states, "transitions": self.summary.transitions,
               "errors": self.summary.errors, "build_seconds": self.build_seconds, "seconds": self.seconds,
               "peak_rss_bytes": self.peak_bytes})
    }
}

fn report_json(report: &Report) -> Value {
    json!({"verdict": report.verdict, "por": report.por, "states": report.states,
           "transitions": report.transitions, "errors": report.errors, "seconds": report.seconds,
           "peak_rss_bytes": report.peak_bytes})
}

/// A number for a table.
fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_string(), |value| format!("{value:.digits$}"))
}

fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
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
