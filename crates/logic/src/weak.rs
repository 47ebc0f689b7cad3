//! Weak automata: where acceptance is a matter of where a run ends up.

use crate::scc::{Components, components};
use crate::{Automaton, Edge};

/// If the automaton is weak, for each state whether it lies in an accepting component.
///
/// It is weak if in each strongly connected component either every cycle is accepted or none is.
pub fn weak_acceptance(automaton: &Automaton) -> Option<Vec<bool>> {
    let successor =
        |state: usize, k: usize| automaton.states[state].edges.get(k).map(|edge| edge.target as usize);
    let components = components(automaton.states.len(), successor);
    let verdicts: Vec<bool> = (0..components.n)
        .map(|component| cycles(automaton, &components, component))
        .collect::<Option<_>>()?;
    Some(components.of.iter().map(|&component| verdicts[component]).collect())
}

/// Whether the cycles of a component are accepted; none if some are and some are not.
fn cycles(automaton: &Automaton, components: &Components, component: usize) -> Option<bool> {
    let members: Vec<usize> =
        (0..automaton.states.len()).filter(|&state| components.of[state] == component).collect();
    let inner = |edge: &&Edge| components.of[edge.target as usize] == component;
    let edges = || members.iter().flat_map(|&state| automaton.states[state].edges.iter().filter(inner));
    let sets = edges().fold(0, |sets, edge| sets | edge.accepts);
    if sets != automaton.all_sets() || edges().next().is_none() {
        return Some(false);
    }
    let every_cycle_meets =
        |set: u32| !has_cycle(automaton, &members, |edge| inner(&edge) && edge.accepts >> set & 1 == 0);
    (0..automaton.n_sets).all(every_cycle_meets).then_some(true)
}

/// Whether there is a cycle through some states along edges for which `usable` holds.
fn has_cycle(automaton: &Automaton, states: &[usize], usable: impl Fn(&Edge) -> bool) -> bool {
    // States without a way on are taken away until nothing changes; what is left lies on cycles or
    // leads to them.
    let mut left: Vec<usize> = states.to_vec();
    loop {
        let goes_on = |&state: &usize| {
            let edges = &automaton.states[state].edges;
            edges.iter().any(|edge| usable(edge) && left.contains(&(edge.target as usize)))
        };
        let next: Vec<usize> = left.iter().copied().filter(goes_on).collect();
        if next.len() == left.len() {
            return !left.is_empty();
        }
        left = next;
    }
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
            let automaton = Random(seed + 1).automaton(seed as u32 % 3);
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
