//! Which method answers which question about a net.
//!
//! | question | method |
//! |---|---|
//! | about the initial marking | looking at it |
//! | reachability, bounds, and what can be asked in these terms | one exploration for all |
//! | reachability alone | an exploration towards the goal, by UP sets |
//! | deadlock | an exploration of its own, which can leave more out |
//! | the state space, if a method of reduction is named | the same without stopping |
//! | branching time, home, liveness | the graph of the markings, made as far as needed, for all |
//! | linear time | a search for a run that violates it, for each |

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use logic::Goal;
use model::PredicateId;
use petri::{
    Atom, Class, Comparison, Fair, Formula, Net, NetModel, NetOptions, Predicate, Question, Sum,
    TooManyTokens, TransitionId, semantics,
};
use reduce::{Keeps, Method, Plan, Wish};
use replay::net::NetClaim;
use report::{Counts, Method as How};
use search::{
    Checks, Cycles, Deadlocks, Fairness, Findings, Forbidden, Graph, Limits, Obstacle, Order, Progress,
    Reason, Space, Statistics, Store, Verdict, Violation, Watched,
};

use crate::check::counts;
use crate::how::{self, emptiness_name, order_name, store_name};
use crate::progress::Ticker;

use super::answers::{Answer, Decided, Shown};
use super::ask::{Asked, Logic};
use super::branching::{Branching, ctl, depends_on_fairness};
use super::watching::{Conclusion, Exploration, Known, Part, conclude, is_settled, limited};

/// What is the same for all questions about a net.
#[derive(Clone)]
pub struct Decider {
    pub net: Arc<Net>,
    pub threads: usize,
    /// The order of explorations, if the user has named one.
    pub order: Option<Order>,
    /// Where explorations keep the states.
    pub store: Store,
    /// What is said about stubborn sets.
    pub por: Wish,
    /// Bytes.
    pub memory: u64,
    /// The time for each search.
    pub time: Option<Duration>,
    /// When all must be over.
    pub deadline: Option<Instant>,
    pub states: u64,
    pub ends: Deadlocks,
    pub interrupt: Arc<AtomicBool>,
    pub show_progress: bool,
}

impl Default for Decider {
    fn default() -> Decider {
        Decider {
            net: Arc::default(),
            threads: 1,
            order: None,
            store: Store::default(),
            por: Wish::default(),
            memory: u64::MAX,
            time: None,
            deadline: None,
            states: u64::MAX,
            ends: Deadlocks::Stutter,
            interrupt: Arc::default(),
            show_progress: false,
        }
    }
}

impl Decider {
    /// Answers all questions, each as soon as it can.
    pub fn decide(&self, asked: &[Asked], tell: &mut dyn FnMut(usize, Decided)) {
        let mut exploration = Exploration::default();
        let (mut branching, mut atoms) = (Vec::new(), Vec::new());
        let mut linear = Vec::new();
        let mut deadlocks = Vec::new();
        let mut reduced = Vec::new();
        for (at, asked) in asked.iter().enumerate() {
            match &asked.question {
                Question::Formula(formula) => match self.class(formula, asked.logic) {
                    Class::Initial(predicate) => {
                        let holds =
                            semantics::holds(&self.net, &predicate, &self.net.initial()) == Some(true);
                        tell(at, self.looked(holds));
                    }
                    Class::Reachable { goal, wanted } => {
                        let watched = [Predicate::Formula(goal.clone())];
                        exploration.add(at, Conclusion::Reachable { goal, wanted }, watched);
                    }
                    Class::Branching if self.has_fairness() && depends_on_fairness(formula) => {
                        match formula.linear_class() {
                            Some(Class::Linear { formula, wanted }) => linear.push((at, formula, wanted)),
                            _ => tell(at, self.unfair()),
                        }
                    }
                    Class::Branching => branching.push((at, Branching::Formula(ctl(formula, &mut atoms)))),
                    Class::Linear { formula, wanted } => linear.push((at, formula, wanted)),
                    Class::Mixed => tell(at, self.unknown("mixed-logic")),
                },
                Question::Bound(sum) => {
                    exploration.add(at, Conclusion::Bound, [Predicate::Value(sum.clone())]);
                }
                Question::Deadlock => deadlocks.push(at),
                Question::OneSafe => {
                    let goal = Formula::Or(self.net.place_ids().map(|place| at_least(place, 2)).collect());
                    let watched = [Predicate::Formula(goal.clone())];
                    exploration.add(at, Conclusion::Reachable { goal, wanted: false }, watched);
                }
                Question::StableMarking => {
                    let changed = self.net.place_ids().map(|place| {
                        let initial = i64::try_from(self.net.place(place).initial).unwrap_or(i64::MAX);
                        let sum = Sum { terms: vec![(place, 1)], constant: -initial };
                        Predicate::Formula(Formula::Atom(Atom::Compare(sum, Comparison::Different)))
                    });
                    exploration.add(at, Conclusion::SomeUnreached, changed);
                }
                Question::QuasiLiveness => {
                    let fireable =
                        |id: TransitionId| Predicate::Formula(Formula::Atom(Atom::Fireable(vec![id])));
                    exploration.add(at, Conclusion::AllReached, self.net.transition_ids().map(fireable));
                }
                Question::Liveness => branching.push((at, Branching::Liveness)),
                Question::StateSpace if matches!(self.por, Wish::Exactly(_)) => reduced.push(at),
                Question::StateSpace => {
                    let all = Predicate::Value(Sum::of_all(&self.net));
                    exploration.add(at, Conclusion::Tokens, [Predicate::Most, all]);
                }
            }
        }
        deadlocks.into_iter().for_each(|at| tell(at, self.deadlock()));
        reduced.into_iter().for_each(|at| tell(at, self.reduced_space()));
        if !exploration.parts.is_empty() {
            let plan = self.towards_goal(&exploration, asked);
            self.explore(exploration, plan, tell);
        }
        // What sees single steps needs all of them.
        let (stepwise, stuttering): (Vec<_>, Vec<_>) =
            branching.into_iter().partition(|(_, question)| question.sees_steps());
        for (questions, method) in [(stuttering, self.method()), (stepwise, None)] {
            if !questions.is_empty() {
                self.branch(&questions, &atoms, method, tell);
            }
        }
        for (at, formula, wanted) in linear {
            tell(at, self.linear(formula, wanted));
        }
    }

    fn class(&self, formula: &Formula, logic: Logic) -> Class {
        match (formula.class(), logic) {
            (Class::Branching, Logic::Linear) => formula.linear_class().unwrap_or(Class::Mixed),
            (class, _) => class,
        }
    }

    fn looked(&self, holds: bool) -> Decided {
        let method = How { engine: "net".to_string(), ..how::method() };
        let answer = Answer::Truth { holds, shown: None };
        Decided { answer, counts: Counts::default(), method, complete: true, notes: Vec::new() }
    }

    fn unknown(&self, reason: &str) -> Decided {
        Decided { answer: Answer::Unknown(reason.to_string()), complete: false, ..self.looked(false) }
    }

    /// An answer of a search on one thread, which numbers its states.
    fn decided(&self, answer: Answer, statistics: &Statistics, search: &str, complete: bool) -> Decided {
        let mut decided = self.looked(false);
        decided.method.search = search.to_string();
        decided.method.store = store_name(Store::Tree).to_string();
        decided.counts = counts(statistics);
        decided.notes.extend(how::omission_note(statistics));
        Decided { answer, complete, ..decided }
    }

    /// Says that all threads have searched, with a store that they share.
    fn note_shared(&self, decided: &mut Decided) {
        decided.method.threads = self.threads as u32;
        decided.method.store = store_name(self.store).to_string();
    }

    /// What a search may take that has started then.
    fn options(&self, started: Instant) -> search::Options {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = match (self.time.map(|time| time.saturating_sub(started.elapsed())), left) {
            (Some(time), Some(left)) => Some(time.min(left)),
            (time, left) => time.or(left),
        };
        let limits = Limits { memory: self.memory, time, states: self.states, ..Limits::default() };
        let interrupt = self.interrupt.clone();
        let progress = Arc::new(Progress::default());
        let (threads, store) = (self.threads, self.store);
        search::Options { threads, store, limits, interrupt, progress, ..search::Options::default() }
    }

    /// Searches, with more room for tokens each time that there was too little. What is an answer all the same
    /// stays one.
    fn search<T>(
        &self,
        predicates: Vec<Predicate>,
        mut search: impl FnMut(&NetModel, &search::Options) -> T,
        is_answer: impl Fn(&T) -> bool,
    ) -> Result<T, Box<Decided>> {
        let started = Instant::now();
        let too_many =
            |error: TooManyTokens| Decided { notes: vec![error.to_string()], ..self.unknown("tokens") };
        let mut model =
            NetModel::new(self.net.clone(), predicates, NetOptions::default()).map_err(too_many)?;
        loop {
            let options = self.options(started);
            let ticker = self.show_progress.then(|| Ticker::start(options.progress.clone()));
            let found = search(&model, &options);
            drop(ticker);
            if model.overflowed().is_empty() || is_answer(&found) {
                return Ok(found);
            }
            model = model.widened().map_err(too_many)?;
        }
    }

    /// How to explore less than everything, if at all.
    fn method(&self) -> Option<Method> {
        match self.por {
            Wish::None => None,
            Wish::Exactly(method) => Some(method),
            // Who asks for this order wants a shortest run.
            Wish::Best if self.order == Some(Order::Breadth) => None,
            Wish::Best => Some(Method::Stubborn),
        }
    }

    /// A reduction for a single question of reachability. Where several are answered at once, or what is asked
    /// concerns all places, all would have to be kept.
    fn towards_goal(&self, exploration: &Exploration, asked: &[Asked]) -> Option<Plan> {
        let [Part { at, conclusion: Conclusion::Reachable { .. }, .. }] = exploration.parts.as_slice() else {
            return None;
        };
        if self.method().is_none() || !matches!(asked[*at].question, Question::Formula(_)) {
            return None;
        }
        let goal = PredicateId(0);
        // UP sets are closed in one way only, whichever method is named.
        Some(Plan { method: Method::Stubborn, keeps: Keeps::Goal(goal), watched: vec![goal] })
    }

    /// The order of an exploration, if the user has named none: reduced ones are depth-first.
    fn order(&self, plan: Option<&Plan>) -> Order {
        self.order.unwrap_or(if plan.is_some() { Order::Depth } else { Order::Any })
    }

    /// An exploration in which deadlocks are kept.
    fn run(&self, checks: Checks) -> Result<(Findings, Decided), Box<Decided>> {
        let plan = self.method().map(|method| Plan { method, keeps: Keeps::Deadlocks, watched: Vec::new() });
        let order = self.order(plan.as_ref());
        let explore = |model: &NetModel, options: &search::Options| {
            let options =
                search::Options { order, checks, reduction: plan.clone(), patient: true, ..options.clone() };
            (search::run(model, &options), search::is_shared(&options))
        };
        let (findings, is_shared) =
            self.search(Vec::new(), explore, |(findings, _)| is_violated(findings))?;
        let answer = match &findings.verdict {
            Verdict::Unknown(stop) => Answer::Unknown(stop.to_string()),
            Verdict::Violated(violation) if violation.evidence.failure().is_some() => {
                return Err(Box::new(self.broken(violation)));
            }
            Verdict::Holds | Verdict::Violated(_) => Answer::Truth { holds: true, shown: None },
        };
        let mut decided = self.decided(answer, &findings.statistics, order_name(order), findings.complete);
        if let Some(plan) = plan {
            decided.method.por = plan.method.name().to_string();
        }
        if is_shared {
            self.note_shared(&mut decided);
        }
        Ok((findings, decided))
    }

    fn deadlock(&self) -> Decided {
        let (findings, mut decided) = match self.run(Checks::DEADLOCK) {
            Ok(found) => found,
            Err(decided) => return *decided,
        };
        match findings.verdict {
            Verdict::Holds => decided.answer = Answer::Truth { holds: false, shown: None },
            Verdict::Violated(violation) => {
                let claim = NetClaim::Reaches(Formula::Atom(Atom::Deadlock));
                let shown = Some(Shown { trace: violation.trace, claim });
                decided.answer = Answer::Truth { holds: true, shown };
            }
            Verdict::Unknown(_) => {}
        }
        decided
    }

    /// As much of the state space as keeps deadlocks. How many tokens there are elsewhere is not known.
    fn reduced_space(&self) -> Decided {
        self.run(Checks::NONE).map_or_else(|decided| *decided, |(_, decided)| decided)
    }

    fn explore(&self, exploration: Exploration, plan: Option<Plan>, tell: &mut dyn FnMut(usize, Decided)) {
        let stop_after = if exploration.wants_all() { None } else { Some(1) };
        let Exploration { predicates, watches, parts } = exploration;
        let order = self.order(plan.as_ref());
        let mut known = Known::new(watches.len());
        let explore = |model: &NetModel, options: &search::Options| {
            let reduction = plan.clone();
            let options = search::Options { order, reduction, stop_after, patient: true, ..options.clone() };
            known.complete(search::watch(model, &limited(&known.open(&watches), model), &options))
        };
        let is_answer = |watched: &Watched| stop_after.is_some() && watched.answers.iter().all(is_settled);
        let watched = match self.search(predicates, explore, is_answer) {
            Ok(watched) => watched,
            Err(decided) => {
                for Part { at, watches, conclusion } in parts {
                    let mut decided = Decided::clone(&decided);
                    let answers = known.settled(watches);
                    if let (Some(answers), false) = (answers, matches!(conclusion, Conclusion::Tokens)) {
                        decided.answer = conclude(conclusion, &answers, None);
                    }
                    tell(at, decided);
                }
                return;
            }
        };
        if let Some(violation) = &watched.wrong {
            return parts.iter().for_each(|part| tell(part.at, self.broken(violation)));
        }
        for Part { at, watches, conclusion } in parts {
            let answers = &watched.answers[watches];
            let seen = match (&conclusion, answers) {
                (Conclusion::Bound, [search::Answer::Greatest { value, stop: Some(_), .. }]) => Some(*value),
                _ => None,
            };
            let answer = conclude(conclusion, answers, watched.stop);
            let mut decided = self.decided(answer, &watched.statistics, order_name(order), watched.complete);
            decided.notes.extend(seen.map(|value| format!("the value is at least {value}")));
            if let Some(plan) = &plan {
                decided.method.por = plan.method.name().to_string();
            }
            // Breadth-first, one thread watches.
            if order == Order::Any {
                self.note_shared(&mut decided);
            }
            tell(at, decided);
        }
    }

    /// Answers questions on one graph. What it is made of stays, and so does the time that it has taken.
    fn branch(
        &self,
        asked: &[(usize, Branching)],
        atoms: &[Formula],
        method: Option<Method>,
        tell: &mut dyn FnMut(usize, Decided),
    ) {
        let predicates = atoms.iter().cloned().map(Predicate::Formula).collect();
        let plan = method.map(|method| Plan {
            method,
            keeps: Keeps::Branching,
            watched: (0..atoms.len() as u32).map(PredicateId).collect(),
        });
        let is_open = |decided: &Decided| matches!(decided.answer, Answer::Unknown(_));
        let mut answers = vec![self.unknown("tokens"); asked.len()];
        let all_answered = self.search(
            predicates,
            |model, options| {
                let options = search::Options { reduction: plan.clone(), ..options.clone() };
                let mut space = Space::new(model, &options);
                let mut graph = space.graph();
                for (answer, (_, question)) in answers.iter_mut().zip(asked).filter(|(one, _)| is_open(one)) {
                    *answer = match &mut graph {
                        Ok(graph) => self.ask(graph, question),
                        Err(obstacle) => self.obstructed(obstacle),
                    };
                }
                !answers.iter().any(is_open)
            },
            |all_answered| *all_answered,
        );
        if let Err(decided) = all_answered {
            answers.iter_mut().filter(|one| is_open(one)).for_each(|one| one.clone_from(&decided));
        }
        if let Some(method) = method {
            answers.iter_mut().for_each(|decided| decided.method.por = method.name().to_string());
        }
        asked.iter().zip(answers).for_each(|((at, _), decided)| tell(*at, decided));
    }

    fn ask(&self, graph: &mut Graph<'_>, question: &Branching) -> Decided {
        let found = match question {
            Branching::Formula(formula) => search::check_ctl(graph, formula, self.ends),
            Branching::Liveness => search::is_live(graph, self.net.transitions().len()),
        };
        match found {
            Ok(search::Decided { holds, run }) => {
                let shown = run.map(|trace| Shown { trace, claim: NetClaim::Run });
                self.decided(Answer::Truth { holds, shown }, &graph.statistics(), "graph", false)
            }
            Err(obstacle) => self.obstructed(&obstacle),
        }
    }

    fn obstructed(&self, obstacle: &Obstacle) -> Decided {
        match obstacle {
            Obstacle::Stop(stop) => self.unknown(&stop.to_string()),
            Obstacle::Wrong(violation) => self.broken(violation),
        }
    }

    /// The net does not keep what it promises.
    fn broken(&self, violation: &Violation) -> Decided {
        let why = violation.evidence.failure().map(|failure| failure.detail.clone());
        Decided { notes: why.into_iter().collect(), ..self.unknown("broken-bound") }
    }

    /// Whether only some infinite runs count.
    fn has_fairness(&self) -> bool {
        self.net.transitions().iter().any(|transition| transition.fair != Fair::No)
    }

    /// No answer: runs were looked for among all, and only those count that are fair to transitions.
    fn unfair(&self) -> Decided {
        let why = "the net has fair transitions, and runs are not looked for among the fair ones alone";
        Decided { notes: vec![why.to_string()], ..self.unknown("fairness") }
    }

    /// All runs are searched, so what holds of them holds of those that are fair to transitions. A run
    /// that violates the formula is an answer only if it is fair.
    fn linear(&self, formula: logic::Ltl<Formula>, wanted: bool) -> Decided {
        let (formula, atoms) = formula.numbered();
        if atoms.len() > 64 {
            return self.unknown("too-many-atoms");
        }
        let Ok(automaton) = logic::translate(&formula.clone().negated(), Goal::Generalised) else {
            return self.unknown("formula-too-large");
        };
        let cycles = Cycles::fastest(&automaton, Fairness::None);
        let forbidden = Forbidden {
            automaton,
            atoms: (0..atoms.len() as u32).map(PredicateId).collect(),
            fails_at: None,
            stutters: true,
            reason: Reason::AcceptanceCycle,
        };
        // A formula with X sees how often a marking is repeated.
        let method = self.method().filter(|_| !formula.has_next());
        let plan = method.map(|method| Plan {
            method,
            keeps: Keeps::InfiniteRuns,
            watched: forbidden.atoms.clone(),
        });
        let predicates = atoms.iter().cloned().map(Predicate::Formula).collect();
        let find = |model: &NetModel, options: &search::Options| {
            let options = search::Options { reduction: plan.clone(), threads: 1, ..options.clone() };
            search::find_cycle(model, &forbidden, &cycles, &options)
        };
        let findings = match self.search(predicates, find, is_violated) {
            Ok(findings) => findings,
            Err(decided) => return *decided,
        };
        let answer = match findings.verdict {
            Verdict::Holds => Answer::Truth { holds: wanted, shown: None },
            Verdict::Unknown(stop) => Answer::Unknown(stop.to_string()),
            Verdict::Violated(violation) if violation.evidence.failure().is_some() => {
                return self.broken(&violation);
            }
            Verdict::Violated(violation) if !replay::net::is_fair(&self.net, &violation.trace) => {
                return self.unfair();
            }
            Verdict::Violated(violation) => {
                let shown = Shown { trace: violation.trace, claim: NetClaim::Violates(formula, atoms) };
                Answer::Truth { holds: !wanted, shown: Some(shown) }
            }
        };
        let search = emptiness_name(cycles.emptiness);
        let mut decided = self.decided(answer, &findings.statistics, search, findings.complete);
        if let Some(method) = method {
            decided.method.por = method.name().to_string();
        }
        decided
    }
}

/// Whether there is a run that decides.
fn is_violated(findings: &Findings) -> bool {
    matches!(findings.verdict, Verdict::Violated(_))
}

/// A place has so many tokens or more.
fn at_least(place: petri::PlaceId, tokens: i64) -> Formula {
    let sum = Sum { terms: vec![(place, -1)], constant: tokens };
    Formula::Atom(Atom::Compare(sum, Comparison::AtMost))
}
