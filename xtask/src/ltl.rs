//! Sizes of our automata beside those of Spot, for the formulas of the corpus.

use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args;
use logic::{Dialect, Goal};
use model::Patience;

use crate::place;

/// What to show.
#[derive(Args)]
pub struct Options {
    /// How many of the formulas with the largest difference.
    #[arg(long, default_value_t = 10, value_name = "N")]
    worst: usize,
}

/// States of automata: one acceptance set on states, and any number of sets on edges.
#[derive(Clone, Copy, Default)]
struct Sizes {
    state_based: usize,
    generalised: usize,
}

/// A formula with its sizes.
struct Row {
    text: String,
    ours: Sizes,
    spots: Sizes,
    time: Duration,
}

/// Translates all formulas and prints the tables. False if one cannot be translated.
pub fn run(options: &Options) -> Result<bool, String> {
    let folder = place::formulas()?;
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "tsv"));
    files.sort();
    let (mut all, mut good) = (Vec::new(), true);
    println!(
        "| formulas | number | state-based ours | Spot | ratio | generalised ours | Spot | ratio | larger | smaller | ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for file in &files {
        let (rows, whole) = measure(file)?;
        good &= whole;
        print_sum(&file.file_stem().unwrap_or_default().to_string_lossy(), &rows);
        all.extend(rows);
    }
    print_sum("all", &all);
    println!();
    all.sort_by_key(|row| std::cmp::Reverse(row.excess()));
    println!("| formula | state-based ours | Spot | generalised ours | Spot |");
    println!("|---|---|---|---|---|");
    for Row { text, ours, spots, .. } in all.iter().take(options.worst).filter(|row| row.excess() > 0) {
        // A bar would end the cell.
        let text = text.replace('|', "\\|");
        println!(
            "| `{text}` | {} | {} | {} | {} |",
            ours.state_based, spots.state_based, ours.generalised, spots.generalised
        );
    }
    Ok(good)
}

impl Row {
    /// How many states we have more than Spot, in both automata.
    fn excess(&self) -> isize {
        let sum = |sizes: Sizes| (sizes.state_based + sizes.generalised) as isize;
        sum(self.ours) - sum(self.spots)
    }
}

/// The formulas of a file. The flag is false if one cannot be translated.
fn measure(file: &Path) -> Result<(Vec<Row>, bool), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let (mut rows, mut good) = (Vec::new(), true);
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [text, state_based, _, generalised] = cells[..] else { continue };
        let (Ok(state_based), Ok(generalised)) = (state_based.parse(), generalised.parse()) else { continue };
        let spots = Sizes { state_based, generalised };
        let start = Instant::now();
        match sizes(text) {
            Ok(ours) => rows.push(Row { text: text.to_string(), ours, spots, time: start.elapsed() }),
            Err(reason) => {
                good = false;
                println!("{text}: {reason}");
            }
        }
    }
    Ok((rows, good))
}

/// The sizes of our automata for a formula.
fn sizes(text: &str) -> Result<Sizes, String> {
    let parsed = logic::parse(text, Dialect::Spot).map_err(|error| error.to_string())?;
    let (formula, _) = parsed.formula.numbered();
    let states = |goal: Goal| {
        logic::translate(&formula, goal, &Patience::default()).map(|automaton| automaton.states.len())
    };
    let sizes = states(Goal::StateBased).and_then(|state_based| {
        let generalised = states(Goal::Generalised)?;
        Ok(Sizes { state_based, generalised })
    });
    sizes.map_err(|error| error.to_string())
}

fn print_sum(name: &str, rows: &[Row]) {
    let sum = |size: fn(&Row) -> usize| rows.iter().map(size).sum::<usize>();
    let ours =
        Sizes { state_based: sum(|row| row.ours.state_based), generalised: sum(|row| row.ours.generalised) };
    let spots = Sizes {
        state_based: sum(|row| row.spots.state_based),
        generalised: sum(|row| row.spots.generalised),
    };
    let ratio = |ours: usize, spots: usize| ours as f64 / spots.max(1) as f64;
    println!(
        "| {name} | {} | {} | {} | {:.3} | {} | {} | {:.3} | {} | {} | {:.1} |",
        rows.len(),
        ours.state_based,
        spots.state_based,
        ratio(ours.state_based, spots.state_based),
        ours.generalised,
        spots.generalised,
        ratio(ours.generalised, spots.generalised),
        rows.iter().filter(|row| row.excess() > 0).count(),
        rows.iter().filter(|row| row.excess() < 0).count(),
        1e3 * rows.iter().map(|row| row.time.as_secs_f64()).sum::<f64>(),
    );
}
