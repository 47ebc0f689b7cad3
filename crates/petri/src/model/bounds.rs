//! How many tokens a place can hold, as far as the net itself tells.
//!
//! If no transition brings more tokens to a set of places than it takes from there, the set never holds more
//! than at first, nor does any of its places. Such a set is looked for from each place: as long as some
//! transition brings too much, one of the places from which it takes is added, the one that needs the fewest
//! further additions. That fails now and then, and then nothing is known; what it finds is true.

use model::{Over, Pace};

use super::structure::Structure;
use crate::net::{Net, PlaceId};
use crate::rows::Rows;

/// How many tokens a place can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capacity {
    /// Always as many as at first.
    Constant,
    /// So many, which no run can exceed.
    Proven(u64),
    /// So many, or the net is wrong.
    Promised(u64),
    /// So many, or the model has to be made anew.
    Guessed(u64),
}

impl Capacity {
    /// How many tokens are proven to be the most, on a place that has so many at first.
    pub fn proven(self, initial: u64) -> Option<u64> {
        match self {
            Capacity::Constant => Some(initial),
            Capacity::Proven(most) => Some(most),
            Capacity::Promised(_) | Capacity::Guessed(_) => None,
        }
    }
}

/// What is known about the places of a net.
pub(super) struct Bounds {
    /// For each place, how many tokens it can hold, if that is known.
    pub proven: Vec<Option<u64>>,
    /// All places; those that change together are neighbours.
    pub order: Vec<PlaceId>,
}

/// How many arcs are looked at for one set.
const EFFORT: usize = 10_000;

impl Bounds {
    pub fn new(net: &Net, structure: &Structure, pace: &mut Pace<'_>) -> Result<Bounds, Over> {
        let n_places = net.places().len();
        let mut sources = Rows::default();
        for transition in net.transition_ids() {
            pace.step()?;
            let takes = structure.places.get(transition.0).iter().filter(|one| one.loss() > 0);
            sources.push(takes.map(|one| PlaceId(one.at)));
        }
        let mut search = Search {
            net,
            structure,
            sources,
            is_member: vec![false; n_places],
            members: Vec::new(),
            excess: vec![0; net.transitions().len()],
            pending: Vec::new(),
            effort: 0,
        };
        let mut bounds = Bounds { proven: vec![None; n_places], order: Vec::with_capacity(n_places) };
        bounds.note(net, &search.everything());
        let mut is_placed = vec![false; n_places];
        let mut effort = 10 * net.n_arcs() + 100 * EFFORT;
        for place in walk(net, structure, pace)? {
            pace.step()?;
            let mut found = Vec::new();
            if bounds.proven[place.0 as usize].is_none_or(|bound| bound > 1) && effort > 0 {
                found = search.set_with(place, pace)?;
                effort = effort.saturating_sub(search.effort);
                bounds.note(net, &found);
            }
            let new = |place: &PlaceId| !std::mem::replace(&mut is_placed[place.0 as usize], true);
            bounds.order.extend(std::iter::once(place).chain(found).filter(new));
        }
        Ok(bounds)
    }

    /// Notes that a set never holds more tokens than at first.
    fn note(&mut self, net: &Net, set: &[PlaceId]) {
        let mut tokens = set.iter().map(|&place| net.place(place).initial);
        // More than can be counted is no bound.
        let Some(total) = tokens.try_fold(0_u64, u64::checked_add) else { return };
        for place in set {
            let bound = &mut self.proven[place.0 as usize];
            *bound = Some(bound.map_or(total, |known| known.min(total)));
        }
    }
}

/// All places, those of a unit one after the other; else each soon after another with which it has a
/// transition in common.
fn walk(net: &Net, structure: &Structure, pace: &mut Pace<'_>) -> Result<Vec<PlaceId>, Over> {
    let mut walk = Vec::with_capacity(net.places().len());
    let mut is_known = vec![false; net.places().len()];
    let mut is_followed = vec![false; net.transitions().len()];
    let mut pending = (0..net.places().len() as u32).rev().map(PlaceId).collect::<Vec<_>>();
    let units = net.units.iter().flat_map(|units| &units.list);
    pending.extend(units.flat_map(|unit| &unit.places).rev());
    while let Some(place) = pending.pop() {
        pace.step()?;
        if std::mem::replace(&mut is_known[place.0 as usize], true) {
            continue;
        }
        walk.push(place);
        if net.units.is_some() {
            continue;
        }
        for user in structure.users(place.0) {
            if !std::mem::replace(&mut is_followed[user as usize], true) {
                pending.extend(structure.places.get(user).iter().rev().map(|one| PlaceId(one.at)));
            }
        }
    }
    Ok(walk)
}

struct Search<'a> {
    net: &'a Net,
    structure: &'a Structure,
    /// For each transition, the places that have fewer tokens afterwards.
    sources: Rows<PlaceId>,
    is_member: Vec<bool>,
    members: Vec<PlaceId>,
    /// For each transition, how many tokens it brings to the set beyond what it takes.
    excess: Vec<i128>,
    /// Transitions, among which are all that bring too much.
    pending: Vec<u32>,
    effort: usize,
}

impl Search<'_> {
    /// All places, if no transition makes more tokens of fewer; else none.
    fn everything(&self) -> Vec<PlaceId> {
        let brings = |uses: &[super::structure::Use]| uses.iter().map(|one| one.effect()).sum::<i128>() > 0;
        let any = self.net.transition_ids().any(|transition| brings(self.structure.places.get(transition.0)));
        if any { Vec::new() } else { self.net.place_ids().collect() }
    }

    /// A set with a place that never holds more tokens than at first; an empty one if none is found.
    fn set_with(&mut self, place: PlaceId, pace: &mut Pace<'_>) -> Result<Vec<PlaceId>, Over> {
        self.effort = 0;
        self.add(place);
        while let Some(&transition) = self.pending.last() {
            if self.excess[transition as usize] <= 0 {
                self.pending.pop();
                continue;
            }
            match self.best_source(transition, pace)? {
                Some(source) if self.effort < EFFORT => self.add(source),
                _ => {
                    self.clear();
                    return Ok(Vec::new());
                }
            }
        }
        let found = self.members.clone();
        self.clear();
        Ok(found)
    }

    fn add(&mut self, place: PlaceId) {
        self.is_member[place.0 as usize] = true;
        self.members.push(place);
        for one in self.structure.transitions.get(place.0) {
            self.excess[one.at as usize] += one.effect();
            if one.gain() > 0 {
                self.pending.push(one.at);
            }
        }
    }

    /// The place outside from which a transition takes whose addition makes the set bring the least.
    fn best_source(&mut self, transition: u32, pace: &mut Pace<'_>) -> Result<Option<PlaceId>, Over> {
        let mut best = None;
        for &source in self.sources.get(transition) {
            if self.is_member[source.0 as usize] {
                continue;
            }
            let uses = self.structure.transitions.get(source.0);
            self.effort += uses.len();
            pace.steps(1 + uses.len())?;
            let more = uses.iter().map(|one| {
                let excess = self.excess[one.at as usize];
                (excess + one.effect()).max(0) - excess.max(0)
            });
            let more = more.sum::<i128>();
            if best.is_none_or(|(least, _)| more < least) {
                best = Some((more, source));
            }
        }
        Ok(best.map(|(_, place)| place))
    }

    fn clear(&mut self) {
        for place in self.members.drain(..) {
            self.is_member[place.0 as usize] = false;
            for one in self.structure.transitions.get(place.0) {
                self.excess[one.at as usize] = 0;
            }
        }
        self.pending.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use crate::net::NetBuilder;

    fn proven(net: &Net) -> Vec<Option<u64>> {
        let patience = model::Patience::default();
        let pace = &mut patience.pace();
        let structure = Structure::new(net, pace).unwrap();
        Bounds::new(net, &structure, pace).unwrap().proven
    }

    #[test]
    fn examples_are_seen_to_be_safe() {
        for (family, sizes) in
            [("ph", &[6][..]), ("da-a", &[5]), ("da-b", &[4, 3]), ("simple", &[2, 4]), ("echo", &[2, 3])]
        {
            let net = example(family, sizes).unwrap();
            let n_safe = proven(&net).iter().filter(|&&bound| bound == Some(1)).count();
            println!("{family}: {n_safe} of {}", net.places().len());
            assert!(family == "echo" || n_safe == net.places().len(), "{family}");
        }
    }

    #[test]
    fn sets_are_weighed() {
        let mut net = NetBuilder::new("n");
        let [p, q, r] = ["p", "q", "r"].map(|name| net.place(name, 2));
        let source = net.place("source", 7);
        let t = net.transition("t");
        net.input(p, t, 2);
        net.output(t, q, 1);
        net.output(t, r, 1);
        net.input(source, t, 3);
        let u = net.transition("u");
        net.input(r, u, 1);
        net.output(u, r, 2);
        let v = net.transition("v");
        net.input(source, v, 1);
        net.output(v, source, 1);
        assert_eq!(proven(&net.finish()), [Some(2), Some(4), None, Some(7)]);
    }
}
