//! From a question to a plan: what kind of question it is, what is fixed, what is preferred, and whether that is sound.
//!
//! A plan is made without any search; all refusals happen here. How a plan is carried out is in `engines` and `schedule`.

use logic::{Class, Ctl, HomeForm};
use model::{Patience, PredicateId};
use por::Reduction;
use replay::Language;
use search::{Checks, Order};

use crate::answer::{Remark, Why};
use crate::options::{Options, Search};
use crate::prefer::{self, Admitted, Conflict, Por};
use crate::question::{Forbidden, Kind, Property, Question, Recurrence, Share, Time};
use crate::refusal::Refusal;
use crate::soundness::{Need, Row, Setting, Value};
use crate::system::System;

/// How a question is answered.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What has to be found out.
    pub task: Task,
    /// The row of the table that says that this is sound; none if nothing is searched.
    pub row: Option<&'static Row>,
    /// What is left out, if anything.
    pub reduction: Option<Reduction>,
    /// Whether a smaller system may be explored.
    pub compressed: bool,
    /// What there is to know about that.
    pub remarks: Vec<Remark>,
}

/// What has to be found out.
#[derive(Clone, Debug)]
pub enum Task {
    /// Whether a formula without temporal operators holds in the initial state.
    Look(logic::Formula<PredicateId>),
    /// Whether something is wrong in any finite run, in an exploration of its own.
    Explore {
        /// What is wrong.
        checks: Checks,
        /// How the answer follows.
        conclusion: Explored,
    },
    /// What is seen in all states.
    Watch(Watching),
    /// Whether a run is forbidden.
    Cycle {
        /// The runs.
        forbidden: Forbidden,
        /// The answer if there is none, and what it means that there is one.
        conclusion: Infinite,
    },
    /// What the graph of the states is like.
    Graph(Branching),
    /// Nothing: there is no method.
    Nothing(Why),
}

/// What follows from an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explored {
    /// The property holds if nothing is wrong.
    Fine,
    /// A formula holds if something is wrong, or if nothing is.
    Formula {
        /// The answer to whether a deadlock can be reached for which it holds.
        wanted: bool,
    },
    /// The states are counted.
    Counted,
}

/// What follows from a search for a forbidden run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infinite {
    /// The property holds if there is none.
    Fine,
    /// A formula holds if the answer to whether all runs satisfy it is this one.
    Formula {
        /// The answer.
        wanted: bool,
    },
}

/// A question that is answered by watching all states.
#[derive(Clone, Debug)]
pub struct Watching {
    /// What is watched.
    pub predicates: Vec<PredicateId>,
    /// What follows.
    pub conclusion: Conclusion,
    /// Whether it pays to ask it alone: it is about the way to one goal.
    pub is_goal: bool,
}

/// How an answer follows from what was watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// It holds if the answer to whether the predicate can be reached is this one.
    Reachable {
        /// The answer.
        wanted: bool,
    },
    /// It is the greatest value.
    Greatest,
    /// It holds if all can be reached.
    AllReached,
    /// It holds if one of them cannot.
    SomeUnreached,
    /// They are the greatest values, when everything is explored.
    Space,
}

/// A question about the graph of the states.
#[derive(Clone, Debug)]
pub enum Branching {
    /// Whether a formula holds.
    Formula(Ctl<PredicateId>),
    /// What the terminal components are like.
    Home {
        /// What is asked of them.
        form: HomeForm,
        /// About this predicate.
        predicate: PredicateId,
        /// The answer for which the property holds.
        wanted: bool,
    },
    /// Whether every action can always occur again.
    Live,
    /// Whether of each of these lists of transitions one can always occur again.
    Recurrent(Vec<Vec<u32>>),
    /// Whether every action can occur.
    QuasiLive,
    /// Whether nobody is stuck while others go on.
    NobodyStuck,
}

impl Branching {
    /// The narrowest question that a formula asks.
    fn of(formula: Ctl<PredicateId>) -> Branching {
        match formula.home() {
            Some((form, &predicate, wanted)) => Branching::Home { form, predicate, wanted },
            None => Branching::Formula(formula),
        }
    }

    /// Whether it asks for the next state.
    pub fn sees_steps(&self) -> bool {
        matches!(self, Branching::Formula(formula) if formula.has_next())
    }

    /// The predicates on which it depends.
    pub fn atoms(&self) -> Vec<PredicateId> {
        match self {
            Branching::Formula(formula) => {
                let mut atoms = Vec::new();
                formula.clone().map(&mut |atom| atoms.push(atom));
                atoms
            }
            Branching::Home { predicate, .. } => vec![*predicate],
            Branching::Live | Branching::Recurrent(_) | Branching::QuasiLive | Branching::NobodyStuck => {
                Vec::new()
            }
        }
    }

    fn class(&self) -> Value {
        match self {
            Branching::Formula(formula) if formula.has_next() => Value::BranchingX,
            Branching::Formula(_) => Value::Branching,
            Branching::Home { .. }
            | Branching::Live
            | Branching::Recurrent(_)
            | Branching::QuasiLive
            | Branching::NobodyStuck => Value::Terminal,
        }
    }
}

/// Plans how a question is answered. What is looked up about its automaton is given up without patience, and then taken
/// to be unknown.
///
/// # Errors
/// If what the user has named does not go together.
pub fn plan(
    system: &dyn System,
    property: &Property,
    options: &Options,
    patience: &Patience,
) -> Result<Plan, Box<Refusal>> {
    let planner = Planner { system, property, options, patience };
    planner.expect_order()?;
    planner.expect_fair_search()?;
    planner.plan()
}

struct Planner<'a> {
    system: &'a dyn System,
    property: &'a Property,
    options: &'a Options,
    patience: &'a Patience,
}

impl Planner<'_> {
    fn plan(&self) -> Result<Plan, Box<Refusal>> {
        let options = self.options;
        match &self.property.question {
            Question::Safety(checks) => self.explore(Value::Safety, *checks, Explored::Fine),
            Question::Deadlock
                if let (true, Some(goal)) = (options.seeks(), self.system.facts().deadlock) =>
            {
                self.goal(goal, false)
            }
            Question::Deadlock => self.explore(Value::Deadlock, Checks::DEADLOCK, Explored::Fine),
            Question::LocalDeadlock if !self.system.facts().has_ends => {
                Err(Box::new(Refusal::NoEnds { property: self.property.name.clone() }))
            }
            Question::LocalDeadlock => self.graph(Branching::NobodyStuck),
            Question::StateSpace(_) if options.seeks() => Err(self.seeks_one()),
            Question::StateSpace(greatest)
                if !greatest.is_empty() && !matches!(options.por, Por::Exactly(_)) =>
            {
                self.watch(greatest.clone(), Conclusion::Space)
            }
            Question::StateSpace(_) => self.explore(Value::Count, Checks::NONE, Explored::Counted),
            Question::Formula(formula, time) => self.formula(formula, *time),
            Question::Forbidden(forbidden) => self.cycle(forbidden.clone(), Infinite::Fine),
            Question::Greatest(predicate) => self.watch(vec![*predicate], Conclusion::Greatest),
            Question::Each(predicates, Share::NotAll) => {
                self.watch(predicates.clone(), Conclusion::SomeUnreached)
            }
            Question::Each(predicates, Share::None) => match predicates[..] {
                [only] => self.watch(vec![only], Conclusion::Reachable { wanted: false }),
                _ => unreachable!("one predicate says that one of several holds"),
            },
            Question::Live(Recurrence::Once(_)) if self.reduces() => self.graph(Branching::QuasiLive),
            Question::Live(Recurrence::Once(enabled)) => self.watch(enabled.clone(), Conclusion::AllReached),
            Question::Live(Recurrence::Again(None)) => self.graph(Branching::Live),
            Question::Live(Recurrence::Again(Some(lists))) => self.graph(Branching::Recurrent(lists.clone())),
        }
    }

    fn formula(&self, formula: &logic::Formula<PredicateId>, time: Time) -> Result<Plan, Box<Refusal>> {
        let class = match (formula.classify(), time) {
            (Class::Branching(_), Time::Linear) => formula.linear_class().unwrap_or(Class::Mixed),
            (class, _) => class,
        };
        let is_deadlock = |goal: &logic::Formula<PredicateId>| matches!(goal, logic::Formula::Atom(atom) if Some(*atom) == self.system.facts().deadlock);
        match class {
            Class::Initial(predicate) => Ok(self.nothing(Task::Look(predicate))),
            Class::Reachable { goal, wanted } if is_deadlock(&goal) && !self.options.seeks() => {
                self.explore(Value::Deadlock, Checks::DEADLOCK, Explored::Formula { wanted })
            }
            Class::Reachable { goal: logic::Formula::Atom(goal), wanted } => self.goal(goal, wanted),
            // A goal without a number of its own: the graph of the states does, too.
            Class::Reachable { .. } => {
                let formula = formula.branching().expect("reachability is of branching time");
                self.graph(Branching::Formula(formula))
            }
            Class::Branching(_) if self.system.facts().has_fair_actions && formula.depends_on_fairness() => {
                match formula.linear_class() {
                    Some(Class::Linear { formula, wanted }) => self.linear(&formula, wanted),
                    _ => Ok(Plan {
                        remarks: vec![Remark::UnfairRuns],
                        ..self.nothing(Task::Nothing(Why::Fairness))
                    }),
                }
            }
            Class::Branching(formula) => self.graph(Branching::of(formula)),
            Class::Linear { formula, wanted } => self.linear(&formula, wanted),
            Class::Mixed => Ok(self.nothing(Task::Nothing(Why::MixedLogic))),
        }
    }

    /// A search for a run that does not satisfy a formula, whose atoms are predicates.
    fn linear(
        &self,
        formula: &logic::Ltl<logic::Formula<PredicateId>>,
        wanted: bool,
    ) -> Result<Plan, Box<Refusal>> {
        let (formula, atoms) = formula.clone().flattened().numbered();
        if atoms.len() > logic::MAX_ATOMS {
            return Ok(self.nothing(Task::Nothing(Why::TooManyAtoms)));
        }
        self.cycle(Forbidden::violating(formula, atoms), Infinite::Formula { wanted })
    }

    fn nothing(&self, task: Task) -> Plan {
        Plan { task, row: None, reduction: None, compressed: false, remarks: Vec::new() }
    }

    fn explore(&self, class: Value, checks: Checks, conclusion: Explored) -> Result<Plan, Box<Refusal>> {
        let search = self.options.order().map_or(Search::Dfs, Search::from);
        let setting = self.setting(class);
        // A walk gets further without: what is left out makes runs longer, not fewer.
        let admitted = match (self.options.order(), self.options.por) {
            (Some(Order::Walk), Por::Best) => self.judged(setting, Por::None, search, &[])?,
            _ => self.admit(setting, search, &[])?,
        };
        Ok(self.planned(Task::Explore { checks, conclusion }, admitted))
    }

    /// An exploration for one goal, which may be looked for together with others.
    fn goal(&self, goal: PredicateId, wanted: bool) -> Result<Plan, Box<Refusal>> {
        let search = self.options.order().map_or(Search::Dfs, Search::from);
        let admitted = self.admit(self.about(Value::Reach, &[goal]), search, &[goal])?;
        let conclusion = Conclusion::Reachable { wanted };
        let watching = Watching { predicates: vec![goal], conclusion, is_goal: true };
        Ok(self.planned(Task::Watch(watching), admitted))
    }

    /// An exploration that leaves nothing out.
    fn watch(&self, predicates: Vec<PredicateId>, conclusion: Conclusion) -> Result<Plan, Box<Refusal>> {
        if self.options.seeks() {
            return Err(self.seeks_one());
        }
        let (class, por) = match conclusion {
            Conclusion::Space => (Value::Count, Por::None),
            Conclusion::Greatest => (Value::Bound, self.options.por),
            // Sets towards one goal leave out the ways to the others.
            _ => (Value::Reach, Por::None),
        };
        let admitted = self.judged(self.about(class, &predicates), por, Search::Reach, &predicates)?;
        let watching = Watching { predicates, conclusion, is_goal: false };
        Ok(self.planned(Task::Watch(watching), admitted))
    }

    fn cycle(&self, forbidden: Forbidden, conclusion: Infinite) -> Result<Plan, Box<Refusal>> {
        if self.options.seeks() {
            return Err(self.seeks_one());
        }
        let (has_next, follows_in_vain, may_count) = match &forbidden.runs {
            Language::Violating(formula) => (formula.has_next(), false, false),
            Language::Accepted(automaton) => (
                false,
                !logic::has_no_dead_ends(automaton),
                !logic::is_stutter_invariant(automaton, self.patience),
            ),
        };
        let class = if has_next { Value::LinearX } else { Value::Linear };
        let setting = self
            .about(class, &forbidden.atoms)
            .with_fairness(self.options.fairness)
            .with_if(Value::FollowsInVain, follows_in_vain)
            .with_if(Value::MayCount, may_count);
        // Where the search that is named does not suit the automaton another one runs, which provides no less.
        let named = self.options.search.filter(|search| search.emptiness().is_some());
        let admitted = self.admit(setting, named.unwrap_or(Search::Scc), &forbidden.atoms)?;
        Ok(self.planned(Task::Cycle { forbidden, conclusion }, admitted))
    }

    fn graph(&self, question: Branching) -> Result<Plan, Box<Refusal>> {
        if self.options.seeks() {
            return Err(self.seeks_one());
        }
        let atoms = question.atoms();
        let admitted = self.admit(self.about(question.class(), &atoms), Search::Graph, &atoms)?;
        Ok(self.planned(Task::Graph(question), admitted))
    }

    fn planned(&self, task: Task, admitted: Admitted) -> Plan {
        let Admitted { row, reduction, compressed, remark } = admitted;
        Plan { task, row: Some(row), reduction, compressed, remarks: remark.into_iter().collect() }
    }

    /// Everything about a question of a class that is fixed, but for the reduction.
    fn setting(&self, class: Value) -> Setting {
        let options = self.options;
        Setting::of(&[class])
            .and(self.system.facts().values)
            .with_if(Value::AllErrors, options.stop_after.is_none_or(|enough| enough > 1))
            .with_if(Value::Shortest, options.order() == Some(Order::Breadth))
            .with_if(Value::DepthLimit, options.limits.depth < u64::MAX)
    }

    /// The same for a question that depends on predicates.
    fn about(&self, class: Value, predicates: &[PredicateId]) -> Setting {
        let may_fail = predicates.iter().any(|&predicate| self.system.may_fail(predicate));
        self.setting(class).with_if(Value::AtomMayFail, may_fail)
    }

    /// What is preferred, or what was named. What does not suit is passed over where that is the habit.
    fn admit(
        &self,
        setting: Setting,
        search: Search,
        watched: &[PredicateId],
    ) -> Result<Admitted, Box<Refusal>> {
        let passes_over = self.system.facts().habits.passes_over;
        match self.judged(setting, self.options.por, search, watched) {
            Err(_) if passes_over => self.judged(setting, Por::None, search, watched),
            judged => judged,
        }
    }

    fn judged(
        &self,
        setting: Setting,
        por: Por,
        search: Search,
        watched: &[PredicateId],
    ) -> Result<Admitted, Box<Refusal>> {
        let more = self.system.facts().compressed.filter(|_| prefer::compresses(self.options, setting));
        if let Some(Ok(admitted)) =
            more.map(|more| prefer::reduction(setting.and(more), por, search, watched))
        {
            return Ok(Admitted { compressed: true, ..admitted });
        }
        prefer::reduction(setting, por, search, watched).map_err(|conflict| {
            Box::new(Refusal::Conflict { property: self.property.name.clone(), conflict })
        })
    }

    /// Whether anything is to be left out.
    fn reduces(&self) -> bool {
        prefer::wants_reduction(self.options)
    }

    fn seeks_one(&self) -> Box<Refusal> {
        let search = self.options.search.unwrap_or(Search::Walk);
        Box::new(Refusal::SeeksOne { property: self.property.name.clone(), search })
    }

    /// A search that is named must know the fairness that is named, also where the question is not about infinite runs:
    /// the options contradict each other.
    fn expect_fair_search(&self) -> Result<(), Box<Refusal>> {
        let fairness = self.options.fairness;
        let named = self.options.search.filter(|search| search.emptiness().is_some());
        let need = Need::Fair(fairness);
        match named.filter(|search| !search.provides(need)) {
            None => Ok(()),
            Some(search) => {
                let setting = Setting::NOTHING.with_fairness(fairness);
                let conflict = Conflict::Lacking { search, need, setting };
                Err(Box::new(Refusal::Conflict { property: self.property.name.clone(), conflict }))
            }
        }
    }

    /// Some orders look states up again.
    fn expect_order(&self) -> Result<(), Box<Refusal>> {
        let is_finite = !matches!(self.property.question, Question::Forbidden(_));
        let order = self.options.order().map(|order| prefer::within_depth(order, self.options));
        let order = order.filter(|&order| order != Order::Any);
        match (self.options.store, order) {
            (Some(store), Some(order)) if store.is_lossy() && is_finite => {
                let (property, search) = (self.property.name.clone(), Search::from(order));
                Err(Box::new(Refusal::KeepsNothing { property, store, search }))
            }
            _ => Ok(()),
        }
    }
}

/// Why a formula that does not hold is violated.
pub fn reason(kind: Kind) -> crate::answer::Reason {
    use crate::answer::Reason;
    match kind {
        Kind::Deadlock => Reason::Found(search::Reason::Deadlock),
        Kind::Invariant => Reason::Invariant,
        Kind::LocalDeadlock => Reason::LocalDeadlock,
        _ => Reason::Formula,
    }
}
