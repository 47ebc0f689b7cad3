//! Compares our verdicts on temporal properties with what Spin said of the corpus, and our searches
//! with each other.

use std::path::PathBuf;
use std::time::Duration;

use crate::checker::{Answer, Checker, Limits, Report};
use crate::corpus::{self, Claim};
use crate::known::Known;
use crate::{Options, process};

/// For properties on which Spin has a verdict.
const FULL: Limits = Limits { time: Duration::from_secs(60), memory: 4 << 30, all_errors: false };
/// For all others: our searches only have to agree.
const SHORT: Limits = Limits { time: Duration::from_secs(5), memory: 2 << 30, all_errors: false };
/// What takes the fastest search longer is not given to the others.
const QUICK: f64 = 2.0;

/// The other searches, and those that only differ where runs have to be fair.
const SEARCHES: [&[&str]; 3] = [&["--search", "scc"], &["--search", "ndfs"], &["--search", "ndfs-basic"]];
const FAIR_SEARCHES: [&[&str]; 2] = [
    &["--search", "ndfs", "--fairness-copies", "n+2"],
    &["--search", "ndfs-basic", "--fairness-copies", "n+2"],
];

/// A property of a model.
struct Case {
    path: String,
    file: PathBuf,
    claim: Claim,
}

/// What our searches say.
struct Said {
    fastest: Answer,
    /// With the options of each search.
    others: Vec<(String, Answer)>,
}

/// How many properties came out how.
#[derive(Default)]
struct Tally {
    same: u32,
    explained: u32,
    unexplained: u32,
    limited: u32,
    only_ours: u32,
    neither: u32,
    broken: u32,
    searches: u32,
}

/// Checks all temporal properties of the corpus. False if something is broken or not explained.
pub fn run(options: &Options) -> Result<bool, String> {
    let checker = Checker::build()?;
    let known = Known::load()?;
    let cases = cases(&options.filter)?;
    let mut tally = Tally::default();
    process::in_order(
        &cases,
        options.jobs,
        |case| ask(&checker, case),
        |case, said| tally.add(case, said, &known),
    );
    let unused = known.unused(cases.iter().map(|case| case.path.as_str()), |what| what.starts_with("claim "));
    println!("claims: {} of {} have Spin's verdict", tally.same, cases.len());
    println!("  differences: {} explained, {} not", tally.explained, tally.unexplained);
    println!("  only Spin decides {}, only we {}, neither {}", tally.limited, tally.only_ours, tally.neither);
    println!(
        "  {} runs of other searches compared; {} broken or in disagreement",
        tally.searches, tally.broken
    );
    for line in &unused {
        println!("in known-differences.tsv but not seen: {line}");
    }
    Ok(tally.broken == 0 && tally.unexplained == 0 && unused.is_empty())
}

fn cases(filter: &str) -> Result<Vec<Case>, String> {
    let mut rows = corpus::rows(filter)?;
    rows.retain(|row| row.accepted && !row.claims.is_empty() && !row.has_c_code());
    let cases = rows.into_iter().flat_map(|row| {
        row.claims.into_iter().map(move |claim| Case {
            path: row.path.clone(),
            file: row.file.clone(),
            claim,
        })
    });
    Ok(cases.collect())
}

/// Lets our searches decide.
fn ask(checker: &Checker, case: &Case) -> Said {
    let limits = if case.claim.verdict == "unknown" { SHORT } else { FULL };
    let property = case.claim.options();
    let fastest = checker.check(&case.file, &property, limits);
    let quick = |report: &Report| report.verdict != "unknown" && report.seconds < QUICK;
    let mut others = Vec::new();
    if matches!(&fastest, Answer::Result(report) if quick(report)) {
        let fair = FAIR_SEARCHES.iter().filter(|_| case.claim.is_fair());
        for search in SEARCHES.iter().chain(fair) {
            let options = [&property, *search].concat();
            others.push((search.join(" "), checker.check(&case.file, &options, limits)));
        }
    }
    Said { fastest, others }
}

impl Tally {
    fn add(&mut self, case: &Case, said: Said, known: &Known) {
        let name = format!("{} {}", case.path, case.claim.name);
        match said.fastest {
            Answer::Broken(how) => {
                self.broken += 1;
                println!("BROKEN     {name}: {how}");
            }
            Answer::Refused(message) => match known.reason(&case.path, "refused") {
                Some(reason) => {
                    self.explained += 1;
                    println!("explained  {name}: refused: {reason}");
                }
                None => self.differs(case, &message, known),
            },
            Answer::Result(report) => {
                said.others.iter().for_each(|(search, answer)| self.agree(&name, &report, search, answer));
                self.compare(case, &report, known);
            }
        }
    }

    fn compare(&mut self, case: &Case, report: &Report, known: &Known) {
        let Case { path, claim: Claim { name, verdict }, .. } = case;
        let ours = format!("{} in {:.2} s, {} states", report.verdict, report.seconds, report.states);
        match (report.verdict.as_str(), verdict.as_str()) {
            ("unknown", "unknown") => self.neither += 1,
            ("unknown", spins) => {
                self.limited += 1;
                // Whether it would have differed is not known: an explanation for it is not out of date.
                known.reason(path, &format!("claim {name}"));
                println!("limit      {path} {name}: spin {spins}, ours {ours}: {}", report.reason);
            }
            (_, "unknown") => {
                self.only_ours += 1;
                println!("only ours  {path} {name}: {ours}");
            }
            (verdict, spins) if verdict == spins => {
                self.same += 1;
                println!("equal      {path} {name}: {ours}");
            }
            (_, spins) => self.differs(case, &format!("spin {spins}, ours {ours}: {}", report.reason), known),
        }
    }

    fn differs(&mut self, case: &Case, how: &str, known: &Known) {
        let Case { path, claim: Claim { name, .. }, .. } = case;
        match known.reason(path, &format!("claim {name}")) {
            Some(reason) => {
                self.explained += 1;
                println!("explained  {path} {name}: {how}: {reason}");
            }
            None => {
                self.unexplained += 1;
                println!("DIFFERENT  {path} {name}: {how}");
            }
        }
    }

    /// Compares another search with the fastest one.
    fn agree(&mut self, name: &str, fastest: &Report, search: &str, answer: &Answer) {
        self.searches += 1;
        let fault = match answer {
            // It may be slower; what it has found until then is not wrong.
            Answer::Result(other) if other.verdict == "unknown" => return,
            Answer::Result(other) if other.verdict == fastest.verdict => return,
            Answer::Result(other) => format!("{}, by default {}", other.verdict, fastest.verdict),
            Answer::Refused(message) | Answer::Broken(message) => message.clone(),
        };
        self.broken += 1;
        println!("DISAGREE   {name} {search}: {fault}");
    }
}
