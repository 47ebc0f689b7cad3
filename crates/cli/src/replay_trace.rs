//! `stubborn replay`

use std::path::Path;

use model::{Patience, Run};
use replay::json::TraceFile;
use report::data::has_ended;
use report::human::{self, Length};
use stubborn::{Opened, Reading, What, expect_read_as_net};

use crate::Outcome;
use crate::args::{ModelArgs, ReplayArgs, TraceFormat};
use crate::exit::{Exit, Stop};
use crate::output;

/// Re-executes a trace and prints it.
pub fn run(args: &ReplayArgs) -> Outcome<Exit> {
    output::choose_color(args.color);
    let file = read(&args.trace)?;
    let (reading, what) = (args.reading(), args.what());
    let opened = open(&args.model, reading, what, &file)?;
    if let (Opened::Net(_), Some(form)) = (&opened, args.format.of_processes()) {
        return Err(stubborn::for_program(&format!("--format {form}")).into());
    }
    let run = opened.follow(&file, &Patience::default())?;
    output::print(&match args.format {
        TraceFormat::Human => text(&file, &run),
        TraceFormat::Json => {
            let TraceFile { property, kind, reason, formula, fairness, failure, .. } = file;
            let trace = replay::json::trace(&run);
            let told = TraceFile { trace, property, kind, reason, formula, fairness, failure };
            return output::print_with(|out| report::json::write_pretty(&told, out)).map(|()| Exit::Fine);
        }
        TraceFormat::Msc => report::charts::text(&run),
        TraceFormat::Mermaid => report::charts::mermaid(&run),
    })?;
    Ok(Exit::Fine)
}

/// Opens the model of a trace, with the properties that may be read behind it: those that the options give, or else the
/// formula in the trace, in case the model does not have it.
pub fn open(model: &ModelArgs, reading: Reading, mut what: What, file: &TraceFile) -> Outcome<Opened> {
    let source = model.source()?;
    if source.language.is_of_nets() {
        expect_read_as_net(&reading)?;
        let given = [("--ltl", !what.ltl.is_empty()), ("--automaton", !what.automaton.is_empty())];
        if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(stubborn::for_program(option).into());
        }
    } else {
        what.add_trace(file);
    }
    Ok(stubborn::open(source, &reading, &what, &Patience::default())?)
}

/// Reads a trace.
pub fn read(path: &Path) -> Outcome<TraceFile> {
    let name = path.display().to_string();
    let refuse = |message: String| Stop::refuse_file("E0006", &name, message);
    let text = std::fs::read_to_string(path).map_err(|error| refuse(stubborn::reason(&error)))?;
    if is_spin_trail(&text) {
        let advice = "this trail was written by Spin, and only Spin can interpret its numbers; \
                      `stubborn spin -run` writes a trail that can be read here";
        return Err(refuse(advice.to_string()));
    }
    replay::json::parse(&text).map_err(|message| refuse(format!("not a trace: {message}")))
}

/// Whether a text starts with a line of three numbers, `-4:-4:-4`.
fn is_spin_trail(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line.split(':').count() == 3 && line.split(':').all(|number| number.trim().parse::<i64>().is_ok())
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
