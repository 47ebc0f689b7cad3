//! Input that nobody should write, and that must be answered all the same.

use std::time::{Duration, Instant};

use super::{Place, code, text};

/// Checks a model that must be refused, soon, with a code and a place.
fn refuse(place: &Place, name: &str, error: &str) -> String {
    let started = Instant::now();
    let output = place.run(&format!("check {name}"));
    let complaint = text(&output.stderr);
    assert_eq!(code(&output), 2, "{name}: {complaint}");
    assert!(complaint.contains(error), "{name}: {complaint}");
    assert!(complaint.contains(name), "{name}: {complaint}");
    assert!(started.elapsed() < Duration::from_secs(10), "{name} took too long");
    complaint
}

#[test]
fn files_that_cannot_be_read_are_refused() {
    let place = Place::new();
    std::fs::create_dir(place.folder.path().join("folder.pml")).unwrap();
    assert!(refuse(&place, "folder.pml", "E0002").contains("this is a directory"));
    assert!(refuse(&place, "nosuch.pml", "E0002").contains("there is no such file"));
    let big = std::fs::File::create(place.folder.path().join("big.pml")).unwrap();
    big.set_len(200 << 20).unwrap();
    assert!(refuse(&place, "big.pml", "E0002").contains("larger than"));
}

#[test]
fn text_that_is_no_model_is_refused() {
    let place = Place::new();
    for (name, bytes, error) in [
        ("empty.pml", &b""[..], "E0615"),
        ("blank.pml", b" \n\t\n", "E0615"),
        ("binary.pml", b"\x7fELF\x02\xff\xfe\x00", "E0106"),
        ("latin.pml", b"init {\n x\xe9 = 1 }", "E0106"),
        ("open.pml", b"init { skip ", "E0301"),
        ("self.pml", b"#include \"self.pml\"\ninit { skip }", "E0204"),
        ("alone.pml", b"#include \"nosuch.h\"\ninit { skip }", "E0203"),
        ("c.pml", b"init { c_code { x = 1; } }", "E0701"),
        ("wide.pml", b"byte a[1000000000]; init { a[0] = 1 }", "E0505"),
    ] {
        place.write(name, bytes);
        refuse(&place, name, error);
    }
    assert!(refuse(&place, "latin.pml", "E0106").contains("latin.pml:2:3\n"), "the place is given");
    assert!(refuse(&place, "wide.pml", "E0505").contains("1 to 16777216 elements"), "the limit is given");
}

#[test]
fn deep_nesting_and_long_lines_are_refused_with_their_place() {
    let place = Place::new();
    let nested = |open: &str, close: &str| {
        format!("int x; init {{ {}x = 1{} }}", open.repeat(10_000), close.repeat(10_000))
    };
    for (name, model) in [
        ("brackets.pml", format!("int x; init {{ x = {}1{} }}", "(".repeat(10_000), ")".repeat(10_000))),
        ("blocks.pml", nested("{ ", " }")),
        ("atomics.pml", nested("atomic { ", " }")),
        ("ifs.pml", nested("if :: ", " fi")),
        ("dos.pml", nested("do :: ", " od")),
    ] {
        place.write(name, model.as_bytes());
        let complaint = refuse(&place, name, "E0302");
        assert!(!complaint.contains(&format!("{name}:1:1\n")), "the column is lost: {complaint}");
    }
    place.write("long.pml", format!("byte x; init {{ {}y = 1 }}", "x = 1; ".repeat(2_000)).as_bytes());
    let complaint = refuse(&place, "long.pml", "E0401");
    assert!(complaint.contains("long.pml:1:14016"), "{complaint}");
    assert!(complaint.contains("y = 1 }"), "the end of the line is quoted: {complaint}");
}

#[test]
fn other_line_ends_and_marks_of_editors_do_not_matter() {
    let place = Place::new();
    place.write("include.h", b"\xef\xbb\xbf#define N 3\r\n");
    place.write(
        "windows.pml",
        b"\xef\xbb\xbf#include \"include.h\"\r\nbyte x; /* caf\xe9 */\r\ninit {\r\n\tx = \\\r\nN;\r\n\tassert(x == 2)\r\n}\r\n",
    );
    let output = place.run("check windows.pml");
    assert_eq!(code(&output), 1, "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("at windows.pml:6:2"), "{}", text(&output.stdout));
}

#[test]
fn macros_on_the_command_line_need_a_name() {
    let place = Place::new();
    place.write(
        "macro.pml",
        b"byte x;\n#ifdef X\nactive proctype A() { assert(false) }\n#endif\nactive proctype B() { x = 1 }",
    );
    assert_eq!(code(&place.run("check macro.pml -DX=1")), 1);
    assert_eq!(code(&place.run("check macro.pml -D X")), 1);
    assert_eq!(code(&place.run("check macro.pml -DX=1 -UX")), 0);
    for option in ["-D3=4", "-DX(a)=a", "-U3"] {
        let output = place.run(&format!("check macro.pml {option}"));
        assert_eq!(code(&output), 2, "{option}");
        assert!(text(&output.stderr).contains("E0005"), "{option}: {}", text(&output.stderr));
    }
}

#[test]
fn commands_that_cannot_be_carried_out_say_why() {
    let place = Place::new();
    for name in ["net.lola", "net"] {
        place.write(name, b"PLACE p; MARKING p; TRANSITION t CONSUME p; PRODUCE;");
    }
    for (command, error) in [
        ("mcc", "E0001"),
        ("mcc --examination StateSpace", "E0002"),
        ("net-example ph", "E0371"),
        ("net-example chairs 3", "E0370"),
        ("spin -run net.lola", "E0003"),
        ("spin -a net", "E0003"),
        ("simulate net.lola -DN=3", "E0001"),
        ("replay net.lola nosuch.json", "E0006"),
        ("chek", "E0001"),
    ] {
        let output = place.run(command);
        assert_eq!(code(&output), 2, "{command}");
        assert!(text(&output.stderr).contains(error), "{command}: {}", text(&output.stderr));
    }
}

#[test]
fn values_of_options_are_checked() {
    let place = Place::new();
    for option in [
        "--max-memory lots",
        "--max-memory 3X",
        "--max-time 5days",
        "--max-time 99999999999999999h",
        "--max-states -1",
        "--threads 0",
        "--format xml",
        "--search sideways",
        "--language klingon",
    ] {
        let output = place.run(&format!("check good.pml {option}"));
        assert_eq!(code(&output), 2, "{option}");
        let name = option.split(' ').next().unwrap();
        assert!(
            text(&output.stderr).contains(name) || option.contains("-1"),
            "{option}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn every_code_of_the_command_line_is_explained() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
    let Ok(page) = std::fs::read_to_string(page) else {
        return println!("docs/errors.md is not there: skipped");
    };
    for number in 1..=12 {
        assert!(page.contains(&format!("| `E{number:04}` |")), "E{number:04} is not explained");
    }
}
