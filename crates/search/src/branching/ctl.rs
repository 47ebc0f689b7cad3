//! CTL on the fly, in time linear in the formula and the graph.
//!
//! Formulas are made of EX, E U and A U. A formula is evaluated in a state when somebody asks, and its
//! label there kept; E U and A U label all states that they come by, so that no two searches for one
//! formula overlap. Both searches are those of Vergauwen and Lewi as K. Schmidt has them (*Explicit State
//! Space Verification*), with two corrections: a state that leads nowhere is the end of a path, and a state
//! on the path is followed again, since it closes a cycle.
//!
//! - A(φ U ψ) looks for a path that never comes to ψ. States on the path are false, until they are left
//!   without such a path: then they are true. A false state ends the search, and those on the path stay
//!   what they are.
//! - E(φ U ψ) looks for a path through φ to ψ, and has to know components, as Tarjan's algorithm does:
//!   `open` are the states that can reach one on the path. When ψ is found all of these are true; a
//!   component that is left without it is false.
//!
//! Where something may be left out, EF of a predicate has a graph of its own, in which only what leads there is
//! followed. It shows whether a state is in reach from each state that it has, and so the labels are those of the
//! whole graph, whatever formula asks for them.

use logic::{Ctl, Quantifier};
use model::{BitSet, PredicateId};
use rustc_hash::FxHashMap;

use super::graph::{self, Graph, Purpose, View};
use super::nodes::{Nodes, Subformula};
use super::{Decided, Halt};
use crate::kernel::INITIAL;

/// What a path does in a state that leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deadlocks {
    /// It repeats the state for ever, so this is its own next one.
    Stutter,
    /// It ends. There is no next state: EX holds of nothing, AX of everything.
    End,
}

/// Decides whether a formula holds in the initial state. An atom holds where the predicate is not 0.
///
/// The run shows why a path exists or not all paths are as they should be; at its end it goes on with the
/// operand that holds there or does not, as far as one run can show that.
///
/// # Errors
/// If a limit is reached, or a runtime error happens.
pub fn check_ctl(
    graph: &mut Graph<'_>,
    formula: &Ctl<PredicateId>,
    deadlocks: Deadlocks,
) -> Result<Decided, Halt> {
    let (nodes, top) = Nodes::of(formula);
    let purpose = if formula.has_next() { Purpose::Everything } else { Purpose::Branching };
    let labels = nodes.iter().map(|_| Labels::default()).collect();
    let mut checker = Checker::new(graph, purpose, deadlocks, nodes, labels);
    let holds = checker.holds(top, INITIAL)?;
    let mut shown = Shown { path: vec![INITIAL], lasso: None };
    // What does not fit any more is not worth losing the answer.
    let is_shown = checker.show(top, holds, &mut shown).unwrap_or(false);
    let run = is_shown.then(|| graph.trace(&shown.path, shown.lasso).ok()).flatten();
    Ok(Decided { holds, run })
}

/// Whether a state can be reached in which a predicate has a value: EF, asked in one state after the other.
pub struct Reach {
    nodes: Vec<Subformula>,
    top: usize,
    labels: Vec<Labels>,
}

impl Reach {
    /// Nothing is known yet.
    pub fn new(predicate: PredicateId, value: bool) -> Reach {
        let atom = Ctl::Atom(predicate);
        let goal = if value { atom } else { atom.negated() };
        let (nodes, top) = Nodes::of(&Ctl::Eventually(Quantifier::Exists, Box::new(goal)));
        let labels = nodes.iter().map(|_| Labels::default()).collect();
        Reach { nodes, top, labels }
    }

    /// Whether one can be reached from a state.
    pub fn finds(&mut self, graph: &mut Graph<'_>, from: u32) -> Result<bool, Halt> {
        let (nodes, labels) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.labels));
        let mut checker = Checker::new(graph, Purpose::Branching, Deadlocks::End, nodes, labels);
        let found = checker.holds(self.top, from);
        Checker { nodes: self.nodes, labels: self.labels, .. } = checker;
        found
    }
}

/// What is known of a formula: two bits for each state.
#[derive(Default)]
struct Labels {
    known: BitSet,
    holds: BitSet,
}

impl Labels {
    fn get(&self, state: u32) -> Option<bool> {
        self.known.contains(state as usize).then(|| self.holds.contains(state as usize))
    }

    fn set(&mut self, state: u32, holds: bool) {
        self.known.insert(state as usize);
        if holds {
            self.holds.insert(state as usize);
        } else {
            self.holds.remove(state as usize);
        }
    }
}

/// A depth-first search, without recursion.
#[derive(Default)]
struct Search {
    path: Vec<Frame>,
    open: Vec<u32>,
    /// The place of an open state among these, from 1.
    numbers: Vec<u32>,
}

struct Frame {
    state: u32,
    /// How many of its successors have been followed.
    n_followed: u32,
    /// The least number known to be reachable.
    low: u32,
}

impl Search {
    fn number(&self, state: u32) -> Option<u32> {
        self.numbers.get(state as usize).copied().filter(|&number| number > 0)
    }

    /// Opens a state. Gives its number.
    fn open(&mut self, state: u32) -> u32 {
        if self.numbers.len() <= state as usize {
            self.numbers.resize(state as usize + 1, 0);
        }
        self.open.push(state);
        self.numbers[state as usize] = self.open.len() as u32;
        self.open.len() as u32
    }

    /// Closes the states opened as this one or later, and says which they are.
    fn close(&mut self, number: u32) -> impl Iterator<Item = u32> {
        let Search { open, numbers, .. } = self;
        open.drain(number as usize - 1..).inspect(|&state| numbers[state as usize] = 0)
    }

    fn bytes(&self) -> u64 {
        let lists = self.open.capacity() + self.numbers.capacity();
        (self.path.capacity() * size_of::<Frame>() + 4 * lists) as u64
    }
}

/// A run that is put together: its states, and the one at which its end leads back, if any.
struct Shown {
    path: Vec<u32>,
    lasso: Option<usize>,
}

impl Shown {
    fn last(&self) -> u32 {
        self.path[self.path.len() - 1]
    }
}

/// The predicate that a formula asks to be reached or left, if that is all that it asks.
fn goal(nodes: &[Subformula], node: usize) -> Option<PredicateId> {
    let Subformula::Until(Quantifier::Exists, phi, psi) = nodes[node] else { return None };
    match (nodes[phi], nodes[psi]) {
        (Subformula::Constant(true), Subformula::Atom(predicate)) => Some(predicate),
        (Subformula::Constant(true), Subformula::Not(a)) => match nodes[a] {
            Subformula::Atom(predicate) => Some(predicate),
            _ => None,
        },
        _ => None,
    }
}

struct Checker<'g, 'a> {
    graph: &'g mut Graph<'a>,
    deadlocks: Deadlocks,
    nodes: Vec<Subformula>,
    /// For each of them, the graph in which it is searched.
    views: Vec<View>,
    /// For each of them, what is known.
    labels: Vec<Labels>,
    /// Searches inside each other, for a formula inside another. Those from `level` on are idle.
    searches: Vec<Search>,
    level: usize,
}

impl<'g, 'a> Checker<'g, 'a> {
    fn new(
        graph: &'g mut Graph<'a>,
        purpose: Purpose,
        deadlocks: Deadlocks,
        nodes: Vec<Subformula>,
        labels: Vec<Labels>,
    ) -> Checker<'g, 'a> {
        let views = (0..nodes.len()).map(|node| {
            let goal = goal(&nodes, node).map(Purpose::Goal);
            graph.view(goal.unwrap_or(purpose))
        });
        let views = views.collect();
        Checker { graph, deadlocks, nodes, views, labels, searches: Vec::new(), level: 0 }
    }

    /// Evaluates a formula in a state.
    fn holds(&mut self, node: usize, state: u32) -> Result<bool, Halt> {
        if let Some(holds) = self.labels[node].get(state) {
            return Ok(holds);
        }
        let holds = match self.nodes[node] {
            Subformula::Constant(value) => return Ok(value),
            Subformula::Not(a) => return Ok(!self.holds(a, state)?),
            Subformula::And(a, b) => return Ok(self.holds(a, state)? && self.holds(b, state)?),
            Subformula::Or(a, b) => return Ok(self.holds(a, state)? || self.holds(b, state)?),
            Subformula::Until(Quantifier::Exists, ..) => return self.exists_until(node, state),
            Subformula::Until(Quantifier::All, ..) => return self.all_until(node, state),
            Subformula::Atom(predicate) => self.graph.holds(predicate, state)?,
            Subformula::Next(a) => self.next(a, state)?.is_some(),
        };
        self.labels[node].set(state, holds);
        Ok(holds)
    }

    /// A next state in which a formula holds.
    fn next(&mut self, a: usize, state: u32) -> Result<Option<u32>, Halt> {
        let view = View::EVERYTHING;
        self.graph.visit(view, state, 0, self.bytes())?;
        if self.graph.is_dead(state) {
            let holds = self.deadlocks == Deadlocks::Stutter && self.holds(a, state)?;
            return Ok(holds.then_some(state));
        }
        let mut n_followed = 0;
        while let Some(&next) = self.graph.known_successors(view, state).get(n_followed) {
            n_followed += 1;
            if self.holds(a, next)? {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// What φ U ψ is in a state by that state alone, or because it has a label.
    fn at_once(&mut self, node: usize, state: u32) -> Result<Option<bool>, Halt> {
        if let Some(holds) = self.labels[node].get(state) {
            return Ok(Some(holds));
        }
        let Subformula::Until(_, phi, psi) = self.nodes[node] else { unreachable!("only U is searched for") };
        let holds = match self.holds(psi, state)? {
            true => true,
            false if !self.holds(phi, state)? => false,
            false => return Ok(None),
        };
        self.labels[node].set(state, holds);
        Ok(Some(holds))
    }

    /// Begins a search in a state, unless it is known at once what is there.
    fn begin(&mut self, node: usize, state: u32) -> Result<Option<bool>, Halt> {
        let holds = self.at_once(node, state)?;
        if holds.is_none() {
            if self.level == self.searches.len() {
                self.searches.push(Search::default());
            }
            self.level += 1;
            self.enter(node, state)?;
        }
        Ok(holds)
    }

    /// Ends the search, which has found out so much.
    fn end(&mut self, holds: bool) -> bool {
        self.level -= 1;
        self.searches[self.level].path.clear();
        holds
    }

    /// Goes to a state, which counts as false until more is known.
    fn enter(&mut self, node: usize, state: u32) -> Result<(), Halt> {
        let depth = self.searches[self.level - 1].path.len();
        self.graph.visit(self.views[node], state, depth, self.bytes())?;
        self.labels[node].set(state, false);
        let search = &mut self.searches[self.level - 1];
        let is_open = matches!(self.nodes[node], Subformula::Until(Quantifier::Exists, ..));
        let low = if is_open { search.open(state) } else { 0 };
        search.path.push(Frame { state, n_followed: 0, low });
        Ok(())
    }

    fn all_until(&mut self, node: usize, start: u32) -> Result<bool, Halt> {
        if let Some(holds) = self.begin(node, start)? {
            return Ok(holds);
        }
        loop {
            let path = &mut self.searches[self.level - 1].path;
            let Some(frame) = path.last_mut() else { return Ok(self.end(true)) };
            match self.graph.known_successors(self.views[node], frame.state).get(frame.n_followed as usize) {
                Some(&next) => {
                    frame.n_followed += 1;
                    match self.at_once(node, next)? {
                        Some(true) => {}
                        Some(false) => return Ok(self.end(false)),
                        None => self.enter(node, next)?,
                    }
                }
                None if frame.n_followed == 0 => return Ok(self.end(false)),
                None => {
                    self.labels[node].set(frame.state, true);
                    path.pop();
                }
            }
        }
    }

    fn exists_until(&mut self, node: usize, start: u32) -> Result<bool, Halt> {
        if let Some(holds) = self.begin(node, start)? {
            return Ok(holds);
        }
        loop {
            let search = &mut self.searches[self.level - 1];
            let Some(frame) = search.path.last_mut() else { return Ok(self.end(false)) };
            if let Some(&next) =
                self.graph.known_successors(self.views[node], frame.state).get(frame.n_followed as usize)
            {
                frame.n_followed += 1;
                if let Some(number) = search.number(next) {
                    let frame = search.path.last_mut().expect("it was there");
                    frame.low = frame.low.min(number);
                    continue;
                }
                match self.at_once(node, next)? {
                    Some(false) => {}
                    Some(true) => {
                        let labels = &mut self.labels[node];
                        self.searches[self.level - 1].close(1).for_each(|state| labels.set(state, true));
                        return Ok(self.end(true));
                    }
                    None => self.enter(node, next)?,
                }
                continue;
            }
            let Frame { state, low, .. } = *frame;
            search.path.pop();
            if let Some(parent) = search.path.last_mut() {
                parent.low = parent.low.min(low);
            }
            if search.number(state) == Some(low) {
                search.close(low).for_each(drop);
            }
        }
    }

    /// Extends a run by what shows why a formula holds in its last state, or why not. Says whether a run can.
    ///
    /// Labels have all that is needed: where a search has found a path, its states have got the same label.
    fn show(&mut self, node: usize, holds: bool, run: &mut Shown) -> Result<bool, Halt> {
        match (self.nodes[node], holds) {
            (Subformula::Not(a), _) => self.show(a, !holds, run),
            (Subformula::And(a, b), true) | (Subformula::Or(a, b), false) => {
                Ok(self.show(a, holds, run)? || self.show(b, holds, run)?)
            }
            (Subformula::And(a, b), false) | (Subformula::Or(a, b), true) => {
                let is_first = self.holds(a, run.last())? == holds;
                self.show(if is_first { a } else { b }, holds, run)
            }
            (Subformula::Next(a), true) => {
                let next = self.next(a, run.last())?.expect("it was there before");
                if self.graph.is_dead(run.last()) {
                    run.lasso = Some(run.path.len() - 1);
                } else {
                    run.path.push(next);
                    self.show(a, true, run)?;
                }
                Ok(true)
            }
            (Subformula::Until(Quantifier::Exists, _, psi), true) => {
                let look = |state: u32, next: &mut Vec<u32>| {
                    let is_end = self.holds(psi, state)?;
                    if !is_end {
                        let successors = self.graph.known_successors(self.views[node], state).iter().copied();
                        next.extend(successors.filter(|&next| self.labels[node].get(next) == Some(true)));
                    }
                    Ok(is_end)
                };
                let path = graph::shortest(run.last(), look)?.expect("it was there before");
                run.path.extend_from_slice(&path[1..]);
                self.show(psi, true, run)?;
                Ok(true)
            }
            (Subformula::Until(Quantifier::All, phi, _), false) => {
                self.show_never(node, phi, run)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Extends a run by a path on which φ U ψ fails: false states to one without φ, to an end, or for ever.
    fn show_never(&mut self, node: usize, phi: usize, run: &mut Shown) -> Result<(), Halt> {
        let mut places = FxHashMap::default();
        loop {
            let state = run.last();
            if !self.holds(phi, state)? {
                self.show(phi, false, run)?;
                return Ok(());
            }
            places.insert(state, run.path.len() - 1);
            if self.graph.is_dead(state) {
                run.lasso = (self.deadlocks == Deadlocks::Stutter).then_some(run.path.len() - 1);
                return Ok(());
            }
            let successors = self.graph.known_successors(self.views[node], state).iter().copied();
            let mut bad = successors.filter(|&next| self.labels[node].get(next) == Some(false));
            let next = bad.next().expect("it was there before");
            if let Some(&place) = places.get(&next) {
                run.lasso = Some(place);
                return Ok(());
            }
            run.path.push(next);
        }
    }

    /// The memory of labels and searches.
    fn bytes(&self) -> u64 {
        let labels = self.labels.len() as u64 * self.graph.n_states() / 4;
        labels + self.searches.iter().map(Search::bytes).sum::<u64>()
    }
}
