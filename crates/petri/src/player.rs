//! A run of a net in progress, by the firing rule alone.

use model::{
    Action, Actor, Change, Choices, End, Failure, FailureKind, Fairness, Location, Phase, Play, PredicateId,
    RunStep, Step, StepText, Told, Value, Variable,
};

use crate::net::{Fair, Net, PlaceId, TransitionId};
use crate::predicates::Predicate;
use crate::semantics::{fire_in, holds, is_enabled, value};

/// A marking in a run of a net.
#[derive(Clone)]
pub struct NetPlayer<'a> {
    net: &'a Net,
    predicates: &'a [Predicate],
    marking: Vec<u64>,
}

impl<'a> NetPlayer<'a> {
    /// Starts with the initial marking.
    ///
    /// # Errors
    /// Never: nothing fails in a net before something fires.
    pub fn start(net: &'a Net, predicates: &'a [Predicate]) -> Result<Box<dyn Play + 'a>, Failure> {
        Ok(Box::new(NetPlayer { net, predicates, marking: net.initial() }))
    }

    fn tokens(&self, place: PlaceId) -> u64 {
        self.marking[place.0 as usize]
    }

    /// Whether a transition can fire, without more tokens than can be counted.
    fn can_fire(&self, transition: TransitionId) -> bool {
        let gains = |&(place, weight): &(PlaceId, u64)| {
            let taken = self.net.pre(transition).iter().filter(|arc| arc.place == place);
            let rest = self.tokens(place) - taken.map(|arc| arc.weight).sum::<u64>();
            rest.checked_add(weight).is_some()
        };
        is_enabled(self.net, transition, &self.marking)
            && self.net.post(transition).iter().map(|arc| (arc.place, arc.weight)).all(|gain| gains(&gain))
    }

    fn choices_among(&self, transitions: impl Iterator<Item = TransitionId>) -> Choices {
        let possible = transitions.filter(|&transition| self.can_fire(transition));
        let actions = possible.map(|transition| Action::solo(Actor(0), transition.0)).collect();
        Choices { actions, phase: Phase::Normal, observable: true }
    }
}

impl Play for NetPlayer<'_> {
    fn fork<'s>(&self) -> Box<dyn Play + 's>
    where
        Self: 's,
    {
        Box::new(self.clone())
    }

    fn choices(&self) -> Choices {
        self.choices_among(self.net.transition_ids())
    }

    fn choices_of(&self, transition: u32) -> Choices {
        let is_there = (transition as usize) < self.net.transitions().len();
        self.choices_among(is_there.then_some(TransitionId(transition)).into_iter())
    }

    fn is_stuck(&self) -> bool {
        !self.net.transition_ids().any(|transition| is_enabled(self.net, transition, &self.marking))
    }

    fn tell(&mut self, action: &Action, phase: Phase) -> Told {
        let step = Step { action: *action, observable: true, phase };
        let text = self.describe(&step);
        let transition = TransitionId(action.actor.transition);
        let (pre, post) = (self.net.pre(transition), self.net.post(transition));
        let mut touched: Vec<PlaceId> = pre.iter().chain(post).map(|arc| arc.place).collect();
        touched.sort_unstable();
        touched.dedup();
        let before: Vec<Variable> = touched.iter().map(|&place| self.variable(place)).collect();
        fire_in(self.net, transition, &mut self.marking).expect("it is one of the choices");
        let after: Vec<Variable> = touched.iter().map(|&place| self.variable(place)).collect();
        let changes = Change::between(&before, &after);
        Told { step: RunStep { step, text, from: 0, changes }, failures: Vec::new(), ended: false }
    }

    fn describe(&self, step: &Step) -> StepText {
        let transition = TransitionId(step.action.actor.transition);
        StepText { action: self.net.transition(transition).name.clone(), ..StepText::default() }
    }

    fn state(&self) -> &[u64] {
        &self.marking
    }

    fn n_predicates(&self) -> u32 {
        self.predicates.len() as u32
    }

    fn predicate(&self, predicate: PredicateId) -> Result<i64, Failure> {
        let found = match &self.predicates[predicate.0 as usize] {
            Predicate::Formula(formula) => holds(self.net, formula, &self.marking).map(i64::from),
            Predicate::Value(sum) => value(sum, &self.marking).and_then(|value| i64::try_from(value).ok()),
            Predicate::Most => {
                let most = self.marking.iter().copied().max().unwrap_or(0);
                i64::try_from(most.max(self.net.initial().into_iter().max().unwrap_or(0))).ok()
            }
        };
        found.ok_or_else(|| Failure {
            kind: FailureKind::NumberTooLarge,
            location: Location::default(),
            detail: "the value of a sum does not fit into 64 bits".to_string(),
        })
    }

    fn variables(&self) -> Vec<Variable> {
        self.net.place_ids().map(|place| self.variable(place)).collect()
    }

    /// Where nothing can fire there is a deadlock.
    fn end(&self) -> End {
        End::Invalid
    }

    fn describe_end(&self) -> &'static str {
        "no transition can fire"
    }

    /// Nothing may be lost, and nothing may have grown that forbids one of the steps.
    fn repeats(&self, from: &[u64], steps: &[Step]) -> bool {
        let grows = |place: PlaceId| self.tokens(place) > from[place.0 as usize];
        let is_forbidden = |step: &Step| {
            let inhibitors = self.net.inhibitors(TransitionId(step.action.actor.transition));
            inhibitors.iter().any(|arc| grows(arc.place))
        };
        from.iter().zip(&self.marking).all(|(before, after)| before <= after)
            && !steps.iter().any(|step| step.is_stutter() || is_forbidden(step))
    }

    fn fair_transitions(&self) -> Vec<(u32, Fairness)> {
        let fairness = |transition: TransitionId| match self.net.transition(transition).fair {
            Fair::No => None,
            Fair::Weak => Some((transition.0, Fairness::Weak)),
            Fair::Strong => Some((transition.0, Fairness::Strong)),
        };
        self.net.transition_ids().filter_map(fairness).collect()
    }
}

impl NetPlayer<'_> {
    fn variable(&self, place: PlaceId) -> Variable {
        Variable { name: self.net.place(place).name.clone(), value: number(self.tokens(place)) }
    }
}

/// A number of tokens. One that is too large for a number of ours is told in words.
fn number(tokens: u64) -> Value {
    i64::try_from(tokens).map_or_else(|_| Value::Name(tokens.to_string()), Value::Int)
}
