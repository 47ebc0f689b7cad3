//! Transformed programs against the originals: the same kinds of failures, as many deadlocks that can be
//! told apart from outside, the same statements executed. Runs of the ones are lifted to runs of the others.
//!
//! `STUBBORN_ROUNDS` says how many programs, `STUBBORN_SEED` which one to start with.

use std::collections::BTreeSet;

use ir::transform::{Changed, merge_statements, reset_dead_variables};
use ir::{Comm, Command, Guarded, Interpreter, Original, Program, Provenance, Role, Transition};
use model::{
    Action, Actions, BitSet, End, FailureKind, Lift, Model, OutcomeKind, Patience, Phase, Step, Successors,
    Trace,
};
use search::{Checks, Evidence, Options, Verdict};
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

/// What there is to see at the end of a run.
#[derive(Debug, Default)]
struct Ending {
    /// What fails in the last step.
    failures: BTreeSet<FailureKind>,
    /// Whether nothing can happen any more, and somebody is not at a proper end.
    is_stuck: bool,
}

/// Takes the steps of a run, each of which must be possible.
fn follow(model: &Interpreter, trace: &Trace) -> Result<Ending, String> {
    let mut state = Vec::new();
    let mut ending = Ending::default();
    if let Err(failure) = model.initial(&mut state) {
        ending.failures.insert(failure.kind);
        return Ok(ending);
    }
    let mut holder = None;
    for (number, Step { action, .. }) in trace.steps.iter().enumerate() {
        let (actions, phase) = choices(model, &state, holder);
        if !actions.contains(action) {
            return Err(format!("step {number} is {action:?}, but only {actions:?} are possible"));
        }
        let mut failures = Vec::new();
        let next = model.execute(&mut state, action, phase, &mut failures);
        ending.failures = failures.iter().map(|failure| failure.kind).collect();
        match next {
            Ok(next) => holder = next,
            Err(failure) if number + 1 == trace.steps.len() => {
                ending.failures.insert(failure.kind);
                return Ok(ending);
            }
            Err(failure) => return Err(format!("the run ends with step {number}: {failure:?}")),
        }
    }
    if never_ends(model, &state, holder) {
        ending.failures.insert(FailureKind::EndlessLoop);
    }
    ending.is_stuck = choices(model, &state, holder).0.is_empty() && model.end(&state) == End::Invalid;
    Ok(ending)
}

/// Whether a process holds atomicity for ever. Where a change makes states equal it shows earlier.
fn never_ends(model: &Interpreter, state: &[u64], holder: Option<u16>) -> bool {
    let mut open = vec![(state.to_vec(), holder)];
    let mut seen = BTreeSet::new();
    while let Some((state, holder)) = open.pop() {
        let mut actions = Vec::new();
        if holder.is_some() {
            model.steps(&state, holder, Phase::Normal, &mut actions);
        }
        if actions.is_empty() {
            return false;
        }
        for action in &actions {
            let mut next = state.clone();
            let Ok(holder) = model.execute(&mut next, action, Phase::Normal, &mut Vec::new()) else {
                return false;
            };
            if seen.insert((next.clone(), holder)) {
                open.push((next, holder));
            }
        }
    }
    true
}

/// What can happen. A process that holds atomicity is the only one to move as long as it can.
fn choices(model: &Interpreter, state: &[u64], holder: Option<u16>) -> (Vec<Action>, Phase) {
    let mut actions = Vec::new();
    if holder.is_some() {
        model.steps(state, holder, Phase::Normal, &mut actions);
    }
    if !actions.is_empty() {
        return (actions, Phase::Normal);
    }
    let phase = model.climb(|phase| {
        model.steps(state, None, phase, &mut actions);
        !actions.is_empty()
    });
    (actions, phase)
}

/// Runs that violate something in the changed program are runs of the original that end alike.
fn lift_runs(original: &Interpreter, changed: Program, provenance: &Provenance) -> Result<u64, String> {
    let changed = Interpreter::new(changed);
    let mut n_runs = 0;
    for checks in [Checks::SAFETY, Checks::DEADLOCK, Checks::NONE] {
        let findings = search::run(&changed, &Options { checks, ..Options::default() });
        let Verdict::Violated(violation) = findings.verdict else { continue };
        let lifted = provenance.lift(violation.trace).map_err(|spurious| spurious.to_string())?;
        let ending = follow(original, &lifted)?;
        let is_alike = match &violation.evidence {
            Evidence::Failure(failure) => ending.failures.contains(&failure.kind),
            _ => ending.is_stuck,
        };
        if !is_alike {
            return Err(format!("{:?}, but {ending:?} behind {lifted:?}", violation.evidence));
        }
        n_runs += 1;
    }
    Ok(n_runs)
}

/// Adds a copy of most transitions behind those of their location: a change that gives new numbers to all.
fn with_copies(program: &Program, _: &Patience) -> Changed {
    let mut copy = program.clone();
    let (mut n_before, mut rows) = (0, Vec::new());
    for process in &mut copy.processes {
        // Another choice is an error in some, and in others what is at a location has its place.
        let may_copy = |transition: &&Transition| {
            matches!(transition.command, Command::Guarded(_)) && transition.escape.is_none()
        };
        for location in &mut process.locations {
            let before = std::mem::take(&mut location.transitions);
            let numbered: Vec<(u32, &Transition)> = (n_before..).zip(&before).collect();
            n_before += before.len() as u32;
            let copied = |(_, transition): &&(u32, &Transition)| may_copy(transition);
            let copies = numbered.iter().filter(copied).filter(|_| !process.deterministic);
            for (number, transition) in numbered.iter().chain(copies) {
                rows.push(vec![Original { transition: *number, role: role(transition) }]);
                location.transitions.push((*transition).clone());
            }
        }
    }
    Ok(Some((copy, Provenance::of(rows))))
}

/// What a transition is in an action of two.
fn role(transition: &Transition) -> Role {
    match &transition.command {
        Command::Guarded(Guarded { comm: Comm::Send(_), .. }) => Role::Sends,
        Command::Guarded(Guarded { comm: Comm::Receive(_), .. }) => Role::Receives,
        Command::Block(block) => {
            let first = block.locations[0].iter().map(role);
            first.into_iter().find(|role| *role != Role::Alone).unwrap_or(Role::Alone)
        }
        _ => Role::Alone,
    }
}

/// How much was compared.
#[derive(Debug, Default)]
struct Tally {
    n_programs: u64,
    n_runs: u64,
    n_fewer: [u64; 4],
}

/// A name for some transformations.
type Way = (&'static str, &'static [fn(&Program, &Patience) -> Changed]);

const WAYS: [Way; 4] = [
    ("reset", &[reset_dead_variables]),
    ("merged", &[merge_statements]),
    ("both", &[reset_dead_variables, merge_statements]),
    ("copied", &[with_copies]),
];

fn compare(text: &str, tally: &mut Tally) -> Result<(), String> {
    let tree = testkit::parse(text)?;
    let program = promela::lower(&tree).map_err(|errors| format!("{errors:?}"))?;
    let Some((original, n_states)) = explore(program.clone()) else { return Ok(()) };
    tally.n_programs += 1;
    let interpreter = Interpreter::new(program.clone());
    for ((name, passes), n_fewer) in WAYS.iter().zip(&mut tally.n_fewer) {
        let mut changed = program.clone();
        let mut provenance = Provenance::same();
        for pass in *passes {
            if let Some((program, from)) =
                pass(&changed, &Patience::default()).map_err(|over| over.to_string())?
            {
                // Of two, the first has the numbers of the original.
                (changed, provenance) = (program, from);
            }
        }
        ir::verify(&changed).map_err(|errors| format!("{name}: {errors:?}"))?;
        let (mut seen, n_left) =
            explore(changed.clone()).ok_or_else(|| format!("{name}: too many states"))?;
        seen.executed = provenance.executed(seen.executed);
        if seen != original {
            return Err(format!("{name}: {seen:?}, but {original:?}"));
        }
        // A variable that is reset on one way and, behind an `else`, not on another makes two states of one.
        if n_left > n_states && *name == "merged" {
            return Err(format!("{name}: {n_left} states of {n_states}"));
        }
        *n_fewer += u64::from(n_left < n_states);
        tally.n_runs +=
            lift_runs(&interpreter, changed, &provenance).map_err(|message| format!("{name}: {message}"))?;
    }
    Ok(())
}

fn compare_all(make: impl Fn(u64) -> Outline, rounds: u64) -> Tally {
    let (tally, rounds) = testkit::rounds::compare_all(make, rounds, compare);
    assert!(tally.n_programs * 2 > rounds, "{tally:?}");
    assert!(tally.n_runs > tally.n_programs, "{tally:?}");
    tally
}

#[test]
fn transformed_programs_are_as_the_originals() {
    let tally = compare_all(|seed| program(seed, Features::ALL), 400);
    assert!(tally.n_fewer[..3].iter().all(|&fewer| fewer > tally.n_programs / 20), "{tally:?}");
}

#[test]
fn transformed_programs_that_go_in_circles_are_as_the_originals() {
    let tally = compare_all(looping_program, 200);
    assert!(tally.n_fewer[1] > tally.n_programs / 20, "{tally:?}");
}
