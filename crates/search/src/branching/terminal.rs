//! Terminal components: the strongly connected parts of the graph that nothing leaves. Every run can end up
//! in one, and then goes on for ever wherever it can go there.
//!
//! Depth-first search as Tarjan's, but without a stack of components (K. Schmidt, *Explicit State Space
//! Verification*): `low` is the least number that can be reached along the tree and one edge off it,
//! finished components not left out. Then a state is the first of a terminal component if on leaving it
//! `low` is its own number, and no terminal component has been found behind it: `last` is the number of the
//! one found last. The component consists of the states with this number or a greater one.

use super::Obstacle;
use super::graph::Graph;
use crate::explore::INITIAL;

/// Somebody who looks at states and terminal components.
pub trait Survey {
    /// A state is entered. Numbers increase.
    fn enter(&mut self, graph: &mut Graph<'_>, state: u32, number: u32) -> Result<(), Obstacle>;

    /// A terminal component is complete: the states entered with `number` or later. True if that is enough.
    fn decides(&mut self, graph: &Graph<'_>, first: u32, number: u32) -> bool;
}

struct Frame {
    state: u32,
    /// How many of its successors have been followed.
    n_followed: usize,
    low: u32,
}

/// Goes through a graph. Gives the first state of the component that decides.
pub fn search(graph: &mut Graph<'_>, survey: &mut impl Survey) -> Result<Option<u32>, Obstacle> {
    const NEW: u32 = 0;
    let mut numbers: Vec<u32> = Vec::new();
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
            graph.visit(state, path.len(), bytes as u64)?;
            survey.enter(graph, state, n_entered)?;
            path.push(Frame { state, n_followed: 0, low: n_entered });
        }
        let Some(frame) = path.last_mut() else { return Ok(None) };
        if let Some(&next) = graph.known_successors(frame.state).get(frame.n_followed) {
            frame.n_followed += 1;
            match numbers.get(next as usize).copied().unwrap_or(NEW) {
                NEW => entering = Some(next),
                number => frame.low = frame.low.min(number),
            }
            continue;
        }
        let Frame { state, low, .. } = *frame;
        path.pop();
        if let Some(parent) = path.last_mut() {
            parent.low = parent.low.min(low);
        }
        if low == numbers[state as usize] && low > last {
            last = low;
            if survey.decides(graph, state, low) {
                return Ok(Some(state));
            }
        }
    }
}
