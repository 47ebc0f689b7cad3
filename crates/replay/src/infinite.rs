//! Does an infinite run do what it is said to do?
//!
//! Everything here follows the definitions: the formula is evaluated on the run itself, not by the
//! automaton that has found it, and fairness is looked up in the states and steps of the loop.

use std::collections::BTreeSet;

use logic::{Automaton, lasso};
use model::{Actor, Fairness, Play, PredicateId, Step};

use crate::evidence::{Evidence, Language};

/// What is seen of a run: its observable states, and the steps in its loop.
#[derive(Default)]
pub(crate) struct Witness {
    /// The values of the atoms in the states before the loop.
    pub prefix: Vec<u64>,
    /// The same for the states of the loop.
    cycle: Vec<u64>,
    /// What can move in the states of the loop, if that matters.
    enabled: Option<Enabled>,
    /// The actors, and the transitions, that move in the loop.
    movers: BTreeSet<Actor>,
    fired: BTreeSet<u32>,
    stutters: bool,
}

/// What can move in the states of a loop: in some of them, and in all of them.
#[derive(Default)]
struct Enabled {
    some: (BTreeSet<Actor>, BTreeSet<u32>),
    all: Option<(BTreeSet<Actor>, BTreeSet<u32>)>,
}

/// What is wrong with an infinite run.
pub(crate) enum Flaw {
    /// It does not show what it should.
    Wrong(String),
    /// It is not fair.
    Unfair(String),
}

impl Witness {
    /// What is to be seen of a run that shows this.
    pub fn new(evidence: &Evidence, play: &dyn Play) -> Witness {
        let is_fair = match evidence {
            Evidence::Infinite { fairness, .. } => {
                *fairness != Fairness::None || !play.fair_transitions().is_empty()
            }
            _ => false,
        };
        Witness { enabled: is_fair.then(Enabled::default), ..Witness::default() }
    }

    /// Looks at an observable state.
    pub fn see(&mut self, play: &dyn Play, atoms: &[PredicateId], in_loop: bool) {
        let valuation = valuation(play, atoms);
        if !in_loop {
            self.prefix.push(valuation);
            return;
        }
        self.cycle.push(valuation);
        if let Some(enabled) = &mut self.enabled {
            let actions = play.choices().actions;
            let actors = actions.iter().map(|action| action.actor.who).collect();
            let transitions = actions.iter().map(|action| action.actor.transition).collect();
            enabled.note(actors, transitions);
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
        self.enabled = self.enabled.take().map(|_| Enabled::default());
        Ok(())
    }

    /// What an automaton reads that has failed so far: the states of a run that ends in a state with these values, or that
    /// never leaves its last observable state. There an automaton fails within as many steps as it has states, or never.
    pub fn read_so_far(&mut self, at_end: Option<u64>, automaton: &Automaton) -> Vec<u64> {
        let mut read = std::mem::take(&mut self.prefix);
        match at_end {
            Some(valuation) => read.push(valuation),
            None => {
                read.extend(self.cycle.iter().cycle().take((automaton.states.len() + 1) * self.cycle.len()))
            }
        }
        read
    }

    /// Notes a step of the loop.
    pub fn note(&mut self, step: &Step) {
        if step.is_stutter() {
            self.stutters = true;
            return;
        }
        self.fired.insert(step.action.actor.transition);
        self.movers.insert(step.action.actor.who);
        self.movers.extend(step.action.partner().map(|partner| partner.who));
    }

    /// Whether the run is one of a language, may end if it does, and is fair.
    ///
    /// # Errors
    /// Why not.
    pub fn check(
        &self,
        language: &Language,
        stutters: bool,
        fairness: Fairness,
        play: &dyn Play,
    ) -> Result<(), Flaw> {
        let wrong = |message: &str| Err(Flaw::Wrong(message.to_string()));
        if self.cycle.is_empty() {
            return wrong("the run is not infinite");
        }
        if self.stutters && !stutters {
            return wrong("the run ends, which is no violation of this property");
        }
        let shown = match language {
            Language::Violating(formula) => !lasso::holds(formula, &self.prefix, &self.cycle),
            Language::Accepted(automaton) => lasso::accepts(automaton, &self.prefix, &self.cycle),
        };
        if !shown {
            return wrong("the run does not violate the property");
        }
        let Some(enabled) = &self.enabled else { return Ok(()) };
        let hurts = |who: &&Actor| enabled.hurts(fairness, |(actors, _)| actors.contains(who));
        if let Some(who) = enabled.some.0.difference(&self.movers).find(hurts) {
            return Err(Flaw::Unfair(format!("the run is not fair to process {}", who.0)));
        }
        let mut demanded = play.fair_transitions().into_iter();
        let hurts = |&(transition, fairness): &(u32, Fairness)| {
            !self.fired.contains(&transition)
                && enabled.hurts(fairness, |(_, transitions)| transitions.contains(&transition))
        };
        match demanded.find(hurts) {
            Some((transition, _)) => {
                Err(Flaw::Unfair(format!("the run is not fair to transition {transition}")))
            }
            None => Ok(()),
        }
    }
}

impl Enabled {
    fn note(&mut self, actors: BTreeSet<Actor>, transitions: BTreeSet<u32>) {
        self.all = Some(match self.all.take() {
            None => (actors.clone(), transitions.clone()),
            Some((all, fired)) => (&all & &actors, &fired & &transitions),
        });
        self.some.0.extend(actors);
        self.some.1.extend(transitions);
    }

    /// Whether it is not fair that somebody does not move in the loop, if `can_move` says where he can.
    fn hurts(
        &self,
        fairness: Fairness,
        can_move: impl Fn(&(BTreeSet<Actor>, BTreeSet<u32>)) -> bool,
    ) -> bool {
        match fairness {
            Fairness::None => false,
            Fairness::Weak => self.all.as_ref().is_some_and(can_move),
            Fairness::Strong => can_move(&self.some),
        }
    }
}

/// The values of predicates in the present state, one bit each.
///
/// One that cannot be evaluated counts as false: who has found the run has not asked for it, so
/// either value must do.
pub(crate) fn valuation(play: &dyn Play, atoms: &[PredicateId]) -> u64 {
    let holds = |atom: PredicateId| play.predicate(atom).is_ok_and(|value| value != 0);
    atoms.iter().enumerate().fold(0, |bits, (k, &atom)| bits | u64::from(holds(atom)) << k)
}

/// Whether an automaton can be in a state after it has read some states of a run.
pub(crate) fn can_reach(automaton: &Automaton, goal: u32, read: &[u64]) -> bool {
    let mut states = BTreeSet::from([automaton.initial]);
    for &valuation in read {
        let edges = states.iter().flat_map(|&state| &automaton.states[state as usize].edges);
        let taken = edges.filter(|edge| edge.guard.holds(valuation));
        let next: BTreeSet<u32> = taken.map(|edge| edge.target).collect();
        states = next;
    }
    states.contains(&goal)
}
