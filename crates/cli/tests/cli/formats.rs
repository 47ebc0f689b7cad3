//! The forms of reports, field by field.

use serde_json::Value;

use super::{Place, code, text};

/// What a run writes to standard output, as JSON.
fn json(place: &Place, line: &str) -> Value {
    let output = place.run(line);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{line}: {}", text(&output.stderr)))
}

/// A name and the test that its value must pass.
type Field = (&'static str, fn(&Value) -> bool);

fn expect(object: &Value, fields: &[Field]) {
    for (name, fits) in fields {
        let value = object.get(name).unwrap_or_else(|| panic!("no `{name}` in {object}"));
        assert!(fits(value), "`{name}` is {value}");
    }
}

fn is_text_or_null(value: &Value) -> bool {
    value.is_string() || value.is_null()
}

const ROOT: [Field; 6] = [
    ("schema", Value::is_u64),
    ("tool", Value::is_object),
    ("model", Value::is_object),
    ("results", Value::is_array),
    ("seconds", Value::is_f64),
    ("peak_rss_bytes", Value::is_u64),
];
const RESULT: [Field; 15] = [
    ("property", Value::is_string),
    ("kind", Value::is_string),
    ("formula", is_text_or_null),
    ("verdict", Value::is_string),
    ("reason", is_text_or_null),
    ("method", Value::is_object),
    ("states", Value::is_u64),
    ("matched", Value::is_u64),
    ("transitions", Value::is_u64),
    ("depth", Value::is_u64),
    ("errors", Value::is_u64),
    ("store_bytes", Value::is_u64),
    ("seconds", Value::is_f64),
    ("warnings", Value::is_array),
    ("trace", |value| value.is_object() || value.is_null()),
];
const METHOD: [Field; 7] = [
    ("search", Value::is_string),
    ("por", Value::is_string),
    ("symmetry", Value::is_string),
    ("fairness", Value::is_string),
    ("store", Value::is_string),
    ("engine", Value::is_string),
    ("threads", Value::is_u64),
];
const STEP: [Field; 7] = [
    ("process", is_text_or_null),
    ("pid", |value| value.is_u64() || value.is_null()),
    ("partner", |value| value.is_u64() || value.is_null()),
    ("line", Value::is_u64),
    ("action", Value::is_string),
    ("observable", Value::is_boolean),
    ("changes", Value::is_object),
];
const ERROR: [Field; 5] = [
    ("code", Value::is_string),
    ("message", Value::is_string),
    ("file", is_text_or_null),
    ("line", |value| value.is_u64() || value.is_null()),
    ("column", |value| value.is_u64() || value.is_null()),
];

#[test]
fn json_has_the_fields_of_the_contract() {
    let place = Place::new();
    for model in ["good.pml", "failing.pml", "stuck.pml", "large.pml --max-states 5", "ltl.pml", "waits.pml"]
    {
        let report = json(&place, &format!("check {model} --format json"));
        expect(&report, &ROOT);
        assert_eq!(report["tool"]["name"], "stubborn");
        for result in report["results"].as_array().unwrap() {
            expect(result, &RESULT);
            expect(&result["method"], &METHOD);
            for step in result["trace"]["steps"].as_array().unwrap_or(&Vec::new()) {
                expect(step, &STEP);
            }
        }
    }
}

#[test]
fn traces_name_locals_partners_and_steps_inside_atomic() {
    let place = Place::new();
    place.write(
        "meet.pml",
        b"chan c = [0] of { byte };
          active proctype S() { byte n = 3; atomic { n++; c!n } }
          active proctype R() { byte m; c?m; assert(m == 3) }",
    );
    let report = json(&place, "check meet.pml --format json");
    let trace = &report["results"][0]["trace"];
    assert_eq!(trace["initial"]["S[0].n"], 3);
    assert_eq!(trace["loop_start"], Value::Null);
    let steps = trace["steps"].as_array().unwrap();
    assert_eq!(steps[0]["observable"], false, "{trace:#}");
    assert_eq!(steps[0]["changes"]["S[0].n"], serde_json::json!([3, 4]));
    let meeting = steps.iter().find(|step| !step["partner"].is_null()).expect("a rendezvous");
    assert_eq!((&meeting["process"], &meeting["partner"]), (&"S".into(), &1.into()));
}

#[test]
fn errors_have_the_same_form_for_every_command_with_json() {
    let place = Place::new();
    for line in [
        "check nosuch.pml --format json",
        "check bad.pml --format=json",
        "check --format json",
        "check good.pml --format json --threads 0",
        "check good.pml -D3=4 --format json",
        "replay nosuch.pml t.json --format json",
        "replay good.pml nosuch.json --format json",
        "mcc --format json",
        "check good.pml --trace nosuch/t.json --format json",
    ] {
        let output = place.run(line);
        assert_eq!(code(&output), 2, "{line}");
        let report: Value = serde_json::from_slice(&output.stdout).expect(line);
        assert_eq!(report["schema"], 1, "{line}");
        let errors = report["errors"].as_array().unwrap();
        assert!(!errors.is_empty(), "{line}");
        errors.iter().for_each(|error| expect(error, &ERROR));
        assert!(!output.stderr.is_empty(), "{line}: people want to know too");
    }
    let missing = json(&place, "check --format json");
    assert!(missing["errors"][0]["message"].as_str().unwrap().ends_with("<MODEL>"), "{missing}");
}

#[test]
fn sarif_says_where_and_how() {
    let place = Place::new();
    place.write("a b.pml", std::fs::read(place.folder.path().join("failing.pml")).unwrap().as_slice());
    let output = place.command("check --format sarif").arg("a b.pml").output().unwrap();
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"assertion".into(), &"error".into()));
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], result["ruleId"]);
    let place_of_failure = &result["locations"][0]["physicalLocation"];
    assert_eq!(place_of_failure["artifactLocation"]["uri"], "a%20b.pml");
    assert_eq!(place_of_failure["region"]["startLine"], 2);
    let flows = result["codeFlows"][0]["threadFlows"].as_array().unwrap();
    assert!(flows.iter().all(|flow| flow["locations"][0]["executionOrder"].is_u64()), "{result:#}");

    assert_eq!(json(&place, "check good.pml --format sarif")["runs"][0]["results"], serde_json::json!([]));
    let refused = json(&place, "check bad.pml --format sarif");
    assert_eq!(refused["runs"][0]["results"][0]["ruleId"], "E0401");
}

#[test]
fn junit_has_a_case_for_each_property() {
    let place = Place::new();
    let failed = text(&place.run("check failing.pml --format junit").stdout);
    assert!(failed.contains("tests=\"1\" failures=\"1\" errors=\"0\""), "{failed}");
    assert!(
        failed.contains("<failure type=\"assertion\" message=\"assertion violated: (x==1)\">"),
        "{failed}"
    );
    let undecided = text(&place.run("check waits.pml --max-states 1 --format junit").stdout);
    assert!(undecided.contains("tests=\"2\" failures=\"0\" errors=\"2\""), "{undecided}");
    let cycle = text(&place.run("check ltl.pml --ltl p --format junit").stdout);
    assert!(cycle.contains("type=\"acceptance-cycle\" message=\"a run violates the formula\""), "{cycle}");
    let refused = text(&place.run("check bad.pml --format junit").stdout);
    assert!(refused.contains("<error type=\"E0401\""), "{refused}");
    for report in [failed, undecided, cycle, refused] {
        assert!(report.starts_with("<?xml") && report.ends_with("</testsuite>\n"), "{report}");
        assert!(!report.contains('\u{1b}'), "no colours in XML");
    }
}

#[test]
fn the_spin_format_keeps_the_exit_status() {
    let place = Place::new();
    let output = place.run("check failing.pml --format spin");
    assert_eq!(code(&output), 1);
    assert!(text(&output.stdout).contains("errors: 1\n"));
    // One summary for each property.
    let output = place.run("check waits.pml --format spin");
    assert_eq!(code(&output), 1);
    let summaries = text(&output.stdout);
    for line in [
        "\tnever claim         \t- (not selected)\n",
        "errors: 0\n",
        "pan:1: acceptance cycle (at depth 0)\n",
        "\tnever claim         \t+ (p)\n",
        "\tacceptance   cycles \t+ (fairness disabled)\n",
        "errors: 1\n",
    ] {
        assert!(summaries.contains(line), "no {line:?} in\n{summaries}");
    }
}

#[test]
fn long_traces_do_not_make_long_reports_for_services() {
    let place = Place::new();
    place.write("long.pml", b"int x; init { do :: x < 2000 -> x++ :: else -> break od; assert(false) }");
    let flows = json(&place, "check long.pml --format sarif");
    let steps =
        flows["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    assert_eq!(steps.len(), 1000);
    assert!(steps.last().unwrap()["location"]["message"]["text"].as_str().unwrap().starts_with("assert"));
    let junit = text(&place.run("check long.pml --format junit").stdout);
    assert!(junit.lines().count() < 200, "{} lines", junit.lines().count());
    // The trace itself is complete.
    let whole = json(&place, "check long.pml --format json");
    assert_eq!(whole["results"][0]["trace"]["steps"].as_array().unwrap().len(), 4002);
}
