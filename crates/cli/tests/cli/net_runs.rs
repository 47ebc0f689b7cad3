//! Runs of nets: simulated, and replayed from files.

use serde_json::{Value, json};

use super::{Place, code, text};

/// A token goes to and fro, or to the end; each way to b leaves a token in c.
const NET: &str = "PLACE a, b, c, end; MARKING a;
TRANSITION ab CONSUME a; PRODUCE b, c;
TRANSITION ba CONSUME b; PRODUCE a;
TRANSITION stop CONSUME a, c; PRODUCE end;";

/// The same without c, and with a way back.
const SAFE: &str = "PLACE a, b; MARKING a;
TRANSITION ab CONSUME a; PRODUCE b;
TRANSITION ba CONSUME b; PRODUCE a;
TRANSITION lose CONSUME b; PRODUCE;";

fn place() -> Place {
    let place = Place::new();
    place.write("net.lola", NET.as_bytes());
    place.write("safe.lola", SAFE.as_bytes());
    place
}

#[test]
fn nets_are_simulated_at_random() {
    let place = place();
    let [one, two] = [1, 2].map(|_| place.run("simulate net.lola --seed 5 --steps 30").stdout);
    assert_eq!(one, two);
    let shown = text(&one);
    assert!(shown.starts_with("   1   ab "), "{shown}");
    assert!(shown.contains("a: 1 -> 0, b: 0 -> 1, c: 0 -> 1"), "{shown}");
    let ended = (0..20).map(|seed| text(&place.run(&format!("simulate safe.lola --seed {seed}")).stdout));
    assert!(ended.into_iter().all(|shown| shown.contains("no transition can fire after ")));
    let stopped = place.run("simulate safe.lola --seed 1 --steps 1");
    assert_eq!(code(&stopped), 0);
    assert!(text(&stopped.stderr).contains("stopped after 1 steps"), "{stopped:?}");
}

/// Also numbers beyond 2^63, which no search has to do with.
#[test]
fn numbers_of_tokens_are_shown_exactly() {
    let place = place();
    let marking = "<initialMarking><text>18446744073709551615</text></initialMarking>";
    place.write(
        "huge.pnml",
        format!(
            "<pnml><net id='n'><place id='p'>{marking}</place><transition id='t'/>
             <arc id='a' source='p' target='t'/></net></pnml>"
        )
        .as_bytes(),
    );
    let shown = text(&place.run("simulate huge.pnml --steps 1").stdout);
    assert!(shown.contains("p: 18446744073709551615 -> 18446744073709551614"), "{shown}");
}

#[test]
fn firings_can_be_chosen_and_undone() {
    let output = place().run_with_input("simulate net.lola --interactive", "1\nv\n1\n2\nu\n1\nq\n");
    assert_eq!(code(&output), 0);
    let shown = text(&output.stdout);
    assert!(shown.contains("   1: ab\n> "), "{shown}");
    assert!(shown.contains("  a = 0\n  b = 1\n  c = 1\n  end = 0\n"), "{shown}");
    assert!(shown.contains("   1: ab\n   2: stop\n"), "{shown}");
    assert!(shown.contains("no transition can fire after 3 steps"), "{shown}");
}

#[test]
fn runs_that_a_check_has_written_can_be_replayed() {
    let place = place();
    for (net, question, status) in [
        ("safe", &["--deadlock"][..], 1),
        ("net", &["--reach", "c = 2 AND b = 1"], 0),
        ("net", &["--invariant", "c < 3"], 1),
        ("net", &["--bounded", "2 * c - end"], 1),
        ("safe", &["--ltl", "F G a = 0"], 1),
        ("safe", &["--ltl", "G F a = 1"], 1),
        ("safe", &["--ltl", "E G F b = 1"], 0),
        ("safe", &["--ctl", "AF DEADLOCK"], 1),
        ("safe", &["--ctl", "EG a + b = 1"], 0),
        ("safe", &["--ctl", "AG EF a = 1"], 1),
        ("safe", &["--live", "all"], 1),
        ("safe", &["--home", "INITIAL"], 1),
    ] {
        let line = format!("check {net}.lola --trace t.json --max-states 1000 --quiet");
        let checked = place.run_with(&line, question);
        assert_eq!(code(&checked), status, "{question:?}: {}", text(&checked.stderr));
        let replayed = place.run(&format!("replay {net}.lola t.json"));
        assert_eq!(code(&replayed), 0, "{question:?}: {}", text(&replayed.stderr));
        assert!(text(&replayed.stdout).contains("     initially a = 1\n"), "{question:?}");
        let again = place.run(&format!("replay {net}.lola t.json --format json"));
        let file = std::fs::read(place.folder.path().join("t.json")).expect("it was written");
        assert_eq!(text(&again.stdout), text(&file), "{question:?}");
        let guided = place.run(&format!("simulate {net}.lola --guided t.json"));
        assert_eq!(code(&guided), status, "{question:?}: {}", text(&guided.stderr));
    }
}

#[test]
fn a_trace_of_a_net_in_which_anything_was_changed_is_refused() {
    let place = place();
    place.run_with("check net.lola --trace t.json", &["--invariant", "c < 2"]);
    let file = std::fs::read(place.folder.path().join("t.json")).expect("it was written");
    let trace: Value = serde_json::from_slice(&file).expect("JSON");
    let replayed = |trace: &Value| {
        place.write("changed.json", trace.to_string().as_bytes());
        place.run("replay net.lola changed.json")
    };
    assert_eq!(code(&replayed(&trace)), 0);
    let mut plain = trace.clone();
    plain["steps"].as_array_mut().expect("steps").iter_mut().for_each(|step| {
        step.as_object_mut().expect("an object").remove("transition");
    });
    assert_eq!(code(&replayed(&plain)), 0, "names are enough");
    for (pointer, value) in [
        ("/initial/a", json!(2)),
        ("/steps/0/action", json!("ba")),
        ("/steps/0/transition", json!(1)),
        ("/steps/0/transition", json!(77)),
        ("/steps/1/action", json!("stutter")),
        ("/steps/0/changes/c", json!([0, 2])),
        ("/steps/0/observable", json!(false)),
        ("/steps/0/process", json!("A")),
        ("/loop_start", json!(0)),
        ("/loop_start", json!(99)),
        ("/reason", json!(null)),
        ("/reason", json!("deadlock")),
        ("/reason", json!("unbounded")),
        ("/formula", json!("AG c <= 7")),
        ("/formula", json!("EF c >= 2")),
        ("/formula", json!("AG nosuch <= 1")),
        ("/formula", json!(null)),
    ] {
        let mut changed = trace.clone();
        *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is there")) = value.clone();
        let output = replayed(&changed);
        assert_eq!(code(&output), 2, "{pointer} {value}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains("E0006"), "{pointer} {value}: {}", text(&output.stderr));
    }
    for option in ["--strict-end", "--format msc", "--format mermaid", "--ltl p", "-DN"] {
        let output = place.run(&format!("replay net.lola t.json {option}"));
        assert_eq!(code(&output), 2, "{option}");
        assert!(text(&output.stderr).contains("E0001"), "{option}: {}", text(&output.stderr));
    }
    assert_eq!(code(&place.run("replay good.pml t.json")), 2, "it is none of a program");
}
