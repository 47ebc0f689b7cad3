//! Breadth-first search.
//!
//! The store numbers the states in the order of their insertion, so the numbers are the queue: a
//! level is a range of them. `parents[id]` is the state from which `id` was first reached.
//!
//! The violation reported has a shortest trace. For this the level is finished on which the first
//! one is found: a state that is itself a violation is one step nearer than a failure that happens
//! in a step from the same level. (A reduced search may not see the shortest.)

use model::Model;
use store::{Arrival, Handle};

use crate::kernel::{INITIAL, trace};
use crate::safety::watch::Watching;
use crate::safety::{self, Found, Safety, Visit};
use crate::{Findings, Options, StopReason};

/// Explores breadth-first.
pub fn search(model: &dyn Model, options: &Options, watching: Option<&Watching>) -> Findings {
    safety::with_numbers(model, options, watching, explore)
}

/// Goes on from the initial state.
pub fn explore(mut finite: Safety<'_>) -> Findings {
    let mut parents = vec![INITIAL];
    let mut level = INITIAL..INITIAL + 1;
    let mut depth = 0;
    let mut shortest: Option<(u64, Found)> = None;
    let mut stop = None;
    'levels: while !level.is_empty() {
        for state in level.clone() {
            let closes_cycle = |arrival: &Arrival| arrival.id() <= state;
            let visit = finite.visit(state, depth, 4 * parents.capacity() as u64, closes_cycle);
            if let Some(found) = finite.found.take() {
                let length = depth + u64::from(found.failed.is_some());
                if shortest.as_ref().is_none_or(|(least, _)| length < *least) {
                    shortest = Some((length, found));
                }
            }
            if finite.answer(|| path_to(state, &parents)) {
                break 'levels;
            }
            match visit {
                Ok(Visit::Expanded) => {}
                Ok(Visit::CutOff) => stop = Some(StopReason::Depth),
                Err(reason) => {
                    stop = Some(reason);
                    break 'levels;
                }
            }
            let new = finite.arrivals().iter().filter(|arrival| arrival.is_new);
            parents.extend(new.map(|_| state));
        }
        if finite.has_enough() {
            break;
        }
        level = level.end..finite.n_states() as u32;
        depth += 1;
    }
    let found = shortest.map(|(_, found)| {
        let path = path_to(found.state.0 as u32, &parents);
        (found, path)
    });
    finite.finish(found, stop)
}

fn path_to(state: u32, parents: &[u32]) -> Vec<Handle> {
    trace::back(state, |state| parents[state as usize])
}
