//! `stubborn replay`

use std::path::Path;

use replay::json::TraceFile;
use replay::{Claim, Run};
use report::data::has_ended;
use report::human::{self, Length};
use search::{Evidence, Fairness};

use crate::Outcome;
use crate::args::{DialectArg, ReplayArgs, TraceFormat, WhatArgs};
use crate::exit::{Exit, Stop};
use crate::input::{self, Ends, Extra, Input};
use crate::properties::{self, Kind, Property};
use crate::temporal::Temporal;
use crate::{extra, files, net, output};

/// Re-executes a trace and prints it.
pub fn run(args: &ReplayArgs) -> Outcome<Exit> {
    output::choose_color(args.color);
    let file = read(&args.trace)?;
    let opened = input::open(&args.model)?;
    let run = if opened.language.is_of_nets() {
        refuse_of_programs(args)?;
        net::follow(&*net::read_alone(&args.model, opened)?, &file)?
    } else {
        let ends = if args.strict_end { Ends::Strict } else { Ends::Usual };
        let (ltl, automaton, dialect) = (args.ltl.clone(), args.automaton.clone(), args.dialect);
        let what = WhatArgs { ltl, automaton, dialect, ..WhatArgs::default() };
        execute(&input::read_with(&args.model, opened, ends, extra(&file, &what)?)?, &file)?
    };
    output::print(&match args.format {
        TraceFormat::Human => text(&file, &run),
        TraceFormat::Json => report::json::pretty(&TraceFile { trace: replay::json::trace(&run), ..file }),
        TraceFormat::Msc => report::charts::text(&run),
        TraceFormat::Mermaid => report::charts::mermaid(&run),
    })?;
    Ok(Exit::Fine)
}

/// Refuses what means nothing for a net.
fn refuse_of_programs(args: &ReplayArgs) -> Outcome<()> {
    let wanted = [
        ("--strict-end", args.strict_end),
        ("--ltl", !args.ltl.is_empty()),
        ("--automaton", !args.automaton.is_empty()),
        ("--format msc", args.format == TraceFormat::Msc),
        ("--format mermaid", args.format == TraceFormat::Mermaid),
    ];
    match wanted.into_iter().find(|(_, wanted)| *wanted) {
        Some((option, _)) => Err(net::of_programs(option)),
        None => Ok(()),
    }
}

/// The properties to read behind the model: what the options give, or else the formula in the trace,
/// in case the model does not have it.
pub fn extra(file: &TraceFile, what: &WhatArgs) -> Outcome<Extra> {
    let mut what = what.clone();
    if let (true, Some(formula)) = (what.ltl.is_empty(), &file.formula) {
        // In brackets it is never taken for a name.
        what.ltl.push(format!("({formula})"));
        what.dialect = DialectArg::Inline;
    }
    Ok(Extra { warnings: Vec::new(), ..extra::from_options(&what)? })
}

/// Reads a trace.
pub fn read(path: &Path) -> Outcome<TraceFile> {
    let name = path.display().to_string();
    let refuse = |message: String| Stop::refuse_file("E0006", &name, message);
    let text = std::fs::read_to_string(path).map_err(|error| refuse(files::reason(&error)))?;
    if is_spin_trail(&text) {
        let advice = "this is a trail of Spin, whose numbers mean something to Spin only; \
                      `stubborn spin -run` writes one that can be read here";
        return Err(refuse(advice.to_string()));
    }
    replay::json::parse(&text).map_err(|message| refuse(format!("not a trace: {message}")))
}

/// Whether a text starts with a line of three numbers, `-4:-4:-4`.
fn is_spin_trail(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line.split(':').count() == 3 && line.split(':').all(|number| number.trim().parse::<i64>().is_ok())
}

/// Re-executes a trace; it must do what it says.
pub fn execute(input: &Input, file: &TraceFile) -> Outcome<Run> {
    let interpreter = &input.interpreter;
    let refuse =
        |message: String| Stop::refuse("E0006", format!("the trace does not fit the model: {message}"));
    let infinite = |name: &str| infinite_claim(name, input, file);
    let claim = replay::json::claim(file, interpreter, infinite).map_err(refuse)?;
    let trace = replay::resolve(&file.trace, interpreter).map_err(|mismatch| refuse(mismatch.to_string()))?;
    replay::replay(interpreter, &trace, &claim).map_err(|mismatch| refuse(mismatch.to_string()))
}

/// What a trace of a property of infinite runs shows.
fn infinite_claim(name: &str, input: &Input, file: &TraceFile) -> Result<Claim, String> {
    let temporal = temporal(name, input, file)?;
    let reason = file.reason.as_deref().unwrap_or_default();
    let evidence = if reason == "never-claim" { Evidence::Claim } else { Evidence::Cycle };
    let fits = match evidence {
        Evidence::Claim => temporal.fails_at.is_some(),
        _ => temporal.reason.to_string() == reason,
    };
    if !fits {
        return Err(format!("the property `{name}` cannot be violated by a {reason}"));
    }
    if evidence == Evidence::Claim && file.trace.loop_start.is_some() {
        return Err("the run goes on for ever".to_string());
    }
    let fairness = match file.fairness.as_deref() {
        None | Some("none") => Fairness::None,
        Some("weak") => Fairness::Weak,
        Some("strong") => Fairness::Strong,
        Some(other) => return Err(format!("unknown fairness `{other}`")),
    };
    Ok(temporal.claim(&evidence, fairness))
}

/// The property that a trace is said to violate: the model's, or the formula in the trace.
fn temporal(name: &str, input: &Input, file: &TraceFile) -> Result<Temporal, String> {
    let properties = properties::all(input);
    // A formula may have the name of something that every model has.
    let is_meant = |property: &Property| (property.kind == Kind::Ltl) == file.formula.is_some();
    let named = properties.named(name).unwrap_or_default();
    let known = named.iter().find(|property| is_meant(property)).or(named.first()).cloned();
    let given = || properties.given.into_iter().rfind(|property| property.kind == Kind::Ltl);
    let property = match (known, &file.formula) {
        (None, Some(_)) => given(),
        (known, _) => known,
    };
    let property = property.ok_or_else(|| {
        format!("the property `{name}` is not in the model; give it with --ltl or --automaton")
    })?;
    let temporal = property.temporal.ok_or_else(|| format!("`{name}` is not about infinite runs"))?;
    if file.formula.is_some() && file.formula != temporal.text {
        let text = temporal.text.unwrap_or_default();
        return Err(format!("the property `{name}` has another formula: {text}"));
    }
    Ok(temporal)
}

fn text(file: &TraceFile, run: &Run) -> String {
    let mut out = String::new();
    human::write_run(&mut out, run, Length::Full);
    match &file.failure {
        Some(failure) => {
            out.push_str(&format!(
                "{} at {}:{}: {}\n",
                failure.kind, failure.file, failure.line, failure.message
            ));
        }
        None if run.loop_start.is_some() && !has_ended(run) => {}
        None => human::write_standing(&mut out, &run.standing),
    }
    out
}
