//! `stubborn`: the command line.
//!
//! The only crate that prints or reads the environment. `args` says what can be asked for, one
//! module per command answers, `exit` says how the process ends.

#![forbid(unsafe_code)]

mod args;
mod automata;
mod check;
mod exit;
mod input;
mod interactive;
mod limits;
mod output;
mod progress;
mod properties;
mod replay_trace;
mod show;
mod simulate;
mod spin;
mod unreached;

use std::process::ExitCode;

use exit::{Exit, Stop};

/// Deeply nested models are parsed by recursion; the memory is only taken when it is used.
const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(exit::report_panic));
    let arguments: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || run(arguments));
    let exit = worker.ok().and_then(|thread| thread.join().ok()).unwrap_or(Exit::Internal);
    ExitCode::from(exit as u8)
}

fn run(arguments: Vec<String>) -> Exit {
    let cli = match args::parse(&arguments) {
        Ok(cli) => cli,
        Err(exit) => return exit,
    };
    let (format, result) = match cli.command {
        args::Command::Check(args) => (args.output.format, check::run(&args)),
        args::Command::Simulate(args) => (args::Format::Human, simulate::run(&args)),
        args::Command::Replay(args) => (args::Format::Human, replay_trace::run(&args)),
        args::Command::Show(args) => (args::Format::Human, show::run(&args)),
        args::Command::Spin(args) => (args::Format::Human, spin::run(&args.arguments)),
    };
    match result {
        Ok(exit) => exit,
        Err(stop) => exit::report(stop, format),
    }
}

/// What a command comes to.
type Outcome<T> = Result<T, Stop>;
