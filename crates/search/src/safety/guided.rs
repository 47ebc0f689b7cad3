//! Best-first search: the state that seems nearest to what is watched comes next.
//!
//! How near a state is says the model ([`Model::distance`]). It need not be right: the search visits everything in the
//! end, unless everything is answered before.
//!
//! The store numbers the states in the order of their insertion. `ways[id]` says from which state `id` was first
//! reached, and how far it is from the initial state on this way; `open` holds the states that are not visited. Of
//! those that are equally near the youngest comes first: it continues the way that has led so near.
//!
//! On the contest's nets this search with UP sets reaches as many goals as depth-first search with them, by runs that are
//! a third as long. On philosophers depth-first search is better; so the default is depth-first search.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use model::Model;
use store::{Arrival, Handle};

use crate::kernel::{INITIAL, trace};
use crate::safety::watch::Watching;
use crate::safety::{self, Found, Safety, Visit};
use crate::{Findings, Options, StopReason};

struct Way {
    parent: u32,
    depth: u32,
}

/// Explores the nearest first.
pub fn search(model: &dyn Model, options: &Options, watching: Option<&Watching>) -> Findings {
    safety::with_numbers(model, options, watching, explore)
}

/// Goes on from the initial state.
pub fn explore(mut finite: Safety<'_>) -> Findings {
    let mut ways = vec![Way { parent: INITIAL, depth: 0 }];
    let mut open = BinaryHeap::from([(Reverse(0), INITIAL)]);
    let mut first: Option<(Found, Vec<Handle>)> = None;
    let mut stop = None;
    while let Some((_, state)) = open.pop() {
        let memory = ways.capacity() * size_of::<Way>() + open.capacity() * size_of::<(Reverse<u64>, u32)>();
        let depth = ways[state as usize].depth;
        // What is known may have been visited.
        let closes_cycle = |arrival: &Arrival| !arrival.is_new;
        let visit = finite.visit(state, depth.into(), memory as u64, closes_cycle);
        if let Some(found) = finite.found.take()
            && first.is_none()
        {
            first = Some((found, path(state, &ways)));
        }
        if finite.answer(|| path(state, &ways)) || finite.has_enough() {
            break;
        }
        match visit {
            Ok(Visit::Expanded) => {}
            Ok(Visit::CutOff) => stop = Some(StopReason::Depth),
            Err(reason) => {
                stop = Some(reason);
                break;
            }
        }
        for (_, new, key) in finite.newcomers() {
            ways.push(Way { parent: state, depth: depth + 1 });
            open.push((Reverse(finite.distance(key.words())), new.0 as u32));
        }
    }
    finite.finish(first, stop)
}

fn path(state: u32, ways: &[Way]) -> Vec<Handle> {
    trace::back(state, |state| ways[state as usize].parent)
}
