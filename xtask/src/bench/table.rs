//! Tables: rows of measurements, and what is said below them.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use super::run::Run;

/// A row of a table.
pub trait Row: Sized {
    /// The titles of the columns.
    const HEAD: &'static [&'static str];
    /// One cell for each column.
    fn cells(&self) -> Vec<String>;
    /// For the file of results.
    fn to_json(&self) -> Value;
    /// How the programs differ where they must not.
    fn difference(&self) -> Option<String>;
    /// What is said below the table.
    fn notes(rows: &[Self]) -> Vec<String>;
}

/// A table that was measured.
pub struct Part {
    /// In Markdown.
    pub text: String,
    /// The rows, for the file of results.
    pub json: Vec<Value>,
    /// Whether everything was measured and the programs agree.
    pub good: bool,
}

/// Measures one subject after the other, each with the rows before it at hand. What fails has no row;
/// why is said below the table.
pub fn tabulate<S, R: Row>(
    subjects: &[S],
    name: impl Fn(&S) -> &str,
    measure: impl Fn(&S, &[R]) -> Result<Vec<R>, String>,
) -> Part {
    let mut rows: Vec<R> = Vec::new();
    let mut failures = Vec::new();
    for subject in subjects {
        eprintln!("{}", name(subject));
        match measure(subject, &rows) {
            Ok(measured) => rows.extend(measured),
            Err(reason) => failures.push(format!("Not measured: {}: {reason}", name(subject))),
        }
    }
    let differences: Vec<String> = rows.iter().filter_map(R::difference).collect();
    let good = failures.is_empty() && differences.is_empty();
    let notes = [R::notes(&rows), differences, failures].concat();
    let cells: Vec<Vec<String>> = rows.iter().map(R::cells).collect();
    Part { text: render(R::HEAD, &cells, &notes), json: rows.iter().map(R::to_json).collect(), good }
}

/// A table in Markdown with a list below it.
fn render(head: &[&str], rows: &[Vec<String>], notes: &[String]) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        writeln!(text, "| {} |", row.join(" | ")).expect("a string takes everything");
    }
    if !notes.is_empty() {
        text.push('\n');
    }
    for note in notes {
        writeln!(text, "- {note}").expect("a string takes everything");
    }
    text
}

/// A number for a table.
pub fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_string(), |value| format!("{value:.digits$}"))
}

/// Seconds, of a run that there may be.
pub fn seconds(run: Option<&Run>) -> String {
    number(run.map(|run| run.seconds), 3)
}

/// Bytes in millions.
pub fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Which end of a column is the bad one.
#[derive(Clone, Copy)]
pub enum Worst {
    Smallest,
    Largest,
}

/// The median and the worst of a column, with the row that it is in. Rows without a value do not count.
pub fn spread<'a>(
    title: &str,
    worst: Worst,
    column: impl Iterator<Item = (&'a str, Option<f64>)>,
) -> Option<String> {
    let mut known: Vec<(&str, f64)> = column.filter_map(|(name, value)| Some((name, value?))).collect();
    known.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let values: Vec<f64> = known.iter().map(|(_, value)| *value).collect();
    let (name, value) = match worst {
        Worst::Smallest => known.first()?,
        Worst::Largest => known.last()?,
    };
    Some(format!("{title}: median {:.2}, worst {value:.2} ({name}); rows: {}", median(&values)?, known.len()))
}

/// What our runs have used, if there are any.
pub fn methods<'a>(runs: impl Iterator<Item = &'a Run>) -> Option<String> {
    let text = |run: &Run, key: &str| run.method[key].as_str().unwrap_or("?").to_string();
    let used: BTreeSet<String> = runs
        .map(|run| {
            format!(
                "search {}, engine {}, store {}",
                text(run, "search"),
                text(run, "engine"),
                text(run, "store")
            )
        })
        .collect();
    (!used.is_empty()).then(|| format!("ours: {}", used.into_iter().collect::<Vec<_>>().join("; ")))
}

/// The middle of sorted values, or between the two in the middle.
fn median(sorted: &[f64]) -> Option<f64> {
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A row that differs if its number is negative.
    struct Count(i64);

    impl Row for Count {
        const HEAD: &'static [&'static str] = &["name", "count"];

        fn cells(&self) -> Vec<String> {
            vec!["n".to_string(), self.0.to_string()]
        }

        fn to_json(&self) -> Value {
            json!(self.0)
        }

        fn difference(&self) -> Option<String> {
            (self.0 < 0).then(|| "negative".to_string())
        }

        fn notes(rows: &[Count]) -> Vec<String> {
            vec![format!("{} rows", rows.len())]
        }
    }

    fn part(subjects: &[i64]) -> Part {
        let measure = |subject: &i64, _: &[Count]| match subject {
            0 => Err("nothing".to_string()),
            count => Ok(vec![Count(*count)]),
        };
        tabulate(subjects, |_| "n", measure)
    }

    #[test]
    fn rows_become_a_table_with_notes() {
        let good = part(&[3, 4]);
        assert_eq!(good.text, "| name | count |\n|---|---|\n| n | 3 |\n| n | 4 |\n\n- 2 rows\n");
        assert_eq!(good.json, [json!(3), json!(4)]);
        assert!(good.good);
    }

    #[test]
    fn failures_and_differences_are_told() {
        let failed = part(&[3, 0]);
        assert!(failed.text.ends_with("- 1 rows\n- Not measured: n: nothing\n"), "{}", failed.text);
        assert!(!failed.good);
        let different = part(&[3, -1]);
        assert!(different.text.ends_with("- 2 rows\n- negative\n"), "{}", different.text);
        assert!(!different.good);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[1.0, 4.0]), Some(2.5));
        assert_eq!(median(&[1.0, 2.0, 9.0]), Some(2.0));
    }

    #[test]
    fn a_spread_names_the_worst() {
        let column = || [("a", Some(2.0)), ("b", None), ("c", Some(0.5)), ("d", Some(4.0))].into_iter();
        let text = |worst| spread("pan / ours", worst, column()).expect("there are values");
        assert_eq!(text(Worst::Smallest), "pan / ours: median 2.00, worst 0.50 (c); rows: 3");
        assert_eq!(text(Worst::Largest), "pan / ours: median 2.00, worst 4.00 (d); rows: 3");
        assert_eq!(spread("x", Worst::Largest, [("b", None)].into_iter()), None);
    }

    #[test]
    fn what_was_used_is_told_once() {
        let run = |engine: &str| Run {
            method: json!({"search": "reach", "engine": engine, "store": "tree", "threads": 1}),
            ..Run::default()
        };
        let runs = [run("jit"), run("jit"), run("interpreter")];
        let text = "ours: search reach, engine interpreter, store tree; search reach, engine jit, store tree";
        assert_eq!(methods(runs.iter()).as_deref(), Some(text));
        assert_eq!(methods([].iter()), None);
    }

    #[test]
    fn what_is_not_known_is_a_dash() {
        assert_eq!(number(Some(1.26), 1), "1.3");
        assert_eq!(number(None, 1), "-");
    }
}
