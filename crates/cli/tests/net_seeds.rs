//! Figures of K. Schmidt, "Explicit State Space Verification": the numbers of states and firings of its
//! nets, complete and reduced, and what is true of them. All are exact; `docs/seeds.md` has more.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Checks an example. Gives back the only result.
fn check(net: &str, options: &[&str]) -> Value {
    let stubborn = || Command::new(env!("CARGO_BIN_EXE_stubborn"));
    let made = stubborn().arg("net-example").args(net.split(' ')).output().expect("stubborn runs");
    let mut check = stubborn();
    check.args(["check", "-", "--language", "lola", "--format", "json"]).args(options);
    check.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = check.spawn().expect("stubborn runs");
    child.stdin.take().expect("it is piped").write_all(&made.stdout).expect("the net is read");
    let output = child.wait_with_output().expect("stubborn ends");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{net} {options:?}: {error}: {output:?}"));
    report["results"][0].clone()
}

/// States and firings; transitions are counted with the arrival in the initial state.
fn size(result: &Value) -> (u64, u64) {
    let number = |key: &str| result[key].as_u64().unwrap_or_else(|| panic!("no {key} in {result}"));
    (number("states"), number("transitions") - 1)
}

/// `name_from AND … AND name_to`, each with a token.
fn all_marked(name: &str, numbers: std::ops::Range<u64>) -> String {
    numbers.map(|k| format!("{name}_{k} = 1")).collect::<Vec<_>>().join(" AND ")
}

#[test]
fn complete_state_spaces_are_as_large_as_published() {
    for (net, states, firings) in [
        ("ph 5", 242, 805),
        ("ph 10", 59_048, 393_650),
        ("da-a 10", 1034, 10_260),
        ("da-a 14", 16_398, 229_404),
        ("da-b 5", 217, 770),
        ("da-b 10", 11_364, 71_880),
        ("simple 2 3", 63, 304),
        ("simple 3 2", 35, 144),
        ("simple 3 3", 70_633, 897_594),
        ("echo 2 3", 2628, 9994),
    ] {
        let result = check(net, &["--explore", "--por", "none"]);
        assert_eq!(size(&result), (states, firings), "{net}");
    }
}

#[test]
fn basic_stubborn_sets_leave_as_much_as_published() {
    for (net, states, firings) in [
        ("ph 5", 62, 85),
        ("ph 12", 398, 540),
        ("ph 13", 470, 637),
        ("ph 100", 29_702, 39_700),
        ("da-a 19", 39, 76),
        ("da-a 100", 201, 400),
        ("da-b 10", 31, 50),
    ] {
        let result = check(net, &["--explore", "--por", "stubborn"]);
        assert_eq!(size(&result), (states, firings), "{net}");
        assert_eq!(result["method"]["por"], "stubborn", "{net}");
    }
}

#[test]
fn up_sets_leave_as_much_as_published() {
    for n in [19, 100] {
        let result = check(&format!("da-a {n}"), &["--reach", &all_marked("write", 0..2)]);
        let found = (result["verdict"].as_str(), size(&result));
        assert_eq!(found, (Some("violated"), (2 * n + 1, 4 * n)), "{n} processes, two of which write");
        assert_eq!(result["method"]["por"], "stubborn");
    }
}

#[test]
fn ways_to_goals_are_no_longer_than_published() {
    for (net, goal, least, published) in [
        ("da-a 19", all_marked("read", 0..19), 19, 19),
        ("da-a 50", all_marked("read", 0..50), 50, 50),
        ("ph 20", all_marked("right", 1..20), 57, 125),
    ] {
        let result = check(net, &["--reach", &goal]);
        let length = result["trace"]["steps"].as_array().map_or(0, Vec::len);
        assert_eq!(result["verdict"], "holds", "{net}");
        assert!((least..=published).contains(&length), "{net}: {length} steps");
    }
}

/// Both phases of the method for home properties: the second one adds its firings, and markings that the first one has
/// not seen.
#[test]
fn terminal_components_are_found_in_as_little_as_published() {
    for (net, goal, verdict, states, firings) in [
        ("ph 12", all_marked("left", 0..12), "holds", 398, 540),
        ("ph 12", all_marked("left", 0..1), "holds", 398, 540),
        ("ph 100", all_marked("left", 0..100), "holds", 29_702, 39_700),
        ("da-a 20", all_marked("write", 0..2), "violated", 41, 80 + 80),
        ("da-a 100", all_marked("write", 0..2), "violated", 201, 400 + 400),
        ("da-a 50", all_marked("read", 0..1), "holds", 101, 200),
        ("da-a 100", all_marked("read", 0..1), "holds", 201, 400),
    ] {
        let result = check(net, &["--home", &goal]);
        let found = (result["verdict"].as_str(), size(&result));
        assert_eq!(found, (Some(verdict), (states, firings)), "{net} {goal}");
        assert_eq!(result["method"]["por"], "stubborn", "{net}");
    }
    for n in [20, 100] {
        let result = check(&format!("da-a {n}"), &["--live", "all"]);
        let found = (result["verdict"].as_str(), size(&result));
        assert_eq!(found, (Some("holds"), (2 * n + 1, 4 * n)), "da-a {n}");
    }
}

#[test]
fn what_is_true_of_the_nets_is_found_out() {
    let (all_left, but_one_right) = (all_marked("left", 0..5), all_marked("right", 1..5));
    for (net, options, verdict) in [
        ("ph 5", ["--deadlock", ""], "violated"),
        ("da-a 5", ["--deadlock", ""], "holds"),
        ("ph 5", ["--home", &all_left], "holds"),
        ("ph 5", ["--home", &but_one_right], "violated"),
        ("ph 5", ["--home", "left_0 = 1"], "holds"),
        ("da-a 5", ["--home", &all_marked("read", 0..5)], "holds"),
        ("da-a 5", ["--home", &all_marked("write", 0..2)], "violated"),
        ("da-a 5", ["--home", &all_marked("idle", 0..5)], "holds"),
        ("ph 5", ["--live", "all"], "violated"),
        ("da-a 5", ["--live", "all"], "holds"),
        ("ph 5", ["--reach", "FIREABLE(takeR_0)"], "holds"),
        ("ph 5", ["--invariant", "NOT (eat_0 = 1 AND eat_1 = 1)"], "holds"),
    ] {
        let options: Vec<&str> = options.into_iter().filter(|option| !option.is_empty()).collect();
        assert_eq!(check(net, &options)["verdict"], verdict, "{net} {options:?}");
    }
    for (net, place) in [("ph 5", "fork_0"), ("da-a 5", "sem_0"), ("da-b 3", "key")] {
        assert_eq!(check(net, &["--bounded", place])["value"], 1, "{place} of {net}");
    }
}
