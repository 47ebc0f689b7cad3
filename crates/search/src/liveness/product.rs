//! The model's runs together with an automaton that reads them.
//!
//! A node is a state of the model with a state of the automaton, stored as one more word. The
//! automaton moves first: it reads the model's state, then the model takes an action. Where the
//! automaton cannot move there is nothing to find, and the model is not asked. A run that has ended
//! goes on by repeating its last state, if the property wants it so. An action that goes round in
//! circles shows no other state ever again: the last one is repeated in a node that is marked, from
//! which nothing else can be done. Nobody else can move then, so it is fair to everybody.
//!
//! What the automaton does is in [`super::reader`].

use model::{BitSet, OutcomeKind};
use store::Arrival;

use super::Forbidden;
use super::actors::ActorSet;
use super::graph::{Edge, Expansion, Graph, Halt, Marks};
use super::memory::Memory;
use super::reader::{Reader, Wrong};
use crate::kernel::{Expander, Kernel};
use crate::{Options, StopReason};

/// The product of a model and an automaton.
pub struct Product<'a> {
    pub kernel: Kernel<'a>,
    options: &'a Options,
    reader: Reader<'a>,
    /// Whether to say which processes are enabled and which move.
    fair: bool,
    /// For each state of the automaton, whether it is accepting.
    accepting: Vec<bool>,
    expanded: BitSet,
    /// What a reduced search has to know of its nodes.
    memory: Option<Memory>,
    /// What is wrong in the node expanded last.
    pub wrong: Option<Wrong>,
    /// Whether some nodes were not expanded because they lie too deep.
    pub is_cut: bool,
    /// How many states were new in expansions that another thread counts. They have matched there.
    pub n_counted_twice: u64,
}

impl<'a> Product<'a> {
    pub fn new(
        kernel: Kernel<'a>,
        forbidden: &'a Forbidden,
        accepting: Vec<bool>,
        fair: bool,
        options: &'a Options,
    ) -> Product<'a> {
        let memory = kernel.generator.chooser.is_some().then(Memory::default);
        Product {
            kernel,
            options,
            reader: Reader::new(forbidden),
            fair,
            accepting,
            expanded: BitSet::default(),
            memory,
            wrong: None,
            is_cut: false,
            n_counted_twice: 0,
        }
    }

    fn halt(&mut self, trouble: Trouble) -> Halt {
        match trouble {
            Trouble::Stop(stop) => Halt::Stop(stop),
            Trouble::Wrong(wrong) => {
                self.wrong = Some(wrong);
                Halt::Wrong
            }
        }
    }

    /// Finds the successors of the node opened last, unless it lies too deep to have any.
    fn follow(&mut self, node: u32, depth: u64, out: &mut Expansion) -> Result<(), Trouble> {
        self.reader.read(&self.kernel)?;
        if !self.reader.can_move() {
            self.expanded.insert(node as usize);
            return Ok(());
        }
        if depth >= self.options.limits.depth {
            self.is_cut = true;
            return Ok(());
        }
        let matched = self.kernel.meter.statistics.matched;
        self.kernel.arrivals.forget_arrivals();
        if self.reader.has_diverged(&self.kernel) {
            self.repeat_state(&ActorSet::EVERY, out)?;
        } else {
            self.kernel.list();
            let actions = &self.kernel.generator.actions.list;
            if self.fair {
                actions.iter().for_each(|action| out.enabled.insert(action.actor.who));
            }
            if !actions.is_empty() {
                self.act(node, out)?;
            } else if self.reader.stutters() {
                self.repeat_state(&ActorSet::default(), out)?;
            }
        }
        self.count(node, matched);
        for (edge, arrival) in out.edges.iter_mut().zip(&self.kernel.arrivals.list) {
            edge.target = arrival.id();
        }
        self.expanded.insert(node as usize);
        Ok(())
    }

    /// The model stays where it is.
    fn repeat_state(&mut self, movers: &ActorSet, out: &mut Expansion) -> Result<(), StopReason> {
        self.reader.announce(&mut self.kernel, None, movers, out);
        self.kernel.arrive()
    }

    /// What the model does in a node.
    fn act(&mut self, node: u32, out: &mut Expansion) -> Result<(), Trouble> {
        let Product { kernel, reader, memory, fair, .. } = self;
        kernel.generator.successors.record = *fair;
        kernel.generator.successors.divergence = true;
        let decided = memory.as_ref().and_then(|memory| memory.choice(node));
        let mut together = Together { reader, memory: memory.as_ref(), out };
        match decided {
            Some(choice) => {
                kernel.repeat(choice);
                kernel.expand_chosen(&mut together)?;
            }
            None => {
                kernel.propose();
                kernel.expand_enough(&mut together)?;
            }
        }
        memory.iter_mut().for_each(|memory| memory.decide(node, kernel.generator.choice));
        Ok(())
    }

    /// Takes back what has been counted in a node, if that was counted before: there were so many matches.
    fn count(&mut self, node: u32, matched: u64) {
        let is_alone = self.options.threads <= 1;
        let arrivals = &mut self.kernel.arrivals;
        if self.expanded.contains(node as usize) || !(is_alone || arrivals.begin(node.into())) {
            self.kernel.meter.statistics.matched = matched;
            self.n_counted_twice += arrivals.n_new() as u64;
        }
    }
}

/// Puts what the model does together with what the automaton does.
struct Together<'p, 'a> {
    reader: &'p mut Reader<'a>,
    memory: Option<&'p Memory>,
    out: &'p mut Expansion,
}

/// What keeps a node from being expanded.
enum Trouble {
    Stop(StopReason),
    Wrong(Wrong),
}

impl From<StopReason> for Trouble {
    fn from(stop: StopReason) -> Trouble {
        Trouble::Stop(stop)
    }
}

impl From<Wrong> for Trouble {
    fn from(wrong: Wrong) -> Trouble {
        Trouble::Wrong(wrong)
    }
}

impl Expander for Together<'_, '_> {
    type Halt = Trouble;

    fn announce(&mut self, kernel: &mut Kernel<'_>) -> Result<(), Trouble> {
        self.out.edges.clear();
        self.out.events.clear();
        if let Some((event, failure)) = kernel.generator.runtime_error() {
            return Err(Trouble::Wrong(Wrong::Action(event, failure)));
        }
        kernel.generator.identify();
        for index in 0..kernel.generator.outcomes().len() {
            let outcome = &kernel.generator.outcomes()[index];
            let mut movers = ActorSet::default();
            match outcome.kind {
                OutcomeKind::State(_) => {
                    for step in kernel.generator.successors.steps_of(outcome) {
                        movers.insert(step.action.actor.who);
                        step.action.partner().iter().for_each(|partner| movers.insert(partner.who));
                    }
                }
                OutcomeKind::Diverges(_) => movers = ActorSet::EVERY,
                OutcomeKind::Failed(_) => continue,
            }
            self.reader.announce(kernel, Some(index), &movers, self.out);
        }
        Ok(())
    }

    fn closes_cycle(&self, arrival: &Arrival) -> bool {
        self.memory.is_some_and(|memory| memory.is_on_path(arrival.id()))
    }
}

impl Graph for Product<'_> {
    fn expand(&mut self, node: u32, depth: u64, memory: u64, out: &mut Expansion) -> Result<(), Halt> {
        out.clear();
        let memory = memory + self.expanded.bytes() + self.memory.as_ref().map_or(0, Memory::bytes);
        self.kernel.tick(depth, memory).map_err(Halt::Stop)?;
        self.kernel.open(node);
        self.follow(node, depth, out).map_err(|trouble| self.halt(trouble))
    }

    fn enter(&mut self, node: u32) {
        self.memory.iter_mut().for_each(|memory| memory.enter(node));
    }

    fn leave(&mut self, node: u32) {
        self.memory.iter_mut().for_each(|memory| memory.leave(node));
    }

    fn marks(&self, edge: Edge) -> &Marks {
        self.reader.marks(edge.marks)
    }

    fn all_sets(&self) -> u64 {
        self.reader.all_sets()
    }

    fn accepting(&mut self, node: u32) -> bool {
        self.kernel.open(node);
        self.accepting[self.reader.location(&self.kernel) as usize]
    }

    fn is_known(&self, node: u32) -> bool {
        self.expanded.contains(node as usize)
    }
}
