//! `stubborn replay`

use std::path::Path;

use ir::Interpreter;
use replay::Run;
use replay::json::TraceFile;
use report::human::{self, Length};

use crate::Outcome;
use crate::args::{ReplayArgs, TraceFormat};
use crate::exit::{Exit, Stop};
use crate::input::{self, Ends};
use crate::{files, output};

/// Re-executes a trace and prints it.
pub fn run(args: &ReplayArgs) -> Outcome<Exit> {
    output::choose_color(args.color);
    let ends = if args.strict_end { Ends::Strict } else { Ends::Usual };
    let input = input::read(&args.model, ends)?;
    let file = read(&args.trace)?;
    let run = execute(&input.interpreter, &file)?;
    output::print(&match args.format {
        TraceFormat::Human => text(&file, &run),
        TraceFormat::Json => report::json::pretty(&TraceFile { trace: replay::json::trace(&run), ..file }),
        TraceFormat::Msc => report::charts::text(&run),
        TraceFormat::Mermaid => report::charts::mermaid(&run),
    })?;
    Ok(Exit::Fine)
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
pub fn execute(interpreter: &Interpreter, file: &TraceFile) -> Outcome<Run> {
    let refuse =
        |message: String| Stop::refuse("E0006", format!("the trace does not fit the model: {message}"));
    let claim = replay::json::claim(file, interpreter).map_err(refuse)?;
    let trace = replay::resolve(&file.trace, interpreter).map_err(|mismatch| refuse(mismatch.to_string()))?;
    replay::replay(interpreter, &trace, &claim).map_err(|mismatch| refuse(mismatch.to_string()))
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
        None => human::write_standing(&mut out, &run.standing),
    }
    out
}
