//! Simulation in which the user chooses every step.

use std::fmt::Write;
use std::io::BufRead;

use model::{Action, Choices, Phase, Play, Step};

use crate::Outcome;
use crate::exit::Exit;
use crate::output;
use crate::simulate::{show_end, show_failure, show_step};

const HELP: &str = "number: take that step   u: undo   v: show the variables   q: quit\n";

/// What the user wants.
enum Wish {
    Take(usize),
    Undo,
    Variables,
    Help,
    Quit,
    /// There is no more input.
    End,
}

/// Asks for steps until the user has enough. `files` are what the places of failures refer to.
pub fn run(files: &[String], start: Box<dyn Play + '_>) -> Outcome<Exit> {
    output::print(HELP)?;
    let mut players = vec![start];
    while let Some(player) = players.last() {
        let player = &**player;
        let choices = player.choices();
        let n_steps = players.len() - 1;
        if choices.actions.is_empty() {
            show_end(player, n_steps as u64)?;
        }
        show_choices(player, &choices)?;
        match ask(choices.actions.len()) {
            Wish::Quit => break,
            Wish::End => {
                output::print("\n")?;
                break;
            }
            Wish::Help => output::print(HELP)?,
            Wish::Variables => show_variables(player)?,
            Wish::Undo if n_steps == 0 => output::print("this is the initial state\n")?,
            Wish::Undo => {
                players.pop();
            }
            Wish::Take(choice) => {
                let mut next = player.fork();
                let told = next.tell(&choices.actions[choice], choices.phase);
                show_step(n_steps, told.step, false)?;
                told.failures.iter().for_each(|failure| show_failure(files, failure));
                if !told.ended {
                    players.push(next);
                }
            }
        }
    }
    Ok(Exit::Fine)
}

fn show_choices(player: &dyn Play, choices: &Choices) -> Outcome<()> {
    let mut text = String::new();
    if choices.phase == Phase::Timeout && !choices.actions.is_empty() {
        text.push_str("nothing but timeout is possible\n");
    }
    for (index, action) in choices.actions.iter().enumerate() {
        let _ = writeln!(text, "{:>4}: {}", index + 1, describe(player, action, choices.phase));
    }
    text.push_str("> ");
    output::print(&text)
}

fn describe(player: &dyn Play, action: &Action, phase: Phase) -> String {
    let step = Step { action: *action, observable: true, phase };
    let text = player.describe(&step);
    let Some(process) = text.process else { return text.action };
    let mut line = format!("{process}({}) {}:{} {}", text.pid, text.file, text.location.line, text.action);
    if let (Some(pid), Some((_, receive))) = (text.partner, &text.partner_action) {
        let _ = write!(line, " -> {}({pid}) {receive}", text.partner_name.as_deref().unwrap_or("-"));
    }
    line
}

fn show_variables(player: &dyn Play) -> Outcome<()> {
    let mut text = String::new();
    for variable in player.variables() {
        let _ = writeln!(text, "  {} = {}", variable.name, variable.value);
    }
    output::print(&text)
}

fn ask(n_choices: usize) -> Wish {
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => return Wish::End,
        Ok(_) => {}
    }
    match line.trim() {
        "q" => Wish::Quit,
        "u" => Wish::Undo,
        "v" => Wish::Variables,
        "" if n_choices == 1 => Wish::Take(0),
        other => match other.parse::<usize>() {
            Ok(choice) if (1..=n_choices).contains(&choice) => Wish::Take(choice - 1),
            _ => Wish::Help,
        },
    }
}
