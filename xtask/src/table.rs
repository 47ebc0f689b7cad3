//! State tables: the automata of a model's process types, as `pan -d` prints them and as we have them.

use std::collections::BTreeMap;

use ir::{Command, Program};

/// The automaton of a process type.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    /// The process type.
    pub name: String,
    /// Where a process starts.
    pub start: u32,
    /// The locations, by number.
    pub locations: BTreeMap<u32, Vec<Edge>>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leads; none if the process is gone.
    pub target: Option<u32>,
    /// `A` if it stays in an atomic chain, `D` for a `d_step`, `-` otherwise; then `a`, `e`, `p` for
    /// labels of the location it leaves, or `-`.
    pub flags: String,
    /// The line in the source.
    pub line: u32,
    /// The statement.
    pub text: String,
}

/// Reads the output of `pan -d`. Claims and event traces are left out.
pub fn from_pan(text: &str) -> Result<Vec<Automaton>, String> {
    let mut automata: Vec<Automaton> = Vec::new();
    let mut wanted = false;
    for line in text.lines() {
        if line.starts_with("Transition Type:") {
            return Ok(automata);
        }
        if let Some(row) = line.strip_prefix('\t') {
            if wanted && let Some(automaton) = automata.last_mut() {
                let (from, edge) =
                    edge(row).ok_or_else(|| format!("cannot read the table's line {row:?}"))?;
                if automaton.locations.is_empty() {
                    automaton.start = from;
                }
                automaton.locations.entry(from).or_default().push(edge);
            }
        } else if let Some((kind, name)) =
            line.split_once(' ').or((line == "init").then_some(("init", "init")))
        {
            wanted = kind == "proctype" || kind == "init";
            if wanted {
                automata.push(Automaton { name: plain_name(name), ..Automaton::default() });
            }
        }
    }
    Err("the table has no end".to_string())
}

/// `state  23 -(tr  31)-> state   2  [id   0 tp 503] [--e-G] a.pml:4 => c?n,A`
fn edge(row: &str) -> Option<(u32, Edge)> {
    let (head, text) = row.split_once(" => ")?;
    let (from, rest) = head.trim_start().strip_prefix("state")?.split_once("-(tr")?;
    let (_, rest) = rest.split_once("-> state")?;
    let (target, rest) = rest.split_once("[id")?;
    let (_, rest) = rest.split_once("] [")?;
    let (flags, place) = rest.split_once(']')?;
    let line = place.rsplit_once(':')?.1.trim().parse().ok()?;
    let target: u32 = target.trim().parse().ok()?;
    let edge = Edge {
        target: (target != 0).then_some(target),
        flags: flags.chars().take(4).collect(),
        line,
        text: text.to_string(),
    };
    Some((from.trim().parse().ok()?, edge))
}

fn plain_name(name: &str) -> String {
    name.trim().trim_matches(':').to_string()
}

/// Our automata.
pub fn from_ir(program: &Program) -> Vec<Automaton> {
    let automata = program.processes.iter().map(|process| {
        let number = |k: usize| k as u32 + 1;
        let locations = process.locations.iter().enumerate().map(|(k, location)| {
            let flag = |set: bool, letter: char| if set { letter } else { '-' };
            let labels: String =
                [flag(location.accept, 'a'), flag(location.end, 'e'), flag(location.progress, 'p')]
                    .iter()
                    .collect();
            let edges = location.transitions.iter().map(|step| {
                let kind = match (&step.command, step.chain) {
                    (_, true) => 'A',
                    (Command::Block(_), false) => 'D',
                    _ => '-',
                };
                let gone = matches!(step.command, Command::Terminate);
                Edge {
                    target: (!gone).then(|| number(step.target.0 as usize)),
                    flags: format!("{kind}{labels}"),
                    line: step.source.line,
                    text: step.text.clone(),
                }
            });
            (number(k), edges.collect())
        });
        Automaton { name: plain_name(&process.name), start: 1, locations: locations.collect() }
    });
    automata.collect()
}
