//! Weak automata: where acceptance is a matter of where a run ends up.

use crate::scc::{Components, components};
use crate::{Automaton, Edge};

/// If the automaton is weak, for each state whether it lies in an accepting component.
///
/// It is weak if in each strongly connected component either every cycle is accepted or none is.
pub fn weak_acceptance(automaton: &Automaton) -> Option<Vec<bool>> {
    let all = parts(automaton, |_, _| true);
    let inner = |state: usize, edge: &Edge| all.of[state] == all.of[edge.target as usize];
    let mut sets: Vec<Option<u64>> = vec![None; all.n];
    for (state, edge) in edges(automaton).filter(|(state, edge)| inner(*state, edge)) {
        *sets[all.of[state]].get_or_insert(0) |= edge.accepts;
    }
    let accepting = |state: usize| sets[all.of[state]] == Some(automaton.all_sets());
    let has_rejected_cycle = |set: u32| {
        let avoids = |state: usize, edge: &Edge| accepting(state) && edge.accepts >> set & 1 == 0;
        let parts = parts(automaton, avoids);
        let is_on_cycle = |state: usize, edge: &Edge| parts.of[state] == parts.of[edge.target as usize];
        edges(automaton).any(|(state, edge)| avoids(state, edge) && is_on_cycle(state, edge))
    };
    if (0..automaton.n_sets).any(has_rejected_cycle) {
        return None;
    }
    Some((0..automaton.states.len()).map(accepting).collect())
}

/// Whether every state of the automaton may still accept something.
///
/// How far an automaton with other states follows a run before it gives up says nothing about its
/// language.
pub fn has_no_dead_ends(automaton: &Automaton) -> bool {
    let all = parts(automaton, |_, _| true);
    let mut sets: Vec<Option<u64>> = vec![None; all.n];
    for (state, edge) in edges(automaton) {
        if all.of[state] == all.of[edge.target as usize] {
            *sets[all.of[state]].get_or_insert(0) |= edge.accepts;
        }
    }
    let is_accepting = |state: usize| sets[all.of[state]] == Some(automaton.all_sets());
    // Every edge leads to the same component or to an earlier one.
    let mut is_live = vec![false; all.n];
    for state in all.members().into_iter().flatten() {
        let mut edges = automaton.states[state].edges.iter();
        is_live[all.of[state]] |=
            is_accepting(state) || edges.any(|edge| is_live[all.of[edge.target as usize]]);
    }
    is_live.iter().all(|is| *is)
}

fn edges(automaton: &Automaton) -> impl Iterator<Item = (usize, &Edge)> {
    let states = automaton.states.iter().enumerate();
    states.flat_map(|(number, state)| state.edges.iter().map(move |edge| (number, edge)))
}

/// The strongly connected components that some of the edges make.
fn parts(automaton: &Automaton, is_there: impl Fn(usize, &Edge) -> bool) -> Components {
    let mut targets = vec![Vec::new(); automaton.states.len()];
    for (state, edge) in edges(automaton).filter(|(state, edge)| is_there(*state, edge)) {
        targets[state].push(edge.target as usize);
    }
    components(targets.len(), |state, k| targets[state].get(k).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// The acceptance sets of each cycle through a state that visits no other state twice.
    fn cycles(automaton: &Automaton, path: &mut Vec<u32>, accepts: u64, found: &mut Vec<u64>) {
        let last = path[path.len() - 1];
        for edge in &automaton.states[last as usize].edges {
            if edge.target == path[0] {
                found.push(accepts | edge.accepts);
            } else if !path.contains(&edge.target) {
                path.push(edge.target);
                cycles(automaton, path, accepts | edge.accepts, found);
                path.pop();
            }
        }
    }

    #[test]
    fn weakness_is_what_its_definition_says() {
        let mut n_weak = [0, 0];
        for seed in 0..20_000 {
            let automaton = Random::new(seed + 1).automaton(seed as u32 % 3);
            let weak = weak_acceptance(&automaton);
            n_weak[usize::from(weak.is_some())] += 1;
            let simple = |state: u32| {
                let mut found = Vec::new();
                cycles(&automaton, &mut vec![state], 0, &mut found);
                found
            };
            let all = automaton.all_sets();
            let reaches = |a: u32, b: u32| {
                let mut reached = vec![a];
                let mut at = 0;
                while at < reached.len() {
                    let next = automaton.states[reached[at] as usize].edges.iter().map(|edge| edge.target);
                    let new: Vec<u32> = next.filter(|state| !reached.contains(state)).collect();
                    reached.extend(new);
                    at += 1;
                }
                reached.contains(&b)
            };
            let states: Vec<u32> = (0..automaton.states.len() as u32).collect();
            // Every cycle is accepted if every simple one is; some cycle is if the union of all is.
            let component = |state: u32| {
                let members = states.iter().filter(|&&other| reaches(state, other) && reaches(other, state));
                members.flat_map(|&other| simple(other)).collect::<Vec<u64>>()
            };
            let is_accepting = |state: u32| {
                let found = component(state);
                let some = !found.is_empty() && found.iter().fold(0, |sets, cycle| sets | cycle) == all;
                let every = found.iter().all(|&cycle| cycle == all);
                if some && !every { None } else { Some(some) }
            };
            let expected: Option<Vec<bool>> = states.iter().map(|&state| is_accepting(state)).collect();
            assert_eq!(weak, expected, "seed {seed}: {automaton:?}");
        }
        assert!(n_weak.iter().all(|&n| n > 1000), "{n_weak:?}");
    }
}
