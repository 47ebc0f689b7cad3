//! `stubborn check`

use std::path::Path;
use std::time::Instant;

use ::check::options::Options;
use ::check::{Answer, Checks, Plan, Property, Refusal, System, plan};
use model::{Over, Patience};
use replay::json::TraceFile;
use report::{About, PropertyResult, Report, Verdict, spin};
use stubborn::{Error, Opened, What, expect_fit};

use crate::Outcome;
use crate::args::{CheckArgs, Format};
use crate::exit::{Exit, Stop};
use crate::progress::Ticker;
use crate::session::{self, Session};
use crate::{files, how, limits, output};

/// Checks a model and reports.
pub fn run(args: &CheckArgs) -> Outcome<Exit> {
    output::choose_color(args.output.color);
    let started = Instant::now();
    let source = args.model.source()?;
    let language = source.language;
    expect_format(args.output.format, language.is_of_nets())?;
    let (mut reading, what) = (args.model.reading(), args.what.what());
    reading.is_strict_about_ends = args.what.strict_end;
    if args.how.compress.as_deref() == Some("chains") {
        (reading.resets_dead, reading.merges) = (true, true);
    }
    let mut options = how::options(args)?;
    expect_fit(language, &reading, &what, &options)?;
    if let Some(path) = &args.output.trace {
        files::expect_writable(path)?;
    }
    let session = Session::start(&options.limits);
    let path = source.path.clone();
    let mut refused = None;
    let results = match stubborn::open(source, &reading, &what, &session.patience) {
        Err(Error::Stopped(over)) => unread(&what, language.is_of_nets(), over),
        opened => {
            let opened = opened?;
            if !args.output.quiet && args.output.format == Format::Human {
                opened.warnings().into_iter().for_each(session::show_warnings);
            }
            refused = opened.refused().map(Stop::from);
            // Who limits the time does not want to wait longer because a model takes long to be read.
            options.limits.time = options.limits.time.map(|time| time.saturating_sub(started.elapsed()));
            let show_progress = !args.output.quiet && !args.output.no_progress;
            answers(&opened, &options, &session, show_progress, args.output.format)?
        }
    };
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        path,
        language: language.name(),
        results,
        errors: refused.as_ref().map_or_else(Vec::new, Stop::records),
        seconds: started.elapsed().as_secs_f64(),
        peak_rss_bytes: limits::peak_resident(),
    };
    match write(args, &report, &session) {
        // Who does not read the report may still want the exit status.
        Ok(()) | Err(Stop::Unheard) => {}
        // Perhaps that was in the middle of it.
        Err(_) if session.is_interrupted() => {}
        // What has begun on standard output cannot be taken back: nothing more is written there.
        Err(Stop::Refused { text, .. }) => {
            output::complain(&text);
            return Ok(Exit::Refused);
        }
        Err(stop) => return Err(stop),
    }
    if let Some(Stop::Refused { text, .. }) = &refused {
        output::complain(text);
    }
    Ok(match refused {
        _ if session.is_interrupted() => Exit::Interrupted,
        // Of what was asked not everything could be.
        Some(_) => Exit::Refused,
        None => exit(&report),
    })
}

/// Answers everything that is asked. What is refused is refused before anything is searched.
fn answers(
    opened: &Opened,
    options: &Options,
    session: &Session,
    show_progress: bool,
    format: Format,
) -> Outcome<Vec<PropertyResult>> {
    let asked = opened.asked();
    let plans = plans(opened.system(), asked, options, &session.patience)?;
    let asked: Vec<_> = asked.iter().zip(&plans).collect();
    let warnings = opened.warnings().map_or_else(Vec::new, session::warnings);
    let is_net = matches!(opened, Opened::Net(_));
    let about = About { warnings: &warnings, files: opened.files(), is_net };
    let mut results: Vec<Option<PropertyResult>> = vec![None; asked.len()];
    let mut written = Ok(());
    let mut tell = |at: usize, answer: Answer| {
        let property: &Property = asked[at].0;
        if format == Format::Mcc && written.is_ok() {
            written = output::print(&report::contest(property, &answer));
        }
        results[at] = Some(report::result(property, answer, &about));
    };
    let ticker = show_progress.then(|| Ticker::start(session.control.progress.clone()));
    let done = ::check::run(opened.system(), &asked, options, &session.control, &mut tell);
    drop(ticker);
    done.map_err(|defect| Stop::Internal(defect.0))?;
    match written {
        // Who does not read the answers may still want the exit status.
        Ok(()) | Err(Stop::Unheard) => {}
        Err(stop) => return Err(stop),
    }
    let missing = || Stop::Internal("a question has no answer".to_string());
    results.into_iter().map(|result| result.ok_or_else(missing)).collect()
}

/// How questions are answered.
pub fn plans(
    system: &dyn System,
    asked: &[Property],
    options: &Options,
    patience: &Patience,
) -> Outcome<Vec<Plan>> {
    let refuse = |refusal: Box<Refusal>| Stop::refuse(refusal.code(), refusal.message());
    let plan = |property| plan(system, property, options, patience).map_err(refuse);
    asked.iter().map(plan).collect()
}

/// What is known of questions about a model that could not be read in time.
fn unread(what: &What, is_net: bool, over: Over) -> Vec<PropertyResult> {
    let about = About { warnings: &[], files: &[], is_net };
    let result = |property: Property| report::result(&property, Answer::unread(over), &about);
    what.unread(is_net).into_iter().map(result).collect()
}

/// Some forms of reports are for some models.
fn expect_format(format: Format, is_net: bool) -> Outcome<()> {
    let message = match format {
        Format::Mcc if !is_net => "`--format mcc` is for nets; use --format json",
        Format::Spin if is_net => "`--format spin` is for programs, and this model is a net",
        _ => return Ok(()),
    };
    Err(Stop::refuse("E0001", message))
}

fn write(args: &CheckArgs, report: &Report, session: &Session) -> Outcome<()> {
    if let Some(path) = &args.output.trace {
        write_trace(path, report, session);
    }
    output::print(&match args.output.format {
        Format::Json => {
            // Time that passes while nobody reads is not ours.
            let patience = Patience { deadline: None, ..session.patience_to_tell() };
            return output::print_with(|out| report::json::write(report, &patience, out));
        }
        Format::Human if args.output.quiet => report::human::headlines(report),
        Format::Human => report::human::render(report),
        Format::Sarif => report::sarif::render(report),
        Format::Junit => report::junit::render(report),
        Format::Spin => spin_summaries(report, args.what.what().checks()),
        // Each answer was written when it was found.
        Format::Mcc => String::new(),
    })
}

/// A summary as of Spin for each property: it checks one at a time.
fn spin_summaries(report: &Report, checks: Checks) -> String {
    let is_temporal = |result: &PropertyResult| !matches!(result.kind, "safety" | "deadlock" | "state-space");
    let is_claim = |result: &PropertyResult| matches!(result.kind, "never" | "ltl" | "automaton");
    let claim = if report.results.iter().any(is_claim) {
        spin::ClaimChoice::NotSelected
    } else {
        spin::ClaimChoice::None
    };
    let summary = |result: &PropertyResult| {
        let options = if is_temporal(result) {
            spin::Options::alone(result)
        } else {
            let (assertions, end_states) = (checks.assertions, checks.stuck.is_some());
            spin::Options { assertions, end_states, claim: claim.clone(), ..spin::Options::default() }
        };
        spin::render(report, std::slice::from_ref(result), &options)
    };
    report.results.iter().map(summary).collect()
}

/// Writes the trace of the first violation to a file, if there is one. The verdict is worth more than the file: why it
/// cannot be written is all that is said.
pub fn write_trace(path: &Path, report: &Report, session: &Session) -> bool {
    let Some(result) = report.results.iter().find(|result| result.run.is_some()) else { return false };
    let Some(run) = &result.run else { return false };
    let file = TraceFile {
        trace: replay::json::trace(run),
        property: Some(result.property.clone()),
        kind: Some(result.kind.to_string()),
        reason: result.reason.clone(),
        formula: result.formula.clone(),
        fairness: Some(result.method.fairness.clone()),
        failure: result.failure.clone(),
    };
    let patience = session.patience_to_tell();
    match files::write(path, &patience, |out| report::json::write_pretty(&file, out)) {
        Err(Stop::Refused { text, .. }) => {
            output::complain(&text);
            false
        }
        _ => true,
    }
}

/// The exit status that a report stands for.
fn exit(report: &Report) -> Exit {
    let any = |verdict| report.results.iter().any(|result| result.verdict == verdict);
    if any(Verdict::Violated) {
        Exit::Violated
    } else if any(Verdict::Unknown) {
        Exit::Unknown
    } else {
        Exit::Fine
    }
}
