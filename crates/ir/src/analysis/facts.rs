//! The facts about a program.

use std::collections::BTreeSet;

use model::{Facts, Relation, SlotFacts, TransitionFacts};

use super::access::{Access, Steps};
use super::walk::transitions;
use crate::program::Program;

/// The facts about a program that the verifier accepts.
pub fn facts(program: &Program) -> Facts {
    let numbered = program.processes.iter().enumerate().flat_map(|(p, process)| {
        transitions(process).map(move |transition| TransitionFacts {
            process: p as u32,
            text: transition.text.clone(),
            location: transition.source,
        })
    });
    let rows = actions(program);
    Facts {
        files: program.files.clone(),
        slots: slots(program),
        transitions: numbered.collect(),
        reads: relation(&rows, |row| &row.reads.own),
        may_write: relation(&rows, |row| &row.writes.own),
        reads_of_any: relation(&rows, |row| &row.reads.any),
        may_write_of_any: relation(&rows, |row| &row.writes.any),
    }
}

/// The slots, numbered as in [`super::access::SlotNumbers`]. An array is one slot; the channels of a
/// type are one slot.
fn slots(program: &Program) -> Vec<SlotFacts> {
    let shared = program.globals.slots.iter().map(|slot| &slot.name);
    let shared = shared.chain(program.channels.iter().map(|channel| &channel.name)).cloned();
    let shared = shared.chain(["_nr_pr".to_string()]).map(|name| SlotFacts { name, owner: None });
    let owned = program.processes.iter().enumerate().flat_map(|(p, process)| {
        process.frame.slots.iter().map(move |slot| SlotFacts {
            name: format!("{}.{}", process.name, slot.name),
            owner: Some(p as u32),
        })
    });
    shared.chain(owned).collect()
}

/// What the actions that start with each transition read and write.
fn actions(program: &Program) -> Vec<Access> {
    let steps = Steps::new(program);
    let mut rows = Vec::new();
    let mut chained = Vec::new();
    let mut partners = Vec::new();
    for (p, process) in program.processes.iter().enumerate() {
        let mut first = Vec::with_capacity(process.locations.len());
        let mut end = rows.len();
        for location in &process.locations {
            first.push(end..end + location.transitions.len());
            end += location.transitions.len();
        }
        for location in &process.locations {
            for (k, transition) in location.transitions.iter().enumerate() {
                if steps.keeps_going(p, transition) {
                    chained.push((rows.len(), first[transition.target.0 as usize].clone()));
                }
                rows.push(steps.step(p, process, &location.transitions, k));
                partners.push(steps.partners(p, transition));
            }
        }
    }
    // What comes later in a chain belongs to what comes earlier. Usually later has the higher number.
    let mut changed = true;
    while changed {
        changed = false;
        for (number, next) in chained.iter().rev() {
            let mut row = std::mem::take(&mut rows[*number]);
            let before = row.len();
            for later in next.clone().filter(|later| later != number) {
                row.add(&rows[later]);
            }
            // A chain may be handed over by any of its steps but the first, whose partner is known.
            for &partner in next.clone().flat_map(|later| &partners[later]) {
                let other =
                    if partner as usize == *number { row.clone() } else { rows[partner as usize].clone() };
                row.add_of_other(&other, &steps.numbers);
            }
            changed |= row.len() != before;
            rows[*number] = row;
        }
    }
    rows
}

fn relation(rows: &[Access], columns: impl Fn(&Access) -> &BTreeSet<u32>) -> Relation {
    let mut relation = Relation::new(rows.len());
    for (row, access) in rows.iter().enumerate() {
        columns(access).iter().for_each(|&column| relation.insert(row, column));
    }
    relation
}
