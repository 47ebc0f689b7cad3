//! Instructions per transition: a measure of work that hardly depends on the machine and on what else
//! runs on it. Counted by valgrind, or by perf where there is no valgrind.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::Bench;
use super::models;
use super::run::{Ours, Run};
use super::table::{self, Part, Row, Worst, number, spread};
use crate::{place, process};

/// Who counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counter {
    Callgrind,
    Perf,
}

/// What was counted of a model.
struct Line {
    name: &'static str,
    run: Run,
    instructions: u64,
    /// Those of the run with next to no states.
    empty: u64,
}

/// Counts on all models.
pub fn measure(bench: &Bench<'_>) -> Result<Part, String> {
    let counter = Counter::find().ok_or("neither valgrind nor perf can count instructions here")?;
    let models = models::counted(&bench.options.filter);
    let (_, empty) = counter.count(bench, &bench.complete(&models::empty()?, "1"))?;
    Ok(table::tabulate(
        &models,
        |counted| counted.model.name,
        |counted, _| {
            let options = [counted.options, &["--threads", "1"]].concat();
            let ours = Ours { model: &counted.model, options, limits: bench.limits() };
            let (run, instructions) = counter.count(bench, &ours)?;
            Ok(vec![Line { name: counted.model.name, run, instructions, empty }])
        },
    ))
}

impl Counter {
    /// The first that works.
    fn find() -> Option<Counter> {
        let works = |counter: &Counter| {
            let file = output_file();
            let wrapper = counter.wrapper(&file);
            let mut nothing = Command::new(&wrapper[0]);
            nothing.args(&wrapper[1..]).arg("true");
            let ran = process::run(&mut nothing, Duration::from_secs(60));
            ran.is_ok_and(|outcome| outcome.success()) && counter.read(&file).is_ok()
        };
        [Counter::Callgrind, Counter::Perf].into_iter().find(works)
    }

    /// The program that counts, with its arguments; it writes to a file.
    fn wrapper(self, file: &Path) -> Vec<String> {
        let file = file.display();
        match self {
            Counter::Callgrind => ["valgrind", "--tool=callgrind", &format!("--callgrind-out-file={file}")]
                .map(str::to_string)
                .to_vec(),
            Counter::Perf => ["perf", "stat", "-x,", "-e", "instructions:u", "-o", &file.to_string()]
                .map(str::to_string)
                .to_vec(),
        }
    }

    /// One run of ours, and its instructions.
    fn count(self, bench: &Bench<'_>, ours: &Ours<'_>) -> Result<(Run, u64), String> {
        let file = output_file();
        let checker = bench.checker.under(self.wrapper(&file));
        let run = bench.ours(&checker, ours)?;
        Ok((run, self.read(&file)?))
    }

    fn read(self, file: &Path) -> Result<u64, String> {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        // What is left over is overwritten the next time.
        let _ = std::fs::remove_file(file);
        self.instructions(&text).ok_or_else(|| "no number of instructions".to_string())
    }

    /// The number in what the counter has written.
    fn instructions(self, text: &str) -> Option<u64> {
        match self {
            Counter::Callgrind => text.lines().rev().find_map(|line| {
                let totals = line.strip_prefix("totals:").or(line.strip_prefix("summary:"))?;
                totals.split_whitespace().next()?.parse().ok()
            }),
            Counter::Perf => {
                let line = text.lines().find(|line| line.contains("instructions:u"))?;
                line.split(',').next()?.parse().ok()
            }
        }
    }
}

fn output_file() -> PathBuf {
    place::generated("bench-instructions.out")
}

impl Line {
    fn per_transition(&self) -> f64 {
        self.instructions.saturating_sub(self.empty) as f64 / self.run.transitions as f64
    }
}

impl Row for Line {
    const HEAD: &'static [&'static str] =
        &["model", "states", "transitions", "M instructions", "per transition", "per state"];

    fn cells(&self) -> Vec<String> {
        let per_state = self.per_transition() * self.run.transitions as f64 / self.run.states as f64;
        vec![
            self.name.to_string(),
            self.run.states.to_string(),
            self.run.transitions.to_string(),
            number(Some(self.instructions as f64 / 1e6), 1),
            number(Some(self.per_transition()), 0),
            number(Some(per_state), 0),
        ]
    }

    fn to_json(&self) -> Value {
        json!({"model": self.name, "instructions": self.instructions, "empty_instructions": self.empty,
               "ours": self.run.to_json(), "per_transition": self.per_transition()})
    }

    fn difference(&self) -> Option<String> {
        None
    }

    fn notes(rows: &[Line]) -> Vec<String> {
        let column = rows.iter().map(|row| (row.name, Some(row.per_transition())));
        let spread = spread("instructions per transition", Worst::Largest, column);
        let empty =
            rows.first().map(|row| format!("taken off: {:.1} M for an empty run", row.empty as f64 / 1e6));
        let methods = table::methods(rows.iter().map(|row| &row.run));
        [spread, empty, methods].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_instructions_are_read() {
        let callgrind = "version: 1\nevents: Ir\nsummary: 12\n\nfn=(1) main\n3 12\n\ntotals: 12345\n";
        assert_eq!(Counter::Callgrind.instructions(callgrind), Some(12345));
        assert_eq!(Counter::Callgrind.instructions("summary: 12\n"), Some(12));
        assert_eq!(Counter::Callgrind.instructions("events: Ir\n"), None);
        let perf = "# started on\n\n98765,,instructions:u,1000,100.00,,\n";
        assert_eq!(Counter::Perf.instructions(perf), Some(98765));
        assert_eq!(Counter::Perf.instructions("<not supported>,,instructions:u,0,100.00,,\n"), None);
    }

    #[test]
    fn the_empty_run_is_taken_off() {
        let run = Run { states: 10, transitions: 40, ..Run::default() };
        let line = Line { name: "m", run, instructions: 5_000_000, empty: 1_000_000 };
        assert_eq!(line.cells().join(" "), "m 10 40 5.0 100000 400000");
        assert_eq!(line.cells().len(), Line::HEAD.len());
    }
}
