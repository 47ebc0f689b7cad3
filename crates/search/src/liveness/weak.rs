//! One depth-first search, for weak automata.
//!
//! In a weak automaton no cycle leads through accepting and other states: a cycle is accepted if any
//! node on it is. Every cycle has an edge back to the path of the search, so looking at these edges
//! is enough.

use super::colours::Colours;
use super::fair::{Copies, CopyNode, Flags};
use super::graph::{Answer, Graph, Halt};
use super::path::Path;
use crate::kernel::INITIAL;

const NEW: u8 = 0;
const ON_PATH: u8 = 1;
const DONE: u8 = 2;

/// Whether a graph, whose cycles have accepting nodes only or none at all, has an accepting one.
pub fn search(graph: &mut impl Graph) -> Answer {
    let copies = Copies::new(graph, Flags::None);
    let mut search = Simple { copies, colours: Colours::new(), path: Path::new(), next: Vec::new() };
    search.run().unwrap_or_else(|(node, halt)| Answer::Halted { node: node.state, halt })
}

struct Simple<'g, G> {
    copies: Copies<'g, G>,
    colours: Colours,
    path: Path<CopyNode>,
    next: Vec<CopyNode>,
}

impl<G: Graph> Simple<'_, G> {
    fn run(&mut self) -> Result<Answer, (CopyNode, Halt)> {
        self.enter(CopyNode { state: INITIAL, copy: 0 })?;
        while let Some(last) = self.path.last() {
            match self.path.next() {
                Some(node) => match self.colours.get(node) {
                    NEW => self.enter(node)?,
                    ON_PATH if self.copies.is_accepting(node) => {
                        let cycle = self.path.entries().skip_while(|&entry| entry != node);
                        return Ok(Answer::Accepted(cycle.map(|node| node.state).collect()));
                    }
                    _ => {}
                },
                None => {
                    self.colours.set(last, DONE);
                    self.path.leave();
                    self.copies.leave(last);
                }
            }
        }
        Ok(Answer::Empty)
    }

    fn enter(&mut self, node: CopyNode) -> Result<(), (CopyNode, Halt)> {
        self.colours.set(node, ON_PATH);
        self.copies.enter(node);
        let bytes = self.colours.bytes() + self.path.bytes();
        let depth = self.path.len() as u64;
        self.copies.expand(node, depth, bytes, &mut self.next).map_err(|halt| (node, halt))?;
        self.path.enter(node, self.next.iter().copied());
        Ok(())
    }
}
