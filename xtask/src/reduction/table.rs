//! The table: factors, and who is ahead.

use std::fmt::Write;

use super::reference::Reference;

/// What a run of ours has counted.
#[derive(Clone, Debug, PartialEq)]
pub enum Count {
    /// All states that it was to visit.
    States(u64),
    /// A limit has ended it; its name.
    Limit(String),
    /// It was refused or went wrong, with this message.
    Failed(String),
}

impl Count {
    fn states(&self) -> Option<u64> {
        match self {
            Count::States(states) => Some(*states),
            Count::Limit(_) | Count::Failed(_) => None,
        }
    }

    fn text(&self) -> String {
        match self {
            Count::States(states) => states.to_string(),
            Count::Limit(limit) => format!("out of {limit}"),
            Count::Failed(_) => "failed".to_string(),
        }
    }
}

/// What can be asked for.
pub const ASKED: [&str; 2] = ["--explore", "--safety"];

/// A way to reduce: what is kept, and the method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// One of [`ASKED`].
    pub asked: &'static str,
    /// The method.
    pub method: String,
}

/// What was counted of a model.
#[derive(Clone, Debug)]
pub struct Line {
    pub reference: Reference,
    /// Without reduction.
    pub full: Count,
    /// In each way.
    pub reduced: Vec<Count>,
}

/// Factors count as equal within this, as some are known with two digits only.
const TOLERANCE: f64 = 0.005;

impl Line {
    /// The factor of a way; none if a run has come to no end.
    pub fn factor(&self, way: usize) -> Option<f64> {
        let (full, reduced) = (self.full.states()?, self.reduced[way].states()?);
        Some(full as f64 / reduced as f64)
    }

    /// The better factor of the other tools.
    pub fn theirs(&self) -> f64 {
        let Reference { spin, ltsmin, .. } = &self.reference;
        let factors = [spin, ltsmin].into_iter().flatten().map(|gain| gain.factor());
        factors.fold(1.0, f64::max)
    }

    /// Whether the best of some ways is as good as the better of the other tools; none if it is not
    /// known.
    pub fn is_ahead(&self, ways: impl Iterator<Item = usize>) -> Option<bool> {
        let best = ways.filter_map(|way| self.factor(way)).reduce(f64::max)?;
        Some(best >= self.theirs() * (1.0 - TOLERANCE))
    }
}

/// The table in Markdown, with a summary below it.
pub fn render(ways: &[Way], lines: &[Line]) -> String {
    let rows: String = lines.iter().map(|line| row(ways, line)).collect();
    format!("{}{rows}\n{}", head(ways), summary(ways, lines))
}

/// The head of the table.
pub fn head(ways: &[Way]) -> String {
    let mut text = "| model | full |".to_string();
    for Way { asked, method } in ways {
        write!(text, " {asked} {method} | × |").expect("a string takes everything");
    }
    text.push_str(" Spin × | LTSmin × |");
    ASKED.iter().for_each(|asked| text.push_str(&format!(" {asked} ahead |")));
    text.push_str("\n|---|---|");
    text.push_str(&"---|".repeat(2 * ways.len() + 2 + ASKED.len()));
    text.push('\n');
    text
}

/// A model's row.
pub fn row(ways: &[Way], line: &Line) -> String {
    let Reference { name, spin, ltsmin, .. } = &line.reference;
    let factor = |factor: Option<f64>| factor.map_or("-".to_string(), rounded);
    let mut text = format!("| {name} | {} |", line.full.text());
    for (k, count) in line.reduced.iter().enumerate() {
        write!(text, " {} | {} |", count.text(), factor(line.factor(k))).expect("a string takes everything");
    }
    for gain in [spin, ltsmin] {
        write!(text, " {} |", factor(gain.map(|gain| gain.factor()))).expect("a string takes everything");
    }
    for asked in ASKED {
        let ahead = match line.is_ahead((0..ways.len()).filter(|&way| ways[way].asked == asked)) {
            Some(true) => "yes",
            Some(false) => "no",
            None => "-",
        };
        write!(text, " {ahead} |").expect("a string takes everything");
    }
    text.push('\n');
    text
}

/// On how many models which way is ahead.
pub fn summary(ways: &[Way], lines: &[Line]) -> String {
    let count = |name: &str, chosen: &dyn Fn(usize) -> bool| {
        let chosen = || (0..ways.len()).filter(|&way| chosen(way));
        let known: Vec<bool> = lines.iter().filter_map(|line| line.is_ahead(chosen())).collect();
        let ahead = known.iter().filter(|ahead| **ahead).count();
        let open = lines.len() - known.len();
        let open = if open == 0 { String::new() } else { format!(" ({open} more have come to no end)") };
        format!("- {name}: factor at least the better of both on {ahead} of {} models{open}\n", known.len())
    };
    let mut text = String::new();
    for (k, Way { asked, method }) in ways.iter().enumerate() {
        text.push_str(&count(&format!("`{asked} --por {method}`"), &|way| way == k));
    }
    for asked in ASKED {
        text.push_str(&count(&format!("the best method for `{asked}`"), &|way| ways[way].asked == asked));
    }
    text
}

/// Three digits that matter.
fn rounded(factor: f64) -> String {
    match factor {
        _ if factor < 9.995 => format!("{factor:.2}"),
        _ if factor < 99.95 => format!("{factor:.1}"),
        _ => format!("{factor:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::Gain;
    use super::*;

    fn line(full: Count, reduced: [Count; 2]) -> Line {
        let reference = Reference {
            name: "m".to_string(),
            path: "m.pml".to_string(),
            spin: Some(Gain::Factor(2.0)),
            ltsmin: Some(Gain::States(100, 40)),
            full: None,
        };
        Line { reference, full, reduced: reduced.to_vec() }
    }

    fn ways() -> [Way; 2] {
        ["ample", "stubborn"].map(|method| Way { asked: "--safety", method: method.to_string() })
    }

    #[test]
    fn the_better_of_both_counts() {
        let line = line(Count::States(1000), [Count::States(500), Count::States(401)]);
        assert_eq!(line.theirs(), 2.5);
        assert_eq!(line.factor(0), Some(2.0));
        assert_eq!(line.is_ahead(0..1), Some(false));
        // 2.494: within the tolerance.
        assert_eq!(line.is_ahead(0..2), Some(true));
    }

    #[test]
    fn what_has_come_to_no_end_is_not_counted() {
        let limit = || Count::Limit("time".to_string());
        let lines = [
            line(Count::States(1000), [limit(), Count::States(100)]),
            line(limit(), [Count::States(1), Count::States(1)]),
            line(Count::States(1000), [Count::States(1000), limit()]),
        ];
        let text = render(&ways(), &lines);
        assert!(
            text.contains("| m | 1000 | out of time | - | 100 | 10.0 | 2.00 | 2.50 | - | yes |"),
            "{text}"
        );
        assert!(text.contains("| m | out of time | 1 | - | 1 | - | 2.00 | 2.50 | - | - |"), "{text}");
        let ample = "`--safety --por ample`: factor at least the better of both on 0 of 1 models (2 more";
        assert!(text.contains(ample), "{text}");
        let best =
            "the best method for `--safety`: factor at least the better of both on 1 of 2 models (1 more";
        assert!(text.contains(best), "{text}");
    }

    #[test]
    fn factors_have_three_digits() {
        let texts = [1.0, 9.996, 12.34, 99.96, 3624.6].map(rounded);
        assert_eq!(texts, ["1.00", "10.0", "12.3", "100", "3625"]);
    }
}
