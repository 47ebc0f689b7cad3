//! Temporal properties: time and memory until there is a verdict, with and without fairness. The
//! automata differ, so the numbers of states do too.

use std::path::Path;

use serde_json::{Value, json};

use super::{Bench, Por, SpinRun, TEMPORAL_FLAGS, mega, models, number, report_json};
use crate::checker::Report;
use crate::corpus::Claim;
use crate::place;
use crate::spin::{Pan, Purpose};

/// What was measured of a property, for all runs or for the fair ones.
struct Row {
    name: String,
    spin: Option<SpinRun>,
    /// Spin with its reduction.
    reduced: Option<SpinRun>,
    ours: Report,
    /// Our other searches.
    scc: Option<Report>,
    ndfs: Option<Report>,
}

/// The verifiers of a model.
struct Pans {
    plain: Option<Pan>,
    reduced: Option<Pan>,
}

/// Measures all properties and prints the table. The flag is false if one was not decided or the
/// verdicts differ.
pub fn run(bench: &Bench<'_>) -> (Vec<Value>, bool) {
    let mut rows = Vec::new();
    let mut good = true;
    for property in models::properties(&bench.options.filter) {
        let pans = Pans::build(bench, property.model, &property.file);
        for (name, claim) in property.variants() {
            eprintln!("{name}");
            match measure(bench, &name, &property.file, &claim, &pans) {
                Ok(row) => {
                    good &= row.agrees();
                    rows.push(row);
                }
                Err(reason) => {
                    good = false;
                    println!("{name}: {reason}");
                }
            }
        }
        pans.remove();
    }
    print_table(&rows);
    (rows.iter().map(Row::to_json).collect(), good)
}

impl Pans {
    fn build(bench: &Bench<'_>, name: &str, file: &Path) -> Pans {
        let pan = |purpose: Purpose, folder: &str| {
            let spin = bench.spin.as_ref()?;
            let built = spin.build_with(file, &place::generated(folder), purpose, &[], &TEMPORAL_FLAGS);
            built.inspect_err(|refusal| println!("{name}: {refusal}")).ok()
        };
        Pans {
            plain: pan(Purpose::LIVENESS, PLAIN_FOLDER),
            reduced: pan(Purpose::REDUCED_LIVENESS, REDUCED_FOLDER),
        }
    }

    fn remove(self) {
        for folder in [PLAIN_FOLDER, REDUCED_FOLDER] {
            // What is left over is overwritten the next time.
            let _ = std::fs::remove_dir_all(place::generated(folder));
        }
    }
}

const PLAIN_FOLDER: &str = "bench.work";
const REDUCED_FOLDER: &str = "bench-reduced.work";

fn measure(bench: &Bench<'_>, name: &str, file: &Path, claim: &Claim, pans: &Pans) -> Result<Row, String> {
    let property = claim.options();
    let ours = |search: &[&str]| bench.ours(file, Por::None, &[&property, search].concat(), bench.limits());
    let complain = |what: &str, reason: &String| println!("{name}: {what}: {reason}");
    let other =
        |search: &str| ours(&["--search", search]).inspect_err(|reason| complain(search, reason)).ok();
    let asked = models::pan_options(claim);
    let spin = |pan: &Option<Pan>| {
        bench.pan(pan.as_ref()?, &asked).inspect_err(|reason| complain("pan", reason)).ok()
    };
    Ok(Row {
        name: name.to_string(),
        ours: ours(&[])?,
        scc: other("scc"),
        ndfs: other("ndfs"),
        spin: spin(&pans.plain),
        reduced: spin(&pans.reduced),
    })
}

impl Row {
    /// Whether all verdicts are the same.
    fn agrees(&self) -> bool {
        let Row { name, spin, reduced, ours, scc, ndfs } = self;
        let mut good = true;
        for run in spin.iter().chain(reduced).filter(|run| !ours.agrees_with(&run.summary)) {
            good = false;
            println!("{name}: spin {} errors, ours {}", run.summary.errors, ours.verdict);
        }
        for report in scc.iter().chain(ndfs).filter(|report| report.verdict != ours.verdict) {
            good = false;
            println!("{name}: {} with another search, by default {}", report.verdict, ours.verdict);
        }
        good
    }

    fn to_json(&self) -> Value {
        let theirs = |run: &Option<SpinRun>| run.as_ref().map(SpinRun::to_json);
        json!({"property": self.name, "spin": theirs(&self.spin), "spin_reduced": theirs(&self.reduced),
               "stubborn": report_json(&self.ours), "scc": self.scc.as_ref().map(report_json),
               "ndfs": self.ndfs.as_ref().map(report_json)})
    }
}

fn print_table(rows: &[Row]) {
    println!();
    println!(
        "| property | verdict | states Spin | states ours | pan s | reduced pan s | ours s | scc s | ndfs s | MB Spin | MB ours | time | memory |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for Row { name, spin, reduced, ours, scc, ndfs } in rows {
        let theirs = spin.as_ref();
        let cells = [
            name.clone(),
            ours.verdict.clone(),
            number(theirs.map(|run| run.summary.states as f64), 0),
            ours.states.to_string(),
            number(theirs.map(|run| run.seconds), 3),
            number(reduced.as_ref().map(|run| run.seconds), 3),
            number(Some(ours.seconds), 3),
            number(scc.as_ref().map(|report| report.seconds), 3),
            number(ndfs.as_ref().map(|report| report.seconds), 3),
            number(theirs.map(|run| mega(run.peak_bytes)), 0),
            number(Some(mega(ours.peak_bytes)), 0),
            number(theirs.map(|run| run.seconds / ours.seconds), 2),
            number(theirs.map(|run| run.peak_bytes as f64 / ours.peak_bytes as f64), 2),
        ];
        println!("| {} |", cells.join(" | "));
    }
    println!("time, memory: Spin's figure without reduction divided by ours, so above 1 we are better");
}
