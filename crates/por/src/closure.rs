//! Strong stubborn sets by closure: Tarjan's algorithm on the graph that leads from each enabled move
//! to its conflicts and from each disabled move to one of its obstacles (Valmari, "Stubborn sets for
//! reduced state space generation").
//!
//! Whatever is reachable from a move is a stubborn set. The sets that no other one improves belong to
//! the components that contain an enabled move and from which no enabled move of another component can
//! be reached: such a component, with the disabled moves below it, is what is looked for. To close from
//! an arbitrary enabled move instead costs orders of magnitude in states.
//!
//! Which obstacle is followed is decided when a disabled move is reached: the one that adds the fewest
//! enabled moves to what is in the set anyway. So the graph is made on the way. Any obstacle will do, so
//! what is found is stubborn in any case.
//!
//! The search from a seed ends as soon as it touches a move that is *spent*: one that is unwanted, one of
//! a component that was found, or an enabled one that an earlier search has given up. All moves on the
//! path lead there, and so do all on the stack, which lead to the path: as the obstacles were followed,
//! none of them can be in a component that is looked for. So conflicts are asked for only as far as they
//! are needed. The enabled ones are given up for good, and with them every set that another obstacle
//! would have allowed them: the price of asking about each of them once. The disabled ones are not.
//! Whoever reaches them next follows the obstacle that is best then, and what is spent is the worst. Where
//! no move has a choice of obstacles, no component is lost: each one contains an enabled move and so a
//! seed.

use crate::finder::{Finder, Order};
use crate::state_view::StateView;

/// The rank of a move that was not reached yet. Those on the stack are numbered from 1 as they come.
const UNSEEN: u32 = 0;
/// The rank of a move that ends a search: unwanted, given up, or in a component that was found.
const SPENT: u32 = u32::MAX - 1;
/// The rank of a move in a complete component that reaches no enabled move: it is in nobody's way.
const FREE: u32 = u32::MAX;

/// A move on the path and those of its successors, in `edges`, that are still to be followed.
struct Frame {
    number: u32,
    /// The lowest rank on the stack that is known to be reachable from here.
    low: u32,
    next: usize,
    end: usize,
}

/// See the head of this file.
#[derive(Default)]
pub(crate) struct Closure {
    next_seed: usize,
    n_ranked: u32,
    /// For each move.
    ranks: Vec<u32>,
    /// The moves of components that are not complete.
    stack: Vec<u32>,
    path: Vec<Frame>,
    /// The successors of the moves on the path.
    edges: Vec<u32>,
}

impl Closure {
    fn enter(&mut self, view: &mut StateView<'_>, number: u32) {
        self.n_ranked += 1;
        self.ranks[number as usize] = self.n_ranked;
        self.stack.push(number);
        let next = self.edges.len();
        if view.is_enabled(number) {
            view.conflicts(number, &mut self.edges);
        } else {
            let (ranks, first_in) = (&self.ranks, self.first_in(view));
            view.best_obstacle(number, &mut self.edges, |other, price| match ranks[other as usize] {
                UNSEEN => price,
                SPENT => u32::MAX,
                rank if rank >= first_in => 0,
                _ => price,
            });
        }
        self.path.push(Frame { number, low: self.n_ranked, next, end: self.edges.len() });
    }

    /// The rank from which on what is on the stack is in every set with the last enabled move of the path,
    /// since it can be reached from there. What is below may be left out.
    fn first_in(&self, view: &StateView<'_>) -> u32 {
        let mut first_in = u32::MAX;
        let mut is_enabled = false;
        for frame in self.path.iter().rev() {
            if is_enabled && self.ranks[frame.number as usize] < first_in {
                break;
            }
            first_in = first_in.min(frame.low);
            is_enabled |= view.is_enabled(frame.number);
        }
        first_in
    }

    /// Ends the search from a seed: everything on the stack leads to an enabled move elsewhere.
    fn abandon(&mut self, view: &StateView<'_>) {
        for number in self.stack.drain(..) {
            self.ranks[number as usize] = if view.is_enabled(number) { SPENT } else { UNSEEN };
        }
        self.path.clear();
        self.edges.clear();
    }

    /// Searches from a seed for a component that is wanted.
    fn search(&mut self, view: &mut StateView<'_>, seed: u32, out: &mut Vec<u32>) -> bool {
        self.enter(view, seed);
        while let Some(frame) = self.path.last_mut() {
            if frame.next < frame.end {
                let successor = self.edges[frame.next];
                frame.next += 1;
                match self.ranks[successor as usize] {
                    UNSEEN => self.enter(view, successor),
                    SPENT => {
                        self.abandon(view);
                        return false;
                    }
                    FREE => {}
                    rank => frame.low = frame.low.min(rank),
                }
                continue;
            }
            let (number, low) = (frame.number, frame.low);
            self.path.pop();
            self.edges.truncate(self.path.last().map_or(0, |frame| frame.end));
            if low < self.ranks[number as usize] {
                let parent = self.path.last_mut().expect("the component goes on above");
                parent.low = parent.low.min(low);
            } else if self.complete(view, number, out) {
                self.abandon(view);
                return true;
            }
        }
        unreachable!("the component of a seed has an enabled move")
    }

    /// Takes a complete component, the first move of which is given, off the stack. Says whether it has
    /// enabled moves, and then replaces `out` by them.
    fn complete(&mut self, view: &StateView<'_>, first: u32, out: &mut Vec<u32>) -> bool {
        let start = self.stack.iter().rposition(|&number| number == first).expect("it is on the stack");
        out.clear();
        out.extend(self.stack[start..].iter().filter(|&&number| view.is_enabled(number)));
        let rank = if out.is_empty() { FREE } else { SPENT };
        for number in self.stack.drain(start..) {
            self.ranks[number as usize] = rank;
        }
        rank == SPENT
    }
}

impl Finder for Closure {
    fn order(&self) -> Order {
        Order::FewestFirst
    }

    fn begin(&mut self, view: &mut StateView<'_>) {
        self.next_seed = 0;
        self.n_ranked = 0;
        self.ranks.clear();
        self.ranks.resize(view.moves.len(), UNSEEN);
        for &number in view.seeds.iter().filter(|&&number| view.is_unwanted(number)) {
            self.ranks[number as usize] = SPENT;
        }
    }

    fn next(&mut self, view: &mut StateView<'_>, out: &mut Vec<u32>) -> bool {
        while let Some(&seed) = view.seeds.get(self.next_seed) {
            self.next_seed += 1;
            if self.ranks[seed as usize] == UNSEEN && self.search(view, seed, out) {
                return true;
            }
        }
        false
    }
}
