//! Who changes what: the arcs of a net from both ends.

use model::{Over, Pace};

use crate::net::Net;
use crate::rows::Rows;

/// What a transition does to a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// The other end: the place, or the transition.
    pub at: u32,
    pub taken: u64,
    pub given: u64,
}

impl Use {
    /// How many tokens more there are afterwards.
    pub fn gain(&self) -> u64 {
        self.given.saturating_sub(self.taken)
    }

    /// How many tokens fewer there are afterwards.
    pub fn loss(&self) -> u64 {
        self.taken.saturating_sub(self.given)
    }

    /// The difference that it makes.
    pub fn effect(&self) -> i128 {
        i128::from(self.given) - i128::from(self.taken)
    }
}

/// See the head of this file.
pub(super) struct Structure {
    /// For each transition, its places, by number.
    pub places: Rows<Use>,
    /// For each place, the transitions that change it, by number. Those that only look at it, and may be very many,
    /// are among the takers.
    pub transitions: Rows<Use>,
    /// For each place, the transitions that need tokens there, and how many.
    pub takers: Rows<(u32, u64)>,
    /// For each place, the transitions that it keeps from firing, and from how many tokens on.
    pub inhibited: Rows<(u32, u64)>,
}

impl Structure {
    pub fn new(net: &Net, pace: &mut Pace<'_>) -> Result<Structure, Over> {
        let n_places = net.places().len();
        let mut places = Rows::default();
        let mut transitions = Vec::new();
        let mut takers = Vec::new();
        let mut inhibited = Vec::new();
        for transition in net.transition_ids() {
            pace.steps(1 + net.pre(transition).len() + net.post(transition).len())?;
            let taken = net.pre(transition).iter().map(|arc| (arc.place, arc.weight, 0));
            let given = net.post(transition).iter().map(|arc| (arc.place, 0, arc.weight));
            let mut uses = taken.chain(given).collect::<Vec<_>>();
            uses.sort_unstable_by_key(|(place, ..)| *place);
            uses.dedup_by(|second, first| {
                let same = first.0 == second.0;
                if same {
                    *first = (first.0, first.1 + second.1, first.2 + second.2);
                }
                same
            });
            places.push(uses.iter().map(|&(place, taken, given)| Use { at: place.0, taken, given }));
            let changes = uses.iter().filter(|(_, taken, given)| taken != given);
            transitions.extend(
                changes.map(|&(place, taken, given)| (place.0, Use { at: transition.0, taken, given })),
            );
            let needs = net.pre(transition).iter();
            takers.extend(needs.map(|arc| (arc.place.0, (transition.0, arc.weight))));
            let limits = net.inhibitors(transition).iter();
            inhibited.extend(limits.map(|arc| (arc.place.0, (transition.0, arc.weight))));
        }
        Ok(Structure {
            places,
            transitions: Rows::sorted(n_places, transitions, pace)?,
            takers: Rows::sorted(n_places, takers, pace)?,
            inhibited: Rows::sorted(n_places, inhibited, pace)?,
        })
    }

    /// All transitions that have an arc to or from a place, by number.
    pub fn users(&self, place: u32) -> Vec<u32> {
        let changing = self.transitions.get(place).iter().map(|one| one.at);
        let mut users: Vec<u32> =
            changing.chain(self.takers.get(place).iter().map(|(taker, _)| *taker)).collect();
        users.sort_unstable();
        users.dedup();
        users
    }
}
