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

#[test]
fn errors_zero_is_not_said_when_spin_would_check_more() {
    let place = Place::new();
    for line in [
        "spin -run ltl.pml",
        "spin -run -safety ltl.pml",
        "spin -run -a good.pml",
        "spin -run -l good.pml",
        "spin -run -ltl p ltl.pml",
    ] {
        let output = place.run(line);
        assert_eq!(code(&output), 1, "{line}");
        assert!(!text(&output.stdout).contains("errors:"), "{line}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains("E0004"), "{line}: {}", text(&output.stderr));
    }
    let summary = run(&place, "spin -run -noclaim ltl.pml");
    assert!(summary.contains("\tnever claim         \t- (not selected)\n"), "{summary}");
    assert!(summary.contains("errors: 0\n"), "{summary}");
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
