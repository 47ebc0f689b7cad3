//! Weak fairness by Choueka's flags: several copies of the graph, one for each process to wait for.
//!
//! A path in the first copy waits for acceptance; then it goes through the copies of the processes,
//! and leaves that of a process when the process moves or is disabled. It comes back to the first
//! copy infinitely often if and only if it is accepted and fair.
//!
//! Two variants: with `N+2` copies the last one has the accepting nodes; with `N+1` they are the
//! accepting ones of the first copy. `N` need not be known: behind the last process enabled in a
//! node all others are disabled, so the moves that leave their copies one by one are one move here.
//! In a node where no process is enabled the run only stutters; the moves that wait for nothing are
//! left out there, and a stutter step serves every process. So no cycle is without a step.

use model::Actor;

use super::graph::{Expansion, Graph, Halt};

/// How the copies are arranged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flags {
    /// One copy: every path is fair.
    #[default]
    None,
    /// Copy 0 waits for acceptance, copy `i + 1` for process `i`.
    NPlusOne,
    /// Copy 0 waits for acceptance, copy 1 is the one that accepts, copy `i + 2` waits for process `i`.
    NPlusTwo,
}

/// A node of the extended graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyNode {
    pub state: u32,
    pub copy: u32,
}

/// Copies of a graph.
pub struct Copies<'g, G> {
    graph: &'g mut G,
    flags: Flags,
    expansion: Expansion,
}

impl<'g, G: Graph> Copies<'g, G> {
    pub fn new(graph: &'g mut G, flags: Flags) -> Copies<'g, G> {
        Copies { graph, flags, expansion: Expansion::default() }
    }

    pub fn is_accepting(&mut self, node: CopyNode) -> bool {
        match self.flags {
            Flags::None | Flags::NPlusOne => node.copy == 0 && self.graph.accepting(node.state),
            Flags::NPlusTwo => node.copy == 1,
        }
    }

    /// Says that a depth-first search goes to a node.
    pub fn enter(&mut self, node: CopyNode) {
        self.graph.enter(node.state);
    }

    /// Says that the search leaves a node that it has entered.
    pub fn leave(&mut self, node: CopyNode) {
        self.graph.leave(node.state);
    }

    /// Replaces `out` by the successors of a node.
    pub fn expand(
        &mut self,
        node: CopyNode,
        depth: u64,
        memory: u64,
        out: &mut Vec<CopyNode>,
    ) -> Result<(), Halt> {
        out.clear();
        let stay = |copy| CopyNode { copy, ..node };
        // The first copy for a process, and the one behind the last.
        let (first, behind) = match self.flags {
            Flags::None | Flags::NPlusOne => (1, 0),
            Flags::NPlusTwo => (2, 1),
        };
        if self.flags == Flags::NPlusTwo && node.copy == behind {
            out.push(stay(0));
            return Ok(());
        }
        if self.flags != Flags::None && node.copy == 0 && self.graph.accepting(node.state) {
            out.push(stay(first));
            return Ok(());
        }
        self.graph.expand(node.state, depth, memory, &mut self.expansion)?;
        let Expansion { edges, enabled, .. } = &self.expansion;
        if node.copy == 0 {
            out.extend(edges.iter().map(|edge| CopyNode { state: edge.target, copy: 0 }));
            return Ok(());
        }
        let awaited = Actor(node.copy - first);
        if enabled.is_empty() {
            out.extend(edges.iter().map(|edge| CopyNode { state: edge.target, copy: behind }));
            return Ok(());
        }
        if !enabled.contains(awaited) {
            out.push(stay(if awaited.0 < enabled.end() { node.copy + 1 } else { behind }));
        }
        out.extend(edges.iter().map(|edge| {
            let moves = self.graph.marks(*edge).movers.contains(awaited);
            CopyNode { state: edge.target, copy: node.copy + u32::from(moves) }
        }));
        Ok(())
    }
}
