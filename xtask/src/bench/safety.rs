//! The complete state space: both visit the same states.

use std::path::Path;

use serde_json::{Value, json};

use super::{Bench, Home, SpinRun};
use crate::checker::{Limits, Report};
use crate::place;
use crate::spin::Purpose;

/// The models. Those of the corpus are left out where it is not there.
const MODELS: [(&str, Home, &[&str]); 20] = [
    ("peterson N=3", Home::Bundled("peterson.pml"), &["-DN=3"]),
    ("peterson N=4", Home::Bundled("peterson.pml"), &["-DN=4"]),
    ("philosophers N=7", Home::Bundled("philosophers.pml"), &["-DN=7"]),
    ("leader N=8", Home::Bundled("leader.pml"), &["-DN=8"]),
    ("alternating-bit", Home::Bundled("alternating-bit.pml"), &[]),
    ("snoopy", Home::Corpus("spin/Examples/snoopy.pml"), &[]),
    ("pftp", Home::Corpus("spin/Examples/LTL/pftp.pml"), &[]),
    ("sort", Home::Corpus("spin/Examples/sort.pml"), &[]),
    ("dtp", Home::Corpus("spin/Examples/dtp.pml"), &[]),
    ("cambridge", Home::Corpus("spin/Examples/cambridge.pml"), &[]),
    ("peterson3", Home::Corpus("ltsmin/examples/peterson3.pml"), &[]),
    ("i-protocol i3", Home::Corpus("spins/case_studies/i-protocol/code/spin/i3"), &[]),
    ("garp_ls", Home::Corpus("spins/case_studies/garp/garp-b/garp_ls"), &[]),
    ("qrcu", Home::Corpus("perfbook-rcu/CodeSamples/formal/promela/qrcu.spin"), &[]),
    ("brp.3", Home::Corpus("beem/brp.3.pm"), &[]),
    ("phils.4", Home::Corpus("beem/phils.4.pm"), &[]),
    ("peterson.4", Home::Corpus("beem/peterson.4.pm"), &[]),
    ("telephony.3", Home::Corpus("beem/telephony.3.pm"), &[]),
    ("szymanski.4", Home::Corpus("beem/szymanski.4.pm"), &[]),
    ("msmie.4", Home::Corpus("beem/msmie.4.pm"), &[]),
];

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
    for (name, home, defines) in MODELS.into_iter().filter(|(name, ..)| name.contains(&bench.options.filter))
    {
        let Some(file) = home.locate() else {
            println!("{name}: skipped, no corpus");
            continue;
        };
        eprintln!("{name}");
        let limits = Limits { all_errors: true, ..bench.limits() };
        let ours = match bench.ours(&file, &[&["--safety"], defines].concat(), limits) {
            Ok(ours) => ours,
            Err(reason) => {
                println!("{name}: {reason}");
                good = false;
                continue;
            }
        };
        let spin = spin(bench, &file, defines).inspect_err(|reason| println!("{name}: {reason}")).ok();
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

/// Builds pan and measures it.
fn spin(bench: &Bench<'_>, file: &Path, defines: &[&str]) -> Result<SpinRun, String> {
    let spin = bench.spin.as_ref().ok_or("no Spin")?;
    let dir = place::generated("bench.work");
    let flags = ["-O2", "-DVECTORSZ=4096", "-DMEMLIM=16000"];
    let pan = spin.build_with(file, &dir, Purpose::SAFETY, defines, &flags);
    let run = bench.pan(&pan.map_err(|refusal| refusal.to_string())?, &["-n", "-c0"]);
    let _ = std::fs::remove_dir_all(&dir);
    run
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
        let theirs = spin.as_ref().map(|run| {
            json!({"states": run.summary.states, "transitions": run.summary.transitions,
                   "build_seconds": run.build_seconds, "seconds": run.seconds, "peak_rss_bytes": run.peak_bytes})
        });
        json!({"model": name, "spin": theirs,
               "stubborn": {"states": ours.states, "transitions": ours.transitions, "verdict": ours.verdict,
                            "errors": ours.errors, "seconds": ours.seconds, "peak_rss_bytes": ours.peak_bytes}})
    }
}
