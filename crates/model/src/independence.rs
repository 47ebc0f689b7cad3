use crate::{Actions, Over, PredicateId};

/// Something that may happen, now or later: what ample and stubborn sets consist of. A rendezvous
/// consists of two moves, the send and the receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Whose it is: a process; in a net, each transition is a group of its own.
    pub group: u32,
    /// Whether its group stands where it begins. If not, the group must come there first. The moves
    /// of a group that are here exclude each other.
    pub here: bool,
    /// Whether an enabled action consists of it, possibly together with another move.
    pub enabled: bool,
    /// Whether it may change a predicate that is watched.
    pub visible: bool,
}

/// Why a move cannot happen: sets of moves, of each of which one must happen before the move can, or
/// together with it. The other side of a rendezvous may be in a set only if that is itself disabled
/// for a reason of its own, or if what may make the two fit is in the set, too.
#[derive(Clone, Debug, Default)]
pub struct EnablingSets {
    moves: Vec<u32>,
    ends: Vec<usize>,
}

impl EnablingSets {
    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.moves.clear();
        self.ends.clear();
    }

    /// Adds a move to the set that is being made.
    pub fn push(&mut self, enabling: u32) {
        self.moves.push(enabling);
    }

    /// Completes a set.
    pub fn end(&mut self) {
        self.ends.push(self.moves.len());
    }

    /// The sets.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.moves[start..end])
    }
}

/// Something about a state that is true or not. What is meant is known to who says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fact(pub u64);

/// What reduction asks about a state: which moves there are and how they depend on each other.
///
/// A set U of moves of a state is a *strong stubborn set* if
///
/// - for each enabled move of U, everything that [`Independence::conflicts`] names is in U,
/// - for each disabled move of U, one of the sets of [`Independence::enabling_sets`] is in U,
/// - U has an enabled move, if there is one.
///
/// To explore the enabled actions that consist of moves of U is then enough to find every deadlock:
/// whatever else happens first, the actions of U stay enabled, lead to the same states in either
/// order, and none that was disabled becomes enabled.
///
/// All answers may err on the safe side: more moves in a set of conflicts or in an obstacle, more
/// visible moves, fewer obstacles.
pub trait Independence: Send {
    /// Turns to a state. `enabled` is what [`crate::Model::enabled`] lists for it, in the normal phase:
    /// what is enabled only because nothing else is must not be reduced.
    fn look(&mut self, state: &[u64], enabled: &Actions);

    /// Turns to a state only as far as to know its *situation* and its facts. Whatever else is asked needs
    /// [`Independence::look`] again.
    ///
    /// All answers follow from the situation and from some facts ([`Independence::take_facts`]), and which fact an
    /// answer depends on next follows from the situation and from those before it. So what was found out once is known
    /// in all states of the same situation in which the same facts are true. None if that cannot be said.
    fn glance(&mut self, state: &[u64], enabled: &Actions) -> Option<&[u32]> {
        let _ = (state, enabled);
        None
    }

    /// Whether a fact is true in the state.
    fn is_true(&self, fact: Fact) -> bool {
        let _ = fact;
        false
    }

    /// Appends the facts that the answers depended on since the last time, in that order, and whether they are true.
    fn take_facts(&mut self, out: &mut Vec<(Fact, bool)>) {
        let _ = out;
    }

    /// The moves of the state, those of a group one after the other.
    fn moves(&self) -> &[Move];

    /// Whether all states have the same moves, which differ only in whether they are enabled: those of the enabled
    /// actions are, and no others.
    fn has_fixed_moves(&self) -> bool {
        false
    }

    /// The moves of which the k-th enabled action consists; both are the same if there is but one.
    fn moves_of(&self, action: usize) -> [u32; 2];

    /// Appends the moves that must be in every stubborn set in which an enabled move is: those with
    /// whose actions it does not commute, or that it or they disable, or that must happen before such
    /// an action can. All other moves of its group that are here are among them.
    fn conflicts(&mut self, enabled: u32, out: &mut Vec<u32>);

    /// The moves that must be in every *weak* stubborn set in which an enabled move is that need not be
    /// its key: if others happen, and then an action of the move, it could as well have happened before
    /// them. They may disable it, even if it gets enabled again, as long as that is true. Moves may be
    /// among them that are not among its [`Independence::conflicts`]: those never happen while it is
    /// enabled.
    fn left_conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        self.conflicts(enabled, out);
    }

    /// The obstacles to a disabled move, at least one. An empty set says that the move can never
    /// happen again.
    fn enabling_sets(&mut self, disabled: u32, out: &mut EnablingSets);

    /// Sets of moves, of each of which one must happen before a predicate can hold that does not hold now, or fail
    /// that holds. An empty set says that it never will; without any set nothing is known.
    fn towards(&mut self, predicate: PredicateId, out: &mut EnablingSets) {
        let _ = (predicate, out);
    }

    /// Whether a move, enabled or not, touches nothing but the variables of its own process, as the
    /// text shows: no shared variable, no channel. It is then independent of everything that others do.
    fn is_local(&mut self, number: u32) -> bool;

    /// Whether an enabled move neither enables nor disables anything outside of its group, now or
    /// later: what is asked for under fairness.
    fn is_private(&mut self, enabled: u32) -> bool;
}

/// A property of a model because of which nothing can be said about independence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// Whether a process may move depends on all others.
    Priorities,
    /// Every step changes `_last`.
    Last,
    /// Nothing is known about the actions of this kind of model.
    Unknown,
}

/// Why a model says nothing about independence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoIndependence {
    /// Something in the model is in the way.
    Hindered(Hindrance),
    /// It takes too long to find out.
    Over(Over),
}

impl From<Hindrance> for NoIndependence {
    fn from(hindrance: Hindrance) -> NoIndependence {
        NoIndependence::Hindered(hindrance)
    }
}

impl From<Over> for NoIndependence {
    fn from(over: Over) -> NoIndependence {
        NoIndependence::Over(over)
    }
}
