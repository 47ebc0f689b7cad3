//! Does an infinite run do what it is said to do?
//!
//! Everything here follows the definitions: the formula is evaluated on the run itself, not by the
//! automaton that has found it, and fairness is looked up in the states and steps of the loop.

use std::collections::BTreeSet;

use ir::Interpreter;
use logic::{Automaton, Ltl, lasso};
use model::{Actor, Fairness, Model, PredicateId, Step};

use crate::player::Choices;

/// What an infinite run is said to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Infinite {
    /// What is wrong with it.
    pub shown: Shown,
    /// The predicates that are the atoms.
    pub atoms: Vec<PredicateId>,
    /// Whether a run that has ended may go on by repeating its last state.
    pub stutters: bool,
    /// How fair it is.
    pub fairness: Fairness,
}

/// What is wrong with an infinite run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A formula does not hold.
    Violates(Ltl<u32>),
    /// An automaton accepts it.
    AcceptedBy(Automaton),
}

/// What is seen of a run: its observable states, and the steps in its loop.
#[derive(Default)]
pub struct Witness {
    /// The values of the atoms in the states before the loop.
    pub prefix: Vec<u64>,
    /// The same for the states of the loop.
    cycle: Vec<u64>,
    /// For each state of the loop, the processes that can move.
    enabled: Vec<BTreeSet<Actor>>,
    movers: BTreeSet<Actor>,
    stutters: bool,
}

impl Witness {
    /// Looks at an observable state.
    pub fn see(&mut self, valuation: u64, choices: &Choices, in_loop: bool) {
        if in_loop {
            self.cycle.push(valuation);
            self.enabled.push(choices.actions.iter().map(|action| action.actor.who).collect());
        } else {
            self.prefix.push(valuation);
        }
    }

    /// The run never leaves an atomic sequence again: its last observable state is all there is to see,
    /// and nobody else can move.
    ///
    /// # Errors
    /// If there was another observable state after all.
    pub fn stay(&mut self) -> Result<(), String> {
        if !self.cycle.is_empty() {
            return Err("the loop starts inside an atomic sequence and leaves it".to_string());
        }
        self.cycle.extend(self.prefix.last());
        self.enabled.push(BTreeSet::new());
        Ok(())
    }

    /// Notes a step of the loop.
    pub fn note(&mut self, step: &Step) {
        if step.is_stutter() {
            self.stutters = true;
            return;
        }
        self.movers.insert(step.action.actor.who);
        self.movers.extend(step.action.partner().map(|partner| partner.who));
    }

    /// Whether the run shows what is said.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, claim: &Infinite) -> Result<(), String> {
        if self.cycle.is_empty() {
            return Err("the run does not go on for ever".to_string());
        }
        if self.stutters && !claim.stutters {
            return Err("the run ends, which is no violation of this property".to_string());
        }
        let shown = match &claim.shown {
            Shown::Violates(formula) => !lasso::holds(formula, &self.prefix, &self.cycle),
            Shown::AcceptedBy(automaton) => lasso::accepts(automaton, &self.prefix, &self.cycle),
        };
        if !shown {
            return Err("the run does not violate the property".to_string());
        }
        let all: BTreeSet<Actor> = self.enabled.iter().flatten().copied().collect();
        match all.into_iter().find(|&process| self.is_unfair_to(process, claim.fairness)) {
            Some(who) => Err(format!("the run is not fair to process {}", who.pid())),
            None => Ok(()),
        }
    }

    fn is_unfair_to(&self, who: Actor, fairness: Fairness) -> bool {
        let enabled = |set: &BTreeSet<Actor>| set.contains(&who);
        let hurt = match fairness {
            Fairness::None => false,
            Fairness::Weak => self.enabled.iter().all(enabled),
            Fairness::Strong => self.enabled.iter().any(enabled),
        };
        hurt && !self.movers.contains(&who)
    }
}

/// The values of predicates in a state, one bit each.
///
/// One that cannot be evaluated counts as false: who has found the run has not asked for it, so
/// either value must do.
pub fn valuation(interpreter: &Interpreter, atoms: &[PredicateId], state: &[u64]) -> u64 {
    let holds = |atom: PredicateId| interpreter.predicate(atom, state).is_ok_and(|value| value != 0);
    atoms.iter().enumerate().fold(0, |bits, (k, &atom)| bits | u64::from(holds(atom)) << k)
}

/// Whether an automaton can be in a state after it has read some states of a run.
pub fn can_reach(automaton: &Automaton, goal: u32, read: &[u64]) -> bool {
    let mut states = BTreeSet::from([automaton.initial]);
    for &valuation in read {
        let edges = states.iter().flat_map(|&state| &automaton.states[state as usize].edges);
        let taken = edges.filter(|edge| edge.guard.holds(valuation));
        let next: BTreeSet<u32> = taken.map(|edge| edge.target).collect();
        states = next;
    }
    states.contains(&goal)
}
