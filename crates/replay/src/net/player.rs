//! A run of a net in progress, by the firing rule.

use model::{Action, Actor, Phase, Step, StepText, Value, Variable};
use petri::semantics::{fire, is_enabled};
use petri::{Net, TransitionId};

use crate::player::{Choices, Play, Told};
use crate::run::{Change, RunStep, Standing};

/// A marking in a run of a net.
#[derive(Clone)]
pub struct NetPlayer<'a> {
    net: &'a Net,
    marking: Vec<u64>,
}

impl<'a> NetPlayer<'a> {
    /// Starts with the initial marking.
    pub fn new(net: &'a Net) -> NetPlayer<'a> {
        NetPlayer { net, marking: net.initial() }
    }

    /// The present marking.
    pub fn marking(&self) -> &[u64] {
        &self.marking
    }

    /// Whether a transition can fire, without more tokens than can be counted; a step in which nothing happens is
    /// possible if none is enabled.
    pub fn can_happen(&self, step: &Step) -> bool {
        let transition = TransitionId(step.action.actor.transition);
        if step.is_stutter() {
            return !self
                .net
                .transition_ids()
                .any(|transition| is_enabled(self.net, transition, &self.marking));
        }
        (transition.0 as usize) < self.net.transitions().len()
            && is_enabled(self.net, transition, &self.marking)
            && fire(self.net, transition, &self.marking).is_some()
    }
}

impl Play for NetPlayer<'_> {
    fn choices(&self) -> Choices {
        let all = self.net.transition_ids().map(|transition| Action::solo(Actor(0), transition.0));
        let can_happen = |action: &Action| {
            self.can_happen(&Step { action: *action, observable: true, phase: Phase::Normal })
        };
        Choices { actions: all.filter(can_happen).collect(), phase: Phase::Normal, observable: true }
    }

    fn tell(&mut self, action: &Action, phase: Phase) -> Told {
        let step = Step { action: *action, observable: true, phase };
        let text = self.describe(&step);
        let after = fire(self.net, TransitionId(action.actor.transition), &self.marking)
            .expect("it is one of the choices");
        let tokens = self.marking.iter().zip(&after);
        let changed = self.net.places().iter().zip(tokens).filter(|(_, (before, after))| before != after);
        let changes = changed.map(|(place, (&before, &after))| Change {
            name: place.name.clone(),
            before: Some(number(before)),
            after: Some(number(after)),
        });
        let step = RunStep { step, text, from: 0, changes: changes.collect() };
        self.marking = after;
        Told { step, failures: Vec::new(), ended: false }
    }

    fn describe(&self, step: &Step) -> StepText {
        let transition = TransitionId(step.action.actor.transition);
        StepText { action: self.net.transition(transition).name.clone(), ..StepText::default() }
    }

    fn variables(&self) -> Vec<Variable> {
        let places = self.net.places().iter().zip(&self.marking);
        places.map(|(place, &tokens)| Variable { name: place.name.clone(), value: number(tokens) }).collect()
    }

    fn end(&self) -> &'static str {
        "no transition can fire"
    }

    fn standing(&self) -> Vec<Standing> {
        Vec::new()
    }
}

/// A number of tokens. One that is too large for a number of ours is told in words.
fn number(tokens: u64) -> Value {
    i64::try_from(tokens).map_or_else(|_| Value::Name(tokens.to_string()), Value::Int)
}
