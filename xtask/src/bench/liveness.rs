//! Temporal properties: time and memory until there is a verdict, with and without fairness. The
//! automata differ, so the numbers of states do too.

use std::path::Path;

use serde_json::{Value, json};

use super::{Bench, Home, SpinRun};
use crate::checker::Report;
use crate::corpus::Claim;
use crate::place;
use crate::spin::{Pan, Purpose};

/// The properties: a name, the model, the claim. Those of the corpus are left out where it is not there.
const PROPERTIES: [(&str, Home, &str); 12] = [
    ("peterson3", Home::Corpus("ltsmin/examples/peterson3.pml"), "never"),
    ("garp_nl", Home::Corpus("spins/case_studies/garp/garp-b/garp_nl"), "never"),
    ("mobile1", Home::Corpus("spin/Examples/LTL/mobile1.pml"), "ltl"),
    ("mobile2", Home::Corpus("spin/Examples/LTL/mobile2.pml"), "ltl"),
    ("train", Home::Corpus("spin/Examples/LTL/train.pml"), "c1"),
    ("train", Home::Corpus("spin/Examples/LTL/train.pml"), "c5"),
    ("crossroad", Home::Corpus("misc/rkolovanov+promela-algorithms/models/crossroad.pml"), "safetyWN"),
    (
        "dijkstra",
        Home::Corpus("misc/rkolovanov+promela-algorithms/models/n-processes-dijkstra.pml"),
        "no_starvation",
    ),
    ("enq", Home::Corpus("misc/luizaalves+promela/enq.pml"), "prop2"),
    ("aio_notify", Home::Corpus("qemu/docs/spin/aio_notify_accept.promela"), "never"),
    ("brp", Home::Corpus("spins/case_studies/brp/brp.prm"), "never"),
    ("leader", Home::Corpus("spin/Examples/LTL/leader.pml"), "p1"),
];

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
    let chosen = |(name, ..): &(&str, Home, &str)| name.contains(&bench.options.filter);
    for (name, home, claim) in PROPERTIES.into_iter().filter(chosen) {
        let Some(file) = home.locate() else {
            println!("{name}: skipped, no corpus");
            continue;
        };
        let pans = Pans::build(bench, name, &file);
        for suffix in ["", "+fair"] {
            let claim = Claim { name: format!("{claim}{suffix}"), verdict: String::new() };
            let name = format!("{name} {}", claim.name);
            eprintln!("{name}");
            match measure(bench, &name, &file, &claim, &pans) {
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
            // With fairness, room for 14 processes.
            let flags = ["-O2", "-DVECTORSZ=4096", "-DMEMLIM=16000", "-DNFAIR=4"];
            let built =
                bench.spin.as_ref()?.build_with(file, &place::generated(folder), purpose, &[], &flags);
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
    let ours = |search: &[&str]| bench.ours(file, &[&property, search].concat(), bench.limits());
    let complain = |what: &str, reason: &String| println!("{name}: {what}: {reason}");
    let other =
        |search: &str| ours(&["--search", search]).inspect_err(|reason| complain(search, reason)).ok();
    // End states are a property of their own. So are assertions, but `-A` would hide what the claim of an
    // invariant asserts too.
    let asked = [&["-a", "-E", "-n"], claim.pan_options().as_slice()].concat();
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
        let theirs = |run: &Option<SpinRun>| {
            run.as_ref().map(|run| {
                json!({"states": run.summary.states, "transitions": run.summary.transitions, "seconds": run.seconds,
                       "build_seconds": run.build_seconds, "peak_rss_bytes": run.peak_bytes})
            })
        };
        let ours = |report: &Report| {
            json!({"verdict": report.verdict, "states": report.states, "transitions": report.transitions,
                   "seconds": report.seconds, "peak_rss_bytes": report.peak_bytes})
        };
        json!({"property": self.name, "spin": theirs(&self.spin), "spin_reduced": theirs(&self.reduced),
               "stubborn": ours(&self.ours), "scc": self.scc.as_ref().map(ours), "ndfs": self.ndfs.as_ref().map(ours)})
    }
}

fn print_table(rows: &[Row]) {
    println!();
    println!(
        "| property | verdict | states Spin | states ours | pan s | reduced pan s | ours s | scc s | ndfs s | MB Spin | MB ours | time | memory |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for Row { name, spin, reduced, ours, scc, ndfs } in rows {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "-".to_string(), |value| format!("{value:.digits$}"))
        };
        let theirs = spin.as_ref();
        let mega = |bytes: u64| bytes as f64 / 1e6;
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
