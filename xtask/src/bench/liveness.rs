//! Temporal properties: time and memory until there is a verdict, with and without fairness. The
//! automata differ, so the numbers of states do too.

use serde_json::{Value, json};

use super::Bench;
use super::models::{self, Model};
use super::run::{Contender, Ours, Run};
use super::table::{self, Part, Row, Worst, mega, number, seconds, spread};
use crate::corpus::Claim;
use crate::spin::Purpose;

/// What was measured of a property, for all runs or for the fair ones.
struct Line {
    name: String,
    /// Spin without and with reduction.
    pan: Option<Run>,
    pan_reduced: Option<Run>,
    /// Ours without reduction, on one thread and on two; the search for several threads knows no
    /// fairness.
    one: Run,
    two: Option<Run>,
    /// Ours as it comes.
    reduced: Run,
    /// Our other searches, without reduction on one thread.
    scc: Option<Run>,
    ndfs: Option<Run>,
}

/// Measures all properties.
pub fn measure(bench: &Bench<'_>) -> Result<Part, String> {
    let properties = models::properties(&bench.options.filter);
    let lines = |property: &models::Property, _: &[Line]| {
        let variants = property.variants();
        variants.iter().map(|(name, claim)| measure_claim(bench, name, &property.model, claim)).collect()
    };
    Ok(table::tabulate(&properties, |property| property.model.name, lines))
}

fn measure_claim(bench: &Bench<'_>, name: &str, model: &Model, claim: &Claim) -> Result<Line, String> {
    let [pan, pan_reduced] = [Purpose::LIVENESS, Purpose::REDUCED_LIVENESS]
        .map(|purpose| bench.fitted(model, purpose, &models::pan_options(claim)));
    let property = claim.options();
    let ours = |how: &[&'static str]| {
        let options = [&property, how].concat();
        Some(Contender::Ours(Ours { model, options, limits: bench.limits() }))
    };
    let contenders = [
        pan.as_ref().map(Contender::Pan),
        pan_reduced.as_ref().map(Contender::Pan),
        ours(&["--por", "none", "--threads", "1"]),
        ours(&["--por", "none", "--threads", "2", "--search", "cndfs"]).filter(|_| !claim.is_fair()),
        ours(&[]),
        ours(&["--por", "none", "--threads", "1", "--search", "scc"]),
        ours(&["--por", "none", "--threads", "1", "--search", "ndfs"]),
    ];
    let [pan, pan_reduced, one, two, reduced, scc, ndfs] = bench.side_by_side(name, contenders);
    Ok(Line {
        name: name.to_string(),
        pan,
        pan_reduced,
        one: one.ok_or("no run of ours")?,
        two,
        reduced: reduced.ok_or("no reduced run of ours")?,
        scc,
        ndfs,
    })
}

impl Line {
    fn time(&self) -> Option<f64> {
        Some(self.pan.as_ref()?.seconds / self.one.seconds)
    }

    fn reduced_time(&self) -> Option<f64> {
        Some(self.pan_reduced.as_ref()?.seconds / self.reduced.seconds)
    }

    fn memory(&self) -> Option<f64> {
        Some(self.pan.as_ref()?.peak_bytes as f64 / self.one.peak_bytes as f64)
    }

    /// The runs beside ours on one thread, each with a name.
    fn others(&self) -> impl Iterator<Item = (&'static str, &Run)> {
        let Line { pan, pan_reduced, two, reduced, scc, ndfs, .. } = self;
        let others = [
            ("pan", pan.as_ref()),
            ("reduced pan", pan_reduced.as_ref()),
            ("two threads", two.as_ref()),
            ("reduced", Some(reduced)),
            ("scc", scc.as_ref()),
            ("ndfs", ndfs.as_ref()),
        ];
        others.into_iter().filter_map(|(who, run)| Some((who, run?)))
    }
}

impl Row for Line {
    const HEAD: &'static [&'static str] = &[
        "property",
        "verdict",
        "states pan",
        "states ours",
        "pan s",
        "ours 1 thread s",
        "ours 2 threads s",
        "scc s",
        "ndfs s",
        "pan / ours 1",
        "reduced pan s",
        "ours reduced s",
        "reduced, pan / ours",
        "pan MB",
        "ours MB",
        "pan MB / ours MB",
    ];

    fn cells(&self) -> Vec<String> {
        let Line { name, pan, pan_reduced, one, two, reduced, scc, ndfs } = self;
        let differs = self.difference().is_some();
        let pan = pan.as_ref();
        vec![
            name.clone(),
            if differs { "**differs**".to_string() } else { one.verdict.clone() },
            number(pan.map(|run| run.states as f64), 0),
            one.states.to_string(),
            seconds(pan),
            seconds(Some(one)),
            seconds(two.as_ref()),
            seconds(scc.as_ref()),
            seconds(ndfs.as_ref()),
            number(self.time(), 2),
            seconds(pan_reduced.as_ref()),
            seconds(Some(reduced)),
            number(self.reduced_time(), 2),
            number(pan.map(|run| mega(run.peak_bytes)), 1),
            number(Some(mega(one.peak_bytes)), 1),
            number(self.memory(), 2),
        ]
    }

    fn to_json(&self) -> Value {
        let mut row = json!({"property": self.name, "one_thread": self.one.to_json()});
        for (who, run) in self.others() {
            row[who.replace(' ', "_")] = run.to_json();
        }
        row
    }

    fn difference(&self) -> Option<String> {
        let (who, other) = self.others().find(|(_, run)| run.verdict != self.one.verdict)?;
        Some(format!("{} differs: {who}: {}; one thread: {}", self.name, other.verdict, self.one.verdict))
    }

    fn notes(rows: &[Line]) -> Vec<String> {
        let column = |title: &str, value: fn(&Line) -> Option<f64>| {
            spread(title, Worst::Smallest, rows.iter().map(|row| (row.name.as_str(), value(row))))
        };
        let spreads = [
            column("pan / ours 1", Line::time),
            column("reduced, pan / ours", Line::reduced_time),
            column("pan MB / ours MB", Line::memory),
        ];
        let methods = table::methods(rows.iter().flat_map(|row| [&row.one, &row.reduced]));
        spreads.into_iter().flatten().chain(methods).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(verdicts: [&str; 3]) -> Line {
        let run = |verdict: &str| Run { verdict: verdict.to_string(), seconds: 1.0, ..Run::default() };
        let [pan, one, scc] = verdicts.map(run);
        let (reduced, name) = (one.clone(), "m never".to_string());
        let (pan, scc) = (Some(pan), Some(scc));
        Line { name, pan, pan_reduced: None, one, two: None, reduced, scc, ndfs: None }
    }

    #[test]
    fn verdicts_that_differ_are_noticed() {
        let same = line(["holds"; 3]);
        assert_eq!((same.difference(), same.cells()[1].as_str()), (None, "holds"));
        assert_eq!(same.cells().len(), Line::HEAD.len());
        let pan = line(["violated", "holds", "holds"]);
        assert_eq!(pan.cells()[1], "**differs**");
        assert_eq!(pan.difference().as_deref(), Some("m never differs: pan: violated; one thread: holds"));
        assert!(line(["holds", "holds", "violated"]).difference().is_some());
    }
}
