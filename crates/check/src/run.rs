//! Answering questions whose plans are made: those that can share a search do.
//!
//! A plan has one of a few tasks ([`Task`]): to evaluate a formula in the initial state, to explore the finite runs, to
//! watch predicates in all states, to decide a formula on the graph of the states, to search for a forbidden infinite
//! run. Which task a formula becomes depends on its class (`logic::Class`).

use std::fmt;

use por::Method;
use search::Checks;

use crate::answer::{Answer, Outcome, Remark};
use crate::engines::watch::Part;
use crate::engines::{
    Allowance, Context, Control, Defect, Found, cycles, explore, graph, initial, procedure, shared,
};
use crate::options::Options;
use crate::plan::{Explored, Plan, Task, plan};
use crate::question::Property;
use crate::refusal::Refusal;
use crate::schedule::rounds;
use crate::system::{System, Undecided};

/// Answers questions, and tells each answer as soon as it is known, with the number of the question.
///
/// # Errors
/// If a run that was found does not show what it should: something in this program is wrong.
pub fn run(
    system: &dyn System,
    asked: &[(&Property, &Plan)],
    options: &Options,
    control: &Control,
    tell: &mut dyn FnMut(usize, Answer),
) -> Result<(), Defect> {
    let context = Context { system, options, control };
    Run { context, asked, hint: None, tell }.all()
}

/// Answers questions, each as the options say: [`plan()`] and [`run()`] in one call.
///
/// # Errors
/// If the options do not go together, or a run that was found does not show what it should.
pub fn answers(
    system: &dyn System,
    asked: &[Property],
    options: &Options,
    control: &Control,
) -> Result<Vec<Answer>, Unanswered> {
    let patience = control.patience(&options.limits);
    let plans = asked.iter().map(|property| plan(system, property, options, &patience));
    let plans = plans.collect::<Result<Vec<Plan>, _>>().map_err(Unanswered::Refused)?;
    let asked: Vec<_> = asked.iter().zip(&plans).collect();
    let mut answers = vec![None; asked.len()];
    run(system, &asked, options, control, &mut |at, answer| answers[at] = Some(answer))
        .map_err(Unanswered::Defect)?;
    let missing = || Unanswered::Defect(Defect("a question has no answer".to_string()));
    answers.into_iter().map(|answer| answer.ok_or_else(missing)).collect()
}

/// Why questions have no answers.
#[derive(Clone, Debug)]
pub enum Unanswered {
    /// The options do not go together.
    Refused(Box<Refusal>),
    /// Something in this program, or in a user's model, is wrong.
    Defect(Defect),
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unanswered::Refused(refusal) => f.write_str(&refusal.message()),
            Unanswered::Defect(defect) => f.write_str(&defect.0),
        }
    }
}

impl std::error::Error for Unanswered {}

struct Run<'a, 't> {
    context: Context<'a>,
    asked: &'a [(&'a Property, &'a Plan)],
    /// What there is to say about a system without end, once that has been asked for.
    hint: Option<Option<Remark>>,
    tell: &'t mut dyn FnMut(usize, Answer),
}

/// What is looked for in an exploration, and whether its states are counted for their own sake.
type Group = (Checks, bool);

impl Run<'_, '_> {
    fn all(mut self) -> Result<(), Defect> {
        let soon = self.soon()?;
        let open: Vec<usize> = (0..self.asked.len()).filter(|at| !soon.contains(at)).collect();
        let shared = self.shared(&open)?;
        let open: Vec<usize> = open.into_iter().filter(|at| !shared.contains(at)).collect();
        self.explorations(&open)?;
        self.watches(&open)?;
        // What sees single steps needs all of them, and what is asked without reduction needs everything.
        let reduced = open.iter().map(|&at| self.asked[at].1.reduction.as_ref().map(|one| one.method));
        let mut methods: Vec<Option<Method>> = Vec::new();
        for method in reduced {
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        for sees_steps in [false, true] {
            for &method in &methods {
                self.graphs(&open, (sees_steps, method))?;
            }
        }
        self.cycles(&open)
    }

    /// What needs no exploration.
    fn soon(&mut self) -> Result<Vec<usize>, Defect> {
        let mut told = Vec::new();
        for (at, &(property, plan)) in self.asked.iter().enumerate() {
            let allowance = self.context.allowance();
            let found = match &plan.task {
                Task::Look(formula) => Some(initial::answer(&self.context, property, formula)),
                Task::Nothing(why) => {
                    let undecided = self.context.undecided(Undecided::from(*why));
                    Some(Answer { remarks: plan.remarks.clone(), ..undecided }.into())
                }
                _ => procedure::unbounded(&self.context, &property.question, &allowance),
            };
            if let Some(found) = found {
                self.found(at, found, &allowance)?;
                told.push(at);
            }
        }
        Ok(told)
    }

    /// One exploration for all questions that need no more than to visit the states.
    fn shared(&mut self, open: &[usize]) -> Result<Vec<usize>, Defect> {
        let options = self.context.options;
        // To count all errors, and to look for one state, are matters of one question.
        let may_share = options.stop_after.is_some() && !options.seeks();
        if !self.context.system.facts().habits.shares_exploration || !may_share {
            return Ok(Vec::new());
        }
        let of = |&at: &usize| Some((at, shared::Asked::of(at, self.asked[at].0, self.asked[at].1)?));
        let (numbers, asked): (Vec<usize>, Vec<_>) = open.iter().filter_map(of).unzip();
        if numbers.len() < 2 {
            return Ok(Vec::new());
        }
        let allowance = self.context.allowance();
        let found = shared::answer(&self.context, &asked, &allowance);
        for (&at, found) in numbers.iter().zip(found) {
            self.found(at, found, &allowance)?;
        }
        Ok(numbers)
    }

    /// Explorations of their own, each for all questions that it answers.
    fn explorations(&mut self, open: &[usize]) -> Result<(), Defect> {
        let mut groups: Vec<(Group, Vec<(usize, Explored)>)> = Vec::new();
        for &at in open {
            let Task::Explore { checks, conclusion } = self.asked[at].1.task else { continue };
            let kind = (checks, conclusion == Explored::Counted);
            match groups.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, group)) => group.push((at, conclusion)),
                None => groups.push((kind, vec![(at, conclusion)])),
            }
        }
        for ((checks, _), group) in groups {
            let allowance = self.context.allowance();
            let asked: Vec<_> = group
                .iter()
                .map(|&(at, conclusion)| (self.asked[at].0, self.asked[at].1, conclusion))
                .collect();
            let found = explore::answer(&self.context, &asked, checks, &allowance);
            for ((at, _), found) in group.into_iter().zip(found) {
                self.found(at, found, &allowance)?;
            }
        }
        Ok(())
    }

    fn watches(&mut self, open: &[usize]) -> Result<(), Defect> {
        let part = |&at: &usize| {
            let (property, plan) = self.asked[at];
            match &plan.task {
                Task::Watch(watching) => Some(Part { at, property, plan, watching }),
                _ => None,
            }
        };
        let parts: Vec<Part<'_>> = open.iter().filter_map(part).collect();
        if parts.is_empty() {
            return Ok(());
        }
        let context = self.context;
        rounds::answer(&context, parts, &mut |at, found, allowance| self.found(at, found, allowance))
    }

    /// Questions about one graph.
    fn graphs(&mut self, open: &[usize], kind: (bool, Option<Method>)) -> Result<(), Defect> {
        let mut numbers = Vec::new();
        let mut asked = Vec::new();
        for &at in open {
            let (property, plan) = self.asked[at];
            if let Task::Graph(question) = &plan.task
                && (question.sees_steps(), plan.reduction.as_ref().map(|one| one.method)) == kind
            {
                numbers.push(at);
                asked.push((property, plan, question));
            }
        }
        if asked.is_empty() {
            return Ok(());
        }
        let allowance = self.context.allowance();
        let found = graph::answer(&self.context, &asked, &allowance);
        numbers.into_iter().zip(found).try_for_each(|(at, found)| self.found(at, found, &allowance))
    }

    fn cycles(&mut self, open: &[usize]) -> Result<(), Defect> {
        for &at in open {
            let (property, plan) = self.asked[at];
            let Task::Cycle { forbidden, conclusion } = &plan.task else { continue };
            let allowance = self.context.allowance();
            let found = cycles::answer(&self.context, property, plan, forbidden, *conclusion, &allowance);
            self.found(at, found, &allowance)?;
        }
        Ok(())
    }

    /// Tells what was found about a question, when it has been replayed.
    fn found(&mut self, at: usize, found: Found, allowance: &Allowance) -> Result<(), Defect> {
        let mut answer = self.context.tell(found, allowance)?;
        if procedure::has_no_end(&answer) {
            answer.remarks.extend(self.hint(allowance)?);
        }
        (self.tell)(at, answer);
        Ok(())
    }

    /// That the system is unbounded, if that is so.
    fn hint(&mut self, allowance: &Allowance) -> Result<Option<Remark>, Defect> {
        if self.hint.is_none() {
            let told = procedure::hint(&self.context).map(|found| self.context.tell(found, allowance));
            let said = told.transpose()?.filter(|answer| answer.outcome == Outcome::Unbounded);
            self.hint = Some(said.and_then(|mut answer| answer.remarks.pop()));
        }
        Ok(self.hint.clone().flatten())
    }
}
