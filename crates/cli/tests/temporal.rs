//! Models with expectations in comments: `// weak: p violated acceptance-cycle` says what is found out
//! about the property `p` under weak fairness. Each is checked by every search that there is, all
//! properties of a model in one run.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

struct Expectation {
    fairness: String,
    property: String,
    /// `holds`, or `violated` and why.
    answer: String,
}

fn expectations(text: &str) -> Vec<Expectation> {
    let expectation = |line: &str| {
        let (fairness, rest) = line.strip_prefix("// ")?.split_once(": ")?;
        let (property, answer) = rest.split_once(' ')?;
        let known = ["none", "weak", "strong"].contains(&fairness);
        known.then(|| Expectation {
            fairness: fairness.to_string(),
            property: property.to_string(),
            answer: answer.to_string(),
        })
    };
    text.lines().filter_map(expectation).collect()
}

/// The ways to search under a fairness, each reduced where it can be, and one that is not.
fn searches(fairness: &str) -> Vec<Vec<&'static str>> {
    let mut searches =
        vec![vec![], vec!["--search", "scc"], vec!["--por", "none"], vec!["--engine", "interpreter"]];
    if fairness == "none" {
        searches.extend([
            vec!["--search", "cndfs", "--threads", "1"],
            vec!["--search", "cndfs", "--threads", "2"],
        ]);
    }
    if fairness != "strong" {
        searches.extend([
            vec!["--search", "ndfs"],
            vec!["--search", "ndfs-basic"],
            vec!["--search", "ndfs", "--fairness-copies", "n+2"],
            vec!["--search", "ndfs-basic", "--fairness-copies", "n+2"],
        ]);
    }
    searches
}

fn check(model: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stubborn"));
    let output = command.arg("check").arg(model).args(arguments).args(["--format", "json"]).output();
    let output = output.expect("stubborn runs");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{output:?}"))
}

/// What a run has found out about a property.
fn answer(report: &Value, property: &str) -> String {
    let results = report["results"].as_array().into_iter().flatten();
    let result = results.into_iter().find(|result| result["property"] == property);
    let result = result.unwrap_or_else(|| panic!("nothing about {property} in {report}"));
    let verdict = result["verdict"].as_str().unwrap_or_default();
    match result["reason"].as_str() {
        Some(reason) => format!("{verdict} {reason}"),
        None => verdict.to_string(),
    }
}

#[test]
fn models_with_expectations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/temporal");
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut models: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    models.sort();
    assert!(models.len() > 20);
    let mut wrong = Vec::new();
    for model in &models {
        let text = std::fs::read_to_string(model).expect("it can be read");
        let expectations = expectations(&text);
        assert!(!expectations.is_empty(), "{} expects nothing", model.display());
        for fairness in ["none", "weak", "strong"] {
            let wanted: Vec<_> = expectations.iter().filter(|wanted| wanted.fairness == fairness).collect();
            let names = wanted.iter().flat_map(|wanted| ["--property", wanted.property.as_str()]);
            let names: Vec<&str> = names.chain(["--fairness", fairness]).collect();
            for search in searches(fairness).into_iter().filter(|_| !wanted.is_empty()) {
                let report = check(model, &[names.as_slice(), &search].concat());
                for Expectation { property, answer: expected, .. } in &wanted {
                    let found = answer(&report, property);
                    if found != *expected {
                        let name = model.file_name().unwrap_or_default().to_string_lossy();
                        wrong.push(format!(
                            "{name}, {fairness}, {search:?}: {property} {found}, not {expected}"
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
