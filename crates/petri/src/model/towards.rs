//! What must happen before a formula can hold that does not (its UP sets), or before one can fail that holds (its
//! DOWN sets). Every way to where that is so contains a transition of each set.

use std::collections::HashMap;

use model::EnablingSets;

use super::NetModel;
use crate::formula::{Atom, Comparison, Formula, Sum};
use crate::net::TransitionId;

/// Sets, of which any one will do.
pub(super) type Sets = Vec<Vec<u32>>;

/// No more sets than these are made of one formula.
const MOST_SETS: usize = 16;

/// A marking, in which formulas are looked at.
pub(super) struct Marking<'m> {
    pub model: &'m NetModel,
    pub state: &'m [u64],
    /// The transitions that are enabled.
    pub enabled: &'m [u32],
}

impl Marking<'_> {
    /// What must happen for a formula to hold, if it does not, or else to fail.
    pub fn turn(&self, formula: &Formula) -> Sets {
        match formula {
            // It never will.
            Formula::Constant(_) => vec![Vec::new()],
            Formula::Atom(atom) => self.turn_atom(atom),
            Formula::Not(operand) => self.turn(operand),
            // Each operand that is in the way has to turn: one of them is as good as the other.
            Formula::And(operands) if self.holds(formula) => self.turn_any(operands, true),
            Formula::And(operands) => self.turn_one(operands, false),
            Formula::Or(operands) if self.holds(formula) => self.turn_one(operands, true),
            Formula::Or(operands) => self.turn_any(operands, false),
            _ => unreachable!("a predicate has no path operators"),
        }
    }

    /// All operands with a value have to turn. The last one first: where neighbours in a formula are neighbours in
    /// the net, that is far better for some nets (philosophers) and never known to be worse.
    fn turn_one(&self, operands: &[Formula], value: bool) -> Sets {
        let found = operands.iter().rev().filter(|operand| self.holds(operand) == value);
        found.flat_map(|operand| self.turn(operand)).take(MOST_SETS).collect()
    }

    /// One of the operands with a value has to turn, whichever.
    fn turn_any(&self, operands: &[Formula], value: bool) -> Sets {
        let found = operands.iter().filter(|operand| self.holds(operand) == value);
        let smallest = |operand| self.turn(operand).into_iter().min_by_key(Vec::len).unwrap_or_default();
        let mut all: Vec<u32> = found.flat_map(smallest).collect();
        all.sort_unstable();
        all.dedup();
        vec![all]
    }

    fn turn_atom(&self, atom: &Atom) -> Sets {
        match atom {
            Atom::Compare(sum, comparison) => {
                let value = self.value(sum);
                let changes = self.changes(sum);
                let with = |wanted: fn(i128) -> bool| {
                    let found = changes.iter().filter(|(_, change)| wanted(**change));
                    let mut found: Vec<u32> = found.map(|(transition, _)| *transition).collect();
                    found.sort_unstable();
                    vec![found]
                };
                match (comparison, value.signum()) {
                    (Comparison::AtMost, 1) => with(|change| change < 0),
                    (Comparison::AtMost, _) => with(|change| change > 0),
                    (Comparison::Equal | Comparison::Different, 1) => with(|change| change < 0),
                    (Comparison::Equal | Comparison::Different, -1) => with(|change| change > 0),
                    (Comparison::Equal | Comparison::Different, _) => with(|change| change != 0),
                }
            }
            Atom::Fireable(any) => {
                let is_enabled = |id: &&TransitionId| self.enabled.contains(&id.0);
                match any.iter().any(|id| self.enabled.contains(&id.0)) {
                    true => {
                        any.iter().filter(is_enabled).map(|id| self.disabling(id.0)).take(MOST_SETS).collect()
                    }
                    false => self.enabling(any),
                }
            }
            Atom::Deadlock if self.enabled.is_empty() => vec![Vec::new()],
            Atom::Deadlock => {
                self.enabled.iter().take(MOST_SETS).map(|&transition| self.disabling(transition)).collect()
            }
            Atom::Initial => self.turn_initial(),
        }
    }

    /// One of some transitions, none of which is enabled, has to become so.
    fn enabling(&self, any: &[TransitionId]) -> Sets {
        let enabling_sets = |id: &TransitionId| -> Sets {
            let mut found = EnablingSets::default();
            self.model.find_obstacles(id.0, self.state, &mut found);
            found.iter().map(<[u32]>::to_vec).collect()
        };
        if let [only] = any {
            return enabling_sets(only);
        }
        let smallest = |id| enabling_sets(id).into_iter().min_by_key(Vec::len).unwrap_or_default();
        let mut all: Vec<u32> = any.iter().flat_map(smallest).collect();
        all.sort_unstable();
        all.dedup();
        vec![all]
    }

    /// What can disable a transition: itself, and who takes what it needs.
    fn disabling(&self, transition: u32) -> Vec<u32> {
        let mut found = vec![transition];
        self.model.push_disabling(transition, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    fn turn_initial(&self) -> Sets {
        let (net, structure) = (&self.model.net, &self.model.structure);
        let differs =
            |place: &crate::PlaceId| self.model.tokens(*place, self.state) != net.place(*place).initial;
        let differing: Vec<_> = net.place_ids().filter(differs).take(MOST_SETS).collect();
        if differing.is_empty() {
            let effective =
                |id: &TransitionId| structure.places.get(id.0).iter().any(|one| one.effect() != 0);
            return vec![net.transition_ids().filter(effective).map(|id| id.0).collect()];
        }
        let back = |place: crate::PlaceId| {
            let is_less = self.model.tokens(place, self.state) < net.place(place).initial;
            let users = structure.transitions.get(place.0).iter();
            let useful = users.filter(|user| if is_less { user.effect() > 0 } else { user.effect() < 0 });
            useful.map(|user| user.at).collect()
        };
        differing.into_iter().map(back).collect()
    }

    /// How each transition changes a sum, if it does.
    fn changes(&self, sum: &Sum) -> HashMap<u32, i128> {
        let mut changes = HashMap::new();
        for &(place, factor) in &sum.terms {
            for user in self.model.structure.transitions.get(place.0) {
                *changes.entry(user.at).or_insert(0) += i128::from(factor) * user.effect();
            }
        }
        changes
    }

    fn value(&self, sum: &Sum) -> i128 {
        let tokens = |place| i128::from(self.model.tokens(place, self.state));
        let terms = sum.terms.iter().map(|&(place, factor)| i128::from(factor) * tokens(place));
        i128::from(sum.constant) + terms.sum::<i128>()
    }

    /// Whether a formula holds.
    pub fn holds(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Constant(value) => *value,
            Formula::Atom(Atom::Compare(sum, comparison)) => match comparison {
                Comparison::AtMost => self.value(sum) <= 0,
                Comparison::Equal => self.value(sum) == 0,
                Comparison::Different => self.value(sum) != 0,
            },
            Formula::Atom(Atom::Fireable(any)) => any.iter().any(|id| self.enabled.contains(&id.0)),
            Formula::Atom(Atom::Deadlock) => self.enabled.is_empty(),
            Formula::Atom(Atom::Initial) => {
                let net = &self.model.net;
                net.place_ids().all(|place| self.model.tokens(place, self.state) == net.place(place).initial)
            }
            Formula::Not(operand) => !self.holds(operand),
            Formula::And(operands) => operands.iter().all(|operand| self.holds(operand)),
            Formula::Or(operands) => operands.iter().any(|operand| self.holds(operand)),
            _ => unreachable!("a predicate has no path operators"),
        }
    }
}
