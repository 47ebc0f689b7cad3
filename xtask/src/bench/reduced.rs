//! Spin as it comes, with merging of statements, without and with partial-order reduction, beside ours
//! without reduction and as it comes: time until there is a verdict.
//!
//! How soon a first error is met depends on the order of the search. So where safety is violated all
//! are to find all errors: ours with `--all-errors` by the method of the default, and without the
//! search for a shorter counterexample; `pan` with `-c0`.

use serde_json::{Value, json};

use super::Bench;
use super::models::{self, Model};
use super::run::{Contender, Ours, Run};
use super::table::{self, Part, Row, Worst, number, seconds, spread};
use crate::checker::Limits;
use crate::spin::Purpose;

/// How much longer than the complete search a reduced one may take.
const BOUND: f64 = 1.2;

/// What was measured of a model.
struct Line {
    name: &'static str,
    /// Whether the first error would have ended the search.
    all_errors: bool,
    /// Spin without and with reduction.
    pan_full: Option<Run>,
    pan_reduced: Option<Run>,
    /// Ours without reduction, on one thread and on two.
    one: Run,
    two: Run,
    /// Ours as it comes.
    reduced: Run,
}

/// Measures all models.
pub fn measure(bench: &Bench<'_>) -> Result<Part, String> {
    let models = models::large(&bench.options.filter);
    Ok(table::tabulate(&models, |model| model.name, |model, _| Ok(vec![measure_model(bench, model)?])))
}

fn measure_model(bench: &Bench<'_>, model: &Model) -> Result<Line, String> {
    // A first run, which does not count, tells which method is chosen and what the verdict is.
    let default = bench.by_default(model);
    let first = bench.ours(&bench.checker, &default)?;
    let all_errors = first.verdict == "violated";
    let por = first.method["por"].as_str().unwrap_or("none");
    let reduced = if all_errors {
        let limits = Limits { all_errors, ..bench.limits() };
        Ours { model, options: vec!["--safety", "--por", por, "--search", "dfs"], limits }
    } else {
        default
    };
    let [pan_full, pan_reduced] = [Purpose::MERGED_SAFETY, Purpose::REDUCED_SAFETY]
        .map(|purpose| bench.fitted(model, purpose, &["-n", "-c0"]));
    let contenders = [
        pan_full.as_ref().map(Contender::Pan),
        pan_reduced.as_ref().map(Contender::Pan),
        Some(Contender::Ours(bench.complete(model, "1"))),
        Some(Contender::Ours(bench.complete(model, "2"))),
        Some(Contender::Ours(reduced)),
    ];
    let [pan_full, pan_reduced, one, two, reduced] = bench.side_by_side(model.name, contenders);
    Ok(Line {
        name: model.name,
        all_errors,
        pan_full,
        pan_reduced,
        one: one.ok_or("no run of ours")?,
        two: two.ok_or("no run of ours on two threads")?,
        reduced: reduced.ok_or("no reduced run of ours")?,
    })
}

impl Line {
    /// The time of the reduced search divided by that of the complete one.
    fn cost(&self) -> f64 {
        self.reduced.seconds / self.one.seconds
    }

    fn full_ratio(&self) -> Option<f64> {
        Some(self.pan_full.as_ref()?.seconds / self.one.seconds)
    }

    fn reduced_ratio(&self) -> Option<f64> {
        Some(self.pan_reduced.as_ref()?.seconds / self.reduced.seconds)
    }

    fn total_ratio(&self) -> Option<f64> {
        Some(self.pan_reduced.as_ref()?.total() / self.reduced.seconds)
    }
}

impl Row for Line {
    const HEAD: &'static [&'static str] = &[
        "model",
        "verdict",
        "states full: pan",
        "ours",
        "pan full s",
        "ours full 1 thread s",
        "ours full 2 threads s",
        "pan / ours 1",
        "states reduced: pan",
        "ours",
        "pan reduced s",
        "spin+gcc+pan s",
        "ours reduced s",
        "reduced/full",
        "pan / ours",
        "spin+gcc+pan / ours",
    ];

    fn cells(&self) -> Vec<String> {
        let Line { name, all_errors, pan_full, pan_reduced, one, two, reduced } = self;
        let verdict = match (self.difference(), all_errors) {
            (Some(_), _) => "**differs**".to_string(),
            (None, true) => format!("{}, all errors", one.verdict),
            (None, false) => one.verdict.clone(),
        };
        let cost = number(Some(self.cost()), 2);
        let states = |run: &Option<Run>| number(run.as_ref().map(|run| run.states as f64), 0);
        vec![
            name.to_string(),
            verdict,
            states(pan_full),
            one.states.to_string(),
            seconds(pan_full.as_ref()),
            seconds(Some(one)),
            seconds(Some(two)),
            number(self.full_ratio(), 2),
            states(pan_reduced),
            reduced.states.to_string(),
            seconds(pan_reduced.as_ref()),
            number(pan_reduced.as_ref().map(Run::total), 3),
            seconds(Some(reduced)),
            if self.cost() > BOUND { format!("**{cost}**") } else { cost },
            number(self.reduced_ratio(), 2),
            number(self.total_ratio(), 2),
        ]
    }

    fn to_json(&self) -> Value {
        let Line { name, all_errors, pan_full, pan_reduced, one, two, reduced } = self;
        json!({"model": name, "all_errors": all_errors, "pan_full": pan_full.as_ref().map(Run::to_json),
               "pan_reduced": pan_reduced.as_ref().map(Run::to_json), "one_thread": one.to_json(),
               "two_threads": two.to_json(), "reduced": reduced.to_json()})
    }

    fn difference(&self) -> Option<String> {
        let Line { name, pan_full, pan_reduced, one, two, reduced, .. } = self;
        let others = [
            ("pan", pan_full.as_ref()),
            ("reduced pan", pan_reduced.as_ref()),
            ("two threads", Some(two)),
            ("reduced", Some(reduced)),
        ];
        let others = others.into_iter().filter_map(|(who, run)| Some((who, run?)));
        let (who, other) = others.into_iter().find(|(_, run)| run.verdict != one.verdict)?;
        Some(format!("{name} differs: {who}: {}; one thread: {}", other.verdict, one.verdict))
    }

    fn notes(rows: &[Line]) -> Vec<String> {
        let column = |title: &str, worst: Worst, value: fn(&Line) -> Option<f64>| {
            spread(title, worst, rows.iter().map(|row| (row.name, value(row))))
        };
        let spreads = [
            column("full, pan / ours 1", Worst::Smallest, Line::full_ratio),
            column("reduced, pan / ours", Worst::Smallest, Line::reduced_ratio),
            column("reduced, spin+gcc+pan / ours", Worst::Smallest, Line::total_ratio),
            column("ours, reduced/full", Worst::Largest, |row| Some(row.cost())),
        ];
        let slow = rows.iter().filter(|row| row.cost() > BOUND).count();
        let slow = format!("reduced/full above {BOUND} (bold): {slow} of {} rows", rows.len());
        let methods = table::methods(rows.iter().flat_map(|row| [&row.one, &row.two, &row.reduced]));
        spreads.into_iter().flatten().chain([slow]).chain(methods).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(verdict: &str, states: u64, seconds: f64) -> Run {
        Run { verdict: verdict.to_string(), states, seconds, ..Run::default() }
    }

    /// One verdict each: Spin's, ours without reduction, ours with it.
    fn line(pan: &str, full: &str, reduced: &str) -> Line {
        Line {
            name: "m",
            all_errors: false,
            pan_full: Some(run(pan, 90, 1.0)),
            pan_reduced: Some(Run { build_seconds: 1.0, ..run(pan, 50, 0.5) }),
            one: run(full, 100, 2.0),
            two: run(full, 100, 1.25),
            reduced: run(reduced, 40, 0.25),
        }
    }

    #[test]
    fn a_row_says_what_is_slower_than_it_may_be() {
        let good = line("holds", "holds", "holds");
        let cells = "m holds 90 100 1.000 2.000 1.250 0.50 50 40 0.500 1.500 0.250 0.12 2.00 6.00";
        assert_eq!(good.cells().join(" "), cells);
        assert_eq!(good.cells().len(), Line::HEAD.len());
        let slow = Line { reduced: run("holds", 100, 2.5), ..good };
        assert_eq!(slow.cells()[13], "**1.25**");
        assert!(Line::notes(&[slow]).join("\n").contains("above 1.2 (bold): 1 of 1 rows"));
    }

    #[test]
    fn verdicts_that_differ_are_noticed() {
        assert_eq!(line("holds", "holds", "holds").difference(), None);
        for (pan, full, reduced) in [
            ("violated", "violated", "holds"),
            ("holds", "holds", "violated"),
            ("violated", "holds", "holds"),
            ("holds", "violated", "violated"),
        ] {
            let differing = line(pan, full, reduced);
            assert!(differing.difference().is_some());
            assert_eq!(differing.cells()[1], "**differs**");
        }
        let alone = Line { pan_full: None, pan_reduced: None, ..line("violated", "holds", "holds") };
        assert_eq!(alone.difference(), None);
        assert_eq!(alone.cells()[15], "-");
    }
}
