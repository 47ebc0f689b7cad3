//! Random programs: our verdict and stored states against Spin's.

use std::path::{Path, PathBuf};
use std::time::Duration;

use search::{Limits, Verdict};
use testkit::random::{self, Features};
use testkit::shrink;

use crate::spin::{self, Spin};
use crate::{Options, place, process};

/// Programs with more states are left out.
const MAX_STATES: u64 = 20_000;

/// How many smaller programs are tried for one that differs.
const MAX_TRIES: u32 = 200;

/// How many of those that differ are made smaller.
const MAX_SHRUNK: u32 = 5;

/// What came of a program.
enum Fate {
    Same { transitions: bool },
    Skipped(String),
    Different(String),
}

/// What a tool says of a program.
struct Said {
    /// The first violation, if there is one.
    violation: Option<String>,
    states: u64,
    transitions: u64,
}

/// Compares that many programs. False if one differs.
pub fn run(options: &Options, programs: u64) -> Result<bool, String> {
    let spin = Spin::find()?;
    let seeds: Vec<u64> = (options.seed..options.seed + programs).collect();
    println!(
        "random programs, seeds {} to {}, against {}",
        options.seed,
        options.seed + programs - 1,
        spin.version
    );
    let (mut same, mut other_transitions, mut different) = (0, 0, 0);
    let mut skipped = std::collections::BTreeMap::<String, u32>::new();
    let work = |seed: &u64| examine(&spin, &random::program(*seed, Features::COMPARABLE).text(), *seed);
    process::in_order(&seeds, options.jobs, work, |seed, fate| match fate {
        Fate::Same { transitions } => {
            same += 1;
            other_transitions += u32::from(!transitions);
        }
        Fate::Skipped(reason) => *skipped.entry(kind(&reason)).or_default() += 1,
        Fate::Different(how) => {
            different += 1;
            println!("DIFFERENT  seed {seed}: {how}");
            if different <= MAX_SHRUNK {
                let (file, small) = smallest(&spin, *seed);
                println!("  smallest found, kept as {}:\n{small}", file.display());
            }
        }
    });
    println!("random: {same} same, {different} different, {} skipped", skipped.values().sum::<u32>());
    println!("  {other_transitions} with the same states but other transitions");
    for (reason, count) in &skipped {
        println!("  skipped {count}: {reason}");
    }
    Ok(different == 0)
}

/// A reason without numbers, names and paths, so that the same reasons can be counted.
fn kind(reason: &str) -> String {
    let general =
        |word: &&str| !word.contains(['/', '\'', '\u{2018}']) && !word.contains(|c: char| c.is_ascii_digit());
    reason.split_whitespace().filter(general).collect::<Vec<_>>().join(" ")
}

fn examine(spin: &Spin, text: &str, seed: u64) -> Fate {
    let ours = match ours(text) {
        Ok(ours) => ours,
        Err(fate) => return fate,
    };
    let theirs = match theirs(spin, text, seed) {
        Ok(theirs) => theirs,
        Err(reason) => return Fate::Skipped(reason),
    };
    if ours.violation.is_some() != theirs.violation.is_some() {
        let word = |violation: Option<String>| violation.unwrap_or_else(|| "holds".to_string());
        return Fate::Different(format!("spin: {}; ours: {}", word(theirs.violation), word(ours.violation)));
    }
    if ours.states != theirs.states {
        return Fate::Different(format!("spin {} states, ours {}", theirs.states, ours.states));
    }
    Fate::Same { transitions: ours.transitions == theirs.transitions }
}

fn ours(text: &str) -> Result<Said, Fate> {
    let tree =
        testkit::parse(text).map_err(|message| Fate::Different(format!("refused by us: {message}")))?;
    let program = promela::lower(&tree).map_err(|_| Fate::Different("not lowered".to_string()))?;
    let limits = Limits { states: MAX_STATES, time: Some(Duration::from_secs(10)), ..Limits::default() };
    let options = search::Options { limits, stop_after: None, ..search::Options::default() };
    let findings = search::run(&ir::Interpreter::new(program), &options);
    if !findings.complete {
        return Err(Fate::Skipped("more states than the limit".to_string()));
    }
    let violation = match findings.verdict {
        Verdict::Violated(violation) if violation.reason == search::Reason::RuntimeError => {
            return Err(Fate::Skipped("a runtime error, which ends our path but not Spin's".to_string()));
        }
        Verdict::Violated(violation) => Some(violation.reason.to_string()),
        _ => None,
    };
    let statistics = findings.statistics;
    Ok(Said { violation, states: statistics.states, transitions: statistics.transitions() })
}

fn theirs(spin: &Spin, text: &str, seed: u64) -> Result<Said, String> {
    let dir = place::generated("conformance").join(format!("random-{seed}.work"));
    let file = place::generated("conformance").join(format!("random-{seed}.pml"));
    let written =
        std::fs::create_dir_all(place::generated("conformance")).and_then(|()| std::fs::write(&file, text));
    written.map_err(|error| format!("{}: {error}", file.display()))?;
    let said = pan(spin, &file, &dir);
    let _ = std::fs::remove_dir_all(&dir);
    let _ = std::fs::remove_file(&file);
    said
}

fn pan(spin: &Spin, file: &Path, dir: &Path) -> Result<Said, String> {
    let flags = ["-O0", "-DVECTORSZ=4096"];
    let pan = spin.build(file, dir, &flags).map_err(|refusal| refusal.to_string())?;
    let args = ["-n", "-c0", "-m200000", "-w18"].map(String::from);
    let summary = spin::summary(&pan.run(&args, Duration::from_secs(20))?);
    match summary.incomplete {
        Some(reason) => Err(format!("pan: {reason}")),
        None => Ok(Said {
            violation: (summary.errors > 0).then(|| summary.first_error.unwrap_or_default()),
            states: summary.states,
            transitions: summary.transitions,
        }),
    }
}

/// A small program that still differs, and the file where it is kept.
fn smallest(spin: &Spin, seed: u64) -> (PathBuf, String) {
    let mut tries = 0;
    let small = shrink::shrink(&random::program(seed, Features::COMPARABLE), |text| {
        tries += 1;
        tries <= MAX_TRIES
            && matches!(examine(spin, text, seed), Fate::Different(how) if !how.starts_with("refused"))
    });
    let text = small.text();
    let file = place::generated("conformance").join(format!("different-{seed}.pml"));
    // The text is printed anyway.
    let _ = std::fs::write(&file, &text);
    (file, text)
}
