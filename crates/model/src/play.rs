use crate::{
    Action, Actor, End, Failure, Fairness, Phase, PredicateId, RunStep, Standing, Step, StepText, Variable,
};

/// A run in progress of what somebody wrote, by its definition: no search, no store, no reduction, no compiled code.
pub trait Play {
    /// The same run, to go on with in another way.
    fn fork<'s>(&self) -> Box<dyn Play + 's>
    where
        Self: 's;

    /// What can happen here.
    fn choices(&self) -> Choices;

    /// What can happen here by one transition of the actor.
    fn choices_of(&self, transition: u32) -> Choices {
        let mut choices = self.choices();
        choices.actions.retain(|action| action.actor.transition == transition);
        choices
    }

    /// Whether nothing can happen here.
    fn is_stuck(&self) -> bool {
        self.choices().actions.is_empty()
    }

    /// Takes a step that is one of the choices, and tells what happens.
    fn tell(&mut self, action: &Action, phase: Phase) -> Told;

    /// A step that can be taken here, in words.
    fn describe(&self, step: &Step) -> StepText;

    /// The words of the present state.
    fn state(&self) -> &[u64];

    /// Who holds atomicity, if somebody does. It is a part of what the run can do, and not of the state.
    fn holder(&self) -> Option<Actor> {
        None
    }

    /// The number of predicates.
    fn n_predicates(&self) -> u32;

    /// The value of a predicate here.
    ///
    /// # Errors
    /// The failure that evaluating it runs into.
    fn predicate(&self, predicate: PredicateId) -> Result<i64, Failure>;

    /// The values here, in the order of declaration.
    fn variables(&self) -> Vec<Variable>;

    /// How the run stands, if nothing can happen.
    fn end(&self) -> End;

    /// The same in words.
    fn describe_end(&self) -> &'static str;

    /// Where the processes stand.
    fn standing(&self) -> Vec<Standing> {
        Vec::new()
    }

    /// Whether steps that have led from a state to the present one can be taken again, and again, for ever, although it is
    /// another state.
    fn repeats(&self, _from: &[u64], _steps: &[Step]) -> bool {
        false
    }

    /// The transitions to which the system itself demands that infinite runs be fair, and how.
    fn fair_transitions(&self) -> Vec<(u32, Fairness)> {
        Vec::new()
    }
}

/// The steps that are possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The steps, in the model's order.
    pub actions: Vec<Action>,
    /// The phase in which they are possible.
    pub phase: Phase,
    /// False if they continue an atomic chain, in the middle of which nobody else can move.
    pub observable: bool,
}

/// A step that was taken, told for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The step.
    pub step: RunStep,
    /// What failed in it.
    pub failures: Vec<Failure>,
    /// True if the run ends with the last failure; the player then stays where it is.
    pub ended: bool,
}
