//! Nested depth-first search with early detection (Schwoon and Esparza; Gaiser and Schwoon).
//!
//! A node is white, cyan while the first (blue) search has it on its path, then blue, and red once
//! it is known that no accepting cycle goes through it. Both searches report a cycle as soon as they
//! come back to the blue path: a blue one if the edge back starts or ends in an accepting node. A
//! node whose successors are all red is red itself and needs no second search.
//!
//! This relies on seeing the same edges in both searches. That is why such shortcuts are said not to go
//! together with reduction, where the edges of a node depend on the path. Here they depend on the path
//! of the blue search when it enters the node, and are the same ever after (see `memory`): both searches
//! run on one graph, the reduced one, and a cycle that they close there is one of the full graph.

use super::colours::Colours;
use super::fair::{Copies, CopyNode, Flags};
use super::graph::{Answer, Graph, Halt};
use super::path::Path;
use crate::kernel::INITIAL;

const WHITE: u8 = 0;
const CYAN: u8 = 1;
const BLUE: u8 = 2;
const RED: u8 = 3;

/// Whether a graph has a path that meets accepting nodes infinitely often, and is fair if the flags
/// are there for it.
pub fn search(graph: &mut impl Graph, flags: Flags) -> Answer {
    let copies = Copies::new(graph, flags);
    let (colours, all_red) = (Colours::new(), Vec::new());
    let mut search = Improved { copies, colours, path: Path::new(), all_red, next: Vec::new() };
    search.blue().unwrap_or_else(|(node, halt)| Answer::Halted { node: node.state, halt })
}

struct Improved<'g, G> {
    copies: Copies<'g, G>,
    colours: Colours,
    /// The path of the blue search.
    path: Path<CopyNode>,
    /// For each node of the path, whether all successors seen so far are red.
    all_red: Vec<bool>,
    next: Vec<CopyNode>,
}

/// The nodes of a cycle, or none so far; the node at which the search is halted.
type Found = Result<Option<Vec<u32>>, (CopyNode, Halt)>;

impl<G: Graph> Improved<'_, G> {
    fn blue(&mut self) -> Result<Answer, (CopyNode, Halt)> {
        self.enter(CopyNode { state: INITIAL, copy: 0 })?;
        while let Some(last) = self.path.last() {
            let found = match self.path.next() {
                Some(node) => match self.colours.get(node) {
                    WHITE => self.enter(node)?,
                    CYAN if self.copies.is_accepting(last) || self.copies.is_accepting(node) => {
                        Some(self.since(node))
                    }
                    RED => None,
                    _ => self.not_red(),
                },
                None => self.leave(last)?,
            };
            if let Some(cycle) = found {
                return Ok(Answer::Accepted(cycle));
            }
        }
        Ok(Answer::Empty)
    }

    fn enter(&mut self, node: CopyNode) -> Found {
        self.colours.set(node, CYAN);
        self.copies.enter(node);
        self.expand(node, self.path.len(), 0)?;
        self.path.enter(node, self.next.iter().copied());
        self.all_red.push(true);
        Ok(None)
    }

    /// Notes that the last node of the path has a successor that is not red.
    fn not_red(&mut self) -> Option<Vec<u32>> {
        if let Some(all_red) = self.all_red.last_mut() {
            *all_red = false;
        }
        None
    }

    fn leave(&mut self, node: CopyNode) -> Found {
        let mut is_red = self.all_red.pop().expect("there is one for each node of the path");
        if !is_red && self.copies.is_accepting(node) {
            if let Some(cycle) = self.red(node)? {
                return Ok(Some(cycle));
            }
            is_red = true;
        }
        self.colours.set(node, if is_red { RED } else { BLUE });
        self.path.leave();
        self.copies.leave(node);
        Ok(if is_red { None } else { self.not_red() })
    }

    /// Looks for a way from the last node of the blue path, which is accepting, back to that path.
    fn red(&mut self, seed: CopyNode) -> Found {
        let mut path = Path::new();
        self.expand(seed, self.path.len(), 0)?;
        path.enter(seed, self.next.iter().copied());
        while path.len() > 0 {
            match path.next() {
                Some(node) => match self.colours.get(node) {
                    CYAN => {
                        let mut cycle = self.since(node);
                        cycle.extend(path.entries().skip(1).map(|node| node.state));
                        return Ok(Some(cycle));
                    }
                    BLUE => {
                        self.colours.set(node, RED);
                        self.expand(node, self.path.len() + path.len(), path.bytes())?;
                        path.enter(node, self.next.iter().copied());
                    }
                    _ => {}
                },
                None => path.leave(),
            }
        }
        Ok(None)
    }

    /// The states of the blue path from a node on.
    fn since(&self, node: CopyNode) -> Vec<u32> {
        self.path.entries().skip_while(|&entry| entry != node).map(|node| node.state).collect()
    }

    fn expand(&mut self, node: CopyNode, depth: usize, memory: u64) -> Result<(), (CopyNode, Halt)> {
        let bytes = self.colours.bytes() + self.path.bytes() + self.all_red.capacity() as u64 + memory;
        self.copies.expand(node, depth as u64, bytes, &mut self.next).map_err(|halt| (node, halt))
    }
}
