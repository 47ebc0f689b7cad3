//! Checking, as `spin -run` does it.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use report::Report;
use search::{Checks, Order};

use crate::Outcome;
use crate::args::{LimitArgs, WhatArgs};
use crate::check::{self, Job};
use crate::exit::{Exit, Stop};
use crate::input::{self, Ends, Input};
use crate::properties::{self, Kind, Property};
use crate::spin::options::{Options, Trail};
use crate::{files, limits, output};

/// Reads the model and shows what is suspicious about it.
pub fn read(options: &Options) -> Outcome<Input> {
    let ends = if options.pan.strict_end { Ends::Strict } else { Ends::Usual };
    let input = input::read(&options.model, ends)?;
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
    let claim = claim(&input)?;
    if let (Some(claim), true) = (&claim, pan.claims) {
        let what = format!("checking the {} `{}`", claim.kind.name(), claim.name);
        return Err(Stop::unavailable(&what, "-noclaim leaves claims out and checks the rest"));
    }
    let what = WhatArgs { safety: true, ..WhatArgs::default() };
    let properties = properties::select(&what, &input)?;
    let order = if pan.breadth_first { Order::Breadth } else { Order::Depth };
    let limits = LimitArgs {
        max_depth: pan.depth,
        max_time: pan.minutes.map(|minutes| Duration::from_secs(minutes.saturating_mul(60))),
        max_memory: pan.megabytes.map(|megabytes| megabytes.saturating_mul(1 << 20)),
        max_states: None,
    };
    let interrupt = check::catch_interrupts();
    let checks = Checks {
        assertions: pan.assertions,
        stuck: if pan.end_states { Checks::SAFETY.stuck } else { None },
    };
    let job = Job {
        input: &input,
        checks,
        options: search::Options {
            order,
            stop_after: pan.stop_after,
            limits: check::search_limits(&limits),
            interrupt: interrupt.clone(),
            ..search::Options::default()
        },
        method: check::method(order),
        shorten: false,
        show_progress: true,
    };
    let results = properties.iter().map(|property| job.check(property)).collect::<Outcome<Vec<_>>>()?;
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        path: input.path.clone(),
        language: input.language,
        results,
        seconds: started.elapsed().as_secs_f64(),
        peak_rss_bytes: limits::peak_resident(),
    };
    // Relaxed: nothing but the flag is shared.
    let interrupted = interrupt.load(Ordering::Relaxed);
    if interrupted {
        output::print("Interrupted\n")?;
    }
    let trail = write_trail(&report);
    let (assertions, end_states, unreached) = (pan.assertions, pan.end_states, pan.unreached);
    let claim_left_out = claim.is_some();
    let summary = report::spin::Options { trail, assertions, end_states, unreached, claim_left_out };
    output::print(&report::spin::render(&report, &summary))?;
    Ok(if interrupted { Exit::Interrupted } else { Exit::Fine })
}

/// What the model has that Spin would check, and that cannot be checked yet. Scripts look for
/// `errors: 0`; it must not stand there then.
fn claim(input: &Input) -> Outcome<Option<Property>> {
    let declared = properties::select(&WhatArgs::default(), input)?;
    let is_claim = |property: &Property| matches!(property.kind, Kind::Never | Kind::Ltl | Kind::Trace);
    Ok(declared.into_iter().find(is_claim))
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
