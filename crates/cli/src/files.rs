//! Files that are written, and why that fails.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use model::Patience;
use stubborn::reason;

use crate::Outcome;
use crate::exit::Stop;
use crate::output::Patient;

/// Makes sure that a file can be written, before a long search is done in vain. Its content stays.
pub fn expect_writable(path: &Path) -> Outcome<()> {
    let is_new = path.symlink_metadata().is_err();
    OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(|e| refuse(path, &e))?;
    if is_new {
        std::fs::remove_file(path).map_err(|e| refuse(path, &e))?;
    }
    Ok(())
}

fn refuse(path: &Path, error: &io::Error) -> Stop {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".to_string(),
        _ => reason(error),
    };
    Stop::refuse_file("E0008", &path.display().to_string(), format!("cannot be written: {reason}"))
}

/// Writes a file. If there is no patience for the whole of it, nothing is left.
pub fn write(
    path: &Path,
    patience: &Patience,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Outcome<()> {
    let file = File::create(path).map_err(|error| refuse(path, &error))?;
    let mut out = Patient::new(file, patience);
    write(&mut out).and_then(|()| out.flush()).map_err(|error| {
        let is_regular = path.metadata().is_ok_and(|metadata| metadata.is_file());
        if is_regular {
            // What is there is no trace.
            let _ = std::fs::remove_file(path);
        }
        refuse(path, &error)
    })
}
