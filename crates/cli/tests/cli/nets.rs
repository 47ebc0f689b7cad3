//! Petri nets through the binary: questions, answers, runs, files, and what is refused.

use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Place, code, text};

/// Two tokens go to q one by one; two on q become one on p. It ends with one token on q: 5 markings.
const TWO: &str = "PLACE p, q; MARKING p: 2;
TRANSITION t CONSUME p; PRODUCE q;
TRANSITION u CONSUME q: 2; PRODUCE p;";

/// A ring of three places with two tokens: 6 markings, 9 firings, everything is live.
const RING: &str = "PLACE a, b, c; MARKING a: 2;
TRANSITION ab CONSUME a; PRODUCE b;
TRANSITION bc CONSUME b; PRODUCE c;
TRANSITION ca CONSUME c; PRODUCE a;";

/// A place that grows for ever.
const GROWING: &str = "PLACE p; MARKING; TRANSITION t CONSUME; PRODUCE p;";

const HEAD: &str = "<?xml version='1.0'?><pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'>\n\
    <net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='g'>\n";
const FOOT: &str = "</page></net></pnml>\n";

fn nets() -> Place {
    let place = Place::new();
    for (name, text) in [("two.lola", TWO), ("ring.lola", RING), ("growing.lola", GROWING)] {
        place.write(name, text.as_bytes());
    }
    place
}

/// All results of a check, as JSON, after looking at the exit status.
fn results(place: &Place, line: &str, arguments: &[&str], expected: i32) -> Vec<Value> {
    let output = place.run_with(&format!("check --format json {line}"), arguments);
    assert_eq!(
        code(&output),
        expected,
        "{line} {arguments:?}: {}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report["results"].as_array().expect("results").clone()
}

/// The names of the transitions of a run.
fn fired(result: &Value) -> Vec<&str> {
    let steps = result["trace"]["steps"].as_array().expect("a run");
    steps.iter().map(|step| step["action"].as_str().expect("a name")).collect()
}

/// Says that something is refused, with its code, without anything else.
fn assert_refused(output: &Output, expected: &str, what: &str) {
    let errors = text(&output.stderr);
    assert_eq!(code(output), 2, "{what}: {errors}");
    assert!(errors.contains(expected), "{what}: {errors}");
    assert!(!errors.contains("internal error"), "{what}: {errors}");
}

#[test]
fn questions_have_their_answers_and_exit_status() {
    let place = nets();
    for (net, option, asked, holds) in [
        ("two", "--reach", "q = 2", true),
        ("two", "--reach", "p = 2 AND q > 0", false),
        ("two", "--reach", "DEADLOCK AND q = 1", true),
        ("two", "--reach", "FIREABLE(u) AND FIREABLE(t)", false),
        ("two", "--invariant", "p + q <= 2 AND p + q >= 1", true),
        ("two", "--invariant", "p + 2 * q < 4", false),
        ("two", "--home", "DEADLOCK", true),
        ("two", "--home", "INITIAL", false),
        ("two", "--live", "t", false),
        ("two", "--live", "all", false),
        ("two", "--ltl", "F G q = 1", true),
        ("two", "--ltl", "G F p = 1", false),
        ("two", "--ltl", "F DEADLOCK", true),
        ("two", "--ltl", "X (q = 1)", true),
        ("two", "--ltl", "p >= 2 U q = 2", false),
        ("two", "--ltl", "p >= 1 U q >= 1", true),
        ("two", "--ctl", "AF DEADLOCK", true),
        ("two", "--ctl", "AG EF p = 2", false),
        ("two", "--ctl", "EX q = 1 AND NOT EX q = 2", true),
        ("two", "--ctl", "E (p >= 1 U q = 2)", true),
        ("ring", "--live", "all", true),
        ("ring", "--live", "ca", true),
        ("ring", "--home", "a = 2", true),
        ("ring", "--home", "a = 3", false),
        ("ring", "--ctl", "EG a >= 1", true),
        ("ring", "--ctl", "AF c = 1", true),
        ("ring", "--ctl", "AF c = 2", false),
        ("ring", "--ltl", "G F FIREABLE(ca)", true),
        ("ring", "--ltl", "G F a = 2", false),
        ("ring", "--reach", "a = 1 AND b = 1", true),
    ] {
        let found = results(&place, &format!("{net}.lola"), &[option, asked], if holds { 0 } else { 1 });
        let expected = if holds { "holds" } else { "violated" };
        assert_eq!((found.len(), &found[0]["verdict"]), (1, &expected.into()), "{net} {option} {asked}");
        assert!(found[0]["formula"].is_string() || asked == "all", "{net} {option} {asked}");
    }
    assert_eq!(code(&place.run("check two.lola")), 1, "a deadlock is what is looked for by default");
    assert_eq!(code(&place.run("check ring.lola")), 0);
}

#[test]
fn a_deadlock_ends_a_path_or_is_repeated() {
    let place = nets();
    for (formula, repeated, ended) in [
        ("AG EX TRUE", 0, 1),
        ("EF AX FALSE", 1, 0),
        ("EF (DEADLOCK AND EX q = 1)", 0, 1),
        ("AF AX q = 5", 1, 0),
        // Maximal paths, whichever way they are understood.
        ("AF DEADLOCK", 0, 0),
        ("EG p + q >= 1", 0, 0),
        ("EG p + q >= 2", 1, 1),
        ("E (q = 0 R p + q > 0)", 0, 0),
        ("A (p + q >= 2 U q = 2)", 0, 0),
    ] {
        for (rule, expected) in [("stutter", repeated), ("end", ended)] {
            let output =
                place.run_with(&format!("check two.lola --ctl-deadlock {rule}"), &["--ctl", formula]);
            assert_eq!(code(&output), expected, "{formula} {rule}: {}", text(&output.stdout));
        }
    }
}

#[test]
fn counts_and_values_are_exact() {
    let place = nets();
    for search in ["", "--search dfs", "--search bfs", "--search reach --threads 2", "--por none"] {
        for (net, states, edges, most) in [("two", 5, 4, 2), ("ring", 6, 9, 2)] {
            let found = results(&place, &format!("{net}.lola --explore {search}"), &[], 0);
            let result = &found[0];
            assert_eq!(
                (&result["states"], &result["edges"]),
                (&states.into(), &edges.into()),
                "{net} {search}"
            );
            assert_eq!(result["transitions"], edges + 1, "the initial marking is arrived at too");
            assert_eq!(result["matched"], edges + 1 - states);
            assert_eq!(
                (&result["property"], &result["kind"]),
                (&"state-space".into(), &"state-space".into())
            );
            let place_of_all = if net == "two" { "p + q" } else { "a + b + c" };
            let bound = results(&place, &format!("{net}.lola {search}"), &["--bounded", place_of_all], 0);
            assert_eq!(bound[0]["value"], most, "{net} {search}");
        }
    }
    for (sum, value) in [("2 * q - p", 4), ("p - 3 * q + 1", 3), ("7", 7), ("p - q", 2)] {
        let found = results(&place, "two.lola", &["--bounded", sum], 0);
        assert_eq!((&found[0]["value"], &found[0]["kind"]), (&value.into(), &"bound".into()), "{sum}");
    }
}

#[test]
fn runs_show_what_was_found() {
    let place = nets();
    let found = results(&place, "two.lola --deadlock", &[], 1);
    assert_eq!((fired(&found[0]), &found[0]["reason"]), (vec!["t", "t", "u", "t"], &"deadlock".into()));
    assert_eq!(found[0]["trace"]["initial"], json!({"p": 2, "q": 0}));
    assert_eq!(found[0]["trace"]["steps"][2]["changes"], json!({"p": [0, 1], "q": [2, 0]}));
    assert_eq!(found[0]["trace"]["loop_start"], Value::Null);

    let found = results(&place, "two.lola", &["--reach", "p = 1 AND q = 0"], 0);
    assert_eq!(fired(&found[0]), ["t", "t", "u"]);
    let found = results(&place, "ring.lola --search bfs", &["--invariant", "c = 0"], 1);
    assert_eq!((fired(&found[0]), &found[0]["reason"]), (vec!["ab", "bc"], &"invariant".into()));
    let found = results(&place, "two.lola", &["--reach", "p = 5"], 1);
    assert_eq!(found[0]["trace"], Value::Null, "nothing can be shown of what cannot be reached");

    // A run that has ended goes on for ever, in words.
    let found = results(&place, "two.lola", &["--ltl", "G F p = 1"], 1);
    let run = fired(&found[0]);
    assert_eq!(run[..4], ["t", "t", "u", "t"]);
    assert!(run.len() > 4 && run[4..].iter().all(|step| *step == "stutter"), "{run:?}");
    assert!(found[0]["trace"]["loop_start"].as_u64().is_some_and(|start| start >= 4));
    // A cycle avoids what should happen.
    let found = results(&place, "ring.lola", &["--ltl", "F c = 2"], 1);
    assert!(found[0]["trace"]["loop_start"].is_u64() && fired(&found[0]).len() >= 3);
    let found = results(&place, "ring.lola", &["--ctl", "AF c = 2"], 1);
    assert!(found[0]["trace"]["loop_start"].is_u64() && fired(&found[0]).len() >= 3);

    assert_eq!(code(&place.run("check two.lola --trace t.json")), 1);
    let trace = std::fs::read(place.folder.path().join("t.json")).expect("the run is written");
    assert!(text(&trace).contains("\"u\""));
}

#[test]
fn several_questions_are_answered_in_one_run() {
    let place = nets();
    let formulas = "FORMULA EF q = 2; : AG p < 2; FORMULA AGEF p = 2; : G F p = 1; : MAX(p + q); : p = 2;\n";
    place.write("all.formula", formulas.as_bytes());
    let found =
        results(&place, "two.lola --explore --deadlock --formula all.formula", &["--reach", "q = 1"], 1);
    let verdict = |result: &Value| result["verdict"].as_str().expect("a word").to_string();
    let verdicts: Vec<String> = found.iter().map(verdict).collect();
    let (h, v) = ("holds", "violated");
    assert_eq!(verdicts, [v, h, h, h, v, v, v, h, h]);
    assert_eq!(found[7]["value"], 2);
    let names: Vec<&str> = found.iter().map(|result| result["property"].as_str().expect("a name")).collect();
    assert_eq!(names[..3], ["deadlock", "state-space", "reach_0"]);
    let mut different = names.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), names.len(), "{names:?}");

    // One of them by its name.
    let found = results(&place, &format!("two.lola --formula all.formula --property {}", names[3]), &[], 0);
    assert_eq!((found.len(), &found[0]["property"]), (1, &names[3].into()));
    assert_refused(&place.run("check two.lola --formula all.formula --property nosuch"), "E0007", "nosuch");
}

#[test]
fn deadlocks_are_looked_for_in_one_way_however_they_are_asked_for() {
    let place = nets();
    place.write("ph.lola", &place.run("net-example ph 12").stdout);
    place.write("all.formula", b"FORMULA EF DEADLOCK; : AG NOT DEADLOCK; : NOT EF DEADLOCK;\n");
    let deadlock = results(&place, "ph.lola --deadlock", &[], 1).remove(0);
    let found = results(&place, "ph.lola --formula all.formula", &["--reach", "DEADLOCK"], 1);
    let verdicts: Vec<&Value> = found.iter().map(|result| &result["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "holds", "violated", "violated"]);
    for result in &found {
        assert_eq!((&result["method"], &result["states"]), (&deadlock["method"], &deadlock["states"]));
        assert_eq!(fired(result), fired(&deadlock));
    }
    let found = results(&place, "ring.lola --formula all.formula", &[], 1);
    let verdicts: Vec<&Value> = found.iter().map(|result| &result["verdict"]).collect();
    assert_eq!(verdicts, ["violated", "holds", "holds"]);
}

#[test]
fn what_does_not_end_for_all_is_asked_of_each() {
    let place = nets();
    place.write("ph.lola", &place.run("net-example ph 40").stdout);
    let far = (1..40).map(|k| format!("right_{k} = 1")).collect::<Vec<_>>().join(" AND ");
    let questions =
        ["--reach", "eat_10 + eat_20 + eat_30 > 2", "--reach", &far, "--bounded", "eat_1 + eat_2"];
    let found = results(&place, "ph.lola --max-states 20000 --threads 1", &questions, 3);
    for (result, [search, por]) in found.iter().zip([["walk", "none"], ["dfs", "stubborn"]]) {
        assert_eq!(result["verdict"], "holds", "{search}");
        assert_eq!((&result["method"]["search"], &result["method"]["por"]), (&search.into(), &por.into()));
        assert!(fired(result).len() >= 4);
    }
    // Nothing is known of how great a sum becomes.
    assert_eq!((&found[2]["verdict"], &found[2]["method"]["por"]), (&"unknown".into(), &"none".into()));
    // Who wants everything gets no more than that.
    let found = results(&place, "ph.lola --max-states 1000 --por none", &questions, 3);
    assert!(found.iter().all(|result| result["verdict"] == "unknown"), "{found:?}");
}

#[test]
fn witnesses_are_looked_for_at_random_or_by_distance() {
    let place = nets();
    for search in ["walk", "guided"] {
        let line = |rest: &str| format!("two.lola --search {search} {rest}");
        let found = results(&place, &line("--deadlock"), &["--reach", "q = 2", "--invariant", "q < 2"], 1);
        let verdicts: Vec<&Value> = found.iter().map(|result| &result["verdict"]).collect();
        assert_eq!(verdicts, ["violated", "holds", "violated"], "{search}");
        for (result, run) in found.iter().zip([&["t", "t", "u", "t"][..], &["t", "t"], &["t", "t"]]) {
            assert_eq!((fired(result), &result["method"]["search"]), (run.to_vec(), &search.into()));
        }
    }
    // One can see that something does not exist, the other cannot.
    let found = results(&place, "ring.lola --search guided --deadlock", &["--reach", "a + b = 3"], 1);
    assert_eq!([&found[0]["verdict"], &found[1]["verdict"]], ["holds", "violated"]);
    assert_eq!(found[0]["states"], 6);
    for (limit, reason) in [("--max-states 500", "states"), ("--max-time 100ms", "time")] {
        let line = format!("ring.lola --search walk --por none {limit}");
        let found = results(&place, &line, &["--reach", "a + b = 3"], 3);
        assert_eq!((&found[0]["verdict"], &found[0]["reason"]), (&"unknown".into(), &reason.into()));
        assert_eq!((&found[0]["method"]["store"], &found[0]["store_bytes"]), (&"none".into(), &0.into()));
    }
    let counted = |seed: &str| {
        let question = ["--reach", "c = 2", "--seed", seed];
        results(&place, "ring.lola --search walk --por none", &question, 0)[0]["states"].clone()
    };
    let all: Vec<Value> = ["1", "2", "3", "4", "5"].map(counted).to_vec();
    assert_eq!(all, ["1", "2", "3", "4", "5"].map(counted));
    assert!(all.iter().any(|states| *states != all[0]), "{all:?}");
}

#[test]
fn who_looks_for_one_marking_answers_nothing_else() {
    let place = nets();
    for search in ["walk", "guided"] {
        for asked in [
            &["--ltl", "F q = 2"][..],
            &["--ctl", "AG EF q = 2"],
            &["--home", "q = 2"],
            &["--live", "t"],
            &["--live", "all"],
            &["--bounded", "q"],
            &["--explore"],
        ] {
            let output = place.run_with(&format!("check two.lola --search {search}"), asked);
            assert_refused(&output, "E0001", &format!("{search} {asked:?}"));
        }
    }
}

/// A property in the words of the contest.
fn property(name: &str, formula: &str) -> String {
    format!("<property><id>{name}</id><description/><formula>{formula}</formula></property>\n")
}

fn property_set(properties: &[String]) -> String {
    format!(
        "<?xml version='1.0'?><property-set xmlns='http://mcc.lip6.fr/'>\n{}</property-set>\n",
        properties.concat()
    )
}

#[test]
fn formulas_of_the_contest_are_understood() {
    let place = nets();
    let tokens = "<tokens-count><place>q</place></tokens-count>";
    let two = "<integer-constant>2</integer-constant>";
    let at_least = format!("<integer-le>{two}{tokens}</integer-le>");
    let fireable = "<is-fireable><transition>u</transition></is-fireable>";
    let set = property_set(&[
        property("n-01", &format!("<exists-path><finally>{at_least}</finally></exists-path>")),
        property(
            "n-02",
            &format!("<all-paths><globally><negation>{fireable}</negation></globally></all-paths>"),
        ),
        property("n-03", "<place-bound><place>p</place><place>q</place></place-bound>"),
        property(
            "n-04",
            &format!(
                "<all-paths><finally><all-paths><next>{fireable}</next></all-paths></finally></all-paths>"
            ),
        ),
    ]);
    place.write("set.xml", set.as_bytes());
    let found = results(&place, "two.lola --formula set.xml", &[], 1);
    let verdicts: Vec<&Value> = found.iter().map(|result| &result["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "violated", "holds", "holds"]);
    assert_eq!((&found[2]["value"], &found[2]["property"]), (&2.into(), &"n-03".into()));
    assert_eq!(results(&place, "two.lola --formula set.xml --property n-01", &[], 0).len(), 1);

    place.write("bad.xml", set.replace("<place>q</place>", "<place>nosuch</place>").as_bytes());
    assert_refused(&place.run("check two.lola --formula bad.xml"), "bad.xml:2:", "a place that is not there");
    for end in (1..set.len()).step_by(37).filter(|end| *end < set.trim_end().len()) {
        place.write("cut.xml", &set.as_bytes()[..end]);
        assert_refused(&place.run("check two.lola --formula cut.xml"), "error[E0", &set[..end]);
    }
}

#[test]
fn limits_leave_questions_open() {
    let place = nets();
    let found = results(&place, "two.lola --max-states 3", &["--reach", "p = 7"], 3);
    assert_eq!((&found[0]["verdict"], found[0]["reason"].is_string()), (&"unknown".into(), true));
    // What is found in time is an answer.
    assert_eq!(code(&place.run_with("check growing.lola --max-states 1000", &["--reach", "p = 3"])), 0);
    // Nothing leads to less than no tokens: that is seen without exploring anything.
    assert_eq!(code(&place.run_with("check growing.lola", &["--reach", "p < 0"])), 1);
    assert_eq!(code(&place.run_with("check growing.lola", &["--invariant", "p >= 0"])), 0);
    for question in [
        &["--deadlock"][..],
        &["--reach", "p < 0", "--por", "none"],
        &["--invariant", "p >= 0", "--por", "none"],
        &["--ctl", "AG EF p = 0"],
        &["--ltl", "F p < 0"],
        &["--home", "p > 3"],
        &["--live", "all"],
        &["--explore"],
    ] {
        for limit in ["--max-states 500", "--max-time 100ms", "--max-memory 60M"] {
            // A run for ever without a cycle shows that something never happens, but nobody sees its end.
            let started = Instant::now();
            let found = results(&place, &format!("growing.lola {limit}"), question, 3);
            assert_eq!(found[0]["verdict"], "unknown", "{question:?} {limit}");
            assert!(started.elapsed() < Duration::from_secs(20), "{question:?} {limit}");
        }
    }
}

#[test]
fn sums_are_exact_or_refused() {
    let place = nets();
    place.write("four.lola", b"PLACE p, q; MARKING p: 4; TRANSITION t CONSUME p; PRODUCE q;");
    for (sum, value) in [
        ("2305843009213693951 * p", 9_223_372_036_854_775_804_i64),
        ("2305843009213693951 * p + 3", i64::MAX),
        ("0 - 2305843009213693952 * q", 0),
        ("2000000000000000000 * p - 2000000000000000000 * q", 8_000_000_000_000_000_000),
    ] {
        let found = results(&place, "four.lola", &["--bounded", sum], 0);
        assert_eq!(found[0]["value"], value, "{sum}");
    }
    for (sum, exact) in [
        ("4611686018427387904 * p", "18446744073709551616"),
        ("2305843009213693951 * p + 4", "9223372036854775808"),
        ("9223372036854775807 - 2305843009213693952 * q + 2305843009213693952 * p", "18446744073709551615"),
    ] {
        let found = results(&place, "four.lola", &["--bounded", sum], 3);
        assert_eq!(
            (&found[0]["verdict"], &found[0]["reason"], &found[0]["value"]),
            (&"unknown".into(), &"number-too-large".into(), &Value::Null),
            "{sum}"
        );
        assert!(found[0]["warnings"].to_string().contains(exact), "{sum}: {}", found[0]["warnings"]);
    }
    for (option, asked, holds) in [
        ("--reach", "4611686018427387904 * p > 5", true),
        ("--reach", "4611686018427387904 * p - 4611686018427387903 * q >= 9223372036854775807", true),
        ("--reach", "4611686018427387904 * p < 0", false),
        ("--invariant", "4611686018427387904 * p != 9223372036854775807", true),
        ("--invariant", "4611686018427387904 * p <= 9223372036854775807", false),
        ("--reach", "4611686018427387904 * p + 4611686018427387903 * q = 0", false),
        ("--ctl", "EF 4611686018427387904 * p = 4611686018427387904", true),
        ("--ltl", "F 4611686018427387904 * q >= 9223372036854775807", true),
        // Of the initial marking alone.
        ("--ctl", "4611686018427387904 * p >= 9223372036854775807", true),
    ] {
        for por in ["--por stubborn", "--por none"] {
            let expected = if holds { 0 } else { 1 };
            let found = results(&place, &format!("four.lola {por}"), &[option, asked], expected);
            assert_eq!(found[0]["verdict"] == "holds", holds, "{option} {asked}");
        }
    }
    let refused = place.run_with("check four.lola", &["--bounded", "9223372036854775807 * p - q"]);
    assert_refused(&refused, "error[E0359]: the numbers of this sum are too large", "a sum");
    assert_refused(&refused, "--> --bounded:1:1", "a sum");
}

#[test]
fn nets_that_cannot_be_explored_say_why() {
    let place = nets();
    place.write("leaps.lola", b"PLACE p; MARKING; TRANSITION t CONSUME; PRODUCE p: 1000000000;");
    place.write("broken.lola", b"PLACE SAFE 1: p, q; MARKING p; TRANSITION t CONSUME p; PRODUCE p, q;");
    for question in [
        &["--deadlock"][..],
        &["--explore"],
        &["--reach", "p = 3", "--por", "none"],
        &["--ctl", "AG EF p = 0"],
    ] {
        for (net, hint) in [("leaps", "the net may be unbounded"), ("broken", "promises at most 1")] {
            let found = results(&place, &format!("{net}.lola"), question, 3);
            assert_eq!(found[0]["verdict"], "unknown");
            let warnings = found[0]["warnings"].to_string();
            assert!(warnings.contains(hint), "{net} {question:?}: {warnings}");
        }
    }
}

#[test]
fn answers_that_were_found_before_there_were_too_many_tokens_are_kept() {
    let place = nets();
    place.write("leaps.lola", b"PLACE p; MARKING; TRANSITION t CONSUME; PRODUCE p: 1000000000;");
    for (option, found, open) in [
        ("--reach", "p = 1000000000", "p = 3"),
        ("--ctl", "E (p < 2000000000 U p = 2000000000)", "AG EF p = 0"),
    ] {
        let results = results(&place, "leaps.lola --por none", &[option, found, option, open], 3);
        assert_eq!((&results[0]["verdict"], &results[1]["verdict"]), (&"holds".into(), &"unknown".into()));
        assert_eq!(results[1]["reason"], "tokens", "{option}");
    }
}

#[test]
fn unbounded_nets_are_recognised() {
    let place = nets();
    place.write(
        "pump.lola",
        b"PLACE on, off, water; MARKING off; TRANSITION start CONSUME off; PRODUCE on;
          TRANSITION stop CONSUME on; PRODUCE off; TRANSITION lift CONSUME on; PRODUCE on, water;",
    );
    let found = results(&place, "pump.lola --max-states 100", &["--explore", "--reach", "on = 2"], 3);
    let hint = "the net is unbounded: lift can be repeated for ever, after start, with more tokens on water each time";
    for result in &found {
        assert!(result["warnings"].to_string().contains(hint), "{result}");
    }
    let found = results(&place, "pump.lola", &["--bounded", "2 * water - off", "--bounded", "on"], 1);
    assert_eq!((&found[0]["verdict"], &found[0]["reason"]), (&"violated".into(), &"unbounded".into()));
    assert_eq!((fired(&found[0]), &found[0]["trace"]["loop_start"]), (vec!["start", "lift"], &1.into()));
    assert_eq!((&found[1]["verdict"], &found[1]["value"]), (&"holds".into(), &1.into()));
    let human = place.run("check pump.lola --bounded water");
    assert!(text(&human.stdout).contains("bounded_0 is violated: the sum can grow for ever"), "{human:?}");
    // A net that is only large gets no hint.
    let limited = results(&place, "ring.lola --max-states 3", &["--explore"], 3);
    assert_eq!(limited[0]["warnings"], json!([]));
}

/// A run may go round a and b for ever, if that is fair to what leads to c.
#[test]
fn only_runs_that_are_fair_to_transitions_show_something() {
    let place = nets();
    for (fair, verdict) in [("", "violated"), ("WEAK FAIR", "violated"), ("STRONG FAIR", "unknown")] {
        let net = format!(
            "PLACE a, b, c; MARKING a; TRANSITION ab CONSUME a; PRODUCE b; TRANSITION ba CONSUME b; PRODUCE a;
             TRANSITION ac {fair} CONSUME a; PRODUCE c; TRANSITION cc CONSUME c; PRODUCE c;"
        );
        place.write("fair.lola", net.as_bytes());
        let status = if verdict == "unknown" { 3 } else { 1 };
        for question in [["--ltl", "F c = 1"], ["--ctl", "AF c = 1"], ["--ctl", "NOT EG c = 0"]] {
            let found = results(&place, "fair.lola", &question, status);
            assert_eq!(found[0]["verdict"], verdict, "{fair} {question:?}");
        }
        // These are as they are without fairness.
        for question in [
            ["--ltl", "G (a = 1 OR b = 1 OR c = 1)"],
            ["--ltl", "F (a = 0)"],
            ["--ctl", "AG EF c = 1"],
            ["--ctl", "E (c = 0 U c = 1)"],
            ["--reach", "c = 1"],
        ] {
            assert_eq!(
                results(&place, "fair.lola", &question, 0)[0]["verdict"],
                "holds",
                "{fair} {question:?}"
            );
        }
    }
}

#[test]
fn what_is_about_programs_is_refused() {
    let place = nets();
    for option in [
        "--safety",
        "--acceptance",
        "--progress",
        "--strict-end",
        "--no-assertions",
        "--no-end-states",
        "--automaton a.hoa",
        "--all-errors",
        "--fairness weak",
        "--fairness strong",
        "--max-depth 3",
        "--merge",
        "--reset-dead",
        "--lose-messages",
        "-DN=3",
        "-UN",
        "-Iinclude",
    ] {
        let output = place.run(&format!("check two.lola {option}"));
        assert_refused(&output, "E0001", option);
        let name = option.split([' ', 'N', 'i']).next().expect("it has one");
        assert!(text(&output.stderr).contains(name), "{option}: {}", text(&output.stderr));
    }
}

#[test]
fn formulas_that_make_no_sense_are_refused() {
    let place = nets();
    for (option, formula, expected) in [
        ("--reach", "nosuch = 1", "E0355"),
        ("--reach", "FIREABLE(nosuch)", "E0355"),
        ("--reach", "p =", "--reach:1:4"),
        ("--reach", "p = 99999999999999999999", "error[E0"),
        ("--reach", "", "error[E0"),
        ("--invariant", "EF p = 1", "error[E0"),
        ("--ctl", "G p = 1", "E0011"),
        ("--ltl", "AG EF p = 1", "E0011"),
        ("--live", "nosuch", "E0355"),
        ("--bounded", "nosuch", "--bounded:1:1"),
        ("--bounded", "p = 1", "error[E0"),
        ("--bounded", "p) OR (q", "error[E0"),
        ("--home", "p = 1 U q = 1", "error[E0"),
        ("--formula", "nosuch.formula", "E0002"),
        ("--formula", ".", "E0002"),
        ("--property", "nosuch", "E0007"),
    ] {
        assert_refused(&place.run_with("check two.lola", &[option, formula]), expected, formula);
    }
    for (content, expected) in [("", "empty.formula:1:1"), ("EF p = 1 AND", "1:13"), ("\u{1}", "1:1")] {
        place.write("empty.formula", content.as_bytes());
        assert_refused(&place.run("check two.lola --formula empty.formula"), expected, content);
    }
    place.write("bytes.formula", b"EF \xff = 1");
    assert_refused(&place.run("check two.lola --formula bytes.formula"), "E0106", "no text");
}

#[test]
fn nets_that_make_no_sense_are_refused() {
    let place = nets();
    let arc = |weight: &str| {
        format!(
            "{HEAD}<place id='p'/><transition id='t'/><arc id='a' source='p' target='t'>\
             <inscription><text>{weight}</text></inscription></arc>{FOOT}"
        )
    };
    let bomb = "<!DOCTYPE pnml [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'><!ENTITY c '&b;&b;&b;'>]>\n\
        <pnml><net id='n'><page id='g'><place id='p'><name><text>&c;</text></name></place></page></net></pnml>";
    for (content, expected) in [
        (String::new(), "E0312"),
        ("<pnml".to_string(), "E0310"),
        (HEAD.to_string(), "E0310"),
        (format!("{HEAD}<place>{FOOT}"), "E0314"),
        (format!("{HEAD}<place id='p'>{FOOT}"), "E0310"),
        (bomb.to_string(), "E0310"),
        (format!("{HEAD}<transition id='t'/><arc id='a' source='x' target='t'/>{FOOT}"), "net.pnml:3:"),
        (arc("-1"), "E0320"),
        (arc("99999999999999999999999"), "E0320"),
        (arc("one"), "net.pnml:3:"),
        (HEAD.replace("ptnet", "symmetricnet") + FOOT, "E0313"),
    ] {
        place.write("net.pnml", content.as_bytes());
        assert_refused(&place.run("check net.pnml"), expected, &content);
    }
    for (content, expected) in [
        ("", "net.lola:1:1"),
        ("PLACE p", "E0350"),
        ("PLACE p; MARKING p: -1;", "E0353"),
        ("PLACE p; MARKING p: 99999999999999999999;", "E0353"),
        ("PLACE p; MARKING q;", "E0355"),
        ("PLACE p, p; MARKING;", "E0354"),
        ("PLACE p; MARKING; TRANSITION t CONS", "net.lola:1:32"),
    ] {
        place.write("net.lola", content.as_bytes());
        assert_refused(&place.run("check net.lola"), expected, content);
    }
    place.write("net.lola", b"PLACE \xff;");
    assert_refused(&place.run("check net.lola"), "E0106", "no text");
    assert_refused(&place.run("check . --language pnml"), "E0002", "a folder");
    for end in 0..TWO.len() - 1 {
        place.write("cut.lola", &TWO.as_bytes()[..end]);
        let output = place.run("show cut.lola --as lola");
        assert!(matches!(code(&output), 0 | 2), "{}: {}", &TWO[..end], text(&output.stderr));
    }
}

#[test]
fn nets_are_shown_in_forms_that_can_be_read_again() {
    let place = nets();
    place.write(
        "weak.lola",
        b"PLACE SAFE 2: p; \"q r\"; MARKING p: 2;\nTRANSITION t CONSUME p: 2; PRODUCE \"q r\": 3;",
    );
    for net in ["two", "ring", "weak"] {
        let data = place.run(&format!("show {net}.lola --as json"));
        let json: Value = serde_json::from_slice(&data.stdout).expect("JSON");
        assert_eq!(json["name"], net);
        for form in ["lola", "pnml"] {
            // PNML has no promises for places.
            if (net, form) == ("weak", "pnml") {
                continue;
            }
            let shown = place.run(&format!("show {net}.lola --as {form}"));
            assert_eq!(code(&shown), 0, "{net} {form}: {}", text(&shown.stderr));
            std::fs::create_dir_all(place.folder.path().join("again")).expect("a folder");
            place.write(&format!("again/{net}.{form}"), &shown.stdout);
            let again = place.run(&format!("show again/{net}.{form} --as json"));
            assert_eq!(text(&again.stdout), text(&data.stdout), "{net} {form}");
            let (before, after) = (format!("{net}.lola"), format!("again/{net}.{form}"));
            let count =
                |file: &str| results(&place, &format!("{file} --explore"), &[], 0)[0]["states"].clone();
            assert_eq!(count(&before), count(&after));
        }
        let dot = text(&place.run(&format!("show {net}.lola --as dot")).stdout);
        assert!(dot.starts_with("digraph") && dot.trim_end().ends_with('}'), "{dot}");
    }
    for form in ["ir", "automata", "promela", "aut"] {
        assert_refused(&place.run(&format!("show two.lola --as {form}")), "E0004", form);
    }
}

/// The answers of `mcc`, without what is said behind them.
fn examined(place: &Place, examination: &str, time: &str) -> Vec<String> {
    let output = place
        .command("mcc .")
        .env("BK_EXAMINATION", examination)
        .env("BK_TIME_CONFINEMENT", time)
        .output()
        .expect("it runs");
    assert_eq!(code(&output), 0, "{examination}: {}", text(&output.stderr));
    let lines = text(&output.stdout);
    lines.lines().map(|line| line.split(" TECHNIQUES").next().expect("a part").to_string()).collect()
}

#[test]
fn the_contest_may_name_the_folder() {
    let place = nets();
    std::fs::create_dir(place.folder.path().join("Ring-PT-3")).expect("it is new");
    place.write("Ring-PT-3/model.pnml", &place.run("show ring.lola --as pnml").stdout);
    let examined = |line: &str, instance: &str| {
        let mut command = place.command(line);
        command.env("BK_EXAMINATION", "StateSpace").env("BK_INPUT", instance).output().expect("it runs")
    };
    for (line, instance) in [("mcc", "Ring-PT-3"), ("mcc Ring-PT-3", "Other-PT-1")] {
        let output = examined(line, instance);
        assert!(text(&output.stdout).starts_with("STATE_SPACE STATES 6 "), "{line} {output:?}");
    }
    assert_refused(&examined("mcc", "Other-PT-1"), "E0002", "there is no such folder");
    // Where there is a model, the name of the instance is only a name.
    place.write("model.pnml", &place.run("show two.lola --as pnml").stdout);
    assert!(text(&examined("mcc", "Ring-PT-3").stdout).starts_with("STATE_SPACE STATES 5 "));
}

#[test]
fn the_contest_is_answered_in_its_words() {
    let place = nets();
    place.write("model.pnml", &place.run("show two.lola --as pnml").stdout);
    let tokens = "<tokens-count><place>q</place></tokens-count>";
    let exactly = |n| format!("<integer-eq><integer-constant>{n}</integer-constant>{tokens}</integer-eq>");
    let set = |path: &str, n| property_set(&[property("n-01", &path.replace("HERE", &exactly(n)))]);
    place.write(
        "ReachabilityCardinality.xml",
        set("<exists-path><finally>HERE</finally></exists-path>", 3).as_bytes(),
    );
    let next = "<exists-path><finally><all-paths><next>HERE</next></all-paths></finally></exists-path>";
    place.write("CTLCardinality.xml", set(next, 7).as_bytes());
    let goes_on = "<all-paths><finally><globally>HERE</globally></finally></all-paths>";
    place.write("LTLCardinality.xml", set(goes_on, 1).as_bytes());
    let bounds = property_set(&[property("n-01", "<place-bound><place>q</place></place-bound>")]);
    place.write("UpperBounds.xml", bounds.as_bytes());
    for (examination, expected) in [
        ("ReachabilityCardinality", "FORMULA n-01 FALSE"),
        // Paths end in a deadlock: nothing is next to it.
        ("CTLCardinality", "FORMULA n-01 TRUE"),
        ("LTLCardinality", "FORMULA n-01 TRUE"),
        ("UpperBounds", "FORMULA n-01 2"),
        ("ReachabilityDeadlock", "FORMULA ReachabilityDeadlock TRUE"),
        ("OneSafe", "FORMULA OneSafe FALSE"),
        ("StableMarking", "FORMULA StableMarking FALSE"),
        ("QuasiLiveness", "FORMULA QuasiLiveness TRUE"),
        ("Liveness", "FORMULA Liveness FALSE"),
        ("NoSuchExamination", "DO_NOT_COMPETE"),
    ] {
        assert_eq!(examined(&place, examination, "60"), [expected], "{examination}");
    }
    assert_eq!(
        examined(&place, "StateSpace", "60"),
        [
            "STATE_SPACE STATES 5",
            "STATE_SPACE TRANSITIONS 4",
            "STATE_SPACE MAX_TOKEN_PER_MARKING 2",
            "STATE_SPACE MAX_TOKEN_IN_PLACE 2"
        ]
    );
    place.write("model.pnml", &place.run("show growing.lola --as pnml").stdout);
    assert_eq!(examined(&place, "StateSpace", "0.01"), ["CANNOT_COMPUTE"]);
    assert_eq!(examined(&place, "OneSafe", "60"), ["FORMULA OneSafe FALSE"]);
    assert_eq!(
        examined(&place, "ReachabilityDeadlock", "0.01"),
        ["FORMULA ReachabilityDeadlock CANNOT_COMPUTE"]
    );
    assert_eq!(examined(&place, "Liveness", "0.01"), ["FORMULA Liveness CANNOT_COMPUTE"]);
    place.write("model.pnml", (HEAD.replace("ptnet", "symmetricnet") + FOOT).as_bytes());
    assert_eq!(examined(&place, "StateSpace", "60"), ["DO_NOT_COMPETE"]);
    place.write("model.pnml", b"<pnml");
    let output = place.run("mcc . --examination StateSpace");
    assert_refused(&output, "E0310", "no net");
}

#[test]
fn what_is_stopped_says_how_far_it_has_come() {
    let place = Place::new();
    place.write("grows.lola", b"PLACE p; MARKING ; TRANSITION t CONSUME ; PRODUCE p;");
    for question in [["--live", "all"], ["--home", "INITIAL"], ["--ctl", "EG p >= 0"]] {
        let found = &results(&place, "grows.lola --max-states 200", &question, 3)[0];
        assert_eq!((&found["reason"], &found["states"]), (&"states".into(), &200.into()), "{question:?}");
    }
}
