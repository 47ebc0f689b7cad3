//! Partial-order reduction: the same answers from fewer states, and refusals where that cannot be.

use super::*;

const METHODS: [&str; 5] = ["local", "ample", "stubborn", "deletion", "weak"];

/// Three processes that mostly work for themselves; the last steps of two of them race.
const MOSTLY_LOCAL: &str = "byte x;
proctype P(byte k) { byte i; i = k; i = i + 1; i = i * 2; x = x + i; i = 0 }
init { atomic { run P(1); run P(2); run P(3) } }";

/// One of two orders of requests leads to a deadlock.
const DEADLOCK: &str = "bit a, b;
active proctype P() { byte i; i = 1; atomic { a == 0 -> a = 1 }; atomic { b == 0 -> b = 1 }; a = 0; b = 0 }
active proctype Q() { byte i; i = 1; atomic { b == 0 -> b = 1 }; atomic { a == 0 -> a = 1 }; a = 0; b = 0 }";

/// What `unless` guards is possible only before a rendezvous is.
const UNLESS: &str = "chan c = [0] of { bit };
active proctype A() { skip; c?1 }
active proctype B() { assert(false) unless c!1 }";

/// The same with an exclusive channel that holds a message.
const UNLESS_EXCLUSIVE: &str = "chan c = [1] of { bit };
active proctype A() { xs c; c!1 }
active proctype B() { xr c; assert(false) unless c?1 }";

/// B may starve although the run is weakly fair: it cannot move while C is at `x = 0`.
const STARVED: &str = "chan c = [0] of { bit }; bool b = false;
active proctype A() { sa: c!0; goto sa }
active proctype B() { sb: c!1; b = true; goto sb }
active proctype C() { bit x; sc: c?x; x = 0; goto sc }
ltl p { <> (b == true) }";

/// The others get their turn only if the run is fair.
const TURNS: &str = "byte done;
active proctype Busy() { byte i; do :: i = 1; i = 0 od }
active [2] proctype P() { byte i; i = 1; i = 2; done++ }
ltl p { <> (done > 0) }
ltl q { [] (done <= 2) }
ltl next { X (done == 0) }";

const PRIORITIES: &str = "byte x; active proctype A() priority 2 { x = 1 } active proctype B() { x = 2 }";

const LAST: &str = "byte x; active [2] proctype A() { x = 1 } ltl p { [] (_last != 7) }";

/// Not stutter-invariant: it counts states.
const COUNTS: &str = "byte x; active [2] proctype A() { byte i; i = 1; x = 1 }
never { x == 0 -> x == 0 -> x == 1 }";

/// The same, and it does not matter how often a state is repeated.
const WAITS_FOR_ONE: &str = "byte x; active [2] proctype A() { byte i; i = 1; x = 1 }
never { do :: x == 0 :: x == 1 -> break od }";

const DIVIDES: &str = "byte x; active proctype A() { byte i; i = 1; x = 1 }
active proctype B() { byte i; i = 1; x = 2 } ltl p { [] (6 / (3 - x) > 0) }";

const FILES: [(&str, &str); 10] = [
    ("local.pml", MOSTLY_LOCAL),
    ("deadlock.pml", DEADLOCK),
    ("unless.pml", UNLESS),
    ("exclusive.pml", UNLESS_EXCLUSIVE),
    ("starved.pml", STARVED),
    ("turns.pml", TURNS),
    ("priorities.pml", PRIORITIES),
    ("last.pml", LAST),
    ("counts.pml", COUNTS),
    ("waits_for_one.pml", WAITS_FOR_ONE),
];

fn place() -> Place {
    let place = Place::new();
    for (name, text) in FILES.into_iter().chain([("divides.pml", DIVIDES)]) {
        place.write(name, text.as_bytes());
    }
    place
}

fn states(result: &Value) -> u64 {
    result["states"].as_u64().expect("a number")
}

#[test]
fn every_method_gives_the_same_answer_from_no_more_states() {
    let place = place();
    for line in [
        "local.pml",
        "local.pml --safety --search bfs",
        "local.pml --deadlock",
        "deadlock.pml",
        "deadlock.pml --deadlock",
        "deadlock.pml --deadlock --search bfs",
        "unless.pml",
        "unless.pml --search bfs",
        "exclusive.pml",
        "starved.pml --ltl p",
        "starved.pml --ltl p --fairness weak",
        "turns.pml --safety",
        "turns.pml --ltl p",
        "turns.pml --ltl p --fairness weak",
        "turns.pml --ltl q",
        "waits_for_one.pml --property never",
    ] {
        let full = place.check(&format!("{line} --por none"));
        assert_eq!(full["method"]["por"], "none");
        for method in METHODS {
            let reduced = place.check(&format!("{line} --por {method}"));
            for field in ["verdict", "reason"] {
                assert_eq!(reduced[field], full[field], "{line} --por {method}");
            }
            let holds = full["verdict"] == "holds";
            assert!(!holds || states(&reduced) <= states(&full), "{line} --por {method}");
            let is_fair = line.contains("weak") && method != "local";
            assert_eq!(reduced["method"]["por"], if is_fair { "ample" } else { method });
        }
    }
}

/// That a statement reads and writes nothing but locals does not make it invisible to others: what it
/// leads to may be the other side of a rendezvous, it may be the beginning of an atomic sequence that goes
/// on with shared variables, and locals can be read from outside.
#[test]
fn local_statements_that_others_see() {
    let place = place();
    let chain = "byte x; active proctype A() { byte i; atomic { i = 1; x = 1 } }
        active proctype B() { assert(x == 1) }";
    let remote = "active proctype A() { byte i; i = 1; i = 2 } active proctype B() { assert(A[0]:i != 0) }";
    place.write("chain.pml", chain.as_bytes());
    place.write("remote.pml", remote.as_bytes());
    for model in ["unless.pml", "chain.pml", "remote.pml"] {
        for search in ["dfs", "bfs"] {
            for method in METHODS {
                let line = format!("{model} --por {method} --search {search}");
                let result = place.check(&line);
                assert_eq!(
                    (&result["verdict"], &result["reason"]),
                    (&"violated".into(), &"assertion".into()),
                    "{line}"
                );
                assert_eq!(result["method"]["por"], method, "{line}");
            }
        }
    }
}

#[test]
fn the_answers_are_those_that_are_known() {
    let place = place();
    for (line, verdict) in [
        ("unless.pml", "violated"),
        ("exclusive.pml", "violated"),
        ("starved.pml --ltl p --fairness weak", "violated"),
        ("turns.pml --ltl p", "violated"),
        ("turns.pml --ltl p --fairness weak", "holds"),
        ("turns.pml --ltl q", "holds"),
        ("deadlock.pml --deadlock", "violated"),
        ("local.pml", "holds"),
    ] {
        assert_eq!(place.check(line)["verdict"], verdict, "{line}");
    }
}

#[test]
fn reduction_is_the_default_and_saves_states() {
    let place = place();
    let [full, reduced] = ["--por none", ""].map(|option| place.check(&format!("local.pml {option}")));
    assert_eq!(reduced["method"]["por"], "stubborn");
    assert!(2 * states(&reduced) < states(&full), "{reduced} {full}");
    let fair = place.check("turns.pml --ltl p --fairness weak");
    assert_eq!(fair["method"]["por"], "ample");
}

/// Everybody works on what all share: nothing can be left out of some ten thousand states.
#[test]
fn reduction_that_saves_nothing_is_given_up_by_default_only() {
    let place = Place::new();
    place.write(
        "shared.pml",
        b"byte a, b, c;
active [2] proctype P() {
    do
    :: atomic { a < 30 -> a++ } :: atomic { b < 30 -> b++ } :: atomic { c < 30 -> c++ }
    :: a + b + c > 80 -> a = 0; b = 0; assert(c <= 30)
    od
}",
    );
    let given_up = place.check("shared.pml");
    let full = place.check("shared.pml --por none");
    for field in ["por", "search"] {
        assert_eq!(given_up["method"][field], full["method"][field]);
    }
    assert!(states(&full) > 1 << 14, "{full}");
    for field in ["verdict", "states", "transitions"] {
        assert_eq!(given_up[field], full[field], "{field}");
    }
    // It comes back where the complete search has too few states.
    let limited = place.check("shared.pml --max-states 60000");
    assert!(states(&full) > 60_000, "{full}");
    assert_eq!((&limited["reason"], &limited["method"]["por"]), (&"states".into(), &"stubborn".into()));
    let told = text(&place.run("check shared.pml").stdout);
    assert!(told.contains("partial-order reduction was tried, and saved little"), "{told}");
    for options in ["--por stubborn", "--search dfs", "--max-depth 100000"] {
        let kept = place.check(&format!("shared.pml {options}"));
        assert_eq!(kept["method"]["por"], "stubborn", "{options}");
        assert_eq!(kept["verdict"], full["verdict"], "{options}");
    }
}

#[test]
fn what_shows_everything_is_reduced_on_demand_only() {
    let place = place();
    for line in ["--search bfs", "--all-errors", "--explore"] {
        let plain = place.check(&format!("local.pml {line}"));
        assert_eq!(plain["method"]["por"], "none", "{line}");
        assert_eq!(plain["warnings"], Value::Array(Vec::new()), "{line}");
        let asked = place.check(&format!("local.pml {line} --por stubborn"));
        assert_eq!(asked["method"]["por"], "stubborn", "{line}");
        assert!(states(&asked) < states(&plain), "{line}");
    }
}

/// The graph is the same in both parts of a nested search, whatever the proviso has decided.
#[test]
fn nested_searches_agree_with_the_others() {
    let place = place();
    for line in [
        "starved.pml --ltl p",
        "turns.pml --ltl p",
        "turns.pml --ltl q",
        "waits_for_one.pml --property never",
    ] {
        for fairness in ["none", "weak"] {
            let full = place.check(&format!("{line} --fairness {fairness} --por none --search scc"));
            for search in ["scc", "ndfs", "ndfs-basic"] {
                for method in METHODS {
                    let line = format!("{line} --fairness {fairness} --por {method} --search {search}");
                    assert_eq!(place.check(&line)["verdict"], full["verdict"], "{line}");
                }
            }
        }
    }
}

#[test]
fn what_is_not_sound_is_refused_when_asked_for_and_not_done_by_default() {
    let place = place();
    for (line, parts) in [
        ("turns.pml --ltl next", &["`next`", "operator X"][..]),
        ("turns.pml --ltl p --fairness strong", &["`--fairness strong`", "--fairness weak"]),
        ("counts.pml --property never", &["`never`", "automaton"]),
        ("divides.pml --ltl p", &["`p`", "runtime error"]),
        ("priorities.pml", &["priorities"]),
        ("last.pml --ltl p", &["_last"]),
    ] {
        let reduced = place.check(line);
        assert_eq!(reduced["method"]["por"], "none", "{line}");
        assert_eq!(reduced["verdict"], place.check(&format!("{line} --por none"))["verdict"], "{line}");
        // For people it is explained, scripts read `method`.
        assert!(!reduced["warnings"].to_string().contains("reduction"), "{line}: {reduced}");
        let human = text(&place.run(&format!("check {line}")).stdout);
        assert!(human.contains("note: no partial-order reduction: "), "{line}: {human}");
        for method in METHODS {
            let output = place.run(&format!("check {line} --por {method} --format json"));
            assert_eq!(code(&output), 2, "{line}");
            let json: Value = serde_json::from_slice(&output.stdout).expect(line);
            assert_eq!(json["errors"][0]["code"], "E0013", "{line}");
            let message = json["errors"][0]["message"].as_str().expect("a text");
            for part in parts.iter().chain(&[&*format!("`--por {method}`"), "`--por none`"]) {
                assert!(message.contains(part), "{line}: {message}");
            }
        }
    }
}

#[test]
fn statements_are_not_merged_where_steps_are_counted() {
    let place = place();
    for (line, parts) in [
        ("turns.pml --ltl next", &["`next`", "operator X"][..]),
        ("counts.pml --property never", &["`never`", "automaton"]),
    ] {
        for por in ["", " --por none"] {
            let output = place.run(&format!("check {line} --merge{por} --format json"));
            assert_eq!(code(&output), 2, "{line}");
            let json: Value = serde_json::from_slice(&output.stdout).expect(line);
            assert_eq!(json["errors"][0]["code"], "E0013", "{line}");
            let message = json["errors"][0]["message"].as_str().expect("a text");
            assert!(parts.iter().chain(&["`--merge`"]).all(|part| message.contains(part)), "{message}");
        }
    }
    // Merging hides where a process offers no rendezvous, and with that who is enabled.
    for fairness in ["weak", "strong"] {
        let output =
            place.run(&format!("check turns.pml --ltl p --merge --fairness {fairness} --format json"));
        assert_eq!(code(&output), 2, "{fairness}");
        assert!(text(&output.stdout).contains(&format!("`--merge` with `--fairness {fairness}`")));
    }
    let merged = place.check("turns.pml --ltl p --merge");
    assert_eq!(merged["verdict"], place.check("turns.pml --ltl p")["verdict"]);
}

#[test]
fn one_property_that_cannot_be_reduced_does_not_keep_others_from_it() {
    let place = place();
    let output = place.run("check turns.pml --format json");
    let json: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let methods = json["results"].as_array().expect("results").iter();
    let methods: Vec<&str> = methods.map(|result| result["method"]["por"].as_str().unwrap()).collect();
    assert_eq!(methods, ["stubborn", "stubborn", "stubborn", "none"]);
}

#[test]
fn code_that_need_not_have_been_executed_is_not_reported() {
    let place = place();
    place.write(
        "dead.pml",
        b"byte x; active proctype A() { byte i; i = 1; if :: x == 9 -> x = 8 :: else fi }",
    );
    let human = |options: &str| text(&place.run(&format!("check dead.pml {options}")).stdout);
    assert!(human("--safety").contains("never executed"));
    assert!(human("--deadlock --por none").contains("never executed"));
    assert!(!human("--deadlock").contains("never executed"));
    assert!(!human("--explore --por ample").contains("never executed"));
}

#[test]
fn methods_to_come_are_named() {
    let place = place();
    for (name, error) in [("cluster", "E0004"), ("conflict", "E0004"), ("sideways", "E0001")] {
        let output = place.run(&format!("check good.pml --por {name} --format json"));
        assert_eq!(code(&output), 2);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["errors"][0]["code"], error, "{name}");
        assert!(json["errors"][0]["message"].as_str().unwrap().contains("stubborn"));
    }
}

#[test]
fn spin_reduces_unless_told_not_to() {
    let place = place();
    let summary = |options: &str| text(&place.run(&format!("spin -run {options} local.pml")).stdout);
    assert!(summary("").contains("\t+ Partial Order Reduction\n"));
    for options in ["-noreduce", "-DNOREDUCE"] {
        assert!(!summary(options).contains("Partial Order Reduction"), "{options}");
    }
    let stored = |text: &str| {
        let line = text.lines().find(|line| line.ends_with("states, stored")).expect("a count");
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    assert!(stored(&summary("")) < stored(&summary("-noreduce")));
}
