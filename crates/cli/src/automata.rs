//! The automata of the process types, as `pan -d` prints them, as a graph, and as JSON.

use std::fmt::Write;

use ir::{Command, Interpreter, Process, Transition};
use serde_json::{Value, json};

/// A transition with what there is to know about it.
struct Row<'a> {
    number: u32,
    from: &'a ir::ControlLocation,
    to: u32,
    transition: &'a Transition,
    file: &'a str,
}

/// The transitions of a process type.
fn rows<'a>(interpreter: &'a Interpreter, index: usize, process: &'a Process) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    for number in 0..interpreter.n_transitions() as u32 {
        let (owner, location) = interpreter.origin(number);
        if owner.0 as usize != index {
            continue;
        }
        let transition = interpreter.transition(number);
        let to = match transition.command {
            Command::Terminate => 0,
            _ => process.locations[transition.target.0 as usize].number,
        };
        let file = interpreter.program().files.get(transition.source.file as usize);
        let file = file.map_or("", String::as_str);
        rows.push(Row { number, from: &process.locations[location as usize], to, transition, file });
    }
    rows
}

fn title(process: &Process) -> String {
    match process.name.as_str() {
        ":init:" => "init".to_string(),
        name => format!("proctype {name}"),
    }
}

/// In the format of `pan -d`. Numbers of transitions are ours, and what is local is not known.
pub fn table(interpreter: &Interpreter) -> String {
    let mut out = String::new();
    for (index, process) in interpreter.program().processes.iter().enumerate() {
        let _ = writeln!(out, "{}", title(process));
        for row in rows(interpreter, index, process) {
            let flag = |set: bool, letter: char| if set { letter } else { '-' };
            let kind = match row.transition.command {
                Command::Block(_) => 'D',
                _ => flag(row.transition.chain, 'A'),
            };
            let _ = writeln!(
                out,
                "\tstate {:>3} -(tr {:>3})-> state {:>3}  [id {:>3} tp {:>3}] [{kind}{}{}{}-] {}:{} => {}",
                row.from.number,
                row.number,
                row.to,
                row.number,
                2,
                flag(row.from.accept, 'a'),
                flag(row.from.end, 'e'),
                flag(row.from.progress, 'p'),
                row.file,
                row.transition.source.line,
                row.transition.text,
            );
        }
    }
    out.push_str("\nTransition Type: A=atomic; D=d_step; L=local; G=global\n");
    out.push_str("Source-State Labels: p=progress; e=end; a=accept;\n");
    out
}

/// For Graphviz.
pub fn dot(interpreter: &Interpreter) -> String {
    let mut out = String::from("digraph model {\n  node [shape=circle];\n");
    for (index, process) in interpreter.program().processes.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{index} {{\n    label={};", quote(&title(process)));
        for location in &process.locations {
            let shape = if location.end { "doublecircle" } else { "circle" };
            let _ = writeln!(out, "    p{index}_{0} [label=\"{0}\" shape={shape}];", location.number);
        }
        for row in rows(interpreter, index, process) {
            let style = if row.transition.chain { " style=bold" } else { "" };
            let label = quote(&row.transition.text);
            let to = match row.transition.command {
                Command::Terminate => {
                    let _ = writeln!(out, "    p{index}_gone [label=\"\" shape=point];");
                    format!("p{index}_gone")
                }
                _ => format!("p{index}_{}", row.to),
            };
            let _ = writeln!(out, "    p{index}_{} -> {to} [label={label}{style}];", row.from.number);
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// As JSON.
pub fn json(interpreter: &Interpreter) -> Value {
    let process = |(index, process): (usize, &Process)| {
        let transitions: Vec<Value> = rows(interpreter, index, process)
            .iter()
            .map(|row| {
                json!({
                    "number": row.number,
                    "from": row.from.number,
                    "to": row.to,
                    "kind": match row.transition.command {
                        Command::Guarded(_) => "statement",
                        Command::Else { .. } => "else",
                        Command::Terminate => "end",
                        Command::Block(_) => "d_step",
                    },
                    "atomic": row.transition.chain,
                    "escape": row.transition.escape,
                    "file": row.file,
                    "line": row.transition.source.line,
                    "text": row.transition.text,
                })
            })
            .collect();
        let locations: Vec<Value> = process
            .locations
            .iter()
            .map(|location| {
                json!({
                    "number": location.number,
                    "labels": location.labels,
                    "end": location.end,
                    "accept": location.accept,
                    "progress": location.progress,
                    "line": location.source.line,
                })
            })
            .collect();
        json!({"process": process.name, "locations": locations, "transitions": transitions})
    };
    let processes = interpreter.program().processes.iter().enumerate().map(process);
    json!({"schema": 1, "processes": processes.collect::<Vec<Value>>()})
}
