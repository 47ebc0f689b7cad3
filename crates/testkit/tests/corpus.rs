//! The public models in `../shared/corpus` whose state spaces are small: verdict, states and
//! transitions are Spin's, or the difference is listed in `xtask/known-differences.tsv`. The larger
//! ones are compared by `cargo xtask conformance --counts`.

use std::collections::HashMap;
use std::path::Path;

use search::{Order, Verdict};
use testkit::corpus;

/// Larger models take too long for a test.
const STATES: u64 = 50_000;

const KNOWN: &str = include_str!("../../../xtask/known-differences.tsv");

/// Verdict, states and transitions; none if the model is refused.
fn check(path: &Path) -> Option<(&'static str, u64, u64)> {
    let text = promela::decode(std::fs::read(path).expect("listed models are there")).ok()?;
    let name = path.to_str().expect("names in the corpus are plain");
    let parsed =
        promela::parse(name, text, &promela::Options::default(), &|path| std::fs::read(path)).ok()?;
    let program = promela::lower(&parsed.program).ok()?;
    ir::verify(&program).expect("what is lowered is in order");
    let interpreter = ir::Interpreter::new(program);
    let options = search::Options { order: Order::Breadth, stop_after: None, ..search::Options::default() };
    let findings = search::run(&interpreter, &options);
    if let Verdict::Violated(violation) = &findings.verdict {
        let claim = violation.failure.clone().map_or(replay::Claim::Stuck, replay::Claim::Failure);
        replay::replay(&interpreter, &violation.trace, &claim).expect("a violation replays");
    }
    let verdict = if matches!(findings.verdict, Verdict::Holds) { "holds" } else { "violated" };
    Some((verdict, findings.statistics.states, findings.statistics.transitions()))
}

#[test]
fn small_models_have_spins_verdicts_and_numbers() {
    let Some(folder) = corpus() else {
        return println!("SKIPPED: there is no corpus beside the repository, and STUBBORN_CORPUS is not set");
    };
    let known: HashMap<&str, &str> = KNOWN.lines().skip(1).filter_map(|line| line.split_once('\t')).collect();
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("it was there");
    let (mut wrong, mut equal) = (Vec::new(), 0);
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [path, "accept", verdict, _, states, transitions, ..] = cells[..] else { continue };
        let (Ok(states), Ok(transitions)) = (states.parse(), transitions.parse()) else { continue };
        if states > STATES {
            continue;
        }
        let found = check(&folder.join(path));
        if found == Some((verdict, states, transitions)) {
            equal += 1;
        } else if !known.contains_key(path) {
            wrong.push(format!("{path}: {verdict}, {states}, {transitions} expected, found {found:?}"));
        }
    }
    println!("{equal} models have the same verdict, states and transitions");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(equal > 450, "only {equal} models were compared");
}
