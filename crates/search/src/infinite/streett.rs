//! Strong fairness inside a component.
//!
//! A run that stays in a strongly connected component and visits all of it is unfair if some process
//! is enabled there and never moves. A fair run in such a component avoids the nodes in which that
//! process is enabled: they are taken away, and what is left falls apart into smaller components.

use model::Fairness;
use rustc_hash::FxHashMap;

use super::components::Inside;
use super::graph::{Edge, Expansion, Graph, Halt, Marks, Processes};

/// Finds a strongly connected part of a component that is accepted under strong fairness.
pub fn find(graph: &mut impl Graph, component: &[u32]) -> Result<Option<Vec<u32>>, Halt> {
    let mut parts = vec![Part::load(graph, component)?];
    while let Some(part) = parts.pop() {
        let inside = part.inside();
        if inside.is_accepted(part.all_sets, Fairness::Strong) {
            return Ok(Some(part.nodes.into_keys().collect()));
        }
        if inside.cyclic && inside.marks.accepts == part.all_sets {
            let wronged = inside.wronged(Fairness::Strong);
            parts.extend(part.components_without(|node| !(node.enabled & wronged).is_empty()));
        }
    }
    Ok(None)
}

/// A node of a part.
struct Node {
    enabled: Processes,
    /// The edges to other nodes of the part.
    edges: Vec<(Edge, Marks)>,
}

/// A part of a graph.
struct Part {
    nodes: FxHashMap<u32, Node>,
    all_sets: u64,
}

impl Part {
    /// Some nodes and the edges between them.
    fn load(graph: &mut impl Graph, nodes: &[u32]) -> Result<Part, Halt> {
        let none = |&node: &u32| (node, Node { enabled: Processes::default(), edges: Vec::new() });
        let mut part = Part { nodes: nodes.iter().map(none).collect(), all_sets: graph.all_sets() };
        let mut expansion = Expansion::default();
        for &node in nodes {
            graph.expand(node, 0, 0, &mut expansion)?;
            let inner = expansion.edges.iter().filter(|edge| part.nodes.contains_key(&edge.target));
            let edges = inner.map(|edge| (*edge, graph.marks(*edge))).collect();
            part.nodes.insert(node, Node { enabled: expansion.enabled, edges });
        }
        Ok(part)
    }

    /// What its nodes and edges contribute.
    fn inside(&self) -> Inside {
        let mut inside = Inside::default();
        for node in self.nodes.values() {
            inside.add(&Inside::node(node.enabled));
            node.edges.iter().for_each(|(_, marks)| inside.add_edge(*marks));
        }
        inside
    }

    /// Its strongly connected components, without some of its nodes.
    fn components_without(self, is_left_out: impl Fn(&Node) -> bool) -> Vec<Part> {
        let kept: Vec<(u32, Node)> = self.nodes.into_iter().filter(|(_, node)| !is_left_out(node)).collect();
        let positions: FxHashMap<u32, usize> =
            kept.iter().enumerate().map(|(k, (node, _))| (*node, k)).collect();
        let targets = |(_, node): &(u32, Node)| {
            node.edges
                .iter()
                .filter_map(|(edge, _)| positions.get(&edge.target).copied())
                .collect::<Vec<usize>>()
        };
        let edges: Vec<Vec<usize>> = kept.iter().map(targets).collect();
        let found = logic::components(kept.len(), |k, next| edges[k].get(next).copied());
        let empty = || Part { nodes: FxHashMap::default(), all_sets: self.all_sets };
        let mut parts: Vec<Part> = (0..found.n).map(|_| empty()).collect();
        for (k, (number, mut node)) in kept.into_iter().enumerate() {
            let is_inner =
                |edge: &Edge| positions.get(&edge.target).is_some_and(|&to| found.of[to] == found.of[k]);
            node.edges.retain(|(edge, _)| is_inner(edge));
            parts[found.of[k]].nodes.insert(number, node);
        }
        parts
    }
}
