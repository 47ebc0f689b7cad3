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
use crate::output;

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
    });
    Ok(Exit::Fine)
}

/// Reads a trace.
pub fn read(path: &Path) -> Outcome<TraceFile> {
    let name = path.display().to_string();
    let refuse = |message: String| Stop::refuse_file("E0006", &name, message);
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    replay::json::parse(&text).map_err(refuse)
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
