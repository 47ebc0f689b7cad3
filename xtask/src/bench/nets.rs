//! Petri nets: complete state spaces, ours alone.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Bench;
use super::models::Model;
use super::run::{Contender, Ours, Run};
use super::table::{self, Part, Row, mega, number, seconds};
use crate::place;

/// Nets of the contest with many markings.
const CONTEST: [&str; 5] = [
    "DBSingleClientW-PT-d0m05",
    "CANInsertWithFailure-PT-005",
    "SmallOperatingSystem-PT-MT0032DC0008",
    "TriangularGrid-PT-1200",
    "SwimmingPool-PT-01",
];

struct Line {
    name: &'static str,
    threads: &'static str,
    run: Run,
    bytes_per_state: f64,
}

/// Measures all nets on one and two threads.
pub fn measure(bench: &Bench<'_>) -> Result<Part, String> {
    let folder = place::generated("bench-nets");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let philosophers = folder.join("ph-13.net");
    bench.checker.net_example("ph 13", &philosophers)?;
    let mut nets = vec![("ph 13", philosophers)];
    if let Ok(nets_of_contest) = place::contest() {
        for name in CONTEST {
            nets.push((name, unpacked(&nets_of_contest, name, &folder)?));
        }
    }
    // A program has machine code in memory besides.
    let tiny = folder.join("ph-2.net");
    bench.checker.net_example("ph 2", &tiny)?;
    let tiny = Model { name: "ph 2", file: tiny, defines: &[] };
    let empty = bench.ours(&bench.checker, &explored(bench, &tiny, "1"))?;
    let subjects: Vec<(Model, &'static str)> = nets
        .into_iter()
        .filter(|(name, _)| name.contains(&bench.options.filter))
        .flat_map(|(name, file)| {
            ["1", "2"].map(|threads| (Model { name, file: file.clone(), defines: &[] }, threads))
        })
        .collect();
    Ok(table::tabulate(
        &subjects,
        |(model, _)| model.name,
        |(model, threads), _: &[Line]| {
            let ours = explored(bench, model, threads);
            let [run] = bench.side_by_side(model.name, [Some(Contender::Ours(ours))]);
            let run = run.ok_or(format!("no run with --threads {threads}"))?;
            let bytes_per_state = run.bytes_per_state(&empty);
            Ok(vec![Line { name: model.name, threads, run, bytes_per_state }])
        },
    ))
}

/// A run that counts the markings of a net.
fn explored<'m>(bench: &Bench<'_>, model: &'m Model, threads: &'static str) -> Ours<'m> {
    let options = vec!["--explore", "--por", "none", "--threads", threads];
    Ours { model, options, limits: bench.limits() }
}

/// The net of an archive of the contest.
fn unpacked(archives: &Path, name: &str, folder: &Path) -> Result<PathBuf, String> {
    let archive = archives.join(format!("{name}.tgz"));
    let failed = |error: std::io::Error| format!("{}: {error}", archive.display());
    let file = std::fs::File::open(&archive).map_err(failed)?;
    tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(folder).map_err(failed)?;
    Ok(folder.join(name).join("model.pnml"))
}

impl Row for Line {
    const HEAD: &'static [&'static str] =
        &["net", "threads", "states", "firings", "s", "states/s", "ns per firing", "bytes per state", "MB"];

    fn cells(&self) -> Vec<String> {
        let Line { name, threads, run, bytes_per_state } = self;
        let firings = run.transitions.saturating_sub(1);
        vec![
            name.to_string(),
            threads.to_string(),
            run.states.to_string(),
            firings.to_string(),
            seconds(Some(run)),
            number(Some(run.states as f64 / run.seconds), 0),
            number(Some(run.seconds * 1e9 / firings.max(1) as f64), 0),
            number(Some(*bytes_per_state), 1),
            number(Some(mega(run.peak_bytes)), 0),
        ]
    }

    fn to_json(&self) -> Value {
        json!({"net": self.name, "ours": self.run.to_json(), "bytes_per_state": self.bytes_per_state})
    }

    fn difference(&self) -> Option<String> {
        None
    }

    fn notes(rows: &[Line]) -> Vec<String> {
        table::methods(rows.iter().map(|row| &row.run)).into_iter().collect()
    }
}
