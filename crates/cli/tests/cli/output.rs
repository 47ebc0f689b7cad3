//! Where output goes, and what happens when it cannot go there.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Place, code, text};

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_is_lost_is_no_success() {
    let place = Place::new();
    for line in
        ["check good.pml", "check failing.pml --format json", "show good.pml --as ir", "simulate good.pml"]
    {
        let full = std::fs::File::create("/dev/full").unwrap();
        let output = place.command(line).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(code(&output), 2, "{line}");
        assert!(text(&output.stderr).contains("E0008"), "{line}: {}", text(&output.stderr));
    }
}

/// Reads one line of the output, goes away, and gives the exit status.
fn read_one_line(place: &Place, line: &str) -> i32 {
    let mut child = place.command(line).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(!first.is_empty(), "{line}");
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().expect("the process ends by itself");
        }
        if started.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("{line} goes on for nobody");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_run_ends_when_nobody_reads_it() {
    let place = Place::new();
    assert_eq!(read_one_line(&place, "simulate large.pml --steps 1000000000"), 0);
    assert_eq!(read_one_line(&place, "spin -p large.pml"), 0);
    // The verdict stays.
    assert_eq!(read_one_line(&place, "check failing.pml"), 1);
}

#[test]
fn whether_a_trace_can_be_written_is_known_before_the_search() {
    let place = Place::new();
    let output = place.run("check good.pml --trace nosuch/t.json");
    assert_eq!(code(&output), 2);
    assert!(text(&output.stderr).contains("error[E0008]: nosuch/t.json: "), "{}", text(&output.stderr));
    // Nothing is left behind if there is no trace, and nothing is lost.
    assert_eq!(code(&place.run("check good.pml --trace t.json")), 0);
    assert!(!place.folder.path().join("t.json").exists());
    place.write("old.json", b"old");
    assert_eq!(code(&place.run("check good.pml --trace old.json")), 0);
    assert_eq!(std::fs::read(place.folder.path().join("old.json")).unwrap(), b"old");
}

#[cfg(target_os = "linux")]
#[test]
fn a_verdict_is_not_lost_with_its_trace() {
    let place = Place::new();
    let output = place.run("check failing.pml --trace /dev/full --quiet");
    assert_eq!(code(&output), 1);
    assert!(text(&output.stdout).contains("safety is violated"));
    assert!(text(&output.stderr).contains("E0008"));
}

#[test]
fn there_is_no_progress_and_no_colour_without_a_terminal() {
    let place = Place::new();
    for line in ["check large.pml", "spin -run large.pml", "check failing.pml", "check bad.pml"] {
        let output = place.run(line);
        assert!(!text(&output.stdout).contains('\u{1b}'), "{line}");
        assert!(!text(&output.stderr).contains('\u{1b}'), "{line}");
    }
    assert!(text(&place.run("check failing.pml --color always").stdout).contains('\u{1b}'));
}

#[test]
fn a_guided_run_shows_what_it_leads_to() {
    let place = Place::new();
    assert_eq!(code(&place.run("check failing.pml --trace t.json")), 1);
    let failing = place.run("simulate failing.pml --guided t.json");
    assert_eq!(code(&failing), 1);
    assert!(text(&failing.stderr).contains("failing.pml:2: assertion: (x==1)"), "{}", text(&failing.stderr));
    assert_eq!(code(&place.run("check stuck.pml --trace t.json")), 1);
    let stuck = place.run("simulate stuck.pml --guided t.json");
    assert_eq!(code(&stuck), 1);
    assert!(text(&stuck.stdout).contains("A(0) at stuck.pml:2 waits for c!2"), "{}", text(&stuck.stdout));
}

#[test]
fn interactive_simulation_ends_with_its_input() {
    let place = Place::new();
    let output = place.run_with_input("simulate good.pml --interactive", "what\n1\n");
    assert_eq!(code(&output), 0);
    assert!(text(&output.stdout).ends_with("> \n"), "{}", text(&output.stdout));
}

#[test]
fn trails_of_spin_are_recognised_and_refused() {
    let place = Place::new();
    place.write("good.pml.trail", b"-4:-4:-4\n1:0:0\n2:1:4\n");
    for (line, exit) in [("replay good.pml good.pml.trail", 2), ("spin -t good.pml", 1)] {
        let output = place.run(line);
        assert_eq!(code(&output), exit, "{line}");
        assert!(
            text(&output.stderr).contains("this trail was written by Spin"),
            "{line}: {}",
            text(&output.stderr)
        );
    }
}

/// A file of many megabytes is not written for longer than there is time, and no part of it is left.
#[cfg(unix)]
#[test]
fn a_long_trace_is_written_as_long_as_there_is_patience() {
    let place = Place::new();
    place.write(
        "long.pml",
        b"int n; active proctype P() { do :: n < 150000 -> n++ :: else -> assert(false) od }",
    );
    let child = place.command("check long.pml --quiet --trace /dev/full").output().unwrap();
    assert_eq!(code(&child), 1);
    assert!(text(&child.stderr).contains("E0008"), "{}", text(&child.stderr));
    // A pipe that nobody reads from: the trace cannot come to an end by itself.
    let pipe = place.folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut reader = std::fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let line = "check long.pml --quiet --trace pipe";
    let child = place.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut bytes = vec![0; 2 << 20];
    std::io::Read::read_exact(&mut reader, &mut bytes).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(100));
    // Whatever is still in the pipe.
    std::thread::spawn(move || while std::io::Read::read(&mut reader, &mut bytes).is_ok() {});
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("interrupted"), "{}", text(&output.stderr));
}
