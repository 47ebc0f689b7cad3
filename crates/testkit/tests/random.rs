//! Random programs: the naive explorer of the tree against the lowered program on the interpreter.
//!
//! `STUBBORN_ROUNDS` says how many programs, `STUBBORN_SEED` which one to start with.

use std::collections::{BTreeMap, HashMap, HashSet};

use ir::Player;
use model::{Actions, End, FailureKind, Model, OutcomeKind, Patience, Successors};
use replay::Evidence;
use search::{Order, Verdict};
use testkit::naive::{Explored, Limits, TooLarge, explore};
use testkit::random::{Features, Outline, program, trace_program};
use testkit::shrink::shrink;

const LIMITS: Limits = Limits { states: 2_000, chain_steps: 2_000 };

/// The plainest search over a model.
fn explore_model(model: &dyn Model) -> Result<Explored, TooLarge> {
    let mut found = Explored::default();
    let mut initial = Vec::new();
    if let Err(failure) = model.initial(&mut initial) {
        found.failures.insert(failure.kind, 1);
        return Ok(found);
    }
    let mut known = HashSet::from([initial.clone()]);
    let mut open = vec![initial];
    let (mut actions, mut successors) = (Actions::default(), Successors::default());
    while let Some(state) = open.pop() {
        model.enabled(&state, &mut actions);
        if actions.list.is_empty() && model.end(&state) == End::Invalid {
            found.invalid_ends += 1;
        }
        successors.clear();
        model.fire(&actions, &state, &mut successors);
        for outcome in &successors.outcomes {
            match &outcome.kind {
                OutcomeKind::Failed(failure) => *found.failures.entry(failure.kind).or_default() += 1,
                OutcomeKind::Diverges(_) => unreachable!("nobody has asked for it"),
                OutcomeKind::State(range) => {
                    let next = successors.state(range).to_vec();
                    if known.contains(&next) {
                        found.matched += 1;
                        continue;
                    }
                    if known.len() > 2 * LIMITS.states {
                        return Err(TooLarge);
                    }
                    known.insert(next.clone());
                    open.push(next);
                }
            }
        }
    }
    found.states = known.len();
    Ok(found)
}

/// Where a chain goes round in circles, only the kinds of errors are compared, not their numbers.
fn comparable(mut found: Explored, cut_off: bool) -> Explored {
    found.cut_off = cut_off;
    if cut_off || found.failures.contains_key(&FailureKind::EndlessLoop) {
        found.failures.values_mut().for_each(|count| *count = 1);
        found.matched = 0;
    }
    found
}

/// What both find, if it is not too large; an error if one of them refuses the program.
fn both(text: &str) -> Result<Option<[Explored; 2]>, String> {
    let tree = testkit::parse(text)?;
    let lowered = promela::lower(&tree).map_err(|errors| format!("{errors:?}"))?;
    ir::verify(&lowered).map_err(|errors| format!("{errors:?}"))?;
    let printed = ir::text::print(&lowered);
    if ir::text::parse(&printed).map_err(|error| error.to_string())? != lowered {
        return Err(format!("not read back as printed: {printed}"));
    }
    let Ok(naive) = explore(&tree, LIMITS) else { return Ok(None) };
    let Ok(model) = explore_model(&ir::Interpreter::new(lowered)) else {
        return Ok(Some([naive, Explored::default()]));
    };
    let cut_off = naive.cut_off;
    Ok(Some([comparable(naive, cut_off), comparable(model, cut_off)]))
}

/// Both orders of the search reach the same verdict, breadth-first on a way that is not longer, and
/// the violations replay.
fn check_searches(text: &str) -> Result<(), String> {
    let lowered = promela::lower(&testkit::parse(text)?).map_err(|errors| format!("{errors:?}"))?;
    let interpreter = ir::Interpreter::new(lowered);
    let mut depths = Vec::new();
    for order in [Order::Depth, Order::Breadth] {
        let options = search::Options { order, ..search::Options::default() };
        let Verdict::Violated(violation) = search::run(&interpreter, &options).verdict else {
            depths.push(usize::MAX);
            continue;
        };
        let evidence = violation.evidence.failure().cloned().map_or(Evidence::Stuck, Evidence::Failure);
        let play = Player::start(&interpreter);
        replay::replay(play, &violation.trace, &evidence, &Patience::default())
            .map_err(|mismatch| mismatch.to_string())?;
        depths.push(violation.trace.depth());
    }
    match depths[..] {
        [depth, breadth] if breadth <= depth && (breadth == usize::MAX) == (depth == usize::MAX) => Ok(()),
        _ => Err(format!("depth-first and breadth-first search: {depths:?} steps")),
    }
}

fn differs(text: &str) -> bool {
    matches!(both(text), Ok(Some([naive, model])) if naive != model)
}

/// Compares programs; gives how many have each kind of failure.
fn compare(make: impl Fn(u64) -> Outline, first: u64, rounds: u64) -> BTreeMap<FailureKind, u64> {
    let mut sizes: HashMap<usize, usize> = HashMap::new();
    let mut kinds = BTreeMap::new();
    for seed in first..first + rounds {
        let outline = make(seed);
        let text = outline.text();
        let found = match both(&text) {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            Err(message) => panic!("seed {seed} is refused: {message}\n{text}"),
        };
        *sizes.entry(found[0].states.max(1).ilog10() as usize).or_default() += 1;
        found[0].failures.keys().for_each(|kind| *kinds.entry(*kind).or_default() += 1);
        if found[0] != found[1] {
            let small = shrink(&outline, differs).text();
            let [naive, model] = both(&small).expect("it parses").expect("it is small");
            panic!("STUBBORN_SEED={seed}\nnaive {naive:?}\nmodel {model:?}\n{small}");
        }
        if let Err(message) = check_searches(&text) {
            let small = shrink(&outline, |text| check_searches(text).is_err()).text();
            panic!("STUBBORN_SEED={seed}\n{message}\n{small}");
        }
    }
    println!("programs by size (powers of ten): {sizes:?}, by failure: {kinds:?}");
    kinds
}

#[test]
fn the_lowered_program_agrees_with_the_tree() {
    compare(
        |seed| program(seed, Features::COMPARABLE),
        testkit::rounds::setting("STUBBORN_SEED", 1),
        testkit::rounds::setting("STUBBORN_ROUNDS", 2_000),
    );
}

#[test]
fn run_time_errors_agree_too() {
    compare(
        |seed| program(seed, Features::ALL),
        testkit::rounds::setting("STUBBORN_SEED", 100_001),
        testkit::rounds::setting("STUBBORN_ROUNDS", 1_000),
    );
}

#[test]
fn event_traces_agree_too() {
    let rounds = testkit::rounds::setting("STUBBORN_ROUNDS", 3_000);
    let kinds = compare(trace_program, testkit::rounds::setting("STUBBORN_SEED", 1), rounds);
    let n = |kind| kinds.get(&kind).copied().unwrap_or(0);
    let (unexpected, matched) = (n(FailureKind::TraceMismatch), n(FailureKind::NotraceMatch));
    assert!(unexpected * 10 > rounds && unexpected * 2 < rounds, "{unexpected} of {rounds}");
    assert!(matched * 20 > rounds && matched * 2 < rounds, "{matched} of {rounds}");
}
