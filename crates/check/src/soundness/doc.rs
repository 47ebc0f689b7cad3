//! The table as a document: `docs/soundness.md`.

use std::fmt::Write as _;

use super::{Dimension, NOTES, ROWS, Row, Setting, Status, VALUES, Value};
use crate::options::Search;

const HEAD: &str = "\
# What is sound together

This file is written by `cargo xtask docs` from the table that decides (`crates/check/src/soundness`). Do not change it by hand.

A setting is what is asked, of what kind of system, and how it is answered. **Sound** rows speak of exactly the settings that
they name, with or without what stands under \"also with\"; everything that no row names is refused. **Refusals** speak of every
setting that contains what they name, and win.
";

/// The document.
pub fn render() -> String {
    let mut text = HEAD.to_string();
    write(&mut text).expect("a string takes it");
    text
}

fn write(text: &mut String) -> std::fmt::Result {
    for (class, dimension, name) in VALUES {
        if dimension == Dimension::Class {
            let is_about = |row: &&Row| row.when[0].has(class);
            writeln!(text, "\n## {}\n", capitalised(name))?;
            sound_rows(text, ROWS.iter().filter(is_about))?;
        }
    }
    writeln!(
        text,
        "\n## Refusals\n\n| row | setting | status | why | source | shown by |\n|---|---|---|---|---|---|"
    )?;
    for row in ROWS.iter().filter(|row| row.refuses()) {
        let status = if row.status == Status::Unsound { "unsound" } else { "not known" };
        let witness = row.witness.map_or(String::new(), |witness| format!("`{witness}`"));
        let Row { id, why, source, .. } = row;
        writeln!(text, "| {id} | {} | {status} | {why} | {source} | {witness} |", groups(row.when))?;
    }
    writeln!(text, "\n## Worth knowing\n")?;
    for note in NOTES {
        writeln!(text, "- {}: {}", groups(note.when), note.text)?;
    }
    writeln!(
        text,
        "\n## What searches provide\n\n| search | one path | weak fairness | strong fairness |\n|---|---|---|---|"
    )?;
    for search in Search::NAMED.into_iter().chain([Search::Graph]) {
        let cells = super::ABILITIES.map(|need| if search.provides(need) { "yes" } else { "" });
        writeln!(text, "| `{search}` | {} |", cells.join(" | "))?;
    }
    Ok(())
}

fn sound_rows<'a>(text: &mut String, rows: impl Iterator<Item = &'a Row>) -> std::fmt::Result {
    writeln!(text, "| row | with | also with | needs | why | source |\n|---|---|---|---|---|---|")?;
    for row in rows.filter(|row| !row.refuses()) {
        let needs: Vec<String> = row.needs().iter().map(ToString::to_string).collect();
        let Row { id, why, source, .. } = row;
        let (with, also) = (groups(&row.when[1..]), names(row.may, ", "));
        writeln!(text, "| {id} | {with} | {also} | {} | {why} | {source} |", needs.join("; "))?;
    }
    Ok(())
}

/// One of each.
fn groups(groups: &[Setting]) -> String {
    let groups: Vec<String> = groups.iter().map(|group| names(*group, " or ")).collect();
    groups.join(" + ")
}

/// The names of values; that of their dimension if they are all that it has.
fn names(setting: Setting, separator: &str) -> String {
    let mut names = Vec::new();
    for (dimension, all) in WHOLE {
        let of_dimension =
            VALUES.into_iter().filter(|(_, found, _)| *found == dimension).map(|(value, ..)| value);
        let (inside, outside): (Vec<Value>, Vec<Value>) = of_dimension.partition(|&value| setting.has(value));
        if outside.is_empty() && inside.len() > 1 {
            names.push(all);
        } else {
            names.extend(inside.into_iter().map(Value::name));
        }
    }
    names.join(separator)
}

/// What the values of each dimension are called together.
const WHOLE: [(Dimension, &str); 7] = [
    (Dimension::Class, "any question"),
    (Dimension::Fairness, "any fairness"),
    (Dimension::System, "any facts of the system"),
    (Dimension::Property, "any facts of the property"),
    (Dimension::Want, "anything wanted"),
    (Dimension::Por, "any reduction"),
    (Dimension::Compression, "any compression"),
];

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_document_is_up_to_date() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/soundness.md");
        let written = std::fs::read_to_string(file).unwrap_or_default();
        assert!(written == super::render(), "write docs/soundness.md anew with `cargo xtask docs`");
    }
}
