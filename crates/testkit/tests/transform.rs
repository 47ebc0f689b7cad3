//! Transformed programs against the originals: the same kinds of failures, as many deadlocks that can be
//! told apart from outside, the same statements executed.
//!
//! `STUBBORN_ROUNDS` says how many programs, `STUBBORN_SEED` which one to start with.

use std::collections::BTreeSet;

use ir::transform::{merge_statements, reset_dead_variables};
use ir::{Interpreter, Program};
use model::{Actions, BitSet, End, FailureKind, Model, OutcomeKind, Successors};
use testkit::random::{Features, Outline, looping_program, program};

/// Larger programs are left out.
const MOST_STATES: usize = 3_000;

/// What can be told of a program from outside.
#[derive(Debug, PartialEq)]
struct Seen {
    failures: BTreeSet<FailureKind>,
    /// The values of the shared variables and channels where a run ends, and whether that is a deadlock.
    ends: BTreeSet<(String, bool)>,
    executed: BitSet,
}

/// Explores everything. None if that is too much.
fn explore(program: Program) -> Option<(Seen, usize)> {
    let model = Interpreter::new(program);
    let mut initial = Vec::new();
    let mut seen = Seen { failures: BTreeSet::new(), ends: BTreeSet::new(), executed: BitSet::default() };
    if let Err(failure) = model.initial(&mut initial) {
        seen.failures.insert(failure.kind);
        return Some((seen, 0));
    }
    let mut states = BTreeSet::from([initial.clone()]);
    let mut pending = vec![initial];
    let mut actions = Actions::default();
    let mut successors = Successors { executed: Some(BitSet::default()), ..Successors::default() };
    while let Some(state) = pending.pop() {
        if states.len() > MOST_STATES {
            return None;
        }
        successors.clear();
        if !model.expand(&state, &mut actions, &mut successors) {
            let shared = model.variables(&state).into_iter().filter(|variable| !variable.name.contains("]."));
            let values = shared.map(|variable| format!("{} = {}", variable.name, variable.value));
            seen.ends.insert((values.collect::<Vec<_>>().join(", "), model.end(&state) == End::Invalid));
        }
        for outcome in &successors.outcomes {
            match &outcome.kind {
                OutcomeKind::Failed(failure) => {
                    seen.failures.insert(failure.kind);
                }
                OutcomeKind::State(range) => {
                    let next = successors.state(range).to_vec();
                    if states.insert(next.clone()) {
                        pending.push(next);
                    }
                }
                OutcomeKind::Diverges(_) => {}
            }
        }
    }
    seen.executed = successors.executed.take().unwrap_or_default();
    Some((seen, states.len()))
}

/// How much was compared.
#[derive(Debug, Default)]
struct Tally {
    n_programs: u64,
    n_fewer: [u64; 3],
}

/// A name for a transformation.
type Way<'a> = (&'static str, &'a dyn Fn(&mut Program));

fn compare(text: &str, tally: &mut Tally) -> Result<(), String> {
    let tree = testkit::parse(text)?;
    let program = promela::lower(&tree).map_err(|errors| format!("{errors:?}"))?;
    let Some((original, n_states)) = explore(program.clone()) else { return Ok(()) };
    tally.n_programs += 1;
    let both = |program: &mut Program| {
        reset_dead_variables(program);
        merge_statements(program);
    };
    let ways: [Way<'_>; 3] =
        [("reset", &reset_dead_variables), ("merged", &merge_statements), ("both", &both)];
    for ((name, transform), n_fewer) in ways.iter().zip(&mut tally.n_fewer) {
        let mut changed = program.clone();
        transform(&mut changed);
        ir::verify(&changed).map_err(|errors| format!("{name}: {errors:?}"))?;
        let (transformed, n_left) = explore(changed).ok_or_else(|| format!("{name}: too many states"))?;
        if transformed != original {
            return Err(format!("{name}: {transformed:?}, but {original:?}"));
        }
        // A variable that is reset on one way and, behind an `else`, not on another makes two states of one.
        if n_left > n_states && *name == "merged" {
            return Err(format!("{name}: {n_left} states of {n_states}"));
        }
        *n_fewer += u64::from(n_left < n_states);
    }
    Ok(())
}

fn compare_all(make: impl Fn(u64) -> Outline, rounds: u64) -> Tally {
    let (tally, rounds) = testkit::rounds::compare_all(make, rounds, compare);
    assert!(tally.n_programs * 2 > rounds, "{tally:?}");
    tally
}

#[test]
fn transformed_programs_are_as_the_originals() {
    let tally = compare_all(|seed| program(seed, Features::ALL), 400);
    assert!(tally.n_fewer.iter().all(|&fewer| fewer > tally.n_programs / 20), "{tally:?}");
}

#[test]
fn transformed_programs_that_go_in_circles_are_as_the_originals() {
    let tally = compare_all(looping_program, 200);
    assert!(tally.n_fewer[1] > tally.n_programs / 20, "{tally:?}");
}
