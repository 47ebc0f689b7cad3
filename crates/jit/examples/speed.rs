//! How long the successors of a state take, without a store: the interpreter and generated code.
//!
//! `cargo run --release -p jit --example speed -- [-n STATES] [-r ROUNDS] MODEL...`
//!
//! The states are taken evenly from the first ones of a breadth-first search and replayed in that order;
//! each number is the best of several rounds.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ir::Interpreter;
use jit::{Native, Options, Purpose};
use model::{Actions, Model, OutcomeKind, Successors};

fn main() {
    let (mut n_states, mut rounds) = (16_384, 15);
    println!(
        "model\tstates\twords\tsucc/state\tinterpreter\texpand\tenabled+fire\tcompile ms\tcode B\tbailed\tleft\tchains"
    );
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "-n" {
            n_states = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(n_states);
            continue;
        }
        if argument == "-r" {
            rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(rounds);
            continue;
        }
        measure(Path::new(&argument), n_states, rounds);
    }
}

fn measure(path: &Path, n_states: usize, rounds: usize) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some(program) = lower(path) else { return println!("{name}\tcannot be read") };
    let interpreter = Arc::new(Interpreter::new(program));
    let begin = Instant::now();
    let native = Native::new(interpreter.clone(), Options::new(Purpose::Everything));
    native.wait();
    let compile = begin.elapsed().as_secs_f64() * 1e3;
    if let Some(failure) = native.failure() {
        return println!("{name}\t{failure}");
    }
    let chosen = Native::new(interpreter.clone(), Options::new(Purpose::Chosen));
    chosen.wait();
    let states = sample(&native, n_states);
    // One after the other: how states come out of a store is not measured here.
    let flat: Vec<u64> = states.concat();
    let mut start = 0;
    let states: Vec<&[u64]> = states
        .iter()
        .map(|state| {
            start += state.len();
            &flat[start - state.len()..start]
        })
        .collect();
    let slow = replay(&states, 3, |state, actions, out| {
        interpreter.expand(state, actions, out);
    });
    let before = native.statistics();
    let fast = replay(&states, rounds, |state, actions, out| {
        native.expand(state, actions, out);
    });
    let after = native.statistics();
    let listed = replay(&states, 15, |state, actions, out| {
        chosen.enabled(state, actions);
        chosen.fire(actions, state, out);
    });
    assert_eq!(slow.outcomes, fast.outcomes, "the same number of outcomes");
    let calls = (rounds * states.len()) as u64;
    let percent = |now: u64, then: u64| 100.0 * (now - then) as f64 / calls as f64;
    println!(
        "{name}\t{}\t{}\t{:.2}\t{:.0}\t{:.1}\t{:.1}\t{:.2}\t{}\t{:.1}%\t{:.1}%\t{:.1}%",
        states.len(),
        states.last().map_or(0, |state| state.len()),
        slow.outcomes as f64 / states.len() as f64,
        slow.nanoseconds,
        fast.nanoseconds,
        listed.nanoseconds,
        compile,
        native.code_bytes().unwrap_or(0),
        percent(after.bailed, before.bailed),
        percent(after.left, before.left),
        percent(after.chains, before.chains),
    );
}

struct Measured {
    nanoseconds: f64,
    outcomes: usize,
}

/// Nanoseconds per outcome, in the best of so many rounds.
fn replay(
    states: &[&[u64]],
    rounds: usize,
    mut expand: impl FnMut(&[u64], &mut Actions, &mut Successors),
) -> Measured {
    let (mut actions, mut out) = (Actions::default(), Successors::default());
    let mut best = Measured { nanoseconds: f64::INFINITY, outcomes: 0 };
    for _ in 0..rounds {
        let begin = Instant::now();
        let (mut outcomes, mut sum) = (0, 0u64);
        for state in states {
            out.clear();
            expand(state, &mut actions, &mut out);
            outcomes += out.outcomes.len();
            // Somebody has to look at the states.
            for outcome in &out.outcomes {
                if let OutcomeKind::State(range) = &outcome.kind {
                    sum = sum.wrapping_add(out.words[range.end as usize - 1]);
                }
            }
        }
        std::hint::black_box(sum);
        let nanoseconds = begin.elapsed().as_nanos() as f64 / outcomes.max(1) as f64;
        best = Measured { nanoseconds: best.nanoseconds.min(nanoseconds), outcomes };
    }
    best
}

/// States from the first `25 * n` of a breadth-first search, evenly.
fn sample(model: &dyn Model, n: usize) -> Vec<Vec<u64>> {
    let mut initial = Vec::new();
    model.initial(&mut initial).expect("there is an initial state");
    let mut known = HashSet::from([initial.clone()]);
    let mut all = vec![initial];
    let (mut actions, mut out) = (Actions::default(), Successors::default());
    let mut next = 0;
    while next < all.len() && all.len() < 25 * n {
        let state = all[next].clone();
        next += 1;
        out.clear();
        model.expand(&state, &mut actions, &mut out);
        for outcome in &out.outcomes {
            if let OutcomeKind::State(range) = &outcome.kind
                && known.insert(out.state(range).to_vec())
            {
                all.push(out.state(range).to_vec());
            }
        }
    }
    let step = (all.len() / n).max(1);
    all.into_iter().step_by(step).take(n).collect()
}

fn lower(path: &Path) -> Option<ir::Program> {
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    let loader = |path: &Path| std::fs::read(path);
    let name = path.display().to_string();
    let parsed = promela::parse(&name, text, &promela::Options::default(), &loader).ok()?.accept().ok()?;
    promela::lower(&parsed.program).ok()
}
