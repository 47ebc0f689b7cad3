//! Programs to test with. Not every test uses all of it.

#![allow(dead_code, reason = "each test file takes what it needs")]

pub mod explore;

use std::path::{Path, PathBuf};

/// A program and what it is called.
pub struct Named {
    pub name: String,
    pub program: ir::Program,
}

/// The programs of the repository, and those of a public collection, if `STUBBORN_CORPUS` says where
/// it is. Some of the latter have more states than memory.
pub fn all_programs() -> Vec<Named> {
    let corpus = std::env::var_os("STUBBORN_CORPUS").map(|corpus| PathBuf::from(corpus).join("promela"));
    let paths = corpus.map(|corpus| files(&corpus, "pml")).unwrap_or_default();
    programs().into_iter().chain(paths.iter().filter_map(|path| lower_file(path))).collect()
}

/// The programs of the repository: what Promela models become, and hand-written ones.
pub fn programs() -> Vec<Named> {
    let mut programs = Vec::new();
    let root = root();
    let models =
        std::fs::read_to_string(root.join("tests/language/models.tsv")).expect("the models are there");
    for line in models.lines() {
        let mut columns = line.splitn(6, '\t');
        let (name, text) = (columns.next().unwrap_or_default(), columns.nth(4).unwrap_or_default());
        let text = text.replace("\\n", "\n");
        programs.extend(lower(name, text).map(|program| Named { name: name.into(), program }));
    }
    programs.extend(files(&root.join("models"), "pml").iter().filter_map(|path| lower_file(path)));
    for path in hand_written() {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let program = ir::text::parse(&text).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
        programs.push(Named { name: path.display().to_string(), program });
    }
    assert!(programs.len() > 300, "only {} programs to test with", programs.len());
    programs
}

/// The hand-written programs.
pub fn hand_written() -> Vec<PathBuf> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs"), "ir")
}

fn lower_file(path: &Path) -> Option<Named> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).ok()?;
    lower(&name, text).map(|program| Named { name, program })
}

/// The program that a Promela model becomes, if it can be run.
pub fn lower(name: &str, text: String) -> Option<ir::Program> {
    let loader = |path: &Path| std::fs::read(path);
    let parsed = promela::parse(name, text, &promela::Options::default(), &loader).ok()?.accept().ok()?;
    // A collected model with too many channels cannot be run, by Spin neither.
    promela::lower(&parsed.program).ok().filter(|program| program.global_channels.len() <= ir::MAX_CHANNELS)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below a folder with the given ending, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
