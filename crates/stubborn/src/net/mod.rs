//! Petri nets.

mod ask;
pub mod contest;
mod evidence;
mod growth;

use std::sync::{Arc, Mutex, PoisonError};

use check::answer::Why;
use check::options::Engine;
use check::soundness::{Setting, Value};
use check::system::{Facts, Growth, Habits, Stage, StageNeed, Undecided};
use check::{Property, System};
use model::{Failure, Patience, Play, PredicateId};
use petri::NotModelled;
use petri::{
    Atom, Fair, Formula, NetModel, NetOptions, NetPlayer, Predicate, Predicates, Sum, lola, pnml, xml,
};

use crate::error::Error;
use crate::language::{Language, Source};
use crate::what::What;

/// A net with what is asked of it.
pub struct Net {
    path: String,
    language: Language,
    net: Arc<petri::Net>,
    predicates: Vec<Predicate>,
    facts: Facts,
    asked: Vec<Property>,
    /// What is explored: the model that has most room.
    staged: Mutex<Option<Staged>>,
}

/// A model, and how its states are cut.
#[derive(Clone)]
struct Staged {
    model: Arc<NetModel>,
    stage: Stage,
}

impl Staged {
    fn new(model: NetModel) -> Staged {
        let model = Arc::new(model);
        let stage =
            Stage { model: model.clone(), lifts: Vec::new(), is_compressed: false, cut: Arc::default() };
        Staged { model, stage }
    }
}

/// Reads a net without asking anything.
///
/// # Errors
/// If there are errors in it, or if it takes too long.
pub fn read(source: Source, patience: &Patience) -> Result<petri::Net, Error> {
    let Source { path, language, bytes } = source;
    let mut net = if language == Language::Pnml {
        let text = xml::decode(&path, &bytes)?;
        pnml::read(&text, patience)?.map_err(|error| Error::in_text(&path, &text, *error))?
    } else {
        let text = source::decode(&path, bytes)?;
        lola::read_net(&text, patience)?.map_err(|error| Error::in_text(&path, &text, *error))?
    };
    if net.name.is_empty() {
        let stem = std::path::Path::new(&path).file_stem();
        net.name = stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    }
    Ok(net)
}

impl Net {
    /// Reads a net, and what is asked of it.
    ///
    /// # Errors
    /// If there are errors in it or in the questions, or if it takes too long.
    pub fn open(source: Source, what: &What, patience: &Patience) -> Result<Net, Error> {
        let (path, language) = (source.path.clone(), source.language);
        let net = read(source, patience)?;
        let mut predicates = Predicates::default();
        let asked = ask::asked(what, &net, &mut predicates, patience)?;
        Ok(Net::new(path, language, net, predicates, asked))
    }

    fn new(
        path: String,
        language: Language,
        net: petri::Net,
        mut predicates: Predicates,
        asked: Vec<Property>,
    ) -> Net {
        let facts = Facts {
            values: Setting::of(&[Value::Towards, Value::Promises]),
            deadlock: Some(predicates.number(Predicate::Formula(Formula::Atom(Atom::Deadlock)))),
            size: Some(predicates.number(Predicate::Value(Sum::of_all(&net)))),
            n_actions: net.transitions().len(),
            compressed: None,
            has_ends: false,
            has_fair_actions: net.transitions().iter().any(|transition| transition.fair != Fair::No),
            habits: Habits {
                tries_reduction: false,
                shares_exploration: false,
                shortens: false,
                probes: false,
                passes_over: true,
            },
        };
        let predicates = predicates.list().to_vec();
        Net { path, language, net: Arc::new(net), predicates, facts, asked, staged: Mutex::default() }
    }

    /// Its name, as the user gave it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Its language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// What is asked.
    pub fn asked(&self) -> &[Property] {
        &self.asked
    }

    fn staged(&self) -> std::sync::MutexGuard<'_, Option<Staged>> {
        self.staged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn modelled(&self, patience: &Patience) -> Result<Staged, Undecided> {
        let model = NetModel::new(self.net.clone(), self.predicates.clone(), NetOptions::default(), patience);
        model.map(Staged::new).map_err(undecided)
    }
}

impl std::fmt::Debug for Net {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Net").field("path", &self.path).field("asked", &self.asked).finish_non_exhaustive()
    }
}

fn undecided(error: NotModelled) -> Undecided {
    match error {
        NotModelled::TooManyTokens(tokens) => {
            Undecided { why: Why::Tokens, detail: Some(tokens.to_string()) }
        }
        NotModelled::Over(over) => Undecided::from(over),
    }
}

impl System for Net {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn engine(&self, _wanted: Engine, _memory: Option<u64>) -> Engine {
        Engine::Net
    }

    /// The same model serves all questions, until some place of it has had too little room.
    fn stage(&self, _need: &StageNeed, patience: &Patience) -> Result<Stage, Undecided> {
        let mut staged = self.staged();
        let known = staged.take().filter(|known| known.model.overflowed().is_empty());
        let known = known.map_or_else(|| self.modelled(patience), Ok)?;
        Ok(staged.insert(known).stage.clone())
    }

    fn wider(&self, stage: &Stage, patience: &Patience) -> Result<Option<Stage>, Undecided> {
        let mut staged = self.staged();
        let Some(known) = staged.as_ref().filter(|known| is_of(stage, known)) else { return Ok(None) };
        if known.model.overflowed().is_empty() {
            return Ok(None);
        }
        let wider = Staged::new(known.model.widened(patience).map_err(undecided)?);
        Ok(Some(staged.insert(wider).stage.clone()))
    }

    fn at_most(&self, stage: &Stage, predicate: PredicateId) -> Option<i64> {
        self.staged().as_ref().filter(|known| is_of(stage, known))?.model.at_most(predicate)
    }

    fn growth(&self, predicate: PredicateId, effort: u64, patience: &Patience) -> Option<Growth> {
        let Predicate::Value(sum) = &self.predicates[predicate.0 as usize] else { return None };
        let mut staged = self.staged();
        if staged.is_none() {
            *staged = self.modelled(patience).ok();
        }
        if staged.as_ref().is_some_and(|known| known.model.at_most(predicate).is_some()) {
            return None;
        }
        drop(staged);
        growth::find(&self.net, sum, effort, patience)
    }

    fn play(&self) -> Result<Box<dyn Play + '_>, Failure> {
        NetPlayer::start(&self.net, &self.predicates)
    }
}

/// Whether a stage is of a model.
fn is_of(stage: &Stage, known: &Staged) -> bool {
    Arc::ptr_eq(&stage.cut, &known.stage.cut)
}
