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
