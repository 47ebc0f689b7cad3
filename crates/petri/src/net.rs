//! Place/transition nets as sparse arrays.

use std::collections::HashMap;

use model::{Over, Pace, Patience};

use crate::rows::Rows;

/// The number of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub u32);

/// The number of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransitionId(pub u32);

/// Something that holds tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its name in the source: for PNML the id.
    pub name: String,
    /// The tokens at first.
    pub initial: u64,
    /// The most tokens that it can ever hold, if the source promises so. A marking with more is an error
    /// of the net.
    pub bound: Option<u64>,
}

/// What the source asks of a transition that is enabled again and again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fair {
    /// Nothing.
    #[default]
    No,
    /// If it stays enabled, it fires.
    Weak,
    /// If it is enabled infinitely often, it fires infinitely often.
    Strong,
}

/// Something that moves tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Its name in the source: for PNML the id.
    pub name: String,
    /// What is asked of it.
    pub fair: Fair,
}

/// An arc between a place and a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arc {
    /// The place.
    pub place: PlaceId,
    /// How many tokens: at least 1.
    pub weight: u64,
}

/// A set of places of which at most one is marked, or a tree of such sets (nested units of NUPN).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// Its name in the source.
    pub name: String,
    /// The places of the unit itself.
    pub places: Vec<PlaceId>,
    /// The units inside, by number.
    pub inner: Vec<u32>,
}

/// The units of a net. If it is `safe`, each place holds at most one token, and of the places of a unit
/// and those of a unit inside it never two are marked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units {
    /// All units.
    pub list: Vec<Unit>,
    /// The unit that has all others inside.
    pub root: u32,
    /// Whether the source promises what the units mean.
    pub safe: bool,
}

/// A place/transition net.
///
/// ```
/// use petri::{NetBuilder, Place};
///
/// let mut net = NetBuilder::new("hello");
/// let p = net.place("p", 1);
/// let q = net.place("q", 0);
/// let t = net.transition("t");
/// net.input(p, t, 1);
/// net.output(t, q, 1);
/// let net = net.finish();
/// assert_eq!(net.pre(t)[0].place, p);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Net {
    /// Its name in the source, or that of the file.
    pub name: String,
    places: Vec<Place>,
    transitions: Vec<Transition>,
    pre: Rows<Arc>,
    post: Rows<Arc>,
    inhibitors: Rows<Arc>,
    /// The units, if the source has any.
    pub units: Option<Units>,
}

impl Net {
    /// All places, by number.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// All transitions, by number.
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// A place.
    pub fn place(&self, place: PlaceId) -> &Place {
        &self.places[place.0 as usize]
    }

    /// A transition.
    pub fn transition(&self, transition: TransitionId) -> &Transition {
        &self.transitions[transition.0 as usize]
    }

    /// The numbers of all transitions.
    pub fn transition_ids(&self) -> impl ExactSizeIterator<Item = TransitionId> + use<> {
        (0..self.transitions.len() as u32).map(TransitionId)
    }

    /// The numbers of all places.
    pub fn place_ids(&self) -> impl ExactSizeIterator<Item = PlaceId> + use<> {
        (0..self.places.len() as u32).map(PlaceId)
    }

    /// What a transition takes: each place once, by number.
    pub fn pre(&self, transition: TransitionId) -> &[Arc] {
        self.pre.get(transition.0)
    }

    /// What a transition brings: each place once, by number.
    pub fn post(&self, transition: TransitionId) -> &[Arc] {
        self.post.get(transition.0)
    }

    /// What keeps a transition from firing: as many tokens as the arc has, or more. Each place once, by
    /// number.
    pub fn inhibitors(&self, transition: TransitionId) -> &[Arc] {
        self.inhibitors.get(transition.0)
    }

    /// Whether some transition has an inhibitor arc.
    pub fn has_inhibitors(&self) -> bool {
        !self.inhibitors.items().is_empty()
    }

    /// The number of arcs, inhibitor arcs included.
    pub fn n_arcs(&self) -> usize {
        self.pre.items().len() + self.post.items().len() + self.inhibitors.items().len()
    }

    /// The tokens at first, by place.
    pub fn initial(&self) -> Vec<u64> {
        self.places.iter().map(|place| place.initial).collect()
    }
}

/// Makes a net.
#[derive(Clone, Debug, Default)]
pub struct NetBuilder {
    net: Net,
    inputs: Vec<(TransitionId, Arc)>,
    outputs: Vec<(TransitionId, Arc)>,
    inhibitors: Vec<(TransitionId, Arc)>,
}

impl NetBuilder {
    /// A net without places and transitions.
    pub fn new(name: impl Into<String>) -> NetBuilder {
        NetBuilder { net: Net { name: name.into(), ..Net::default() }, ..NetBuilder::default() }
    }

    /// Adds a place with so many tokens.
    pub fn place(&mut self, name: impl Into<String>, initial: u64) -> PlaceId {
        self.net.places.push(Place { name: name.into(), initial, bound: None });
        PlaceId(self.net.places.len() as u32 - 1)
    }

    /// Changes a place.
    pub fn place_mut(&mut self, place: PlaceId) -> &mut Place {
        &mut self.net.places[place.0 as usize]
    }

    /// Adds a transition.
    pub fn transition(&mut self, name: impl Into<String>) -> TransitionId {
        self.net.transitions.push(Transition { name: name.into(), fair: Fair::No });
        TransitionId(self.net.transitions.len() as u32 - 1)
    }

    /// Changes a transition.
    pub fn transition_mut(&mut self, transition: TransitionId) -> &mut Transition {
        &mut self.net.transitions[transition.0 as usize]
    }

    /// Adds what a transition takes. Arcs between the same two add up.
    pub fn input(&mut self, place: PlaceId, transition: TransitionId, weight: u64) {
        self.inputs.push((transition, Arc { place, weight }));
    }

    /// Adds what a transition brings. Arcs between the same two add up.
    pub fn output(&mut self, transition: TransitionId, place: PlaceId, weight: u64) {
        self.outputs.push((transition, Arc { place, weight }));
    }

    /// Adds a place that keeps a transition from firing if it has `weight` tokens or more. Of two arcs
    /// between the same two the smaller counts.
    pub fn inhibitor(&mut self, place: PlaceId, transition: TransitionId, weight: u64) {
        self.inhibitors.push((transition, Arc { place, weight }));
    }

    /// Says which units there are.
    pub fn units(&mut self, units: Units) {
        self.net.units = Some(units);
    }

    /// The net. Arcs of weight 0 do not count.
    ///
    /// # Panics
    /// If the arcs between the same two add up to more than [`u64::MAX`].
    pub fn finish(self) -> Net {
        self.finish_within(&Patience::default()).expect("nothing ends a patience without limits")
    }

    /// The same, as long as there is patience.
    pub(crate) fn finish_within(self, patience: &Patience) -> Result<Net, Over> {
        let NetBuilder { mut net, inputs, outputs, inhibitors } = self;
        let n_transitions = net.transitions.len();
        let add =
            |first: u64, second| first.checked_add(second).expect("arcs between the same two fit together");
        let pace = &mut patience.pace();
        net.pre = rows(inputs, n_transitions, add, pace)?;
        net.post = rows(outputs, n_transitions, add, pace)?;
        net.inhibitors = rows(inhibitors, n_transitions, u64::min, pace)?;
        Ok(net)
    }
}

/// Sorts arcs by transition and place, and makes one of those between the same two.
fn rows(
    arcs: Vec<(TransitionId, Arc)>,
    n_transitions: usize,
    join: fn(u64, u64) -> u64,
    pace: &mut Pace<'_>,
) -> Result<Rows<Arc>, Over> {
    let arcs = arcs.into_iter().filter(|(_, arc)| arc.weight > 0);
    let all = Rows::sorted(n_transitions, arcs.map(|(transition, arc)| (transition.0, arc)).collect(), pace)?;
    let mut rows = Rows::default();
    let mut row = Vec::new();
    for transition in 0..n_transitions as u32 {
        row.clear();
        row.extend_from_slice(all.get(transition));
        pace.steps(1 + row.len())?;
        row.sort_by_key(|arc| arc.place);
        row.dedup_by(|second, first| {
            let same = first.place == second.place;
            if same {
                first.weight = join(first.weight, second.weight);
            }
            same
        });
        rows.push(row.iter().copied());
    }
    Ok(rows)
}

/// The places and transitions of a net by name.
pub struct Names<'a> {
    places: HashMap<&'a str, PlaceId>,
    transitions: HashMap<&'a str, TransitionId>,
}

impl<'a> Names<'a> {
    /// The names of a net.
    ///
    /// # Errors
    /// If it takes longer than there is patience.
    pub fn new(net: &'a Net, patience: &Patience) -> Result<Names<'a>, Over> {
        let mut pace = patience.pace();
        let mut names = Names { places: HashMap::new(), transitions: HashMap::new() };
        for id in net.place_ids() {
            pace.step()?;
            names.places.insert(&*net.place(id).name, id);
        }
        for id in net.transition_ids() {
            pace.step()?;
            names.transitions.insert(&*net.transition(id).name, id);
        }
        Ok(names)
    }

    /// The place of a name.
    pub fn place(&self, name: &str) -> Option<PlaceId> {
        self.places.get(name).copied()
    }

    /// The transition of a name.
    pub fn transition(&self, name: &str) -> Option<TransitionId> {
        self.transitions.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_between_the_same_two_add_up() {
        let mut builder = NetBuilder::new("n");
        let places = [builder.place("p", 0), builder.place("q", 3)];
        let transitions = [builder.transition("t"), builder.transition("u"), builder.transition("v")];
        builder.input(places[1], transitions[2], 2);
        builder.input(places[0], transitions[2], 1);
        builder.input(places[1], transitions[2], 3);
        builder.input(places[1], transitions[0], 0);
        builder.output(transitions[0], places[1], 1);
        builder.inhibitor(places[0], transitions[1], 4);
        builder.inhibitor(places[0], transitions[1], 2);
        let net = builder.finish();
        let arc = |place: usize, weight| Arc { place: places[place], weight };
        assert_eq!(net.pre(transitions[2]), [arc(0, 1), arc(1, 5)]);
        assert_eq!(net.pre(transitions[0]), []);
        assert_eq!(net.post(transitions[0]), [arc(1, 1)]);
        assert_eq!(net.inhibitors(transitions[1]), [arc(0, 2)]);
        assert_eq!(net.n_arcs(), 4);
        assert_eq!(net.initial(), [0, 3]);
    }
}
