//! Engines, stores, threads and transformations: what is reported, what is refused, and that the answers
//! stay the same.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::{Place, code, text};

/// 729 states, no error.
const COUNTERS: &str =
    "active [3] proctype A() { byte x; do :: atomic { x < 8 -> x++ } :: atomic { x == 8 -> x = 0 } od }";
/// More than anybody has memory for.
const HUGE: &str = "int a, b, c; active proctype A() { do :: a++ :: b++ :: c++ od }";
/// As many, but not as deep.
const WIDE: &str =
    "active [9] proctype A() { byte x; do :: atomic { x < 20 -> x++ } :: atomic { x == 20 -> x = 0 } od }";
/// `y` is dead and the steps on it concern nobody else; the assertion fails.
const LOCAL: &str = "byte x;
active proctype A() { byte y; x = 1; if :: y = 1 :: y = 2 fi; y = y + 1; assert(x == 1) }
active proctype B() { byte z; z = 1; z = 2; x = 2; z = 0 }";
const LIVE: &str = "byte x; ltl p { [] <> (x == 0) } ltl next { [] (x == 0 -> X (x <= 1)) }
active proctype A() { byte y; do :: x = 1; y = 2; y = 3; x = 0 od }";

fn place() -> Place {
    let place = Place::new();
    for (name, model) in [
        ("counters.pml", COUNTERS),
        ("huge.pml", HUGE),
        ("wide.pml", WIDE),
        ("local.pml", LOCAL),
        ("live.pml", LIVE),
    ] {
        place.write(name, model.as_bytes());
    }
    place
}

fn field<'a>(result: &'a Value, name: &str) -> &'a str {
    result["method"][name].as_str().unwrap_or_else(|| panic!("no {name} in {result}"))
}

#[test]
fn the_report_says_what_was_used() {
    let place = place();
    for (line, search, store, engine, threads) in [
        ("counters.pml --por none --threads 2", "reach", "cleary", "jit", 2),
        ("counters.pml --por none --threads 1", "reach", "cleary", "jit", 1),
        ("counters.pml --threads 2", "dfs", "tree", "jit", 1),
        ("counters.pml --threads 2 --engine interpreter", "dfs", "tree", "interpreter", 1),
        ("counters.pml --search reach --por none --store table --threads 3", "reach", "table", "jit", 3),
        ("counters.pml --search reach --por none --store tree --threads 2", "reach", "tree", "jit", 2),
        ("counters.pml --search reach --por stubborn --threads 2", "reach", "cleary", "jit", 2),
        ("counters.pml --search bfs --threads 2", "bfs", "cleary", "jit", 2),
        ("counters.pml --search bfs --threads 2 --store table", "bfs", "table", "jit", 2),
        ("counters.pml --search bfs --threads 1", "bfs", "tree", "jit", 1),
        ("counters.pml --search bfs --threads 2 --all-errors", "bfs", "tree", "jit", 1),
        ("counters.pml --search dfs --por none --threads 2 --store table", "dfs", "tree", "jit", 1),
        ("counters.pml --por none --max-depth 9 --threads 2", "dfs", "tree", "jit", 1),
        ("live.pml --ltl p --threads 2", "scc", "tree", "jit", 1),
        ("live.pml --ltl p --threads 2 --search cndfs", "cndfs", "tree", "jit", 2),
    ] {
        let result = place.check(line);
        let used = (field(&result, "search"), field(&result, "store"), field(&result, "engine"));
        // Which search suits a formula best depends on its automaton.
        let search = if line.contains("--ltl") && search == "scc" { used.0 } else { search };
        assert_eq!(used, (search, store, engine), "{line}");
        assert_eq!(result["method"]["threads"], threads, "{line}");
        assert_ne!(result["verdict"], "violated", "{line}");
    }
}

#[test]
fn lossy_stores_find_errors_and_prove_nothing() {
    let place = place();
    for store in ["bitstate", "hash-compact"] {
        for threads in [1, 2] {
            let options = format!("--por none --store {store} --threads {threads} --max-memory 100M");
            let output = place.run(&format!("check counters.pml --format json {options}"));
            assert_eq!(code(&output), 3, "{}", text(&output.stderr));
            let result = place.check(&format!("counters.pml {options}"));
            assert_eq!(result["verdict"], "unknown", "{options}");
            assert_eq!(result["reason"], "lossy-store", "{options}");
            let n_states = result["states"].as_u64().expect("a number");
            assert_eq!(n_states, 729, "{options}");
            let note = result["warnings"][0].as_str().unwrap_or_default();
            assert!(note.contains("probability"), "{note}");
            let number = note.rsplit(' ').next().unwrap_or_default();
            assert!(number.parse::<f64>().is_ok_and(|p| (0.0..0.01).contains(&p)), "{note}");
            // A violation is one: it is replayed, also after the search for a shorter one.
            place.write("late.pml", format!("{COUNTERS} active proctype B() {{ byte n; do :: n < 20 -> n++ :: n == 20 -> assert(false) od }}").as_bytes());
            let result = place.check(&format!("late.pml {options}"));
            assert_eq!((&result["verdict"], &result["reason"]), (&"violated".into(), &"assertion".into()));
        }
    }
}

/// Neither the size of the table nor the end of the search depends on what the process happens to take.
#[test]
fn a_lossy_search_on_one_thread_is_the_same_each_time() {
    let place = place();
    let philosophers = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/philosophers.pml");
    place.write("grid.pml", b"active [2] proctype A() { short x; do :: x < 400 -> x++ od }");
    // The last has memory enough; there are 801 states for each process, of which it misses some.
    for (model, store, limit, reason) in [
        (&*format!("{philosophers} -DN=11"), "bitstate", 64, "memory"),
        (&*format!("{philosophers} -DN=11"), "hash-compact", 64, "memory"),
        ("grid.pml", "bitstate", 16, "lossy-store"),
    ] {
        let options = format!("--explore --por none --store {store} --threads 1 --max-memory {limit}M");
        let search = || {
            let found = place.check(&format!("{model} {options}"));
            assert_eq!(found["reason"], reason, "{model} {options}");
            ["states", "transitions", "depth", "warnings", "store_bytes"].map(|figure| found[figure].clone())
        };
        let expected = search();
        assert!(expected[0].as_u64() < Some(801 * 801), "{model} {options}");
        (0..4).for_each(|_| assert_eq!(search(), expected, "{model} {options}"));
    }
}

#[test]
fn what_does_not_go_together_is_refused_by_name() {
    let place = place();
    for (line, named) in [
        ("counters.pml --store bitstate --search dfs", ["--store bitstate", "--search dfs"]),
        ("counters.pml --store hash-compact --search bfs", ["--store hash-compact", "--search bfs"]),
        ("live.pml --ltl p --search cndfs --fairness weak", ["--search cndfs", "--fairness"]),
        ("live.pml --ltl p --search cndfs --fairness strong", ["--search cndfs", "--fairness"]),
        ("live.pml --ltl p --search cndfs --por stubborn", ["--search cndfs", "--por stubborn"]),
        ("live.pml --ltl next --merge", ["--merge", "X"]),
        ("counters.pml --threads 0", ["--threads", "0"]),
        ("counters.pml --threads two", ["--threads", "two"]),
        ("counters.pml --store disk", ["--store", "disk"]),
    ] {
        let output = place.run(&format!("check {line}"));
        let complaint = text(&output.stderr);
        assert_eq!(code(&output), 2, "{line}: {complaint}");
        assert!(named.iter().all(|name| complaint.contains(name)), "{line}: {complaint}");
    }
}

#[test]
fn the_limit_on_states_is_exact_on_several_threads() {
    let place = place();
    for store in ["cleary", "tree", "table"] {
        for limit in [1, 2, 100, 728, 5000] {
            let options = format!("--por none --threads 2 --store {store} --max-states {limit}");
            let result = place.check(&format!("huge.pml {options}"));
            assert_eq!(result["states"], limit, "{options}");
            assert_eq!(result["reason"], "states", "{options}");
        }
        let result = place.check(&format!("counters.pml --por none --store {store} --max-states 729"));
        assert_eq!((&result["verdict"], &result["states"]), (&"holds".into(), &729.into()), "{store}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_limit_on_memory_is_kept() {
    let place = place();
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let philosophers = format!("{models}/philosophers.pml -DN=11 --no-end-states");
    for (model, limit, options) in [
        ("wide.pml", 200, "--store table --por none --threads 1"),
        ("wide.pml", 200, "--store table --por none --threads 2"),
        ("wide.pml", 64, "--store cleary --por none --threads 2"),
        // Much is pending, so much is outside of the store.
        (&philosophers, 64, "--por none --threads 1"),
        (&philosophers, 64, "--por none --threads 2"),
        (&philosophers, 40, "--threads 1"),
        // There is no room to make code.
        (&philosophers, 24, "--por none --threads 1"),
        (&philosophers, 16, "--por none --threads 2"),
    ] {
        let line = format!("check {model} --format json --search reach --max-memory {limit}M {options}");
        let output = place.run(&line);
        assert_eq!(code(&output), 3, "{}", text(&output.stderr));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["results"][0]["reason"], "memory");
        let engine = if limit < 32 { "interpreter" } else { "jit" };
        assert_eq!(json["results"][0]["method"]["engine"], engine);
        let peak = json["peak_rss_bytes"].as_u64().unwrap();
        let percent = peak * 100 / (limit << 20);
        // Nor is much of it left unused.
        assert!((70..105).contains(&percent), "{line}: {peak} bytes, {percent} %");
    }
}

/// What is done to see how states are cut takes no more for states of 100 kB.
#[cfg(target_os = "linux")]
#[test]
fn long_states_take_little_memory_besides() {
    let place = place();
    let long = "int a[25000]; byte k;
        active [2] proctype P() { do :: k < 255 -> k++; a[k] = k :: k > 0 -> k-- :: a[k * 50]++ od }";
    place.write("long.pml", long.as_bytes());
    let output = place.run("check long.pml --format json --por none --threads 1 --max-states 500");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["results"][0]["reason"], "states");
    let peak = json["peak_rss_bytes"].as_u64().unwrap();
    assert!(peak < 150 << 20, "{peak} bytes");
}

/// A run of a net in which very much is enabled all the time is made without firing all of that at once.
#[cfg(target_os = "linux")]
#[test]
fn a_run_takes_no_more_memory_than_the_search_for_it() {
    let place = place();
    let n = 40_000;
    let places = (0..n).map(|k| format!(",p{k}")).collect::<String>();
    let transitions = (0..n).map(|k| format!("TRANSITION t{k} CONSUME c; PRODUCE c, p{k};\n"));
    let net = format!("PLACE c{places};\nMARKING c;\n{}", transitions.collect::<String>());
    place.write("wide.lola", net.as_bytes());
    let output = place.run_with("check wide.lola --format json --max-memory 150M", &["--reach", "p7 > 3"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["results"][0]["verdict"], "holds");
    let peak = json["peak_rss_bytes"].as_u64().unwrap();
    assert!(peak < 155 << 20, "{peak} bytes");
}

#[cfg(unix)]
#[test]
fn a_parallel_search_can_be_interrupted_and_killed() {
    let place = place();
    for (signal, status) in [("-INT", Some(130)), ("-KILL", None)] {
        for search in ["reach", "bfs"] {
            let line = format!(
                "check huge.pml --format json --por none --threads 2 --search {search} --max-memory 1G"
            );
            let child = place.command(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(400));
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), status, "{search}: {}", text(&output.stderr));
            if status.is_some() {
                let json: Value = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(json["results"][0]["reason"], "interrupted");
                assert!(json["results"][0]["states"].as_u64().unwrap() > 1000);
            }
        }
    }
    // Nothing is left behind that would be in the way.
    assert_eq!(place.check("counters.pml --por none --threads 2")["states"], 729);
}

/// Machine code takes over somewhere in the middle; nobody sees where.
#[test]
fn a_search_on_one_thread_is_the_same_each_time() {
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let place = place();
    // In some states code does everything, in others it leaves a choice to the host.
    let mixed = "active [4] proctype A() { byte x; do :: x % 3 != 0 -> x++ :: x == 9 -> x = 0
        :: atomic { x % 3 == 0 && x < 9 -> if :: x = x + 1 :: x = x + 2 fi } od }";
    place.write("mixed.pml", mixed.as_bytes());
    for model in ["mixed.pml", &format!("{models}/leader.pml -DN=6")] {
        let search = |engine: &str| {
            let options = "--safety --por none --search reach --threads 1 --max-states 2000";
            let found = place.check(&format!("{model} {options} --engine {engine}"));
            ["states", "transitions", "depth", "verdict"].map(|figure| found[figure].clone())
        };
        let expected = search("interpreter");
        (0..3).for_each(|_| assert_eq!(search("jit"), expected, "{model}"));
    }
}

#[test]
fn transformed_models_have_fewer_states_and_the_same_answers() {
    let place = place();
    let plain = place.check("local.pml --por none --all-errors");
    for flags in ["--merge", "--reset-dead", "--merge --reset-dead"] {
        let result = place.check(&format!("local.pml --por none --all-errors {flags}"));
        assert!(result["states"].as_u64() < plain["states"].as_u64(), "{flags}: {}", result["states"]);
        for search in ["--por none", "--search bfs", "--search dfs", "--engine interpreter"] {
            let line = format!("check local.pml {flags} {search} --trace t.json");
            assert_eq!(code(&place.run(&line)), 1, "{line}");
            let replayed = place.run(&format!("replay local.pml t.json {flags}"));
            assert_eq!(code(&replayed), 0, "{line}: {}", text(&replayed.stderr));
        }
        assert_eq!(place.check(&format!("live.pml --ltl p {flags}"))["verdict"], "holds");
    }
}

/// A smaller program is explored by default where that is sound, and its runs are those of the model.
#[test]
fn smaller_programs_are_explored_where_that_is_sound() {
    let place = Place::new();
    place.write(
        "m.pml",
        b"byte x; active [3] proctype P() { byte i, j; do :: i < 3 -> j = i; j = j + 1; i = j; x = i :: else -> break od; assert(x != 3) }
ltl p { <> (x == 3) } ltl q { [] X true }",
    );
    let small = place.check("m.pml --property safety");
    let whole = place.check("m.pml --property safety --compress none");
    assert_eq!((&small["method"]["compress"], whole["method"].get("compress")), (&"chains".into(), None));
    assert_eq!(small["verdict"], whole["verdict"]);
    for options in [
        "--por none",
        "--search bfs",
        "--explore",
        "--all-errors",
        "--max-depth 9",
        "--ltl q",
        "--fairness weak --ltl p",
    ] {
        let result = place.check(&format!("m.pml {options}"));
        assert_eq!(result["method"].get("compress"), None, "{options}");
    }
    let asked = place.check("m.pml --safety --por none --compress chains");
    assert_eq!(asked["method"]["compress"], "chains");
    place.run("check m.pml --safety --trace t.json --quiet");
    assert_eq!(code(&place.run("replay m.pml t.json")), 0);
    for (value, exit, told) in [("full", 2, "not available"), ("some", 2, "no such choice")] {
        let output = place.run(&format!("check m.pml --compress {value}"));
        assert!(
            code(&output) == exit && text(&output.stderr).contains(told),
            "{value}: {}",
            text(&output.stderr)
        );
    }
}
