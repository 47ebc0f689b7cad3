//! The complete state space: both programs visit the same states.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::Bench;
use super::models;
use super::run::{Contender, Run};
use super::table::{self, Part, Row, Worst, mega, number, seconds, spread};
use crate::spin::Purpose;

/// What was measured of a model.
struct Line {
    name: &'static str,
    pan: Option<Run>,
    two_pans: Option<Run>,
    /// Ours on one thread and on two.
    one: Run,
    two: Run,
    bytes_per_state: f64,
}

/// Measures all models.
pub fn measure(bench: &Bench<'_>) -> Result<Part, String> {
    let models = models::large(&bench.options.filter);
    Ok(table::tabulate(
        &models,
        |model| model.name,
        |model, _| {
            let fitted = bench.fitted(model, Purpose::SAFETY, &["-n", "-c0"]);
            let pan = fitted.as_ref().map(Contender::Pan);
            let [one, two] = ["1", "2"].map(|threads| Some(Contender::Ours(bench.complete(model, threads))));
            let two_pans = fitted.as_ref().map(Contender::TwoPans);
            let [pan, two_pans, one, two] = bench.side_by_side(model.name, [pan, two_pans, one, two]);
            let (one, two) = (one.ok_or("no run of ours")?, two.ok_or("no run of ours on two threads")?);
            let bytes_per_state = one.bytes_per_state(&bench.empty);
            Ok(vec![Line { name: model.name, pan, two_pans, one, two, bytes_per_state }])
        },
    ))
}

impl Line {
    fn pan_by_one(&self) -> Option<f64> {
        Some(self.pan.as_ref()?.seconds / self.one.seconds)
    }

    fn total_by_one(&self) -> Option<f64> {
        Some(self.pan.as_ref()?.total() / self.one.seconds)
    }

    fn one_by_two(&self) -> Option<f64> {
        Some(self.one.seconds / self.two.seconds)
    }

    /// What two cores of this machine do for programs that have nothing to do with each other.
    fn cores(&self) -> Option<f64> {
        Some(2.0 * self.pan.as_ref()?.seconds / self.two_pans.as_ref()?.seconds)
    }

    fn memory(&self) -> Option<f64> {
        Some(self.pan.as_ref()?.peak_bytes as f64 / self.one.peak_bytes as f64)
    }
}

impl Row for Line {
    const HEAD: &'static [&'static str] = &[
        "model",
        "states",
        "transitions",
        "pan s",
        "spin+gcc+pan s",
        "ours 1 thread s",
        "ours 2 threads s",
        "pan / ours 1",
        "ours 1 / ours 2",
        "two pans",
        "pan MB",
        "ours MB",
        "bytes per state",
        "pan MB / ours MB",
        "M transitions/s",
    ];

    fn cells(&self) -> Vec<String> {
        let Line { name, pan, one, two, bytes_per_state, .. } = self;
        let mark = if self.difference().is_some() { " **differs**" } else { "" };
        let pan = pan.as_ref();
        vec![
            format!("{name}{mark}"),
            one.states.to_string(),
            one.transitions.to_string(),
            seconds(pan),
            number(pan.map(Run::total), 3),
            seconds(Some(one)),
            seconds(Some(two)),
            number(self.pan_by_one(), 2),
            number(self.one_by_two(), 2),
            number(self.cores(), 2),
            number(pan.map(|run| mega(run.peak_bytes)), 1),
            number(Some(mega(one.peak_bytes)), 1),
            number(Some(*bytes_per_state), 1),
            number(self.memory(), 2),
            number(Some(one.transitions as f64 / one.seconds / 1e6), 2),
        ]
    }

    fn to_json(&self) -> Value {
        let Line { name, pan, two_pans, one, two, bytes_per_state } = self;
        json!({"model": name, "pan": pan.as_ref().map(Run::to_json),
               "two_pans": two_pans.as_ref().map(Run::to_json), "one_thread": one.to_json(),
               "two_threads": two.to_json(), "bytes_per_state": bytes_per_state})
    }

    fn difference(&self) -> Option<String> {
        let others = [("pan", self.pan.as_ref()), ("two threads", Some(&self.two))];
        let others = others.into_iter().filter_map(|(who, run)| Some((who, run?)));
        let (who, other) = others.into_iter().find(|(_, run)| !run.same_counts(&self.one))?;
        let tell =
            |run: &Run| format!("{}, {} states, {} transitions", run.verdict, run.states, run.transitions);
        Some(format!("{} differs: {who}: {}; one thread: {}", self.name, tell(other), tell(&self.one)))
    }

    fn notes(rows: &[Line]) -> Vec<String> {
        let of = |states: RangeInclusive<u64>, title: &str, worst: Worst, value: fn(&Line) -> Option<f64>| {
            let rows = rows.iter().filter(|row| states.contains(&row.one.states));
            spread(title, worst, rows.map(|row| (row.name, value(row))))
        };
        let (all, middle) = (0..=u64::MAX, 800_000..=10_000_000);
        let (over_1, over_5) = (1_000_001..=u64::MAX, 5_000_001..=u64::MAX);
        let bytes: fn(&Line) -> Option<f64> = |row| Some(row.bytes_per_state);
        let spreads = [
            of(all.clone(), "pan / ours 1", Worst::Smallest, Line::pan_by_one),
            of(middle, "pan / ours 1, 0.8 to 10 M states", Worst::Smallest, Line::pan_by_one),
            of(all.clone(), "spin+gcc+pan / ours 1", Worst::Smallest, Line::total_by_one),
            of(all.clone(), "ours 1 / ours 2", Worst::Smallest, Line::one_by_two),
            of(over_1.clone(), "ours 1 / ours 2, over 1 M states", Worst::Smallest, Line::one_by_two),
            of(over_1, "two pans, over 1 M states", Worst::Smallest, Line::cores),
            of(all.clone(), "pan MB / ours MB", Worst::Smallest, Line::memory),
            of(over_5.clone(), "pan MB / ours MB, over 5 M states", Worst::Smallest, Line::memory),
            of(all, "bytes per state", Worst::Largest, bytes),
            of(over_5, "bytes per state, over 5 M states", Worst::Largest, bytes),
        ];
        let methods = table::methods(rows.iter().flat_map(|row| [&row.one, &row.two]));
        spreads.into_iter().flatten().chain(methods).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seconds: f64, peak_bytes: u64) -> Run {
        let (verdict, states, transitions) = ("holds".to_string(), 1000, 3000);
        Run { verdict, states, transitions, seconds, peak_bytes, ..Run::default() }
    }

    fn line() -> Line {
        let pan = Run { build_seconds: 1.0, ..run(0.5, 8_000_000) };
        let (one, two) = (run(0.25, 4_000_000), run(0.125, 5_000_000));
        let two_pans = Some(Run { seconds: 0.625, ..pan.clone() });
        Line { name: "m", pan: Some(pan), two_pans, one, two, bytes_per_state: 12.5 }
    }

    #[test]
    fn a_row_has_times_memory_and_ratios() {
        let row = "m 1000 3000 0.500 1.500 0.250 0.125 2.00 2.00 1.60 8.0 4.0 12.5 2.00 0.01";
        assert_eq!(line().cells().join(" "), row);
        assert_eq!(line().cells().len(), Line::HEAD.len());
    }

    #[test]
    fn a_row_without_spin_has_dashes() {
        let alone = Line { pan: None, two_pans: None, ..line() };
        assert_eq!(alone.cells().join(" "), "m 1000 3000 - - 0.250 0.125 - 2.00 - - 4.0 12.5 - 0.01");
        assert_eq!(alone.difference(), None);
    }

    #[test]
    fn other_counts_are_told() {
        let fewer = |run: Run| Run { transitions: 2999, ..run };
        let pan = Line { pan: line().pan.map(fewer), ..line() };
        assert_eq!(pan.cells()[0], "m **differs**");
        assert!(pan.difference().is_some_and(|text| text.contains("differs: pan: holds, 1000 states, 2999")));
        let two = Line { two: fewer(line().two), ..line() };
        assert!(two.difference().is_some_and(|text| text.contains("differs: two threads: holds")));
    }

    #[test]
    fn medians_and_worst_stand_below() {
        let slow = Line { name: "slow", one: run(5.0, 1), ..line() };
        let notes = Line::notes(&[line(), slow]).join("\n");
        assert!(notes.contains("pan / ours 1: median 1.05, worst 0.10 (slow); rows: 2"), "{notes}");
        assert!(notes.contains("bytes per state: median 12.50, worst 12.50"), "{notes}");
        assert!(!notes.contains("M states"), "{notes}");
    }

    #[test]
    fn large_models_have_lines_of_their_own() {
        let sized = |states| Line { one: Run { states, ..line().one }, ..line() };
        let notes = Line::notes(&[
            sized(1000),
            sized(900_000),
            sized(2_000_000),
            sized(9_000_000),
            sized(20_000_000),
        ]);
        let rows = |title: &str| {
            let note = notes.iter().find(|note| note.starts_with(title)).expect("there is a line");
            note.rsplit(' ').next().and_then(|n| n.parse::<u64>().ok())
        };
        assert_eq!(rows("pan / ours 1:"), Some(5));
        assert_eq!(rows("pan / ours 1, 0.8 to 10 M states:"), Some(3));
        assert_eq!(rows("ours 1 / ours 2, over 1 M states:"), Some(3));
        assert_eq!(rows("bytes per state, over 5 M states:"), Some(2));
    }
}
