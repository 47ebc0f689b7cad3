//! What is asked about a net.

use crate::net::{PlaceId, TransitionId};

/// A sum of tokens, each times a number, and a number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sum {
    /// Each place once, by number, with a factor other than 0.
    pub terms: Vec<(PlaceId, i64)>,
    /// What is added.
    pub constant: i64,
}

/// A comparison with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// At most 0.
    AtMost,
    /// Exactly 0.
    Equal,
    /// Not 0.
    Different,
}

/// Something that a marking says by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// How a sum compares with 0. All of `<`, `<=`, `>`, `>=`, `=`, `!=` between two sums are one of these.
    Compare(Sum, Comparison),
    /// Whether at least one of these transitions is enabled.
    Fireable(Vec<TransitionId>),
    /// Whether no transition is enabled.
    Deadlock,
    /// Whether it is the initial marking.
    Initial,
}

/// A formula of CTL*, of which CTL, LTL and predicates are parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// True or false.
    Constant(bool),
    /// Something that a marking says by itself.
    Atom(Atom),
    /// The operand does not hold.
    Not(Box<Formula>),
    /// All hold.
    And(Vec<Formula>),
    /// At least one holds.
    Or(Vec<Formula>),
    /// It holds on all paths.
    All(Box<Formula>),
    /// It holds on some path.
    Exists(Box<Formula>),
    /// It holds in the next state of the path.
    Next(Box<Formula>),
    /// It holds now or later.
    Eventually(Box<Formula>),
    /// It holds now and always.
    Always(Box<Formula>),
    /// The second holds now or later, and until then the first does.
    Until(Box<Formula>, Box<Formula>),
    /// The second holds up to and including the first state in which the first does, for ever if there is
    /// none.
    Release(Box<Formula>, Box<Formula>),
}

/// A question about a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether a formula holds in the initial marking. Without path quantifier at the top, if it is not a
    /// predicate, it is asked of all paths.
    Formula(Formula),
    /// The greatest value of a sum in any reachable marking.
    Bound(Sum),
    /// Whether a marking without enabled transition can be reached.
    Deadlock,
    /// Whether every place holds at most one token in every reachable marking.
    OneSafe,
    /// Whether some place always has the same number of tokens.
    StableMarking,
    /// Whether every transition can fire at least once.
    QuasiLiveness,
    /// Whether every transition can always fire again, later.
    Liveness,
    /// How many markings and firings there are, and how many tokens at most in a place and in all.
    StateSpace,
}

/// A question with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The id in the formula file.
    pub name: String,
    /// What is asked.
    pub question: Question,
}
