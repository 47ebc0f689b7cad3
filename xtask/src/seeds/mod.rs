//! Writes `docs/seeds.md`: figures of the literature beside ours.

mod figures;
mod nets;

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::checker::{Answer, Checker, Limits};
use crate::place;
use figures::{Figure, Home, Initial, SEEDS, Seed, Size, TRAPS, Trap};

/// How to write it.
#[derive(Args)]
pub struct Options {
    /// Writes to this file instead.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How long a run may take, in seconds.
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    max_time: u64,
}

/// The methods that the models are given to for comparison.
const METHODS: [&str; 4] = ["none", "local", "ample", "stubborn"];

const HEAD: &str = "\
# Figures of the literature

This page compares the numbers of states and transitions in publications with the numbers that Stubborn counts on the same
models. The models are in `models/seeds`; DTP is a public model that is not part of this repository. Unless otherwise stated,
transitions are counted as arrivals, including the arrival in the initial state.

This file is written by `cargo xtask seeds`. Do not change it by hand.
";

/// What one of our runs has come to.
#[derive(Clone, Debug, PartialEq)]
enum Ours {
    Size(u64, u64),
    Verdict(String),
    /// There is no such method yet, or it is refused for the model: why.
    Refused(String),
    /// No result: why.
    Nothing(String),
}

/// Runs everything and writes the file. False if a figure differs without an explanation or an error is missed.
pub fn run(options: &Options) -> Result<bool, String> {
    let run = Runs { checker: Checker::build()?, seconds: options.max_time };
    let mut text = HEAD.to_string();
    let mut good = true;
    for seed in &SEEDS {
        good &= figures(&run, seed, &mut text);
    }
    let (nets, as_published) = nets::table(&run.checker, run.seconds)?;
    text.push_str(&nets);
    good &= as_published;
    comparison(&run, &mut text);
    good &= traps(&run, &mut text);
    let path = options.output.clone().unwrap_or_else(|| place::workspace().join("docs/seeds.md"));
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{}", path.display());
    Ok(good)
}

struct Runs {
    checker: Checker,
    seconds: u64,
}

impl Runs {
    fn run(&self, home: Home, method: &str, options: &[&str]) -> Result<Answer, Ours> {
        let file = match home {
            Home::Seeds(name) => place::workspace().join("models/seeds").join(name),
            Home::Tests(name) => place::workspace().join("tests/reduction").join(name),
            Home::Corpus(path) => match place::corpus() {
                Ok(root) => root.join(path),
                Err(_) => return Err(Ours::Nothing("no corpus".to_string())),
            },
        };
        eprintln!("{} --por {method} {}", file.display(), options.join(" "));
        let limits = Limits { time: Duration::from_secs(self.seconds), memory: 8 << 30, all_errors: false };
        Ok(self.checker.check_reduced(&file, method, options, limits))
    }

    /// `asked` is `--safety`, which keeps assertions and deadlocks as the publications do, or
    /// `--explore`, which keeps only deadlocks.
    fn size(&self, home: Home, method: &str, asked: &str, options: &[&str]) -> Ours {
        let options = [&[asked], options].concat();
        match self.run(home, method, &options) {
            Err(nothing) => nothing,
            Ok(Answer::Result(report)) if report.complete => Ours::Size(report.states, report.transitions),
            Ok(Answer::Result(report)) => Ours::Nothing(format!("out of {}", report.reason)),
            Ok(Answer::Refused(message)) => Ours::Refused(message),
            Ok(Answer::Broken(message)) => Ours::Nothing(message),
        }
    }

    fn verdict(&self, trap: &Trap, method: &str) -> Ours {
        match self.run(trap.home, method, trap.options) {
            Err(nothing) => nothing,
            Ok(Answer::Result(report)) => Ours::Verdict(report.verdict),
            Ok(Answer::Refused(message)) => Ours::Refused(message),
            Ok(Answer::Broken(message)) => Ours::Nothing(message),
        }
    }
}

/// Puts formatted text behind a text.
macro_rules! put {
    ($text:expr, $($arguments:tt)*) => {
        writeln!($text, $($arguments)*).expect("a string takes everything")
    };
}

/// A publication's table.
fn figures(run: &Runs, seed: &Seed, text: &mut String) -> bool {
    put!(text, "\n## {}\n\n{}\n", seed.title, seed.about);
    put!(text, "| model | algorithm | published | `--por` | ours | same |\n|---|---|---|---|---|---|");
    let mut good = true;
    let mut differences = String::new();
    for figure in seed.figures {
        let Figure { model, home, options, algorithm, method, published, initial, why } = figure;
        let ours = run.size(*home, method, "--safety", options);
        let same = same(*published, *initial, &ours);
        if same == Some(false) {
            good &= !why.is_empty();
            let why = if why.is_empty() { "not explained" } else { why };
            put!(differences, "- {model}, algorithm {algorithm}: {why}.");
        }
        let ours = tell(&ours, *initial);
        let same = same.map_or("-", |same| if same { "yes" } else { "**no**" });
        put!(text, "| {model} | {algorithm} | {} | {method} | {ours} | {same} |", print(*published));
    }
    if !differences.is_empty() {
        put!(text, "\nWhere ours differs:\n\n{}", differences.trim_end());
    }
    good
}

/// Whether a figure comes out; none if there is nothing to compare.
fn same(published: Size, initial: Initial, ours: &Ours) -> Option<bool> {
    let &Ours::Size(states, transitions) = ours else { return None };
    let arrivals = published.1.map(|transitions| transitions + u64::from(initial == Initial::Left));
    Some(states == published.0 && arrivals.is_none_or(|arrivals| arrivals == transitions))
}

fn print(Size(states, transitions): Size) -> String {
    transitions.map_or(states.to_string(), |transitions| format!("{states}/{transitions}"))
}

fn tell(ours: &Ours, initial: Initial) -> String {
    match ours {
        Ours::Size(states, transitions) => {
            format!("{states}/{}", transitions - u64::from(initial == Initial::Left))
        }
        Ours::Verdict(verdict) => verdict.clone(),
        // A method that does not exist, or one that does not go together with the model.
        Ours::Refused(why) if why.contains("no such choice") || why.contains("not available") => {
            "not available".to_string()
        }
        Ours::Refused(_) => "refused".to_string(),
        Ours::Nothing(why) => why.clone(),
    }
}

/// All models by all methods.
fn comparison(run: &Runs, text: &mut String) {
    put!(text, "\n## All methods on the Promela models\n");
    put!(
        text,
        "The table gives states and transitions. `--safety` preserves assertions and deadlocks, `--explore` only deadlocks.\n"
    );
    let ways = ["--safety", "--explore"].map(|asked| METHODS.map(|method| (asked, method))).concat();
    let heads: Vec<String> = ways.iter().map(|(asked, method)| format!(" {asked} {method} |")).collect();
    put!(text, "| model |{}\n|---|{}", heads.concat(), "---|".repeat(ways.len()));
    let mut last = "";
    for Figure { model, home, options, .. } in SEEDS.iter().flat_map(|seed| seed.figures) {
        // The figures of a model stand together.
        if *model == last || model.contains("N=1000") {
            continue;
        }
        last = model;
        let sizes = ways.iter().map(|(asked, method)| run.size(*home, method, asked, options));
        let cells: Vec<String> = sizes.map(|size| format!(" {} |", tell(&size, Initial::Counted))).collect();
        put!(text, "| {model} |{}", cells.concat());
    }
}

/// The errors that unsound reductions lose: each method must find or refuse them.
fn traps(run: &Runs, text: &mut String) -> bool {
    put!(text, "\n## Errors that unsound reductions lose\n");
    let intro = "All these properties are violated. Every method must report the violation or be refused.";
    put!(text, "{intro}\n");
    let heads = METHODS.map(|method| format!(" {method} |"));
    put!(text, "| model | lost by |{}\n|---|---|{}", heads.concat(), "---|".repeat(METHODS.len()));
    let mut good = true;
    for trap in &TRAPS {
        let verdicts = METHODS.map(|method| run.verdict(trap, method));
        let found = |ours: &Ours| match ours {
            Ours::Verdict(verdict) => verdict == "violated",
            Ours::Refused(_) => true,
            Ours::Size(..) | Ours::Nothing(_) => false,
        };
        good &= verdicts.iter().all(found);
        let cells = verdicts.map(|verdict| format!(" {} |", tell(&verdict, Initial::Counted)));
        put!(text, "| {} | {} |{}", trap.model, trap.lost_by, cells.concat());
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_the_same_if_states_and_known_transitions_are() {
        let published = Size(25, Some(40));
        assert_eq!(same(published, Initial::Left, &Ours::Size(25, 41)), Some(true));
        assert_eq!(same(published, Initial::Counted, &Ours::Size(25, 41)), Some(false));
        assert_eq!(same(Size(9002, None), Initial::Counted, &Ours::Size(9002, 1)), Some(true));
        assert_eq!(same(Size(9002, None), Initial::Counted, &Ours::Size(9001, 1)), Some(false));
        assert_eq!(same(published, Initial::Left, &Ours::Refused(String::new())), None);
        assert_eq!(tell(&Ours::Size(25, 41), Initial::Left), "25/40");
    }
}
