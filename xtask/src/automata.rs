//! Compares our automata with those that `pan -d` prints.

use std::path::{Path, PathBuf};

use crate::compare::{self, Comparison};
use crate::corpus;
use crate::known::Known;
use crate::spin::Spin;
use crate::{Options, ours, place, process, table, tiny};

/// What became of a model.
enum Fate {
    Compared(Comparison),
    Skipped(String),
    Refused(String),
}

/// A model to compare.
struct Item {
    name: String,
    file: PathBuf,
}

/// How many models came out how.
#[derive(Default)]
struct Tally {
    equal: u32,
    different: u32,
    explained: u32,
    skipped: u32,
    steps: usize,
    other_line: usize,
}

/// Compares all accepted models of the corpus, and the tiny models of the language tests. False if
/// the goal is missed.
pub fn run(options: &Options) -> Result<bool, String> {
    let spin = Spin::find()?;
    println!("automata against {}", spin.version);
    let known = Known::load()?;
    let mut good = true;
    for (what, items) in [("corpus", corpus_items(&options.filter)), ("tiny", tiny_items(&options.filter))] {
        let items = match items {
            Ok(items) => items,
            Err(reason) => {
                println!("{what} models skipped: {reason}");
                continue;
            }
        };
        let mut tally = Tally::default();
        process::in_order(
            &items,
            options.jobs,
            |item| examine(&spin, item),
            |item, fate| tally.add(item, fate, &known),
        );
        good &= tally.report(what);
    }
    Ok(good)
}

fn corpus_items(filter: &str) -> Result<Vec<Item>, String> {
    let rows = corpus::rows(filter)?.into_iter().filter(|row| row.accepted && !row.has_c_code());
    Ok(rows.map(|row| Item { name: row.path, file: row.file }).collect())
}

fn tiny_items(filter: &str) -> Result<Vec<Item>, String> {
    let models = tiny::load(filter)?.into_iter().filter(|tiny| !tiny.refused);
    models.map(|tiny| Ok(Item { file: tiny.write()?, name: tiny.name })).collect()
}

impl Tally {
    fn add(&mut self, item: &Item, fate: Fate, known: &Known) {
        let name = &item.name;
        let difference = match fate {
            Fate::Skipped(reason) => {
                self.skipped += 1;
                println!("skipped    {name}: {reason}");
                return;
            }
            Fate::Refused(reason) => Some(("refused", reason)),
            Fate::Compared(comparison) => {
                self.steps += comparison.steps;
                self.other_line += comparison.other_line;
                if let (None, Some(example)) = (&comparison.difference, comparison.line_example) {
                    println!("line       {name}: {example}");
                }
                comparison.difference.map(|difference| ("automata", difference))
            }
        };
        match difference {
            None => {
                self.equal += 1;
                println!("equal      {name}");
            }
            Some((what, difference)) => {
                self.different += 1;
                match known.reason(name, what) {
                    Some(reason) => {
                        self.explained += 1;
                        println!("explained  {name}: {what}: {reason}");
                    }
                    None => println!("DIFFERENT  {name}: {what}: {difference}"),
                }
            }
        }
    }

    /// Prints the sums. True if they are good.
    fn report(&self, what: &str) -> bool {
        let Tally { equal, different, explained, skipped, steps, other_line } = self;
        let compared = equal + different;
        let share = 100.0 * f64::from(*equal) / f64::from(compared.max(1));
        println!(
            "{what} automata: {equal} of {compared} equal ({share:.1} %), {different} different ({explained} explained), {skipped} skipped"
        );
        println!("  {steps} steps compared, {other_line} of them stand on another line");
        share >= 98.0 && different == explained
    }
}

fn examine(spin: &Spin, item: &Item) -> Fate {
    let theirs = match tables(spin, &item.file).and_then(|text| table::from_pan(&text)) {
        Ok(theirs) => theirs,
        Err(reason) => return Fate::Skipped(reason),
    };
    match ours::parse(&item.file).and_then(|tree| ours::lower(&tree)) {
        Ok(program) => {
            let names = program.names.iter().flat_map(|set| set.names.iter().cloned()).collect();
            Fate::Compared(compare::compare(theirs, table::from_ir(&program), &names))
        }
        Err(reason) => Fate::Refused(reason),
    }
}

/// The output of `pan -d`, kept in a file that is named by the model's path and content, because
/// compiling takes most of the time. Refusals are kept too.
fn tables(spin: &Spin, model: &Path) -> Result<String, String> {
    let bytes = std::fs::read(model).map_err(|error| error.to_string())?;
    let key = rapidhash::v3::rapidhash_v3(
        &[spin.version.as_bytes(), model.as_os_str().as_encoded_bytes(), &bytes].concat(),
    );
    let cache = place::generated("conformance");
    let (kept, refused) =
        (cache.join(format!("{key:016x}.table")), cache.join(format!("{key:016x}.refused")));
    if let Ok(text) = std::fs::read_to_string(&kept) {
        return Ok(text);
    }
    if let Ok(reason) = std::fs::read_to_string(&refused) {
        return Err(reason);
    }
    let dir: PathBuf = cache.join(format!("{key:016x}.work"));
    let flags = ["-O0", "-DVECTORSZ=16384"];
    let tables =
        spin.build(model, &dir, &flags).map_err(|refusal| refusal.to_string()).and_then(|pan| pan.tables());
    let _ = std::fs::remove_dir_all(&dir);
    let written = match &tables {
        Ok(text) => std::fs::write(&kept, text),
        Err(reason) => std::fs::write(&refused, reason),
    };
    written.map_err(|error| format!("{}: {error}", cache.display()))?;
    tables
}
