use std::time::Instant;

use model::{Over, Patience, Random};

use super::*;
use crate::automaton::{Automaton, Cube, Edge, Guard, State};
use crate::lasso::accepts;

fn read(text: &str) -> Result<(Automaton, Vec<String>), HoaError> {
    super::read(text, &Patience::default()).unwrap()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn automaton(text: &str) -> Automaton {
    match read(text) {
        Ok((automaton, _)) => automaton,
        Err(error) => panic!("{error}\n{text}"),
    }
}

fn error(text: &str) -> String {
    match read(text) {
        Ok((automaton, _)) => panic!("{automaton:?}\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// A file with the usual header for two atoms.
fn file(acceptance: &str, body: &str) -> String {
    format!("HOA: v1\nStart: 0\nAP: 2 \"a\" \"b\"\nAcceptance: {acceptance}\n--BODY--\n{body}\n--END--\n")
}

/// `G F a & G F b`, as Spot writes it.
const SPOT: &str = r#"HOA: v1
name: "GFa & GFb"
States: 1
Start: 0
AP: 2 "a" "b"
acc-name: generalized-Buchi 2
Acceptance: 2 Inf(0)&Inf(1)
properties: trans-labels explicit-labels trans-acc complete
properties: deterministic stutter-invariant
--BODY--
State: 0
[!0&!1] 0
[0&!1] 0 {0}
[!0&1] 0 {1}
[0&1] 0 {0 1}
--END--
"#;

/// `F G a` in the manner of ltl2ba and ltl3ba: names of states, acceptance at states.
const LTL3BA: &str = r#"HOA: v1
tool: "ltl3ba" "1.1.3"
name: "BA for <>([](a))"
States: 2
Start: 0
acc-name: Buchi
Acceptance: 1 Inf(0)
AP: 1 "a"
properties: trans-labels explicit-labels state-acc no-univ-branch very-weak
--BODY--
State: 0 "T0_init"
  [t] 0
  [(0)] 1
State: 1 "accept_S1" {0}
  [(0)] 1
--END--
"#;

/// `G a`, in the manner of Owl: implicit labels, a version comment, extra headers.
const OWL: &str = r#"HOA: v1
tool: "owl" "21.0"
name: "Automaton for G a"
owlArgs: "ltl2nba" "-f" "G a"
Start: 0
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: implicit-labels trans-acc deterministic
AP: 1 "a"
--BODY--
State: 0 "G a /* not a comment */"
1
0 {0}
State: 1
1 /* a sink /* nested */ */
1
--END--
"#;

#[test]
fn files_of_other_tools_mean_what_they_say() {
    const A: u64 = 1;
    const B: u64 = 2;
    let (spot, spot_names) = read(SPOT).unwrap();
    assert_eq!((spot.n_sets, spot_names), (2, names(&["a", "b"])));
    assert!(accepts(&spot, &[], &[A, B]) && accepts(&spot, &[0], &[A | B]));
    assert!(!accepts(&spot, &[B], &[A]));

    let ltl3ba = automaton(LTL3BA);
    assert!(ltl3ba.is_state_based());
    assert!(accepts(&ltl3ba, &[A, 0], &[A]) && !accepts(&ltl3ba, &[A], &[A, 0]));

    let owl = automaton(OWL);
    assert!(accepts(&owl, &[], &[A]) && !accepts(&owl, &[A, 0], &[A]));
}

#[test]
fn several_initial_states_become_one() {
    let text = "HOA: v1 Start: 1 AP: 2 \"a\" \"b\" Start: 0 Acceptance: 0 t --BODY-- \
                State: 0 [0] 0 State: 1 [1] 1 --END--";
    let automaton = automaton(text);
    assert_eq!((automaton.initial, automaton.states.len()), (2, 3));
    assert!(accepts(&automaton, &[], &[1]) && accepts(&automaton, &[], &[2]));
    assert!(!accepts(&automaton, &[], &[1, 2]) && !accepts(&automaton, &[], &[0]));
}

#[test]
fn no_initial_state_accepts_nothing() {
    let automaton = automaton("HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--");
    assert!(!accepts(&automaton, &[], &[0]));
}

#[test]
fn labels_may_stand_at_states() {
    let automaton = automaton(&file("1 Inf(0)", "State: [0 & !1] 0 {0} 0 1 State: [1] 1 0"));
    assert!(accepts(&automaton, &[], &[1, 2]) && accepts(&automaton, &[], &[1]));
    assert!(!accepts(&automaton, &[2], &[1]));
}

#[test]
fn aliases_may_come_before_the_atoms() {
    let text = "HOA: v1 Start: 0 Alias: @a 0 Alias: @x @a & !1 | !@a & 1 AP: 2 \"a\" \"b\" \
                Acceptance: 0 t --BODY-- State: 0 [@x] 0 --END--";
    let automaton = automaton(text);
    let cubes = vec![Cube { positive: 1, negative: 2 }, Cube { positive: 2, negative: 1 }];
    let edges = vec![Edge { guard: Guard { cubes }, accepts: 0, target: 0 }];
    assert_eq!(automaton.states, [State { edges }]);
}

#[test]
fn labels_become_disjunctions() {
    let cases = [
        ("t", "t"),
        ("f", "f"),
        ("!t | 0", "0"),
        ("!(0 & 1)", "!0 | !1"),
        ("!(0 | !1)", "!0&1"),
        ("(0 | 1) & !(0 & 1)", "!0&1 | 0&!1"),
        ("0 & !0", "f"),
        ("0 | t", "t"),
        ("!!!0", "!0"),
    ];
    for (label, expected) in cases {
        let automaton = automaton(&file("0 t", &format!("State: 0 [{label}] 0")));
        let mut text = write(&automaton, &names(&["a", "b"]), None);
        text = text.lines().find(|line| line.starts_with('[')).unwrap().to_owned();
        let normal = |text: &str| {
            let mut cubes: Vec<&str> = text.split(" | ").collect();
            cubes.sort_unstable();
            cubes.join(" | ")
        };
        let label = text.trim_start_matches('[').trim_end_matches("] 0");
        assert_eq!(normal(label), normal(expected));
    }
}

#[test]
fn only_sets_in_the_condition_count() {
    let automaton = automaton(&file("3 (Inf(2)) & (Inf(0) & t)", "State: 0 {1} [0] 0 {2} [!0] 0 {0 1}"));
    assert_eq!(automaton.n_sets, 2);
    let marks: Vec<u64> = automaton.states[0].edges.iter().map(|edge| edge.accepts).collect();
    assert_eq!(marks, [2, 1]);
}

#[test]
fn what_is_written_is_read_back() {
    let strange = names(&["a", "x == \"1\" \\ 2"]);
    for text in [SPOT, LTL3BA, OWL] {
        let automaton = automaton(text);
        let written = write(&automaton, &strange, Some("a \"name\""));
        assert_eq!(read(&written).unwrap(), (automaton, strange.clone()), "{written}");
    }
    let nothing = Automaton { n_sets: 0, initial: 0, states: vec![State::default()] };
    assert_eq!(read(&write(&nothing, &[], None)).unwrap(), (nothing, Vec::new()));
}

#[test]
fn writing_looks_like_other_tools() {
    let expected = "HOA: v1\nname: \"FGa\"\nStates: 2\nStart: 0\nAP: 1 \"a\"\nacc-name: Buchi\n\
                    Acceptance: 1 Inf(0)\nproperties: trans-labels explicit-labels state-acc\n--BODY--\n\
                    State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[0] 1\n--END--\n";
    assert_eq!(write(&automaton(LTL3BA), &names(&["a"]), Some("FGa")), expected);
}

#[test]
fn what_we_cannot_use_is_refused() {
    let refused = [
        (file("2 Fin(0)&Inf(1)", ""), "4:15: `Fin` in the acceptance"),
        (file("2 Inf(0)|Inf(1)", ""), "4:21: `|` in the acceptance"),
        (file("1 Inf(!0)", ""), "4:19: `!` in the acceptance"),
        (file("0 f", ""), "4:15: `f` in the acceptance"),
        (file("65 t", ""), "4:13: the number of acceptance sets must be below 65"),
        (file("1 Inf(1)", ""), "4:19: the number of an acceptance set must be below 1"),
        (file("1 (Inf(0)", ""), "5:1: expected `)`"),
        (file("0 t", "State: 0 [t] 0&1"), "6:15: alternating"),
        (file("0 t", "State: 0 [2] 0"), "6:10: this label uses an atom"),
        (file("0 t", "State: 0 [64] 0"), "6:11: an atom's number must be below 64"),
        (file("0 t", "State: 0 [@x] 0"), "6:11: there is no `@x`"),
        (file("0 t", "State: 0 0 0"), "7:1: a state must have labels"),
        (file("0 t", "State: 0 0 0 0 0 0"), "6:18: there are more edges"),
        (file("0 t", "State: 0 [0] 0 0"), "7:1: a state must have labels"),
        (file("0 t", "State: [0] 0 [1] 0"), "6:14: the state has a label already"),
        (file("0 t", "State: 0 State: 0"), "6:10: state 0 is defined twice"),
        (file("0 t", "State: 0 {0}"), "6:11: the number of an acceptance set"),
        (file("0 t", "State: 99999999999999999999"), "6:8: the number of a state"),
        (file("0 t", "--ABORT--"), "6:1: the tool that wrote this gave up"),
        (file("0 t", "--END-- HOA: v1"), "6:9: expected the end of the text"),
        ("HOA: v2".to_owned(), "1:1: this is not version 1"),
        ("never { }".to_owned(), "1:1: this is not version 1"),
        ("HOA: v1 States: 4000000000".to_owned(), "1:17: the number of states"),
        ("HOA: v1 AP: 65".to_owned(), "1:13: the number of atoms must be below 65"),
        ("HOA: v1 AP: 1 \"a".to_owned(), "1:15: these quotes are not closed"),
        ("HOA: v1 /* ".to_owned(), "1:9: this comment is not closed"),
        ("HOA: v1 AP: 0 AP: 0".to_owned(), "1:15: `AP:` occurs twice"),
        ("HOA: v1 Fairness: x".to_owned(), "1:9: the header `Fairness:` is not supported"),
        ("HOA: v1 --BODY--".to_owned(), "1:17: `Acceptance:` is missing"),
        ("HOA: v1 States: 1 Start: 1 Acceptance: 0 t --BODY--".to_owned(), "1:52: the initial state 1"),
    ];
    for (text, expected) in refused {
        let error = error(&text);
        assert!(error.starts_with(expected), "{error} instead of {expected} for\n{text}");
    }
}

#[test]
fn versions_and_headers_that_can_be_ignored_are() {
    let text = "HOA: v1.1 properties: !complete controllable-AP: 0 Acceptance: 0 t Start: 0 \
                --BODY-- State: 0 [t] 0 --END--";
    assert!(accepts(&automaton(text), &[], &[0]));
}

#[test]
fn complicated_labels_are_refused_in_time() {
    let body = |label: &str| {
        let names: String = (0..64).map(|i| format!(" \"p{i}\"")).collect();
        format!("HOA: v1 Start: 0 AP: 64{names} Acceptance: 0 t --BODY-- State: 0 [{label}] 0 --END--")
    };
    let pairs: Vec<String> = (0..32).map(|i| format!("({}|{})", 2 * i, 2 * i + 1)).collect();
    assert!(error(&body(&pairs.join("&"))).contains("too complicated"));
    let deep = format!("{}0{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(error(&body(&deep)).contains("too deeply"));
    assert!(error(&body(&"!".repeat(100_000))).contains("too deeply"));
    let aliases: String = (1..64).map(|i| format!("Alias: @{i} @{}&@{} ", i - 1, i - 1)).collect();
    let text = format!("HOA: v1 AP: 1 \"a\" Alias: @0 0 {aliases} Acceptance: 0 t --BODY-- State: 0 [@63] 0");
    assert!(error(&text).contains("too complicated"));
}

#[test]
fn damaged_files_never_panic() {
    for text in [SPOT, LTL3BA, OWL] {
        for (end, _) in text.trim_end().char_indices() {
            assert!(read(&text[..end]).is_err());
        }
        let mut random = Random::new(1);
        for _ in 0..3000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..3 {
                let place = random.below(bytes.len());
                bytes[place] = *random.pick(b"0123 \"[]{}()!&|@:-tfIn/*\n");
            }
            let _ = read(&String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn reading_ends_when_there_is_no_patience_left() {
    // Each edge has a label that takes many steps.
    let label = (0..15).map(|k| format!("({k}|{})", k + 16)).collect::<Vec<_>>().join("&");
    let atoms = (0..32).map(|k| format!(" \"p{k}\"")).collect::<String>();
    let head = format!(
        "HOA: v1 States: 1 Start: 0 AP: 32{atoms} Acceptance: 0 t Alias: @a {label} --BODY-- State: 0 "
    );
    let text = head + &"[@a] 0 ".repeat(100_000) + "--END--";
    for milliseconds in [0, 50] {
        let start = Instant::now();
        let deadline = Some(start + std::time::Duration::from_millis(milliseconds));
        let read = super::read(&text, &Patience { deadline, ..Patience::default() });
        assert_eq!(read, Err(Over::Time));
        assert!(start.elapsed().as_millis() < 800, "{:?}", start.elapsed());
    }
}
