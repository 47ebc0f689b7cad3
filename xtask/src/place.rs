//! Where things are: the workspace, its build folder, the corpus.

use std::path::PathBuf;

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    root.canonicalize().unwrap_or(root)
}

/// A folder for generated files, below cargo's target folder.
pub fn generated(name: &str) -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from);
    target.join(name)
}

/// The folder of public models, if it is there: `STUBBORN_CORPUS`, or beside the workspace.
pub fn corpus() -> Result<PathBuf, String> {
    let given = std::env::var_os("STUBBORN_CORPUS").map(PathBuf::from);
    let root = given.unwrap_or_else(|| workspace().join("../shared/corpus"));
    let promela = root.join("promela");
    if promela.join("expected.tsv").is_file() {
        return promela.canonicalize().map_err(|error| format!("{}: {error}", promela.display()));
    }
    Err(format!("no corpus: {} does not exist (set STUBBORN_CORPUS)", promela.join("expected.tsv").display()))
}
