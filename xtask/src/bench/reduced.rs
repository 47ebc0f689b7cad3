//! Partial-order reduction: time until there is a verdict, ours without it, ours as it is by default,
//! and Spin's as it is by default, with merging of statements.
//!
//! How soon a first error is met depends on the order of the search. So where safety is violated all
//! are to find all errors: ours with `--all-errors` by the method of the default, and without the
//! search for a shorter counterexample; `pan` with `-c0`. A temporal property is violated with the
//! first run that is found, here and there.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::models::{self, Model};
use super::{Bench, FLAGS, Por, SpinRun, TEMPORAL_FLAGS, number, report_json};
use crate::checker::{Limits, Report};
use crate::spin::Purpose;

/// How much longer than the complete search a reduced one may take.
const BOUND: f64 = 1.2;

/// A property to check.
struct Subject {
    name: String,
    file: PathBuf,
    defines: &'static [&'static str],
    /// The options of `stubborn check` that ask for it.
    asked: Vec<String>,
    purpose: Purpose,
    /// For gcc.
    flags: &'static [&'static str],
    /// What pan is asked.
    pan: Vec<String>,
    /// Whether there is a search for all errors.
    all_errors: bool,
}

/// What was measured of it.
struct Row {
    name: String,
    /// Whether all errors were searched for.
    all_errors: bool,
    full: Report,
    reduced: Report,
    spin: Option<SpinRun>,
}

/// Measures all models, or temporal properties, and prints the table. The flag is false if one was not
/// decided or the verdicts differ.
pub fn run(bench: &Bench<'_>) -> (Vec<Value>, bool) {
    let subjects = if bench.options.liveness { temporal(bench) } else { safety(bench) };
    let mut rows = Vec::new();
    let mut good = true;
    for subject in subjects {
        eprintln!("{}", subject.name);
        match measure(bench, &subject) {
            Ok(row) => rows.push(row),
            Err(reason) => {
                good = false;
                println!("{}: {reason}", subject.name);
            }
        }
    }
    for row in &rows {
        if let Err(difference) = row.agreement() {
            good = false;
            println!("{}: {difference}", row.name);
        }
    }
    print_table(&rows);
    (rows.iter().map(Row::to_json).collect(), good)
}

fn safety(bench: &Bench<'_>) -> Vec<Subject> {
    let subject = |Model { name, file, defines }| Subject {
        name: name.to_string(),
        file,
        defines,
        asked: owned(&["--safety"]),
        purpose: Purpose::REDUCED_SAFETY,
        flags: &FLAGS,
        pan: owned(&["-n", "-c0"]),
        all_errors: true,
    };
    models::models(&bench.options.filter).into_iter().map(subject).collect()
}

fn temporal(bench: &Bench<'_>) -> Vec<Subject> {
    let properties = models::properties(&bench.options.filter);
    let subjects = properties.iter().flat_map(|property| {
        property.variants().map(|(name, claim)| Subject {
            name,
            file: property.file.clone(),
            defines: &[],
            asked: owned(&claim.options()),
            purpose: Purpose::REDUCED_LIVENESS,
            flags: &TEMPORAL_FLAGS,
            pan: owned(&models::pan_options(&claim)),
            all_errors: false,
        })
    });
    subjects.collect()
}

fn owned(options: &[&str]) -> Vec<String> {
    options.iter().map(|option| option.to_string()).collect()
}

fn borrowed(options: &[String]) -> Vec<&str> {
    options.iter().map(String::as_str).collect()
}

fn measure(bench: &Bench<'_>, subject: &Subject) -> Result<Row, String> {
    let Subject { name, file, defines, asked, purpose, flags, pan, all_errors } = subject;
    let asked = [borrowed(asked).as_slice(), defines].concat();
    let mut full = bench.ours(file, Por::None, &asked, bench.limits())?;
    let mut reduced = bench.ours(file, Por::Default, &asked, bench.limits())?;
    // If only one of them says so, that is the result.
    let all_errors = *all_errors && full.verdict == "violated" && reduced.verdict == "violated";
    if all_errors {
        full = ours_complete(bench, file, "none", &asked)?;
        reduced = ours_complete(bench, file, &reduced.por, &asked)?;
    }
    let spin = bench.spin(file, *purpose, defines, flags, &borrowed(pan));
    let spin = spin.inspect_err(|reason| println!("{name}: {reason}")).ok();
    Ok(Row { name: name.clone(), all_errors, full, reduced, spin })
}

/// Our fastest search for all errors, and for nothing else.
fn ours_complete(bench: &Bench<'_>, file: &Path, por: &str, asked: &[&str]) -> Result<Report, String> {
    let limits = Limits { all_errors: true, ..bench.limits() };
    bench.ours(file, Por::By(por), &[&["--search", "dfs"], asked].concat(), limits)
}

impl Row {
    /// Whether all verdicts are the same, or how they differ.
    fn agreement(&self) -> Result<(), String> {
        let Row { full, reduced, spin, .. } = self;
        if full.verdict != reduced.verdict {
            return Err(format!("{} without reduction, {} with it", full.verdict, reduced.verdict));
        }
        match spin {
            Some(run) if !full.agrees_with(&run.summary) => {
                Err(format!("spin {} errors, ours {}", run.summary.errors, full.verdict))
            }
            _ => Ok(()),
        }
    }

    /// The time of the reduced search divided by that of the complete one.
    fn cost(&self) -> f64 {
        self.reduced.seconds / self.full.seconds
    }

    fn to_json(&self) -> Value {
        let Row { name, all_errors, full, reduced, spin } = self;
        json!({"model": name, "all_errors": all_errors, "stubborn_full": report_json(full),
               "stubborn_reduced": report_json(reduced),
               "spin_reduced": spin.as_ref().map(SpinRun::to_json)})
    }

    /// The row of the table.
    fn cells(&self) -> [String; 12] {
        let Row { name, all_errors, full, reduced, spin } = self;
        let verdict = match (self.agreement(), all_errors) {
            (Err(_), _) => "**differs**".to_string(),
            (Ok(()), true) => format!("{}, all errors", full.verdict),
            (Ok(()), false) => full.verdict.clone(),
        };
        let cost = number(Some(self.cost()), 2);
        let spin = spin.as_ref();
        let total = |run: &SpinRun| run.seconds + run.build_seconds;
        [
            name.clone(),
            verdict,
            full.states.to_string(),
            reduced.states.to_string(),
            number(spin.map(|run| run.summary.states as f64), 0),
            number(Some(full.seconds), 3),
            number(Some(reduced.seconds), 3),
            if self.cost() > BOUND { format!("**{cost}**") } else { cost },
            number(spin.map(|run| run.seconds), 3),
            number(spin.map(total), 3),
            number(spin.map(|run| run.seconds / reduced.seconds), 2),
            number(spin.map(|run| total(run) / reduced.seconds), 2),
        ]
    }
}

fn print_table(rows: &[Row]) {
    println!();
    println!(
        "| model | verdict | states full ours | states reduced ours | states reduced Spin | ours full s | ours reduced s | reduced/full | pan reduced s | Spin total s | pan / ours | total / ours |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        println!("| {} |", row.cells().join(" | "));
    }
    println!();
    println!(
        "time until there is a verdict, ours by default and Spin's with its reduction and merging; \"all errors\": until all are found (--all-errors, pan -c0)"
    );
    println!(
        "reduced/full: our time with reduction divided by that without; bold above {BOUND}: {} of {} rows",
        rows.iter().filter(|row| row.cost() > BOUND).count(),
        rows.len()
    );
    println!(
        "pan / ours, total / ours: Spin's time divided by our reduced one, so above 1 we are better; total includes spin -a and gcc"
    );
}

#[cfg(test)]
mod tests {
    use super::{Report, Row, SpinRun};
    use crate::spin::Summary;

    fn ours(verdict: &str, states: u64, seconds: f64) -> Report {
        let (verdict, reason, por) = (verdict.to_string(), String::new(), "stubborn".to_string());
        let (transitions, errors, complete, peak_bytes) = (states, 0, true, 0);
        Report { verdict, reason, por, states, transitions, errors, complete, seconds, peak_bytes }
    }

    fn row(full: Report, reduced: Report, errors: u64) -> Row {
        let summary = Summary { states: 50, errors, ..Summary::default() };
        let spin = Some(SpinRun { summary, build_seconds: 1.0, seconds: 0.5, peak_bytes: 0 });
        Row { name: "m".to_string(), all_errors: false, full, reduced, spin }
    }

    #[test]
    fn a_row_says_what_is_slower_than_it_may_be() {
        let good = row(ours("holds", 100, 2.0), ours("holds", 40, 0.25), 0);
        assert_eq!(good.cells().join(" "), "m holds 100 40 50 2.000 0.250 0.12 0.500 1.500 2.00 6.00");
        let slow = row(ours("holds", 100, 2.0), ours("holds", 100, 2.5), 0);
        assert_eq!(slow.cells()[7], "**1.25**");
    }

    #[test]
    fn verdicts_that_differ_are_noticed() {
        assert!(row(ours("holds", 9, 1.0), ours("holds", 9, 1.0), 0).agreement().is_ok());
        for differing in [
            row(ours("violated", 9, 1.0), ours("holds", 9, 1.0), 1),
            row(ours("holds", 9, 1.0), ours("violated", 9, 1.0), 0),
            row(ours("holds", 9, 1.0), ours("holds", 9, 1.0), 1),
            row(ours("violated", 9, 1.0), ours("violated", 9, 1.0), 0),
        ] {
            assert!(differing.agreement().is_err());
            assert_eq!(differing.cells()[1], "**differs**");
        }
        let alone = Row { spin: None, ..row(ours("holds", 9, 1.0), ours("holds", 9, 1.0), 0) };
        assert!(alone.agreement().is_ok());
        assert_eq!(alone.cells()[11], "-");
    }
}
