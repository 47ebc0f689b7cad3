//! Simulation and replay, with the lines that `spin -p` prints.

use std::fmt::Write;
use std::path::Path;

use ir::{Interpreter, Player};
use model::{Change, Failure, Patience, Play, Random, RunStep, Value, Variable};
use report::spin::printed;

use crate::Outcome;
use crate::exit::{Exit, Stop};
use crate::spin::options::Options;
use crate::spin::verification::{read, trail_name};
use crate::{interactive, output, replay_trace};

/// A random run, or one that the user chooses.
pub fn run(options: &Options) -> Outcome<Exit> {
    let program = read(options, &Patience::default())?;
    let interpreter = program.interpreter();
    let mut player = match Player::new(interpreter) {
        Ok(player) => player,
        Err(failure) => {
            output::print(&error_line(interpreter, &failure))?;
            return Ok(Exit::Fine);
        }
    };
    if options.interactive {
        return interactive::run(&interpreter.program().files, Box::new(player));
    }
    let mut random = Random::new(options.seed.unwrap_or(1));
    let mut n_steps = 0;
    let mut created = interpreter.n_processes(player.state());
    loop {
        if options.steps == Some(n_steps) {
            output::print(&format!("-------------\ndepth-limit (-u{n_steps} steps) reached\n"))?;
            break;
        }
        let choices = player.choices();
        if choices.actions.is_empty() {
            if player.end() == model::End::Invalid {
                output::print("      timeout\n")?;
            }
            break;
        }
        let alive = interpreter.n_processes(player.state());
        let told = player.tell(&choices.actions[random.below(choices.actions.len())], choices.phase);
        created += interpreter.n_processes(player.state()).saturating_sub(alive);
        n_steps += 1;
        output::print(&step_lines(options, n_steps, &told.step))?;
        if let Some(failure) = told.failures.first() {
            output::print(&error_line(interpreter, failure))?;
            break;
        }
    }
    output::print(&final_state(&player, n_steps))?;
    output::print(&created_line(created))?;
    Ok(Exit::Fine)
}

/// The run of a trail.
pub fn replay(options: &Options) -> Outcome<Exit> {
    let program = read(options, &Patience::default())?;
    let interpreter = program.interpreter();
    let trail = trail_name(program.path(), &options.trail);
    if !Path::new(&trail).exists() {
        return Err(Stop::refuse_file("E0006", &trail, "spin: cannot find trail file"));
    }
    let file = replay_trace::read(Path::new(&trail))?;
    // The whole trail is checked first, then shown step by step.
    let run = program.follow(&file, &Patience::default())?;
    let Ok(mut player) = Player::new(interpreter) else { return Ok(Exit::Fine) };
    let mut created = interpreter.n_processes(player.state());
    let n_steps = run.steps.iter().filter(|step| !step.step.is_stutter()).count() as u64;
    for (index, step) in run.steps.iter().enumerate() {
        if run.loop_start == Some(index) {
            output::print("  <<<<<START OF CYCLE>>>>>\n")?;
        }
        if step.step.is_stutter() {
            continue;
        }
        let alive = interpreter.n_processes(player.state());
        let told = player.tell(&step.step.action, step.step.phase);
        created += interpreter.n_processes(player.state()).saturating_sub(alive);
        for failure in &told.failures {
            output::print(&error_line(interpreter, failure))?;
        }
        output::print(&step_lines(options, index as u64 + 1, step))?;
    }
    output::print(&format!("spin: trail ends after {n_steps} steps\n"))?;
    output::print(&final_state(&player, n_steps))?;
    output::print(&created_line(created))?;
    Ok(Exit::Fine)
}

fn created_line(created: usize) -> String {
    format!("{created} process{} created\n", if created == 1 { "" } else { "es" })
}

fn error_line(interpreter: &Interpreter, failure: &Failure) -> String {
    let record = replay::json::failure(failure, &interpreter.program().files);
    if failure.kind == model::FailureKind::Assertion {
        format!(
            "spin: {}:{}, Error: assertion violated\nspin: text of failed assertion: assert({})\n",
            record.file, record.line, record.message
        )
    } else {
        format!("spin: {}:{}, Error: {}\n", record.file, record.line, record.message)
    }
}

fn step_lines(options: &Options, number: u64, step: &RunStep) -> String {
    let mut out = printed(step);
    let text = &step.text;
    let message = text.message.as_ref();
    let shown = options.statements
        || options.sends && message.is_some_and(|message| message.sent)
        || options.receives && message.is_some_and(|message| message.received);
    if options.columns {
        if let Some(message) = message {
            let fields: Vec<String> = message.fields.iter().map(ToString::to_string).collect();
            let sign = if message.sent { '!' } else { '?' };
            let lanes = |pid: u16| "   .".repeat(pid as usize);
            let what = format!("{}{sign}{}", message.channel, fields.join(","));
            let _ = writeln!(out, "{:>3}{}   {what}", message.id, lanes(text.pid));
            if let Some(partner) = text.partner {
                let _ = writeln!(out, "{:>3}{}   {}", message.id, lanes(partner), what.replacen('!', "?", 1));
            }
        }
    } else if options.statements && text.action == "-end-" {
        let _ = writeln!(out, "{number:>3}: proc {} terminates", text.pid);
    } else if shown {
        let mut line = |pid: u16, process: Option<&str>, line: u32, state: Option<u32>, action: &str| {
            let state = state.map_or(String::new(), |state| format!(" (state {state})"));
            let process = process.unwrap_or("-");
            let _ = writeln!(
                out,
                "{number:>3}:\tproc {pid:>2} ({process}:1) {}:{line}{state}\t[{action}]",
                text.file
            );
        };
        line(text.pid, text.process.as_deref(), text.location.line, Some(step.from), &text.action);
        if let (Some(pid), Some((location, action))) = (text.partner, &text.partner_action) {
            line(pid, text.partner_name.as_deref(), location.line, None, action);
        }
    }
    for change in &step.changes {
        let local =
            change.name.contains("].") && change.name.starts_with(|c: char| c.is_alphabetic() || c == ':');
        if if local { options.locals } else { options.globals } {
            write_change(&mut out, change);
        }
    }
    out
}

fn write_change(out: &mut String, change: &Change) {
    let name = spin_name(&change.name);
    let _ = match &change.after {
        Some(value @ Value::Messages(_)) => writeln!(out, "\t\tqueue ({name}): {}", queue(value)),
        Some(value) => writeln!(out, "\t\t{name} = {value}"),
        None => Ok(()),
    };
}

/// `P[1].x` as Spin writes it: `P(1):x`.
fn spin_name(name: &str) -> String {
    match name.split_once("].") {
        Some((process, variable)) if !process.contains('.') => {
            format!("{}):{variable}", process.replacen('[', "(", 1))
        }
        _ => name.to_string(),
    }
}

/// The state in which a run ends.
fn final_state(player: &Player<'_>, n_steps: u64) -> String {
    let (standing, variables) = (player.standing(), player.variables());
    let mut out = format!("#processes: {}\n", standing.len());
    let is_queue = |variable: &&Variable| matches!(variable.value, Value::Messages(_));
    for variable in variables.iter().filter(is_queue) {
        let _ = writeln!(out, "\t\tqueue ({}): {}", variable.name, queue(&variable.value));
    }
    for variable in variables.iter().filter(|variable| !is_queue(variable) && !variable.name.contains("].")) {
        let _ = writeln!(out, "\t\t{} = {}", variable.name, variable.value);
    }
    for process in standing.iter().rev() {
        let end = if process.end { " <valid end state>" } else { "" };
        let _ = writeln!(
            out,
            "{n_steps:>3}:\tproc {:>2} ({}:1) {}:{} (state {}){end}",
            process.pid, process.process, process.file, process.line, process.number
        );
    }
    out
}

/// The messages of a channel: `[1,2][3,4]`.
fn queue(value: &Value) -> String {
    let Value::Messages(messages) = value else { return value.to_string() };
    let message = |fields: &Vec<Value>| {
        let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
        format!("[{}]", fields.join(","))
    };
    messages.iter().map(message).collect()
}
