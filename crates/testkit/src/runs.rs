//! Infinite runs of an explicit graph, by definition.
//!
//! What a run does infinitely often is a strongly connected part of the graph. So the graph has an
//! accepted fair run if and only if it has such a part, reachable, with all acceptance sets and
//! fair to every process.

use std::collections::BTreeSet;

use model::Fairness;

/// An edge of a graph.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it leads.
    pub target: usize,
    /// Its acceptance sets.
    pub accepts: u64,
    /// The processes that move.
    pub movers: BTreeSet<usize>,
}

/// A graph whose nodes are all reachable.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The edges of each node.
    pub edges: Vec<Vec<Edge>>,
    /// The processes enabled in each node.
    pub enabled: Vec<BTreeSet<usize>>,
    /// All acceptance sets.
    pub all_sets: u64,
}

impl Graph {
    /// Whether there is a fair run that is accepted.
    pub fn has_accepted_run(&self, fairness: Fairness) -> bool {
        self.has_accepted_run_in((0..self.edges.len()).collect(), fairness)
    }

    /// The same for runs that stay in some nodes.
    fn has_accepted_run_in(&self, nodes: BTreeSet<usize>, fairness: Fairness) -> bool {
        self.components(&nodes).into_iter().any(|component| {
            let inner: Vec<&Edge> = component
                .iter()
                .flat_map(|&node| &self.edges[node])
                .filter(|edge| component.contains(&edge.target))
                .collect();
            let sets = inner.iter().fold(0, |sets, edge| sets | edge.accepts);
            if inner.is_empty() || sets != self.all_sets {
                return false;
            }
            let starved = self.starved(&component, &inner, fairness);
            match fairness {
                _ if starved.is_empty() => true,
                // A smaller part can be fair only if the process is not enabled there.
                Fairness::Strong => {
                    let harmless = |node: &usize| self.enabled[*node].is_disjoint(&starved);
                    self.has_accepted_run_in(component.into_iter().filter(harmless).collect(), fairness)
                }
                _ => false,
            }
        })
    }

    fn starved(&self, component: &BTreeSet<usize>, inner: &[&Edge], fairness: Fairness) -> BTreeSet<usize> {
        let enabled = |process: &usize, node: &usize| self.enabled[*node].contains(process);
        let wants = |process: &usize| match fairness {
            Fairness::None => false,
            Fairness::Weak => component.iter().all(|node| enabled(process, node)),
            Fairness::Strong => component.iter().any(|node| enabled(process, node)),
        };
        let moves = |process: &usize| inner.iter().any(|edge| edge.movers.contains(process));
        let all: BTreeSet<usize> = component.iter().flat_map(|&node| self.enabled[node].clone()).collect();
        all.into_iter().filter(|process| wants(process) && !moves(process)).collect()
    }

    fn components(&self, nodes: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
        let list: Vec<usize> = nodes.iter().copied().collect();
        let position = |node: usize| list.binary_search(&node).ok();
        let next: Vec<Vec<usize>> = list
            .iter()
            .map(|&node| self.edges[node].iter().filter_map(|edge| position(edge.target)).collect())
            .collect();
        let found = logic::components(list.len(), |k, n| next[k].get(n).copied());
        let mut components = vec![BTreeSet::new(); found.n];
        for (k, &node) in list.iter().enumerate() {
            components[found.of[k]].insert(node);
        }
        components
    }
}
