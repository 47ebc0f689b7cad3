//! Walking over the states of a program.

use std::collections::HashSet;

use ir::Interpreter;
use model::{Actions, Model, OutcomeKind, Successors};

/// States that can be reached, in the order in which breadth-first search meets them, at most `limit`.
pub fn reachable(interpreter: &Interpreter, limit: usize) -> Vec<Vec<u64>> {
    let mut initial = Vec::new();
    if interpreter.initial(&mut initial).is_err() {
        return Vec::new();
    }
    let mut seen = HashSet::from([initial.clone()]);
    let mut states = vec![initial];
    let (mut actions, mut out) = (Actions::default(), Successors::default());
    let mut next = 0;
    while next < states.len() && states.len() < limit {
        interpreter.enabled(&states[next], &mut actions);
        out.clear();
        interpreter.fire(&actions, &states[next], &mut out);
        for outcome in &out.outcomes {
            if let OutcomeKind::State(range) = &outcome.kind
                && seen.insert(out.state(range).to_vec())
            {
                states.push(out.state(range).to_vec());
            }
        }
        next += 1;
    }
    states
}
