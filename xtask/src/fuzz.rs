//! Mutated models through the whole front end and short searches, mutated formulas and automata
//! through their readers: nothing may panic or hang, and the searches must agree.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use clap::Args;
use logic::{Dialect, Goal};
use model::Patience;
use model::Random;
use promela::PropertyKind;
use search::{Cycles, Emptiness, Fairness, Flags, Forbidden, Limits, Reason, Verdict};

use crate::{corpus, mutate, place};

/// How long one mutant may take before it counts as a hang; the search's own limit is shorter.
const HANG: Duration = Duration::from_secs(20);

/// Files beyond this size are left out: a mutation in them shows no more than in a small one.
const LARGEST: u64 = 200_000;

/// How many properties of a mutant are checked.
const MAX_PROPERTIES: usize = 2;

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
    Explored { properties: u64 },
}

/// A mutant on its way to the worker.
struct Mutant {
    name: String,
    text: Vec<u8>,
    formula: String,
    seed: u64,
}

/// Sends mutants through. False if one panics or hangs.
pub fn run(options: &Options) -> Result<bool, String> {
    let files = files(&options.filter)?;
    let formulas = formulas();
    let dir = place::generated("fuzz");
    std::fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let (mut rejected, mut not_lowered, mut explored, mut checked, mut faults) = (0, 0, 0, 0, 0);
    let start = Instant::now();
    let mut slowest = Duration::ZERO;
    let (mut work, mut results) = worker();
    for seed in options.seed..options.seed + options.rounds {
        let mut prng = Random::new(seed);
        let (path, text) = mutate::mutant(&files, &mut prng)?;
        let formula = mutated_formula(&formulas, &mut prng);
        // Written first: a stack overflow or an abort leaves nothing else behind.
        let file = dir.join("last.pml");
        std::fs::write(&file, &text).map_err(|error| format!("{}: {error}", file.display()))?;
        let began = Instant::now();
        let name = path.to_string_lossy().into_owned();
        let sent = work.send(Mutant { name, text: text.clone(), formula, seed });
        let answer = sent.ok().and_then(|()| results.recv_timeout(HANG).ok());
        slowest = slowest.max(began.elapsed());
        match answer {
            Some(Ok(Fate::Rejected)) => rejected += 1,
            Some(Ok(Fate::NotLowered)) => not_lowered += 1,
            Some(Ok(Fate::Explored { properties })) => {
                explored += 1;
                checked += properties;
            }
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
        "fuzz: seeds {} to {}: {rejected} rejected, {not_lowered} not lowered, {explored} explored with {checked} temporal properties, {faults} faults",
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
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                read_formula(&mutant);
                pipeline(mutant)
            }));
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

/// Some formulas: those of the corpus, if it is there.
fn formulas() -> Vec<String> {
    let text =
        place::formulas().ok().and_then(|dir| std::fs::read_to_string(dir.join("literature.tsv")).ok());
    let text = text.unwrap_or_else(|| "\nG(a -> Fb)\n[]<>(x + 1 < y) || P[1]@L U q\nGFa <-> GFb".to_string());
    text.lines().skip(1).filter_map(|line| line.split('\t').next()).map(String::from).collect()
}

fn mutated_formula(formulas: &[String], prng: &mut Random) -> String {
    let (formula, other) = (prng.pick(formulas).clone(), prng.pick(formulas).clone());
    let bytes = mutate::mutated(formula.into_bytes(), other.as_bytes(), prng);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads a formula in all dialects, translates it, and reads the mutated text of its automaton.
fn read_formula(mutant: &Mutant) {
    let mut prng = Random::new(mutant.seed);
    for dialect in [Dialect::Inline, Dialect::SpinF, Dialect::Spot, Dialect::Ltsmin, Dialect::Auto] {
        let Ok(parsed) = logic::parse(&mutant.formula, dialect) else { continue };
        let (formula, atoms) = parsed.formula.numbered();
        if atoms.len() > logic::MAX_ATOMS {
            continue;
        }
        let goal = *prng.pick(&[Goal::StateBased, Goal::Generalised]);
        let Ok(automaton) = logic::translate(&formula, goal, &Patience::default()) else { continue };
        let text = logic::hoa::write(&automaton, &atoms, Some(&mutant.formula));
        logic::hoa::read(&text, &Patience::default())
            .expect("there is time")
            .expect("what we write can be read");
        let bytes = mutate::mutated(text.clone().into_bytes(), text.as_bytes(), &mut prng);
        // That it is refused is as good.
        let _ = logic::hoa::read(&String::from_utf8_lossy(&bytes), &Patience::default());
    }
}

/// Reads, translates and explores a mutant, and checks its temporal properties.
fn pipeline(mutant: Mutant) -> Fate {
    let Ok(text) = promela::decode(&mutant.name, mutant.text) else { return Fate::Rejected };
    let loader = |path: &Path| std::fs::read(path);
    let Ok(parsed) = promela::parse(&mutant.name, text, &promela::Options::default(), &loader)
        .expect("there is time")
        .accept()
    else {
        return Fate::Rejected;
    };
    let Ok(lowered) =
        promela::lower_with_properties(&parsed.program, &Patience::default()).expect("there is time")
    else {
        return Fate::NotLowered;
    };
    let model = ir::Interpreter::new(lowered.program);
    search::run(&model, &search::Options { stop_after: None, ..options(2000, Duration::from_secs(2)) });
    for property in lowered.properties.iter().take(MAX_PROPERTIES) {
        check_property(&model, property);
    }
    Fate::Explored { properties: lowered.properties.len().min(MAX_PROPERTIES) as u64 }
}

fn options(states: u64, time: Duration) -> search::Options {
    let limits = Limits { states, time: Some(time), memory: 1 << 30, ..Limits::default() };
    search::Options { limits, ..search::Options::default() }
}

/// Lets all searches decide a property. Those that come to an end must agree.
fn check_property(model: &ir::Interpreter, property: &promela::Property) {
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let mut decided = None;
        for emptiness in [Emptiness::Weak, Emptiness::Scc, Emptiness::Ndfs, Emptiness::NdfsBasic] {
            let nested = matches!(emptiness, Emptiness::Ndfs | Emptiness::NdfsBasic);
            let goal = if nested { Goal::StateBased } else { Goal::Generalised };
            let Some(forbidden) = forbidden(property, goal) else { return };
            let cycles = Cycles { emptiness, fairness, flags: Flags::NPlusOne };
            if !cycles.suits(&forbidden.automaton) {
                continue;
            }
            let options = options(1000, Duration::from_millis(500));
            let found = search::find_cycle(model, &forbidden, &cycles, &options).verdict;
            if matches!(found, Verdict::Unknown(_)) {
                continue;
            }
            let violated = found != Verdict::Holds;
            let first = *decided.get_or_insert(violated);
            assert_eq!(violated, first, "{}: {cycles:?} does not agree with others", property.name);
        }
    }
}

/// The runs that a property forbids, unless its formula is too large.
fn forbidden(property: &promela::Property, goal: Goal) -> Option<Forbidden> {
    let (automaton, fails_at) = match &property.kind {
        PropertyKind::Never(claim) => (claim.automaton.clone(), claim.fails_at),
        PropertyKind::Ltl { formula, .. } => {
            (logic::translate(&formula.clone().negated(), goal, &Patience::default()).ok()?, None)
        }
    };
    let atoms = property.atoms.clone();
    Some(Forbidden { automaton, atoms, fails_at, stutters: true, reason: Reason::AcceptanceCycle })
}
