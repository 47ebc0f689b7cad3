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

/// The folder of public models, if it is there.
pub fn corpus() -> Result<PathBuf, String> {
    part_of_corpus("promela", "expected.tsv")
}

/// The folder of public formulas, if it is there.
pub fn formulas() -> Result<PathBuf, String> {
    part_of_corpus("ltl", "literature.tsv")
}

/// The folder of nets of the contest, if it is there.
pub fn contest() -> Result<PathBuf, String> {
    part_of_corpus("mcc", "expected.tsv")
}

/// A folder of the corpus, which is at `STUBBORN_CORPUS` or beside the workspace, with a file in it.
fn part_of_corpus(name: &str, file: &str) -> Result<PathBuf, String> {
    let given = std::env::var_os("STUBBORN_CORPUS").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| workspace().join("../shared/corpus")).join(name);
    if folder.join(file).is_file() {
        return folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()));
    }
    Err(format!("no corpus: {} does not exist (set STUBBORN_CORPUS)", folder.join(file).display()))
}
