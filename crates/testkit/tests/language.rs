//! The naive explorer and the checker against Spin's numbers for the models of `tests/language`.

use std::collections::HashMap;
use std::sync::Arc;

use ir::{Interpreter, Player};
use jit::{Native, Purpose};
use model::{Model, Patience};
use replay::Evidence;
use search::{Options, Order, Store, Verdict};
use testkit::naive::{Limits, explore};

const MODELS: &str = include_str!("../../../tests/language/models.tsv");
const REGRESSIONS: &str = include_str!("../../../tests/language/regressions.tsv");
const DIFFERENCES: &str = include_str!("../../../tests/language/differences.tsv");

/// What is expected of a model: states, matched, errors; none where it is refused.
type Numbers = Option<[usize; 3]>;

fn numbers(columns: &[&str]) -> Numbers {
    let parse = |text: &str| text.parse().ok();
    Some([parse(columns[0])?, parse(columns[1])?, parse(columns[2])?])
}

/// What the naive explorer finds.
fn naive(text: &str) -> Numbers {
    let program = testkit::parse(text).ok()?;
    let found = explore(&program, Limits::default()).expect("the models are small");
    Some([found.states, found.matched, found.errors()])
}

/// What the checker finds: in every order, with every exact store, on one thread and on two, interpreted and
/// compiled, always the same. The first violation must replay.
fn checker(text: &str) -> Numbers {
    let program = promela::lower(&testkit::parse(text).ok()?).expect("what parses can be lowered");
    ir::verify(&program).expect("what is lowered is in order");
    let interpreter = Arc::new(Interpreter::new(program));
    let [chosen, everything] = [Purpose::Chosen, Purpose::Everything].map(|purpose| {
        let native = Native::new(interpreter.clone(), jit::Options::new(purpose));
        // A search of a model this small would be over before the code is there.
        native.wait();
        native
    });
    let mut found = Vec::new();
    for (order, threads, store) in ways() {
        let native = if order == Order::Depth { &chosen } else { &everything };
        for (engine, model) in [("interpreter", &*interpreter as &dyn Model), ("jit", native)] {
            let options = Options { order, threads, store, stop_after: None, ..Options::default() };
            let numbers = search(model, &interpreter, &options);
            found.push((format!("{engine} {order:?} {threads} {store:?}"), numbers));
            // Only a search for one violation goes breadth-first on several threads.
            let first = Options { stop_after: Some(1), ..options };
            let is_violated = search(model, &interpreter, &first)[2] > 0;
            assert_eq!(is_violated, numbers[2] > 0, "{engine} {order:?} {threads} {store:?}: {text}");
        }
    }
    let (first, expected) = &found[0];
    for (way, numbers) in &found {
        assert_eq!(numbers, expected, "{way} finds what {first} finds: {text}");
    }
    Some(*expected)
}

/// All combinations that differ in anything.
fn ways() -> Vec<(Order, usize, Store)> {
    let mut ways = vec![(Order::Depth, 1, Store::default()), (Order::Breadth, 1, Store::default())];
    for store in [Store::Compressed, Store::Tree, Store::Table] {
        ways.extend([(Order::Any, 1, store), (Order::Any, 2, store), (Order::Breadth, 2, store)]);
    }
    ways
}

/// States, matched and errors. The violation must replay.
fn search(model: &dyn Model, interpreter: &Interpreter, options: &Options) -> [usize; 3] {
    let findings = search::run(model, options);
    if let Verdict::Violated(violation) = findings.verdict {
        let evidence = violation.evidence.failure().cloned().map_or(Evidence::Stuck, Evidence::Failure);
        let play = Player::start(interpreter);
        replay::replay(play, &violation.trace, &evidence, &Patience::default()).expect("a violation replays");
    }
    let statistics = findings.statistics;
    [statistics.states, statistics.matched, statistics.errors].map(|number| number as usize)
}

#[test]
fn every_model_has_spins_numbers_or_a_stated_difference_in_the_naive_explorer() {
    compare(naive);
}

#[test]
fn every_model_has_spins_numbers_or_a_stated_difference_in_the_checker() {
    compare(checker);
}

/// Mistakes that the checker once made; the columns are those of `models.tsv`.
#[test]
fn past_mistakes_stay_mended() {
    for line in REGRESSIONS.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let expected = numbers(&columns[1..]);
        assert_eq!(checker(columns[5]), expected, "{}: {}", columns[0], columns[5]);
    }
}

fn compare(find: impl Fn(&str) -> Numbers) {
    let differences: HashMap<&str, Numbers> = DIFFERENCES
        .lines()
        .skip(1)
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|columns| (columns[0], numbers(&columns[1..])))
        .collect();
    let mut wrong = Vec::new();
    for line in MODELS.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let name = columns[0];
        let text = columns[5].replace("\\n", "\n");
        let spin = numbers(&columns[1..]);
        let expected = differences.get(name).copied().unwrap_or(spin);
        let found = find(&text);
        if found != expected {
            wrong.push(format!("{name}: found {found:?}, expected {expected:?}\n    {text}"));
        }
        if differences.contains_key(name) && expected == spin {
            wrong.push(format!("{name}: listed as a difference, but it is none"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
