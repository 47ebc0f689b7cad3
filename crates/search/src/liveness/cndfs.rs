//! Nested depth-first search by several threads (Evangelista, Laarman, Petrucci, van de Pol).
//!
//! Every thread searches the whole graph, each in another order, and keeps out of what another one has
//! finished: blue are the nodes that a first search has left, red those through which no accepting
//! cycle goes. Cyan, the path of the first search, is each thread's own.
//!
//! When a thread leaves an accepting node, its second search goes through all nodes that are not red. It
//! reports a cycle if it comes to a cyan one. If not, what it has visited becomes red, but only when the
//! accepting nodes among it have become red by the work of others: until then somebody may be about to
//! find a cycle there that leads through nodes that would now become red.

use std::sync::atomic::{AtomicBool, Ordering};

use model::{BitSet, Random};

use super::graph::{Answer, Expansion, Graph, Halt};
use super::marks::SharedMarks;
use super::path::Path;
use crate::kernel::INITIAL;

/// Left by a first search.
const BLUE: u8 = 1;
/// On no accepting cycle.
const RED: u8 = 2;

/// Whether a graph has a path that meets accepting nodes infinitely often. Each thread has a view of
/// the graph; all number the nodes alike. Gives the answer and the view in which it was found.
pub fn search<G: Graph + Send>(graphs: &mut [G]) -> (usize, Answer) {
    let shared = Shared::default();
    let answers = std::thread::scope(|scope| {
        let search = |(thread, graph)| Concurrent::new(thread, graph, &shared).search();
        let mut graphs = graphs.iter_mut().enumerate();
        let first = graphs.next().expect("there is a thread");
        let others: Vec<_> = graphs.map(|view| scope.spawn(move || search(view))).collect();
        let mut answers = vec![search(first)];
        answers.extend(others.into_iter().map(|thread| thread.join().expect("threads do not panic")));
        answers
    });
    let is_found = |answer: &Option<Answer>| matches!(answer, Some(Answer::Accepted(_)));
    let is_wrong = |answer: &Option<Answer>| matches!(answer, Some(Answer::Halted { halt: Halt::Wrong, .. }));
    // A violation is worth more than the news that a limit was reached; and what is halted was not gone
    // through, whatever the others say.
    let found = answers.iter().position(is_found).or_else(|| answers.iter().position(is_wrong));
    let halted = || answers.iter().position(|answer| matches!(answer, Some(Answer::Halted { .. })));
    let thread = found.or_else(halted).unwrap_or(0);
    let answer = answers.into_iter().nth(thread).flatten().expect("nobody gives up alone");
    (thread, answer)
}

#[derive(Default)]
struct Shared {
    marks: SharedMarks,
    /// Set when a thread has found a cycle, or cannot go on.
    is_over: AtomicBool,
}

struct Concurrent<'a, G> {
    thread: usize,
    graph: &'a mut G,
    shared: &'a Shared,
    /// The path of the first search.
    path: Path<u32>,
    cyan: BitSet,
    expansion: Expansion,
    next: Vec<u32>,
}

/// Why a thread ends before it is through.
enum End {
    /// Somebody else has the answer.
    Over,
    Answer(Answer),
}

impl<'a, G: Graph> Concurrent<'a, G> {
    fn new(thread: usize, graph: &'a mut G, shared: &'a Shared) -> Concurrent<'a, G> {
        Concurrent {
            thread,
            graph,
            shared,
            path: Path::new(),
            cyan: BitSet::default(),
            expansion: Expansion::default(),
            next: Vec::new(),
        }
    }

    /// The answer; none if another thread has it.
    fn search(mut self) -> Option<Answer> {
        match self.blue() {
            // A node was left alone because it is blue. Who made it so may still be looking for a cycle.
            Ok(()) => Some(Answer::Empty),
            Err(End::Over) => None,
            Err(End::Answer(answer)) => {
                // Relaxed: the answer itself is handed over when the threads are joined.
                self.shared.is_over.store(true, Ordering::Relaxed);
                Some(answer)
            }
        }
    }

    fn blue(&mut self) -> Result<(), End> {
        self.enter(INITIAL)?;
        while let Some(last) = self.path.last() {
            match self.path.next() {
                Some(node) if self.cyan.contains(node as usize) => {
                    if self.graph.accepting(last) || self.graph.accepting(node) {
                        return Err(End::Answer(Answer::Accepted(self.since(node))));
                    }
                }
                Some(node) if self.shared.marks.has(node, BLUE) => {}
                Some(node) => self.enter(node)?,
                None => self.leave(last)?,
            }
        }
        Ok(())
    }

    fn enter(&mut self, node: u32) -> Result<(), End> {
        self.cyan.insert(node as usize);
        self.graph.enter(node);
        self.expand(node, self.path.len(), 0)?;
        self.path.enter(node, self.next.iter().copied());
        Ok(())
    }

    fn leave(&mut self, node: u32) -> Result<(), End> {
        self.shared.marks.set(node, BLUE);
        if self.graph.accepting(node) {
            let visited = self.red(node)?;
            for &other in &visited {
                if other != node && self.graph.accepting(other) {
                    self.wait_for(other)?;
                }
            }
            visited.iter().for_each(|&other| self.shared.marks.set(other, RED));
        }
        self.cyan.remove(node as usize);
        self.path.leave();
        self.graph.leave(node);
        Ok(())
    }

    /// Looks for a way from the last node of the path back to that path. Gives the nodes that it has
    /// visited in vain.
    fn red(&mut self, seed: u32) -> Result<Vec<u32>, End> {
        let mut path = Path::new();
        let mut visited = vec![seed];
        let mut is_visited = rustc_hash::FxHashSet::from_iter([seed]);
        self.expand(seed, self.path.len(), 0)?;
        path.enter(seed, self.next.iter().copied());
        while path.len() > 0 {
            match path.next() {
                Some(node) if self.cyan.contains(node as usize) => {
                    let mut cycle = self.since(node);
                    cycle.extend(path.entries().skip(1));
                    return Err(End::Answer(Answer::Accepted(cycle)));
                }
                Some(node) if self.shared.marks.has(node, RED) || !is_visited.insert(node) => {}
                Some(node) => {
                    visited.push(node);
                    // A number in the list, and one in the set with its room.
                    let bytes = path.bytes() + 16 * visited.len() as u64;
                    self.expand(node, self.path.len() + path.len(), bytes)?;
                    path.enter(node, self.next.iter().copied());
                }
                None => path.leave(),
            }
        }
        Ok(visited)
    }

    /// Waits until a node is red.
    fn wait_for(&mut self, node: u32) -> Result<(), End> {
        while !self.shared.marks.has(node, RED) {
            self.check_over()?;
            std::thread::yield_now();
        }
        Ok(())
    }

    fn check_over(&self) -> Result<(), End> {
        if self.shared.is_over.load(Ordering::Relaxed) { Err(End::Over) } else { Ok(()) }
    }

    /// The nodes of the path from one on.
    fn since(&self, node: u32) -> Vec<u32> {
        self.path.entries().skip_while(|&entry| entry != node).collect()
    }

    /// Finds the successors of a node, in an order of this thread's own.
    fn expand(&mut self, node: u32, depth: usize, memory: u64) -> Result<(), End> {
        self.check_over()?;
        // The marks are counted by one of the threads.
        let shared = if self.thread == 0 { self.shared.marks.bytes() } else { 0 };
        let bytes = self.path.bytes() + self.cyan.bytes() + shared + memory;
        self.graph
            .expand(node, depth as u64, bytes, &mut self.expansion)
            .map_err(|halt| End::Answer(Answer::Halted { node, halt }))?;
        self.next.clear();
        self.next.extend(self.expansion.edges.iter().map(|edge| edge.target));
        shuffle(&mut self.next, self.thread, node);
        Ok(())
    }
}

/// Puts the successors of a node into an order that depends on the thread; the first one keeps it.
fn shuffle(list: &mut [u32], thread: usize, node: u32) {
    if thread == 0 {
        return;
    }
    let mut random = Random::new(u64::from(node) << 8 | thread as u64);
    for k in (1..list.len()).rev() {
        list.swap(k, random.below(k + 1));
    }
}
