//! Every code has a model that shows it, and gives nothing else.

use std::path::{Path, PathBuf};

use model::Patience;
use promela::{CODES, Options, Parsed, parse};
use source::{Diagnostic, Rejected};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

/// A model with what is found in it.
fn read(path: &Path, text: String) -> Rejected {
    let parsed = parse(path.to_str().unwrap(), text, &Options::default(), &|path| std::fs::read(path))
        .expect("there is time");
    match parsed.accept() {
        Ok(Parsed { program, mut diagnostics, .. }) => {
            diagnostics.extend(
                promela::lower_with_properties(&program, &Patience::default())
                    .expect("there is time")
                    .err()
                    .into_iter()
                    .flatten(),
            );
            Rejected { sources: program.sources, diagnostics }
        }
        Err(rejected) => *rejected,
    }
}

/// The codes and lines of what is found in a model.
fn findings(path: &Path) -> Vec<(String, u32)> {
    let Rejected { sources, diagnostics } = read(path, std::fs::read_to_string(path).unwrap());
    let line = |found: &Diagnostic| sources.position(found.span.expect("it has a place")).line;
    diagnostics.iter().map(|found| (found.code.to_owned(), line(found))).collect()
}

/// The code and line promised by the first line of a model: `// expect: E0401 at 3`.
fn promise(path: &Path) -> (String, u32) {
    let text = std::fs::read_to_string(path).unwrap();
    let first = text.lines().next().unwrap_or_default();
    let (code, line) =
        first.strip_prefix("// expect: ").and_then(|rest| rest.split_once(" at ")).expect("a promise");
    (code.to_owned(), line.parse().unwrap())
}

#[test]
fn each_model_gives_what_it_promises_and_nothing_else() {
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "pml") {
            let (promised, found) = (promise(&path), findings(&path));
            if found != [promised.clone()] {
                wrong.push(format!("{}: promised {promised:?}, found {found:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text of a model with the corrections of a diagnostic, of which the last comes first.
fn corrected(text: &str, found: &Diagnostic) -> String {
    let mut text = text.to_owned();
    for edit in &found.fix {
        text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    }
    text
}

#[test]
fn corrections_correct() {
    let models = [
        ("E0401", "int counter; init { countr = 1 }", "int counter; init { counter = 1 }"),
        (
            "W0817",
            "chan c = [1] of { byte }; init { c!1; c?_pid }",
            "chan c = [1] of { byte }; init { c!1; c?eval(_pid) }",
        ),
        (
            "E0622",
            "byte x; init { x = 1 } never { d_step { x < 1; x < 2 } }",
            "byte x; init { x = 1 } never { atomic { x < 1; x < 2 } }",
        ),
    ];
    for (code, model, expected) in models {
        let found = read(Path::new("m.pml"), model.to_owned()).diagnostics;
        assert_eq!(found.iter().map(|found| found.code).collect::<Vec<_>>(), [code], "{model}");
        assert_eq!(corrected(model, &found[0]), expected);
        assert_eq!(read(Path::new("m.pml"), expected.to_owned()).diagnostics, [], "{expected}");
    }
}

/// What stands in a macro cannot be corrected where the macro is used.
#[test]
fn macros_are_not_corrected() {
    let head = "#define WRONG countr\n#define GET c?_pid\n#define STEP d_step\nint counter; chan c = [1] of { byte };\n";
    for (code, model) in [
        ("E0401", "init { WRONG = 1 }"),
        ("W0817", "init { c!1; GET }"),
        ("E0622", "init { skip } never { STEP { counter < 1; counter < 2 } }"),
    ] {
        let found = read(Path::new("m.pml"), format!("{head}{model}")).diagnostics;
        assert_eq!(found.iter().map(|found| found.code).collect::<Vec<_>>(), [code], "{model}");
        assert_eq!(found[0].fix, [], "{model}");
        assert!(found[0].help.is_some(), "{model}");
    }
}

#[test]
fn every_code_has_a_model() {
    for (code, _) in CODES {
        let path = folder().join(format!("{code}.pml"));
        assert!(path.exists(), "{} is missing", path.display());
        assert_eq!(promise(&path).0, *code, "{}", path.display());
    }
}

#[test]
fn the_codes_are_sorted_and_explained() {
    assert!(CODES.is_sorted());
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md"));
    // The page is missing where only the crate is at hand.
    let Ok(page) = page else { return println!("docs/errors.md is not there: skipped") };
    for (code, title) in CODES {
        assert!(page.contains(&format!("| `{code}` | {title} |")), "docs/errors.md does not explain {code}");
    }
}
