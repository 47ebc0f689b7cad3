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
//! - `on_path`: the states of `path`, if reduction asks for them.
//!
//! A state at the depth limit stays unvisited, so that a shorter way may still enter it; the search
//! is complete if at the end every stored state has been visited.

use model::{BitSet, Model};
use store::{Arrival, Handle};

use crate::kernel::INITIAL;
use crate::safety::watch::Watching;
use crate::safety::{self, Found, Safety, Visit};
use crate::{Findings, Options, StopReason};

struct Frame {
    state: u32,
    start: usize,
}

/// Explores depth-first.
pub fn search(model: &dyn Model, options: &Options, watching: Option<&Watching>) -> Findings {
    safety::with_numbers(model, options, watching, explore)
}

/// Goes on from the initial state.
pub fn explore(finite: Safety<'_>) -> Findings {
    let (path, pending, visited) = (Vec::new(), vec![INITIAL], BitSet::default());
    let on_path = finite.needs_path().then(BitSet::default);
    Dfs { finite, path, pending, visited, on_path }.run()
}

struct Dfs<'a> {
    finite: Safety<'a>,
    path: Vec<Frame>,
    pending: Vec<u32>,
    visited: BitSet,
    on_path: Option<BitSet>,
}

impl Dfs<'_> {
    fn run(mut self) -> Findings {
        let mut first: Option<(Found, Vec<Handle>)> = None;
        let mut n_visited = 0;
        let mut stop = None;
        while let Some(state) = self.next() {
            let depth = self.path.len() as u64;
            let visit = self.visit(state, depth);
            let path = self.path.iter().map(|frame| frame.state).chain([state]);
            let is_answered = self.finite.answer(|| path.map(Handle::from).collect());
            match visit {
                Ok(Visit::CutOff) if !is_answered => continue,
                Ok(_) => {}
                Err(reason) => stop = Some(reason),
            }
            self.visited.insert(state as usize);
            n_visited += 1;
            self.path.push(Frame { state, start: self.pending.len() });
            if let Some(on_path) = &mut self.on_path {
                on_path.insert(state as usize);
            }
            if let Some(found) = self.finite.found.take()
                && first.is_none()
            {
                first = Some((found, self.path.iter().map(|frame| frame.state.into()).collect()));
            }
            if stop.is_some() || self.finite.has_enough() {
                break;
            }
            let arrivals = self.finite.arrivals().iter().rev().map(Arrival::id);
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
            let n_pending = self.pending.len();
            while let Some(frame) = self.path.pop_if(|frame| frame.start == n_pending) {
                self.on_path.iter_mut().for_each(|on_path| on_path.remove(frame.state as usize));
            }
            let state = self.pending.pop()?;
            if !self.visited.contains(state as usize) {
                return Some(state);
            }
        }
    }

    fn visit(&mut self, state: u32, depth: u64) -> Result<Visit, StopReason> {
        let memory = self.bytes();
        let on_path = |id: u32| self.on_path.as_ref().is_some_and(|on_path| on_path.contains(id as usize));
        let closes_cycle = |arrival: &Arrival| arrival.id() == state || on_path(arrival.id());
        self.finite.visit(state, depth, memory, closes_cycle)
    }

    fn bytes(&self) -> u64 {
        let stacks = self.path.capacity() * size_of::<Frame>() + self.pending.capacity() * 4;
        stacks as u64 + self.visited.bytes() + self.on_path.as_ref().map_or(0, BitSet::bytes)
    }
}
