//! The instances of the Model Checking Contest in `../shared/corpus`, through `stubborn mcc`: every answer is
//! the one on which the tools of the contest agree.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use flate2::read::GzDecoder;
use testkit::corpus::{part, table};

/// Seconds for an examination.
const TIME: &str = "60";

/// For each examination of an instance, the expected answer of each property.
type Expected = HashMap<String, BTreeMap<String, BTreeMap<String, String>>>;

fn expected(folder: &Path) -> Expected {
    let mut expected = Expected::new();
    for row in table(&folder.join("expected.tsv")) {
        let [instance, examination, property, verdict] = <[String; 4]>::try_from(row).expect("four columns");
        let examinations = expected.entry(instance).or_default();
        examinations.entry(examination).or_default().insert(property, verdict);
    }
    expected
}

/// Puts the files of an instance into a folder, and says which one.
fn unpack(archive: &Path, into: &Path) -> PathBuf {
    let file = File::open(archive).expect("it is listed");
    tar::Archive::new(GzDecoder::new(file)).unpack(into).expect("an archive");
    let stem = archive.file_stem().expect("it has a name");
    let folder = into.join(stem);
    if folder.join("model.pnml").exists() { folder } else { into.to_path_buf() }
}

/// The answers to an examination, by property.
fn answers(folder: &Path, examination: &str) -> BTreeMap<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_stubborn"))
        .args(["mcc", "--threads", "1"])
        .arg(folder)
        .env("BK_EXAMINATION", examination)
        .env("BK_TIME_CONFINEMENT", TIME)
        .env_remove("BK_MEMORY_CONFINEMENT")
        .output()
        .expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{} {examination}: {errors}", folder.display());
    let lines = String::from_utf8(output.stdout).expect("text");
    let mut answers = BTreeMap::new();
    for line in lines.lines() {
        let words = line.split(' ').collect::<Vec<_>>();
        let ["FORMULA" | "STATE_SPACE", property, answer, ..] = words[..] else {
            assert_eq!(line, "CANNOT_COMPUTE", "{} {examination}", folder.display());
            continue;
        };
        let before = answers.insert(property.to_string(), answer.to_string());
        assert_eq!(before, None, "answered twice: {line}");
    }
    answers
}

#[derive(Default)]
struct Tally {
    right: usize,
    open: Vec<String>,
    wrong: Vec<String>,
}

/// Asks everything about an instance.
fn examine(instance: &str, folder: &Path, asked: &BTreeMap<String, BTreeMap<String, String>>) -> Tally {
    let mut tally = Tally::default();
    for (examination, properties) in asked {
        let answers = answers(folder, examination);
        for name in answers.keys() {
            assert!(properties.contains_key(name), "{instance} {examination}: nobody asked about {name}");
        }
        for (property, expected) in properties {
            match answers.get(property).map(String::as_str) {
                None | Some("CANNOT_COMPUTE") => tally.open.push(format!("{instance} {property}")),
                Some(answer) if answer == expected => tally.right += 1,
                Some(answer) => {
                    tally.wrong.push(format!("{instance} {property}: {answer} instead of {expected}"));
                }
            }
        }
    }
    tally
}

#[test]
fn answers_are_those_of_the_contest() {
    let Some(corpus) = part("mcc", "stats.tsv") else { return };
    let expected = expected(&corpus);
    let asked: Vec<_> =
        table(&corpus.join("stats.tsv")).into_iter().filter(|row| row[1] == "FALSE").collect();
    let waiting = Mutex::new(asked.iter().map(|row| row[0].as_str()).collect::<Vec<_>>());
    let tally = Mutex::new(Tally::default());
    let next = || waiting.lock().expect("nobody panics with it").pop();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(instance) = next() {
                    let place = tempfile::tempdir().expect("a folder");
                    let folder = unpack(&corpus.join(format!("{instance}.tgz")), place.path());
                    let found = examine(instance, &folder, &expected[instance]);
                    let mut tally = tally.lock().expect("nobody panics with it");
                    tally.right += found.right;
                    tally.open.extend(found.open);
                    tally.wrong.extend(found.wrong);
                }
            });
        }
    });
    let Tally { right, open, wrong } = tally.into_inner().expect("nobody panics with it");
    println!("{} instances: {right} right, {} open, {} wrong", asked.len(), open.len(), wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(asked.len() >= 45 && right >= 99 * open.len(), "{open:#?}");
}
