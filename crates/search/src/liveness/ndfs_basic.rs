//! Nested depth-first search (Courcoubetis, Vardi, Wolper, Yannakakis).
//!
//! When the first search leaves an accepting node, a second one looks for a way back to it. The
//! first search leaves nodes in post-order, so all second searches share one set of visited nodes:
//! two bits for each node are enough.

use super::colours::Colours;
use super::fair::{Copies, CopyNode, Flags};
use super::graph::{Answer, Graph, Halt};
use super::path::Path;
use crate::kernel::INITIAL;

/// Visited by the first search.
const FIRST: u8 = 1;
/// Visited by the second.
const SECOND: u8 = 2;

/// Whether a graph has a path that meets accepting nodes infinitely often, and is fair if the flags
/// are there for it.
pub fn search(graph: &mut impl Graph, flags: Flags) -> Answer {
    let mut search = Nested { copies: Copies::new(graph, flags), visited: Colours::new(), next: Vec::new() };
    search.first().unwrap_or_else(|(node, halt)| Answer::Halted { node: node.state, halt })
}

struct Nested<'g, G> {
    copies: Copies<'g, G>,
    visited: Colours,
    next: Vec<CopyNode>,
}

impl<G: Graph> Nested<'_, G> {
    fn first(&mut self) -> Result<Answer, (CopyNode, Halt)> {
        let mut path = Path::new();
        self.enter(CopyNode { state: INITIAL, copy: 0 }, FIRST, &mut path, 0)?;
        while let Some(last) = path.last() {
            match path.next() {
                Some(node) if self.is_new(node, FIRST) => self.enter(node, FIRST, &mut path, 0)?,
                Some(_) => {}
                None => {
                    if self.copies.is_accepting(last)
                        && let Some(cycle) = self.second(last, path.bytes())?
                    {
                        return Ok(Answer::Accepted(cycle));
                    }
                    path.leave();
                    self.copies.leave(last);
                }
            }
        }
        Ok(Answer::Empty)
    }

    /// Looks for a cycle through `seed`.
    fn second(&mut self, seed: CopyNode, memory: u64) -> Result<Option<Vec<u32>>, (CopyNode, Halt)> {
        let mut path = Path::new();
        self.enter(seed, SECOND, &mut path, memory)?;
        while path.len() > 0 {
            match path.next() {
                Some(node) if node == seed => {
                    return Ok(Some(path.entries().map(|node| node.state).collect()));
                }
                Some(node) if self.is_new(node, SECOND) => self.enter(node, SECOND, &mut path, memory)?,
                Some(_) => {}
                None => path.leave(),
            }
        }
        Ok(None)
    }

    fn is_new(&self, node: CopyNode, search: u8) -> bool {
        self.visited.get(node) & search == 0
    }

    fn enter(
        &mut self,
        node: CopyNode,
        search: u8,
        path: &mut Path<CopyNode>,
        memory: u64,
    ) -> Result<(), (CopyNode, Halt)> {
        self.visited.set(node, self.visited.get(node) | search);
        if search == FIRST {
            self.copies.enter(node);
        }
        let bytes = self.visited.bytes() + path.bytes() + memory;
        self.copies.expand(node, path.len() as u64, bytes, &mut self.next).map_err(|halt| (node, halt))?;
        path.enter(node, self.next.iter().copied());
        Ok(())
    }
}
