//! Figures about nets: K. Schmidt, "Explicit State Space Verification".

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::figures::Size;
use crate::checker::{Answer, Checker, Limits};
use crate::place;

/// What must be the same as published.
#[derive(Clone, Copy)]
enum Same {
    /// States and firings.
    Exact,
    /// At most as many states: they depend on choices that the thesis leaves open.
    AtMost,
    /// The way to the goal is at most as long.
    Way(u64),
}

/// A figure about a net.
struct Figure {
    net: &'static str,
    /// What is asked.
    asked: Asked,
    published: Size,
    same: Same,
}

/// What is asked of a net.
#[derive(Clone, Copy)]
enum Asked {
    Full,
    Basic,
    /// UP sets for places that are all to be marked: their name, the first, and the one behind the last.
    Up(&'static str, u64, u64),
    /// Whether such a marking can always be reached again.
    Home(&'static str, u64, u64),
}

const fn full(net: &'static str, states: u64, firings: u64) -> Figure {
    Figure { net, asked: Asked::Full, published: Size(states, Some(firings)), same: Same::Exact }
}

const fn basic(net: &'static str, states: u64, firings: u64) -> Figure {
    Figure { asked: Asked::Basic, ..full(net, states, firings) }
}

const fn up(net: &'static str, goal: (&'static str, u64, u64), size: (u64, u64), same: Same) -> Figure {
    Figure { net, asked: Asked::Up(goal.0, goal.1, goal.2), published: Size(size.0, Some(size.1)), same }
}

const fn home(net: &'static str, goal: (&'static str, u64, u64), size: (u64, u64)) -> Figure {
    Figure { asked: Asked::Home(goal.0, goal.1, goal.2), ..full(net, size.0, size.1) }
}

const FIGURES: [Figure; 39] = [
    full("ph 5", 242, 805),
    full("ph 10", 59_048, 393_650),
    full("ph 12", 531_440, 4_251_516),
    full("da-a 10", 1034, 10_260),
    full("da-a 19", 524_307, 9_961_510),
    full("da-b 5", 217, 770),
    full("da-b 10", 11_364, 71_880),
    full("da-b 11", 24_697, 169_202),
    full("simple 2 5", 55_447, 688_478),
    full("simple 3 3", 70_633, 897_594),
    full("simple 5 2", 254_475, 3_689_792),
    full("echo 2 3", 2628, 9994),
    basic("ph 5", 62, 85),
    basic("ph 12", 398, 540),
    basic("ph 13", 470, 637),
    basic("ph 100", 29_702, 39_700),
    basic("ph 400", 478_802, 638_800),
    basic("da-a 19", 39, 76),
    basic("da-a 100", 201, 400),
    basic("da-a 500", 1001, 2000),
    basic("da-b 10", 31, 50),
    up("da-a 19", ("write", 0, 2), (39, 76), Same::Exact),
    up("da-a 100", ("write", 0, 2), (201, 400), Same::Exact),
    up("da-a 500", ("write", 0, 2), (1001, 2000), Same::Exact),
    up("ph 12", ("eat", 0, 2), (254_911, 433_258), Same::AtMost),
    up("ph 13", ("eat", 0, 2), (732_277, 1_248_253), Same::AtMost),
    up("ph 20", ("right", 1, 20), (126, 125), Same::Way(125)),
    up("da-a 19", ("read", 0, 19), (20, 19), Same::Way(19)),
    up("da-a 100", ("read", 0, 100), (101, 100), Same::Way(100)),
    home("ph 12", ("left", 0, 12), (398, 540)),
    home("ph 12", ("left", 0, 1), (398, 540)),
    home("ph 100", ("left", 0, 1), (29_702, 39_700)),
    home("ph 400", ("left", 0, 400), (478_802, 638_800)),
    home("da-a 20", ("write", 0, 2), (41, 160)),
    home("da-a 100", ("write", 0, 2), (201, 800)),
    home("da-a 500", ("write", 0, 2), (1001, 4000)),
    home("da-a 50", ("read", 0, 1), (101, 200)),
    home("da-a 100", ("read", 0, 1), (201, 400)),
    home("da-a 500", ("read", 0, 1), (1001, 2000)),
];

const ABOUT: &str = "\
## Explicit state space verification (Schmidt, habilitation thesis)

Nets made by `stubborn net-example`; states and firings, without the arrival in the initial state. Full: `--explore --por
none`. Basic stubborn sets: `--explore --por stubborn`. UP sets: `--reach`, which asks whether all places named so can be
marked at once. Two neighbours who eat and two writers cannot be; then all that UP sets leave is explored. Its size
depends for `ph` on choices that the thesis leaves open, so fewer states count as the same. The other goals can be
reached, and then the length of the way is compared: our searches store all successors of a state when they expand it, so
there are more states than on the way even if it leads straight there.

Two phases: `--home`, which asks whether all places named so can always be marked at once again. Strong stubborn sets lead
to the terminal components; then such a marking is looked for from one state of each. Published are states and firings of
the first phase. Where the second one goes through all of that again (two writers), its firings are added; where what is
looked for was seen in the first phase, there is no second one here. Goals that can be reached in the second phase only are
left out, for the same reason as above, and those of `ph` that cannot, since the first terminal component decides. Dedicated
sets for home properties (HS), relaxed sets and symmetry: later.

The full space of `da-a 10` and the basic sets of `ph 5`, `ph 13` and `da-a 19` are not printed in the thesis: they follow
from the laws that the printed ones obey.

| net | method | published | way | ours | way | same |
|---|---|---|---|---|---|---|
";

/// The table, and whether all is as it should be.
pub fn table(checker: &Checker, seconds: u64) -> Result<(String, bool), String> {
    let folder = place::generated("seeds");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let (mut text, mut good) = (format!("\n{ABOUT}"), true);
    for figure in &FIGURES {
        let (row, same) = figure.row(checker, &folder, seconds)?;
        text.push_str(&row);
        good &= same;
    }
    Ok((text, good))
}

impl Figure {
    fn row(&self, checker: &Checker, folder: &Path, seconds: u64) -> Result<(String, bool), String> {
        let Figure { net, asked, published, same } = self;
        let file: PathBuf = folder.join(format!("{}.net", net.replace(' ', "-")));
        checker.net_example(net, &file)?;
        let (method, por, options) = match asked {
            Asked::Full => ("full".to_string(), "none", vec!["--explore".to_string()]),
            Asked::Basic => ("basic".to_string(), "stubborn", vec!["--explore".to_string()]),
            Asked::Up(name, first, end) => {
                let method = format!("UP, {}", range(name, *first, *end));
                (method, "stubborn", vec!["--reach".to_string(), all_marked(name, *first, *end)])
            }
            Asked::Home(name, first, end) => {
                let method = format!("two phases, {}", range(name, *first, *end));
                (method, "stubborn", vec!["--home".to_string(), all_marked(name, *first, *end)])
            }
        };
        eprintln!("{net}: {method}");
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let limits = Limits { time: Duration::from_secs(seconds), memory: 8 << 30, all_errors: false };
        let published_way = match same {
            Same::Way(length) => length.to_string(),
            Same::Exact | Same::AtMost => "-".to_string(),
        };
        let (ours, way, is_same) = match checker.check_reduced(&file, por, &options, limits) {
            Answer::Result(report) if report.verdict != "unknown" => {
                let size = (report.states, report.transitions - 1);
                let is_same = same.holds(*published, size, report.n_steps);
                let way = report.n_steps.map_or_else(|| "-".to_string(), |length| length.to_string());
                (format!("{}/{}", size.0, size.1), way, is_same)
            }
            Answer::Result(report) => (format!("out of {}", report.reason), "-".to_string(), false),
            Answer::Refused(message) | Answer::Broken(message) => (message, "-".to_string(), false),
        };
        let published = super::print(*published);
        let yes = if is_same { "yes" } else { "**no**" };
        let row = format!("| {net} | {method} | {published} | {published_way} | {ours} | {way} | {yes} |\n");
        Ok((row, is_same))
    }
}

/// The places from a first one up to, but not including, `end`.
fn range(name: &str, first: u64, end: u64) -> String {
    match end - 1 {
        last if last == first => format!("`{name}_{first}`"),
        last => format!("`{name}_{first}` to `{name}_{last}`"),
    }
}

fn all_marked(name: &str, first: u64, end: u64) -> String {
    let goal: Vec<String> = (first..end).map(|k| format!("{name}_{k} = 1")).collect();
    goal.join(" AND ")
}

impl Same {
    fn holds(self, published: Size, ours: (u64, u64), way: Option<u64>) -> bool {
        match self {
            Same::Exact => published == Size(ours.0, Some(ours.1)),
            Same::AtMost => way.is_none() && ours.0 <= published.0,
            Same::Way(length) => way.is_some_and(|way| way <= length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_figures_must_come_out_and_others_may_be_smaller() {
        let published = Size(39, Some(76));
        assert!(Same::Exact.holds(published, (39, 76), None));
        assert!(!Same::Exact.holds(published, (38, 76), None));
        assert!(Same::AtMost.holds(published, (38, 80), None));
        assert!(!Same::AtMost.holds(published, (40, 76), None));
        assert!(Same::Way(19).holds(published, (200, 300), Some(19)));
        assert!(!Same::Way(19).holds(published, (20, 19), None));
    }
}
