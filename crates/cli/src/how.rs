//! What the options say about how properties are checked.

use ::check::Fairness;
use ::check::options::{Copies, Deadlocks, Engine, Limits, Options, Search, Store};
use ::check::prefer::Por;

use crate::Outcome;
use crate::args::{CheckArgs, CopiesArg, DeadlockArg, EngineArg, FairnessArg, HowArgs, LimitArgs, StoreArg};
use crate::exit::Stop;
use crate::limits;

/// What is wanted of an answer.
pub fn options(args: &CheckArgs) -> Outcome<Options> {
    let how = &args.how;
    refuse_unavailable(how)?;
    let threads = how.threads.map_or_else(default_threads, |threads| threads as usize);
    let search = how.search.as_deref().map(search).transpose()?;
    Ok(Options {
        search,
        compresses: how.compress.is_none(),
        por: how.por.as_deref().map_or(Ok(Por::Best), por)?,
        fairness: match how.fairness {
            FairnessArg::None => Fairness::None,
            FairnessArg::Weak => Fairness::Weak,
            FairnessArg::Strong => Fairness::Strong,
        },
        copies: how.fairness_copies.map(|copies| match copies {
            CopiesArg::NPlusOne => Copies::NPlusOne,
            CopiesArg::NPlusTwo => Copies::NPlusTwo,
        }),
        store: how.store.map(|store| match store {
            StoreArg::Table => Store::Table,
            StoreArg::Tree => Store::Tree,
            StoreArg::Cleary => Store::Cleary,
            StoreArg::Bitstate => Store::Bitstate,
            StoreArg::HashCompact => Store::HashCompact,
        }),
        engine: match how.engine {
            EngineArg::Jit => Engine::Jit,
            EngineArg::Interpreter => Engine::Interpreter,
        },
        threads,
        fills_cores: threads >= default_threads(),
        stop_after: if args.what.all_errors { None } else { Some(1) },
        shortens: search.is_none(),
        deadlocks: match args.what.ctl_deadlock {
            DeadlockArg::Stutter => Deadlocks::Stutter,
            DeadlockArg::End => Deadlocks::End,
        },
        seed: how.seed,
        limits: limits(&args.limits),
        ..Options::default()
    })
}

/// The limits.
pub fn limits(args: &LimitArgs) -> Limits {
    Limits {
        memory: args.max_memory.unwrap_or_else(limits::default_memory),
        time: args.max_time,
        states: args.max_states.unwrap_or(u64::MAX),
        depth: args.max_depth.unwrap_or(u64::MAX),
    }
}

/// As many as the machine has cores.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The search that a name stands for.
fn search(name: &str) -> Outcome<Search> {
    Search::named(name).ok_or_else(|| {
        let message = format!(
            "`--search {name}`: no such choice; use reach, dfs, bfs, scc, ndfs, ndfs-basic, cndfs, guided or walk"
        );
        Stop::refuse("E0001", message)
    })
}

/// What a name says about partial-order reduction.
fn por(name: &str) -> Outcome<Por> {
    Por::named(name).ok_or_else(|| {
        let known = "none, local, ample, stubborn, deletion or weak";
        if matches!(name, "cluster" | "conflict") {
            Stop::unavailable(&format!("`--por {name}`"), &format!("use {known}"))
        } else {
            Stop::refuse("E0001", format!("`--por {name}`: no such choice; use {known}"))
        }
    })
}

fn refuse_unavailable(how: &HowArgs) -> Outcome<()> {
    let known = ["none", "full", "sorted", "segmented", "pc-sorted", "pc-segmented", "auto"];
    // The first is the one that there is.
    if how.symmetry != known[0] {
        return Err(unavailable_value("--symmetry", &how.symmetry, &known));
    }
    if how.compress_transitions {
        return Err(Stop::unavailable("--compress-transitions", "leave it out"));
    }
    match how.compress.as_deref() {
        None | Some("none" | "chains") => Ok(()),
        Some("full") => Err(Stop::unavailable("`--compress full`", "use `--compress chains`")),
        Some(value) => {
            Err(Stop::refuse("E0001", format!("`--compress {value}`: no such choice; use none or chains")))
        }
    }
}

fn unavailable_value(option: &str, value: &str, known: &[&str]) -> Stop {
    if known.contains(&value) {
        Stop::unavailable(&format!("`{option} {value}`"), &format!("use `{option} {}`", known[0]))
    } else {
        Stop::refuse("E0001", format!("`{option} {value}`: no such choice; use `{option} {}`", known[0]))
    }
}
