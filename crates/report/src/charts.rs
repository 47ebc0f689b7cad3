//! Message sequence charts: as text with one lane per process, and for Mermaid.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::fmt::Write;

use model::{Message, Run, RunStep};

use crate::human::{ENDED, FOR_EVER};
use crate::style::cut;

/// A process that takes part in a run. A pid that is used again is a new one.
struct Lane {
    name: String,
    pid: u16,
}

/// The lanes of a run, and for every step those of its process and of its partner; none for a step in
/// which nothing happens.
struct Lanes {
    list: Vec<Lane>,
    of_step: Vec<Option<(usize, Option<usize>)>>,
}

impl Lanes {
    fn new(run: &Run) -> Lanes {
        let actor = |step: &RunStep| (step.text.pid, step.text.process.clone().unwrap_or_default());
        let partner = |step: &RunStep| {
            step.text.partner.map(|pid| (pid, step.text.partner_name.clone().unwrap_or_default()))
        };
        let steps = run.steps.iter().filter(|step| !step.step.is_stutter());
        let mut list: Vec<(u16, String)> =
            steps.flat_map(|step| std::iter::once(actor(step)).chain(partner(step))).collect();
        list.sort_unstable();
        list.dedup();
        let lane = |who| list.binary_search(&who).expect("everybody who acts has a lane");
        let of_step =
            |step: &RunStep| (!step.step.is_stutter()).then(|| (lane(actor(step)), partner(step).map(lane)));
        let of_step = run.steps.iter().map(of_step).collect();
        let list = list.iter().map(|(pid, name)| Lane { name: name.clone(), pid: *pid }).collect();
        Lanes { list, of_step }
    }
}

/// Which message is which: sends and receives of a buffered channel get the same number.
#[derive(Default)]
struct Numbering {
    under_way: HashMap<u16, VecDeque<(usize, usize, String)>>,
    n_messages: usize,
}

impl Numbering {
    /// The number of a message that is sent from a lane.
    fn send(&mut self, message: &Message, lane: usize) -> usize {
        self.n_messages += 1;
        let entry = (self.n_messages, lane, fields(message));
        self.under_way.entry(message.id).or_default().push_back(entry);
        self.n_messages
    }

    /// The number and the sender's lane of a message that is received. A random or sorted channel
    /// does not keep the order, so the fields are compared first.
    fn receive(&mut self, message: &Message) -> Option<(usize, usize)> {
        let queue = self.under_way.get_mut(&message.id)?;
        let fields = fields(message);
        let at = queue.iter().position(|(_, _, sent)| *sent == fields).unwrap_or(0);
        queue.remove(at).map(|(number, lane, _)| (number, lane))
    }
}

fn fields(message: &Message) -> String {
    let fields: Vec<String> = message.fields.iter().map(ToString::to_string).collect();
    fields.join(",")
}

/// A chart as text.
pub fn text(run: &Run) -> String {
    const WIDTH: usize = 22;
    let lanes = Lanes::new(run);
    let mut out = String::from("      ");
    for lane in &lanes.list {
        let _ = write!(out, "{:<WIDTH$}", cut(&format!("{}({})", lane.name, lane.pid), WIDTH - 2));
    }
    trim_line(&mut out);
    let mut numbering = Numbering::default();
    for (index, step) in run.steps.iter().enumerate() {
        if run.loop_start == Some(index) {
            let _ = writeln!(out, "      {FOR_EVER}");
        }
        let Some((actor, partner)) = lanes.of_step[index] else {
            let _ = writeln!(out, "{:>4}  {ENDED}", index + 1);
            continue;
        };
        let mut cells: Vec<String> = vec!["|".to_string(); lanes.list.len()];
        match (&step.text.message, partner) {
            (Some(message), Some(partner)) => {
                cells[actor] = format!("{}!{}", message.channel, fields(message));
                cells[partner] = format!("{}?{}", message.channel, fields(message));
                let arrow = row(&cells, Some((actor, partner)), WIDTH);
                let _ = write!(out, "{:>4}  {arrow}", index + 1);
                trim_line(&mut out);
                continue;
            }
            (Some(message), None) if message.sent => {
                let number = numbering.send(message, actor);
                cells[actor] = format!("{}!{} #{number}", message.channel, fields(message));
            }
            (Some(message), None) => {
                let number = numbering.receive(message).map_or(String::new(), |(n, _)| format!(" #{n}"));
                cells[actor] = format!("{}?{}{number}", message.channel, fields(message));
            }
            (None, _) => cells[actor] = step.text.action.clone(),
        }
        let _ = write!(out, "{:>4}  {}", index + 1, row(&cells, None, WIDTH));
        trim_line(&mut out);
    }
    out
}

/// One line of the chart; `arrow` joins two lanes.
fn row(cells: &[String], arrow: Option<(usize, usize)>, width: usize) -> String {
    let mut line = String::new();
    for (lane, cell) in cells.iter().enumerate() {
        let cell = cut(cell, width - 2);
        let fill = width - cell.chars().count();
        line.push_str(&cell);
        match arrow {
            Some((from, to)) if from <= lane && lane < to => {
                let end = if lane + 1 == to { "> " } else { "--" };
                line.push_str(&"-".repeat(fill - 2).replacen('-', " ", 1));
                line.push_str(end);
            }
            Some((from, to)) if to <= lane && lane < from => {
                let start = if lane == to { " <" } else { "--" };
                line.push_str(start);
                line.push_str(&"-".repeat(fill - 2));
            }
            _ => line.push_str(&" ".repeat(fill)),
        }
    }
    line
}

fn trim_line(out: &mut String) {
    out.truncate(out.trim_end().len());
    out.push('\n');
}

/// A chart for Mermaid.
pub fn mermaid(run: &Run) -> String {
    let lanes = Lanes::new(run);
    let mut out = String::from("sequenceDiagram\n");
    for (index, lane) in lanes.list.iter().enumerate() {
        let _ =
            writeln!(out, "    participant L{index} as {}", escape(&format!("{}({})", lane.name, lane.pid)));
    }
    let mut numbering = Numbering::default();
    for (index, step) in run.steps.iter().enumerate() {
        if run.loop_start == Some(index) {
            out.push_str("    loop for ever\n");
        }
        let line = match (lanes.of_step[index], lanes.list.len()) {
            (Some(of_step), _) => mermaid_step(step, of_step, &mut numbering),
            // A note needs somebody over whom it stands.
            (None, 0) => format!("%% {ENDED}"),
            (None, n) => format!("Note over L0,L{}: {}", n - 1, escape(ENDED)),
        };
        let _ = writeln!(out, "    {line}");
    }
    if run.loop_start.is_some() {
        out.push_str("    end\n");
    }
    out
}

fn mermaid_step(
    step: &RunStep,
    (actor, partner): (usize, Option<usize>),
    numbering: &mut Numbering,
) -> String {
    match (&step.text.message, partner) {
        (Some(message), Some(partner)) => {
            format!("L{actor}->>L{partner}: {}", escape(&format!("{}!{}", message.channel, fields(message))))
        }
        (Some(message), None) if message.sent => {
            let number = numbering.send(message, actor);
            format!(
                "Note over L{actor}: {}",
                escape(&format!("{}!{} ({number})", message.channel, fields(message)))
            )
        }
        (Some(message), None) => match numbering.receive(message) {
            Some((number, sender)) => {
                let label = escape(&format!("{}?{} ({number})", message.channel, fields(message)));
                format!("L{sender}-->>L{actor}: {label}")
            }
            None => format!("Note over L{actor}: {}", escape(&step.text.action)),
        },
        (None, _) => format!("Note over L{actor}: {}", escape(&step.text.action)),
    }
}

/// Characters that mean something to Mermaid.
fn escape(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '#' => "#35;".to_string(),
            ';' => "#59;".to_string(),
            '<' => "#lt;".to_string(),
            '>' => "#gt;".to_string(),
            other => other.to_string(),
        })
        .collect()
}
