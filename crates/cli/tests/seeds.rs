//! The models of the literature in `models/seeds`: the published numbers of states and transitions,
//! and the errors that unsound reductions have lost.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The results of a check.
fn check(model: &str, arguments: &str) -> Value {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/seeds").join(model);
    let mut command = Command::new(env!("CARGO_BIN_EXE_stubborn"));
    command.arg("check").arg(model).args(["--format", "json"]).args(arguments.split_whitespace());
    let output = command.output().expect("stubborn runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    report["results"].clone()
}

#[test]
fn unreduced_the_published_numbers_come_out() {
    for (model, macros, states, transitions) in [
        ("independent.pml", "", 100_001, 450_002),
        ("cycling.pml", "", 100_001, 500_002),
        ("dependent.pml", "", 100_001, 450_002),
        ("pairs.pml", "-DN=2", 65, 108),
        ("pairs.pml", "-DN=3", 329, 784),
        ("pairs.pml", "-DN=4", 1657, 5216),
        ("pairs.pml", "-DN=5", 8313, 32680),
        // Published as 40 transitions, without the arrival in the initial state.
        ("two-pairs.pml", "", 25, 41),
    ] {
        let results = check(model, &format!("--explore {macros}"));
        let found = (&results[0]["states"], &results[0]["transitions"]);
        assert_eq!(found, (&states.into(), &transitions.into()), "{model} {macros}");
    }
}

#[test]
fn what_unsound_reductions_lose_is_found() {
    for (model, arguments, property, verdict, reason) in [
        ("unless-rendezvous.pml", "", "safety", "violated", Some("assertion")),
        ("disabled-statement.pml", "", "safety", "violated", Some("assertion")),
        ("disabled-in-cluster.pml", "", "safety", "violated", Some("invalid-end-state")),
        ("fair-rendezvous.pml", "--fairness weak", "served", "violated", Some("acceptance-cycle")),
        ("fair-rendezvous.pml", "--fairness strong", "served", "holds", None),
    ] {
        let results = check(model, &format!("--property {property} {arguments}"));
        let found = (results[0]["verdict"].as_str(), results[0]["reason"].as_str());
        assert_eq!(found, (Some(verdict), reason), "{model} {arguments}");
    }
}

#[test]
fn there_may_be_more_processes_than_usual() {
    let at_most = |limit: &str| {
        let results = check("independent.pml", &format!("--explore -DN=1000 -DM=1 {limit}"));
        (results[0]["verdict"].clone(), results[0]["states"].clone())
    };
    assert_eq!(at_most("--max-processes 1001"), ("holds".into(), 2.into()));
    assert_eq!(at_most("--max-processes 1000"), ("violated".into(), 1.into()));
    assert_eq!(at_most(""), ("violated".into(), 1.into()));
}

/// The ways of reduction, and leaving the choice to the tool.
const WAYS: [&str; 7] =
    ["--por none", "--por local", "--por ample", "--por stubborn", "--por deletion", "--por weak", ""];

#[test]
fn reduced_the_published_numbers_come_out() {
    for (model, macros, states, transitions) in [
        ("independent.pml", "", 47, 47),
        ("independent.pml", "-DN=1000 --max-processes 1001", 9002, 9002),
        ("cycling.pml", "", 100_001, 111_112),
        ("dependent.pml", "", 100_001, 450_002),
        ("pairs.pml", "-DN=2", 60, 76),
        ("pairs.pml", "-DN=3", 304, 480),
        ("pairs.pml", "-DN=4", 1532, 2908),
        ("pairs.pml", "-DN=5", 7688, 17064),
    ] {
        let results = check(model, &format!("--safety --por local {macros}"));
        let found = (&results[0]["states"], &results[0]["transitions"]);
        assert_eq!(found, (&states.into(), &transitions.into()), "{model} {macros}");
    }
}

/// Each file of `tests/reduction` says in its head what is to be found: `property: verdict reason`.
#[test]
fn no_way_of_reduction_loses_what_there_is() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reduction");
    let mut n_models = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let expected: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("// "))
            .find(|line| line.starts_with("safety: ") || line.starts_with("never: "))
            .unwrap_or_else(|| panic!("{} says nothing", path.display()))
            .split([':', ' '])
            .filter(|word| !word.is_empty())
            .collect();
        n_models += 1;
        for way in WAYS {
            for search in ["--search dfs", "--search bfs"] {
                let model = path.to_str().expect("a plain name");
                let results = check(model, &format!("--property {} {way} {search}", expected[0]));
                // What would be unsound is refused.
                if results.is_null() {
                    assert_eq!(expected[0], "never", "{model} {way}");
                    continue;
                }
                let found = (results[0]["verdict"].as_str(), results[0]["reason"].as_str());
                assert_eq!(found, (Some(expected[1]), Some(expected[2])), "{model} {way} {search}");
            }
        }
    }
    assert!(n_models >= 9, "only {n_models} models");
}
