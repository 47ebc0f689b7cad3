//! Terminal components: the strongly connected parts of the graph that nothing leaves. Every run can end up
//! in one, and then goes on for ever wherever it can go there.
//!
//! Depth-first search as Tarjan's, but without a stack of components (K. Schmidt, *Explicit State Space
//! Verification*): `low` is the least number that can be reached along the tree and one edge off it,
//! finished components not left out. Then a state is the first of a terminal component if on leaving it
//! `low` is its own number, and no terminal component has been found behind it: `last` is the number of the
//! one found last. The component consists of the states with this number or a greater one.
//!
//! **Reduced graphs.** In each state the enabled actions of a strong stubborn set are followed, as many sets as there
//! are. An enabled action that is not followed stays enabled behind one that is; so it is *ignored* by a terminal
//! component if it is enabled in its first state and followed in none. Before a terminal component counts, a set
//! around what it ignores is followed in its first state, too, until it ignores nothing; by then it may be terminal no
//! more. In the end:
//!
//! - Let s be a state of the reduced graph, and w a sequence of actions from there to some state. Then the reduced
//!   graph has a path from s whose actions are those of w and some more, in another order, and its end can be reached
//!   from where w ends. For if an action of w is followed in s, the first of these can as well happen first, and the
//!   rest of w is shorter. If none is, all of w can still happen behind whatever is followed; so the path can go on
//!   into a terminal component and around there, where the first action of w, which stays enabled, is followed
//!   somewhere.
//! - So from every state that can be reached from a terminal component of the reduced graph it can be reached again:
//!   it is part of a terminal component of the whole graph. And each of these has states of the reduced graph, and so
//!   one of its terminal components, maybe several.
//! - An action that can happen in a terminal component of the whole graph happens in all those of the reduced graph
//!   that are parts of it; and one that can happen at all happens in the reduced graph.
//!
//! Where parts of a system go round in circles, each on its own, and one of them is followed, it comes back to where it
//! was and ignores the others. Behind what is then added, the same part should not go round once more, or all
//! combinations would be seen: sets are preferred in which something is new since the component began.

use std::cmp::max;

use model::Action;
use rustc_hash::FxHashMap;

use super::Halt;
use super::graph::{Graph, Purpose};
use crate::kernel::INITIAL;

/// Somebody who looks at states and terminal components.
pub trait Survey {
    /// A state is entered. Numbers increase. True if that is enough.
    fn enter(&mut self, graph: &mut Graph<'_>, state: u32, number: u32) -> Result<bool, Halt>;

    /// A terminal component is complete: the states entered with `number` or later. True if that is enough.
    fn decides(&mut self, graph: &mut Graph<'_>, first: u32, number: u32) -> Result<bool, Halt>;
}

struct Frame {
    state: u32,
    /// How many of its successors have been followed.
    n_followed: usize,
    low: u32,
}

/// What was followed in a reduced graph, and when.
#[derive(Default)]
struct Followed {
    /// For each action the number of the last state in which it was followed.
    last: FxHashMap<Action, u32>,
    /// The first state of the component that has ignored something last.
    since: u32,
}

impl Followed {
    fn note(&mut self, actions: &[Action], number: u32) {
        for &action in actions {
            let last = self.last.entry(action).or_default();
            *last = max(*last, number);
        }
    }

    /// Whether an action was not followed in a state with this number or a greater one.
    fn is_ignored(&self, action: &Action, number: u32) -> bool {
        self.last.get(action).is_none_or(|&last| last < number)
    }
}

/// Goes through the graph for a purpose. Gives the state that decides, or the first one of the component that does.
pub fn search(
    graph: &mut Graph<'_>,
    purpose: Purpose,
    survey: &mut impl Survey,
) -> Result<Option<u32>, Halt> {
    const NEW: u32 = 0;
    let view = graph.anew(purpose);
    let mut numbers: Vec<u32> = Vec::new();
    let mut followed = Followed::default();
    let mut path: Vec<Frame> = Vec::new();
    let (mut n_entered, mut last) = (0, 0);
    let mut entering = Some(INITIAL);
    loop {
        if let Some(state) = entering.take() {
            n_entered += 1;
            if numbers.len() <= state as usize {
                numbers.resize(state as usize + 1, NEW);
            }
            numbers[state as usize] = n_entered;
            let bytes = 4 * numbers.capacity() + size_of::<Frame>() * path.capacity();
            let is_new = |action: &Action| followed.is_ignored(action, followed.since);
            let wanted: Option<&dyn Fn(&Action) -> bool> = (followed.since > 0).then_some(&is_new);
            graph.visit_preferring(view, state, path.len(), bytes as u64, wanted)?;
            if view.is_reduced() {
                followed.note(graph.followed(), n_entered);
            }
            if survey.enter(graph, state, n_entered)? {
                return Ok(Some(state));
            }
            path.push(Frame { state, n_followed: 0, low: n_entered });
        }
        let Some(frame) = path.last_mut() else { return Ok(None) };
        if let Some(&next) = graph.known_successors(view, frame.state).get(frame.n_followed) {
            frame.n_followed += 1;
            match numbers.get(next as usize).copied().unwrap_or(NEW) {
                NEW => entering = Some(next),
                number => frame.low = frame.low.min(number),
            }
            continue;
        }
        let Frame { state, low, .. } = *frame;
        let is_terminal = low == numbers[state as usize] && low > last;
        let is_ignored = |action: &Action| followed.is_ignored(action, low);
        if is_terminal && view.is_reduced() && graph.widen(view, state, is_ignored)? {
            followed.note(graph.followed(), low);
            followed.since = low;
            continue;
        }
        path.pop();
        if let Some(parent) = path.last_mut() {
            parent.low = parent.low.min(low);
        }
        if is_terminal {
            last = low;
            if survey.decides(graph, state, low)? {
                return Ok(Some(state));
            }
        }
    }
}
