//! Reduced searches of random programs against full ones: the same verdict, the same statements
//! executed, the same deadlocks, and every violation replays. (Infinite runs: see `liveness`.)
//!
//! `STUBBORN_ROUNDS` says how many programs, `STUBBORN_SEED` which one to start with.

use ir::{Interpreter, Player};
use model::{Model, Patience};
use por::{Method, Preserves, Reduction};
use replay::Evidence;
use search::{Checks, Findings, Limits, Options, Order, Statistics, Store, Verdict};
use testkit::random::{Features, Outline, looping_program, program, trace_program};

/// Larger programs are left out.
const MOST_STATES: u64 = 2_000;

/// How much was compared.
#[derive(Debug, Default)]
struct Tally {
    n_programs: u64,
    n_violated: u64,
    /// Runs in which less than everything was explored somewhere.
    n_reduced: u64,
}

fn options(order: Order, checks: Checks, reduction: Option<Reduction>) -> Options {
    let limits = Limits { states: MOST_STATES, ..Limits::default() };
    let threads = if order == Order::Any { 3 } else { 1 };
    Options { order, checks, reduction, threads, limits, stop_after: None, ..Options::default() }
}

fn plan(method: Method, preserves: Preserves) -> Option<Reduction> {
    Some(Reduction { method, preserves, watched: Vec::new() })
}

/// Compares all ways of reduction with none.
fn compare(text: &str, tally: &mut Tally) -> Result<(), String> {
    let tree = testkit::parse(text)?;
    let interpreter = Interpreter::new(promela::lower(&tree).map_err(|errors| format!("{errors:?}"))?);
    let full = search::run(&interpreter, &options(Order::Depth, Checks::SAFETY, None));
    if !full.complete || interpreter.hindrance().is_some() {
        return Ok(());
    }
    tally.n_programs += 1;
    tally.n_violated += u64::from(is_violated(&full));
    let failures = search::run(&interpreter, &options(Order::Depth, Checks::NONE, None)).statistics.errors;
    let deadlocks = search::run(&interpreter, &options(Order::Depth, Checks::DEADLOCK, None));
    for store in [Store::Compressed, Store::Tree, Store::Table] {
        let shared = Options { store, ..options(Order::Any, Checks::SAFETY, None) };
        let any = search::run(&interpreter, &shared);
        same_runs(&full, &any).map_err(|why| format!("{store:?}: {why}"))?;
        let counts = |findings: &Findings| {
            let Statistics { states, matched, errors, .. } = findings.statistics;
            (states, matched, errors)
        };
        if counts(&any) != counts(&full) {
            return Err(format!("{store:?}: {:?} instead of {:?}", counts(&any), counts(&full)));
        }
        check_violation(&interpreter, &shared).map_err(|why| format!("{store:?}: {why}"))?;
    }
    for method in Method::ALL {
        for order in [Order::Depth, Order::Breadth, Order::Any] {
            let name = format!("{method:?} {order:?}");
            let runs = options(order, Checks::SAFETY, plan(method, Preserves::FiniteRuns));
            let reduced = search::run(&interpreter, &runs);
            tally.n_reduced += u64::from(reduced.statistics.reduced > 0);
            same_runs(&full, &reduced).map_err(|why| format!("{name}: {why}"))?;
            check_violation(&interpreter, &runs).map_err(|why| format!("{name}: {why}"))?;
            // Without a proviso, whatever can fail at run time may be postponed for ever.
            if failures == 0 {
                let ends = options(order, Checks::DEADLOCK, plan(method, Preserves::Deadlocks));
                let reduced = search::run(&interpreter, &ends);
                let (here, there) = (reduced.statistics.errors, deadlocks.statistics.errors);
                if here != there {
                    return Err(format!("{name}: {here} deadlocks of {there}"));
                }
            }
        }
    }
    Ok(())
}

fn is_violated(findings: &Findings) -> bool {
    matches!(findings.verdict, Verdict::Violated(_))
}

/// Whether two searches have seen the same violations and statements.
fn same_runs(full: &Findings, reduced: &Findings) -> Result<(), String> {
    if !reduced.complete {
        return Err("not complete".to_string());
    }
    if is_violated(full) != is_violated(reduced) {
        return Err(format!("violated {} of {}", is_violated(reduced), is_violated(full)));
    }
    if full.executed != reduced.executed {
        return Err("other statements are executed".to_string());
    }
    if reduced.statistics.states > full.statistics.states {
        return Err("more states than there are".to_string());
    }
    Ok(())
}

/// The first violation that a search finds must be one.
fn check_violation(interpreter: &Interpreter, options: &Options) -> Result<(), String> {
    let options = Options { stop_after: Some(1), ..options.clone() };
    let Verdict::Violated(violation) = search::run(interpreter, &options).verdict else { return Ok(()) };
    let evidence = violation.evidence.failure().cloned().map_or(Evidence::Stuck, Evidence::Failure);
    let play = Player::start(interpreter);
    let replayed = replay::replay(play, &violation.trace, &evidence, &Patience::default());
    replayed.map(|_| ()).map_err(|mismatch| mismatch.to_string())
}

fn compare_all(make: impl Fn(u64) -> Outline, rounds: u64) -> Tally {
    let (tally, rounds) = testkit::rounds::compare_all(make, rounds, compare);
    assert!(tally.n_programs * 2 > rounds, "only {} of {rounds} programs compared", tally.n_programs);
    assert!(tally.n_reduced > tally.n_programs, "reduction has hardly anything to do");
    tally
}

const FEATURES: Features = Features { priorities: false, last: false, ..Features::ALL };

#[test]
fn reduced_searches_agree_with_full_ones() {
    let tally = compare_all(|seed| program(seed, FEATURES), 200);
    assert!(tally.n_violated * 5 > tally.n_programs && tally.n_violated * 5 < 4 * tally.n_programs);
}

#[test]
fn they_agree_on_programs_without_errors() {
    compare_all(|seed| program(seed, Features { errors: false, ..FEATURES }), 150);
}

#[test]
fn they_agree_on_programs_that_go_round_in_circles() {
    compare_all(looping_program, 200);
}

/// A declaration sees all messages, so not much can be left out.
#[test]
fn they_agree_on_programs_with_event_traces() {
    let (tally, rounds): (Tally, u64) = testkit::rounds::compare_all(trace_program, 400, compare);
    assert!(tally.n_programs * 10 > rounds * 9, "{tally:?}");
    assert!(
        tally.n_violated * 5 > tally.n_programs && tally.n_violated * 5 < 4 * tally.n_programs,
        "{tally:?}"
    );
    assert!(tally.n_reduced > tally.n_programs / 4, "{tally:?}");
}
