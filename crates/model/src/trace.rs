use crate::{Action, NO_PARTNER, Phase};

/// One step of a trace: a single statement, or the two halves of a rendezvous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Who does what.
    pub action: Action,
    /// False for a step inside an atomic chain: nobody else sees the state behind it.
    pub observable: bool,
    /// The phase in which the step is possible.
    pub phase: Phase,
}

impl Step {
    /// A step in which nothing happens: the run has ended, and its last state is repeated for ever.
    /// It is nobody's.
    pub const STUTTER: Step = Step {
        action: Action { actor: NO_PARTNER, partner: NO_PARTNER },
        observable: true,
        phase: Phase::Normal,
    };

    /// Whether nothing happens.
    pub fn is_stutter(&self) -> bool {
        self.action.actor == NO_PARTNER
    }
}

/// The infinite part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lasso {
    /// Index of the first step of the loop.
    pub start: usize,
}

/// A run of the model: from the initial state, step by step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The steps.
    pub steps: Vec<Step>,
    /// The loop, if the run is infinite.
    pub lasso: Option<Lasso>,
}

impl Trace {
    /// The number of observable steps: the length that users count and that breadth-first search
    /// minimises.
    pub fn depth(&self) -> usize {
        self.steps.iter().filter(|step| step.observable).count()
    }
}
