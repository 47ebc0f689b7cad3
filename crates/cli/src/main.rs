//! `stubborn`: the command line.
//!
//! The only crate that prints or reads the environment. `args` says what can be asked for, one
//! module per command answers, `exit` says how the process ends.

#![forbid(unsafe_code)]

mod args;
mod automata;
mod check;
mod contest;
mod exit;
mod files;
mod how;
mod interactive;
mod limits;
mod ltl;
mod net_example;
mod output;
mod progress;
mod replay_trace;
mod session;
mod show;
mod show_net;
mod simulate;
mod spin;

use std::process::ExitCode;

use exit::{Exit, Stop};

/// Deeply nested models are parsed by recursion. The memory is only taken when it is used, but some
/// limits count all of it; then less must do.
const STACK_BYTES: [usize; 2] = [256 << 20, 32 << 20];

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(exit::report_panic));
    ::check::return_large();
    let worker = STACK_BYTES.iter().find_map(|&size| {
        std::thread::Builder::new().stack_size(size).spawn(|| run(args::from_environment())).ok()
    });
    let exit = match worker {
        Some(thread) => thread.join().unwrap_or(Exit::Internal),
        None => {
            output::complain("error: there is not enough memory to start\n");
            Exit::Unknown
        }
    };
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
        args::Command::Replay(args) => (args.format.of_errors(), replay_trace::run(&args)),
        args::Command::Show(args) => (args::Format::Human, show::run(&args)),
        args::Command::Ltl(args) => (args::Format::Human, ltl::run(&args)),
        args::Command::Spin(args) => (args::Format::Human, spin::run(&args.arguments)),
        args::Command::Mcc(args) => (args::Format::Human, contest::run(&args)),
        args::Command::NetExample(args) => (args::Format::Human, net_example::run(&args)),
        args::Command::Other(arguments) => (args::wanted_format(&arguments), Err(args::unknown(&arguments))),
    };
    match result {
        Ok(exit) => exit,
        Err(stop) => exit::report(stop, format),
    }
}

/// What a command comes to.
type Outcome<T> = Result<T, Stop>;
