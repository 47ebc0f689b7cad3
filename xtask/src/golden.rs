//! The golden tables: what `stubborn check` says of all bundled models and of those of the tests. The test
//! `golden` of the command line compares them; this chore runs it.

use std::process::Command;

use clap::Args;

use crate::place;

/// What to do with differences.
#[derive(Args)]
pub struct Options {
    /// Writes the tables anew; the differences are to be reviewed as those of any file.
    #[arg(long)]
    bless: bool,
}

/// Runs the test. False if something differs.
pub fn run(options: &Options) -> Result<bool, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--profile", "checked", "-p", "stubborn-cli", "--test", "golden"]);
    cargo.current_dir(place::workspace());
    if options.bless {
        cargo.env("BLESS", "1");
    }
    let status = cargo.status().map_err(|error| format!("cargo: {error}"))?;
    Ok(status.success())
}
