//! Compares our verdicts and counts with what Spin said of the corpus.

use std::time::Duration;

use crate::checker::{Answer, Checker, Limits, Report};
use crate::corpus::{self, Row};
use crate::known::Known;
use crate::{Options, process};

/// For models whose counts are known.
const FULL: Limits = Limits { time: Duration::from_secs(60), memory: 4 << 30, all_errors: true };
/// For all others: they only have to run.
const SHORT: Limits = Limits { time: Duration::from_secs(5), memory: 2 << 30, all_errors: false };

/// How many models came out how.
#[derive(Default)]
struct Tally {
    compared: u32,
    same_states: u32,
    same_transitions: u32,
    explained: u32,
    limited: u32,
    judged: u32,
    same_verdict: u32,
    ran: u32,
    broken: u32,
    refused: u32,
    rejected_by_both: u32,
    rejected_by_spin: u32,
    unexplained: u32,
}

/// Checks all models of the corpus. False if something is broken or the goal is missed.
pub fn run(options: &Options) -> Result<bool, String> {
    let checker = Checker::build()?;
    let known = Known::load()?;
    let mut rows = corpus::rows(&options.filter)?;
    rows.retain(|row| !row.has_c_code());
    let mut tally = Tally::default();
    process::in_order(
        &rows,
        options.jobs,
        |row| checker.check(&row.file, &["--safety"], if row.states.is_some() { FULL } else { SHORT }),
        |row, answer| tally.add(row, answer, &known),
    );
    let asked = |what: &str| ["states", "transitions", "verdict", "refused"].contains(&what);
    let unused = known.unused(rows.iter().map(|row| row.path.as_str()), asked);
    let share = |part: u32, whole: u32| 100.0 * f64::from(part) / f64::from(whole.max(1));
    let Tally { compared, same_states, same_transitions, judged, same_verdict, .. } = tally;
    println!("counts: {compared} compared ({} more ended at a limit of time or memory)", tally.limited);
    println!("  same states       {same_states} ({:.1} %)", share(same_states, compared));
    println!("  same transitions  {same_transitions} ({:.1} %)", share(same_transitions, compared));
    println!("verdicts: {same_verdict} of {judged} the same ({:.1} %)", share(same_verdict, judged));
    println!("differences: {} explained, {} not", tally.explained, tally.unexplained);
    println!("accepted by Spin: {} ran, {} refused by us, {} broken", tally.ran, tally.refused, tally.broken);
    println!("rejected by Spin: {} by us too, {} accepted", tally.rejected_by_both, tally.rejected_by_spin);
    for line in &unused {
        println!("in known-differences.tsv but not seen: {line}");
    }
    let good = share(same_states, compared) >= 97.0 && tally.broken == 0 && tally.unexplained == 0;
    Ok(good && tally.refused == 0 && unused.is_empty())
}

impl Tally {
    fn add(&mut self, row: &Row, answer: Answer, known: &Known) {
        match answer {
            Answer::Broken(how) => {
                self.broken += 1;
                println!("BROKEN     {}: {how}", row.path);
            }
            Answer::Refused(_) if !row.accepted => self.rejected_by_both += 1,
            Answer::Refused(message) => {
                let explained = self.differs(row, "refused", &message, known);
                self.refused += u32::from(!explained);
            }
            Answer::Result(_) if !row.accepted => self.rejected_by_spin += 1,
            Answer::Result(report) => {
                self.ran += 1;
                self.compare(row, &report, known);
            }
        }
    }

    fn compare(&mut self, row: &Row, report: &Report, known: &Known) {
        if report.verdict == "unknown" {
            self.limited += u32::from(row.states.is_some());
            println!("limit      {}: {} after {} states", row.path, report.reason, report.states);
            return;
        }
        if !row.safety.is_empty() {
            self.judged += 1;
            if report.verdict == row.safety {
                self.same_verdict += 1;
            } else {
                let spin = format!("{} {}", row.safety, row.error_kind);
                let ours = format!("{} {}", report.verdict, report.reason);
                self.differs(row, "verdict", &format!("spin {spin}, ours {ours}"), known);
            }
        }
        let (Some(states), Some(transitions)) = (row.states, row.transitions) else { return };
        if !report.complete {
            self.limited += 1;
            // Whether it would have differed is not known: an explanation for it is not out of date.
            known.reason(&row.path, "states");
            println!("limit      {}: {} after {} states", row.path, report.verdict, report.states);
            return;
        }
        self.compared += 1;
        if report.states != states {
            self.differs(row, "states", &format!("spin {states}, ours {}", report.states), known);
            return;
        }
        self.same_states += 1;
        if report.transitions == transitions {
            self.same_transitions += 1;
            println!("equal      {}: {states} states in {:.2} s", row.path, report.seconds);
        } else {
            let numbers = format!("spin {transitions}, ours {}", report.transitions);
            self.differs(row, "transitions", &numbers, known);
        }
    }

    /// Notes a difference. True if the list of known ones explains it.
    fn differs(&mut self, row: &Row, what: &str, numbers: &str, known: &Known) -> bool {
        match known.reason(&row.path, what) {
            Some(reason) => {
                self.explained += 1;
                println!("explained  {}: {what}: {numbers}: {reason}", row.path);
                true
            }
            None => {
                self.unexplained += 1;
                println!("DIFFERENT  {}: {what}: {numbers}", row.path);
                false
            }
        }
    }
}
