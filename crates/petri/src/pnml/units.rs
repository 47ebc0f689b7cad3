//! The units of a net (NUPN): a tree, with each place in one unit.

use std::collections::HashMap;

use model::Pace;

use super::symbols::{Node, Symbol, Symbols};
use crate::net::{Unit, Units};
use crate::reading::{Reading, refusal};

/// A unit as it is written.
pub(super) struct RawUnit {
    pub(super) name: String,
    pub(super) at: usize,
    pub(super) places: Vec<Symbol>,
    pub(super) inner: Vec<String>,
}

/// The units as they are written.
pub(super) struct RawUnits {
    pub(super) at: usize,
    pub(super) root: String,
    pub(super) safe: bool,
    pub(super) list: Vec<RawUnit>,
}

impl RawUnits {
    /// The units by numbers, if they are what they should be.
    pub(super) fn finish(self, symbols: &Symbols, n_places: usize, pace: &mut Pace<'_>) -> Reading<Units> {
        let error = |at, message: String| Err(refusal(at, "E0321", message));
        let mut numbers = HashMap::new();
        for (number, unit) in self.list.iter().enumerate() {
            if numbers.insert(&*unit.name, number as u32).is_some() {
                return error(unit.at, format!("there is a second unit `{}`", unit.name));
            }
        }
        let Some(&root) = numbers.get(&*self.root) else {
            return error(self.at, format!("the root of the units, `{}`, is not there", self.root));
        };
        let mut has_unit = vec![false; n_places];
        let mut is_inner = vec![false; self.list.len()];
        is_inner[root as usize] = true;
        let mut list = Vec::with_capacity(self.list.len());
        for unit in &self.list {
            pace.steps(1 + unit.places.len() + unit.inner.len())?;
            let mut places = Vec::with_capacity(unit.places.len());
            for &symbol in &unit.places {
                let Node::Place(place) = symbols.node(symbol) else {
                    let id = symbols.id(symbol);
                    return error(unit.at, format!("the unit `{}` has `{id}`, which is no place", unit.name));
                };
                if std::mem::replace(&mut has_unit[place.0 as usize], true) {
                    let id = symbols.id(symbol);
                    return error(unit.at, format!("the place `{id}` is in the unit `{}` again", unit.name));
                }
                places.push(place);
            }
            let mut inner = Vec::with_capacity(unit.inner.len());
            for name in &unit.inner {
                let Some(&number) = numbers.get(&**name) else {
                    return error(
                        unit.at,
                        format!("the unit `{}` has `{name}`, which is no unit", unit.name),
                    );
                };
                if std::mem::replace(&mut is_inner[number as usize], true) {
                    return error(unit.at, format!("the unit `{name}` is in the unit `{}` again", unit.name));
                }
                inner.push(number);
            }
            list.push(Unit { name: unit.name.clone(), places, inner });
        }
        if has_unit.contains(&false) {
            return error(self.at, "some place is in no unit".into());
        }
        // Each unit is inside at most one other, so what the root does not reach is beside it or in a circle.
        let mut reached = vec![root];
        let mut next = 0;
        while let Some(&unit) = reached.get(next) {
            reached.extend(&list[unit as usize].inner);
            next += 1;
        }
        if reached.len() < list.len() {
            return error(self.at, format!("some unit is not inside the root, `{}`", self.root));
        }
        Ok(Units { list, root, safe: self.safe })
    }
}
