//! The public models in `../shared/corpus`: what we find is what Spin finds, or the difference is
//! listed in `xtask/known-differences.tsv`.
//!
//! - Where state spaces are small: verdict, states and transitions.
//! - Where temporal properties are easy to decide: their verdicts, by all searches.
//!
//! The others are compared by `cargo xtask conformance --counts --claims`.

#[path = "corpus/temporal.rs"]
mod temporal;

use std::path::{Path, PathBuf};

use ir::Player;
use model::Patience;
use replay::Evidence;
use search::{Order, Verdict};
use temporal::Watched;
use testkit::corpus::part;

/// Larger models take too long for a test.
const STATES: u64 = 50_000;

const KNOWN: &str = include_str!("../../../xtask/known-differences.tsv");

/// Whether a difference is explained.
fn is_known(path: &str, what: &[&str]) -> bool {
    let mut lines = KNOWN.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    lines.any(|cells| cells[0] == path && what.contains(&cells[1]))
}

/// The corpus and the rows of its table; none if it is not there.
fn table() -> Option<(PathBuf, String)> {
    let folder = part("promela", "expected.tsv")?;
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("it was there");
    Some((folder, table))
}

/// A model with its properties; none if it is refused.
fn read(path: &Path) -> Option<promela::Lowered> {
    let text = promela::decode("", std::fs::read(path).expect("listed models are there")).ok()?;
    let name = path.to_str().expect("names in the corpus are plain");
    let parsed = promela::parse(name, text, &promela::Options::default(), &|path| std::fs::read(path))
        .expect("there is time")
        .accept()
        .ok()?;
    let lowered =
        promela::lower_with_properties(&parsed.program, &Patience::default()).expect("there is time").ok()?;
    ir::verify(&lowered.program).expect("what is lowered is in order");
    Some(lowered)
}

/// Verdict, states and transitions; none if the model is refused.
fn check(path: &Path) -> Option<(&'static str, u64, u64)> {
    let interpreter = ir::Interpreter::new(read(path)?.program);
    let options = search::Options { order: Order::Breadth, stop_after: None, ..search::Options::default() };
    let findings = search::run(&interpreter, &options);
    if let Verdict::Violated(violation) = &findings.verdict {
        let evidence = violation.evidence.failure().cloned().map_or(Evidence::Stuck, Evidence::Failure);
        let play = Player::start(&interpreter);
        replay::replay(play, &violation.trace, &evidence, &Patience::default()).expect("a violation replays");
    }
    let verdict = if matches!(findings.verdict, Verdict::Holds) { "holds" } else { "violated" };
    Some((verdict, findings.statistics.states, findings.statistics.transitions()))
}

#[test]
fn small_models_have_spins_verdicts_and_numbers() {
    let Some((folder, table)) = table() else { return };
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
        } else if !is_known(path, &["states", "transitions", "verdict", "refused"]) {
            wrong.push(format!("{path}: {verdict}, {states}, {transitions} expected, found {found:?}"));
        }
    }
    println!("{equal} models have the same verdict, states and transitions");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(equal > 450, "only {equal} models were compared");
}

#[test]
fn temporal_properties_have_spins_verdicts() {
    let Some((folder, table)) = table() else { return };
    let (mut wrong, mut equal) = (Vec::new(), 0);
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [path, "accept", _, _, _, _, claims, non_progress, ..] = cells[..] else { continue };
        let progress = (!non_progress.is_empty()).then_some(("non-progress", non_progress));
        let claims: Vec<(&str, &str)> =
            claims.split(';').filter_map(|claim| claim.split_once('=')).chain(progress).collect();
        if claims.is_empty() {
            continue;
        }
        let watched = read(&folder.join(path)).map(Watched::new);
        for (name, expected) in claims {
            // None if it takes too long.
            let found = match &watched {
                None => Some("refused"),
                Some(watched) => watched.decide(name),
            };
            match found {
                None => {}
                Some(found) if found == expected => equal += 1,
                // That the searches agree and their runs replay is worth something without Spin, too.
                Some("holds" | "violated") if expected == "unknown" => {}
                Some(_) if is_known(path, &["refused", &format!("claim {name}")]) => {}
                Some(found) => wrong.push(format!("{path} {name}: {expected} expected, {found}")),
            }
        }
    }
    println!("{equal} temporal properties have the same verdict");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(equal > 180, "only {equal} properties were compared");
}
