//! A model as a system: it is explored as it is.

use std::sync::Arc;

use logic::ParseError;
use model::{
    Action, Actions, Change, Choices, End, Failure, Model, OutcomeKind, Phase, Play, PredicateId, RunStep,
    Step, StepText, Successors, Told, Variable,
};

use crate::options::Engine;
use crate::question::{Kind, Property, Question, Time};
use crate::soundness::{Setting, Value};
use crate::system::{Facts, Stage, StageNeed, System, Undecided};

/// A [`Model`] about which questions are asked: nothing is done to it before it is explored.
///
/// Each action of the model must lead to one state, in one step, unless it fails.
#[derive(Clone)]
pub struct Plain {
    model: Arc<dyn Model>,
    /// The names of the predicates, by number.
    names: Vec<String>,
    facts: Facts,
}

impl Plain {
    /// A system with so many transitions, whose predicates have these names: the first is predicate 0.
    pub fn new(model: impl Model + 'static, n_transitions: usize, names: &[&str]) -> Plain {
        let hindrance = model.hindrance().map(Value::from);
        // What the model may do is not known before it is done.
        let values = Setting::of(&[Value::MayFail]);
        let values = hindrance.map_or(values, |hindrance| values.with(hindrance));
        let mut initial = Vec::new();
        let has_ends = model.initial(&mut initial).is_ok() && model.unfinished(&initial).is_some();
        let facts = Facts { values, n_actions: n_transitions, has_ends, ..Facts::default() };
        Plain { model: Arc::new(model), names: names.iter().map(ToString::to_string).collect(), facts }
    }

    /// The predicate with a name.
    pub fn predicate(&self, name: &str) -> Option<PredicateId> {
        self.names.iter().position(|known| known == name).map(|number| PredicateId(number as u32))
    }

    /// A property that is a formula of CTL* over the names of the predicates, as in `AG (sent -> EF received)` or
    /// `G (sent -> F received)`.
    ///
    /// # Errors
    /// If the formula cannot be read, or there is no such predicate.
    pub fn property(&self, name: &str, formula: &str) -> Result<Property, ParseError> {
        let parsed = logic::parse_branching(formula)?.formula;
        let mut unknown = None;
        let parsed = parsed.map_atoms(&mut |atom| {
            self.predicate(atom).unwrap_or_else(|| {
                unknown.get_or_insert_with(|| atom.clone());
                PredicateId(0)
            })
        });
        if let Some(atom) = unknown {
            let start = formula.find(&atom).unwrap_or(0);
            let message = format!("there is no predicate `{atom}`");
            let help = Some(format!("there are: {}", self.names.join(", ")));
            return Err(ParseError { message, span: start..start + atom.len(), help });
        }
        Ok(Property {
            name: name.to_string(),
            kind: Kind::Formula,
            text: Some(formula.to_string()),
            question: Question::Formula(parsed, Time::Any),
        })
    }
}

impl std::fmt::Debug for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plain").field("names", &self.names).finish_non_exhaustive()
    }
}

impl System for Plain {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn may_fail(&self, _predicate: PredicateId) -> bool {
        true
    }

    fn engine(&self, _wanted: Engine, _memory: Option<u64>) -> Engine {
        Engine::Interpreter
    }

    fn stage(&self, _need: &StageNeed, _patience: &model::Patience) -> Result<Stage, Undecided> {
        let (model, cut) = (self.model.clone(), Arc::default());
        Ok(Stage { model, lifts: Vec::new(), is_compressed: false, cut })
    }

    fn play(&self) -> Result<Box<dyn Play + '_>, Failure> {
        let mut state = Vec::new();
        self.model.initial(&mut state)?;
        Ok(Box::new(Player { model: &*self.model, n_predicates: self.names.len() as u32, state }))
    }
}

/// A state in a run of a model.
#[derive(Clone)]
struct Player<'m> {
    model: &'m dyn Model,
    n_predicates: u32,
    state: Vec<u64>,
}

impl Play for Player<'_> {
    fn fork<'s>(&self) -> Box<dyn Play + 's>
    where
        Self: 's,
    {
        Box::new(self.clone())
    }

    fn choices(&self) -> Choices {
        let mut actions = Actions::default();
        self.model.enabled(&self.state, &mut actions);
        Choices { actions: actions.list, phase: actions.phase, observable: true }
    }

    fn tell(&mut self, action: &Action, phase: Phase) -> Told {
        let step = Step { action: *action, observable: true, phase };
        let text = self.describe(&step);
        let (mut reached, mut failures) = (None, Vec::new());
        let mut out = Successors::default();
        let actions = Actions { list: vec![*action], phase, ..Actions::default() };
        self.model.fire(&actions, &self.state, &mut out);
        for outcome in &out.outcomes {
            match &outcome.kind {
                OutcomeKind::State(words) => {
                    assert!(reached.is_none(), "`{}` leads to more than one state", text.action);
                    reached = Some(out.state(words).to_vec());
                }
                OutcomeKind::Failed(failure) => failures.push((**failure).clone()),
                OutcomeKind::Diverges(_) => panic!("`{}` takes more than one step", text.action),
            }
        }
        let before = self.variables();
        let ended = reached.is_none();
        self.state = reached.unwrap_or_else(|| std::mem::take(&mut self.state));
        let changes = Change::between(&before, &self.variables());
        Told { step: RunStep { step, text, from: 0, changes }, failures, ended }
    }

    fn describe(&self, step: &Step) -> StepText {
        self.model.describe(step, &self.state)
    }

    fn state(&self) -> &[u64] {
        &self.state
    }

    fn n_predicates(&self) -> u32 {
        self.n_predicates
    }

    fn predicate(&self, predicate: PredicateId) -> Result<i64, Failure> {
        self.model.predicate(predicate, &self.state)
    }

    fn variables(&self) -> Vec<Variable> {
        self.model.variables(&self.state)
    }

    fn end(&self) -> End {
        self.model.end(&self.state)
    }

    fn describe_end(&self) -> &'static str {
        match self.end() {
            End::Valid => "a valid end state",
            End::Invalid => "a deadlock",
        }
    }
}
