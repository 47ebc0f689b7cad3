//! What the searches for infinite runs see: an implicit graph with acceptance marks on its edges.

use super::actors::ActorSet;
use crate::StopReason;
use crate::kernel::INITIAL;
use crate::kernel::trace::Event;

/// What an edge contributes to a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks {
    /// The acceptance sets to which it belongs.
    pub accepts: u64,
    /// Who moves. Not known unless the search is for fair runs.
    pub movers: ActorSet,
}

impl Marks {
    pub fn unite(&mut self, other: &Marks) {
        self.accepts |= other.accepts;
        self.movers.unite(&other.movers);
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
    /// Who is enabled in the node; empty unless the search is for fair runs.
    pub enabled: ActorSet,
}

impl Expansion {
    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.edges.clear();
        self.events.clear();
        self.enabled = ActorSet::default();
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
    fn marks(&self, edge: Edge) -> &Marks;

    /// The acceptance sets, each of which an accepted path meets infinitely often.
    fn all_sets(&self) -> u64;

    /// Whether a node is accepting, where acceptance is a matter of nodes: a path is then accepted
    /// if it meets such nodes infinitely often.
    fn accepting(&mut self, node: u32) -> bool;

    /// Whether a node has been expanded before.
    fn is_known(&self, node: u32) -> bool;
}
