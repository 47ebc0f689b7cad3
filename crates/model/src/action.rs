use crate::BitSet;

/// One side of an action: a process and the transition that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Party {
    /// The position of the process in the state (a pid).
    pub process: u16,
    /// The transition, numbered over the whole program.
    pub transition: u32,
}

/// Nobody: the partner of an action that has none.
pub const NO_PARTNER: Party = Party { process: u16::MAX, transition: u32::MAX };

/// What can happen in a state: a process takes a transition, in a rendezvous together with a
/// receiving partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// Who moves; the sender of a rendezvous.
    pub actor: Party,
    /// The receiver of a rendezvous, or [`NO_PARTNER`].
    pub partner: Party,
}

impl Action {
    /// An action of one process alone.
    pub fn solo(process: u16, transition: u32) -> Action {
        Action { actor: Party { process, transition }, partner: NO_PARTNER }
    }

    /// The receiver's side, if the action is a rendezvous.
    pub fn partner(&self) -> Option<Party> {
        (self.partner != NO_PARTNER).then_some(self.partner)
    }
}

/// A set of actions of one state, in the model's order.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// The actions.
    pub list: Vec<Action>,
    /// True if these became enabled only because nothing else was (Promela's `timeout`).
    pub timeout: bool,
    /// Memory for the model, kept from state to state.
    pub recall: Recall,
}

/// What was enabled in the state that a model has listed last: the next one may have much in common with
/// it. Only the model writes it, and it depends on nothing else that is done with the set of actions.
#[derive(Clone, Debug, Default)]
pub struct Recall {
    /// Which model has written it, by a number that no other one has; 0 if none has.
    pub owner: u64,
    /// The state.
    pub state: Vec<u64>,
    /// The transitions that are enabled there.
    pub enabled: BitSet,
}

impl Actions {
    /// Makes the set empty, keeping its memory and what the model recalls.
    pub fn clear(&mut self) {
        self.list.clear();
        self.timeout = false;
    }
}
