//! What reduction asks about nets. Each transition is a move, and a group of its own.
//!
//! Firings add up, so two transitions lead to the same marking in either order, if both orders are possible.
//! What can go wrong is that one disables the other: by taking tokens that the other needs, or by bringing
//! some that forbid it. A transition that takes from a place leaves there what it brings, at least; who needs
//! no more than that is not disabled.
//!
//! A disabled transition waits for the transitions that bring tokens to one place that lacks them, or take tokens from
//! one that inhibits it. So sets of nets need no notion of a process.

use std::collections::HashMap;

use model::{Actions, BitSet, EnablingSets, Independence, Move, PredicateId};

use super::structure::Structure;
use super::towards::Marking;
use super::{NetModel, Predicate};
use crate::formula::{Atom, Formula, Sum};
use crate::net::{Net, PlaceId, TransitionId};

/// A state, as reduction sees it.
pub(super) struct View<'m> {
    model: &'m NetModel,
    state: Vec<u64>,
    moves: Vec<Move>,
    /// What is enabled.
    enabled: Vec<u32>,
    /// The conflicts of transitions, which do not depend on the state: of those that were asked for, as long as
    /// they are not too many.
    conflicts: HashMap<u32, Box<[u32]>>,
    n_kept: usize,
}

/// So many conflicts are kept.
const MOST_KEPT: usize = 1 << 24;

/// With more transitions in its obstacles, no more obstacles of a transition are looked for.
const MOST_IN_OBSTACLES: usize = 200;

impl<'m> View<'m> {
    pub fn new(model: &'m NetModel, watched: &[PredicateId]) -> View<'m> {
        let mut watch = Watch {
            net: &model.net,
            structure: &model.structure,
            visible: BitSet::default(),
            places: BitSet::default(),
        };
        for predicate in watched {
            match &model.predicates[predicate.0 as usize] {
                Predicate::Formula(formula) => watch.formula(formula),
                Predicate::Value(sum) => watch.sum(sum),
                Predicate::Most => watch.sum(&Sum::of_all(&model.net)),
            }
        }
        let new = |transition: TransitionId| {
            let visible = watch.visible.contains(transition.0 as usize);
            Move { group: transition.0, here: true, enabled: false, visible }
        };
        let moves = model.net.transition_ids().map(new).collect();
        View { model, state: Vec::new(), moves, enabled: Vec::new(), conflicts: HashMap::new(), n_kept: 0 }
    }

    /// Appends the transitions that a transition disables, now or later.
    fn push_disabled(&self, transition: u32, out: &mut Vec<u32>) {
        let structure = &self.model.structure;
        let others = |(other, _): &&(u32, u64)| *other != transition;
        for one in structure.places.get(transition) {
            if one.loss() > 0 {
                let takers = structure.takers.get(one.at).iter().filter(others);
                out.extend(takers.filter(|(_, least)| *least > one.given).map(|(other, _)| other));
            } else if one.gain() > 0 {
                out.extend(structure.inhibited.get(one.at).iter().filter(others).map(|(other, _)| other));
            }
        }
    }
}

impl NetModel {
    /// Appends the transitions that disable a transition, now or later.
    pub(super) fn push_disabling(&self, transition: u32, out: &mut Vec<u32>) {
        let structure = &self.structure;
        for one in structure.places.get(transition).iter().filter(|one| one.taken > 0) {
            let users = structure.transitions.get(one.at).iter().filter(|user| user.at != transition);
            out.extend(users.filter(|user| user.loss() > 0 && user.given < one.taken).map(|user| user.at));
        }
        for arc in self.net.inhibitors(TransitionId(transition)) {
            let users = structure.transitions.get(arc.place.0).iter().filter(|user| user.at != transition);
            out.extend(users.filter(|user| user.gain() > 0).map(|user| user.at));
        }
    }

    /// Adds the obstacles to a transition that is not enabled in a state; not all of them, if they have very many
    /// transitions.
    pub(super) fn find_obstacles(&self, disabled: u32, state: &[u64], out: &mut EnablingSets) {
        let (net, transitions) = (&self.net, &self.structure.transitions);
        let lacking = net.pre(TransitionId(disabled)).iter();
        let lacking = lacking.filter(|arc| self.tokens(arc.place, state) < arc.weight);
        let lacking = lacking.map(|arc| (arc.place, true));
        let crowded = net.inhibitors(TransitionId(disabled)).iter();
        let crowded = crowded.filter(|arc| self.tokens(arc.place, state) >= arc.weight);
        let crowded = crowded.map(|arc| (arc.place, false));
        let mut n_found = 0;
        for (place, lacks) in lacking.chain(crowded) {
            let users = transitions.get(place.0).iter().filter(|user| user.at != disabled);
            for user in users.filter(|user| if lacks { user.gain() > 0 } else { user.loss() > 0 }) {
                out.push(user.at);
                n_found += 1;
            }
            out.end();
            if n_found > MOST_IN_OBSTACLES {
                break;
            }
        }
    }
}

impl Independence for View<'_> {
    /// Takes time for what is and was enabled only, not for the whole net.
    fn look(&mut self, state: &[u64], enabled: &Actions) {
        self.state.clear();
        self.state.extend_from_slice(state);
        for transition in self.enabled.drain(..) {
            self.moves[transition as usize].enabled = false;
        }
        self.enabled.extend(enabled.list.iter().map(|action| action.actor.transition));
        for &transition in &self.enabled {
            self.moves[transition as usize].enabled = true;
        }
    }

    fn moves(&self) -> &[Move] {
        &self.moves
    }

    fn has_fixed_moves(&self) -> bool {
        true
    }

    fn moves_of(&self, action: usize) -> [u32; 2] {
        [self.enabled[action]; 2]
    }

    fn conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        if let Some(known) = self.conflicts.get(&enabled) {
            return out.extend_from_slice(known);
        }
        let mut found = Vec::new();
        self.push_disabled(enabled, &mut found);
        self.model.push_disabling(enabled, &mut found);
        found.sort_unstable();
        found.dedup();
        out.extend_from_slice(&found);
        if self.n_kept + found.len() <= MOST_KEPT {
            self.n_kept += found.len();
            self.conflicts.insert(enabled, found.into());
        }
    }

    fn left_conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        self.push_disabled(enabled, out);
    }

    fn enabling_sets(&mut self, disabled: u32, out: &mut EnablingSets) {
        self.model.find_obstacles(disabled, &self.state, out);
    }

    fn towards(&mut self, predicate: PredicateId, out: &mut EnablingSets) {
        let Predicate::Formula(formula) = &self.model.predicates[predicate.0 as usize] else { return };
        let marking = Marking { model: self.model, state: &self.state, enabled: &self.enabled };
        for set in marking.turn(formula) {
            set.into_iter().for_each(|transition| out.push(transition));
            out.end();
        }
    }

    fn is_local(&mut self, _: u32) -> bool {
        false
    }

    fn is_private(&mut self, _: u32) -> bool {
        false
    }
}

/// Finds the transitions that may change a predicate.
struct Watch<'a> {
    net: &'a Net,
    structure: &'a Structure,
    visible: BitSet,
    /// The places all of whose changes are visible.
    places: BitSet,
}

impl Watch<'_> {
    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Constant(_) => {}
            Formula::Atom(Atom::Compare(sum, _)) => self.sum(sum),
            Formula::Atom(Atom::Fireable(any)) => {
                for &transition in any {
                    let net = self.net;
                    let arcs = net.pre(transition).iter().chain(net.inhibitors(transition));
                    arcs.for_each(|arc| self.place(arc.place));
                }
            }
            Formula::Atom(Atom::Deadlock | Atom::Initial) => {
                self.net.place_ids().for_each(|place| self.place(place));
            }
            Formula::Not(inner) => self.formula(inner),
            Formula::And(inner) | Formula::Or(inner) => inner.iter().for_each(|inner| self.formula(inner)),
            _ => unreachable!("a predicate has no path operators"),
        }
    }

    fn place(&mut self, place: PlaceId) {
        if self.places.contains(place.0 as usize) {
            return;
        }
        self.places.insert(place.0 as usize);
        for user in self.structure.transitions.get(place.0) {
            self.visible.insert(user.at as usize);
        }
    }

    /// Those whose firing changes the sum.
    fn sum(&mut self, sum: &Sum) {
        let mut changes = HashMap::new();
        for &(place, factor) in &sum.terms {
            for user in self.structure.transitions.get(place.0) {
                *changes.entry(user.at).or_insert(0) += i128::from(factor) * user.effect();
            }
        }
        for (transition, _) in changes.into_iter().filter(|(_, change)| *change != 0) {
            self.visible.insert(transition as usize);
        }
    }
}
