//! Depth-first search.
//!
//! Iterative. Data, with what holds between two rounds:
//!
//! - `path`: the states from the initial one to the one visited last whose successors are not all
//!   done; a frame is a state and the length that `pending` had before its successors came.
//! - `pending`: the successors still to be visited, those of the deepest frame last; they may have
//!   been visited on another way in the meantime.
//! - `visited`: the states whose successors have been generated. A stored state outside of it is
//!   pending, or lies at the depth limit.
//!
//! A state at the depth limit stays unvisited, so that a shorter way may still enter it; the search
//! is complete if at the end every stored state has been visited.

use model::{BitSet, Model};

use crate::explore::INITIAL;
use crate::finite::{Finite, Found, Visit};
use crate::{Findings, Options, StopReason};

struct Frame {
    state: u32,
    start: usize,
}

/// Explores depth-first.
pub fn search(model: &dyn Model, options: &Options) -> Findings {
    match Finite::start(model, options) {
        Ok(finite) => {
            Dfs { finite, path: Vec::new(), pending: vec![INITIAL], visited: BitSet::default() }.run()
        }
        Err(findings) => *findings,
    }
}

struct Dfs<'a> {
    finite: Finite<'a>,
    path: Vec<Frame>,
    pending: Vec<u32>,
    visited: BitSet,
}

impl Dfs<'_> {
    fn run(mut self) -> Findings {
        let mut first: Option<(Found, Vec<u32>)> = None;
        let mut n_visited = 0;
        let mut stop = None;
        while let Some(state) = self.next() {
            let depth = self.path.len() as u64;
            match self.finite.visit(state, depth, self.bytes()) {
                Ok(Visit::CutOff) => continue,
                Ok(Visit::Expanded) => {}
                Err(reason) => stop = Some(reason),
            }
            self.visited.insert(state as usize);
            n_visited += 1;
            self.path.push(Frame { state, start: self.pending.len() });
            if let Some(found) = self.finite.found.take()
                && first.is_none()
            {
                first = Some((found, self.path.iter().map(|frame| frame.state).collect()));
            }
            if stop.is_some() || self.finite.has_enough() {
                break;
            }
            let arrivals = self.finite.arrivals().iter().rev().map(|insert| insert.id());
            self.pending.extend(arrivals.filter(|&id| !self.visited.contains(id as usize)));
        }
        if stop.is_none() && !self.finite.has_enough() && n_visited < self.finite.n_states() {
            stop = Some(StopReason::Depth);
        }
        self.finite.finish(first, stop)
    }

    /// The next state to visit; frames that are done are left on the way.
    fn next(&mut self) -> Option<u32> {
        loop {
            while self.path.last().is_some_and(|frame| frame.start == self.pending.len()) {
                self.path.pop();
            }
            let state = self.pending.pop()?;
            if !self.visited.contains(state as usize) {
                return Some(state);
            }
        }
    }

    fn bytes(&self) -> u64 {
        let stacks = self.path.capacity() * size_of::<Frame>() + self.pending.capacity() * 4;
        stacks as u64 + self.visited.bytes()
    }
}
