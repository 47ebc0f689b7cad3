//! Small models: how long somebody waits for a verdict. Ours as it comes; Spin as it comes, with
//! `spin -a` and gcc, which are run each time.

use serde_json::{Value, json};

use super::Bench;
use super::models;
use super::run::{Contender, Run};
use super::table::{self, Part, Row, Worst, number, seconds, spread};
use crate::spin::Purpose;

/// What was measured of a model.
struct Line {
    name: &'static str,
    spin: Option<Run>,
    ours: Run,
}

/// Measures all models.
pub fn measure(bench: &Bench<'_>) -> Result<Part, String> {
    let models = models::small(&bench.options.filter);
    Ok(table::tabulate(
        &models,
        |model| model.name,
        |model, _| {
            let fitted = bench.fitted(model, Purpose::REDUCED_SAFETY, &["-n"]);
            let spin = fitted.as_ref().map(Contender::FromSource);
            let [spin, ours] =
                bench.side_by_side(model.name, [spin, Some(Contender::Ours(bench.by_default(model)))]);
            Ok(vec![Line { name: model.name, spin, ours: ours.ok_or("no run of ours")? }])
        },
    ))
}

impl Line {
    fn ratio(&self) -> Option<f64> {
        Some(self.spin.as_ref()?.total() / self.ours.seconds)
    }
}

impl Row for Line {
    const HEAD: &'static [&'static str] = &[
        "model",
        "verdict",
        "states ours",
        "spin+gcc s",
        "pan s",
        "spin+gcc+pan s",
        "ours s",
        "spin+gcc+pan / ours",
    ];

    fn cells(&self) -> Vec<String> {
        let Line { name, spin, ours } = self;
        let spin = spin.as_ref();
        let differs = self.difference().is_some();
        vec![
            name.to_string(),
            if differs { "**differs**".to_string() } else { ours.verdict.clone() },
            ours.states.to_string(),
            number(spin.map(|run| run.build_seconds), 3),
            seconds(spin),
            number(spin.map(Run::total), 3),
            seconds(Some(ours)),
            number(self.ratio(), 1),
        ]
    }

    fn to_json(&self) -> Value {
        let Line { name, spin, ours } = self;
        json!({"model": name, "spin": spin.as_ref().map(Run::to_json), "ours": ours.to_json()})
    }

    fn difference(&self) -> Option<String> {
        let spin = self.spin.as_ref().filter(|run| run.verdict != self.ours.verdict)?;
        Some(format!("{} differs: Spin: {}; ours: {}", self.name, spin.verdict, self.ours.verdict))
    }

    fn notes(rows: &[Line]) -> Vec<String> {
        let column = |title: &str, worst: Worst, value: fn(&Line) -> Option<f64>| {
            spread(title, worst, rows.iter().map(|row| (row.name, value(row))))
        };
        let spreads = [
            column("spin+gcc+pan / ours", Worst::Smallest, Line::ratio),
            column("ours s", Worst::Largest, |row| Some(row.ours.seconds)),
        ];
        spreads.into_iter().flatten().chain(table::methods(rows.iter().map(|row| &row.ours))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_compares_whole_ways_to_a_verdict() {
        let run = |verdict: &str, build_seconds, seconds| Run {
            verdict: verdict.to_string(),
            states: 7,
            build_seconds,
            seconds,
            ..Run::default()
        };
        let line =
            |verdict| Line { name: "m", spin: Some(run(verdict, 0.75, 0.25)), ours: run("holds", 0.0, 0.01) };
        assert_eq!(line("holds").cells().join(" "), "m holds 7 0.750 0.250 1.000 0.010 100.0");
        assert_eq!(line("holds").cells().len(), Line::HEAD.len());
        assert_eq!(line("violated").cells()[1], "**differs**");
    }
}
