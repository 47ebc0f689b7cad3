//! Writing to standard output and standard error.

use std::io::{self, BufWriter, ErrorKind, Write};

use model::Patience;
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
    print_with(|out| out.write_all(text.as_bytes()))
}

/// The same, piece by piece.
pub fn print_with(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Outcome<()> {
    let mut out = BufWriter::new(anstream::stdout().lock());
    write(&mut out).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Stop::Unheard,
        _ => Stop::refuse("E0008", format!("cannot write to standard output: {}", reason(&error))),
    })
}

/// Somewhere to write to as long as there is patience. A short text is always written.
pub struct Patient<'p, W> {
    out: W,
    patience: &'p Patience,
    n_bytes: usize,
}

impl<'p, W: Write> Patient<'p, W> {
    /// With what is written in no time.
    const SHORT: usize = 1 << 20;

    pub fn new(out: W, patience: &'p Patience) -> BufWriter<Patient<'p, W>> {
        BufWriter::with_capacity(1 << 16, Patient { out, patience, n_bytes: 0 })
    }
}

impl<W: Write> Write for Patient<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.n_bytes > Self::SHORT {
            self.patience.check().map_err(|over| io::Error::other(over.to_string()))?;
        }
        self.n_bytes += bytes.len();
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes to standard error.
pub fn complain(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}
