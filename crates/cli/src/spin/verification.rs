//! Checking, as `spin -run` does it.

use std::time::Instant;

use report::Report;
use search::{Checks, Order};

use crate::Outcome;
use crate::args::{LimitArgs, WhatArgs};
use crate::check::{self, Job};
use crate::exit::{Exit, Stop};
use crate::input::{self, Ends, Input};
use crate::spin::options::Options;
use crate::{limits, output, properties};

/// Reads the model and shows what is suspicious about it.
pub fn read(options: &Options) -> Outcome<Input> {
    let ends = if options.pan.strict_end { Ends::Strict } else { Ends::Usual };
    let input = input::read(&options.model, ends)?;
    input.show_warnings();
    Ok(input)
}

/// The name of the trail of a model.
pub fn trail_name(model: &str) -> String {
    format!("{model}.trail")
}

/// Checks the model and prints the summary. Violations do not show in the exit status.
pub fn run(options: &Options) -> Outcome<Exit> {
    let started = Instant::now();
    let input = read(options)?;
    let pan = &options.pan;
    let what = WhatArgs { safety: pan.safety_only, ..WhatArgs::default() };
    let properties = properties::select(&what, &input)?;
    let order = if pan.breadth_first { Order::Breadth } else { Order::Depth };
    let limits = LimitArgs { max_depth: pan.depth, ..LimitArgs::default() };
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
            interrupt: check::catch_interrupts(),
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
    let trail = write_trail(&report)?;
    let (assertions, end_states, unreached) = (pan.assertions, pan.end_states, pan.unreached);
    let summary = report::spin::Options { trail, assertions, end_states, unreached };
    output::print(&report::spin::render(&report, &summary));
    Ok(Exit::Fine)
}

fn write_trail(report: &Report) -> Outcome<Option<String>> {
    let Some(text) = check::trace_file(report) else { return Ok(None) };
    let name = trail_name(&report.path);
    std::fs::write(&name, text).map_err(|error| Stop::refuse_file("E0008", &name, error.to_string()))?;
    Ok(Some(name))
}
