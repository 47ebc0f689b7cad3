//! Every code has a model that shows it, and gives nothing else.

use std::path::{Path, PathBuf};

use promela::diagnostic::CODES;
use promela::{Options, parse};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

/// The codes and lines of what is found in a model.
fn findings(path: &Path) -> Vec<(String, u32)> {
    let text = std::fs::read_to_string(path).unwrap();
    let result = parse(path.to_str().unwrap(), text, &Options::default(), &|path| std::fs::read(path));
    let (sources, diagnostics) = match result {
        Ok(parsed) => {
            let mut found = parsed.warnings;
            found.extend(promela::lower_with_properties(&parsed.program).err().into_iter().flatten());
            (parsed.program.sources, found)
        }
        Err(rejected) => (rejected.sources, rejected.diagnostics),
    };
    let line = |span: promela::source::Span| sources.file(span.file).line(span.start);
    diagnostics.iter().map(|found| (found.code.to_owned(), line(found.span))).collect()
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
