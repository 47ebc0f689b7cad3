//! Generated code does exactly what the interpreter does: the models of the repository, random programs,
//! and the public models, if they are there.
//!
//! `STUBBORN_ROUNDS` says how many random programs, `STUBBORN_SEED` which one to start with,
//! `STUBBORN_STATES` how many states of each program are compared.

mod support;

use model::Model;
use support::{Share, compare, files, lower, lower_file, root};
use testkit::random::Features;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn check(name: &str, program: ir::Program, limit: usize, total: &mut Share) {
    match compare(program, limit) {
        Ok(share) => total.add(share),
        Err(message) => panic!("{name}: {message}"),
    }
}

#[test]
fn small_models_of_the_language() {
    let mut total = Share::default();
    let limit = setting("STUBBORN_STATES", 300) as usize;
    for file in ["models.tsv", "regressions.tsv"] {
        let text = std::fs::read_to_string(root().join("tests/language").join(file)).expect("it is there");
        for line in text.lines() {
            let mut columns = line.splitn(6, '\t');
            let (name, text) = (columns.next().unwrap_or_default(), columns.nth(4).unwrap_or_default());
            if let Some(program) = lower(name, text.replace("\\n", "\n")) {
                check(name, program, limit, &mut total);
            }
        }
    }
    println!("{total:?}");
    assert!(total.states > 4_000, "{total:?}");
}

#[test]
fn models_of_the_repository() {
    let mut total = Share::default();
    let limit = setting("STUBBORN_STATES", 2_000) as usize;
    for folder in ["models", "tests/reduction", "tests/temporal"] {
        for path in files(&root().join(folder), "pml") {
            if let Some(program) = lower_file(&path) {
                let mut share = Share::default();
                check(&path.display().to_string(), program, limit, &mut share);
                println!("{} {share:?}", path.display());
                total.add(share);
            }
        }
    }
    println!("{total:?}");
    assert!(total.bailed * 20 < total.states, "{total:?}");
    assert!(total.left * 10 < total.actions, "{total:?}");
}

#[test]
fn hand_written_programs() {
    let mut total = Share::default();
    for path in files(&root().join("crates/ir/tests/programs"), "ir") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let program = ir::text::parse(&text).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
        check(&path.display().to_string(), program, 1_000, &mut total);
    }
    println!("{total:?}");
}

/// Numbers of processes have more than one byte, and are in the actions that generated code writes: of those that act
/// alone, meet, and go on with a chain.
#[test]
fn many_processes() {
    let text = "chan c = [0] of { short }; short last; bool done;
        proctype Idle() { end: done && last < 0 }
        proctype Sender(short n) { c ! n; atomic { last = n; done = true } }
        proctype Receiver() { short n; end: do :: c ? n -> last = n od }
        init { short i; atomic {
            for (i : 1 .. 400) { run Idle() }
            for (i : 1 .. 3) { run Sender(i); run Receiver() }
        } }";
    let mut interpreter = ir::Interpreter::new(lower("many", text.to_string()).expect("it is a model"));
    interpreter.allow_processes(500);
    let share = support::compare_with(interpreter, 100).unwrap_or_else(|message| panic!("{message}"));
    println!("{share:?}");
    assert!(share.states == 100 && share.actions > 300 && share.fused > 0, "{share:?}");
}

fn random_programs(features: Features, first: u64, rounds: u64) {
    let mut total = Share::default();
    for seed in first..first + rounds {
        let text = testkit::random::program(seed, features).text();
        let program = promela::lower(&testkit::parse(&text).expect("it parses")).expect("it can be lowered");
        match compare(program, setting("STUBBORN_STATES", 300) as usize) {
            Ok(share) => total.add(share),
            Err(message) => panic!("seed {seed}: {message}\n{text}"),
        }
    }
    println!("{total:?}");
    assert!(total.bailed * 2 < total.states && total.fused > rounds / 2, "{total:?}");
}

#[test]
fn random_programs_with_everything() {
    let features = Features { priorities: false, traces: false, ..Features::ALL };
    random_programs(features, setting("STUBBORN_SEED", 1), setting("STUBBORN_ROUNDS", 200));
}

#[test]
fn random_programs_without_chains() {
    let features = Features { priorities: false, atomic: false, traces: false, ..Features::ALL };
    random_programs(features, setting("STUBBORN_SEED", 50_001), setting("STUBBORN_ROUNDS", 100));
}

#[test]
fn public_models() {
    let Some(corpus) = testkit::corpus::part("promela", "expected.tsv") else { return };
    let limit = setting("STUBBORN_STATES", 100) as usize;
    let mut total = Share::default();
    let mut seen = 0;
    for path in ["pml", "pm", "prm", "promela"].iter().flat_map(|ending| files(&corpus, ending)) {
        let Some(program) = lower_file(&path) else { continue };
        if program.processes.iter().map(|process| process.locations.len()).sum::<usize>() > 2_000 {
            continue;
        }
        seen += 1;
        let mut share = Share::default();
        check(&path.display().to_string(), program, limit, &mut share);
        if share.bailed * 10 > share.states || share.left * 5 > share.actions {
            println!("{} {share:?}", path.display());
        }
        total.add(share);
    }
    println!("{seen} models, {total:?}");
    assert!(total.bailed * 4 < total.states && total.plain * 2 > total.states, "{total:?}");
    assert!(total.fused * 2 > seen, "{total:?}");
}

/// Searches run on a model from several threads, and begin before the code is there.
#[test]
fn several_threads_may_begin_before_the_code_is_there() {
    let path = root().join("models/leader.pml");
    let interpreter = std::sync::Arc::new(ir::Interpreter::new(lower_file(&path).expect("it is a model")));
    let expected = support::reachable(interpreter.as_ref());
    let mut n_fused = 0;
    for fuse_after in [1, 30, 300, u64::MAX] {
        let wait_for_fused = fuse_after == 30;
        let everything = jit::Options::new(jit::Purpose::Everything);
        let options = jit::Options { fuse_after, wait_for_fused, ..everything };
        let native = jit::Native::new(interpreter.clone(), options);
        std::thread::scope(|scope| {
            let searches: Vec<_> = (0..4).map(|_| scope.spawn(|| support::reachable(&native))).collect();
            for search in searches {
                assert_eq!(search.join().expect("no panic"), expected);
            }
        });
        // The searches may have been over before there was code.
        native.wait();
        assert_eq!(support::reachable(&native), expected);
        native.wait();
        n_fused += native.n_fused();
    }
    assert!(n_fused > 0);
}

#[test]
fn code_is_made_when_it_is_worth_it() {
    let path = root().join("models/leader.pml");
    let interpreter = std::sync::Arc::new(ir::Interpreter::new(lower_file(&path).expect("it is a model")));
    for care in [jit::Care::Quick, jit::Care::Best] {
        let options = jit::Options { care, begin_after: 20, ..jit::Options::new(jit::Purpose::Everything) };
        let native = jit::Native::new(interpreter.clone(), options);
        let mut state = Vec::new();
        native.initial(&mut state).expect("there is an initial state");
        let (mut actions, mut out) = (model::Actions::default(), model::Successors::default());
        let mut expand = |n: u32| (0..n).for_each(|_| assert!(native.expand(&state, &mut actions, &mut out)));
        expand(20);
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(!native.is_ready());
        expand(1);
        let begun = std::time::Instant::now();
        while !native.is_ready() {
            assert!(begun.elapsed().as_secs() < 60, "{:?}", native.failure());
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert_eq!(support::reachable(&native), support::reachable(interpreter.as_ref()));
    }
}

/// Where that is wanted, whoever asks for code for processes that live together has it before going on.
#[test]
fn fused_code_may_be_waited_for() {
    let path = root().join("models/leader.pml");
    let interpreter = std::sync::Arc::new(ir::Interpreter::new(lower_file(&path).expect("it is a model")));
    let everything = jit::Options::new(jit::Purpose::Everything);
    let native = jit::Native::new(
        interpreter.clone(),
        jit::Options { fuse_after: 20, wait_for_fused: true, ..everything },
    );
    native.wait();
    let mut state = Vec::new();
    native.initial(&mut state).expect("there is an initial state");
    let (mut actions, mut out) = (model::Actions::default(), model::Successors::default());
    let mut expand = |n: u32| (0..n).for_each(|_| assert!(native.expand(&state, &mut actions, &mut out)));
    expand(19);
    assert_eq!(native.n_fused(), 0);
    expand(1);
    assert_eq!(native.n_fused(), 1);
    assert_eq!(support::reachable(&native), support::reachable(interpreter.as_ref()));
}

/// Whoever drops a model need not wait until code is there that it has asked for.
#[test]
fn a_model_may_go_while_code_is_made() {
    for path in files(&root().join("models"), "pml") {
        let Some(program) = lower_file(&path) else { continue };
        let interpreter = std::sync::Arc::new(ir::Interpreter::new(program));
        for n_expanded in 0..4 {
            let options = jit::Options { fuse_after: 1, ..jit::Options::new(jit::Purpose::Everything) };
            let native = jit::Native::new(interpreter.clone(), options);
            if n_expanded > 0 {
                native.wait();
            }
            let mut state = Vec::new();
            native.initial(&mut state).expect("there is an initial state");
            let (mut actions, mut out) = (model::Actions::default(), model::Successors::default());
            (0..n_expanded).for_each(|_| {
                native.expand(&state, &mut actions, &mut out);
            });
        }
    }
}
