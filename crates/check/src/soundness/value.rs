//! What matters for whether an answer can be trusted: a bit for each value that a dimension can have.

use std::fmt;

use model::{Fairness, Hindrance};
use por::Method;

/// A value of one of the dimensions in which settings differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Value {
    /// Is there a state in which nothing can happen, though it should?
    Deadlock,
    /// Is there a failed assertion or an invalid end state?
    Safety,
    /// Is there a state in which a predicate holds?
    Reach,
    /// How great does a number become?
    Bound,
    /// How many states are there?
    Count,
    /// Linear time, where it does not matter how often a state is repeated.
    Linear,
    /// Linear time with the next-operator.
    LinearX,
    /// Branching time without the next-operator.
    Branching,
    /// Branching time with the next-operator.
    BranchingX,
    /// What terminal components are like: home properties, liveness of actions.
    Terminal,

    /// Only weakly fair runs count.
    Weak,
    /// Only strongly fair runs count.
    Strong,

    /// A step may end in a runtime error, which violates any property.
    MayFail,
    /// An action may have several outcomes.
    ManyOutcomes,
    /// Processes have priorities.
    Priorities,
    /// The model reads `_last`.
    Last,
    /// Nothing is known about the independence of actions.
    NoIndependence,
    /// Somebody promises how many tokens there can be, and that is checked on the way.
    Promises,
    /// The model knows of which actions every way to a goal contains one.
    Towards,

    /// A predicate of the property may have no value in some states.
    AtomMayFail,
    /// The automaton of the property follows runs for a while that it never accepts.
    FollowsInVain,
    /// It was not shown that repetitions of states do not matter to the automaton of the property.
    MayCount,

    /// All violations are wanted, not one.
    AllErrors,
    /// A shortest run is wanted.
    Shortest,
    /// Only states up to a depth are visited.
    DepthLimit,

    /// One process alone where it touches nothing but its own variables.
    Local,
    /// One process alone where nothing that others do concerns it.
    Ample,
    /// Strong stubborn sets by closure.
    Stubborn,
    /// Strong stubborn sets by deletion.
    Deletion,
    /// Weak stubborn sets.
    WeakSets,

    /// Variables are reset where their values are not read any more.
    Reset,
    /// Statements that concern nobody else are executed with the one before.
    Chains,
}

use Value::{
    AllErrors, Ample, AtomMayFail, Bound, Branching, BranchingX, Chains, Count, Deadlock, Deletion,
    DepthLimit, FollowsInVain, Last, Linear, LinearX, Local, ManyOutcomes, MayCount, MayFail, NoIndependence,
    Priorities, Promises, Reach, Reset, Safety, Shortest, Strong, Stubborn, Terminal, Towards, Weak,
    WeakSets,
};

/// In what settings differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// The kind of question: every setting has one.
    Class,
    /// Which infinite runs count: all, or one of these.
    Fairness,
    /// What is true of the system.
    System,
    /// What is true of the property.
    Property,
    /// What is wanted beside the verdict.
    Want,
    /// How partial orders are reduced: not at all, or by one of these.
    Por,
    /// How the model is changed before it is searched.
    Compression,
}

/// All values, with how the documents call them.
pub const VALUES: [(Value, Dimension, &str); 32] = [
    (Deadlock, Dimension::Class, "deadlock"),
    (Safety, Dimension::Class, "safety"),
    (Reach, Dimension::Class, "reachability"),
    (Bound, Dimension::Class, "upper bound"),
    (Count, Dimension::Class, "state space"),
    (Linear, Dimension::Class, "linear time"),
    (LinearX, Dimension::Class, "linear time with X"),
    (Branching, Dimension::Class, "branching time"),
    (BranchingX, Dimension::Class, "branching time with X"),
    (Terminal, Dimension::Class, "terminal components"),
    (Weak, Dimension::Fairness, "weak fairness"),
    (Strong, Dimension::Fairness, "strong fairness"),
    (MayFail, Dimension::System, "runtime errors possible"),
    (ManyOutcomes, Dimension::System, "actions with several outcomes"),
    (Priorities, Dimension::System, "priorities"),
    (Last, Dimension::System, "`_last`"),
    (NoIndependence, Dimension::System, "independence unknown"),
    (Promises, Dimension::System, "promised bounds"),
    (Towards, Dimension::System, "sets towards a goal"),
    (AtomMayFail, Dimension::Property, "an atom may have no value"),
    (FollowsInVain, Dimension::Property, "automaton with dead ends"),
    (MayCount, Dimension::Property, "stutter invariance not shown"),
    (AllErrors, Dimension::Want, "all errors"),
    (Shortest, Dimension::Want, "shortest run"),
    (DepthLimit, Dimension::Want, "depth limit"),
    (Local, Dimension::Por, "local"),
    (Ample, Dimension::Por, "ample"),
    (Stubborn, Dimension::Por, "stubborn"),
    (Deletion, Dimension::Por, "deletion"),
    (WeakSets, Dimension::Por, "weak"),
    (Reset, Dimension::Compression, "dead variables reset"),
    (Chains, Dimension::Compression, "merged statements"),
];

impl Value {
    /// Its dimension.
    pub fn dimension(self) -> Dimension {
        VALUES[self as usize].1
    }

    /// How the documents call it.
    pub fn name(self) -> &'static str {
        VALUES[self as usize].2
    }

    /// The method of reduction that it stands for.
    pub fn method(self) -> Option<Method> {
        Method::ALL.into_iter().find(|&method| Value::from(method) == self)
    }
}

impl From<Method> for Value {
    fn from(method: Method) -> Value {
        match method {
            Method::Local => Local,
            Method::Ample => Ample,
            Method::Stubborn => Stubborn,
            Method::Deletion => Deletion,
            Method::Weak => WeakSets,
        }
    }
}

impl From<Hindrance> for Value {
    fn from(hindrance: Hindrance) -> Value {
        match hindrance {
            Hindrance::Priorities => Priorities,
            Hindrance::Last => Last,
            Hindrance::Unknown => NoIndependence,
        }
    }
}

/// What is asked, of what, and how it is answered: a set of values.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Setting(u64);

impl Setting {
    /// Nothing yet.
    pub const NOTHING: Setting = Setting(0);

    /// A set of values.
    pub const fn of(values: &[Value]) -> Setting {
        let (mut bits, mut at) = (0, 0);
        while at < values.len() {
            bits |= 1 << values[at] as u8;
            at += 1;
        }
        Setting(bits)
    }

    /// The same with a value.
    pub const fn with(self, value: Value) -> Setting {
        Setting(self.0 | 1 << value as u8)
    }

    /// The same with a value if something is so.
    pub fn with_if(self, value: Value, is_so: bool) -> Setting {
        if is_so { self.with(value) } else { self }
    }

    /// The same with the runs that count.
    pub fn with_fairness(self, fairness: Fairness) -> Setting {
        match fairness {
            Fairness::None => self,
            Fairness::Weak => self.with(Weak),
            Fairness::Strong => self.with(Strong),
        }
    }

    /// All values of both.
    pub const fn and(self, other: Setting) -> Setting {
        Setting(self.0 | other.0)
    }

    /// The values that are in both.
    pub const fn common(self, other: Setting) -> Setting {
        Setting(self.0 & other.0)
    }

    /// Those that are not in the other.
    pub const fn without(self, other: Setting) -> Setting {
        Setting(self.0 & !other.0)
    }

    /// Whether it has a value.
    pub const fn has(self, value: Value) -> bool {
        self.0 >> value as u8 & 1 == 1
    }

    /// Whether it has no value.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its values, in order.
    pub fn values(self) -> impl Iterator<Item = Value> {
        VALUES.into_iter().map(|(value, ..)| value).filter(move |&value| self.has(value))
    }

    /// Its value in a dimension, if there is one.
    pub fn get(self, dimension: Dimension) -> Option<Value> {
        self.values().find(|value| value.dimension() == dimension)
    }
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_at_their_numbers() {
        for (at, (value, ..)) in VALUES.into_iter().enumerate() {
            assert_eq!(value as usize, at, "{value:?}");
        }
    }

    #[test]
    fn settings_are_sets() {
        let setting = Setting::of(&[Linear, Weak, Ample]);
        assert_eq!(setting.values().collect::<Vec<_>>(), [Linear, Weak, Ample]);
        assert_eq!(setting.get(Dimension::Por), Some(Ample));
        assert_eq!(setting.get(Dimension::Compression), None);
        assert_eq!(setting.without(Setting::of(&[Weak])), Setting::of(&[Linear, Ample]));
    }
}
