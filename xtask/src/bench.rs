//! Stubborn and Spin side by side: time and memory, taken from outside.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::checker::{Answer, Checker, Limits, Report};
use crate::spin::{self, Pan, Spin, Summary};
use crate::{place, process};

/// What to measure.
#[derive(Args)]
pub struct Options {
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

/// The models. Those of the corpus are left out where it is not there.
const MODELS: [(&str, Home, &[&str]); 20] = [
    ("peterson N=3", Home::Bundled("peterson.pml"), &["-DN=3"]),
    ("peterson N=4", Home::Bundled("peterson.pml"), &["-DN=4"]),
    ("philosophers N=7", Home::Bundled("philosophers.pml"), &["-DN=7"]),
    ("leader N=8", Home::Bundled("leader.pml"), &["-DN=8"]),
    ("alternating-bit", Home::Bundled("alternating-bit.pml"), &[]),
    ("snoopy", Home::Corpus("spin/Examples/snoopy.pml"), &[]),
    ("pftp", Home::Corpus("spin/Examples/LTL/pftp.pml"), &[]),
    ("sort", Home::Corpus("spin/Examples/sort.pml"), &[]),
    ("dtp", Home::Corpus("spin/Examples/dtp.pml"), &[]),
    ("cambridge", Home::Corpus("spin/Examples/cambridge.pml"), &[]),
    ("peterson3", Home::Corpus("ltsmin/examples/peterson3.pml"), &[]),
    ("i-protocol i3", Home::Corpus("spins/case_studies/i-protocol/code/spin/i3"), &[]),
    ("garp_ls", Home::Corpus("spins/case_studies/garp/garp-b/garp_ls"), &[]),
    ("qrcu", Home::Corpus("perfbook-rcu/CodeSamples/formal/promela/qrcu.spin"), &[]),
    ("brp.3", Home::Corpus("beem/brp.3.pm"), &[]),
    ("phils.4", Home::Corpus("beem/phils.4.pm"), &[]),
    ("peterson.4", Home::Corpus("beem/peterson.4.pm"), &[]),
    ("telephony.3", Home::Corpus("beem/telephony.3.pm"), &[]),
    ("szymanski.4", Home::Corpus("beem/szymanski.4.pm"), &[]),
    ("msmie.4", Home::Corpus("beem/msmie.4.pm"), &[]),
];

/// Where a model is.
#[derive(Clone, Copy)]
enum Home {
    Bundled(&'static str),
    Corpus(&'static str),
}

/// What was measured of a model.
struct Row {
    name: &'static str,
    spin: Option<SpinRun>,
    ours: Report,
}

/// A run of pan.
struct SpinRun {
    summary: Summary,
    build_seconds: f64,
    seconds: f64,
    peak_bytes: u64,
}

/// Runs all, prints a table, writes the results. False if a model was not decided or the counts
/// differ.
pub fn run(options: &Options) -> Result<bool, String> {
    let checker = Checker::build()?;
    let spin = Spin::find().inspect_err(|reason| println!("Spin is left out: {reason}")).ok();
    let mut rows = Vec::new();
    let mut good = true;
    for (name, home, defines) in MODELS.into_iter().filter(|(name, ..)| name.contains(&options.filter)) {
        let Some(file) = locate(home) else {
            println!("{name}: skipped, no corpus");
            continue;
        };
        eprintln!("{name}");
        let ours = match repeat_ours(&checker, &file, defines, options) {
            Ok(ours) => ours,
            Err(reason) => {
                println!("{name}: {reason}");
                good = false;
                continue;
            }
        };
        let theirs = spin.as_ref().map(|spin| repeat_spin(spin, &file, defines, options));
        let theirs = theirs.and_then(|run| run.inspect_err(|reason| println!("{name}: {reason}")).ok());
        if let Some(run) = &theirs
            && (run.summary.states != ours.states || !ours.agrees_with(&run.summary))
        {
            good = false;
            println!("{name}: spin {} states, ours {}", run.summary.states, ours.states);
        }
        rows.push(Row { name, spin: theirs, ours });
    }
    print_table(&rows);
    if let Some(path) = &options.json {
        let text = format!("{:#}\n", results(&rows, spin.as_ref(), options));
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(good)
}

fn locate(home: Home) -> Option<PathBuf> {
    match home {
        Home::Bundled(name) => Some(place::workspace().join("models").join(name)),
        Home::Corpus(path) => Some(place::corpus().ok()?.join(path)).filter(|file| file.is_file()),
    }
}

fn repeat_ours(
    checker: &Checker,
    file: &Path,
    defines: &[&str],
    options: &Options,
) -> Result<Report, String> {
    let limits = Limits { time: Duration::from_secs(options.max_time), memory: 16 << 30, all_errors: true };
    let mut best: Option<Report> = None;
    for _ in 0..options.repeat.max(1) {
        match checker.check(file, defines, limits) {
            Answer::Result(report) if report.verdict == "unknown" => {
                return Err(format!("limit: {}", report.reason));
            }
            Answer::Result(report) => {
                if best.as_ref().is_none_or(|best| report.seconds < best.seconds) {
                    best = Some(report);
                }
            }
            Answer::Refused(message) | Answer::Broken(message) => return Err(message),
        }
    }
    best.ok_or_else(|| "not run".to_string())
}

/// Builds pan, finds the depth and the table size that suit the model, and measures.
fn repeat_spin(spin: &Spin, file: &Path, defines: &[&str], options: &Options) -> Result<SpinRun, String> {
    let dir = place::generated("bench.work");
    let flags = ["-O2", "-DVECTORSZ=4096", "-DMEMLIM=16000"].map(String::from);
    let pan = spin.build_with(file, &dir, defines, &flags).map_err(|refusal| refusal.to_string())?;
    let limit = Duration::from_secs(options.max_time);
    let (args, summary) = fit(&pan, limit)?;
    let mut best: Option<process::Outcome> = None;
    for _ in 0..options.repeat.max(1) {
        let outcome = pan.run(&args, limit)?;
        if best.as_ref().is_none_or(|best| outcome.seconds < best.seconds) {
            best = Some(outcome);
        }
    }
    let best = best.ok_or("not run")?;
    let build_seconds = pan.spin_seconds + pan.gcc_seconds;
    let _ = std::fs::remove_dir_all(&dir);
    Ok(SpinRun { summary, build_seconds, seconds: best.seconds, peak_bytes: best.peak_bytes })
}

/// The arguments with which pan's stack and table fit the model, found by trying.
fn fit(pan: &Pan, limit: Duration) -> Result<(Vec<String>, Summary), String> {
    let mut depth: u64 = 1_000_000;
    loop {
        let args = arguments(depth, 24);
        let summary = spin::summary(&pan.run(&args, limit)?);
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

fn arguments(depth: u64, bits: u32) -> Vec<String> {
    vec!["-n".to_string(), "-c0".to_string(), format!("-m{depth}"), format!("-w{bits}")]
}

fn print_table(rows: &[Row]) {
    println!();
    println!(
        "{:<18} {:>9} {:>10} | {:>7} {:>7} {:>6} {:>6} {:>6} | {:>7} {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6}",
        "", "", "", "Spin", "", "", "", "", "ours", "", "", "", "ratio", "", ""
    );
    println!(
        "{:<18} {:>9} {:>10} | {:>7} {:>7} {:>6} {:>6} {:>6} | {:>7} {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6}",
        "model",
        "states",
        "transit.",
        "pan s",
        "total s",
        "Mst/s",
        "Mtr/s",
        "B/st",
        "total s",
        "Mst/s",
        "Mtr/s",
        "B/st",
        "pan",
        "total",
        "memory"
    );
    for Row { name, spin, ours } in rows {
        let (states, transitions) = (ours.states as f64, ours.transitions as f64);
        print!("{name:<18} {:>9} {:>10} | ", ours.states, ours.transitions);
        match spin {
            Some(run) => print!(
                "{:>7.3} {:>7.3} {:>6.2} {:>6.2} {:>6.0} | ",
                run.seconds,
                run.seconds + run.build_seconds,
                states / run.seconds / 1e6,
                transitions / run.seconds / 1e6,
                run.peak_bytes as f64 / states
            ),
            None => print!("{:>7} {:>7} {:>6} {:>6} {:>6} | ", "-", "-", "-", "-", "-"),
        }
        print!(
            "{:>7.3} {:>6.2} {:>6.2} {:>6.0} | ",
            ours.seconds,
            states / ours.seconds / 1e6,
            transitions / ours.seconds / 1e6,
            ours.peak_bytes as f64 / states
        );
        match spin {
            Some(run) => println!(
                "{:>6.2} {:>6.2} {:>6.2}",
                run.seconds / ours.seconds,
                (run.seconds + run.build_seconds) / ours.seconds,
                run.peak_bytes as f64 / ours.peak_bytes as f64
            ),
            None => println!("{:>6} {:>6} {:>6}", "-", "-", "-"),
        }
    }
    println!(
        "ratio: Spin's figure divided by ours, so above 1 we are better; total includes spin -a and gcc"
    );
}

fn results(rows: &[Row], spin: Option<&Spin>, options: &Options) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|Row { name, spin, ours }| {
            let theirs = spin.as_ref().map(|run| {
                json!({"states": run.summary.states, "transitions": run.summary.transitions,
                       "build_seconds": run.build_seconds, "seconds": run.seconds, "peak_rss_bytes": run.peak_bytes})
            });
            json!({"model": name, "spin": theirs,
                   "stubborn": {"states": ours.states, "transitions": ours.transitions, "verdict": ours.verdict, "errors": ours.errors,
                                "seconds": ours.seconds, "peak_rss_bytes": ours.peak_bytes}})
        })
        .collect();
    json!({
        "date": output("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]),
        "commit": output("git", &["rev-parse", "HEAD"]),
        "machine": machine(),
        "spin": spin.map(|spin| spin.version.clone()),
        "gcc": output("gcc", &["-dumpfullversion"]),
        "repeat": options.repeat,
        "models": rows,
    })
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
