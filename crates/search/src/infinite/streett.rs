//! Strong fairness inside a component.
//!
//! A run that stays in a strongly connected component and visits all of it is unfair if some process
//! is enabled there and never moves. A fair run in such a component avoids the nodes in which that
//! process is enabled: they are taken away, and what is left falls apart into smaller components.

use model::Fairness;
use rustc_hash::{FxHashMap, FxHashSet};

use super::components::Inside;
use super::graph::{Edge, Expansion, Graph, Halt, Processes};

/// A node of the component and the edges inside, whose targets are positions.
struct Node {
    enabled: Processes,
    edges: Vec<(usize, Edge)>,
}

/// Finds a strongly connected part of a component that is accepted under strong fairness.
pub fn find(graph: &mut impl Graph, component: &[u32]) -> Result<Option<Vec<u32>>, (u32, Halt)> {
    let nodes = load(graph, component)?;
    let mut parts = vec![(0..component.len()).collect::<Vec<usize>>()];
    while let Some(part) = parts.pop() {
        for component_of_part in components(&nodes, &part) {
            let inside = inside(graph, &nodes, &component_of_part);
            if inside.is_accepted(graph.all_sets(), Fairness::Strong) {
                return Ok(Some(component_of_part.iter().map(|&k| component[k]).collect()));
            }
            if inside.cyclic && inside.marks.accepts == graph.all_sets() {
                let wronged = inside.wronged(Fairness::Strong);
                let harmless = |&k: &usize| (nodes[k].enabled & wronged).is_empty();
                parts.push(component_of_part.into_iter().filter(harmless).collect());
            }
        }
    }
    Ok(None)
}

fn load(graph: &mut impl Graph, component: &[u32]) -> Result<Vec<Node>, (u32, Halt)> {
    let positions: FxHashMap<u32, usize> = component.iter().enumerate().map(|(k, &node)| (node, k)).collect();
    let mut expansion = Expansion::default();
    let mut nodes = Vec::new();
    for &node in component {
        graph.expand(node, 0, 0, &mut expansion).map_err(|halt| (node, halt))?;
        let inner = expansion.edges.iter().filter_map(|edge| Some((*positions.get(&edge.target)?, *edge)));
        nodes.push(Node { enabled: expansion.enabled, edges: inner.collect() });
    }
    Ok(nodes)
}

/// What a set of nodes and the edges between them contribute.
fn inside(graph: &impl Graph, nodes: &[Node], part: &[usize]) -> Inside {
    let members: FxHashSet<usize> = part.iter().copied().collect();
    let mut inside = Inside::default();
    for &k in part {
        inside.add(&Inside::node(nodes[k].enabled));
        for (_, edge) in nodes[k].edges.iter().filter(|(target, _)| members.contains(target)) {
            inside.add_edge(graph.marks(*edge));
        }
    }
    inside
}

/// The strongly connected components of a part of the nodes.
fn components(nodes: &[Node], part: &[usize]) -> Vec<Vec<usize>> {
    let positions: FxHashMap<usize, usize> = part.iter().enumerate().map(|(k, &node)| (node, k)).collect();
    let inner = |&node: &usize| {
        let targets = nodes[node].edges.iter().filter_map(|(target, _)| positions.get(target).copied());
        targets.collect::<Vec<usize>>()
    };
    let edges: Vec<Vec<usize>> = part.iter().map(inner).collect();
    let found = logic::components(part.len(), |k, next| edges[k].get(next).copied());
    let mut components = vec![Vec::new(); found.n];
    for (k, &node) in part.iter().enumerate() {
        components[found.of[k]].push(node);
    }
    components
}
