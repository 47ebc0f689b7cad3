//! Checking, as `spin -run` does it.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ::check::prefer::Por;
use report::spin::{ClaimChoice, Cycles};
use report::{PropertyResult, Report, Verdict};
use search::{Checks, Fairness, Order};

use crate::Outcome;
use crate::args::LimitArgs;
use crate::check::{self, Job};
use crate::exit::{Exit, Stop};
use crate::how::Wanted;
use crate::input::{self, Ends, Input};
use crate::properties::Property;
use crate::spin::claims;
use crate::spin::options::{Options, Pan, Trail};
use crate::{files, limits, output};

/// Reads the model and shows its formulas and what is suspicious about it.
pub fn read(options: &Options) -> Outcome<Input> {
    let ends = if options.pan.strict_end { Ends::Strict } else { Ends::Usual };
    let mut opened = input::open(&options.model)?;
    let language = input::recognise(&opened.path, &opened.bytes);
    if language.is_of_nets() {
        // It is refused as what it is, not as Promela with errors.
        opened.language = language;
    }
    let input = input::read_with(&options.model, opened, ends, claims::extra(options)?)?;
    claims::echo(&input)?;
    input.show_warnings();
    Ok(input)
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
    let input = read(options)?;
    let pan = &options.pan;
    let selection = claims::select(options, &input)?;
    let is_claimed = matches!(selection.claim, ClaimChoice::Selected(_));
    let interrupt = check::catch_interrupts();
    let order = if pan.breadth_first { Order::Breadth } else { Order::Depth };
    let fairness = if pan.fairness { Fairness::Weak } else { Fairness::None };
    let por = if pan.no_reduction { Por::None } else { Por::Best };
    let job = Job {
        input: &input,
        checks: Checks {
            assertions: pan.assertions,
            stuck: if pan.end_states && !is_claimed { Checks::SAFETY.stuck } else { None },
        },
        options: search::Options {
            order,
            stop_after: pan.stop_after,
            limits: check::search_limits(&limit_args(pan)),
            interrupt: interrupt.clone(),
            ..search::Options::default()
        },
        wanted: Wanted { order: Some(order), threads: 1, fairness, por, ..Wanted::default() },
        shorten: false,
        show_progress: true,
    };
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        path: input.path.clone(),
        language: input.language,
        results: check_until(&job, &selection.properties, pan.stop_after)?,
        seconds: started.elapsed().as_secs_f64(),
        peak_rss_bytes: limits::peak_resident(),
    };
    if is_claimed && selection.cycles != Cycles::NonProgress {
        note_scope(&report);
    }
    // Relaxed: nothing but the flag is shared.
    let interrupted = interrupt.load(Ordering::Relaxed);
    if interrupted {
        output::print("Interrupted\n")?;
    }
    let summary = report::spin::Options {
        trail: write_trail(&report),
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
fn check_until(job: &Job, properties: &[Property], enough: Option<u64>) -> Outcome<Vec<PropertyResult>> {
    let mut results = Vec::new();
    let mut errors = 0;
    for property in properties {
        let result = job.check(property, &job.admit(property)?)?;
        errors += result.counts.errors;
        results.push(result);
        if enough.is_some_and(|enough| errors >= enough) {
            break;
        }
    }
    Ok(results)
}

/// Spin follows a run only as long as the claim does, so it may not see this assertion fail.
fn note_scope(report: &Report) {
    let failed = |result: &PropertyResult| result.kind == "safety" && result.verdict == Verdict::Violated;
    if report.results.iter().any(failed) {
        output::complain("spin: assertions are checked on all runs, within the scope of the claim or not\n");
    }
}

/// Writes the trail of the first error, if there is one; gives its name. The summary is worth
/// more than the file.
fn write_trail(report: &Report) -> Option<String> {
    let text = check::trace_file(report)?;
    let name = trail_name(&report.path, &Trail::First);
    match files::write(Path::new(&name), &text) {
        Err(Stop::Refused { text, .. }) => {
            output::complain(&text);
            None
        }
        _ => Some(name),
    }
}
