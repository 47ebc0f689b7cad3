//! `stubborn mcc`: the protocol of the Model Checking Contest.
//!
//! The environment says what is asked; each answer is a line, written as soon as it is known.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ::check::options::{Deadlocks, Limits, Options};
use stubborn::contest::MODEL;

use crate::Outcome;
use crate::args::MccArgs;
use crate::check::plans;
use crate::exit::{Exit, Stop};
use crate::how::default_threads;
use crate::session::Session;
use crate::{limits, output};

/// What of the time is left to the answers; the rest is for their last lines to be written.
const SHARE: f64 = 0.95;

/// Answers the questions of an examination.
pub fn run(args: &MccArgs) -> Outcome<Exit> {
    let started = Instant::now();
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let Some(examination) = args.examination.clone().or_else(|| variable("BK_EXAMINATION")) else {
        let message = "no examination is given: set BK_EXAMINATION, or use --examination";
        return Err(Stop::refuse("E0001", message));
    };
    let seconds = |text: String| text.parse().ok().filter(|&seconds: &f64| seconds > 0.0 && seconds < 1e9);
    let time = variable("BK_TIME_CONFINEMENT").and_then(seconds);
    let time = time.map(|seconds| Duration::from_secs_f64(seconds * SHARE));
    let megabytes = variable("BK_MEMORY_CONFINEMENT").and_then(|text| text.parse::<u64>().ok());
    let memory = megabytes.map_or_else(limits::default_memory, |megabytes| (megabytes << 20) / 10 * 9);
    let folder = args.folder.clone().unwrap_or_else(|| folder(variable("BK_INPUT")));

    let mut session = Session::start(&Limits { memory, time, ..Limits::default() });
    let Some(net) = stubborn::contest::open(&folder, &examination, &session.patience)? else {
        output::print("DO_NOT_COMPETE\n")?;
        return Ok(Exit::Fine);
    };
    let options = Options {
        threads: args.threads.map_or_else(default_threads, |threads| threads as usize),
        deadlocks: Deadlocks::End,
        limits: Limits { memory, ..Limits::default() },
        ..Options::default()
    };
    session.control.deadline = time.map(|time| started + time);
    let plans = plans(&net, net.asked(), &options, &session.patience)?;
    let asked: Vec<_> = net.asked().iter().zip(&plans).collect();
    let mut written = Ok(());
    let done = ::check::run(&net, &asked, &options, &session.control, &mut |at, answer| {
        if written.is_ok() {
            written = output::print(&report::contest(asked[at].0, &answer));
        }
    });
    done.map_err(|defect| Stop::Internal(defect.0))?;
    written?;
    Ok(Exit::Fine)
}

/// Where an instance with this name is, if nobody says it: here, or in the folder of its name.
fn folder(instance: Option<String>) -> PathBuf {
    let here = PathBuf::from(".");
    let named = instance.map(|name| here.join(name)).filter(|named| named.join(MODEL).is_file());
    if here.join(MODEL).is_file() { here } else { named.unwrap_or(here) }
}
