//! Graphs given by their edges, and the definition of what an accepted path is, for tests.

use std::collections::{BTreeSet, HashSet};

use model::{Actor, Fairness, Random};

use super::actors::ActorSet;
use super::graph::{Edge, Expansion, Graph, Halt, Marks};
use crate::kernel::trace::Event;

/// A graph; acceptance is on edges, and on nodes where all edges that leave a node agree.
#[derive(Clone, Debug, Default)]
pub struct Explicit {
    pub all_sets: u64,
    /// For each node, its edges: where they lead, and their marks.
    pub edges: Vec<Vec<(u32, Marks)>>,
    /// For each node, who is enabled.
    pub enabled: Vec<ActorSet>,
    /// Everybody who is enabled or moves somewhere.
    pub actors: BTreeSet<Actor>,
    pub known: HashSet<u32>,
    /// The nodes that a search has entered and not left.
    pub path: Vec<u32>,
    /// The marks of the edges handed out so far.
    pub marks: Vec<Marks>,
    /// Lets other threads go first now and then.
    pub hesitates: bool,
}

/// What a random graph is to be like.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    pub n_nodes: u32,
    pub n_sets: u32,
    pub n_actors: u32,
    /// From the number of one actor to that of the next.
    pub distance: u32,
    /// All edges that leave a node have the same acceptance.
    pub state_based: bool,
}

impl Explicit {
    /// A random graph in which an actor is enabled where it has an edge, and in some more nodes
    /// (where the automaton would not follow). Some nodes have no edge at all, some only stutter.
    pub fn random(recipe: Recipe, seed: u64) -> Explicit {
        let mut random = Random::new(seed);
        let mut next = |n: u64| random.draw() % n;
        let mut actors = BTreeSet::new();
        let mut actor = |next: &mut dyn FnMut(u64) -> u64| {
            let actor = Actor(next(u64::from(recipe.n_actors)) as u32 * recipe.distance);
            actors.insert(actor);
            actor
        };
        let all_sets = (1 << recipe.n_sets) - 1;
        let mut graph = Explicit { all_sets, ..Explicit::default() };
        for node in 0..recipe.n_nodes {
            let mut enabled = ActorSet::default();
            let mut edges = Vec::new();
            let own = next(3) & next(4) & all_sets;
            let accepts = |recipe: Recipe, next: &mut dyn FnMut(u64) -> u64| {
                if recipe.state_based { own } else { next(8) & next(8) & all_sets }
            };
            if next(8) == 0 {
                // An end: it stutters, or the run is over.
                if next(2) == 0 {
                    let marks = Marks { accepts: accepts(recipe, &mut next), movers: ActorSet::default() };
                    edges.push((
                        if next(2) == 0 { node } else { next(u64::from(recipe.n_nodes)) as u32 },
                        marks,
                    ));
                }
            } else {
                for _ in 0..next(5) {
                    let target = next(u64::from(recipe.n_nodes)) as u32;
                    let mut movers = ActorSet::default();
                    let mover = actor(&mut next);
                    movers.insert(mover);
                    enabled.insert(mover);
                    if next(4) == 0 {
                        movers.insert(actor(&mut next));
                    }
                    edges.push((target, Marks { accepts: accepts(recipe, &mut next), movers }));
                }
                if next(3) == 0 || edges.is_empty() {
                    enabled.insert(actor(&mut next));
                }
            }
            graph.edges.push(edges);
            graph.enabled.push(enabled);
        }
        graph.actors = actors;
        graph
    }

    /// A long random graph with few cycles, and a third of its nodes accepting.
    pub fn long(n_nodes: u32, seed: u64) -> Explicit {
        let mut random = Random::new(seed);
        let mut next = |n: u32| random.draw() as u32 % n;
        let mut edges_of = |node: u32| {
            let marks = Marks { accepts: u64::from(node.is_multiple_of(3)), movers: ActorSet::default() };
            let mut edges: Vec<(u32, Marks)> =
                (0..3).map(|_| ((node + 1 + next(20)).min(n_nodes - 1), marks.clone())).collect();
            if next(100) == 0 && !node.is_multiple_of(3) {
                // A cycle, but hardly ever through an accepting node.
                edges.push((node - node % 3 + 1, marks.clone()));
            }
            if next(3 * n_nodes) < 4 {
                edges.push((node - next(node + 1).min(30), marks));
            }
            edges.retain(|(target, _)| *target != node);
            edges
        };
        let edges: Vec<_> = (0..n_nodes).map(&mut edges_of).collect();
        let enabled = vec![ActorSet::default(); n_nodes as usize];
        Explicit { all_sets: 1, edges, enabled, ..Explicit::default() }
    }

    /// The same graph, but nodes that lie on a cycle together are accepting together.
    pub fn made_weak(mut self, seed: u64) -> Explicit {
        let nodes = 0..self.edges.len();
        let reached: Vec<u32> = nodes.clone().map(|node| self.reachable(1 << node, u32::MAX)).collect();
        for node in nodes.clone() {
            let together =
                |&other: &usize| reached[node] >> other & 1 == 1 && reached[other] >> node & 1 == 1;
            let first = nodes.clone().find(together).expect("a node lies with itself");
            let accepts = seed >> first & 1;
            self.edges[node].iter_mut().for_each(|(_, marks)| marks.accepts = accepts);
        }
        self
    }

    /// Whether there is a fair accepted path, by trying every set of nodes that a path may visit
    /// infinitely often.
    pub fn has_accepted_path(&self, fairness: Fairness) -> bool {
        let reachable = self.reachable(1, u32::MAX);
        (1..1u32 << self.edges.len()).any(|set| set & reachable == set && self.is_accepted(set, fairness))
    }

    /// The nodes reachable from some nodes without leaving a set.
    fn reachable(&self, from: u32, within: u32) -> u32 {
        let mut reached = from;
        loop {
            let step =
                (0..self.edges.len()).filter(|&node| reached >> node & 1 == 1).fold(0, |step, node| {
                    self.edges[node].iter().fold(step, |step, (target, _)| step | 1 << target)
                });
            let next = reached | step & within;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    fn is_accepted(&self, set: u32, fairness: Fairness) -> bool {
        let nodes: Vec<usize> = (0..self.edges.len()).filter(|&node| set >> node & 1 == 1).collect();
        if nodes.iter().any(|&node| self.reachable(1 << node, set) != set) {
            return false;
        }
        let inner =
            nodes.iter().flat_map(|&node| &self.edges[node]).filter(|(target, _)| set >> target & 1 == 1);
        let inner: Vec<&Marks> = inner.map(|(_, marks)| marks).collect();
        let accepts = inner.iter().fold(0, |accepts, marks| accepts | marks.accepts);
        let moves = |actor| inner.iter().any(|marks| marks.movers.contains(actor));
        let is_fair = |&actor: &Actor| match fairness {
            Fairness::None => true,
            Fairness::Weak => moves(actor) || nodes.iter().any(|&node| !self.enabled[node].contains(actor)),
            Fairness::Strong => moves(actor) || !nodes.iter().any(|&node| self.enabled[node].contains(actor)),
        };
        !inner.is_empty() && accepts == self.all_sets && self.actors.iter().all(is_fair)
    }
}

impl Graph for Explicit {
    fn expand(&mut self, node: u32, _: u64, _: u64, out: &mut Expansion) -> Result<(), Halt> {
        if self.hesitates && (node as usize + self.marks.len()).is_multiple_of(3) {
            std::thread::yield_now();
        }
        self.known.insert(node);
        out.clear();
        for (k, (target, marks)) in self.edges[node as usize].iter().enumerate() {
            self.marks.push(marks.clone());
            out.edges.push(Edge { target: *target, marks: self.marks.len() as u32 - 1 });
            out.events.push(Event { action: k as u32, outcome: 0 });
        }
        out.enabled.clone_from(&self.enabled[node as usize]);
        Ok(())
    }

    fn enter(&mut self, node: u32) {
        self.path.push(node);
    }

    fn leave(&mut self, node: u32) {
        assert_eq!(self.path.pop(), Some(node));
    }

    fn marks(&self, edge: Edge) -> &Marks {
        &self.marks[edge.marks as usize]
    }

    fn all_sets(&self) -> u64 {
        self.all_sets
    }

    fn accepting(&mut self, node: u32) -> bool {
        self.edges[node as usize].iter().any(|(_, marks)| marks.accepts == self.all_sets)
    }

    fn is_known(&self, node: u32) -> bool {
        self.known.contains(&node)
    }
}
