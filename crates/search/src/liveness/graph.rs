//! What the searches for infinite runs see: an implicit graph with acceptance marks on its edges.

use std::ops::{BitAnd, BitOr, Not};

use crate::StopReason;
use crate::explore::INITIAL;
use crate::trace::Event;

/// A set of processes, by their position in the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Processes([u64; 4]);

impl Processes {
    /// All that there can be.
    pub const EVERY: Processes = Processes([u64::MAX; 4]);

    pub fn insert(&mut self, process: u16) {
        self.0[process as usize / 64] |= 1 << (process % 64);
    }

    pub fn contains(self, process: u16) -> bool {
        self.0.get(process as usize / 64).is_some_and(|word| word >> (process % 64) & 1 == 1)
    }

    pub fn is_empty(self) -> bool {
        self == Processes::default()
    }

    /// How many positions there are up to the last process of the set.
    pub fn len(self) -> u16 {
        let used = |k: usize| (64 * (k + 1)) as u16 - self.0[k].leading_zeros() as u16;
        (0..4).rev().find(|&k| self.0[k] != 0).map_or(0, used)
    }
}

impl BitOr for Processes {
    type Output = Processes;
    fn bitor(self, other: Processes) -> Processes {
        Processes(std::array::from_fn(|k| self.0[k] | other.0[k]))
    }
}

impl BitAnd for Processes {
    type Output = Processes;
    fn bitand(self, other: Processes) -> Processes {
        Processes(std::array::from_fn(|k| self.0[k] & other.0[k]))
    }
}

impl Not for Processes {
    type Output = Processes;
    fn not(self) -> Processes {
        Processes(self.0.map(|word| !word))
    }
}

/// What an edge contributes to a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks {
    /// The acceptance sets to which it belongs.
    pub accepts: u64,
    /// The processes that move. Not known unless the search is for fair runs.
    pub movers: Processes,
}

impl BitOr for Marks {
    type Output = Marks;
    fn bitor(self, other: Marks) -> Marks {
        Marks { accepts: self.accepts | other.accepts, movers: self.movers | other.movers }
    }
}

/// An edge from a node that is known from the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub target: u32,
    /// Its marks, as a number that [`Graph::marks`] understands.
    pub marks: u32,
}

/// The edge on which a search comes to the initial node.
pub const ENTRANCE: Edge = Edge { target: INITIAL, marks: 0 };

/// The successors of a node.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    pub edges: Vec<Edge>,
    /// What happens on each edge. Apart from the edges, because a search remembers many of these.
    pub events: Vec<Event>,
    /// The processes enabled in the node; empty unless the search is for fair runs.
    pub enabled: Processes,
}

impl Expansion {
    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.edges.clear();
        self.events.clear();
        self.enabled = Processes::default();
    }

    /// The edges, and what happens on them.
    pub fn iter(&self) -> impl Iterator<Item = (Edge, Event)> {
        self.edges.iter().copied().zip(self.events.iter().copied())
    }
}

/// Why a graph is not explored further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A limit is reached.
    Stop(StopReason),
    /// Something is wrong in the node just expanded, whatever comes behind it. The graph knows what.
    Wrong,
}

/// A step along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    pub from: u32,
    pub event: Event,
}

/// The answer to whether a graph has an infinite path that is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It has none.
    Empty,
    /// It has. These nodes are strongly connected, and a path that goes on visiting all of them and
    /// all edges between them is accepted.
    Accepted(Vec<u32>),
    /// Not known, or not needed: the search was halted when it expanded `node`.
    Halted { node: u32, halt: Halt },
}

/// A graph that is explored as it is generated. Nodes are numbered densely; 0 is the initial one.
pub trait Graph {
    /// Replaces `out` by the successors of a node, the same each time. It lies `depth` steps from
    /// the initial node on the way of the search, which itself takes `memory` bytes.
    fn expand(&mut self, node: u32, depth: u64, memory: u64, out: &mut Expansion) -> Result<(), Halt>;

    /// Says that a depth-first search goes to a node, before it expands it. What is expanded for the
    /// first time may depend on the nodes on the path, and on nothing else that a search does.
    fn enter(&mut self, node: u32) {
        let _ = node;
    }

    /// Says that the search leaves a node that it has entered.
    fn leave(&mut self, node: u32) {
        let _ = node;
    }

    /// The marks of an edge.
    fn marks(&self, edge: Edge) -> Marks;

    /// The acceptance sets, each of which an accepted path meets infinitely often.
    fn all_sets(&self) -> u64;

    /// Whether a node is accepting, where acceptance is a matter of nodes: a path is then accepted
    /// if it meets such nodes infinitely often.
    fn accepting(&mut self, node: u32) -> bool;

    /// Whether a node has been expanded before.
    fn is_known(&self, node: u32) -> bool;
}
