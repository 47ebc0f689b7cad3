//! A graph of states that is expanded on demand.
//!
//! What may be left out depends on what is looked for. So there may be several graphs on the same states, one for each
//! [`Purpose`]. They share the store, and the states in which nothing is left out: nobody needs more.

use model::{Action, Actor, Failure, Lasso, Model, PredicateId, Step, Trace};
use por::{Method, Reduction};
use rustc_hash::FxHashMap;
use store::{Arrival, Handle, Shared};

use super::Halt;
use super::relation::Relation;
use crate::kernel::choice::{Choice, Chooser};
use crate::kernel::generator::Generator;
use crate::kernel::trace::{self, Event};
use crate::kernel::{self, Expander, INITIAL, Kernel};
use crate::{Evidence, Options, Preserves, Reason, Statistics, StopReason, Verdict, Violation, visited};

/// Where the states of a [`Graph`] are kept.
pub struct Space<'a> {
    model: &'a dyn Model,
    options: Options,
    plan: Option<Reduction>,
    set: Box<dyn Shared>,
}

impl<'a> Space<'a> {
    /// A place for the states of a model. Of the options the limits count, except that of the depth, and a
    /// reduction that keeps what branching time sees. Its method is used for other ends, too, where less has to be
    /// kept.
    pub fn new(model: &'a dyn Model, options: &Options) -> Space<'a> {
        let plan = options.reduction.clone().filter(|plan| plan.preserves == Preserves::Branching);
        let options = Options { reduction: None, ..options.clone() };
        let set = visited::numbered(model, &options);
        Space { model, options, plan, set }
    }

    /// The graph, with the initial state.
    ///
    /// # Errors
    /// If that cannot be computed or stored.
    pub fn graph(&mut self) -> Result<Graph<'_>, Halt> {
        self.options.progress.reset();
        match kernel::start(self.model, &self.options, &*self.set, &[]) {
            Ok(kernel) => {
                let everything = Relation::new(Purpose::Everything, None);
                Ok(Graph {
                    kernel,
                    options: &self.options,
                    plan: self.plan.as_ref(),
                    relations: vec![everything],
                    followed: Vec::new(),
                    recorder: None,
                })
            }
            Err(findings) => Err(match findings.verdict {
                Verdict::Violated(violation) => Halt::Wrong(Box::new(violation)),
                Verdict::Unknown(stop) => Halt::Stop(stop),
                Verdict::Holds => unreachable!("nothing was asked"),
            }),
        }
    }
}

/// What a state's successors are needed for: the others may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// All of them are needed.
    Everything,
    /// Formulas of branching time without X.
    Branching,
    /// Terminal components, with [`Graph::widen`].
    Terminal,
    /// To find a state in which a predicate holds, if it does not, or fails, if it holds.
    Goal(PredicateId),
}

/// The graph for a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View(usize);

impl View {
    /// The one in which nothing is left out.
    pub const EVERYTHING: View = View(0);

    /// Whether something may be left out.
    pub fn is_reduced(self) -> bool {
        self != View::EVERYTHING
    }
}

/// Where the successors of a state are kept, if it is expanded.
fn source<'r, 'a>(relations: &'r [Relation<'a>], view: View, state: u32) -> Option<&'r Relation<'a>> {
    let (own, everything) = (&relations[view.0], &relations[View::EVERYTHING.0]);
    if own.is_expanded(state) {
        return Some(own);
    }
    (own.shares() && everything.is_expanded(state)).then_some(everything)
}

/// Expands a state in the graph for a purpose: what is expanded already is what it comes back to.
struct Follower<'r, 'a> {
    relations: &'r [Relation<'a>],
    view: View,
    state: u32,
}

/// What can go wrong in a state.
enum Trouble {
    Stop(StopReason),
    Failed(Event, Failure),
}

impl From<StopReason> for Trouble {
    fn from(stop: StopReason) -> Trouble {
        Trouble::Stop(stop)
    }
}

impl Expander for Follower<'_, '_> {
    type Halt = Trouble;

    fn announce(&mut self, kernel: &mut Kernel<'_>) -> Result<(), Trouble> {
        if let Some((event, failure)) = kernel.generator.runtime_error() {
            return Err(Trouble::Failed(event, failure));
        }
        kernel.announce_all();
        Ok(())
    }

    fn closes_cycle(&self, arrival: &Arrival) -> bool {
        arrival.id() == self.state || source(self.relations, self.view, arrival.id()).is_some()
    }
}

/// The states of a model and where they lead, as far as anybody has asked.
pub struct Graph<'a> {
    kernel: Kernel<'a>,
    options: &'a Options,
    /// How to leave something out, if at all.
    plan: Option<&'a Reduction>,
    /// One for each purpose for which something is left out, behind [`View::EVERYTHING`].
    relations: Vec<Relation<'a>>,
    /// What was followed in the state that was expanded last, of what may be left out.
    followed: Vec<Action>,
    /// What fires states again, with the steps in between; none as long as nobody asks for these.
    recorder: Option<Generator<'a>>,
}

impl<'a> Graph<'a> {
    /// The initial state.
    pub const INITIAL: u32 = INITIAL;

    /// The states to which a state leads, the same one as often as something leads there.
    ///
    /// # Errors
    /// If a limit is reached, or a runtime error happens.
    pub fn successors(&mut self, state: u32) -> Result<&[u32], Halt> {
        self.visit(View::EVERYTHING, state, 0, 0)?;
        Ok(self.known_successors(View::EVERYTHING, state))
    }

    /// The words of a state.
    pub fn words(&mut self, state: u32) -> &[u64] {
        self.kernel.open(state);
        self.kernel.state()
    }

    /// What has been counted so far.
    pub fn statistics(&self) -> Statistics {
        self.kernel.counted()
    }

    /// The memory of the edges.
    pub fn bytes(&self) -> u64 {
        self.relations.iter().map(Relation::bytes).sum()
    }

    /// The graph for a purpose.
    pub(super) fn view(&mut self, purpose: Purpose) -> View {
        let known = self.relations.iter().position(|known| known.purpose == purpose);
        if let Some(known) = known {
            return View(known);
        }
        let reduction = self.plan(purpose).and_then(|plan| {
            let is_patient = self.options.patient || purpose == Purpose::Terminal;
            let patience = self.kernel.generator.successors.patience.clone().unwrap_or_default();
            Chooser::new(self.kernel.generator.model, &plan, is_patient, &patience)
        });
        if reduction.is_none() {
            return View::EVERYTHING;
        }
        self.relations.push(Relation::new(purpose, reduction));
        View(self.relations.len() - 1)
    }

    /// The graph for a purpose, with nothing expanded if something is left out.
    pub(super) fn anew(&mut self, purpose: Purpose) -> View {
        let view = self.view(purpose);
        if view.is_reduced() {
            let relation = &mut self.relations[view.0];
            *relation = Relation::new(purpose, relation.reduction.take());
        }
        view
    }

    fn plan(&self, purpose: Purpose) -> Option<Reduction> {
        let asked = self.plan?;
        let plan = |method, preserves, watched| Some(Reduction { method, preserves, watched });
        match purpose {
            Purpose::Everything => None,
            Purpose::Branching => Some(asked.clone()),
            Purpose::Terminal if !asked.method.is_strong() => None,
            Purpose::Terminal => plan(asked.method, Preserves::Terminal, Vec::new()),
            Purpose::Goal(goal) => plan(Method::Stubborn, Preserves::Goal(goal), vec![goal]),
        }
    }

    /// To be called for each state that a search visits, `depth` steps from where it has begun: the state is
    /// expanded if it is not yet. `memory` is what the search takes.
    pub(super) fn visit(&mut self, view: View, state: u32, depth: usize, memory: u64) -> Result<(), Halt> {
        self.visit_preferring(view, state, depth, memory, None)
    }

    /// The same. If the state is expanded, and there is a choice, something that is wanted is followed.
    pub(super) fn visit_preferring(
        &mut self,
        view: View,
        state: u32,
        depth: usize,
        memory: u64,
        wanted: Option<&dyn Fn(&Action) -> bool>,
    ) -> Result<(), Halt> {
        self.kernel.tick(depth as u64, self.bytes() + memory)?;
        if source(&self.relations, view, state).is_some() { Ok(()) } else { self.expand(view, state, wanted) }
    }

    fn expand(
        &mut self,
        view: View,
        state: u32,
        wanted: Option<&dyn Fn(&Action) -> bool>,
    ) -> Result<(), Halt> {
        self.kernel.open(state);
        let expanded = if !view.is_reduced() {
            self.kernel.expand_all(&mut Follower { relations: &self.relations, view, state })
        } else {
            self.lend(view, state, |kernel, follower| {
                kernel.list();
                kernel.propose();
                if let Some(is_wanted) = wanted {
                    kernel.generator.prefer(is_wanted);
                }
                kernel.expand_enough(follower)
            })
        };
        expanded.map_err(|trouble| self.halt(state, trouble))?;
        let arrivals = self.kernel.arrivals.list.iter().map(Arrival::id);
        let is_all = self.kernel.generator.choice == Choice::Everything && self.relations[view.0].shares();
        let kept = if is_all { View::EVERYTHING } else { view };
        Ok(self.relations[kept.0].keep(state, arrivals)?)
    }

    /// Expands a state with the reduction for a purpose, in a way.
    fn lend<T>(
        &mut self,
        view: View,
        state: u32,
        expand: impl FnOnce(&mut Kernel<'a>, &mut Follower<'_, 'a>) -> T,
    ) -> T {
        let Graph { kernel, relations, followed, .. } = self;
        kernel.generator.chooser = relations[view.0].reduction.take();
        let result = expand(kernel, &mut Follower { relations, view, state });
        followed.clear();
        followed.extend_from_slice(kernel.generator.chosen());
        relations[view.0].reduction = kernel.generator.chooser.take();
        result
    }

    /// Follows more in a state that is expanded: what must be followed with the last enabled action that is
    /// wanted, as reduction has the last ones first. Says whether there is one. What was followed before stays in front.
    pub(super) fn widen(
        &mut self,
        view: View,
        state: u32,
        is_wanted: impl Fn(&Action) -> bool,
    ) -> Result<bool, Halt> {
        self.kernel.open(state);
        self.kernel.list();
        let Some(wanted) = self.kernel.generator.actions.list.iter().rposition(is_wanted) else {
            return Ok(false);
        };
        let expanded = self.lend(view, state, |kernel, follower| {
            kernel.choose_containing(wanted as u32);
            kernel.expand_chosen(follower)
        });
        expanded.map_err(|trouble| self.halt(state, trouble))?;
        let relation = &mut self.relations[view.0];
        let mut successors = relation.successors(state).to_vec();
        for next in self.kernel.arrivals.list.iter().map(Arrival::id) {
            if !successors.contains(&next) {
                successors.push(next);
            }
        }
        relation.keep(state, successors.into_iter())?;
        Ok(true)
    }

    /// What was followed in the state that was expanded or widened last, in a graph in which something may be left
    /// out.
    pub(super) fn followed(&self) -> &[Action] {
        &self.followed
    }

    /// The successors of a state that is expanded.
    pub(super) fn known_successors(&self, view: View, state: u32) -> &[u32] {
        source(&self.relations, view, state).expect("it is expanded").successors(state)
    }

    /// How many states there may be of which something is to be remembered.
    pub(super) fn n_states(&self) -> u64 {
        self.kernel.arrivals.set.len()
    }

    /// Whether a state that is expanded leads nowhere. Away from goals, every state that leads somewhere does so
    /// whatever is left out.
    pub(super) fn is_dead(&self, state: u32) -> bool {
        let mut others = self.relations.iter().filter(|one| !matches!(one.purpose, Purpose::Goal(_)));
        others.any(|one| one.is_expanded(state) && one.successors(state).is_empty())
    }

    /// Whether a predicate is not 0 in a state.
    pub(super) fn holds(&mut self, predicate: PredicateId, state: u32) -> Result<bool, Halt> {
        self.kernel.open(state);
        match self.kernel.generator.model.predicate(predicate, self.kernel.state()) {
            Ok(value) => Ok(value != 0),
            Err(failure) => Err(self.wrong(state, None, failure)),
        }
    }

    /// The actors that have not ended in a state and may not stay where they are.
    pub(super) fn unfinished(&mut self, state: u32) -> Vec<Actor> {
        self.kernel.open(state);
        self.kernel.generator.model.unfinished(self.kernel.state()).unwrap_or_default()
    }

    /// Visits the steps of all that can happen in a state.
    pub(super) fn each_step(&mut self, state: u32, mut visit: impl FnMut(&Step)) {
        self.kernel.open(state);
        let recorder = self.recorder.get_or_insert_with(|| Generator::recording(self.kernel.generator.model));
        recorder.list(self.kernel.state());
        recorder.fire(self.kernel.state());
        recorder.successors.steps.iter().for_each(&mut visit);
    }

    /// Replaces `out` by the transitions that can happen in a state, first in their action.
    pub(super) fn transitions(&mut self, state: u32, out: &mut Vec<u32>) {
        self.kernel.open(state);
        self.kernel.list();
        out.clear();
        for action in &self.kernel.generator.actions.list {
            out.push(action.actor.transition);
            out.extend(action.partner().map(|partner| partner.transition));
        }
    }

    /// What keeps the graph from being expanded further in a state.
    fn halt(&mut self, state: u32, trouble: Trouble) -> Halt {
        match trouble {
            Trouble::Stop(stop) => Halt::Stop(stop),
            Trouble::Failed(event, failure) => self.wrong(state, Some(event), failure),
        }
    }

    fn wrong(&mut self, state: u32, event: Option<Event>, failure: Failure) -> Halt {
        let path = self.path_to(state);
        let evidence = Evidence::Failure(failure);
        match trace::of_path(&mut self.kernel, &handles(&path), event) {
            Ok(trace) => Halt::Wrong(Box::new(Violation { reason: Reason::RuntimeError, trace, evidence })),
            Err(stop) => Halt::Stop(stop),
        }
    }

    /// A shortest way from the initial state to another one along what is expanded.
    pub(super) fn path_to(&self, state: u32) -> Vec<u32> {
        let look = |other: u32, next: &mut Vec<u32>| {
            for relation in self.relations.iter().filter(|relation| relation.is_expanded(other)) {
                next.extend_from_slice(relation.successors(other));
            }
            Ok(other == state)
        };
        let path = shortest(INITIAL, look).expect("looking cannot fail");
        path.expect("states are found on the way from the initial one")
    }

    /// The run along a path of states from the initial one. If it goes on for ever, it does so by going
    /// from the last state to the one at `lasso`; where nothing can happen, nothing happens for ever.
    ///
    /// # Errors
    /// If the run is so long that a limit is reached.
    pub(super) fn trace(&mut self, path: &[u32], lasso: Option<usize>) -> Result<Trace, Halt> {
        let mut states = handles(path);
        let ends = path.last().is_some_and(|&last| self.is_dead(last));
        states.extend(lasso.filter(|_| !ends).map(|at| Handle::from(path[at])));
        let mut trace = trace::of_path(&mut self.kernel, &states, None).map_err(Halt::Stop)?;
        if let Some(at) = lasso {
            let observable = trace.steps.iter().enumerate().filter(|(_, step)| step.observable);
            let behind = observable.map(|(index, _)| index + 1);
            let start =
                [0].into_iter().chain(behind).nth(at).expect("a step leads to each state of the path");
            if ends {
                trace.steps.push(Step::STUTTER);
            }
            trace.lasso = Some(Lasso { start });
        }
        Ok(trace)
    }
}

fn handles(path: &[u32]) -> Vec<Handle> {
    path.iter().copied().map(Handle::from).collect()
}

/// A shortest way from a state to one at which `look` says so. Where it goes on from others is up to
/// `look`, too.
pub(super) fn shortest(
    from: u32,
    mut look: impl FnMut(u32, &mut Vec<u32>) -> Result<bool, Halt>,
) -> Result<Option<Vec<u32>>, Halt> {
    let mut parents = FxHashMap::from_iter([(from, from)]);
    let mut level = vec![from];
    let (mut next_level, mut next) = (Vec::new(), Vec::new());
    while !level.is_empty() {
        for state in level.drain(..) {
            next.clear();
            if look(state, &mut next)? {
                let parent = |state: &u32| (*state != from).then(|| parents[state]);
                let mut path: Vec<u32> = std::iter::successors(Some(state), parent).collect();
                path.reverse();
                return Ok(Some(path));
            }
            for &other in &next {
                parents.entry(other).or_insert_with(|| {
                    next_level.push(other);
                    state
                });
            }
        }
        std::mem::swap(&mut level, &mut next_level);
    }
    Ok(None)
}
