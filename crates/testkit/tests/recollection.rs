//! What a reducer remembers from states like the one that it looks at, against what one finds that has never seen
//! another state.
//!
//! `STUBBORN_ROUNDS` says how many random programs, `STUBBORN_SEED` which one to start with.

use std::collections::HashSet;

use ir::Interpreter;
use model::{Action, Actions, Model, OutcomeKind, Patience, PredicateId, Successors};
use por::{Effort, Method, Preserves, Reducer};
use testkit::random::{Features, looping_program, program_with_properties};

/// So many states of a program are looked at, and of a few programs so many that memory may pause.
const MOST_STATES: usize = 200;
const MANY_STATES: usize = 2000;

/// What is asked in a state. In the first order the later sets follow from the first; in the second they are
/// asked for without it.
const ORDERS: [[(Effort, usize); 5]; 2] = [
    [
        (Effort::Quick, 0),
        (Effort::Thorough, 0),
        (Effort::Thorough, 1),
        (Effort::Quick, 1),
        (Effort::Thorough, 2),
    ],
    [
        (Effort::Thorough, 2),
        (Effort::Quick, 1),
        (Effort::Quick, 0),
        (Effort::Thorough, 0),
        (Effort::Thorough, 1),
    ],
];

/// States of a program near the initial one, with what is enabled there.
fn states(model: &dyn Model, most: usize) -> Vec<(Vec<u64>, Actions)> {
    let mut initial = Vec::new();
    if model.initial(&mut initial).is_err() {
        return Vec::new();
    }
    let mut known = HashSet::from([initial.clone()]);
    let mut states: Vec<(Vec<u64>, Actions)> = Vec::new();
    let mut open = vec![initial];
    let mut successors = Successors::default();
    while let (Some(state), true) = (open.pop(), states.len() < most) {
        let mut enabled = Actions::default();
        model.enabled(&state, &mut enabled);
        successors.clear();
        model.fire(&enabled, &state, &mut successors);
        for outcome in &successors.outcomes {
            if let OutcomeKind::State(range) = &outcome.kind {
                let next = successors.state(range).to_vec();
                if known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        states.push((state, enabled));
    }
    states
}

fn choose(reducer: &mut Reducer<'_>, (effort, k): (Effort, usize), enabled: &Actions) -> Option<Vec<Action>> {
    let mut chosen = Actions::default();
    reducer.choose(effort, k, enabled, &mut chosen).then_some(chosen.list)
}

/// How many questions about moves were asked with and without memory.
#[derive(Debug, Default)]
struct Tally {
    with: u64,
    without: u64,
}

fn compare(text: &str, most: usize, tally: &mut Tally) -> Result<(), String> {
    let tree = testkit::parse(text)?;
    let Ok(lowered) = promela::lower_with_properties(&tree, &Patience::default()).expect("there is time")
    else {
        return Ok(());
    };
    let watched = lowered.properties.first().map_or(Vec::new(), |property| property.atoms.clone());
    let model = Interpreter::new(lowered.program);
    let states = states(&model, most);
    let ends: [(Preserves, &[PredicateId]); 4] = [
        (Preserves::Deadlocks, &[]),
        (Preserves::FiniteRuns, &[]),
        (Preserves::InfiniteRuns, &watched),
        (Preserves::FairRuns, &watched),
    ];
    for method in Method::ALL {
        for (preserves, watched) in ends {
            let reducer = || {
                Some(Reducer::new(model.independence(watched, &Patience::default()).ok()?, method, preserves))
            };
            let Some(mut old) = reducer() else { return Ok(()) };
            let mut n_around = 0;
            for (number, (state, enabled)) in states.iter().enumerate() {
                let mut fresh = reducer().ok_or("it was possible before")?;
                fresh.look(state, enabled);
                old.look(state, enabled);
                for question in ORDERS[number % 2] {
                    let (here, there) =
                        (choose(&mut old, question, enabled), choose(&mut fresh, question, enabled));
                    if here != there {
                        return Err(format!(
                            "{method:?} {preserves:?} {question:?} in state {number}: {here:?}, not {there:?}"
                        ));
                    }
                    // What is found on the way to something else must not be mixed with what is remembered.
                    if number % 4 == 0 && !enabled.list.is_empty() {
                        let before = old.n_questions();
                        old.containing(0, enabled, &mut Actions::default());
                        n_around += old.n_questions() - before;
                    }
                }
                tally.without += fresh.n_questions();
            }
            tally.with += old.n_questions() - n_around;
        }
    }
    Ok(())
}

#[test]
fn what_is_remembered_is_what_would_be_found() {
    let rounds = testkit::rounds::setting("STUBBORN_ROUNDS", 400) / 4;
    let first = testkit::rounds::setting("STUBBORN_SEED", 0);
    let features = Features { priorities: false, last: false, ..Features::ALL };
    let mut tally = Tally::default();
    for seed in first..first + rounds {
        for text in [program_with_properties(seed, features).text(), looping_program(seed).text()] {
            let most = if seed % 16 == 0 { MANY_STATES } else { MOST_STATES };
            if let Err(why) = compare(&text, most, &mut tally) {
                panic!("seed {seed}: {why}\n{text}");
            }
        }
    }
    assert!(10 * tally.with < 9 * tally.without, "hardly anything was remembered: {tally:?}");
}
