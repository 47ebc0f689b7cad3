//! From an accepted part of a graph to a path into it and a cycle in it.
//!
//! Each way is found breadth-first, so the lasso is short; a shortest one it need not be.

use model::Fairness;
use rustc_hash::FxHashSet;

use super::components::Inside;
use super::graph::{ENTRANCE, Edge, Expansion, Graph, Halt, Hop, Processes};
use crate::explore::INITIAL;

/// An infinite path: into the cycle and once around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    pub prefix: Vec<Hop>,
    pub cycle: Vec<Hop>,
}

/// A lasso whose cycle lies in `part`, which is as in [`super::graph::Answer::Accepted`].
pub fn find<G: Graph>(graph: &mut G, part: &[u32], fairness: Fairness) -> Result<Lasso, Halt> {
    let part: FxHashSet<u32> = part.iter().copied().collect();
    let prefix = way_into(graph, |node| part.contains(&node))?;
    let start = prefix.end;
    let mut missing = demands(graph, &part, fairness)?;
    let inside = |_: &G, node: u32| part.contains(&node);
    let mut cycle = Vec::new();
    let mut at = start;
    while !missing.is_empty() {
        let helps = |enabled, marks| missing.are_met_by(&Inside { marks, ..Inside::node(enabled) });
        let way = shortest(graph, at, inside, |graph, enabled, edge| match edge {
            None => helps(enabled, Default::default()),
            Some(edge) => helps(Processes::EVERY, graph.marks(*edge)),
        })?;
        missing.meet(&way.gained);
        cycle.extend(way.hops);
        at = way.end;
    }
    if at != start || cycle.is_empty() {
        let back = shortest(graph, at, inside, |_, _, edge| edge.is_some_and(|edge| edge.target == start))?;
        cycle.extend(back.hops);
    }
    Ok(Lasso { prefix: prefix.hops, cycle })
}

/// The shortest way from the initial node to one for which `is_goal` holds.
pub fn way_into<G: Graph>(graph: &mut G, is_goal: impl Fn(u32) -> bool) -> Result<Way, Halt> {
    if is_goal(INITIAL) {
        return Ok(Way { hops: Vec::new(), end: INITIAL, gained: Inside::default() });
    }
    let arrives = |_: &G, _, edge: Option<&Edge>| edge.is_some_and(|edge| is_goal(edge.target));
    shortest(graph, INITIAL, |graph, node| graph.is_known(node) || is_goal(node), arrives)
}

/// What a cycle has yet to meet.
#[derive(Clone, Copy, Debug, Default)]
struct Demands {
    accepts: u64,
    /// Processes that must be disabled somewhere or move.
    served: Processes,
    /// Processes that must move.
    moved: Processes,
}

impl Demands {
    fn is_empty(&self) -> bool {
        self.accepts == 0 && self.served.is_empty() && self.moved.is_empty()
    }

    fn meet(&mut self, gained: &Inside) {
        self.accepts &= !gained.marks.accepts;
        self.served = self.served & !(gained.idle | gained.marks.movers);
        self.moved = self.moved & !gained.marks.movers;
    }

    /// Whether something would help.
    fn are_met_by(&self, gained: &Inside) -> bool {
        let mut left = *self;
        left.meet(gained);
        (left.accepts, left.served, left.moved) != (self.accepts, self.served, self.moved)
    }
}

fn demands(graph: &mut impl Graph, part: &FxHashSet<u32>, fairness: Fairness) -> Result<Demands, Halt> {
    let mut demands = Demands { accepts: graph.all_sets(), ..Demands::default() };
    match fairness {
        Fairness::None => {}
        Fairness::Weak => demands.served = Processes::EVERY,
        Fairness::Strong => {
            let mut expansion = Expansion::default();
            for &node in part {
                graph.expand(node, 0, 0, &mut expansion)?;
                demands.moved = demands.moved | expansion.enabled;
            }
        }
    }
    Ok(demands)
}

/// A way through the graph.
pub struct Way {
    pub hops: Vec<Hop>,
    pub end: u32,
    /// What the nodes on it, without the last, and its edges contribute.
    gained: Inside,
}

/// A node that a breadth-first search has reached.
struct Reached {
    node: u32,
    /// Position of the node from which it was reached.
    from: usize,
    by: Edge,
    enabled: Processes,
}

/// The shortest way through allowed nodes to one, or along an edge, for which `is_goal` holds; it is
/// asked of a node with its enabled processes, and then of each edge that leaves it.
fn shortest<G: Graph>(
    graph: &mut G,
    start: u32,
    allowed: impl Fn(&G, u32) -> bool,
    is_goal: impl Fn(&G, Processes, Option<&Edge>) -> bool,
) -> Result<Way, Halt> {
    let mut reached = vec![Reached { node: start, from: 0, by: ENTRANCE, enabled: Processes::default() }];
    let mut seen = FxHashSet::from_iter([start]);
    let mut expansion = Expansion::default();
    for position in 0.. {
        let node = reached.get(position).expect("the goal can be reached").node;
        graph.expand(node, 0, 0, &mut expansion)?;
        reached[position].enabled = expansion.enabled;
        if is_goal(graph, expansion.enabled, None) {
            return Ok(way(graph, &reached, position, None));
        }
        for edge in expansion.edges.iter().filter(|edge| allowed(graph, edge.target)) {
            if is_goal(graph, expansion.enabled, Some(edge)) {
                return Ok(way(graph, &reached, position, Some(*edge)));
            }
            if seen.insert(edge.target) {
                let enabled = Processes::default();
                reached.push(Reached { node: edge.target, from: position, by: *edge, enabled });
            }
        }
    }
    unreachable!("positions do not end")
}

/// The way to the node at a position, and on along an edge.
fn way(graph: &impl Graph, reached: &[Reached], position: usize, last: Option<Edge>) -> Way {
    let end = last.map_or(reached[position].node, |edge| edge.target);
    let mut gained = Inside::node(reached[position].enabled);
    let mut hops = Vec::new();
    let mut take = |from: u32, edge: Edge, gained: &mut Inside| {
        gained.add_edge(graph.marks(edge));
        hops.push(Hop { from, outcome: edge.outcome });
    };
    if let Some(edge) = last {
        take(reached[position].node, edge, &mut gained);
    }
    let mut at = position;
    while at != 0 {
        let Reached { from, by, .. } = reached[at];
        take(reached[from].node, by, &mut gained);
        gained.add(&Inside::node(reached[from].enabled));
        at = from;
    }
    hops.reverse();
    Way { hops, end, gained }
}
