//! Files that are written, and why that fails.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use stubborn::reason;

use crate::Outcome;
use crate::exit::Stop;

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

/// Writes a file.
pub fn write(path: &Path, text: &str) -> Outcome<()> {
    std::fs::write(path, text).map_err(|error| refuse(path, &error))
}
