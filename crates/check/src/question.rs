//! Questions about systems. Every front end makes these, and nothing else is asked.

use logic::{Automaton, Formula, Ltl, UnaryOp};
use model::{Fairness, PredicateId};
use replay::{Evidence, Language};
use search::{Checks, Reason};

/// A question with what a report says about it.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name in results.
    pub name: String,
    /// What kind of property it is called.
    pub kind: Kind,
    /// The formula, as text.
    pub text: Option<String>,
    /// What is asked.
    pub question: Question,
}

impl Property {
    /// A property that is called as its kind is.
    pub fn of_kind(kind: Kind, question: Question) -> Property {
        Property { name: kind.name().to_string(), kind, text: None, question }
    }
}

/// What a property is called in results. It decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Assertions and valid end states.
    Safety,
    /// Deadlocks alone.
    Deadlock,
    /// Processes that are stuck while others go on.
    LocalDeadlock,
    /// The number of states.
    StateSpace,
    /// A never claim of the model.
    Never,
    /// An automaton from elsewhere.
    Automaton,
    /// A formula of linear time.
    Ltl,
    /// Accept labels.
    Acceptance,
    /// Progress labels.
    NonProgress,
    /// A predicate that is to be reached.
    Reach,
    /// A predicate that always holds.
    Invariant,
    /// A formula of branching time.
    Ctl,
    /// A predicate that can always be reached again.
    Home,
    /// Actions that can always occur again.
    Live,
    /// An upper bound.
    Bound,
    /// A formula from a file.
    Formula,
    /// A question of the Model Checking Contest about all places or all transitions.
    Global,
}

impl Kind {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Safety => "safety",
            Kind::Deadlock => "deadlock",
            Kind::LocalDeadlock => "local-deadlock",
            Kind::StateSpace => "state-space",
            Kind::Never => "never",
            Kind::Automaton => "automaton",
            Kind::Ltl => "ltl",
            Kind::Acceptance => "acceptance",
            Kind::NonProgress => "non-progress",
            Kind::Reach => "reach",
            Kind::Invariant => "invariant",
            Kind::Ctl => "ctl",
            Kind::Home => "home",
            Kind::Live => "live",
            Kind::Bound => "bound",
            Kind::Formula => "formula",
            Kind::Global => "global",
        }
    }
}

/// A question about a system.
#[derive(Clone, Debug)]
pub enum Question {
    /// Does every step do what it should, and every finite run end as it should?
    Safety(Checks),
    /// Is there no state in which nothing can happen, though it should?
    Deadlock,
    /// Is there no state from which an actor can never move again, though it has not ended and others go on for ever?
    LocalDeadlock,
    /// How many states are there, and how great do these predicates become?
    StateSpace(Vec<PredicateId>),
    /// Does a formula of CTL* hold in the initial state? Without a path quantifier at the top it is asked of all runs.
    Formula(Formula<PredicateId>, Time),
    /// Is there no run of a certain kind?
    Forbidden(Forbidden),
    /// How great does a predicate become?
    Greatest(PredicateId),
    /// How many of some predicates can be reached?
    Each(Vec<PredicateId>, Share),
    /// Can every action occur?
    Live(Recurrence),
}

/// How a formula is to be understood, if there is a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// As the narrowest kind of question that it can be.
    Any,
    /// As one of linear time: a run that ends repeats its last state.
    Linear,
    /// As one of branching time.
    Branching,
}

/// How many of some predicates can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// None of them.
    None,
    /// At least one of them cannot.
    NotAll,
}

/// How often every action can occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recurrence {
    /// Once at least (quasi-liveness). The predicates say whether the actions are enabled.
    Once(Vec<PredicateId>),
    /// Always again, later (liveness): every action, or of each of these lists of transitions at least one.
    Again(Option<Vec<Vec<u32>>>),
}

/// Runs that must not be.
#[derive(Clone, Debug)]
pub struct Forbidden {
    /// Which runs.
    pub runs: Language,
    /// The predicates that are the atoms.
    pub atoms: Vec<PredicateId>,
    /// The state of the automaton that is a violation as soon as it is reached: the end of a never claim.
    pub fails_at: Option<u32>,
    /// Whether a run that has ended goes on by repeating its last state.
    pub stutters: bool,
    /// What such a run is called.
    pub reason: Reason,
}

impl Forbidden {
    /// The runs that violate a formula.
    pub fn violating(formula: Ltl<u32>, atoms: Vec<PredicateId>) -> Forbidden {
        let runs = Language::Violating(formula);
        Forbidden { runs, atoms, fails_at: None, stutters: true, reason: Reason::AcceptanceCycle }
    }

    /// The runs that an automaton accepts.
    pub fn accepted(automaton: Automaton, atoms: Vec<PredicateId>, fails_at: Option<u32>) -> Forbidden {
        let runs = Language::Accepted(automaton);
        Forbidden { runs, atoms, fails_at, stutters: true, reason: Reason::AcceptanceCycle }
    }

    /// The runs in which some process is at an accept label infinitely often, also because it has ended there.
    pub fn acceptance(accept: PredicateId) -> Forbidden {
        let never_again = Ltl::unary(UnaryOp::Always, Ltl::Atom(0).negated());
        Forbidden::violating(Ltl::unary(UnaryOp::Eventually, never_again), vec![accept])
    }

    /// The runs that go on for ever and make progress finitely often.
    pub fn non_progress(non_progress: PredicateId) -> Forbidden {
        let progress = Ltl::unary(UnaryOp::Eventually, Ltl::Atom(0).negated());
        let always = Ltl::unary(UnaryOp::Always, progress);
        let reason = Reason::NonProgressCycle;
        Forbidden { stutters: false, reason, ..Forbidden::violating(always, vec![non_progress]) }
    }

    /// What an infinite run of this kind shows.
    pub fn evidence(&self, fairness: Fairness) -> Evidence {
        let (language, atoms) = (self.runs.clone(), self.atoms.clone());
        Evidence::Infinite { language, atoms, stutters: self.stutters, fairness }
    }
}
