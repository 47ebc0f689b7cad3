//! Writing to standard output and standard error.

use std::io::Write;

/// Sets whether colours are written.
pub fn choose_color(choice: crate::args::Color) {
    match choice {
        crate::args::Color::Auto => anstream::ColorChoice::Auto,
        crate::args::Color::Always => anstream::ColorChoice::Always,
        crate::args::Color::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Writes to standard output. A reader that has gone away is no error.
pub fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes to standard error.
pub fn complain(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}
