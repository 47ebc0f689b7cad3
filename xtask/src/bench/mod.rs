//! Stubborn and Spin side by side: time and memory, taken from outside. One file per table; what they
//! share is in `run` (programs, run in turns), `table` (rows and what is said below them) and `models`.

mod document;
mod growth;
mod instructions;
mod liveness;
mod machine;
mod models;
mod nets;
mod reduced;
mod run;
mod safety;
mod small;
mod table;

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use crate::checker::Checker;
use crate::spin::Spin;
use machine::Circumstances;
use models::Growth;
use run::Run;
use table::Part;

/// What to measure. Without a choice: safety, reduced, liveness and small.
#[derive(Args, Clone, Default)]
pub struct Options {
    /// Complete state spaces: both programs visit the same states.
    #[arg(long)]
    safety: bool,
    /// Spin with merging as it comes, without and with partial-order reduction.
    #[arg(long)]
    reduced: bool,
    /// Temporal properties.
    #[arg(long)]
    liveness: bool,
    /// Small models: the time until there is a verdict, with Spin's way through gcc.
    #[arg(long)]
    small: bool,
    /// How time and memory grow with the number of states, up to 3·10^7.
    #[arg(long)]
    growth: bool,
    /// The same up to 10^8 states.
    #[arg(long, requires = "growth")]
    huge: bool,
    /// Instructions per transition, which can be compared between machines (valgrind or perf).
    #[arg(long)]
    instructions: bool,
    /// Petri nets: complete state spaces.
    #[arg(long)]
    nets: bool,
    /// Only models whose name contains this.
    #[arg(long, default_value = "", value_name = "TEXT")]
    filter: String,
    /// Writes the results to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes the tables to docs/performance.md.
    #[arg(long, conflicts_with = "filter")]
    write: bool,
    /// Another build of `stubborn` to measure, instead of this one.
    #[arg(long, conflicts_with = "write", value_name = "FILE")]
    binary: Option<PathBuf>,
    /// How often each program is run; the best time counts.
    #[arg(long, default_value_t = 3, value_name = "K")]
    repeat: u32,
    /// How long a run may take, in seconds.
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    max_time: u64,
    /// What executes models, passed on to `stubborn check`.
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// What holds the states, passed on to `stubborn check`.
    #[arg(long, value_name = "NAME")]
    store: Option<String>,
}

/// The programs to compare, and how.
struct Bench<'a> {
    checker: Checker,
    spin: Option<Spin>,
    /// Ours on a model with next to no states, on one thread.
    empty: Run,
    options: &'a Options,
}

/// A table that can be measured.
struct Table {
    name: &'static str,
    is_chosen: fn(&Options) -> bool,
    measure: fn(&Bench<'_>) -> Result<Part, String>,
}

const TABLES: [Table; 7] = [
    Table { name: "safety", is_chosen: |options| options.safety, measure: safety::measure },
    Table { name: "reduced", is_chosen: |options| options.reduced, measure: reduced::measure },
    Table { name: "liveness", is_chosen: |options| options.liveness, measure: liveness::measure },
    Table { name: "small", is_chosen: |options| options.small, measure: small::measure },
    Table { name: "growth", is_chosen: |options| options.growth, measure: growth::measure },
    Table { name: "instructions", is_chosen: |options| options.instructions, measure: instructions::measure },
    Table { name: "nets", is_chosen: |options| options.nets, measure: nets::measure },
];
/// How many of them are measured if none is chosen: those with Spin.
const BY_DEFAULT: usize = 4;

/// Measures all tables that are asked for, prints them, and writes the results. False if something was
/// not measured or the programs differ.
pub fn run(options: &Options) -> Result<bool, String> {
    let spin = Spin::find().inspect_err(|reason| println!("Spin is left out: {reason}")).ok();
    let here = Circumstances::find(spin.as_ref());
    let checker = options.binary.as_deref().map_or_else(Checker::build, |binary| Ok(Checker::at(binary)))?;
    let mut bench = Bench { checker, spin, empty: Run::default(), options };
    bench.empty = bench.ours(&bench.checker, &bench.complete(&models::empty()?, "1"))?;
    let mut parts = Vec::new();
    for Table { name, measure, .. } in options.tables() {
        let Part { text, json, good } = measure(&bench)?;
        let text = format!("{} {}\n\n{text}", here.to_text(), options.to_text());
        println!("\n## {name}\n\n{text}");
        parts.push((name, Part { text, json, good }));
    }
    if let Some(path) = &options.json {
        let results = format!("{:#}\n", bench.results(&here, &parts));
        std::fs::write(path, results).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if options.write {
        document::write(parts.iter().map(|(name, part)| (*name, part.text.as_str())))?;
    }
    Ok(parts.iter().all(|(_, part)| part.good))
}

impl Options {
    /// The tables that are asked for.
    fn tables(&self) -> Vec<Table> {
        let is_chosen = |table: &Table| (table.is_chosen)(self);
        let default = !TABLES.iter().any(is_chosen);
        let tables = TABLES.into_iter().enumerate();
        let asked_for = tables.filter(|(k, table)| is_chosen(table) || (default && *k < BY_DEFAULT));
        asked_for.map(|(_, table)| table).collect()
    }

    /// The options of `stubborn check` that are passed on.
    fn passed_through(&self) -> Vec<&str> {
        let given = [("--engine", &self.engine), ("--store", &self.store)];
        let given = given.into_iter().filter_map(|(option, value)| Some([option, value.as_deref()?]));
        given.flatten().collect()
    }

    fn growth(&self) -> Growth {
        if self.huge { Growth::Huge } else { Growth::Large }
    }

    /// How it is measured, for the head of a table.
    fn to_text(&self) -> String {
        let passed = self.passed_through();
        let passed = if passed.is_empty() { String::new() } else { format!(", `{}`", passed.join(" ")) };
        format!("Times are the best of {}{passed}.", self.repeat.max(1))
    }
}

impl Bench<'_> {
    fn results(&self, here: &Circumstances, parts: &[(&str, Part)]) -> Value {
        let tables = parts.iter().map(|(name, part)| (name.to_string(), Value::from(part.json.clone())));
        json!({
            "circumstances": here.to_json(),
            "repeat": self.options.repeat,
            "passed_through": self.options.passed_through(),
            "empty": self.empty.to_json(),
            "tables": Value::Object(tables.collect::<Map<String, Value>>()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    fn names(options: &Options) -> Vec<&'static str> {
        options.tables().into_iter().map(|table| table.name).collect()
    }

    #[test]
    fn tables_with_spin_are_measured_by_default() {
        assert_eq!(names(&Options::default()), ["safety", "reduced", "liveness", "small"]);
        let chosen = Options { growth: true, safety: true, ..Options::default() };
        assert_eq!(names(&chosen), ["safety", "growth"]);
    }

    #[test]
    fn only_what_is_given_is_passed_through() {
        assert!(Options::default().passed_through().is_empty());
        let given = Options { store: Some("tree".to_string()), repeat: 2, ..Options::default() };
        assert_eq!(given.passed_through(), ["--store", "tree"]);
        assert_eq!(given.to_text(), "Times are the best of 2, `--store tree`.");
    }
}
