//! How time and memory grow with the number of states: what a state costs should not depend on how
//! many there are.

use serde_json::{Value, json};

use super::Bench;
use super::models::{self, Model};
use super::run::{Contender, Run};
use super::table::{self, Part, Row, mega, number, seconds};

/// What was measured of a model on a number of threads.
struct Line {
    name: String,
    family: &'static str,
    threads: &'static str,
    run: Run,
    bytes_per_state: f64,
    /// What a state takes here, divided by what it takes in the smallest model of the family.
    factor: f64,
}

/// Measures all families, each from small to large.
pub fn measure(bench: &Bench<'_>) -> Result<Part, String> {
    let models = models::growing(&bench.options.filter, bench.options.growth());
    let subjects: Vec<(Model, &str)> = ["1", "2"]
        .into_iter()
        .flat_map(|threads| models.iter().map(move |model| (model.clone(), threads)))
        .collect();
    Ok(table::tabulate(
        &subjects,
        |(model, _)| model.name,
        |(model, threads), before: &[Line]| {
            let name = format!("{} {}", model.name, model.defines.join(" "));
            let [run] = bench.side_by_side(&name, [Some(Contender::Ours(bench.complete(model, threads)))]);
            let run = run.ok_or(format!("no run with {} --threads {threads}", model.defines.join(" ")))?;
            let smallest = before.iter().find(|line| (line.family, line.threads) == (model.name, threads));
            let factor = smallest.map_or(1.0, |smallest| per_state(&run) / per_state(&smallest.run));
            let bytes_per_state = run.bytes_per_state(&bench.empty);
            Ok(vec![Line { name, family: model.name, threads, run, bytes_per_state, factor }])
        },
    ))
}

/// Nanoseconds per state.
fn per_state(run: &Run) -> f64 {
    run.seconds * 1e9 / run.states as f64
}

impl Row for Line {
    const HEAD: &'static [&'static str] = &[
        "model",
        "threads",
        "states",
        "s",
        "ns per state",
        "ns per transition",
        "factor to the smallest",
        "bytes per state",
        "MB",
    ];

    fn cells(&self) -> Vec<String> {
        let Line { name, threads, run, bytes_per_state, factor, .. } = self;
        vec![
            name.clone(),
            threads.to_string(),
            run.states.to_string(),
            seconds(Some(run)),
            number(Some(per_state(run)), 0),
            number(Some(run.seconds * 1e9 / run.transitions as f64), 0),
            number(Some(*factor), 2),
            number(Some(*bytes_per_state), 1),
            number(Some(mega(run.peak_bytes)), 0),
        ]
    }

    fn to_json(&self) -> Value {
        let Line { name, run, bytes_per_state, factor, .. } = self;
        json!({"model": name, "ours": run.to_json(), "bytes_per_state": bytes_per_state, "factor": factor})
    }

    fn difference(&self) -> Option<String> {
        None
    }

    fn notes(rows: &[Line]) -> Vec<String> {
        table::methods(rows.iter().map(|row| &row.run)).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_costs_per_state_and_transition() {
        let run = Run {
            states: 1_000_000,
            transitions: 4_000_000,
            seconds: 0.5,
            peak_bytes: 64_000_000,
            ..Run::default()
        };
        let (name, family, threads) = ("m -DN=1".to_string(), "m", "2");
        let line = Line { name, family, threads, run, bytes_per_state: 60.0, factor: 1.25 };
        assert_eq!(line.cells().join(" "), "m -DN=1 2 1000000 0.500 500 125 1.25 60.0 64");
        assert_eq!(line.cells().len(), Line::HEAD.len());
    }
}
