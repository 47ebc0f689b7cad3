//! Emptiness by strongly connected components, for any number of acceptance sets and for fair runs.
//!
//! Couvreur's form of Tarjan's algorithm: the components of the part explored so far that may still
//! grow lie on a stack, each with the marks of its edges. An edge back into one of them merges all
//! above it. As soon as a component has every mark, a cycle through all of it is accepted.
//!
//! Weak fairness asks of each process that it is disabled in some node or moves on some edge: marks
//! like others. Strong fairness, that it moves if it is enabled in some node: a component that has
//! not all marks may contain a smaller one that does, so complete components are looked into
//! ([`super::streett`]).
//!
//! Data: `numbers[node]` is the order in which nodes are entered, from 1, or `DEAD` in components
//! that are complete; `live` are the nodes that are not dead, in that order; `roots` the components.

use model::Fairness;

use super::actors::ActorSet;
use super::graph::{Answer, ENTRANCE, Edge, Expansion, Graph, Halt, Marks};
use super::path::Path;
use super::streett;

const NEW: u32 = 0;
const DEAD: u32 = u32::MAX;

/// A component of the part explored so far.
struct Root {
    /// The number of its first node.
    number: u32,
    /// The edge on which it was entered, which lies outside.
    entry: Edge,
    /// What its nodes and edges contribute.
    inside: Inside,
}

/// What the nodes and edges of a component contribute.
#[derive(Clone, Default)]
pub struct Inside {
    /// Whether there is an edge inside, and hence a cycle.
    pub cyclic: bool,
    pub marks: Marks,
    /// Who is disabled in some node.
    pub idle: ActorSet,
    /// Who is enabled in some node.
    pub enabled: ActorSet,
}

impl Inside {
    /// A single node, in which some actors are enabled.
    pub fn node(enabled: ActorSet) -> Inside {
        Inside { idle: enabled.complement(), enabled, ..Inside::default() }
    }

    /// A single edge.
    pub fn edge(marks: &Marks) -> Inside {
        Inside { cyclic: true, marks: marks.clone(), ..Inside::default() }
    }

    pub fn add(&mut self, other: &Inside) {
        self.cyclic |= other.cyclic;
        self.marks.unite(&other.marks);
        self.idle.unite(&other.idle);
        self.enabled.unite(&other.enabled);
    }

    /// Counts an edge between two nodes of the component.
    pub fn add_edge(&mut self, marks: &Marks) {
        self.cyclic = true;
        self.marks.unite(marks);
    }

    /// The actors to whom a run through the whole component would be unfair.
    pub fn wronged(&self, fairness: Fairness) -> ActorSet {
        let mut wronged = match fairness {
            Fairness::None => ActorSet::default(),
            Fairness::Weak => self.idle.complement(),
            Fairness::Strong => self.enabled.clone(),
        };
        wronged.subtract(&self.marks.movers);
        wronged
    }

    /// Whether a run through the whole component is accepted.
    pub fn is_accepted(&self, all_sets: u64, fairness: Fairness) -> bool {
        self.cyclic && self.marks.accepts == all_sets && self.wronged(fairness).is_empty()
    }
}

/// Whether a graph has a fair path that is accepted.
pub fn search(graph: &mut impl Graph, fairness: Fairness) -> Answer {
    let path = Path::new();
    let (numbers, live, roots) = (Vec::new(), Vec::new(), Vec::new());
    let mut search =
        Search { graph, fairness, path, numbers, live, roots, n_entered: 0, expansion: Expansion::default() };
    search.run().unwrap_or_else(|(node, halt)| Answer::Halted { node, halt })
}

struct Search<'g, G> {
    graph: &'g mut G,
    fairness: Fairness,
    path: Path<Edge>,
    numbers: Vec<u32>,
    live: Vec<u32>,
    roots: Vec<Root>,
    n_entered: u32,
    expansion: Expansion,
}

/// The nodes of an accepted component, or none so far; the node at which the search is halted.
type Found = Result<Option<Vec<u32>>, (u32, Halt)>;

impl<G: Graph> Search<'_, G> {
    fn run(&mut self) -> Result<Answer, (u32, Halt)> {
        let mut found = self.enter(ENTRANCE)?;
        while found.is_none() {
            found = match self.path.next() {
                Some(edge) if self.number(edge.target) == NEW => self.enter(edge)?,
                Some(edge) => self.close(edge),
                None if self.path.len() == 0 => return Ok(Answer::Empty),
                None => self.leave()?,
            };
        }
        Ok(found.map_or(Answer::Empty, Answer::Accepted))
    }

    fn number(&self, node: u32) -> u32 {
        self.numbers.get(node as usize).copied().unwrap_or(NEW)
    }

    /// Enters a new node: a component of its own, for now.
    fn enter(&mut self, entry: Edge) -> Found {
        let node = entry.target;
        let mut expansion = std::mem::take(&mut self.expansion);
        self.graph.enter(node);
        let (depth, bytes) = (self.path.len() as u64, self.bytes());
        self.graph.expand(node, depth, bytes, &mut expansion).map_err(|halt| (node, halt))?;
        self.n_entered += 1;
        if self.numbers.len() <= node as usize {
            self.numbers.resize(node as usize + 1, NEW);
        }
        self.numbers[node as usize] = self.n_entered;
        self.live.push(node);
        let inside = Inside::node(std::mem::take(&mut expansion.enabled));
        self.roots.push(Root { number: self.n_entered, entry, inside });
        let numbers = &self.numbers;
        let is_new = |edge: &Edge| numbers.get(edge.target as usize).is_none_or(|&number| number == NEW);
        self.path.enter(entry, expansion.edges.iter().copied().filter(is_new));
        let close = |edge: &Edge| if self.number(edge.target) == NEW { None } else { self.close(*edge) };
        let found = expansion.edges.iter().find_map(close);
        self.expansion = expansion;
        Ok(found)
    }

    /// Takes an edge from the last node to one that has been entered before. If that is live, the
    /// components from there on are one.
    fn close(&mut self, edge: Edge) -> Option<Vec<u32>> {
        let number = self.number(edge.target);
        if number == DEAD {
            return None;
        }
        let mut merged = Inside::default();
        merged.add_edge(self.graph.marks(edge));
        while let Some(root) = self.roots.pop_if(|root| root.number > number) {
            merged.add(&root.inside);
            merged.add_edge(self.graph.marks(root.entry));
        }
        let root = self.roots.last_mut().expect("a live node lies in a component");
        root.inside.add(&merged);
        let first = root.number;
        root.inside
            .is_accepted(self.graph.all_sets(), self.fairness)
            .then(|| self.live[self.position(first)..].to_vec())
    }

    /// Leaves the last node, all of whose edges are done; with the first node of a component, the
    /// component.
    fn leave(&mut self) -> Found {
        let last = self.path.last().expect("there is a node to leave");
        let number = self.number(last.target);
        self.path.leave();
        self.graph.leave(last.target);
        let Some(root) = self.roots.pop_if(|root| root.number == number) else { return Ok(None) };
        let component = self.live.split_off(self.position(number));
        for &node in &component {
            self.numbers[node as usize] = DEAD;
        }
        let bytes = self.bytes();
        let may_contain_fair = self.fairness == Fairness::Strong
            && root.inside.cyclic
            && root.inside.marks.accepts == self.graph.all_sets();
        if may_contain_fair {
            streett::find(self.graph, &component, bytes).map_err(|halt| (last.target, halt))
        } else {
            Ok(None)
        }
    }

    /// Where the live node with a number lies.
    fn position(&self, number: u32) -> usize {
        self.live.partition_point(|&node| self.numbers[node as usize] < number)
    }

    fn bytes(&self) -> u64 {
        let roots = self.roots.capacity() * size_of::<Root>();
        self.path.bytes() + (4 * self.numbers.capacity() + 4 * self.live.capacity() + roots) as u64
    }
}
