//! The complete state space: both visit the same states.

use serde_json::{Value, json};

use super::models::{self, Model};
use super::{Bench, FLAGS, Por, SpinRun, report_json};
use crate::checker::{Limits, Report};
use crate::spin::Purpose;

/// What was measured of a model.
struct Row {
    name: &'static str,
    spin: Option<SpinRun>,
    ours: Report,
}

/// Measures all models and prints the table. The flag is false if a model was not decided or the
/// counts differ.
pub fn run(bench: &Bench<'_>) -> (Vec<Value>, bool) {
    let mut rows = Vec::new();
    let mut good = true;
    for Model { name, file, defines } in models::models(&bench.options.filter) {
        eprintln!("{name}");
        let limits = Limits { all_errors: true, ..bench.limits() };
        let ours = match bench.ours(&file, Por::None, &[&["--safety"], defines].concat(), limits) {
            Ok(ours) => ours,
            Err(reason) => {
                println!("{name}: {reason}");
                good = false;
                continue;
            }
        };
        let spin = bench.spin(&file, Purpose::SAFETY, defines, &FLAGS, &["-n", "-c0"]);
        let spin = spin.inspect_err(|reason| println!("{name}: {reason}")).ok();
        if let Some(run) = &spin
            && (run.summary.states != ours.states || !ours.agrees_with(&run.summary))
        {
            good = false;
            println!("{name}: spin {} states, ours {}", run.summary.states, ours.states);
        }
        rows.push(Row { name, spin, ours });
    }
    print_table(&rows);
    (rows.iter().map(Row::to_json).collect(), good)
}

fn print_table(rows: &[Row]) {
    println!();
    println!(
        "{:<18} {:>9} {:>10} | {:>7} {:>7} {:>6} {:>6} {:>6} | {:>7} {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6}",
        "", "", "", "Spin", "", "", "", "", "ours", "", "", "", "ratio", "", ""
    );
    println!(
        "{:<18} {:>9} {:>10} | {:>7} {:>7} {:>6} {:>6} {:>6} | {:>7} {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6}",
        "model",
        "states",
        "transit.",
        "pan s",
        "total s",
        "Mst/s",
        "Mtr/s",
        "B/st",
        "total s",
        "Mst/s",
        "Mtr/s",
        "B/st",
        "pan",
        "total",
        "memory"
    );
    for Row { name, spin, ours } in rows {
        let (states, transitions) = (ours.states as f64, ours.transitions as f64);
        print!("{name:<18} {:>9} {:>10} | ", ours.states, ours.transitions);
        match spin {
            Some(run) => print!(
                "{:>7.3} {:>7.3} {:>6.2} {:>6.2} {:>6.0} | ",
                run.seconds,
                run.seconds + run.build_seconds,
                states / run.seconds / 1e6,
                transitions / run.seconds / 1e6,
                run.peak_bytes as f64 / states
            ),
            None => print!("{:>7} {:>7} {:>6} {:>6} {:>6} | ", "-", "-", "-", "-", "-"),
        }
        print!(
            "{:>7.3} {:>6.2} {:>6.2} {:>6.0} | ",
            ours.seconds,
            states / ours.seconds / 1e6,
            transitions / ours.seconds / 1e6,
            ours.peak_bytes as f64 / states
        );
        match spin {
            Some(run) => println!(
                "{:>6.2} {:>6.2} {:>6.2}",
                run.seconds / ours.seconds,
                (run.seconds + run.build_seconds) / ours.seconds,
                run.peak_bytes as f64 / ours.peak_bytes as f64
            ),
            None => println!("{:>6} {:>6} {:>6}", "-", "-", "-"),
        }
    }
    println!(
        "ratio: Spin's figure divided by ours, so above 1 we are better; total includes spin -a and gcc"
    );
}

impl Row {
    fn to_json(&self) -> Value {
        let Row { name, spin, ours } = self;
        json!({"model": name, "spin": spin.as_ref().map(SpinRun::to_json), "stubborn": report_json(ours)})
    }
}
