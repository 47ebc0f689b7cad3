//! The public models in `../shared/corpus`: what Spin takes, we take.

use std::path::Path;

use promela::{Options, decode, parse};
use testkit::corpus::part;

/// Models that Spin takes and we refuse, with the code of the refusal: in their formulas a temporal
/// operator stands inside a comparison, where Spin compares the operator's number.
const REFUSED: [(&str, &str); 3] = [
    ("misc/gagansh7171+SPIN-Model-Checker-Programs/starvation_freedom.pml", "E0609"),
    ("misc/rbbarbosa+PSR/src/voter_sol.pml", "E0609"),
    ("misc/rkolovanov+promela-algorithms/models/2-processes-peterson.pml", "E0609"),
];

/// The codes of the errors in a model.
fn errors(path: &Path) -> Vec<String> {
    let text = decode("", std::fs::read(path).unwrap()).unwrap_or_default();
    match parse(path.to_str().unwrap(), text, &Options::default(), &|path| std::fs::read(path))
        .expect("there is time")
        .accept()
    {
        Ok(_) => Vec::new(),
        Err(rejected) => {
            let show = |found: &source::Diagnostic| {
                let line = rejected.sources.position(found.span.unwrap()).line;
                format!("{} at {line}: {}", found.code, found.message)
            };
            rejected.diagnostics.iter().filter(|found| found.code.starts_with('E')).map(show).collect()
        }
    }
}

#[test]
fn models_that_spin_takes_are_taken() {
    let Some(folder) = part("promela", "expected.tsv") else { return };
    let table = std::fs::read_to_string(folder.join("expected.tsv")).unwrap();
    let mut wrong = Vec::new();
    let mut taken = 0;
    for row in table.lines().skip(1) {
        let mut cells = row.split('\t');
        let (Some(path), Some(verdict)) = (cells.next(), cells.next()) else { continue };
        let errors = errors(&folder.join(path));
        let refused = REFUSED.iter().find(|(known, _)| *known == path).map(|(_, code)| *code);
        let embedded_c = errors.iter().any(|error| error.starts_with("E0701"));
        match refused {
            Some(code) if !errors.iter().all(|error| error.starts_with(code)) || errors.is_empty() => {
                wrong.push(format!("{path}: {code} expected, found {errors:?}"));
            }
            None if verdict == "accept" && !embedded_c && !errors.is_empty() => {
                wrong.push(format!("{path}: {}", errors[0]));
            }
            _ => taken += usize::from(errors.is_empty()),
        }
    }
    println!("{taken} models taken");
    assert!(taken > 700, "only {taken} models were taken");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
