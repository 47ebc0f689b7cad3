//! `stubborn mcc`: the protocol of the Model Checking Contest.
//!
//! The environment says what is asked; each answer is a line, written as soon as it is known.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use petri::{Net, contest, pnml, xml};
use report::Tokens;
use source::Diagnostic;

use crate::Outcome;
use crate::args::MccArgs;
use crate::check::catch_interrupts;
use crate::exit::{Exit, Stop};
use crate::how::default_threads;
use crate::{files, input, limits, output};

use super::answers::{Answer, Decided};
use super::ask::{self, Asked, Logic};
use search::Deadlocks;

use super::decide::Decider;

/// What of the time is left to the answers; the rest is for their last lines to be written.
const SHARE: f64 = 0.95;

/// The file of the net.
const MODEL: &str = "model.pnml";

/// Answers the questions of an examination.
pub fn run(args: &MccArgs) -> Outcome<Exit> {
    let started = Instant::now();
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let Some(examination) = args.examination.clone().or_else(|| variable("BK_EXAMINATION")) else {
        let message = "which examination is not known: set BK_EXAMINATION, or use --examination";
        return Err(Stop::refuse("E0001", message));
    };
    let seconds = |text: String| text.parse().ok().filter(|&seconds: &f64| seconds > 0.0 && seconds < 1e9);
    let time = variable("BK_TIME_CONFINEMENT").and_then(seconds);
    let deadline = time.map(|seconds| started + Duration::from_secs_f64(seconds * SHARE));
    let megabytes = variable("BK_MEMORY_CONFINEMENT").and_then(|text| text.parse::<u64>().ok());
    let memory = megabytes.map_or_else(limits::default_memory, |megabytes| (megabytes << 20) / 10 * 9);

    let folder = args.folder.clone().unwrap_or_else(|| folder(variable("BK_INPUT")));
    let file = |name: &str| {
        let path = folder.join(name);
        std::fs::read(&path)
            .map_err(|error| Stop::refuse_file("E0002", &path.display().to_string(), files::reason(&error)))
    };
    let model = file(MODEL)?;
    let name = folder.join(MODEL).display().to_string();
    let text = xml::decode(&name, &model)?;
    let refuse = |error: Box<Diagnostic>| input::refuse_text(&name, &text, *error);
    if pnml::kind(&text).map_err(refuse)? == pnml::Kind::Coloured {
        output::print("DO_NOT_COMPETE\n")?;
        return Ok(Exit::Fine);
    }
    let net = pnml::read(&text).map_err(refuse)?;
    let Some(asked) = questions(&examination, &folder, &net)? else {
        output::print("DO_NOT_COMPETE\n")?;
        return Ok(Exit::Fine);
    };
    let decider = Decider {
        net: net.into(),
        threads: args.threads.map_or_else(default_threads, |threads| threads as usize),
        memory,
        deadline,
        ends: Deadlocks::End,
        interrupt: catch_interrupts(),
        ..Decider::default()
    };
    let mut written = Ok(());
    decider.decide(&asked, &mut |at, decided| {
        if written.is_ok() {
            written = output::print(&line(&asked[at], &decided));
        }
    });
    written?;
    Ok(Exit::Fine)
}

/// Where an instance with this name is, if nobody says it: here, or in the folder of its name.
fn folder(instance: Option<String>) -> PathBuf {
    let here = PathBuf::from(".");
    let named = instance.map(|name| here.join(name)).filter(|named| named.join(MODEL).is_file());
    if here.join(MODEL).is_file() { here } else { named.unwrap_or(here) }
}

/// The questions of an examination; none if there is no such examination.
fn questions(examination: &str, folder: &Path, net: &Net) -> Outcome<Option<Vec<Asked>>> {
    if let Some(property) = contest::global_property(examination) {
        return Ok(Some(vec![ask::of_property(property, Logic::Any, net)]));
    }
    if !contest::WITH_FILE.contains(&examination) {
        return Ok(None);
    }
    let path = folder.join(format!("{examination}.xml"));
    let name = path.display().to_string();
    let bytes =
        std::fs::read(&path).map_err(|error| Stop::refuse_file("E0002", &name, files::reason(&error)))?;
    let logic = match examination {
        _ if examination.starts_with("LTL") => Logic::Linear,
        _ if examination.starts_with("CTL") => Logic::Branching,
        _ => Logic::Any,
    };
    let properties = ask::of_contest(&name, &bytes, net)?;
    Ok(Some(properties.into_iter().map(|property| ask::of_property(property, logic, net)).collect()))
}

/// The answer as the contest wants it: a line, or several about the state space.
pub fn line(asked: &Asked, decided: &Decided) -> String {
    let name = &asked.name;
    let sets = if decided.method.por == "none" { "" } else { " STUBBORN_SETS" };
    let techniques = format!("TECHNIQUES EXPLICIT STATE_COMPRESSION{sets}");
    match &decided.answer {
        Answer::Truth { holds, .. } => {
            format!("FORMULA {name} {} {techniques}\n", if *holds { "TRUE" } else { "FALSE" })
        }
        Answer::Value(value) => format!("FORMULA {name} {value} {techniques}\n"),
        Answer::Tokens(Tokens { in_place, in_all }) => {
            let (states, firings) = (decided.counts.states, decided.counts.transitions.saturating_sub(1));
            [
                format!("STATE_SPACE STATES {states} {techniques}\n"),
                format!("STATE_SPACE TRANSITIONS {firings} {techniques}\n"),
                format!("STATE_SPACE MAX_TOKEN_PER_MARKING {in_all} {techniques}\n"),
                format!("STATE_SPACE MAX_TOKEN_IN_PLACE {in_place} {techniques}\n"),
            ]
            .concat()
        }
        Answer::Unknown(_) if asked.kind == "state-space" => "CANNOT_COMPUTE\n".to_string(),
        Answer::Unbounded(_) | Answer::Unknown(_) => format!("FORMULA {name} CANNOT_COMPUTE\n"),
    }
}
