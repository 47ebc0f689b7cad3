//! Traces of infinite runs, and traces that somebody has changed.

use serde_json::{Value, json};

use super::{Place, code, text};

/// Models with a property `p` that is violated by a lasso, by one under weak fairness, by a run that
/// ends, and a never claim.
const MODELS: [(&str, &str, &str); 5] = [
    (
        "loop.pml",
        "--ltl p",
        "byte x; ltl p { <> (x == 9) } active proctype A() { x = 1; do :: x = 2; x = 3 od }",
    ),
    (
        "fair.pml",
        "--ltl p --fairness weak",
        "byte x; ltl p { [] <> (x == 0) }
         active proctype A() { do :: x = 1; x = 2 od } active proctype B() { do :: skip; skip od }",
    ),
    ("ends.pml", "--ltl p", "byte x; ltl p { <> (x == 9) } active proctype A() { x = 1; x = 2 }"),
    (
        "claim.pml",
        "--property never",
        "byte x; never { do :: x == 2 -> break :: else od } active proctype A() { x = 1; x = 2; x = 3 }",
    ),
    (
        "idle.pml",
        "--progress",
        "chan c = [0] of { byte }; byte x;
        active proctype S() { do :: atomic { x = 1; c!1 } od } active proctype R() { do :: c?_; x = 0 od }",
    ),
];

/// Checks a model, which must violate its property, and writes the trace.
fn written(place: &Place, name: &str) -> Value {
    let (_, options, model) = MODELS.iter().find(|(other, ..)| *other == name).expect(name);
    place.write(name, model.as_bytes());
    let output = place.run(&format!("check {name} {options} --trace t.json"));
    assert_eq!(code(&output), 1, "{name}: {}", text(&output.stderr));
    serde_json::from_slice(&std::fs::read(place.folder.path().join("t.json")).unwrap()).unwrap()
}

/// Replays a trace that was changed; it must be refused. Gives the message.
fn refused(place: &Place, model: &str, trace: &Value) -> String {
    place.write("changed.json", trace.to_string().as_bytes());
    let output = place.run(&format!("replay {model} changed.json"));
    assert_eq!(code(&output), 2, "{model}: {trace:#}\n{}", text(&output.stdout));
    let message = text(&output.stderr);
    assert!(message.contains("E0006"), "{message}");
    message
}

#[test]
fn traces_of_infinite_runs_are_replayed_and_drawn() {
    let place = Place::new();
    for (name, ..) in MODELS {
        let trace = written(&place, name);
        let replayed = place.run(&format!("replay {name} t.json"));
        assert_eq!(code(&replayed), 0, "{name}: {}", text(&replayed.stderr));
        let is_infinite = !trace["loop_start"].is_null();
        let marked = |format: &str, mark: &str| {
            let drawn = text(&place.run(&format!("replay {name} t.json --format {format}")).stdout);
            assert_eq!(drawn.contains(mark), is_infinite, "{name}: {drawn}");
        };
        marked("human", "from here on, for ever:\n");
        marked("msc", "from here on, for ever:\n");
        marked("mermaid", "    loop for ever\n");
        let guided = place.run(&format!("simulate {name} --guided t.json"));
        assert_eq!(code(&guided), 1, "{name}: {}", text(&guided.stderr));
        assert_eq!(text(&guided.stdout).contains("from here on, for ever:"), is_infinite);
        // JSON is a trace again.
        let again = place.run(&format!("replay {name} t.json --format json"));
        assert_eq!(serde_json::from_slice::<Value>(&again.stdout).unwrap(), trace, "{name}");
    }
}

#[test]
fn whole_reports_are_traces_too() {
    let place = Place::new();
    for (name, options, _) in MODELS {
        written(&place, name);
        let report = place.run(&format!("check {name} {options} --format json"));
        place.write("report.json", &report.stdout);
        let output = place.run(&format!("replay {name} report.json"));
        assert_eq!(code(&output), 0, "{name}: {}", text(&output.stderr));
    }
    place.write("report.json", &place.run("check good.pml --format json").stdout);
    assert_eq!(code(&place.run("replay good.pml report.json")), 2);
}

#[test]
fn a_formula_may_stand_in_the_trace_alone() {
    let place = Place::new();
    let formula = "[] (x < 2)";
    assert_eq!(code(&place.run_with("check good.pml --trace t.json --ltl", &[formula])), 1);
    assert_eq!(code(&place.run("replay good.pml t.json")), 0);
    assert_eq!(code(&place.run("simulate good.pml --guided t.json")), 1);
    assert_eq!(code(&place.run_with("replay good.pml t.json --ltl", &[formula])), 0);
    assert_eq!(code(&place.run_with("replay good.pml t.json --dialect spot --ltl", &["G (x < 2)"])), 0);
    let other = place.run_with("replay good.pml t.json --ltl", &["[] (x < 9)"]);
    assert_eq!(code(&other), 2);
    assert!(text(&other.stderr).contains("has another formula"), "{}", text(&other.stderr));

    place.write("two.nvr", b"never { do :: x == 2 -> break :: else od }");
    assert_eq!(code(&place.run("check good.pml --automaton two.nvr --trace t.json")), 1);
    assert_eq!(code(&place.run("replay good.pml t.json --automaton two.nvr")), 0);
    let missing = place.run("replay good.pml t.json");
    assert_eq!(code(&missing), 2);
    assert!(text(&missing.stderr).contains("give it with --ltl or --automaton"), "{}", text(&missing.stderr));
}

#[test]
fn what_a_trace_says_about_itself_must_be_true() {
    let place = Place::new();
    let trace = written(&place, "loop.pml");
    let steps = trace["steps"].as_array().unwrap().len();
    for (field, value, complaint) in [
        ("loop_start", json!(steps), "behind the last one"),
        ("loop_start", json!(0), "does not lead back"),
        ("loop_start", Value::Null, "is not infinite"),
        ("reason", Value::Null, "a run does not show that"),
        ("reason", json!("non-progress-cycle"), "cannot be violated by a non-progress-cycle"),
        ("reason", json!("never-claim"), "cannot be violated by a never-claim"),
        ("reason", json!("deadlock"), "is infinite"),
        ("reason", json!("assertion"), "must say what fails"),
        ("reason", json!("bad-luck"), "cannot be checked"),
        ("property", json!("safety"), "not about infinite runs"),
        ("property", json!("acceptance"), "another formula"),
        ("formula", json!("[] (x == 0)"), "another formula"),
        ("fairness", json!("great"), "unknown fairness"),
        ("initial", json!({"x": 1}), "another value initially"),
        ("initial", json!({}), "another value initially"),
    ] {
        let mut changed = trace.clone();
        changed[field] = value.clone();
        let message = refused(&place, "loop.pml", &changed);
        assert!(message.contains(complaint), "{field} = {value}: {message}");
    }
    let mut renamed = trace.clone();
    (renamed["property"], renamed["formula"]) = (json!("q"), Value::Null);
    assert!(refused(&place, "loop.pml", &renamed).contains("is not in the model"));
}

#[test]
fn steps_of_a_trace_must_be_as_they_say() {
    let place = Place::new();
    let trace = written(&place, "loop.pml");
    let last = trace["steps"].as_array().unwrap().len() - 1;
    for index in [0, last] {
        for (field, value, complaint) in [
            ("process", json!("B"), "is of type `A`"),
            ("process", Value::Null, "is of type `A`"),
            ("pid", json!(1), "no enabled step is"),
            ("pid", Value::Null, "no enabled step is"),
            ("partner", json!(0), "no enabled step is"),
            ("line", json!(7), "no enabled step is"),
            ("action", json!("x = 7"), "no enabled step is"),
            ("observable", json!(false), "is observable"),
            ("changes", json!({}), "does not make these changes"),
            ("changes", json!({"x": [7, 8]}), "does not make these changes"),
        ] {
            let mut changed = trace.clone();
            changed["steps"][index][field] = value.clone();
            let message = refused(&place, "loop.pml", &changed);
            assert!(message.contains(complaint), "{field} = {value} in step {index}: {message}");
            assert!(message.contains(&format!("step {}: ", index + 1)), "{message}");
        }
    }
    let mut without = trace.clone();
    without["steps"][last].as_object_mut().unwrap().remove("changes");
    assert!(refused(&place, "loop.pml", &without).contains("changes"));
    // One step of the loop is left out, then one before it.
    let mut short = trace.clone();
    short["steps"].as_array_mut().unwrap().pop();
    refused(&place, "loop.pml", &short);
    let mut short = trace.clone();
    short["steps"].as_array_mut().unwrap().remove(0);
    refused(&place, "loop.pml", &short);
    // Nothing happens, although an action is enabled.
    let stutter = json!({"process": null, "pid": null, "line": 0, "action": "stutter", "observable": true});
    let mut idle = trace.clone();
    idle["steps"].as_array_mut().unwrap().insert(1, stutter);
    assert!(refused(&place, "loop.pml", &idle).contains("although an action is enabled"));
}

#[test]
fn ends_claims_and_fairness_must_be_true() {
    let place = Place::new();
    let ends = written(&place, "ends.pml");
    let last = ends["steps"].as_array().unwrap().len() - 1;
    for (field, value) in
        [("observable", json!(false)), ("changes", json!({"x": [2, 3]})), ("process", json!("A"))]
    {
        let mut changed = ends.clone();
        changed["steps"][last][field] = value;
        assert!(refused(&place, "ends.pml", &changed).contains("without a process does something"));
    }
    let mut finite = ends.clone();
    finite["loop_start"] = Value::Null;
    refused(&place, "ends.pml", &finite);

    let claim = written(&place, "claim.pml");
    let mut short = claim.clone();
    short["steps"].as_array_mut().unwrap().pop();
    assert!(refused(&place, "claim.pml", &short).contains("does not reach its end"));
    let mut cyclic = claim.clone();
    cyclic["loop_start"] = json!(0);
    assert!(refused(&place, "claim.pml", &cyclic).contains("is infinite"));
    let mut renamed = claim;
    renamed["reason"] = json!("acceptance-cycle");
    refused(&place, "claim.pml", &renamed);

    // B moves alone: not fair to A, which can always move.
    written(&place, "fair.pml");
    let model = "byte x; ltl p { <> (x == 9) } active proctype A() { do :: x = 1; x = 2 od }
        active proctype B() { do :: skip; skip od }";
    place.write("unfair.pml", model.as_bytes());
    assert_eq!(code(&place.run("check unfair.pml --ltl p --trace t.json")), 1);
    let bytes = std::fs::read(place.folder.path().join("t.json")).unwrap();
    let mut unfair: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(unfair["fairness"], "none");
    unfair["fairness"] = json!("weak");
    assert!(refused(&place, "unfair.pml", &unfair).contains("not fair to process"));
}

#[test]
fn the_flag_of_observable_states_is_checked_in_atomic_sequences_too() {
    let place = Place::new();
    let trace = written(&place, "idle.pml");
    let steps = trace["steps"].as_array().unwrap();
    let inside = steps.iter().position(|step| step["observable"] == false).expect("a step inside");
    let mut changed = trace.clone();
    changed["steps"][inside]["observable"] = json!(true);
    assert!(refused(&place, "idle.pml", &changed).contains("is not observable"));
    // The last step of a run that ends with a failure.
    place.write("failed.pml", b"byte x; active proctype A() { x = 1; assert(x == 2) }");
    assert_eq!(code(&place.run("check failed.pml --trace t.json")), 1);
    let bytes = std::fs::read(place.folder.path().join("t.json")).unwrap();
    let failed: Value = serde_json::from_slice(&bytes).unwrap();
    for (field, value) in
        [("observable", json!(false)), ("changes", json!({"x": [1, 2]})), ("process", json!("Z"))]
    {
        let mut changed = failed.clone();
        changed["steps"][1][field] = value;
        refused(&place, "failed.pml", &changed);
    }
    let mut changed = failed.clone();
    changed["failure"] = Value::Null;
    refused(&place, "failed.pml", &changed);
    changed = failed;
    changed["reason"] = json!("runtime-error");
    refused(&place, "failed.pml", &changed);
}
