//! The tiny models of the language tests: what they are expected to give, measured again.

use std::path::PathBuf;
use std::time::Duration;

use crate::place;
use crate::spin::{self, Refusal, Spin};
use crate::{Options, process};

/// A tiny model.
#[derive(Clone, Debug)]
pub struct Tiny {
    /// Its name.
    pub name: String,
    /// Stored, matched, errors; none if Spin refuses it or pan crashes.
    pub counts: Option<(u64, u64, u64)>,
    /// Whether Spin or gcc refuses it.
    pub refused: bool,
    /// Its text.
    pub text: String,
}

impl Tiny {
    /// Writes the model to a file.
    pub fn write(&self) -> Result<PathBuf, String> {
        let dir = place::generated("conformance/tiny");
        let file = dir.join(format!("{}.pml", self.name));
        let written = std::fs::create_dir_all(&dir).and_then(|()| std::fs::write(&file, &self.text));
        written.map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(file)
    }
}

/// The tiny models whose name contains `filter`.
pub fn load(filter: &str) -> Result<Vec<Tiny>, String> {
    let path = place::workspace().join("tests/language/models.tsv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.lines().filter_map(tiny).filter(|tiny| tiny.name.contains(filter)).collect())
}

fn tiny(line: &str) -> Option<Tiny> {
    let cells: Vec<&str> = line.splitn(6, '\t').collect();
    let [name, stored, matched, errors, _, text] = cells[..] else { return None };
    let numbers = (stored.parse().ok(), matched.parse().ok(), errors.parse().ok());
    let counts = match numbers {
        (Some(stored), Some(matched), Some(errors)) => Some((stored, matched, errors)),
        _ => None,
    };
    // A backslash that is meant is doubled.
    let text = text.replace("\\\\", "\0").replace("\\n", "\n").replace('\0', "\\");
    Some(Tiny { name: name.to_string(), counts, refused: stored == "REJECT", text: text + "\n" })
}

/// Measures all of them with the installed Spin. False if one gives something else.
pub fn run(options: &Options) -> Result<bool, String> {
    let spin = Spin::find()?;
    println!("tiny models against {}", spin.version);
    let models = load(&options.filter)?;
    let (mut same, mut other) = (0, 0);
    process::in_order(
        &models,
        options.jobs,
        |tiny| measure(&spin, tiny),
        |tiny, difference| match difference {
            Ok(()) => same += 1,
            Err(difference) => {
                other += 1;
                println!("DIFFERENT  {}: {difference}", tiny.name);
            }
        },
    );
    println!("tiny: {same} of {} give what is written down, {other} do not", same + other);
    Ok(other == 0)
}

fn measure(spin: &Spin, tiny: &Tiny) -> Result<(), String> {
    let dir = place::generated("conformance").join(format!("{}.work", tiny.name));
    let file = tiny.write()?;
    let built = spin.build(&file, &dir, &["-O0"]);
    let outcome = match built {
        Err(Refusal::Spin(_) | Refusal::Compiler(_)) if tiny.refused => Ok(()),
        Err(refusal) => Err(refusal.to_string()),
        Ok(_) if tiny.refused => Err("accepted".to_string()),
        Ok(pan) => {
            let args = ["-n", "-c0", "-m100000"].map(String::from);
            let summary = spin::summary(&pan.run(&args, Duration::from_secs(60))?);
            let found = (summary.states, summary.matched, summary.errors);
            match tiny.counts {
                Some(expected) if expected != found => Err(format!("written {expected:?}, found {found:?}")),
                _ => Ok(()),
            }
        }
    };
    let _ = std::fs::remove_dir_all(&dir);
    outcome
}
