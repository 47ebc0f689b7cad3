//! Chores: conformance with an installed Spin, benchmarks, fuzzing.

#![forbid(unsafe_code)]

mod automata;
mod bench;
mod checker;
mod claims;
mod compare;
mod corpus;
mod counts;
mod docs;
mod fuzz;
mod generate;
mod golden;
mod known;
mod ltl;
mod mutate;
mod ours;
mod place;
mod process;
mod random;
mod reduction;
mod seeds;
mod spin;
mod table;
mod text;
mod tidy;
mod tiny;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Compares with an installed Spin, and with what it said of the corpus.
    Conformance(Options),
    /// Measures time and memory, side by side with an installed Spin.
    Bench(bench::Options),
    /// Sizes of automata beside those of Spot, for the formulas of the corpus.
    Ltl(ltl::Options),
    /// What partial-order reduction achieves, beside Spin and LTSmin.
    Reduction(reduction::Options),
    /// Writes docs/seeds.md: figures of the literature beside ours.
    Seeds(seeds::Options),
    /// Writes the documents that are made from tables in the code: docs/soundness.md.
    Docs,
    /// Compares verdicts, counts, methods and traces of all bundled models with the stored tables.
    Golden(golden::Options),
    /// Looks at what no compiler sees: edges between crates, lengths of files, licences.
    Tidy,
    /// Writes a very large input: a process, a formula, a trace or a net.
    Generate(generate::Options),
    /// Sends mutated models through the whole pipeline: nothing may panic or hang.
    Fuzz(fuzz::Options),
}

/// What to compare. Without a choice: the automata and the counts.
#[derive(Args)]
pub struct Options {
    /// Our automata with `pan -d`, on the corpus.
    #[arg(long)]
    automata: bool,
    /// Verdicts, states and transitions with the corpus table.
    #[arg(long)]
    counts: bool,
    /// Verdicts on temporal properties with the corpus table, by all searches.
    #[arg(long)]
    claims: bool,
    /// The tiny models of the language tests, measured again.
    #[arg(long)]
    tiny: bool,
    /// Random programs: how many.
    #[arg(long, value_name = "N")]
    random: Option<u64>,
    /// Only models whose path contains this.
    #[arg(long, default_value = "", value_name = "TEXT")]
    filter: String,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many models at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

fn conformance(options: &Options) -> Result<bool, String> {
    let Options { automata, counts, claims, tiny, random, .. } = options;
    let default = ![automata, counts, claims, tiny].into_iter().any(|chosen| *chosen) && random.is_none();
    let mut good = true;
    if *automata || default {
        good &= automata::run(options)?;
    }
    if *counts || default {
        good &= counts::run(options)?;
    }
    if *claims {
        good &= claims::run(options)?;
    }
    if *tiny {
        good &= tiny::run(options)?;
    }
    if let Some(programs) = *random {
        good &= random::run(options, programs)?;
    }
    Ok(good)
}

fn main() -> ExitCode {
    let done = match Cli::parse().chore {
        Chore::Conformance(options) => conformance(&options),
        Chore::Bench(options) => bench::run(&options),
        Chore::Ltl(options) => ltl::run(&options),
        Chore::Reduction(options) => reduction::run(&options),
        Chore::Seeds(options) => seeds::run(&options),
        Chore::Docs => docs::run(),
        Chore::Golden(options) => golden::run(&options),
        Chore::Tidy => tidy::run(),
        Chore::Fuzz(options) => fuzz::run(&options),
        Chore::Generate(options) => generate::run(&options),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::from(2)
        }
    }
}
