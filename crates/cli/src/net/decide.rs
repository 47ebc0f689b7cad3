//! Which method answers which question about a net.
//!
//! | question | method |
//! |---|---|
//! | about the initial marking | looking at it |
//! | deadlock | an exploration of its own, which can leave more out |
//! | reachability, bounds, and what can be asked in these terms | see [`super::reaching`] |
//! | the state space, if a method of reduction is named | the same without stopping |
//! | home, liveness, dead transitions | the terminal components of the graph of the markings |
//! | other formulas of branching time | the graph of the markings, made as far as needed, for all |
//! | linear time | a search for a run that violates it, for each |

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ::check::options::Search;
use ::check::prefer::{self, Por};
use ::check::soundness::{Setting, Value};
use logic::{Class, Goal};
use model::PredicateId;
use petri::{
    Atom, Comparison, Fair, Formula, Net, NetModel, NetOptions, Predicate, Predicates, Question, Sum,
    TooManyTokens, TransitionId, semantics,
};
use por::{Method, Reduction};
use replay::net::NetClaim;
use report::{Counts, Method as How};
use search::{
    Checks, Cycles, Deadlocks, Fairness, Findings, Forbidden, Graph, Halt, Limits, Order, Progress, Reason,
    Space, Statistics, Store, Verdict, Violation,
};

use crate::check::counts;
use crate::how::{self, store_name};
use crate::limits;
use crate::progress::Ticker;

use super::answers::{Answer, Decided, Shown};
use super::ask::{Asked, Logic};
use super::branching::Branching;
use super::reaching::Effort;
use super::watching::{Conclusion, Part};

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
    pub por: Por,
    /// The bytes that the process may take.
    pub memory: u64,
    /// The time for each search.
    pub time: Option<Duration>,
    /// When all must be over.
    pub deadline: Option<Instant>,
    pub states: u64,
    pub ends: Deadlocks,
    pub interrupt: Arc<AtomicBool>,
    pub show_progress: bool,
    /// Where the random numbers of walks begin.
    pub seed: u64,
    /// What is spent on several questions together before each is asked alone.
    pub effort: Effort,
}

impl Default for Decider {
    fn default() -> Decider {
        Decider {
            net: Arc::default(),
            threads: 1,
            order: None,
            store: Store::default(),
            por: Por::default(),
            memory: u64::MAX,
            time: None,
            deadline: None,
            states: u64::MAX,
            ends: Deadlocks::Stutter,
            interrupt: Arc::default(),
            show_progress: false,
            seed: 0,
            effort: Effort::default(),
        }
    }
}

/// The reason for which there is no answer if a number does not fit into 64 bits.
pub const TOO_LARGE: &str = "number-too-large";

impl Decider {
    /// Answers all questions, each as soon as it can.
    pub fn decide(&self, asked: &[Asked], tell: &mut dyn FnMut(usize, Decided)) {
        let mut parts = Vec::new();
        let (mut branching, mut predicates) = (Vec::new(), Predicates::default());
        let mut linear = Vec::new();
        let mut deadlocks = Vec::new();
        let mut reduced = Vec::new();
        for (at, asked) in asked.iter().enumerate() {
            let mut watch = |conclusion, predicates| parts.push(Part::new(at, conclusion, predicates));
            match &asked.question {
                Question::Formula(formula) => match self.class(formula, asked.logic) {
                    Class::Initial(predicate) => {
                        let holds = semantics::holds(&self.net, &predicate, &self.net.initial());
                        tell(at, holds.map_or_else(|| self.unknown(TOO_LARGE), |holds| self.looked(holds)));
                    }
                    Class::Reachable { goal, wanted } if self.is_deadlock(&goal) => {
                        deadlocks.push((at, wanted))
                    }
                    Class::Reachable { goal, wanted } => parts.push(Part::goal(at, goal, wanted)),
                    Class::Branching(_) if self.has_fairness() && formula.depends_on_fairness() => {
                        match formula.linear_class() {
                            Some(Class::Linear { formula, wanted }) => linear.push((at, formula, wanted)),
                            _ => tell(at, self.unfair()),
                        }
                    }
                    Class::Branching(_) => {
                        let formula =
                            predicates.formula(formula).branching().expect("it is of branching time");
                        branching.push((at, Branching::of(formula)));
                    }
                    Class::Linear { formula, wanted } => linear.push((at, formula, wanted)),
                    Class::Mixed => tell(at, self.unknown("mixed-logic")),
                },
                Question::Bound(sum) => {
                    watch(Conclusion::Bound, vec![Predicate::Value(sum.clone())]);
                }
                Question::Deadlock if self.seeks() => {
                    parts.push(Part::goal(at, Formula::Atom(Atom::Deadlock), true));
                }
                Question::Deadlock => deadlocks.push((at, true)),
                Question::OneSafe => {
                    let goal = Formula::Or(self.net.place_ids().map(|place| at_least(place, 2)).collect());
                    parts.push(Part::reachable(at, goal, false));
                }
                Question::StableMarking => {
                    let changed = self.net.place_ids().map(|place| {
                        // With more tokens than that there is no search.
                        let initial = i64::try_from(self.net.place(place).initial).unwrap_or(i64::MAX);
                        let sum = Sum { terms: vec![(place, 1)], constant: -initial };
                        Predicate::Formula(Formula::Atom(Atom::Compare(sum, Comparison::Different)))
                    });
                    watch(Conclusion::SomeUnreached, changed.collect());
                }
                Question::QuasiLiveness if self.is_reduced() => {
                    branching.push((at, Branching::QuasiLiveness));
                }
                Question::QuasiLiveness => {
                    let fireable =
                        |id: TransitionId| Predicate::Formula(Formula::Atom(Atom::Fireable(vec![id])));
                    watch(Conclusion::AllReached, self.net.transition_ids().map(fireable).collect());
                }
                Question::Liveness => branching.push((at, Branching::Liveness)),
                Question::StateSpace if matches!(self.por, Por::Exactly(_)) => reduced.push(at),
                Question::StateSpace => {
                    let all = Predicate::Value(Sum::of_all(&self.net));
                    watch(Conclusion::Tokens, vec![Predicate::Most, all]);
                }
            }
        }
        if !deadlocks.is_empty() {
            self.deadlock(&deadlocks, tell);
        }
        reduced.into_iter().for_each(|at| tell(at, self.reduced_space()));
        if !parts.is_empty() {
            self.reach(parts, tell);
        }
        // What sees single steps needs all of them.
        let (stepwise, stuttering): (Vec<_>, Vec<_>) =
            branching.into_iter().partition(|(_, question)| question.sees_steps());
        for questions in [stuttering, stepwise] {
            if !questions.is_empty() {
                self.branch(&questions, &predicates, tell);
            }
        }
        for (at, formula, wanted) in linear {
            tell(at, self.linear(formula, wanted));
        }
    }

    /// Whether a goal is a deadlock, for which there are better sets; a search for one marking takes it as any other.
    fn is_deadlock(&self, goal: &Formula) -> bool {
        *goal == Formula::Atom(Atom::Deadlock) && !self.seeks()
    }

    fn class(&self, formula: &Formula, logic: Logic) -> Class<Atom> {
        match (formula.classify(), logic) {
            (Class::Branching(_), Logic::Linear) => formula.linear_class().unwrap_or(Class::Mixed),
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
    pub fn decided(
        &self,
        answer: Answer,
        statistics: &Statistics,
        search: Search,
        complete: bool,
    ) -> Decided {
        let mut decided = self.looked(false);
        decided.method.search = search.to_string();
        decided.method.store = store_name(Store::Tree).to_string();
        decided.counts = counts(statistics);
        decided.notes.extend(how::omission_note(statistics));
        Decided { answer, complete, ..decided }
    }

    /// Says that all threads have searched, with a store that they share.
    pub fn note_shared(&self, decided: &mut Decided) {
        decided.method.threads = self.threads as u32;
        decided.method.store = store_name(self.store).to_string();
    }

    /// What a search may take that starts now and has to be over then.
    fn options(&self, end: Option<Instant>) -> search::Options {
        let time = end.map(|end| end.saturating_duration_since(Instant::now()));
        let limits = Limits { time, states: self.states, ..limits::of_process(self.memory) };
        let interrupt = self.interrupt.clone();
        let progress = Arc::new(Progress::default());
        let (threads, seed, store) = (self.threads, self.seed, self.store);
        search::Options { threads, seed, store, limits, interrupt, progress, ..search::Options::default() }
    }

    /// Searches, with more room for tokens each time that there was too little. What is an answer all the same
    /// stays one.
    pub fn search<T>(
        &self,
        predicates: Vec<Predicate>,
        mut search: impl FnMut(&NetModel, &search::Options) -> T,
        is_answer: impl Fn(&T) -> bool,
    ) -> Result<T, Box<Decided>> {
        let end = self.end();
        let too_many =
            |error: TooManyTokens| Decided { notes: vec![error.to_string()], ..self.unknown("tokens") };
        let mut model =
            NetModel::new(self.net.clone(), predicates, NetOptions::default()).map_err(too_many)?;
        loop {
            let options = self.options(end);
            let ticker = self.show_progress.then(|| Ticker::start(options.progress.clone()));
            let found = search(&model, &options);
            drop(ticker);
            if model.overflowed().is_empty() || is_answer(&found) {
                return Ok(found);
            }
            model = model.widened().map_err(too_many)?;
        }
    }

    /// Whether anything is to be left out.
    pub fn is_reduced(&self) -> bool {
        self.por != Por::None && !(self.por == Por::Best && self.order == Some(Order::Breadth))
    }

    /// How to explore less than everything for a question of a class, if the table allows that. What was named and does
    /// not suit is not used.
    pub fn reduction(&self, class: Value, search: Search, watched: &[PredicateId]) -> Option<Reduction> {
        let setting = Setting::of(&[class, Value::Towards, Value::Promises])
            .with_if(Value::Shortest, self.order == Some(Order::Breadth));
        prefer::reduction(setting, self.por, search, watched).ok()?.reduction
    }

    /// The order of an exploration, if the user has named none: reduced ones are depth-first.
    pub fn order(&self, plan: Option<&Reduction>) -> Order {
        self.order.unwrap_or(if plan.is_some() { Order::Depth } else { Order::Any })
    }

    /// An exploration in which deadlocks are kept.
    fn run(&self, class: Value, checks: Checks) -> Result<(Findings, Decided), Box<Decided>> {
        let plan = self.reduction(class, self.order.map_or(Search::Dfs, Search::from), &[]);
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
        let mut decided = self.decided(answer, &findings.statistics, Search::from(order), findings.complete);
        if let Some(plan) = plan {
            decided.method.por = plan.method.name().to_string();
        }
        if is_shared {
            self.note_shared(&mut decided);
        }
        Ok((findings, decided))
    }

    /// Answers questions whether there is a deadlock, each of which holds if the answer is so.
    fn deadlock(&self, asked: &[(usize, bool)], tell: &mut dyn FnMut(usize, Decided)) {
        let (exists, shown, decided) = match self.run(Value::Deadlock, Checks::DEADLOCK) {
            Ok((Findings { verdict: Verdict::Violated(violation), .. }, decided)) => {
                let claim = NetClaim::Reaches(Formula::Atom(Atom::Deadlock));
                (true, Some(Shown { trace: violation.trace, claim }), decided)
            }
            Ok((Findings { verdict: Verdict::Holds, .. }, decided)) => (false, None, decided),
            Ok((_, decided)) => return asked.iter().for_each(|(at, _)| tell(*at, decided.clone())),
            Err(decided) => return asked.iter().for_each(|(at, _)| tell(*at, (*decided).clone())),
        };
        for &(at, wanted) in asked {
            let answer = Answer::Truth { holds: exists == wanted, shown: shown.clone() };
            tell(at, Decided { answer, ..decided.clone() });
        }
    }

    /// As much of the state space as keeps deadlocks. How many tokens there are elsewhere is not known.
    fn reduced_space(&self) -> Decided {
        self.run(Value::Count, Checks::NONE).map_or_else(|decided| *decided, |(_, decided)| decided)
    }

    /// Answers questions on one graph. What it is made of stays, and so does the time that it has taken.
    fn branch(
        &self,
        asked: &[(usize, Branching)],
        predicates: &Predicates,
        tell: &mut dyn FnMut(usize, Decided),
    ) {
        let watched: Vec<PredicateId> = predicates.ids().collect();
        let plan = self.reduction(Value::Branching, Search::Graph, &watched);
        let is_open = |decided: &Decided| matches!(decided.answer, Answer::Unknown(_));
        let mut answers = vec![self.unknown("tokens"); asked.len()];
        let all_answered = self.search(
            predicates.list().to_vec(),
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
        asked.iter().zip(answers).for_each(|((at, _), decided)| tell(*at, decided));
    }

    /// How a graph is reduced for a question.
    fn method_for(&self, question: &Branching) -> Option<Method> {
        let class = match question {
            Branching::Formula(_) => Value::Branching,
            Branching::Home { .. } | Branching::Liveness | Branching::QuasiLiveness => Value::Terminal,
        };
        Some(self.reduction(class, Search::Graph, &[])?.method)
    }

    fn ask(&self, graph: &mut Graph<'_>, question: &Branching) -> Decided {
        let n_reduced = graph.statistics().reduced;
        let found = match question {
            Branching::Formula(formula) => search::check_ctl(graph, formula, self.ends),
            Branching::Home { form, predicate, wanted } => search::home(graph, *predicate, *form)
                .map(|found| search::Decided { holds: found.holds == *wanted, ..found }),
            Branching::Liveness => search::is_live(graph, self.net.transitions().len()),
            Branching::QuasiLiveness => search::is_quasi_live(graph, self.net.transitions().len())
                .map(|holds| search::Decided { holds, run: None }),
        };
        let answer = match found {
            Ok(search::Decided { holds, run }) => {
                Answer::Truth { holds, shown: run.map(|trace| Shown { trace, claim: NetClaim::Run }) }
            }
            Err(Halt::Stop(stop)) => Answer::Unknown(stop.to_string()),
            Err(Halt::Wrong(violation)) => return self.broken(&violation),
        };
        let statistics = graph.statistics();
        let mut decided = self.decided(answer, &statistics, Search::Graph, false);
        // Where single steps are seen, something is left out on the way to goals alone.
        let method = match question.sees_steps() {
            true => (statistics.reduced > n_reduced).then_some(Method::Stubborn),
            false => self.method_for(question),
        };
        if let Some(method) = method {
            decided.method.por = method.name().to_string();
        }
        decided
    }

    fn obstructed(&self, obstacle: &Halt) -> Decided {
        match obstacle {
            Halt::Stop(stop) => self.unknown(&stop.to_string()),
            Halt::Wrong(violation) => self.broken(violation),
        }
    }

    /// The net does not keep what it promises.
    pub fn broken(&self, violation: &Violation) -> Decided {
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
        let class = if formula.has_next() { Value::LinearX } else { Value::Linear };
        let search = Search::from(cycles.emptiness);
        let plan = self.reduction(class, search, &forbidden.atoms);
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
        let mut decided = self.decided(answer, &findings.statistics, search, findings.complete);
        if let Some(plan) = plan {
            decided.method.por = plan.method.name().to_string();
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
