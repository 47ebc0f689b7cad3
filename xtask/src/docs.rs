//! Documents that are made from tables in the code.

use crate::place;

/// Writes them.
pub fn run() -> Result<bool, String> {
    let file = place::workspace().join("docs/soundness.md");
    std::fs::write(&file, check::soundness::render())
        .map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(true)
}
