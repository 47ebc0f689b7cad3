//! `stubborn simulate`: runs a model step by step, with the same semantics as checking.

use std::time::SystemTime;

use model::{Failure, Patience, Play, Random, Run, RunStep, Told};
use replay::json::{JsonFailure, TraceFile};
use report::data::has_ended;
use report::human;
use report::spin::printed;
use stubborn::What;

use crate::Outcome;
use crate::args::SimulateArgs;
use crate::exit::Exit;
use crate::{interactive, output, replay_trace, session};

/// Runs a model.
pub fn run(args: &SimulateArgs) -> Outcome<Exit> {
    output::choose_color(args.color);
    if let Some(path) = &args.guided {
        return guided(args, &replay_trace::read(path)?);
    }
    let (source, reading) = (args.model.source()?, args.model.reading());
    if source.language.is_of_nets() {
        stubborn::expect_read_as_net(&reading)?;
    }
    let opened = stubborn::open(source, &reading, &What::default(), &Patience::default())?;
    if !args.quiet {
        opened.warnings().into_iter().for_each(session::show_warnings);
        session::show_refused(opened.refused());
    }
    let files = opened.files();
    match opened.play() {
        Ok(player) => play(files, player, args),
        Err(failure) => {
            show_failure(files, &failure);
            Ok(Exit::Violated)
        }
    }
}

/// Plays from the start on. `files` are what the places of failures refer to.
fn play(files: &[String], player: Box<dyn Play + '_>, args: &SimulateArgs) -> Outcome<Exit> {
    if args.interactive {
        return interactive::run(files, player);
    }
    let seed = args.seed.unwrap_or_else(seed_from_clock);
    if !args.quiet {
        output::complain(&format!("seed {seed}\n"));
    }
    random(files, player, &mut Random::new(seed), args)
}

/// Follows a trace.
fn guided(args: &SimulateArgs, file: &TraceFile) -> Outcome<Exit> {
    let opened = replay_trace::open(&args.model, args.model.reading(), What::default(), file)?;
    if !args.quiet {
        opened.warnings().into_iter().for_each(session::show_warnings);
        session::show_refused(opened.refused());
    }
    let run = opened.follow(file, &Patience::default())?;
    for (index, step) in run.steps.iter().enumerate() {
        if run.loop_start == Some(index) && !args.quiet {
            output::print(&format!("     {}\n", human::FOR_EVER))?;
        }
        show_step(index, step.clone(), args.quiet)?;
    }
    show_guided_end(file, &run, args.quiet)
}

/// Shows what a trace leads to.
fn show_guided_end(file: &TraceFile, run: &Run, quiet: bool) -> Outcome<Exit> {
    if let Some(failure) = &file.failure {
        output::complain(&failure_line(failure));
        return Ok(Exit::Violated);
    }
    if !quiet && (run.loop_start.is_none() || has_ended(run)) {
        let steps = run.loop_start.unwrap_or(run.steps.len());
        let mut text = format!("the trace ends after {steps} steps\n");
        human::write_standing(&mut text, &run.standing);
        output::print(&text)?;
    }
    Ok(if file.reason.is_some() { Exit::Violated } else { Exit::Fine })
}

fn random(
    files: &[String],
    mut player: Box<dyn Play + '_>,
    random: &mut Random,
    args: &SimulateArgs,
) -> Outcome<Exit> {
    for index in 0..args.steps {
        let choices = player.choices();
        if choices.actions.is_empty() {
            if !args.quiet {
                show_end(&*player, index)?;
            }
            return Ok(Exit::Fine);
        }
        let action = choices.actions[random.below(choices.actions.len())];
        let Told { step, failures, .. } = player.tell(&action, choices.phase);
        show_step(index as usize, step, args.quiet)?;
        if let Some(failure) = failures.first() {
            show_failure(files, failure);
            return Ok(Exit::Violated);
        }
    }
    if !args.quiet {
        output::complain(&format!("stopped after {} steps (see --steps)\n", args.steps));
    }
    Ok(Exit::Fine)
}

/// Shows a step: what it prints as Spin shows it, then what it does.
pub fn show_step(index: usize, mut step: RunStep, quiet: bool) -> Outcome<()> {
    if quiet {
        return output::print(&step.text.output);
    }
    let mut text = printed(&step);
    step.text.output.clear();
    human::write_step(&mut text, index, &step);
    output::print(&text)
}

/// Shows how a run has ended.
pub fn show_end(player: &dyn Play, steps: u64) -> Outcome<()> {
    let mut text = format!("{} after {steps} steps\n", player.describe_end());
    human::write_standing(&mut text, &player.standing());
    output::print(&text)
}

/// Shows a failure. `files` are what its place refers to.
pub fn show_failure(files: &[String], failure: &Failure) {
    let failure = replay::json::failure(failure, files);
    output::complain(&failure_line(&failure));
}

fn failure_line(failure: &JsonFailure) -> String {
    format!("{}:{}: {}: {}\n", failure.file, failure.line, failure.kind, failure.message)
}

fn seed_from_clock() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(1, |now| now.as_nanos() as u64 % 1_000_000_007)
}
