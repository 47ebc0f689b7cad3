//! What partial-order reduction achieves on the models of the corpus, beside Spin and LTSmin.
//!
//! Ours is measured; the others' figures are stored. Only the factors can be compared, as the tools
//! cut a model into different steps. `--explore` keeps what can be said about deadlocks, as LTSmin
//! was run; `--safety` also keeps assertions, as Spin was.

mod reference;
mod table;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::checker::{Answer, Checker, Limits};
use crate::{corpus, place, process};
use reference::Reference;
use table::{ASKED, Count, Line, Way};

/// What to measure.
#[derive(Args)]
pub struct Options {
    /// Only models whose name contains this.
    #[arg(long, default_value = "", value_name = "TEXT")]
    filter: String,
    /// The methods to compare.
    #[arg(long, value_delimiter = ',', default_values = ["ample", "stubborn"], value_name = "METHODS")]
    methods: Vec<String>,
    /// How long a run may take, in seconds.
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    max_time: u64,
    /// How much memory a run may take, in gigabytes.
    #[arg(long, default_value_t = 6, value_name = "GB")]
    max_memory: u64,
    /// How many models at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Writes the table to this file too.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Measures all models and prints the table, row by row. False if a run was refused or broken.
pub fn run(options: &Options) -> Result<bool, String> {
    let checker = Checker::build()?;
    let root = place::corpus()?;
    let mut references = reference::all(&corpus::rows("")?);
    references.retain(|reference| reference.name.contains(&options.filter));
    references.retain(|Reference { name, path, .. }| {
        let there = root.join(path).is_file();
        if !there {
            eprintln!("{name}: {path} is not in the corpus");
        }
        there
    });
    let ways = ASKED
        .into_iter()
        .flat_map(|asked| options.methods.iter().map(move |method| Way { asked, method: method.clone() }));
    let ways: Vec<Way> = ways.collect();
    let mut lines = Vec::new();
    print!("{}", table::head(&ways));
    process::in_order(
        &references,
        options.jobs,
        |reference| measure(&checker, reference, &root.join(&reference.path), &ways, options),
        |reference, line: Line| {
            let runs = std::iter::once(&line.full).chain(&line.reduced);
            let failures = runs.filter_map(|run| match run {
                Count::Failed(message) => Some(message),
                Count::States(_) | Count::Limit(_) => None,
            });
            failures.take(1).for_each(|message| eprintln!("{}: {message}", reference.name));
            print!("{}", table::row(&ways, &line));
            lines.push(line);
        },
    );
    println!("\n{}", table::summary(&ways, &lines));
    if let Some(path) = &options.output {
        let text = table::render(&ways, &lines);
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let failed = |count: &Count| matches!(count, Count::Failed(_));
    Ok(!lines.iter().any(|line| failed(&line.full) || line.reduced.iter().any(failed)))
}

fn measure(
    checker: &Checker,
    reference: &Reference,
    file: &std::path::Path,
    ways: &[Way],
    options: &Options,
) -> Line {
    let limits = Limits {
        time: Duration::from_secs(options.max_time),
        memory: options.max_memory << 30,
        all_errors: true,
    };
    let count = |method: &str, asked: &str| match checker.check_reduced(file, method, &[asked], limits) {
        Answer::Result(report) if report.complete => Count::States(report.states),
        Answer::Result(report) => match report.reason.as_str() {
            limit @ ("time" | "memory") => Count::Limit(limit.to_string()),
            _ => Count::Limit("its limits".to_string()),
        },
        Answer::Refused(message) | Answer::Broken(message) => {
            Count::Failed(format!("{asked} --por {method}: {message}"))
        }
    };
    let full = reference.full.map_or_else(|| count("none", "--explore"), Count::States);
    let reduced = ways.iter().map(|way| count(&way.method, way.asked)).collect();
    Line { reference: reference.clone(), full, reduced }
}
