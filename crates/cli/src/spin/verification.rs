//! Checking, as `spin -run` does it.

use std::path::Path;
use std::time::{Duration, Instant};

use ::check::options::Search;
use ::check::prefer::Por;
use ::check::{Fairness, Property};
use model::Patience;
use report::spin::{ClaimChoice, Cycles};
use report::{About, PropertyResult, Report, Verdict};
use stubborn::{Language, Program, Reading, What};

use crate::Outcome;
use crate::args::LimitArgs;
use crate::check::{self, plans};
use crate::exit::{Exit, Stop};
use crate::progress::Ticker;
use crate::session::{self, Session};
use crate::spin::claims;
use crate::spin::options::{Options, Pan, Trail};
use crate::{how, limits, output};

/// Reads the model and shows its formulas and what is suspicious about it.
pub fn read(options: &Options, patience: &Patience) -> Outcome<Program> {
    let mut source = options.model.source()?;
    if Language::recognise(&source.path, &source.bytes).is_of_nets() {
        let message = "this command is for Promela, and this is a net; use `stubborn check`";
        return Err(Stop::refuse_file("E0003", &source.path, message));
    }
    source.language = Language::Promela;
    let pan = &options.pan;
    let reading = Reading { is_strict_about_ends: pan.strict_end, ..options.model.reading() };
    let what =
        What { ignores_assertions: !pan.assertions, ignores_end_states: !pan.end_states, ..What::default() };
    let program = Program::open_with(source, &reading, &what, claims::extra(options, patience)?, patience)?;
    if let Some(error) = program.refused() {
        return Err(error.into());
    }
    claims::echo(&program)?;
    session::show_warnings(program.warnings());
    Ok(program)
}

/// The name of a trail of a model.
pub fn trail_name(model: &str, trail: &Trail) -> String {
    match trail {
        Trail::First => format!("{model}.trail"),
        Trail::Number(number) => format!("{model}{number}.trail"),
        Trail::File(name) => name.clone(),
    }
}

/// Checks the model and prints the summary. Violations do not show in the exit status.
pub fn run(options: &Options) -> Outcome<Exit> {
    let started = Instant::now();
    let pan = &options.pan;
    let limits = how::limits(&limit_args(pan));
    let session = Session::start(&limits);
    // `-DMEMLIM` is about the search.
    let program = read(options, &Patience { memory: None, ..session.patience.clone() })?;
    let selection = claims::select(options, &program)?;
    let is_claimed = matches!(selection.claim, ClaimChoice::Selected(_));
    let wanted = ::check::Options {
        search: Some(if pan.breadth_first { Search::Bfs } else { Search::Dfs }),
        fairness: if pan.fairness { Fairness::Weak } else { Fairness::None },
        por: if pan.no_reduction { Por::None } else { Por::Best },
        stop_after: pan.stop_after,
        shortens: false,
        compresses: false,
        limits,
        ..::check::Options::default()
    };
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        path: program.path().to_string(),
        language: program.language().name(),
        results: check_until(&program, &selection.properties, &wanted, &session)?,
        errors: Vec::new(),
        seconds: started.elapsed().as_secs_f64(),
        peak_rss_bytes: limits::peak_resident(),
    };
    if is_claimed && selection.cycles != Cycles::NonProgress {
        note_scope(&report);
    }
    let interrupted = session.is_interrupted();
    if interrupted {
        output::print("Interrupted\n")?;
    }
    let summary = report::spin::Options {
        trail: write_trail(&report, &session),
        claim: selection.claim,
        assertions: pan.assertions,
        cycles: selection.cycles,
        end_states: pan.end_states,
        unreached: pan.unreached,
    };
    output::print(&report::spin::render(&report, &report.results, &summary))?;
    Ok(if interrupted { Exit::Interrupted } else { Exit::Fine })
}

fn limit_args(pan: &Pan) -> LimitArgs {
    LimitArgs {
        max_depth: pan.depth,
        max_time: pan.minutes.map(|minutes| Duration::from_secs(minutes.saturating_mul(60))),
        max_memory: pan.megabytes.map(|megabytes| megabytes.saturating_mul(1 << 20)),
        max_states: None,
    }
}

/// Checks one property after the other, until there are enough errors.
fn check_until(
    program: &Program,
    properties: &[Property],
    wanted: &::check::Options,
    session: &Session,
) -> Outcome<Vec<PropertyResult>> {
    let warnings = session::warnings(program.warnings());
    let about = About { warnings: &warnings, files: &program.interpreter().program().files, is_net: false };
    let mut results: Vec<PropertyResult> = Vec::new();
    let ticker = Ticker::start(session.control.progress.clone());
    for property in properties {
        let plans = plans(program, std::slice::from_ref(property), wanted, &session.patience)?;
        let asked = [(property, &plans[0])];
        let mut tell = |_, answer| results.push(report::result(property, answer, &about));
        ::check::run(program, &asked, wanted, &session.control, &mut tell)
            .map_err(|defect| Stop::Internal(defect.0))?;
        let errors = results.iter().map(|result| result.counts.errors).sum::<u64>();
        if wanted.stop_after.is_some_and(|enough| errors >= enough) {
            break;
        }
    }
    drop(ticker);
    Ok(results)
}

/// Spin follows a run only as long as the claim does, so it may not see this assertion fail.
fn note_scope(report: &Report) {
    let failed = |result: &PropertyResult| result.kind == "safety" && result.verdict == Verdict::Violated;
    if report.results.iter().any(failed) {
        output::complain("spin: assertions are checked on all runs, within the scope of the claim or not\n");
    }
}

/// Writes the trail of the first error, if there is one; gives its name.
fn write_trail(report: &Report, session: &Session) -> Option<String> {
    let name = trail_name(&report.path, &Trail::First);
    check::write_trace(Path::new(&name), report, session).then_some(name)
}
