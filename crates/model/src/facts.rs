use crate::Location;

/// A part of the state that reads and writes are known of: a variable, a channel, a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotId(pub u32);

/// A sparse binary relation, as sorted rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    rows: Vec<Vec<u32>>,
}

impl Relation {
    /// The empty relation with `n_rows` rows.
    pub fn new(n_rows: usize) -> Relation {
        Relation { rows: vec![Vec::new(); n_rows] }
    }

    /// Adds a pair.
    pub fn insert(&mut self, row: usize, column: u32) {
        if let Err(at) = self.rows[row].binary_search(&column) {
            self.rows[row].insert(at, column);
        }
    }

    /// Whether a pair is in the relation.
    pub fn contains(&self, row: usize, column: u32) -> bool {
        self.rows[row].binary_search(&column).is_ok()
    }

    /// The columns of a row, ascending.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.rows[row]
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }
}

/// What is known about a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotFacts {
    /// Its name: `x`, `P.y` for a local of every instance of `P`, a channel's name.
    pub name: String,
    /// The process template whose instances each have one of their own; none for a shared slot.
    pub owner: Option<u32>,
}

/// What is known about a transition of a process template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionFacts {
    /// The process template.
    pub process: u32,
    /// The statement, for people.
    pub text: String,
    /// The statement's place.
    pub location: Location,
}

/// Static knowledge about a model: plain data, computed once.
///
/// A transition belongs to a process *template*; an owned slot in its row stands for the slot of
/// the acting instance, unless the relation says that it is of any instance.
///
/// A row is about the *action* that starts with the transition, to its end: if an atomic chain goes
/// on behind it, the row has everything that the chain may do, be it in another process that is
/// handed the chain by a rendezvous. An action with a partner has the rows of both transitions: what
/// the partner stores is in the row of its receive, with the partner as the acting instance. Whether
/// there is a partner depends on the others' locations and on what their receives ask for; that is in
/// the row of the send, as reads of any instance.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The names of the source files.
    pub files: Vec<String>,
    /// The slots.
    pub slots: Vec<SlotFacts>,
    /// The transitions, numbered as in [`crate::Party::transition`].
    pub transitions: Vec<TransitionFacts>,
    /// Transition × slot: what its guard or its effect may depend on. Adding pairs is safe.
    pub reads: Relation,
    /// Transition × slot: what it may change. Adding pairs is safe.
    pub may_write: Relation,
    /// Transition × owned slot: what it may depend on in any instance. Adding pairs is safe.
    pub reads_of_any: Relation,
    /// Transition × owned slot: what it may change in any instance. A new process is a change of
    /// all its slots. Adding pairs is safe.
    pub may_write_of_any: Relation,
}
