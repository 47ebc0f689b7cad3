//! `stubborn spin`: the lines that scripts look for.

use super::{Place, code, text};

/// The standard output of a run that must succeed.
fn run(place: &Place, line: &str) -> String {
    let output = place.run(line);
    assert_eq!(code(&output), 0, "{line}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn the_summary_has_the_lines_of_spin() {
    let place = Place::new();
    let summary = run(&place, "spin -run failing.pml");
    for line in [
        "pan:1: assertion violated (x==1) (at depth 5)\n",
        "pan: wrote failing.pml.trail\n",
        "\n(Spin Version 6.5.2 -- ",
        "Warning: Search not completed\n",
        "\nFull statespace search for:\n",
        "\tnever claim         \t- (none specified)\n",
        "\tassertion violations\t+\n",
        "\tcycle checks       \t- (disabled by -DSAFETY)\n",
        "\tinvalid end states\t+\n",
        "\nState-vector ",
        " byte, depth reached 7, errors: 1\n",
        " states, stored\n",
        " states, matched\n",
        " transitions (= stored+matched)\n",
        "\nStats on memory usage (in Megabytes):\n",
        "\tequivalent memory usage for states (stored*(State-vector + overhead))\n",
        "\tactual memory usage for states\n",
        "\ttotal actual memory usage\n",
        "\npan: elapsed time ",
        " seconds\n",
    ] {
        assert!(summary.contains(line), "no {line:?} in\n{summary}");
    }
    let held = run(&place, "spin -run -A -E good.pml");
    for line in [
        "\tassertion violations\t- (disabled by -A flag)\n",
        "\tinvalid end states\t- (disabled by -E flag)\n",
        "errors: 0\n",
        "unreached in proctype A\n\t(0 of 3 states)\n",
    ] {
        assert!(held.contains(line), "no {line:?} in\n{held}");
    }
    assert!(!held.contains("Search not completed"), "{held}");
}

#[test]
fn the_depth_of_an_error_is_the_number_of_its_last_step() {
    let place = Place::new();
    place.write("one.pml", b"chan c = [1] of { byte }; init { c!1; c!2 }");
    assert!(run(&place, "spin -run one.pml").starts_with("pan:1: invalid end state (at depth 0)\n"));
    // A rendezvous is two steps of Spin.
    place.write(
        "meet.pml",
        b"chan c = [0] of { byte }; active proctype A() { c!1; c!2 } active proctype B() { c?1; end: c?3 }",
    );
    assert!(run(&place, "spin -run meet.pml").starts_with("pan:1: invalid end state (at depth 1)\n"));
}

/// A never claim with an end, and one without.
const CLAIMS: [(&str, &str); 2] = [
    (
        "end.pml",
        "byte x; never { do :: x == 2 -> break :: else od } active proctype A() { x = 1; x = 2; x = 3 }",
    ),
    (
        "stays.pml",
        "byte x; never { do :: x == 2 -> goto accept :: else od; accept: do :: x >= 2 od }
         active proctype A() { x = 1; x = 2; x = 3 }",
    ),
];
const LABELS: [(&str, &str); 3] = [
    ("progress.pml", "byte x; active proctype A() { do :: x = 1 :: x = 2 -> progress: x = 3 od }"),
    ("accept.pml", "byte x; active proctype A() { do :: x = 1 :: x = 2 -> accept: x = 3 od }"),
    ("stop.pml", "byte x; active proctype A() { x = 1; end: accept: x == 5 }"),
];

/// The lines were compared with those of Spin 6.5.2, which are the same.
#[test]
fn claims_and_cycles_are_summed_up_as_by_spin() {
    let place = Place::new();
    for (name, model) in CLAIMS.iter().chain(&LABELS) {
        place.write(name, model.as_bytes());
    }
    let claimed =
        ["\tassertion violations\t+ (if within scope of claim)\n", "\t- (disabled by never claim)\n"];
    for (line, expected) in [
        (
            "waits.pml",
            ["ltl p: <> ((x==1))\n", "pan:1: acceptance cycle (at depth 0)\n", "\t+ (p)\n", "errors: 1\n"],
        ),
        ("-a -f waits.pml", ["\t+ (p)\n", "acceptance   cycles \t+ (fairness enabled)\n", "", "errors: 0\n"]),
        (
            "end.pml",
            [
                "pan:1: end state in claim reached (at depth 5)\n",
                "\t+ (never_0)\n",
                "disabled by -DSAFETY",
                "errors: 1\n",
            ],
        ),
        ("-a end.pml", ["end state in claim", "acceptance   cycles \t- (not selected)\n", "", "errors: 1\n"]),
        (
            "stays.pml",
            [
                "pan:1: acceptance cycle (at depth 8)\n",
                "\tacceptance   cycles \t+ (fairness disabled)\n",
                "",
                "errors: 1\n",
            ],
        ),
        (
            "-l progress.pml",
            [
                "pan:1: non-progress cycle (at depth 2)\n",
                "\tnever claim         \t+ (:np_:)\n",
                "\tnon-progress cycles \t+ (fairness disabled)\n",
                "errors: 1\n",
            ],
        ),
        ("-np -f progress.pml", ["\tnon-progress cycles \t+ (fairness enabled)\n", "", "", "errors: 1\n"]),
    ] {
        let summary = run(&place, &format!("spin -run {line}"));
        for part in expected.iter().chain(&claimed) {
            assert!(summary.contains(part), "{line}: no {part:?} in\n{summary}");
        }
    }
    for (line, expected) in [
        (
            "accept.pml",
            [
                "pan:1: acceptance cycle (at depth ",
                "\tacceptance   cycles \t+ (fairness disabled)\n",
                "errors: 1\n",
            ],
        ),
        ("-safety accept.pml", ["\tcycle checks       \t- (disabled by -DSAFETY)\n", "", "errors: 0\n"]),
        ("stop.pml", ["pan:1: accept stutter (at depth 0)\n", "", "errors: 1\n"]),
        ("-noclaim ltl.pml", ["\tnever claim         \t- (not selected)\n", "", "errors: 1\n"]),
        ("-a good.pml", ["\tacceptance   cycles \t- (not selected)\n", "", "errors: 0\n"]),
        ("progress.pml", ["\tcycle checks       \t- (disabled by -DSAFETY)\n", "", "errors: 0\n"]),
    ] {
        let summary = run(&place, &format!("spin -run {line}"));
        for part in expected.iter().chain(&["\tassertion violations\t+\n", "\tinvalid end states\t+\n"]) {
            assert!(summary.contains(part), "{line}: no {part:?} in\n{summary}");
        }
    }
    let warned = place.run("spin -run -a good.pml");
    assert!(
        text(&warned.stderr).contains("warning: no accept labels are defined, so option -a has no effect")
    );
}

#[test]
fn one_of_several_claims_is_chosen() {
    let place = Place::new();
    place.write(
        "two.pml",
        b"byte x; ltl p { [] (x < 3) } ltl q { <> (x == 9) } active proctype A() { x = 1; x = 2 }",
    );
    let first = run(&place, "spin -run two.pml");
    for line in
        ["  the model contains 2 never claims: q, p\n", "pan: ltl formula p\n", "\t+ (p)\n", "errors: 0\n"]
    {
        assert!(first.contains(line), "no {line:?} in\n{first}");
    }
    for line in ["spin -run -ltl q two.pml", "spin -run -a -N q two.pml"] {
        let second = run(&place, line);
        assert!(second.contains("\t+ (q)\n") && second.contains("errors: 1\n"), "{second}");
    }
    let unknown = place.run("spin -run -ltl r two.pml");
    assert_eq!(code(&unknown), 1);
    assert!(text(&unknown.stderr).contains("no property `r`"), "{}", text(&unknown.stderr));
    assert_eq!(code(&place.run("spin -run -ltl safety two.pml")), 1);
    // Claims may come from elsewhere.
    place.write("claim.nvr", b"never { do :: x == 2 -> break :: else od }");
    for line in ["spin -N claim.nvr -run good.pml", "spin -run -N claim.nvr good.pml"] {
        assert!(run(&place, line).contains("end state in claim reached"), "{line}");
    }
}

#[test]
fn assertions_count_beside_a_claim() {
    let place = Place::new();
    place.write(
        "both.pml",
        b"byte x; ltl p { [] (x < 3) } active proctype A() { x = 1; x = 2; assert(x == 1) }",
    );
    let output = place.run("spin -run both.pml");
    let summary = text(&output.stdout);
    assert!(summary.contains("pan:1: assertion violated (x==1) (at depth 5)\n"), "{summary}");
    assert!(summary.contains("errors: 1\n"), "{summary}");
    assert!(text(&output.stderr).contains("assertions are checked on all runs"), "{}", text(&output.stderr));
    // With -c0 the claim and the assertion both count, and the numbers are those of the claim.
    place.write(
        "more.pml",
        b"byte x; ltl p { [] (x < 2) } active proctype A() { x = 1; x = 2; assert(x == 1) }",
    );
    let all = run(&place, "spin -run -c0 more.pml");
    assert!(all.contains("pan:1: acceptance cycle") && all.contains("pan:2: assertion violated"), "{all}");
    assert!(all.contains("errors: 2\n"), "{all}");
    assert!(run(&place, "spin -run more.pml").contains("errors: 1\n"));
}

#[test]
fn formulas_become_never_claims() {
    let place = Place::new();
    let claim = text(&place.run_with("spin -f", &["[] <> p"]).stdout);
    assert!(claim.starts_with("never { /* [] <> p */\n") && claim.ends_with("}\n"), "{claim}");
    place.write("p.ltl", b"[] <> p\n");
    assert_eq!(text(&place.run("spin -F p.ltl").stdout), claim);
    // `||` and `&&` bind equally strongly here, so this is `(p || q) && r`.
    let mixed = place.run_with("spin -f", &["p || q && r"]);
    assert!(text(&mixed.stderr).contains("`(p || q) && r`"), "{}", text(&mixed.stderr));
    for line in ["spin -F nosuch.ltl", "spin -f []("] {
        let output = place.run(line);
        assert_eq!(code(&output), 1, "{line}");
        assert!(text(&output.stderr).contains("E0011"), "{line}: {}", text(&output.stderr));
    }
    place.write("macro.pml", b"#define p (x == 9)\nbyte x; active proctype A() { x = 1 }");
    let checked = text(&place.run_with("spin -f", &["!<>p", "-run", "macro.pml"]).stdout);
    assert!(checked.contains("pan:1: acceptance cycle (at depth 4)\n"), "{checked}");
}

#[test]
fn trails_of_cycles_show_where_the_cycle_starts() {
    let place = Place::new();
    for (name, model) in CLAIMS.iter().chain(&LABELS) {
        place.write(name, model.as_bytes());
    }
    for (options, model, before, behind) in [
        ("", "stays.pml", "terminates\n", "spin: trail ends after 4 steps\n"),
        ("-l", "progress.pml", "[x = 1]\n", "  2:\tproc  0 (A:1)"),
        ("", "stop.pml", "[x = 1]\n", "spin: trail ends after 1 steps\n"),
    ] {
        run(&place, &format!("spin -run {options} {model}"));
        let shown = run(&place, &format!("spin -t -p {model}"));
        let (start, rest) = shown.split_once("  <<<<<START OF CYCLE>>>>>\n").expect(model);
        assert!(start.ends_with(before), "{model}: {shown}");
        assert!(rest.starts_with(behind), "{model}: {shown}");
    }
    run(&place, "spin -run end.pml");
    let shown = run(&place, "spin -t -p end.pml");
    assert!(!shown.contains("CYCLE") && shown.contains("trail ends after 2 steps"), "{shown}");
}

#[test]
fn trails_are_found_by_name_and_number() {
    let place = Place::new();
    run(&place, "spin -run failing.pml");
    let shown = run(&place, "spin -t -p -g -l failing.pml");
    for line in [
        "  1:\tproc  0 (A:1) failing.pml:2 (state 1)\t[x = 1]\n\t\tx = 1\n",
        "\t\tB(1):y = 1\n  4: proc 1 terminates\n",
        "spin: failing.pml:2, Error: assertion violated\n",
        "spin: trail ends after 6 steps\n#processes: 1\n\t\tx = 2\n",
        " (state 4) <valid end state>\n2 processes created\n",
    ] {
        assert!(shown.contains(line), "no {line:?} in\n{shown}");
    }
    std::fs::rename(
        place.folder.path().join("failing.pml.trail"),
        place.folder.path().join("failing.pml2.trail"),
    )
    .unwrap();
    assert_eq!(run(&place, "spin -t2 -p -g -l failing.pml"), shown);
    assert_eq!(run(&place, "spin -k failing.pml2.trail -p -g -l failing.pml"), shown);
    let missing = place.run("spin -t failing.pml");
    assert_eq!(code(&missing), 1);
    assert!(text(&missing.stderr).contains("cannot find trail file"), "{}", text(&missing.stderr));
}

/// Also if the first of them was not what was looked for.
#[test]
fn trails_show_all_failures_of_a_step() {
    let place = Place::new();
    place.write("two.pml", b"int a[2], i = 5; active proctype P() { d_step { assert(false); a[i] = 1 } }");
    run(&place, "spin -run -A two.pml");
    let shown = run(&place, "spin -t two.pml");
    for failure in ["Error: assertion violated\n", "Error: index 5 of an array of 2\n"] {
        assert!(shown.contains(failure), "no {failure:?} in\n{shown}");
    }
}

#[test]
fn channels_are_shown_as_queues() {
    let place = Place::new();
    place.write("queue.pml", b"chan c = [2] of { byte, byte }; init { c!1,2; c!3,4 }");
    let shown = run(&place, "spin -p -g queue.pml");
    assert!(shown.contains("\t\tqueue (c): [1,2]\n"), "{shown}");
    assert!(shown.contains("\t\tqueue (c): [1,2][3,4]\n"), "{shown}");
}

#[test]
fn limits_are_those_of_pan() {
    let place = Place::new();
    let shallow = run(&place, "spin -run -m3 large.pml");
    assert!(shallow.contains("error: max search depth too small\n"), "{shallow}");
    assert!(shallow.contains("Warning: Search not completed\n"), "{shallow}");
    let small = run(&place, "spin -run -DMEMLIM=1 large.pml");
    assert!(small.contains("pan: reached -DMEMLIM bound\n"), "{small}");
}

#[test]
fn a_summary_is_not_lost_with_its_trail() {
    let place = Place::new();
    std::fs::create_dir(place.folder.path().join("failing.pml.trail")).unwrap();
    let output = place.run("spin -run failing.pml");
    assert_eq!(code(&output), 0);
    assert!(text(&output.stdout).contains("errors: 1\n"));
    assert!(!text(&output.stdout).contains("pan: wrote"));
    assert!(text(&output.stderr).contains("E0008"));
}

#[cfg(unix)]
#[test]
fn under_the_name_of_spin_the_program_is_spin() {
    let place = Place::new();
    let link = place.folder.path().join("spin");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_stubborn"), &link).unwrap();
    let output = std::process::Command::new(link)
        .args(["-run", "failing.pml"])
        .current_dir(&place.folder)
        .output()
        .unwrap();
    assert!(text(&output.stdout).contains("errors: 1\n"), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_so() {
    let place = Place::new();
    place.write("huge.pml", b"int a, b; active proctype A() { do :: a++ :: b++ od }");
    let mut command = place.command("spin -run huge.pml");
    let child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130);
    assert!(text(&output.stdout).starts_with("Interrupted\n"), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("Warning: Search not completed\n"));
}
