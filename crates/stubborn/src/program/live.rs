//! Statements by their places.

use std::collections::BTreeMap;

use check::question::Recurrence;
use ir::Program;

use crate::error::Error;

/// A statement: its transitions have the same place and text.
struct Statement<'a> {
    file: &'a str,
    line: u32,
    process: &'a str,
    labels: &'a [String],
    transitions: Vec<u32>,
}

/// The statements that can be executed again, as the user names them: `all`, a line of a file, or a label of a process
/// type.
///
/// # Errors
/// If there are none.
pub(super) fn wanted(place: &str, program: &Program) -> Result<Recurrence, Error> {
    let statements = statements(program);
    let chosen: Vec<Vec<u32>> = if place == "all" {
        statements.into_iter().map(|statement| statement.transitions).collect()
    } else if let Some((process, label)) = place.split_once('@') {
        let is_there = |statement: &Statement<'_>| {
            statement.process == process && statement.labels.iter().any(|other| other == label)
        };
        // One of those that can be executed there is enough.
        let chosen = statements.into_iter().filter(is_there).flat_map(|statement| statement.transitions);
        Some(chosen.collect::<Vec<u32>>()).filter(|chosen| !chosen.is_empty()).into_iter().collect()
    } else {
        let (file, line) = place.rsplit_once(':').map_or((None, place), |(file, line)| (Some(file), line));
        let line: Option<u32> = line.parse().ok();
        let is_there = |statement: &Statement<'_>| {
            Some(statement.line) == line && file.is_none_or(|file| is_named(statement.file, file))
        };
        statements.into_iter().filter(is_there).map(|statement| statement.transitions).collect()
    };
    if chosen.is_empty() {
        let message = format!(
            "`--live {place}`: there is no such statement; write FILE:LINE, PROCESS@LABEL, or `all` for every one"
        );
        return Err(Error::new("E0355", message));
    }
    Ok(Recurrence::Again(Some(chosen)))
}

/// Whether a file is meant by a name: its whole path, or the end of it.
fn is_named(path: &str, name: &str) -> bool {
    path == name || path.strip_suffix(name).is_some_and(|rest| rest.ends_with('/'))
}

fn statements(program: &Program) -> Vec<Statement<'_>> {
    let mut number = 0;
    let mut list: Vec<Statement<'_>> = Vec::new();
    for process in &program.processes {
        let mut known = BTreeMap::new();
        for location in &process.locations {
            for transition in &location.transitions {
                // The end of a process is no statement.
                if transition.command != ir::Command::Terminate {
                    let source = transition.source;
                    let key = (source.file, source.line, source.column, transition.text.as_str());
                    let at = *known.entry(key).or_insert_with(|| {
                        let file = program.files.get(source.file as usize).map_or("", String::as_str);
                        let (line, labels) = (source.line, location.labels.as_slice());
                        let process = process.name.as_str();
                        list.push(Statement { file, line, process, labels, transitions: Vec::new() });
                        list.len() - 1
                    });
                    list[at].transitions.push(number);
                }
                number += 1;
            }
        }
    }
    list
}
