//! Nets as models: markings packed into words, enabledness kept up to date from state to state.
//!
//! The meaning is that of [`crate::semantics`], with which the tests compare every state.
//!
//! A place has as many bits as are proven to be enough (`bounds`), promised by the net, or guessed ([`NetModel`] has the
//! rules). So most states are small, firing checks nothing where a bound is proven, and no number of tokens is ever
//! wrong: a guess that is too small makes firing give up, and the search is repeated on a wider model. A net with more
//! than 2^32 tokens on a place gets the answer `unknown`.

mod bounds;
mod distance;
mod enabled;
mod firing;
mod independence;
mod layout;
mod predicate;
mod structure;
#[cfg(test)]
mod tests;
mod towards;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use model::{
    Action, Actions, Actor, End, Failure, FailureKind, Hindrance, Independence, Location, Model,
    NoIndependence, Outcome, OutcomeKind, Over, Pace, Patience, Phase, PredicateId, Step, StepText,
    Successors, Value, Variable,
};

use crate::formula::Sum;
use crate::net::{Net, PlaceId, TransitionId};
use crate::predicates::Predicate;
use bounds::{Bounds, Capacity};
use firing::Firing;
use independence::View;
use layout::{Layout, n_bits};
use predicate::Compiled;
use structure::Structure;

/// How a net becomes a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetOptions {
    /// The most tokens that a place may hold; with more, the net counts as unbounded. At most 2^40.
    pub token_limit: u64,
}

impl Default for NetOptions {
    fn default() -> NetOptions {
        NetOptions { token_limit: 1 << 32 }
    }
}

/// Numbers up to this one can be counted on, with some room left in 64 bits.
const MOST_TOKENS: u64 = 1 << 40;

/// A place of which nothing is known starts with room for so many tokens.
const FIRST_GUESS: u64 = 15;

/// A place can hold more tokens than [`NetOptions::token_limit`]. The net may be unbounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooManyTokens {
    /// The place.
    pub place: PlaceId,
    /// Its name.
    pub name: String,
    /// The limit.
    pub limit: u64,
}

impl fmt::Display for TooManyTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} tokens on `{}`: the net may be unbounded", self.limit, self.name)
    }
}

impl std::error::Error for TooManyTokens {}

/// Why a net has no model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotModelled {
    /// It may be unbounded.
    TooManyTokens(TooManyTokens),
    /// It takes longer than there is patience.
    Over(Over),
}

impl From<Over> for NotModelled {
    fn from(over: Over) -> NotModelled {
        NotModelled::Over(over)
    }
}

impl fmt::Display for NotModelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotModelled::TooManyTokens(tokens) => tokens.fmt(f),
            NotModelled::Over(over) => over.fmt(f),
        }
    }
}

impl std::error::Error for NotModelled {}

/// What has become of a place whose capacity is a guess: nothing worth mentioning …
const ROOMY: u8 = 0;
/// … or it was more than half full …
const CROWDED: u8 = 1;
/// … or it has got more tokens than fit.
const OVERFLOWED: u8 = 2;

/// A place/transition net as a model.
///
/// A state has a field of bits for each place, as wide as is proven, promised or guessed to be enough:
///
/// - What is proven is not checked. A place that never changes has no field.
/// - A promise of the net ([`crate::Place::bound`], safe units) is checked in every firing. To break it is a
///   failure ([`FailureKind::BrokenBound`]). That at most one place of a unit is marked is not used, and not
///   checked.
/// - A guess may be too small. Firing then gives up ([`Successors::abandoned`]), [`NetModel::overflowed`] has
///   the place, and the search starts again with [`NetModel::widened`].
///
/// Every state in which nothing is enabled is an invalid end: nets have no other.
///
/// ```
/// use std::sync::Arc;
/// use model::{Actions, Model, Patience};
/// use petri::{NetModel, NetOptions, example::example};
///
/// let net = Arc::new(example("ph", &[5])?);
/// let model = NetModel::new(net, Vec::new(), NetOptions::default(), &Patience::default()).unwrap();
/// let (mut state, mut actions) = (Vec::new(), Actions::default());
/// model.initial(&mut state).unwrap();
/// model.enabled(&state, &mut actions);
/// assert_eq!((state.len(), actions.list.len()), (2, 5));
/// # Ok::<(), Box<source::Diagnostic>>(())
/// ```
pub struct NetModel {
    net: Arc<Net>,
    predicates: Arc<[Predicate]>,
    structure: Arc<Structure>,
    /// All places; those that change together are neighbours.
    order: Arc<[PlaceId]>,
    token_limit: u64,
    capacities: Vec<Capacity>,
    layout: Layout,
    firing: Firing,
    compiled: Vec<Compiled>,
    /// The initial marking; meaningless if it breaks a promise.
    initial: Vec<u64>,
    /// If no more bits than these have changed, it takes less time to look at what they concern than at
    /// everything.
    n_near: usize,
    /// For each place, what has become of its capacity.
    fates: Box<[AtomicU8]>,
    /// No other model has it.
    number: u64,
}

/// What models of a net have in common that differ in the room for tokens.
struct Parts {
    net: Arc<Net>,
    predicates: Arc<[Predicate]>,
    structure: Arc<Structure>,
    order: Arc<[PlaceId]>,
    token_limit: u64,
}

impl NetModel {
    /// The model of a net, in which the predicates have the numbers of their positions.
    ///
    /// # Errors
    /// If there are too many tokens at first, or if it takes longer than there is patience.
    ///
    /// # Panics
    /// If a formula has path operators.
    pub fn new(
        net: Arc<Net>,
        predicates: Vec<Predicate>,
        options: NetOptions,
        patience: &Patience,
    ) -> Result<NetModel, NotModelled> {
        patience.check()?;
        let pace = &mut patience.pace();
        let token_limit = options.token_limit.min(MOST_TOKENS);
        if let Some(place) = net.place_ids().find(|&place| net.place(place).initial > token_limit) {
            return Err(too_many_tokens(&net, place, token_limit));
        }
        let structure = Arc::new(Structure::new(&net, pace)?);
        let Bounds { proven, order } = Bounds::new(&net, &structure, pace)?;
        let capacity = |place: PlaceId| {
            let initial = net.place(place).initial;
            let proven = proven[place.0 as usize];
            let best = proven.into_iter().chain(promise(&net, place)).min();
            match best {
                _ if proven == Some(0) || structure.transitions.get(place.0).is_empty() => Capacity::Constant,
                Some(bound) if bound > token_limit => guess(initial, token_limit),
                Some(bound) if proven == best => Capacity::Proven(bound),
                Some(bound) => Capacity::Promised(bound),
                None => guess(initial, token_limit),
            }
        };
        let capacities = net.place_ids().map(capacity).collect();
        let parts = Parts { net, predicates: predicates.into(), structure, order: order.into(), token_limit };
        Ok(NetModel::with(parts, capacities, pace)?)
    }

    fn with(parts: Parts, capacities: Vec<Capacity>, pace: &mut Pace<'_>) -> Result<NetModel, Over> {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let Parts { net, predicates, structure, order, token_limit } = parts;
        let layout = Layout::new(&capacities, &order);
        let firing = Firing::new(&net, &structure, &capacities, &layout, pace)?;
        let compile = |predicate| Compiled::new(predicate, &net, &capacities, &layout, pace);
        let compiled = predicates.iter().map(compile).collect::<Result<_, _>>()?;
        let mut initial = vec![0; layout.n_words];
        for place in net.place_ids() {
            if let Some(field) = layout.fields[place.0 as usize] {
                initial[field.word as usize] |= field.at_place(net.place(place).initial & field.mask);
            }
        }
        let fates = net.place_ids().map(|_| AtomicU8::new(ROOMY)).collect();
        let takers_per_place = structure.takers.items().len() / net.places().len().max(1);
        let n_near = net.transitions().len() / (takers_per_place + 1);
        // Relaxed: nothing but the number matters.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Ok(NetModel {
            net,
            predicates,
            structure,
            order,
            token_limit,
            capacities,
            layout,
            firing,
            compiled,
            initial,
            n_near,
            fates,
            number,
        })
    }

    /// The net.
    pub fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// The predicates.
    pub fn predicates(&self) -> &[Predicate] {
        &self.predicates
    }

    /// The number of tokens on a place.
    pub fn tokens(&self, place: PlaceId, state: &[u64]) -> u64 {
        self.layout.fields[place.0 as usize]
            .map_or_else(|| self.net.place(place).initial, |field| field.read(state))
    }

    /// The number of tokens on each place.
    pub fn marking(&self, state: &[u64]) -> Vec<u64> {
        self.net.place_ids().map(|place| self.tokens(place, state)).collect()
    }

    /// A number that a predicate never exceeds, by what is proven about places. A promise proves nothing, and
    /// a number that does not fit is none.
    pub fn at_most(&self, predicate: PredicateId) -> Option<i64> {
        let proven = |place: PlaceId| {
            self.capacities[place.0 as usize].proven(self.net.place(place).initial).map(i128::from)
        };
        let most = match &self.predicates[predicate.0 as usize] {
            Predicate::Formula(_) => 1,
            Predicate::Value(Sum { terms, constant }) => {
                let adding = terms.iter().filter(|(_, factor)| *factor > 0);
                let most = adding.map(|&(place, factor)| Some(i128::from(factor) * proven(place)?));
                i128::from(*constant) + most.sum::<Option<i128>>()?
            }
            Predicate::Most => {
                self.net.place_ids().map(proven).try_fold(0, |most, bound| Some(bound?.max(most)))?
            }
        };
        i64::try_from(most).ok()
    }

    /// The places that have got more tokens than they have room for, in any search with this model. If a
    /// search was abandoned and there are some, a wider model is needed.
    pub fn overflowed(&self) -> Vec<PlaceId> {
        self.net.place_ids().filter(|&place| self.fate(place) == OVERFLOWED).collect()
    }

    /// A model with more room for the places that have overflowed, or were about to.
    ///
    /// # Errors
    /// If one of them has all the room that it may have, or if it takes longer than there is patience.
    pub fn widened(&self, patience: &Patience) -> Result<NetModel, NotModelled> {
        patience.check()?;
        let mut capacities = self.capacities.clone();
        for place in self.net.place_ids() {
            let Capacity::Guessed(most) = &mut capacities[place.0 as usize] else { continue };
            let fate = self.fate(place);
            if fate == OVERFLOWED && *most == self.token_limit {
                return Err(too_many_tokens(&self.net, place, self.token_limit));
            }
            if fate != ROOMY {
                *most = (*most + 1).saturating_mul(*most + 1).saturating_sub(1).min(self.token_limit);
            }
        }
        let parts = Parts {
            net: self.net.clone(),
            predicates: self.predicates.clone(),
            structure: self.structure.clone(),
            order: self.order.clone(),
            token_limit: self.token_limit,
        };
        Ok(NetModel::with(parts, capacities, &mut patience.pace())?)
    }

    fn fate(&self, place: PlaceId) -> u8 {
        // Relaxed: it is asked for when the search is over, and no other memory depends on it.
        self.fates[place.0 as usize].load(Ordering::Relaxed)
    }

    fn note_fate(&self, place: PlaceId, fate: u8) {
        // Most of the time it is noted already, and whoever only looks is in nobody's way.
        if self.fate(place) < fate {
            self.fates[place.0 as usize].fetch_max(fate, Ordering::Relaxed);
        }
    }

    /// Whether a place holds more tokens than the net promises.
    fn broken_bound(&self, place: PlaceId, tokens: u128) -> Option<Failure> {
        let bound = promise(&self.net, place)?;
        let name = &self.net.place(place).name;
        (tokens > bound.into()).then(|| Failure {
            kind: FailureKind::BrokenBound,
            location: Location::default(),
            detail: format!("{tokens} tokens on `{name}`, of which the net promises at most {bound}"),
        })
    }

    /// Fires an enabled transition, as an action with some index. Says false if it gives up.
    fn fire_one(&self, index: u32, transition: u32, state: &[u64], out: &mut Successors) -> bool {
        let is_over = |out: &Successors| {
            let is_due = index % FIRINGS == FIRINGS - 1
                || out.words.len() / WORDS != out.words.len().saturating_sub(state.len()) / WORDS;
            is_due && out.patience.as_ref().is_some_and(|patience| patience.check().is_err())
        };
        if out.is_too_full_with(state.len()) || is_over(out) {
            out.abandoned = true;
            return false;
        }
        let start = out.words.len() as u32;
        let crowd = |place| self.note_fate(place, CROWDED);
        let kind = if self.firing.fire(transition, state, &mut out.words, crowd) {
            OutcomeKind::State(start..out.words.len() as u32)
        } else if let Some(failure) = self.find_excess(transition, state) {
            OutcomeKind::Failed(Box::new(failure))
        } else {
            out.abandoned = true;
            return false;
        };
        let action = Action::solo(Actor(0), transition);
        out.note_executed(&action);
        let first_step = out.steps.len() as u32;
        if out.record {
            out.steps.push(Step { action, observable: true, phase: Phase::Normal });
        }
        out.outcomes.push(Outcome { action: index, kind, steps: first_step..out.steps.len() as u32 });
        true
    }

    /// Why an enabled transition cannot fire: it breaks a promise, or places overflow, which are noted.
    fn find_excess(&self, transition: u32, state: &[u64]) -> Option<Failure> {
        for one in self.structure.places.get(transition).iter().filter(|one| one.gain() > 0) {
            let place = PlaceId(one.at);
            let tokens = u128::from(self.tokens(place, state)) + u128::from(one.gain());
            if let Some(failure) = self.broken_bound(place, tokens) {
                return Some(failure);
            }
            if matches!(self.capacities[one.at as usize], Capacity::Guessed(most) if tokens > most.into()) {
                self.note_fate(place, OVERFLOWED);
            }
        }
        None
    }
}

fn too_many_tokens(net: &Net, place: PlaceId, limit: u64) -> NotModelled {
    NotModelled::TooManyTokens(TooManyTokens { place, name: net.place(place).name.clone(), limit })
}

/// How many tokens a place holds at most, if the net says so.
fn promise(net: &Net, place: PlaceId) -> Option<u64> {
    let is_safe = net.units.as_ref().is_some_and(|units| units.safe);
    net.place(place).bound.into_iter().chain(is_safe.then_some(1)).min()
}

/// A capacity that is hoped to be enough.
fn guess(initial: u64, token_limit: u64) -> Capacity {
    let twice = (2 << n_bits(initial)) - 1;
    Capacity::Guessed(token_limit.min(FIRST_GUESS.max(twice)))
}

/// Whether the time is up is asked once in so many firings …
const FIRINGS: u32 = 1024;
/// … and once in so many words of new states.
const WORDS: usize = 1 << 17;

impl Model for NetModel {
    fn initial(&self, out: &mut Vec<u64>) -> Result<(), Failure> {
        let broken = |place| self.broken_bound(place, self.net.place(place).initial.into());
        if let Some(failure) = self.net.place_ids().find_map(broken) {
            return Err(failure);
        }
        out.extend_from_slice(&self.initial);
        Ok(())
    }

    fn enabled(&self, state: &[u64], out: &mut Actions) {
        out.clear();
        self.update(state, &mut out.recall);
        out.list
            .extend(out.recall.enabled.iter().map(|transition| Action::solo(Actor(0), transition as u32)));
    }

    fn fire(&self, chosen: &Actions, state: &[u64], out: &mut Successors) {
        for (index, action) in (0..).zip(&chosen.list) {
            if !self.fire_one(index, action.actor.transition, state, out) {
                return;
            }
        }
    }

    fn expand(&self, state: &[u64], actions: &mut Actions, out: &mut Successors) -> bool {
        self.update(state, &mut actions.recall);
        let mut n_fired = 0;
        for transition in actions.recall.enabled.iter() {
            if !self.fire_one(n_fired, transition as u32, state, out) {
                return true;
            }
            n_fired += 1;
        }
        n_fired > 0
    }

    fn predicate(&self, predicate: PredicateId, state: &[u64]) -> Result<i64, Failure> {
        self.compiled[predicate.0 as usize].evaluate(self, state)
    }

    fn distance(&self, predicate: PredicateId, state: &[u64]) -> u64 {
        self.compiled[predicate.0 as usize].distance(self, state)
    }

    fn end(&self, _: &[u64]) -> End {
        End::Invalid
    }

    fn describe(&self, step: &Step, _: &[u64]) -> StepText {
        let transition = TransitionId(step.action.actor.transition);
        StepText { action: self.net.transition(transition).name.clone(), ..StepText::default() }
    }

    fn hindrance(&self) -> Option<Hindrance> {
        None
    }

    fn independence(
        &self,
        watched: &[PredicateId],
        _: &Patience,
    ) -> Result<Box<dyn Independence + '_>, NoIndependence> {
        Ok(Box::new(View::new(self, watched)))
    }

    fn variables(&self, state: &[u64]) -> Vec<Variable> {
        let variable = |place| Variable {
            name: self.net.place(place).name.clone(),
            value: Value::Int(self.tokens(place, state) as i64),
        };
        self.net.place_ids().map(variable).collect()
    }
}
