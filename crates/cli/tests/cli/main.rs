//! The binary from outside: exit status, output, files.

mod bad_input;
mod formats;
mod how;
mod net_runs;
mod nets;
mod output;
mod reduction;
mod replay;
mod spin;
mod temporal;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder with models, and runs of the binary in it.
struct Place {
    folder: tempfile::TempDir,
}

const GOOD: &str = "byte x; active proctype A() { x = 1; x = 2 } active proctype B() { x = 3 }";
const FAILING: &str = "byte x;
active proctype A() { x = 1; printf(\"x is %d\\n\", x); assert(x == 1) }
active proctype B() { byte y; x = 2; y = 1 }";
const STUCK: &str = "chan c = [1] of { byte };
active proctype A() { c!1; c!2 }
active proctype B() { end: c?3 }";
/// 65 536 states.
const LARGE: &str = "byte x, y; active proctype A() { do :: x++ :: y++ od }";

/// A property that holds if A gets its turn.
const WAITS: &str = "byte x; ltl p { <> (x == 1) }
active proctype A() { x = 1 }
active proctype B() { do :: skip; skip od }";

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        for (name, text) in [
            ("good.pml", GOOD),
            ("failing.pml", FAILING),
            ("stuck.pml", STUCK),
            ("large.pml", LARGE),
            ("bad.pml", "active proctype A() { x = }"),
            ("ltl.pml", "byte x; ltl p { []x } active proctype A() { accept: do :: x = 1 od }"),
            ("waits.pml", WAITS),
        ] {
            place.write(name, text.as_bytes());
        }
        place
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.folder.path().join(name), bytes).unwrap();
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stubborn"));
        command.args(line.split_whitespace()).current_dir(self.folder.path());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs a line followed by arguments with spaces in them.
    fn run_with(&self, line: &str, arguments: &[&str]) -> Output {
        self.command(line).args(arguments).stdin(Stdio::null()).output().unwrap()
    }

    fn run_with_input(&self, line: &str, input: &str) -> Output {
        let mut command = self.command(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// The first result of a check, as JSON.
    fn check(&self, line: &str) -> Value {
        let output = self.run(&format!("check --format json {line}"));
        let json: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        json["results"][0].clone()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("the process ends by itself")
}

#[test]
fn the_exit_status_follows_the_contract() {
    let place = Place::new();
    for (line, expected) in [
        ("check good.pml", 0),
        ("check failing.pml", 1),
        ("check stuck.pml", 1),
        ("check stuck.pml --no-end-states", 0),
        ("check failing.pml --no-assertions", 0),
        ("check bad.pml", 2),
        ("check nosuch.pml", 2),
        ("check good.pml --bogus", 2),
        ("check", 2),
        ("check large.pml --max-states 10", 3),
        ("check ltl.pml", 1),
        ("check waits.pml", 1),
        ("check waits.pml --fairness weak", 0),
        ("check ltl.pml --safety", 0),
        ("check ltl.pml --property safety", 0),
        ("check ltl.pml --property p", 1),
        ("check waits.pml --ltl p --max-states 2", 3),
        ("check good.pml --property nosuch", 2),
        ("--help", 0),
        ("check --help", 0),
        ("--version", 0),
        ("spin -run failing.pml", 0),
        ("spin -run bad.pml", 1),
    ] {
        let output = place.run(line);
        assert_eq!(code(&output), expected, "{line}\n{}{}", text(&output.stdout), text(&output.stderr));
    }
}

#[test]
fn json_goes_to_standard_output_and_nothing_else_does() {
    let place = Place::new();
    for line in ["good.pml", "failing.pml", "stuck.pml", "large.pml --max-states 5", "ltl.pml"] {
        let output = place.run(&format!("check {line} --format json"));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["schema"], 1);
        assert_eq!(json["model"]["language"], "promela");
        assert!(json["peak_rss_bytes"].as_u64().unwrap() > 0);
        assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    }
    let result = place.check("good.pml --por none");
    assert_eq!(result["verdict"], "holds");
    assert_eq!(result["states"], 15);
    let (states, matched) = (result["states"].as_u64().unwrap(), result["matched"].as_u64().unwrap());
    assert_eq!(result["transitions"], states + matched);
    assert_eq!(result["trace"], Value::Null);
}

#[test]
fn violations_come_with_a_reason_and_a_trace() {
    let place = Place::new();
    let result = place.check("failing.pml --search bfs");
    assert_eq!((&result["verdict"], &result["reason"]), (&"violated".into(), &"assertion".into()));
    assert_eq!(result["method"]["search"], "bfs");
    let steps = result["trace"]["steps"].as_array().unwrap();
    assert_eq!(steps.last().unwrap()["action"], "assert((x==1))");
    assert_eq!(steps.len(), 4, "a shortest counterexample has four steps");
    assert_eq!(result["failure"]["line"], 2);

    assert_eq!(place.check("stuck.pml")["reason"], "invalid-end-state");
    assert_eq!(place.check("stuck.pml --deadlock")["reason"], "deadlock");
    assert_eq!(place.check("stuck.pml --explore")["verdict"], "holds");
    assert_eq!(place.check("stuck.pml --explore")["property"], "state-space");
    assert!(place.check("failing.pml --all-errors")["errors"].as_u64().unwrap() > 1);
}

#[test]
fn both_searches_count_the_same() {
    let place = Place::new();
    for model in ["good.pml", "failing.pml", "stuck.pml", "large.pml"] {
        let [dfs, bfs] =
            ["dfs", "bfs"].map(|search| place.check(&format!("{model} --all-errors --search {search}")));
        for field in ["states", "matched", "transitions", "errors", "verdict"] {
            assert_eq!(dfs[field], bfs[field], "{model}, {field}");
        }
    }
}

#[test]
fn errors_found_before_a_limit_are_called_incomplete() {
    let place = Place::new();
    place.write("early.pml", b"byte x, y; active proctype A() { do :: x++; assert(x != 1) :: y++ od }");
    let warnings =
        |options: &str| place.check(&format!("early.pml --all-errors {options}"))["warnings"].clone();
    assert_eq!(warnings("").as_array().map(Vec::len), Some(0));
    assert!(warnings("--max-states 1000")[0].as_str().unwrap().contains("not all states were visited"));
}

#[test]
fn limits_are_named() {
    let place = Place::new();
    for (limit, reason) in [
        ("--max-states 100", "states"),
        ("--max-depth 5", "depth"),
        ("--max-memory 1K", "memory"),
        ("--max-time 0ms", "time"),
    ] {
        for search in ["dfs", "bfs", "reach"] {
            let result = place.check(&format!("large.pml {limit} --search {search}"));
            assert_eq!(
                (&result["verdict"], &result["reason"]),
                (&"unknown".into(), &reason.into()),
                "{limit}"
            );
        }
    }
}

#[test]
fn what_is_not_supported_is_said_and_not_ignored() {
    let place = Place::new();
    for option in [
        "--por cluster",
        "--symmetry full",
        "--store collapse",
        "--engine gpu",
        "--search sideways",
        "--ltl p",
        "--live nowhere",
        "--compress-transitions",
        "--format mcc",
    ] {
        let output = place.run(&format!("check good.pml {option}"));
        assert_eq!(code(&output), 2, "{option}");
        let complaint = text(&output.stderr);
        assert!(complaint.contains(option.split(' ').next().unwrap()), "{option}: {complaint}");
    }
}

#[test]
fn errors_are_json_when_json_is_wanted() {
    let place = Place::new();
    place.write("latin.pml", b"byte x;\nactive proctype A() { x = '\xe9' }");
    place.write("net.pnml", b"<pnml/>");
    for (line, error, row) in [
        ("bad.pml", "E0401", Some(1)),
        ("nosuch.pml", "E0002", None),
        (".", "E0002", None),
        ("latin.pml", "E0106", Some(2)),
        ("net.pnml", "E0312", Some(1)),
        ("good.pml --bogus", "E0001", None),
        ("good.pml --por cluster", "E0004", None),
        ("good.pml --property q", "E0007", None),
    ] {
        let output = place.run(&format!("check {line} --format json"));
        assert_eq!(code(&output), 2, "{line}");
        let json: Value = serde_json::from_slice(&output.stdout).expect(line);
        assert_eq!(json["schema"], 1);
        let first = &json["errors"][0];
        assert_eq!(first["code"], error, "{line}");
        assert_eq!(first["line"].as_u64(), row, "{line}");
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn the_model_may_come_from_standard_input_and_macros_from_the_command_line() {
    let place = Place::new();
    let output = place.run_with_input("check - --quiet", FAILING);
    assert_eq!(code(&output), 1);
    assert!(text(&output.stdout).starts_with("-: safety is violated"));
    let model = "byte x;\n#include \"limit.h\"\nactive proctype A() { x = N; assert(x < LIMIT) }";
    place.write("macro.pml", model.as_bytes());
    std::fs::create_dir(place.folder.path().join("include")).unwrap();
    place.write("include/limit.h", b"#define LIMIT 5\n");
    assert_eq!(code(&place.run("check macro.pml -DN=4 -Iinclude")), 0);
    assert_eq!(code(&place.run("check macro.pml -DN=5 -Iinclude")), 1);
    assert_eq!(code(&place.run("check macro.pml -DN=5")), 2);
}

#[test]
fn a_trace_can_be_written_replayed_and_drawn() {
    let place = Place::new();
    assert_eq!(code(&place.run("check failing.pml --trace t.json")), 1);
    let replayed = place.run("replay failing.pml t.json");
    assert_eq!(code(&replayed), 0, "{}", text(&replayed.stderr));
    assert!(text(&replayed.stdout).contains("assertion at failing.pml:2"), "{}", text(&replayed.stdout));
    let drawn = text(&place.run("replay failing.pml t.json --format msc").stdout);
    assert!(drawn.lines().next().unwrap().contains("A(0)"), "{drawn}");
    assert!(
        text(&place.run("replay failing.pml t.json --format mermaid").stdout)
            .starts_with("sequenceDiagram\n")
    );
    let guided = place.run("simulate failing.pml --guided t.json --quiet");
    assert_eq!(text(&guided.stdout), "x is 2\n");

    // JSON out of `replay` is a trace again.
    let json = place.run("replay failing.pml t.json --format json");
    place.write("again.json", &json.stdout);
    assert_eq!(place.run("replay failing.pml again.json").stdout, replayed.stdout);

    // A trace of another model, and a trace that was tampered with, are refused.
    assert_eq!(code(&place.run("replay good.pml t.json")), 2);
    let tampered = text(&json.stdout).replacen("\"pid\": 1", "\"pid\": 0", 1);
    place.write("tampered.json", tampered.as_bytes());
    assert_eq!(code(&place.run("replay failing.pml tampered.json")), 2);
    assert_eq!(code(&place.run("replay failing.pml nosuch.json")), 2);
    place.write("junk.json", b"{]");
    assert_eq!(code(&place.run("replay failing.pml junk.json")), 2);
}

#[test]
fn simulation_is_the_same_for_the_same_seed() {
    let place = Place::new();
    let [one, two] = [1, 2].map(|_| place.run("simulate large.pml --seed 5 --steps 50").stdout);
    assert_eq!(one, two);
    assert_eq!(text(&one).lines().count(), 50);
    let other = place.run("simulate large.pml --seed 6 --steps 50").stdout;
    assert_ne!(one, other);
    let end = place.run("simulate stuck.pml --seed 1");
    assert!(text(&end.stdout).contains("an invalid end state after 1 steps"), "{}", text(&end.stdout));
}

#[test]
fn interactive_simulation_takes_choices_and_undoes_them() {
    let place = Place::new();
    let output = place.run_with_input("simulate good.pml --interactive", "1\nv\nu\n2\nq\n");
    assert_eq!(code(&output), 0);
    let shown = text(&output.stdout);
    assert!(shown.contains("   1: B(1) good.pml:1 x = 3\n   2: A(0) good.pml:1 x = 1\n"), "{shown}");
    assert!(shown.contains("  x = 3\n"), "{shown}");
    assert!(shown.contains("x: 0 -> 1"), "{shown}");
}

#[test]
fn the_spin_command_writes_and_replays_a_trail() {
    let place = Place::new();
    let run = text(&place.run("spin -run -safety -noreduce -m1000 failing.pml").stdout);
    assert!(run.contains("pan:1: assertion violated (x==1)"), "{run}");
    assert!(run.contains("errors: 1\n"), "{run}");
    assert!(Path::new(&place.folder.path().join("failing.pml.trail")).exists());
    let replayed = text(&place.run("spin -t -p failing.pml").stdout);
    assert!(replayed.contains("proc  0 (A:1) failing.pml:2 (state 3)\t[assert((x==1))]"), "{replayed}");
    assert!(replayed.contains("Error: assertion violated"), "{replayed}");
    assert!(replayed.contains("      x is 2\n"), "{replayed}");
    let held = text(&place.run("spin -search -bfs good.pml").stdout);
    assert!(held.contains("+ Breadth-First Search"), "{held}");
    assert!(held.contains("errors: 0\n"), "{held}");
    let simulated = text(&place.run("spin -n1 -u3 -p large.pml").stdout);
    assert!(simulated.contains("depth-limit (-u3 steps) reached"), "{simulated}");
    let lossy = "chan c = [1] of { byte }; active proctype A() { c!1; c!2 }";
    place.write("lossy.pml", lossy.as_bytes());
    assert!(text(&place.run("spin -m -run lossy.pml").stdout).contains("errors: 0\n"));
    assert!(text(&place.run("spin -run lossy.pml").stdout).contains("errors: 1\n"));
    let noted = place.run("spin -run -collapse good.pml");
    assert_eq!(text(&noted.stderr), "spin: -collapse: not known here, ignored\n");
}

#[test]
fn a_model_is_shown_in_other_forms() {
    let place = Place::new();
    let automata = text(&place.run("show good.pml --as automata").stdout);
    assert!(automata.starts_with("proctype A\n\tstate   1 -(tr "), "{automata}");
    assert!(automata.contains("good.pml:1 => x = 1"), "{automata}");
    assert!(text(&place.run("show good.pml --as dot").stdout).starts_with("digraph"));
    let json: Value = serde_json::from_slice(&place.run("show good.pml --as json").stdout).unwrap();
    assert_eq!(json["processes"][0]["process"], "A");
    assert_eq!(code(&place.run("show good.pml --as pnml")), 2);

    // The intermediate form is a language of its own.
    place.write("good.ir", &place.run("show good.pml --as ir").stdout);
    assert_eq!(place.check("good.ir")["states"], place.check("good.pml")["states"]);
    place.write("bad.ir", b"process {");
    assert_eq!(code(&place.run("check bad.ir")), 2);
}

#[test]
fn a_loop_in_an_atomic_sequence_is_an_error_only_if_it_cannot_be_left() {
    let place = Place::new();
    place.write("endless.pml", b"byte x; active proctype A() { atomic { x = 1; do :: x = 2 :: x = 3 od } }");
    let result = place.check("endless.pml");
    assert_eq!(
        (&result["reason"], &result["failure"]["kind"]),
        (&"runtime-error".into(), &"endless-loop".into())
    );
    // The inner loop leads back to itself and to the outer one, and only that one has an exit.
    let leaving = "byte x; active proctype A() { atomic { x = 1;
        outer: if :: x = 2 -> goto inner :: x = 1 -> goto done fi;
        inner: if :: x = 2 -> goto inner :: x = 1 -> goto outer fi;
        done: x = 9 } }";
    place.write("leaving.pml", leaving.as_bytes());
    assert_eq!(place.check("leaving.pml")["verdict"], "holds");
}

#[test]
fn strict_ends_need_empty_channels() {
    let place = Place::new();
    place.write("left.pml", b"chan c = [1] of { byte }; active proctype A() { c!1 }");
    assert_eq!(code(&place.run("check left.pml")), 0);
    assert_eq!(code(&place.run("check left.pml --strict-end --trace t.json")), 1);
    assert_eq!(code(&place.run("replay left.pml t.json --strict-end")), 0);
    assert_eq!(code(&place.run("replay left.pml t.json")), 2);
}

#[cfg(unix)]
#[test]
fn an_interrupted_check_reports_what_it_has() {
    let place = Place::new();
    // Far too many states to finish.
    place.write("huge.pml", b"int a, b; active proctype A() { do :: a++ :: b++ od }");
    let mut command = place.command("check huge.pml --format json");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["results"][0]["reason"], "interrupted");
    assert!(json["results"][0]["states"].as_u64().unwrap() > 0);
}
