use crate::BitSet;

/// Who moves. Fairness is about actors: in a program they are the processes, by their position in the state (a pid).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Actor(pub u32);

impl Actor {
    /// Who moves where nobody does.
    pub const NOBODY: Actor = Actor(u32::MAX);

    /// The pid of a process.
    pub fn pid(self) -> u16 {
        debug_assert!(self.0 <= u32::from(u16::MAX), "{self:?} is no process");
        self.0 as u16
    }
}

/// Processes have numbers of 16 bits.
impl From<u16> for Actor {
    fn from(pid: u16) -> Actor {
        Actor(pid.into())
    }
}

/// One side of an action: who takes which transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Party {
    /// Who takes it.
    pub who: Actor,
    /// The transition, numbered over the whole program.
    pub transition: u32,
}

/// Nobody: the partner of an action that has none.
pub const NO_PARTNER: Party = Party { who: Actor::NOBODY, transition: u32::MAX };

/// What can happen in a state: somebody takes a transition, in a rendezvous together with a
/// receiving partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// Who moves; the sender of a rendezvous.
    pub actor: Party,
    /// The receiver of a rendezvous, or [`NO_PARTNER`].
    pub partner: Party,
}

impl Action {
    /// An action of one alone.
    pub fn solo(who: Actor, transition: u32) -> Action {
        Action { actor: Party { who, transition }, partner: NO_PARTNER }
    }

    /// The receiver's side, if the action is a rendezvous.
    pub fn partner(&self) -> Option<Party> {
        (self.partner != NO_PARTNER).then_some(self.partner)
    }
}

/// When an action is possible: what a later phase allows happens only where nothing else can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// At any time.
    #[default]
    Normal,
    /// Where nothing is possible otherwise (Promela's `timeout` is true).
    Timeout,
}

/// A set of actions of one state, in the model's order.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// The actions.
    pub list: Vec<Action>,
    /// The phase in which they are enabled.
    pub phase: Phase,
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
        self.phase = Phase::Normal;
    }
}
