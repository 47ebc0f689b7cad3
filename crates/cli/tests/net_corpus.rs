//! What LoLA's own tests expect, in `../shared/corpus`, through `stubborn check`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use model::Patience;
use petri::{Fair, Net, Question, lola};
use serde_json::Value;
use testkit::corpus::{files, part};

/// Where the corpus says something else than we do, and why. Each must be there, and must be different.
const DIFFERENT: [(&str, &str, &str); 1] = [(
    "EGAGEF p5 > 0",
    "violated",
    "EG of something that is false in the initial marking, as another of LoLA's tests says",
)];

/// Nets with more markings than are explored here, some without end: answers may be missing, but not wrong.
const MAY_BE_OPEN: [&str; 5] =
    ["Kanban5.pnml.lola", "garavel.lola", "unbounded.lola", "unbounded2.lola", "unbounded3.lola"];

/// All files with one of these endings, by name. Nets of the tests come after those of the examples, and win.
fn by_name(folder: &Path, endings: &[&str]) -> HashMap<String, PathBuf> {
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    files(folder, endings).into_iter().map(|path| (name(&path), path)).collect()
}

/// What stands between quotes or blanks after an option.
fn option<'a>(command: &'a str, option: &str) -> Option<&'a str> {
    let (_, rest) = command.split_once(option)?;
    match rest.trim_start_matches(['\'', '"']) {
        quoted if quoted.len() < rest.len() => quoted.split(['\'', '"']).next(),
        plain => plain.split(' ').next(),
    }
}

fn check(net: &Path, options: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_stubborn"))
        .args(["check", "--format", "json", "--max-time", "10s", "--max-states", "300000"])
        .arg(net)
        .args(options)
        .output()
        .expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(report["results"].is_array(), "{} {options:?}: {report}", net.display());
    report["results"][0].clone()
}

/// What a row says: yes or no; and where it says nothing.
fn word(verdict: &Value) -> &'static str {
    match verdict.as_str() {
        Some("holds") => "yes",
        Some("violated") => "no",
        _ => "open",
    }
}

fn is_fair(net: &Net) -> bool {
    net.transitions().iter().any(|transition| transition.fair != Fair::No)
}

#[test]
fn answers_are_those_of_lola() {
    let Some(corpus) = part("lola", "expected.tsv") else { return };
    let files = by_name(&corpus, &["lola", "task"]);
    let table = fs::read_to_string(corpus.join("expected.tsv")).expect("it is there");
    let place = tempfile::tempdir().expect("a folder");
    let patience = Patience::default();
    let file = place.path().join("asked.formula");
    let (mut n_right, mut n_open, mut n_sizes, mut n_fair) = (0, 0, 0, 0);
    let (mut wrong, mut different) = (Vec::new(), Vec::new());
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let &[test, name, _, formula, result, n_markings, n_edges, _, command] = &cells[..] else {
            panic!("{line}");
        };
        let Some(path) = files.get(name) else { continue };
        let net = lola::read_net(&fs::read_to_string(path).expect("text"), &patience)
            .expect("patience")
            .expect("a net");
        let given = option(command, "--formula=").or_else(|| option(command, "-f "));
        let formula = match given {
            _ if !formula.is_empty() => Some(formula.to_string()),
            Some(task) if task.ends_with(".task") => match files.get(task) {
                Some(path) => Some(fs::read_to_string(path).expect("text")),
                None => continue,
            },
            given => given.map(str::to_string),
        };
        let Some(formula) = formula else {
            let is_whole = command.contains("--check=full") && !n_markings.is_empty();
            if is_whole && !MAY_BE_OPEN.contains(&name) {
                let found = check(path, &["--explore"]);
                assert_eq!(found["states"].to_string(), n_markings, "{test}");
                let n_edges = n_edges.parse::<u64>().ok();
                assert!(n_edges.is_none_or(|n_edges| found["edges"] == n_edges), "{test}: {found}");
                n_sizes += 1;
            }
            continue;
        };
        // Omega markings are of another kind of graph.
        if !matches!(lola::read_formula(&formula, &net, &patience), Ok(Ok(Question::Formula(_)))) {
            assert!(formula.contains("oo"), "{test}: {formula}");
            continue;
        }
        fs::write(&file, &formula).expect("it can be written");
        let found = check(path, &["--formula", file.to_str().expect("text")]);
        let answer = word(&found["verdict"]);
        n_fair += usize::from(is_fair(&net));
        if let Some((_, expected, why)) = DIFFERENT.iter().find(|(known, ..)| formula.contains(known)) {
            assert_eq!(found["verdict"], *expected, "{test}: {why}");
            assert_ne!(answer, result, "{test}: not different any more");
            different.push(test);
        } else if answer == "open" {
            n_open += 1;
            if !MAY_BE_OPEN.contains(&name) && !is_fair(&net) {
                wrong.push(format!("{test}: {name}: {formula}: {} instead of {result}", found["reason"]));
            }
        } else if answer == result || result == "unknown" {
            n_right += 1;
        } else {
            wrong.push(format!("{test}: {name}: {formula}: {answer} instead of {result}"));
        }
    }
    println!(
        "{n_right} right, {n_open} open, {n_sizes} sizes, {n_fair} of nets with fair transitions, different: {different:?}"
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(n_right >= 60 && n_sizes >= 5 && different.len() == DIFFERENT.len());
}
