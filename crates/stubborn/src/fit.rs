//! Options that mean nothing for a model.

use check::options::Options;
use model::Fairness;

use crate::error::Error;
use crate::language::Language;
use crate::what::{Reading, What};

/// Expects that everything that is said means something for models in a language.
///
/// # Errors
/// If something does not.
pub fn expect_fit(
    language: Language,
    reading: &Reading,
    what: &What,
    options: &Options,
) -> Result<(), Error> {
    if language.is_of_nets() {
        of_nets(what, options)?;
        expect_read_as_net(reading)
    } else {
        of_programs(language, what)
    }
}

fn of_nets(what: &What, options: &Options) -> Result<(), Error> {
    let about_programs = [
        ("--safety", what.safety),
        ("--local-deadlock", what.local_deadlock),
        ("--acceptance", what.acceptance),
        ("--progress", what.progress),
        ("--automaton", !what.automaton.is_empty()),
        ("--no-assertions", what.ignores_assertions),
        ("--no-end-states", what.ignores_end_states),
        ("--all-errors", options.stop_after.is_none()),
    ];
    if let Some((option, _)) = about_programs.into_iter().find(|(_, wanted)| *wanted) {
        return Err(about_program(option));
    }
    if options.copies.is_some() {
        return Err(for_program("--fairness-copies"));
    }
    let message = if options.fairness != Fairness::None {
        "`--fairness` is not supported for nets"
    } else if options.limits.depth < u64::MAX {
        "`--max-depth` is not supported for nets; use --max-states or --max-time"
    } else {
        return Ok(());
    };
    Err(Error::new("E0001", message))
}

/// Refuses what changes how programs are read.
///
/// # Errors
/// If there is something of that kind.
pub fn expect_read_as_net(reading: &Reading) -> Result<(), Error> {
    if reading.is_strict_about_ends {
        return Err(about_program("--strict-end"));
    }
    let unused = [
        ("-D", !reading.defines.is_empty()),
        ("-U", !reading.undefines.is_empty()),
        ("-I", !reading.include_dirs.is_empty()),
        ("--lose-messages", reading.loses_messages),
        ("--reset-dead", reading.resets_dead),
        ("--merge", reading.merges),
    ];
    unused.into_iter().find(|(_, wanted)| *wanted).map_or(Ok(()), |(option, _)| Err(for_program(option)))
}

/// Something that is asked of programs only.
fn about_program(option: &str) -> Error {
    let message = format!(
        "`{option}` is about programs, and this model is a net; there are --deadlock, --reach, --invariant, \
         --ctl, --ltl, --formula, --home, --live, --bounded and --explore"
    );
    Error::new("E0001", message)
}

/// An option that means nothing for nets.
pub fn for_program(option: &str) -> Error {
    Error::new("E0001", format!("`{option}` is for programs, and this model is a net; leave it out"))
}

fn of_programs(language: Language, what: &What) -> Result<(), Error> {
    let has_extra = what.ltl.iter().any(|text| !crate::what::is_name(text)) || !what.automaton.is_empty();
    if language == Language::Ir && has_extra {
        let what = "a formula or automaton for a model in ir";
        return Err(Error::unavailable(what, "use the Promela model"));
    }
    Ok(())
}
