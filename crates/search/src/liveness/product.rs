//! The model's runs together with an automaton that reads them.
//!
//! A node is a state of the model with a state of the automaton, stored as one more word. The
//! automaton moves first: it reads the model's state, then the model takes an action. Where the
//! automaton cannot move there is nothing to find, and the model is not asked. A run that has ended
//! goes on by repeating its last state, if the property wants it so. An action that goes round in
//! circles shows no other state ever again: the last one is repeated in a node that is marked, from
//! which nothing else can be done. Nobody else can move then, so it is fair to everybody.

use logic::Automaton;
use model::{BitSet, Failure, OutcomeKind};
use rustc_hash::FxHashMap;
use store::Arrival;

use super::Forbidden;
use super::actors::ActorSet;
use super::graph::{Edge, Expansion, Graph, Halt, Marks};
use super::memory::Memory;
use crate::explore::Explorer;
use crate::trace::Event;
use crate::{Reason, StopReason};

/// What is wrong in a node, whatever comes behind it.
#[derive(Clone, Debug)]
pub enum Wrong {
    /// The automaton reaches the state in which it fails.
    Claim,
    /// An atom cannot be evaluated.
    Predicate(Failure),
    /// An action fails.
    Action(Event, Failure),
}

/// The product of a model and an automaton.
pub struct Product<'a> {
    pub explorer: Explorer<'a>,
    forbidden: &'a Forbidden,
    /// Whether to say which processes are enabled and which move.
    fair: bool,
    /// For each state of the automaton, whether it is accepting.
    accepting: Vec<bool>,
    /// For each state of the automaton, the atoms at which it looks.
    atoms: Vec<u64>,
    marks: Vec<Marks>,
    marks_by_value: FxHashMap<Marks, u32>,
    expanded: BitSet,
    /// What a reduced search has to know of its nodes.
    memory: Option<Memory>,
    /// What is wrong in the node expanded last.
    pub wrong: Option<Wrong>,
    /// Whether some nodes were not expanded because they lie too deep.
    pub is_cut: bool,
    /// How many states were new in expansions that another thread counts. They have matched there.
    pub n_counted_twice: u64,
    /// The edges of the automaton that can be taken in the node being expanded.
    moves: Vec<usize>,
}

/// How many words of a stored state are not the model's.
pub const EXTRA: usize = 1;

/// Marks the automaton's state in a node in which the model goes round in circles.
const DIVERGED: u64 = 1 << 32;

impl<'a> Product<'a> {
    pub fn new(
        explorer: Explorer<'a>,
        forbidden: &'a Forbidden,
        accepting: Vec<bool>,
        fair: bool,
    ) -> Product<'a> {
        let states = &forbidden.automaton.states;
        let atoms =
            |state: &logic::State| state.edges.iter().fold(0, |atoms, edge| atoms | edge.guard.atoms());
        let memory = explorer.reduction.is_some().then(Memory::default);
        Product {
            explorer,
            forbidden,
            fair,
            accepting,
            atoms: states.iter().map(atoms).collect(),
            marks: Vec::new(),
            marks_by_value: FxHashMap::default(),
            expanded: BitSet::default(),
            memory,
            wrong: None,
            is_cut: false,
            n_counted_twice: 0,
            moves: Vec::new(),
        }
    }

    fn automaton(&self) -> &'a Automaton {
        &self.forbidden.automaton
    }

    /// The state of the automaton in a node.
    fn location(&mut self, node: u32) -> u32 {
        self.explorer.open(node);
        self.explorer.words()[self.explorer.words().len() - EXTRA] as u32
    }

    /// Lets the automaton read the model's state, and finds the edges that it can take.
    fn read(&mut self, location: u32) -> Result<(), Wrong> {
        self.moves.clear();
        let words = self.explorer.words();
        let state = &words[..words.len() - EXTRA];
        let (mut valuation, mut failed, mut failure) = (0, 0, None);
        let mut left = self.atoms[location as usize];
        while left != 0 {
            let atom = left.trailing_zeros();
            left &= left - 1;
            let predicate = self.forbidden.atoms[atom as usize];
            match self.explorer.model.predicate(predicate, state) {
                Ok(value) => valuation |= u64::from(value != 0) << atom,
                Err(found) => {
                    failed |= 1 << atom;
                    failure.get_or_insert(found);
                }
            }
        }
        let edges = &self.forbidden.automaton.states[location as usize].edges;
        for (k, edge) in edges.iter().enumerate() {
            match (edge.guard.holds_without(valuation, failed), &failure) {
                (Some(true), _) => self.moves.push(k),
                (None, Some(failure)) => return Err(Wrong::Predicate(failure.clone())),
                _ => {}
            }
        }
        let fails = |location: u32| self.forbidden.fails_at == Some(location);
        if fails(location) || self.moves.iter().any(|&k| fails(edges[k].target)) {
            return Err(Wrong::Claim);
        }
        Ok(())
    }

    fn wrong(&mut self, wrong: Wrong) -> Halt {
        self.wrong = Some(wrong);
        Halt::Wrong
    }

    /// Whether the model goes round in circles in the node being expanded.
    fn has_diverged(&self) -> bool {
        self.explorer.words().last().is_some_and(|word| word & DIVERGED != 0)
    }

    /// Announces a successor for each move of the automaton: behind an outcome, or where the model is.
    fn announce(&mut self, node: u32, outcome: Option<usize>, movers: &ActorSet, out: &mut Expansion) {
        let event = outcome.map_or(Event::STUTTER, |index| self.explorer.events[index]);
        let location = self.location(node);
        let edges = &self.automaton().states[location as usize].edges;
        for k in 0..self.moves.len() {
            let edge = &edges[self.moves[k]];
            let marks = self.intern(Marks { accepts: edge.accepts, movers: movers.clone() });
            out.edges.push(Edge { target: 0, marks });
            out.events.push(event);
            let added = [u64::from(edge.target)];
            match outcome.map(|index| &self.explorer.successors.outcomes[index].kind) {
                Some(OutcomeKind::State(range)) => {
                    let range = range.clone();
                    self.explorer.announce(range, &added);
                }
                Some(OutcomeKind::Diverges(_)) => {
                    self.explorer.announce_again(EXTRA, &[added[0] | DIVERGED]);
                }
                _ => {
                    let mark = if self.has_diverged() { DIVERGED } else { 0 };
                    self.explorer.announce_again(EXTRA, &[added[0] | mark]);
                }
            }
        }
    }

    fn intern(&mut self, marks: Marks) -> u32 {
        if let Some(&number) = self.marks_by_value.get(&marks) {
            return number;
        }
        let number = self.marks.len() as u32;
        self.marks.push(marks.clone());
        self.marks_by_value.insert(marks, number);
        number
    }

    /// What the model does in a node.
    fn act(&mut self, node: u32, out: &mut Expansion) -> Result<(), Halt> {
        self.explorer.successors.record = self.fair;
        self.explorer.successors.divergence = true;
        let decided = self.memory.as_ref().and_then(|memory| memory.choice(node));
        match decided {
            Some(choice) => self.explorer.repeat(EXTRA, choice),
            None => self.explorer.propose(EXTRA),
        }
        loop {
            out.edges.clear();
            out.events.clear();
            self.explorer.fire(EXTRA).map_err(Halt::Stop)?;
            self.take_outcomes(node, out)?;
            self.arrive(node, out).map_err(Halt::Stop)?;
            let is_on_path = |arrival: &Arrival| {
                self.memory.as_ref().is_some_and(|memory| memory.is_on_path(arrival.id()))
            };
            if decided.is_some() || self.explorer.is_enough(is_on_path) {
                break;
            }
        }
        if let Some(memory) = &mut self.memory {
            memory.decide(node, self.explorer.choice);
        }
        Ok(())
    }

    fn take_outcomes(&mut self, node: u32, out: &mut Expansion) -> Result<(), Halt> {
        self.explorer.identify();
        if let Some((event, failure)) = self.failed() {
            return Err(self.wrong(Wrong::Action(event, failure)));
        }
        for index in 0..self.explorer.successors.outcomes.len() {
            let outcome = &self.explorer.successors.outcomes[index];
            let mut movers = ActorSet::default();
            match outcome.kind {
                OutcomeKind::State(_) => {
                    for step in self.explorer.successors.steps_of(outcome) {
                        movers.insert(step.action.actor.who);
                        step.action.partner().iter().for_each(|partner| movers.insert(partner.who));
                    }
                }
                OutcomeKind::Diverges(_) => movers = ActorSet::EVERY,
                OutcomeKind::Failed(_) => continue,
            }
            self.announce(node, Some(index), &movers, out);
        }
        Ok(())
    }

    /// The first failure among the outcomes that is not an assertion's.
    fn failed(&self) -> Option<(Event, Failure)> {
        let mut outcomes = self.explorer.successors.outcomes.iter().zip(&self.explorer.events);
        outcomes.find_map(|(outcome, &event)| match &outcome.kind {
            OutcomeKind::Failed(failure) if Reason::of(failure.kind) != Reason::Assertion => {
                Some((event, Failure::clone(failure)))
            }
            _ => None,
        })
    }

    fn arrive(&mut self, node: u32, out: &mut Expansion) -> Result<(), StopReason> {
        let matched = self.explorer.statistics.matched;
        self.explorer.arrive()?;
        let is_alone = self.explorer.options.threads <= 1;
        if self.expanded.contains(node as usize) || !(is_alone || self.explorer.begin(node.into())) {
            // It has been counted before.
            self.explorer.statistics.matched = matched;
            let n_new = self.explorer.arrivals.iter().filter(|arrival| arrival.is_new).count();
            self.n_counted_twice += n_new as u64;
        }
        for (edge, arrival) in out.edges.iter_mut().zip(&self.explorer.arrivals) {
            edge.target = arrival.id();
        }
        Ok(())
    }
}

impl Graph for Product<'_> {
    fn expand(&mut self, node: u32, depth: u64, memory: u64, out: &mut Expansion) -> Result<(), Halt> {
        out.clear();
        let memory = memory + self.expanded.bytes() + self.memory.as_ref().map_or(0, Memory::bytes);
        self.explorer.tick(depth, memory).map_err(Halt::Stop)?;
        let location = self.location(node);
        self.read(location).map_err(|wrong| self.wrong(wrong))?;
        if self.moves.is_empty() {
            self.expanded.insert(node as usize);
            return Ok(());
        }
        if depth >= self.explorer.options.limits.depth {
            self.is_cut = true;
            return Ok(());
        }
        if self.has_diverged() {
            self.announce(node, None, &ActorSet::EVERY, out);
            self.arrive(node, out).map_err(Halt::Stop)?;
            self.expanded.insert(node as usize);
            return Ok(());
        }
        self.explorer.list(EXTRA);
        if self.fair {
            self.explorer.actions.list.iter().for_each(|action| out.enabled.insert(action.actor.who));
        }
        if !self.explorer.actions.list.is_empty() {
            self.act(node, out)?;
        } else if self.forbidden.stutters {
            self.announce(node, None, &ActorSet::default(), out);
            self.arrive(node, out).map_err(Halt::Stop)?;
        }
        self.expanded.insert(node as usize);
        Ok(())
    }

    fn enter(&mut self, node: u32) {
        self.memory.iter_mut().for_each(|memory| memory.enter(node));
    }

    fn leave(&mut self, node: u32) {
        self.memory.iter_mut().for_each(|memory| memory.leave(node));
    }

    fn marks(&self, edge: Edge) -> &Marks {
        &self.marks[edge.marks as usize]
    }

    fn all_sets(&self) -> u64 {
        self.automaton().all_sets()
    }

    fn accepting(&mut self, node: u32) -> bool {
        let location = self.location(node);
        self.accepting[location as usize]
    }

    fn is_known(&self, node: u32) -> bool {
        self.expanded.contains(node as usize)
    }
}
