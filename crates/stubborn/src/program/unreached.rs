//! Statements that were never executed.

use std::collections::HashSet;

use check::answer::{Statement, Unreached};
use ir::Interpreter;
use model::BitSet;

/// The statements of each process type that were never executed. A statement that several
/// transitions stand for (an escape of `unless`) was executed if one of them was.
pub fn unreached(interpreter: &Interpreter, executed: &BitSet) -> Vec<Unreached> {
    let program = interpreter.program();
    let mut transitions: Vec<Vec<u32>> = vec![Vec::new(); program.processes.len()];
    for number in 0..interpreter.n_transitions() as u32 {
        let (process, _) = interpreter.origin(number);
        transitions[process.0 as usize].push(number);
    }
    let find = |(process, numbers): (&ir::Process, &Vec<u32>)| {
        let place = |number: u32| {
            let transition = interpreter.transition(number);
            (transition.source, transition.text.as_str())
        };
        let reached: HashSet<_> =
            numbers.iter().filter(|&&n| executed.contains(n as usize)).map(|&n| place(n)).collect();
        let mut seen = reached.clone();
        let missed = numbers.iter().filter(|&&n| seen.insert(place(n)));
        let statements = missed.map(|&number| {
            let transition = interpreter.transition(number);
            let (_, location) = interpreter.origin(number);
            Statement {
                file: program.files.get(transition.source.file as usize).cloned().unwrap_or_default(),
                line: transition.source.line,
                number: process.locations[location as usize].number,
                text: transition.text.clone(),
            }
        });
        Unreached {
            process: process.name.clone(),
            statements: statements.collect(),
            total: process.locations.iter().map(|location| location.number).max().unwrap_or(0) as usize,
        }
    };
    program.processes.iter().zip(&transitions).map(find).collect()
}
