//! What is said about nets, with the bundled ones.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs a line in the top folder, followed by arguments with spaces in them.
fn run(line: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stubborn"));
    command.args(line.split_whitespace()).args(arguments);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).output().expect("it runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal has ended it")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("reports are UTF-8")
}

fn json(line: &str, arguments: &[&str]) -> Value {
    let output = run(&format!("{line} --format json"), arguments);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{line}: {}", String::from_utf8_lossy(&output.stderr)))
}

const MUTEX: &str = "check models/nets/mutex.lola";
const FORKS: &str = "check models/nets/forks.lola";
const BUFFER: &str = "check models/nets/buffer.pnml";

#[test]
fn a_deadlock_is_shown_as_firings() {
    let output = run(FORKS, &[]);
    assert_eq!(code(&output), 1);
    let text = text(&output);
    let headline = "deadlock is violated: a marking is reachable in which no transition is enabled\n";
    assert!(text.contains(headline), "{text}");
    let initial = "     initially thinking_1 = 1, thinking_2 = 1, fork_1 = 1, fork_2 = 1\n";
    assert!(text.contains(initial), "{text}");
    assert!(text.contains("fork_1: 1 -> 0"), "{text}");
    assert!(text.contains(" firings, depth "), "{text}");
    assert!(!text.contains("(0)") && !text.contains(":0"), "{text}");
}

#[test]
fn the_bundled_nets_have_the_properties_that_they_are_said_to_have() {
    let mutex = ["--invariant", "critical_a + critical_b <= 1", "--home", "INITIAL", "--live", "all"];
    assert_eq!(code(&run(MUTEX, &mutex)), 0);
    let report = json(BUFFER, &["--formula", "models/nets/buffer.formula"]);
    let verdicts: Vec<_> = report["results"].as_array().unwrap().iter().map(|one| &one["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "holds", "holds", "violated", "holds"]);
    assert_eq!(report["results"][4]["value"], 4);
}

#[test]
fn witnesses_and_bounds_are_shown() {
    let asked = ["--reach", "critical_a = 1 AND waiting_b = 1", "--bounded", "waiting_a + waiting_b"];
    let output = run(MUTEX, &asked);
    assert_eq!(code(&output), 0);
    let text = text(&output);
    assert!(text.contains("reach_0 holds: this run shows it\n"), "{text}");
    assert!(text.contains("bounded_0: MAX(waiting_a + waiting_b) = 2\n"), "{text}");
}

#[test]
fn the_method_is_what_was_used() {
    for (arguments, search, store, threads) in [
        (&["--deadlock"][..], "dfs", "tree", 1),
        (&["--deadlock", "--por", "none"], "reach", "cleary", 3),
        (&["--deadlock", "--search", "bfs"], "bfs", "cleary", 3),
        (&["--explore"], "reach", "cleary", 3),
        (&["--explore", "--search", "bfs"], "bfs", "tree", 1),
        (&["--home", "INITIAL"], "graph", "tree", 1),
        (&["--ltl", "G F idle_a = 1"], "dfs", "tree", 1),
        (&["--ctl", "idle_a = 1"], "none", "none", 1),
    ] {
        let report = json(&format!("{MUTEX} --threads 3"), arguments);
        let method = &report["results"][0]["method"];
        let used = (&method["search"], &method["store"], &method["threads"]);
        // Which search for infinite runs is the fastest is another matter.
        let search = if arguments[0] == "--ltl" { used.0.clone() } else { search.into() };
        assert_eq!(used, (&search, &store.into(), &threads.into()), "{arguments:?}");
    }
}

#[test]
fn other_searches_and_stores_than_asked_for_are_noted() {
    let report = json(MUTEX, &["--bounded", "idle_a", "--search", "scc", "--por", "weak"]);
    let warnings = &report["results"][0]["warnings"];
    assert_eq!(warnings[0], "`--search scc` does not suit this property; reach was used");
    assert_eq!(warnings[1], "`--por weak` does not suit this property; no reduction was used");
    let report = json(MUTEX, &["--home", "INITIAL", "--store", "table"]);
    assert_eq!(
        report["results"][0]["warnings"][0],
        "`--store table` does not suit this search; tree was used"
    );
}

#[test]
fn explorations_have_the_store_that_is_asked_for() {
    for (store, is_lossy) in
        [("table", false), ("tree", false), ("cleary", false), ("hash-compact", true), ("bitstate", true)]
    {
        let asked = |line: &str, arguments: &[&str]| {
            let report = json(&format!("{line} --store {store} --max-memory 300M --threads 2"), arguments);
            assert_eq!(report["results"][0]["method"]["store"], store, "{line} {arguments:?}");
            report["results"][0].clone()
        };
        let space = asked(MUTEX, &["--explore"]);
        assert_eq!((&space["states"], &space["edges"]), (&8.into(), &14.into()), "{store}");
        assert_eq!(space["verdict"], if is_lossy { "unknown" } else { "holds" });
        let missed = space["warnings"].to_string().contains("the probability that some were missed");
        assert_eq!((missed, space["reason"] == "lossy-store"), (is_lossy, is_lossy), "{store}");
        assert_eq!(asked(FORKS, &["--deadlock", "--search", "reach"])["verdict"], "violated", "{store}");
        let unreachable = asked(MUTEX, &["--invariant", "critical_a + critical_b <= 1", "--search", "reach"]);
        assert_eq!(unreachable["verdict"], if is_lossy { "unknown" } else { "holds" }, "{store}");
        assert_eq!(
            code(&run(&format!("{MUTEX} --search dfs --store {store}"), &[])),
            2 * i32::from(is_lossy)
        );
    }
}

#[test]
fn what_is_about_programs_is_refused() {
    for option in ["--fairness weak", "--max-depth 3", "--format spin", "--all-errors"] {
        let output = run(&format!("{MUTEX} {option}"), &[]);
        assert_eq!(code(&output), 2, "{option}");
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(complaint.contains(option.split(' ').next().unwrap()), "{option}: {complaint}");
    }
}

#[test]
fn answers_can_have_the_form_of_the_contest() {
    let asked = ["--format", "mcc", "--explore", "--deadlock", "--bounded", "full", "--reach", "full > 3"];
    let output = run(BUFFER, &asked);
    assert_eq!(code(&output), 1);
    let text = text(&output);
    let lines: Vec<&str> = text.lines().map(|line| line.split(" TECHNIQUES").next().unwrap()).collect();
    assert_eq!(
        lines,
        [
            "FORMULA deadlock FALSE",
            "STATE_SPACE STATES 16",
            "STATE_SPACE TRANSITIONS 26",
            "STATE_SPACE MAX_TOKEN_PER_MARKING 5",
            "STATE_SPACE MAX_TOKEN_IN_PLACE 3",
            "FORMULA reach_0 FALSE",
            "FORMULA bounded_0 3",
        ]
    );
    let limited = run(&format!("{BUFFER} --explore --max-states 2 --format mcc"), &[]);
    assert_eq!((code(&limited), self::text(&limited).as_str()), (3, "CANNOT_COMPUTE\n"));
}

/// A place that has as many tokens as it can ever have is not watched any longer; markings are counted all the same.
#[test]
fn the_most_tokens_are_told_when_everything_is_explored() {
    let result = &json(BUFFER, &["--explore"])["results"][0];
    assert_eq!(result["tokens"], serde_json::json!({"in_place": 3, "in_all": 5}));
    let result = &json(MUTEX, &["--explore"])["results"][0];
    assert_eq!(result["tokens"], serde_json::json!({"in_place": 1, "in_all": 3}));
    assert_eq!(result["states"], 8);
    let result = &json(MUTEX, &["--explore", "--max-states", "5"])["results"][0];
    assert_eq!((&result["verdict"], &result["reason"]), (&"unknown".into(), &"states".into()));
    assert!(result.get("tokens").is_none());
    // The first marking has the greatest value that is possible.
    let result = &json(MUTEX, &["--bounded", "semaphore", "--threads", "1"])["results"][0];
    assert!(result["value"] == 1 && result["states"].as_u64() < Some(8), "{result}");
}

#[test]
fn of_an_undecided_bound_is_said_how_far_it_was_seen_to_go() {
    let result = &json(BUFFER, &["--bounded", "full", "--max-states", "5"])["results"][0];
    assert_eq!((&result["verdict"], &result["reason"]), (&"unknown".into(), &"states".into()));
    let note = result["warnings"][0].as_str().expect("there is a note");
    assert!(note.starts_with("the value is at least "), "{note}");
}
