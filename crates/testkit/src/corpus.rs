//! Public models beside the repository, for the tests that need them.

use std::path::{Path, PathBuf};

/// The folder of a part of the corpus in which there is this table. If it is not there, that is said.
pub fn part(name: &str, table: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("STUBBORN_CORPUS") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    let folder = root.join(name);
    let is_there = folder.join(table).exists();
    if !is_there {
        println!("SKIPPED: there is no corpus beside the repository, and STUBBORN_CORPUS is not set");
    }
    is_there.then_some(folder)
}

/// The rows of a table, without its head.
pub fn table(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).expect("the tables are there");
    text.lines().skip(1).map(|row| row.split('\t').map(str::to_owned).collect()).collect()
}

/// All files with one of these endings in a folder and below, in order.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
