//! From an accepted part of a graph to a path into it and a cycle in it.
//!
//! Each way is found breadth-first, so the lasso is short; a shortest one it need not be. Nodes are
//! expanded again as often as they are needed: a part can be too large to be held in memory.

use model::Fairness;
use rustc_hash::{FxHashMap, FxHashSet};

use super::actors::ActorSet;
use super::graph::{Edge, Expansion, Graph, Halt, Hop, Marks};
use super::scc::Inside;
use crate::kernel::INITIAL;
use crate::kernel::trace::Event;

/// An infinite path: into the cycle and once around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    pub prefix: Vec<Hop>,
    pub cycle: Vec<Hop>,
}

impl Lasso {
    fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }
}

/// How many nodes around those given are looked at for a short lasso, and how many ways to them are
/// tried.
const MOST_NODES: usize = 5_000;
const MOST_WAYS: usize = 5;

/// A lasso whose cycle lies in or around `nodes`, which are as in
/// [`super::graph::Answer::Accepted`].
pub fn find<G: Graph>(graph: &mut G, nodes: &[u32], fairness: Fairness) -> Result<Lasso, Halt> {
    let part = match fairness {
        // Not every larger part is as strongly fair.
        Fairness::Strong => nodes.iter().copied().collect(),
        _ => around(graph, nodes)?,
    };
    let missing = demands(graph, &part, fairness)?;
    let n_ways = if part.len() <= MOST_NODES { part.len().min(MOST_WAYS) } else { 1 };
    let mut shortest: Option<Lasso> = None;
    for (prefix, start) in ways_into(graph, |node| part.contains(&node), n_ways)? {
        let lasso = Lasso { prefix, cycle: tour(graph, &part, start, missing.clone())? };
        if shortest.as_ref().is_none_or(|other| lasso.len() < other.len()) {
            shortest = Some(lasso);
        }
    }
    Ok(shortest.expect("what was found can be reached"))
}

/// The strongly connected part around some nodes that are such a part, as far as it is known and not
/// too large.
fn around<G: Graph>(graph: &mut G, nodes: &[u32]) -> Result<FxHashSet<u32>, Halt> {
    let mut part: FxHashSet<u32> = nodes.iter().copied().collect();
    if part.len() >= MOST_NODES {
        return Ok(part);
    }
    let mut reached = nodes.to_vec();
    let mut back: FxHashMap<u32, Vec<u32>> = nodes.iter().map(|&node| (node, Vec::new())).collect();
    let mut expansion = Expansion::default();
    let mut at = 0;
    while let Some(&node) = reached.get(at) {
        graph.expand(node, 0, 0, &mut expansion)?;
        for edge in expansion.edges.iter().filter(|edge| graph.is_known(edge.target)) {
            let is_new = !back.contains_key(&edge.target);
            if is_new && reached.len() >= MOST_NODES {
                continue;
            }
            back.entry(edge.target).or_default().push(node);
            if is_new {
                reached.push(edge.target);
            }
        }
        at += 1;
    }
    let mut pending = nodes.to_vec();
    while let Some(node) = pending.pop() {
        pending.extend(back[&node].iter().filter(|&&from| part.insert(from)));
    }
    Ok(part)
}

/// The shortest ways from the initial node, through known nodes, to those for which `is_goal` holds,
/// at most so many, and where they end.
pub fn ways_into<G: Graph>(
    graph: &mut G,
    is_goal: impl Fn(u32) -> bool,
    most: usize,
) -> Result<Vec<(Vec<Hop>, u32)>, Halt> {
    let mut ways = Vec::new();
    if is_goal(INITIAL) {
        ways.push((Vec::new(), INITIAL));
    }
    let mut tree = Tree::new(INITIAL);
    let mut expansion = Expansion::default();
    while ways.len() < most
        && let Some(node) = tree.next()
    {
        graph.expand(node, 0, 0, &mut expansion)?;
        for (edge, event) in expansion.iter() {
            let is_goal = is_goal(edge.target);
            let is_there = is_goal || graph.is_known(edge.target);
            if is_there && tree.grow(edge, event, &Marks::default()) && is_goal {
                ways.push((tree.hops_to(tree.reached.len() - 1), edge.target));
            }
        }
    }
    ways.truncate(most);
    Ok(ways)
}

/// A cycle through a node of an accepted part that meets all that it must.
fn tour<G: Graph>(
    graph: &mut G,
    part: &FxHashSet<u32>,
    start: u32,
    mut missing: Demands,
) -> Result<Vec<Hop>, Halt> {
    let mut hops = Vec::new();
    let mut at = start;
    while !missing.is_empty() {
        let helps = |gained: &Inside| missing.are_met_by(gained);
        let path = path_to(graph, part, at, helps, |_, gained| missing.are_met_by(gained))?;
        missing.meet(&path.gained);
        hops.extend(path.hops);
        at = path.end;
    }
    if at != start || hops.is_empty() {
        hops.extend(path_to(graph, part, at, |_| false, |edge, _| edge.target == start)?.hops);
    }
    Ok(hops)
}

/// A path in a part.
struct Path {
    hops: Vec<Hop>,
    end: u32,
    /// What the nodes on it, without the last one of an edge, and its edges contribute.
    gained: Inside,
}

/// The shortest path in a part to a node or along an edge that is wanted; both are told what it
/// contributes.
fn path_to<G: Graph>(
    graph: &mut G,
    part: &FxHashSet<u32>,
    start: u32,
    is_wanted: impl Fn(&Inside) -> bool,
    is_wanted_edge: impl Fn(&Edge, &Inside) -> bool,
) -> Result<Path, Halt> {
    let mut tree = Tree::new(start);
    // What the way to each node that was visited contributes, with the node itself.
    let mut gained: Vec<Inside> = Vec::new();
    let mut expansion = Expansion::default();
    while let Some(node) = tree.next() {
        graph.expand(node, 0, 0, &mut expansion)?;
        let here = tree.visited - 1;
        let own = Inside::node(std::mem::take(&mut expansion.enabled));
        let Reached { from, marks, .. } = &tree.reached[here];
        let mut so_far = own.clone();
        if here > 0 {
            so_far.add(&gained[*from]);
            so_far.add_edge(marks);
        }
        if is_wanted(&own) {
            return Ok(Path { hops: tree.hops_to(here), end: node, gained: so_far });
        }
        for (edge, event) in expansion.iter().filter(|(edge, _)| part.contains(&edge.target)) {
            let marks = graph.marks(edge);
            if is_wanted_edge(&edge, &Inside::edge(marks)) {
                let mut hops = tree.hops_to(here);
                hops.push(Hop { from: node, event });
                so_far.add_edge(marks);
                return Ok(Path { hops, end: edge.target, gained: so_far });
            }
            tree.grow(edge, event, marks);
        }
        gained.push(so_far);
    }
    unreachable!("in a strongly connected part everything can be reached")
}

/// The tree of a breadth-first search.
struct Tree {
    reached: Vec<Reached>,
    seen: FxHashSet<u32>,
    /// How many nodes were visited.
    visited: usize,
}

struct Reached {
    node: u32,
    /// Position of the node from which it was reached, and how.
    from: usize,
    event: Event,
    marks: Marks,
}

impl Tree {
    fn new(root: u32) -> Tree {
        let reached = vec![Reached { node: root, from: 0, event: Event::STUTTER, marks: Marks::default() }];
        Tree { reached, seen: FxHashSet::from_iter([root]), visited: 0 }
    }

    /// The next node to visit.
    fn next(&mut self) -> Option<u32> {
        let reached = self.reached.get(self.visited)?;
        self.visited += 1;
        Some(reached.node)
    }

    /// Adds an edge of the node visited last. Says whether its target is new.
    fn grow(&mut self, edge: Edge, event: Event, marks: &Marks) -> bool {
        let is_new = self.seen.insert(edge.target);
        if is_new {
            let (node, from, marks) = (edge.target, self.visited - 1, marks.clone());
            self.reached.push(Reached { node, from, event, marks });
        }
        is_new
    }

    fn hops_to(&self, position: usize) -> Vec<Hop> {
        let mut hops = Vec::new();
        let mut at = position;
        while at != 0 {
            let Reached { from, event, .. } = self.reached[at];
            hops.push(Hop { from: self.reached[from].node, event });
            at = from;
        }
        hops.reverse();
        hops
    }
}

/// What a cycle has yet to meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Demands {
    accepts: u64,
    /// Who must be disabled somewhere or move.
    served: ActorSet,
    /// Who must move.
    moved: ActorSet,
}

impl Demands {
    fn is_empty(&self) -> bool {
        self.accepts == 0 && self.served.is_empty() && self.moved.is_empty()
    }

    fn meet(&mut self, gained: &Inside) {
        self.accepts &= !gained.marks.accepts;
        self.served.subtract(&gained.idle);
        self.served.subtract(&gained.marks.movers);
        self.moved.subtract(&gained.marks.movers);
    }

    /// Whether something would help.
    fn are_met_by(&self, gained: &Inside) -> bool {
        let mut left = self.clone();
        left.meet(gained);
        left != *self
    }
}

fn demands(graph: &mut impl Graph, part: &FxHashSet<u32>, fairness: Fairness) -> Result<Demands, Halt> {
    let mut demands = Demands { accepts: graph.all_sets(), ..Demands::default() };
    match fairness {
        Fairness::None => {}
        Fairness::Weak => demands.served = ActorSet::EVERY,
        Fairness::Strong => {
            let mut expansion = Expansion::default();
            for &node in part {
                graph.expand(node, 0, 0, &mut expansion)?;
                demands.moved.unite(&expansion.enabled);
            }
        }
    }
    Ok(demands)
}
