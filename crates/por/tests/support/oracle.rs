//! What a chosen subset owes to the full state space, by trying every order of everything else.

use std::collections::{BTreeSet, HashSet};

use model::{Action, Actor, Party};

use super::System;
use super::explore::Graph;

/// The states that are reached by actions that were not chosen.
fn outside(graph: &Graph, state: usize, chosen: &[Action]) -> Vec<usize> {
    let mut seen = HashSet::from([state]);
    let mut reached = vec![state];
    let mut next = 0;
    while let Some(&from) = reached.get(next) {
        next += 1;
        for (action, to) in &graph.edges[from] {
            if !chosen.contains(action) && seen.insert(*to) {
                reached.push(*to);
            }
        }
    }
    reached
}

/// Whatever else happens first, every chosen action stays enabled, and happening first makes no
/// difference. By induction it is enough to look at each single step.
pub fn strong(graph: &Graph, state: usize, chosen: &[Action]) -> Result<(), String> {
    for reached in outside(graph, state, chosen) {
        for &first in chosen {
            let Some(after) = graph.after(reached, first) else {
                return Err(format!("{first:?} does not stay enabled"));
            };
            for (action, to) in &graph.edges[reached] {
                if chosen.contains(action) {
                    continue;
                }
                let there = graph.after(after, *action);
                if there.is_none() || there != graph.after(*to, first) {
                    return Err(format!("{first:?} and {action:?} do not commute"));
                }
            }
        }
    }
    Ok(())
}

/// A chosen action that can happen later could have happened first, with the same result; and one of
/// them, the key, stays enabled.
pub fn weak(graph: &Graph, state: usize, chosen: &[Action]) -> Result<(), String> {
    let reached = outside(graph, state, chosen);
    let is_key = |&key: &Action| reached.iter().all(|&later| graph.after(later, key).is_some());
    if !chosen.iter().any(is_key) {
        return Err("there is no key".into());
    }
    for &first in chosen {
        // Where a sequence leads without `first`, and after it, if it can happen after it.
        let mut pairs = vec![(state, graph.after(state, first))];
        let mut seen: HashSet<_> = pairs.iter().copied().collect();
        while let Some((without, with)) = pairs.pop() {
            let late = graph.after(without, first);
            if late.is_some() && late != with {
                return Err(format!("{first:?} cannot be moved to the front"));
            }
            for (action, to) in &graph.edges[without] {
                let pair = (*to, with.and_then(|with| graph.after(with, *action)));
                if !chosen.contains(action) && seen.insert(pair) {
                    pairs.push(pair);
                }
            }
        }
    }
    Ok(())
}

/// No chosen action changes what is watched.
pub fn invisible(system: &dyn System, graph: &Graph, state: usize, chosen: &[Action]) -> Result<(), String> {
    let before = system.show(&graph.states[state]);
    for &action in chosen {
        let after = graph.after(state, action).expect("it is enabled");
        if system.show(&graph.states[after]) != before {
            return Err(format!("{action:?} is visible"));
        }
    }
    Ok(())
}

/// What processes other than the given one can do.
fn others(graph: &Graph, state: usize, process: Actor) -> BTreeSet<Party> {
    let actions = graph.edges[state].iter().map(|(action, _)| action);
    let parties = actions.flat_map(|action| std::iter::once(action.actor).chain(action.partner()));
    parties.filter(|party| party.who != process).collect()
}

/// The chosen actions are those of one process, and change nothing about what others can do, now or
/// after anything else.
pub fn private(graph: &Graph, state: usize, chosen: &[Action]) -> Result<(), String> {
    let process = chosen[0].actor.who;
    for &action in chosen {
        if action.actor.who != process || action.partner().is_some() {
            return Err(format!("{action:?} is not an action of {process:?} alone"));
        }
        for reached in outside(graph, state, chosen) {
            let after = graph.after(reached, action).ok_or("it does not stay enabled")?;
            if others(graph, reached, process) != others(graph, after, process) {
                return Err(format!("{action:?} enables or disables another process"));
            }
        }
    }
    Ok(())
}
