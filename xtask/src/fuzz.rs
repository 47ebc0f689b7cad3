//! Mutated models through the whole front end and a short search: nothing may panic or hang.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use clap::Args;
use testkit::random::Prng;

use crate::{corpus, mutate, place};

/// How long one mutant may take before it counts as a hang; the search's own limit is shorter.
const HANG: Duration = Duration::from_secs(20);

/// Files beyond this size are left out: a mutation in them shows no more than in a small one.
const LARGEST: u64 = 200_000;

/// What to fuzz.
#[derive(Args)]
pub struct Options {
    /// How many mutants.
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    rounds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only models whose path contains this.
    #[arg(long, default_value = "", value_name = "TEXT")]
    filter: String,
}

/// How far a mutant came.
enum Fate {
    Rejected,
    NotLowered,
    Explored,
}

/// A mutant on its way to the worker.
struct Mutant {
    name: String,
    text: Vec<u8>,
}

/// Sends mutants through. False if one panics or hangs.
pub fn run(options: &Options) -> Result<bool, String> {
    let files = files(&options.filter)?;
    let dir = place::generated("fuzz");
    std::fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let (mut rejected, mut not_lowered, mut explored, mut faults) = (0, 0, 0, 0);
    let start = Instant::now();
    let mut slowest = Duration::ZERO;
    let (mut work, mut results) = worker();
    for seed in options.seed..options.seed + options.rounds {
        let mut prng = Prng::new(seed);
        let (path, text) = mutate::mutant(&files, &mut prng)?;
        // Written first: a stack overflow or an abort leaves nothing else behind.
        let file = dir.join("last.pml");
        std::fs::write(&file, &text).map_err(|error| format!("{}: {error}", file.display()))?;
        let began = Instant::now();
        let name = path.to_string_lossy().into_owned();
        let sent = work.send(Mutant { name, text: text.clone() });
        let answer = sent.ok().and_then(|()| results.recv_timeout(HANG).ok());
        slowest = slowest.max(began.elapsed());
        match answer {
            Some(Ok(Fate::Rejected)) => rejected += 1,
            Some(Ok(Fate::NotLowered)) => not_lowered += 1,
            Some(Ok(Fate::Explored)) => explored += 1,
            fault => {
                faults += 1;
                let kept = dir.join(format!("{seed}.pml"));
                std::fs::write(&kept, &text).map_err(|error| format!("{}: {error}", kept.display()))?;
                let what = match fault {
                    Some(Err(message)) => format!("panic: {message}"),
                    _ => "hang".to_string(),
                };
                println!(
                    "FAULT      seed {seed}, from {}: {what}; kept as {}",
                    path.display(),
                    kept.display()
                );
                // A worker that hangs cannot be stopped: it is left behind.
                (work, results) = worker();
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "fuzz: seeds {} to {}: {rejected} rejected, {not_lowered} not lowered, {explored} explored, {faults} faults",
        options.seed,
        options.seed + options.rounds - 1
    );
    println!("  {seconds:.0} s, the slowest took {:.2} s", slowest.as_secs_f64());
    Ok(faults == 0)
}

/// The corpus, or the bundled models where it is not there.
fn files(filter: &str) -> Result<Vec<PathBuf>, String> {
    let mut files: Vec<PathBuf> = match corpus::rows(filter) {
        // What Spin rejects is mutated too, but less often.
        Ok(rows) => rows
            .into_iter()
            .filter(|row| row.accepted || row.path.len() % 4 == 0)
            .map(|row| row.file)
            .collect(),
        Err(reason) => {
            println!("only the bundled models: {reason}");
            let dir = place::workspace().join("models");
            let entries = std::fs::read_dir(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
            entries.flatten().map(|entry| entry.path()).collect()
        }
    };
    files.retain(|file| file.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST));
    files.sort();
    if files.is_empty() { Err("no models to mutate".to_string()) } else { Ok(files) }
}

/// A thread with the stack that a main thread usually has.
fn worker() -> (mpsc::Sender<Mutant>, mpsc::Receiver<Result<Fate, String>>) {
    let (work, mutants) = mpsc::channel::<Mutant>();
    let (sender, results) = mpsc::channel();
    let body = move || {
        for mutant in mutants {
            let outcome = catch_unwind(AssertUnwindSafe(|| pipeline(mutant)));
            let outcome = outcome.map_err(|panic| {
                let text = panic.downcast_ref::<String>().cloned();
                text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
            });
            if sender.send(outcome).is_err() {
                break;
            }
        }
    };
    std::thread::Builder::new().stack_size(8 << 20).spawn(body).expect("a thread can be started");
    (work, results)
}

/// Reads, translates and explores a mutant.
fn pipeline(mutant: Mutant) -> Fate {
    let Ok(text) = promela::decode(mutant.text) else { return Fate::Rejected };
    let loader = |path: &Path| std::fs::read(path);
    let Ok(parsed) = promela::parse(&mutant.name, text, &promela::Options::default(), &loader) else {
        return Fate::Rejected;
    };
    let Ok(program) = promela::lower(&parsed.program) else { return Fate::NotLowered };
    let model = ir::Interpreter::new(program);
    let limits = search::Limits {
        states: 2000,
        time: Some(Duration::from_secs(2)),
        memory: 1 << 30,
        ..search::Limits::default()
    };
    search::run(&model, &search::Options { limits, stop_after: None, ..search::Options::default() });
    Fate::Explored
}
