//! Writing to standard output and standard error.

use std::io::{ErrorKind, Write};

use stubborn::reason;

use crate::Outcome;
use crate::exit::Stop;

/// Sets whether colours are written.
pub fn choose_color(choice: crate::args::Color) {
    match choice {
        crate::args::Color::Auto => anstream::ColorChoice::Auto,
        crate::args::Color::Always => anstream::ColorChoice::Always,
        crate::args::Color::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Writes to standard output. There is no point in going on when the reader has gone away
/// (`… | head -1`), and a report that is lost must not look like success.
pub fn print(text: &str) -> Outcome<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Stop::Unheard,
        _ => Stop::refuse("E0008", format!("cannot write to standard output: {}", reason(&error))),
    })
}

/// Writes to standard error.
pub fn complain(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}
