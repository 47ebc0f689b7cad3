//! Which models are checked, and with which options.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A table of runs, and the models that are not bundled: file names and texts.
pub struct Table {
    pub name: &'static str,
    pub models: Vec<(String, String)>,
    pub runs: Vec<Run>,
}

/// A model with options; its path is relative to the workspace if it is bundled, or to the folder of the models.
pub struct Run {
    pub model: String,
    pub options: Vec<String>,
    pub is_bundled: bool,
}

/// Options for programs. What is refused belongs to the grid, too.
const FOR_PROGRAMS: &[&str] = &[
    "",
    "--por none",
    "--engine interpreter",
    "--merge --reset-dead",
    "--safety --por none --search dfs",
    "--safety --search bfs",
    "--safety --por none --search reach",
    "--safety --por local",
    "--safety --por ample",
    "--safety --por stubborn",
    "--safety --por stubborn --engine interpreter",
    "--safety --por deletion",
    "--safety --por weak",
    "--safety --all-errors",
    "--safety --all-errors --search bfs",
    "--safety --no-assertions",
    "--safety --no-end-states",
    "--safety --strict-end",
    "--safety --merge --por stubborn",
    "--deadlock",
    "--deadlock --por none",
    "--deadlock --por deletion",
    "--explore",
    "--explore --por none --merge --reset-dead",
    "--explore --por stubborn",
    "--explore --search bfs --store table",
    "--explore --search dfs --store tree",
    "--explore --store table",
    "--explore --store hash-compact",
    "--explore --store bitstate --max-memory 64M",
    "--explore --max-states 50",
    "--explore --max-depth 10",
    "--fairness weak",
    "--fairness weak --por none",
    "--fairness weak --search ndfs",
    "--fairness weak --search ndfs --fairness-copies n+2",
    "--fairness weak --por ample",
    "--fairness strong",
    "--search scc",
    "--search ndfs",
    "--search ndfs-basic --por none",
    "--search cndfs",
    "--acceptance",
    "--progress",
    "--progress --por stubborn --search scc",
    "--ltl <>[](timeout)",
    "--ltl [](timeout->X(timeout))",
    // Refused.
    "--por cluster",
    "--por sometimes",
    "--symmetry full",
    "--search somewhere",
    "--search walk",
    "--seed 3",
    "--fairness strong --search ndfs",
    "--fairness weak --search cndfs",
    "--search cndfs --por stubborn",
    "--safety --search reach --por stubborn",
    "--safety --search bfs --por stubborn",
    "--safety --all-errors --por stubborn",
    "--explore --search dfs --store bitstate",
    "--explore --search bfs --store hash-compact",
    "--fairness strong --por stubborn",
    "--fairness weak --por deletion",
    "--ltl <>X(timeout) --por stubborn",
    "--ltl <>X(timeout) --merge",
    "--max-processes 400",
    "--reach x",
];

/// Options for the tiny models of the language.
const FOR_LANGUAGE: &[&str] = &[
    "",
    "--explore --por none",
    "--safety --all-errors",
    "--safety --search bfs",
    "--deadlock",
    "--progress",
];

/// How questions about nets are answered.
const METHODS_FOR_NETS: &[&str] = &[
    "",
    "--por none",
    "--por ample",
    "--por local",
    "--por stubborn",
    "--por deletion",
    "--por weak",
    "--search bfs",
    "--search dfs",
    "--search dfs --por none",
    "--search reach --por none",
    "--search guided",
    "--search walk --seed 5",
    "--store table --por none",
];

/// Questions about any net.
const ABOUT_NETS: &[&[&str]] = &[
    &["--deadlock"],
    &["--explore"],
    &["--live", "all"],
    &["--home", "INITIAL"],
    &["--reach", "DEADLOCK", "--invariant", "NOT DEADLOCK"],
    &[
        "--ctl",
        "AG EF INITIAL",
        "--ctl",
        "AF DEADLOCK",
        "--ctl",
        "EX NOT INITIAL",
        "--ctl",
        "EG NOT DEADLOCK",
    ],
    &["--ltl", "F DEADLOCK", "--ltl", "G (INITIAL -> X NOT INITIAL)", "--ltl", "G F INITIAL"],
];

/// Questions about certain nets.
const ABOUT_ONE_NET: &[(&str, &[&str])] = &[
    (
        "models/nets/mutex.lola",
        &["--invariant", "critical_a + critical_b <= 1", "--reach", "waiting_a = 1 AND waiting_b = 1"],
    ),
    (
        "models/nets/mutex.lola",
        &["--bounded", "critical_a + critical_b", "--bounded", "2 * idle_a - 3", "--live", "enter_a"],
    ),
    (
        "models/nets/mutex.lola",
        &[
            "--ltl",
            "G (waiting_a = 1 -> F critical_a = 1)",
            "--ctl",
            "AG (waiting_a = 1 -> EF critical_a = 1)",
        ],
    ),
    (
        "models/nets/forks.lola",
        &["--reach", "eating_1 = 1 AND eating_2 = 1", "--reach", "hungry_1 = 1 AND hungry_2 = 1"],
    ),
    ("models/nets/forks.lola", &["--bounded", "fork_1 + fork_2", "--home", "thinking_1 = 1"]),
    ("models/nets/buffer.pnml", &["--formula", "models/nets/buffer.formula"]),
    ("models/nets/buffer.pnml", &["--formula", "models/nets/buffer.formula", "--ctl-deadlock", "end"]),
    ("models/nets/mutex.lola", &["--safety"]),
    ("models/nets/mutex.lola", &["--fairness", "weak"]),
    ("models/nets/mutex.lola", &["--max-depth", "4"]),
    ("models/nets/mutex.lola", &["--max-states", "3", "--explore"]),
    ("models/nets/mutex.lola", &["--merge"]),
    ("models/nets/mutex.lola", &["--reach", "nowhere = 1"]),
    ("models/nets/mutex.lola", &["--live", "nobody"]),
    ("models/nets/mutex.lola", &["--ltl", "A F INITIAL"]),
    ("models/nets/mutex.lola", &["--ctl", "F INITIAL"]),
    ("models/nets/mutex.lola", &["--property", "nothing"]),
    ("growing.lola", &["--bounded", "q"]),
    ("growing.lola", &["--reach", "q > 20"]),
    ("growing.lola", &["--deadlock", "--max-states", "500"]),
    ("promised.lola", &["--reach", "q = 0"]),
    ("promised.lola", &["--deadlock"]),
    ("fair.lola", &["--ltl", "F q = 1"]),
    ("fair.lola", &["--ctl", "AF q = 1"]),
    ("fair.lola", &["--ctl", "AG EF q = 1"]),
];

/// Nets that show what others do not.
const NETS: &[(&str, &str)] = &[
    ("growing.lola", "PLACE p, q; MARKING p; TRANSITION t CONSUME p; PRODUCE p, q;"),
    ("promised.lola", "PLACE p; SAFE 1: q; MARKING p: 3; TRANSITION t CONSUME p; PRODUCE q;"),
    (
        "fair.lola",
        "PLACE p, q; MARKING p; TRANSITION t WEAK FAIR CONSUME p; PRODUCE q; TRANSITION u CONSUME p; PRODUCE p;",
    ),
];

/// Nets of the literature.
const EXAMPLES: &[&str] = &["ph 4", "da-a 3", "da-b 3", "simple 2 2", "echo 2 2"];

/// The bundled programs and those of the tests.
pub fn programs() -> Table {
    let models = ["models", "models/seeds", "tests/reduction", "tests/temporal"];
    let models = models.into_iter().flat_map(|folder| files(folder, "pml"));
    let run = |model: String| FOR_PROGRAMS.iter().map(move |options| Run::bundled(&model, words(options)));
    let mut runs: Vec<Run> = models.flat_map(run).collect();
    for (model, options) in [
        ("models/peterson.pml", "-DN=2 --ltl <>[](inside==0) --fairness weak"),
        ("models/leader.pml", "-DN=6 --safety"),
        ("models/philosophers.pml", "-DN=6 --deadlock"),
    ] {
        runs.push(Run::bundled(model, words(options)));
    }
    Table { name: "programs", models: Vec::new(), runs }
}

/// The tiny programs, one rule of the language each.
pub fn language() -> Table {
    let mut models = Vec::new();
    for file in ["models.tsv", "regressions.tsv"] {
        let path = workspace().join("tests/language").join(file);
        let text = std::fs::read_to_string(&path).expect("the table is there");
        for line in text.lines() {
            let mut cells = line.splitn(6, '\t');
            let name = cells.next().expect("a name");
            models.push((format!("{name}.pml"), cells.nth(4).expect("a model").to_string()));
        }
    }
    let run = |(name, _): &(String, String)| {
        let name = name.clone();
        FOR_LANGUAGE.iter().map(move |options| Run::made(&name, words(options)))
    };
    let runs = models.iter().flat_map(run).collect();
    Table { name: "language", models, runs }
}

/// The bundled nets, some of the literature, and some that show what others do not.
pub fn nets() -> Table {
    let mut models: Vec<(String, String)> =
        NETS.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
    let examples =
        EXAMPLES.iter().map(|example| (format!("{}.lola", example.replace(' ', "-")), net_example(example)));
    let examples: Vec<(String, String)> = examples.collect();
    let bundled: Vec<String> =
        ["lola", "pnml"].into_iter().flat_map(|ending| files("models/nets", ending)).collect();
    let mut runs = Vec::new();
    for methods in METHODS_FOR_NETS {
        for questions in ABOUT_NETS {
            let options = || questions.iter().map(|word| word.to_string()).chain(words(methods)).collect();
            runs.extend(bundled.iter().map(|net| Run::bundled(net, options())));
            runs.extend(examples.iter().map(|(net, _)| Run::made(net, options())));
        }
        for (net, questions) in ABOUT_ONE_NET {
            let options = questions.iter().map(|word| word.to_string()).chain(words(methods)).collect();
            runs.push(if net.contains('/') { Run::bundled(net, options) } else { Run::made(net, options) });
        }
    }
    models.extend(examples);
    Table { name: "nets", models, runs }
}

impl Run {
    fn bundled(model: &str, options: Vec<String>) -> Run {
        Run { model: model.to_string(), options, is_bundled: true }
    }

    fn made(model: &str, options: Vec<String>) -> Run {
        Run { is_bundled: false, ..Run::bundled(model, options) }
    }
}

/// Options, of which none has a space in it.
fn words(options: &str) -> Vec<String> {
    options.split_whitespace().map(str::to_string).collect()
}

fn net_example(example: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stubborn"));
    let output = command.arg("net-example").args(example.split(' ')).output().expect("stubborn runs");
    String::from_utf8(output.stdout).expect("nets are text")
}

/// The files of a folder with an ending, by their paths in the workspace, sorted.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(workspace().join(folder)).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    let chosen = paths.filter(|path| path.extension().is_some_and(|found| found == ending));
    let name = |path: PathBuf| path.file_name().expect("a file").to_string_lossy().into_owned();
    let mut files: Vec<String> = chosen.map(|path| format!("{folder}/{}", name(path))).collect();
    files.sort();
    files
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
