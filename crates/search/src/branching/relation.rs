//! The successors of the states of a [`Graph`](super::Graph), for one purpose.
//!
//! States are numbered in the order in which they are found. `starts[state]` is the place in `edges` of the number of the
//! state's successors, which the successors follow; the place 0 says that there are none.

use super::graph::Purpose;
use crate::StopReason;
use crate::kernel::choice::Chooser;

const UNEXPANDED: u32 = u32::MAX;

/// Where states lead, as far as anybody has asked.
pub(super) struct Relation<'a> {
    pub purpose: Purpose,
    /// Absent if everything is followed.
    pub reduction: Option<Chooser<'a>>,
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl<'a> Relation<'a> {
    pub fn new(purpose: Purpose, reduction: Option<Chooser<'a>>) -> Relation<'a> {
        Relation { purpose, reduction, starts: Vec::new(), edges: vec![0] }
    }

    /// Whether it has the states of others in which nothing is left out. Where it matters what was followed, it has
    /// not.
    pub fn shares(&self) -> bool {
        self.purpose != Purpose::Terminal
    }

    pub fn is_expanded(&self, state: u32) -> bool {
        self.starts.get(state as usize).is_some_and(|&start| start != UNEXPANDED)
    }

    /// The successors of a state that is expanded.
    pub fn successors(&self, state: u32) -> &[u32] {
        let start = self.starts[state as usize] as usize;
        let n_successors = self.edges[start] as usize;
        &self.edges[start + 1..start + 1 + n_successors]
    }

    pub fn keep(
        &mut self,
        state: u32,
        successors: impl ExactSizeIterator<Item = u32>,
    ) -> Result<(), StopReason> {
        let start = match successors.len() {
            0 => 0,
            n => {
                let start = self.edges.len() as u32;
                self.edges.push(n as u32);
                self.edges.extend(successors);
                start
            }
        };
        if self.edges.len() >= UNEXPANDED as usize {
            return Err(StopReason::Memory);
        }
        if self.starts.len() <= state as usize {
            self.starts.resize(state as usize + 1, UNEXPANDED);
        }
        self.starts[state as usize] = start;
        Ok(())
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> u64 {
        4 * (self.starts.capacity() + self.edges.capacity()) as u64
    }
}
