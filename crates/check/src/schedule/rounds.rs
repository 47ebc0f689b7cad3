//! Questions about all states: together, at random, each alone, and again with more effort.
//!
//! A single goal is looked for by an exploration towards it, by UP sets. Several questions share one exploration, which
//! leaves nothing out: what one of them does not need another one may. If that does not come to an end with a certain
//! effort, random walks look for the goals that are still open, then each is looked for alone, with about the same effort
//! for all together; and then everything again with more effort, as long as there is any left. So nobody has to know
//! beforehand which way is the best one, and it takes little more time than if he did.

use std::time::Duration;

use search::{Order, StopReason};

use crate::answer::Outcome;
use crate::engines::watch::{Explored, Part};
use crate::engines::{Allowance, Context, Defect, Found};
use crate::options::Effort;
use crate::prefer::{self, Por};

/// So many times as much is spent the next time.
const MORE: u32 = 8;
/// Of the states of an effort, walks get one part of so many …
const WALKED: u64 = 4;
/// … and so do searches for single goals, in which a state takes much longer. They share the time, too.
const SOUGHT: u64 = 8;
/// Both are always worth so many states.
const FEW_STATES: u64 = 1 << 10;

impl Effort {
    /// For random walks.
    fn of_walks(self) -> Effort {
        Effort { states: (self.states / WALKED).max(FEW_STATES), ..self }
    }

    /// For one of several goals.
    fn of_goal(self, n_goals: usize) -> Effort {
        let n_goals = n_goals.max(1) as u32;
        let states = self.states / SOUGHT / u64::from(n_goals);
        Effort { states: states.max(FEW_STATES), time: self.time / n_goals }
    }

    /// For the next time.
    fn more(self) -> Effort {
        Effort { states: self.states.saturating_mul(MORE.into()), time: self.time.saturating_mul(MORE) }
    }
}

/// A question with why it is not answered.
type Open<'a> = (Part<'a>, Found);

/// Who is told of each answer.
pub(crate) type Tell<'t> = dyn FnMut(usize, Found, &Allowance) -> Result<(), Defect> + 't;

/// Answers questions about all states.
///
/// # Errors
/// If whoever is told finds an answer to be wrong.
pub(crate) fn answer(context: &Context<'_>, parts: Vec<Part<'_>>, tell: &mut Tell<'_>) -> Result<(), Defect> {
    let options = context.options;
    let allowance = context.allowance();
    let is_single = matches!(parts.as_slice(), [only] if only.watching.is_goal);
    // Sets towards a goal make walks longer than they make them better.
    let walks_for_all = options.order() == Some(Order::Walk) && !matches!(options.por, Por::Exactly(_));
    if !walks_for_all && (is_single || options.seeks()) {
        for goal in &parts {
            let allowance = context.allowance();
            tell(goal.at, alone(context, goal, &allowance), &allowance)?;
        }
        return Ok(());
    }
    Rounds { context, all: allowance }.run(parts, walks_for_all, tell)
}

/// Looks for a goal, if possible by UP sets.
fn alone(context: &Context<'_>, goal: &Part<'_>, allowance: &Allowance) -> Found {
    let mut explored =
        context.watch(std::slice::from_ref(goal), goal.plan.reduction.as_ref(), None, allowance);
    let mut found = explored.found.pop().expect("there is an answer to each question");
    found.answer.remarks.extend(goal.plan.remarks.clone());
    found
}

struct Rounds<'a> {
    context: &'a Context<'a>,
    /// What may be spent in all.
    all: Allowance,
}

impl Rounds<'_> {
    fn run(&self, mut parts: Vec<Part<'_>>, walks_for_all: bool, tell: &mut Tell<'_>) -> Result<(), Defect> {
        let options = self.context.options;
        let mut effort = options.effort;
        loop {
            let has_choice = !walks_for_all
                && prefer::wants_reduction(options)
                && parts.iter().any(|part| part.watching.is_goal);
            let some = if has_choice { self.all.within(effort) } else { self.all };
            let Explored { found, stop } = self.context.watch(&parts, None, None, &some);
            let is_last = match stop {
                Some(StopReason::States) => some.states == self.all.states,
                Some(StopReason::Time) => some.end == self.all.end,
                _ => true,
            };
            let mut open = Vec::new();
            for (part, found) in parts.into_iter().zip(found) {
                if is_answered(&found) { tell(part.at, found, &self.all)? } else { open.push((part, found)) }
            }
            if has_choice {
                let (mut goals, others) = open.into_iter().partition(|(part, _)| part.watching.is_goal);
                if options.order().is_none() {
                    goals = self.walk(effort.of_walks(), goals, tell)?;
                }
                open = self.seek((!is_last).then_some(effort), goals, tell)?;
                open.extend::<Vec<Open<'_>>>(others);
            }
            if is_last || open.is_empty() {
                return open.into_iter().try_for_each(|(part, found)| tell(part.at, found, &self.all));
            }
            parts = open.into_iter().map(|(part, _)| part).collect();
            effort = effort.more();
        }
    }

    /// Looks for goals, all at once, by random walks. Gives back those that are still open.
    fn walk<'p>(
        &self,
        effort: Effort,
        goals: Vec<Open<'p>>,
        tell: &mut Tell<'_>,
    ) -> Result<Vec<Open<'p>>, Defect> {
        if goals.is_empty() || self.all.is_over() {
            return Ok(goals);
        }
        let parts: Vec<Part<'_>> = goals.iter().map(|(goal, _)| *goal).collect();
        let walked = self.context.watch(&parts, None, Some(Order::Walk), &self.all.within(effort)).found;
        let mut open = Vec::new();
        for ((goal, before), found) in goals.into_iter().zip(walked) {
            if is_answered(&found) { tell(goal.at, found, &self.all)? } else { open.push((goal, before)) }
        }
        Ok(open)
    }

    /// Looks for goals, each alone: with some effort for all together, or as long as there is time. Gives back those that
    /// are still open.
    fn seek<'p>(
        &self,
        effort: Option<Effort>,
        goals: Vec<Open<'p>>,
        tell: &mut Tell<'_>,
    ) -> Result<Vec<Open<'p>>, Defect> {
        let (n_goals, mut open) = (goals.len(), Vec::new());
        for (k, (goal, before)) in goals.into_iter().enumerate() {
            let rest = self.all.left().unwrap_or(Duration::MAX) / (n_goals - k) as u32;
            let share =
                effort.map_or(Effort { states: u64::MAX, time: rest }, |effort| effort.of_goal(n_goals));
            let found =
                if self.all.is_over() { before } else { alone(self.context, &goal, &self.all.within(share)) };
            if is_answered(&found) { tell(goal.at, found, &self.all)? } else { open.push((goal, found)) }
        }
        Ok(open)
    }
}

fn is_answered(found: &Found) -> bool {
    !matches!(found.answer.outcome, Outcome::Unknown(_))
}
