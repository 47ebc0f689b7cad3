//! Strong fairness inside a component.
//!
//! A run that stays in a strongly connected component and visits all of it is unfair if some process
//! is enabled there and never moves. A fair run in such a component avoids the nodes in which that
//! process is enabled: they are taken away, and what is left falls apart into smaller components.

use model::Fairness;
use rustc_hash::FxHashMap;

use super::actors::ActorSet;
use super::graph::{Edge, Expansion, Graph, Halt};
use super::scc::Inside;

/// Finds a strongly connected part of a component that is accepted under strong fairness. `memory` is
/// what the search takes that has found the component.
pub fn find(graph: &mut impl Graph, component: &[u32], memory: u64) -> Result<Option<Vec<u32>>, Halt> {
    let mut parts = vec![Part::load(graph, component, memory)?];
    while let Some(part) = parts.pop() {
        let inside = part.inside(graph);
        if inside.is_accepted(graph.all_sets(), Fairness::Strong) {
            return Ok(Some(part.nodes.into_keys().collect()));
        }
        if inside.cyclic && inside.marks.accepts == graph.all_sets() {
            let wronged = inside.wronged(Fairness::Strong);
            parts.extend(part.components_without(|node| node.enabled.intersects(&wronged)));
        }
    }
    Ok(None)
}

/// A node of a part.
struct Node {
    enabled: ActorSet,
    /// The edges to other nodes of the part.
    edges: Vec<Edge>,
}

/// A part of a graph.
struct Part {
    nodes: FxHashMap<u32, Node>,
}

impl Part {
    /// Some nodes and the edges between them.
    fn load(graph: &mut impl Graph, nodes: &[u32], memory: u64) -> Result<Part, Halt> {
        let none = |&node: &u32| (node, Node { enabled: ActorSet::default(), edges: Vec::new() });
        let mut part = Part { nodes: nodes.iter().map(none).collect() };
        let mut bytes = memory + (part.nodes.capacity() * size_of::<(u32, Node)>()) as u64;
        let mut expansion = Expansion::default();
        for &node in nodes {
            graph.expand(node, 0, bytes, &mut expansion)?;
            let is_inner = |edge: &&Edge| part.nodes.contains_key(&edge.target);
            let edges: Vec<Edge> = expansion.edges.iter().filter(is_inner).copied().collect();
            bytes += (edges.capacity() * size_of::<Edge>()) as u64;
            part.nodes.insert(node, Node { enabled: std::mem::take(&mut expansion.enabled), edges });
        }
        Ok(part)
    }

    /// What its nodes and edges contribute.
    fn inside(&self, graph: &impl Graph) -> Inside {
        let mut inside = Inside::default();
        for node in self.nodes.values() {
            inside.add(&Inside::node(node.enabled.clone()));
            node.edges.iter().for_each(|edge| inside.add_edge(graph.marks(*edge)));
        }
        inside
    }

    /// Its strongly connected components, without some of its nodes.
    fn components_without(self, is_left_out: impl Fn(&Node) -> bool) -> Vec<Part> {
        let kept: Vec<(u32, Node)> = self.nodes.into_iter().filter(|(_, node)| !is_left_out(node)).collect();
        let positions: FxHashMap<u32, usize> =
            kept.iter().enumerate().map(|(k, (node, _))| (*node, k)).collect();
        let targets = |(_, node): &(u32, Node)| {
            node.edges.iter().filter_map(|edge| positions.get(&edge.target).copied()).collect::<Vec<usize>>()
        };
        let edges: Vec<Vec<usize>> = kept.iter().map(targets).collect();
        let found = logic::components(kept.len(), |k, next| edges[k].get(next).copied());
        let empty = || Part { nodes: FxHashMap::default() };
        let mut parts: Vec<Part> = (0..found.n).map(|_| empty()).collect();
        for (k, (number, mut node)) in kept.into_iter().enumerate() {
            let is_inner =
                |edge: &Edge| positions.get(&edge.target).is_some_and(|&to| found.of[to] == found.of[k]);
            node.edges.retain(is_inner);
            parts[found.of[k]].nodes.insert(number, node);
        }
        parts
    }
}
