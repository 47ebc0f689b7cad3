//! Which markings can be reached, and what else is answered by watching markings.
//!
//! A single goal is looked for by an exploration towards it, by UP sets. Several questions share one exploration, which
//! leaves nothing out: what one of them does not need another one may. If that does not come to an end with a certain
//! effort, each goal that is still open is looked for alone, with the same effort for all together; and then everything
//! again with more effort, as long as there is any left. So nobody has to know beforehand which way is the better one,
//! and it takes little more time than if he did.

use std::time::{Duration, Instant};

use model::PredicateId;
use reduce::{Keeps, Method, Plan};
use search::{Order, StopReason};

use crate::how::order_name;

use super::answers::Decided;
use super::decide::Decider;
use super::watching::{Conclusion, Part, conclude, watches};

/// What is spent before another way is tried.
#[derive(Clone, Copy)]
struct Effort {
    states: u64,
    time: Duration,
}

const FIRST: Effort = Effort { states: 1 << 20, time: Duration::from_secs(10) };
/// So many times as much is spent the next time.
const MORE: u32 = 8;
/// A goal is always worth so many states.
const FEW_STATES: u64 = 1 << 14;

impl Effort {
    /// The share of one of several goals.
    fn share(self, n_goals: usize) -> Effort {
        let n_goals = n_goals.max(1) as u32;
        Effort { states: (self.states / u64::from(n_goals)).max(FEW_STATES), time: self.time / n_goals }
    }

    fn more(self) -> Effort {
        Effort { states: self.states.saturating_mul(MORE.into()), time: self.time.saturating_mul(MORE) }
    }
}

/// What an exploration has found out.
struct Explored {
    /// For each question, its answer.
    decided: Vec<Decided>,
    /// Why some are not answered.
    stop: Option<StopReason>,
}

impl Decider {
    /// Whether a search is wanted that looks for one goal.
    pub fn seeks(&self) -> bool {
        matches!(self.order, Some(Order::Guided | Order::Walk))
    }

    /// Answers whether goals can be reached, and other questions about markings.
    pub fn reach(&self, mut goals: Vec<Part>, mut others: Vec<Part>, tell: &mut dyn FnMut(usize, Decided)) {
        if self.seeks() || goals.len() == 1 && others.is_empty() {
            return goals.iter().for_each(|goal| tell(goal.at, self.alone(goal)));
        }
        let all = Decider { deadline: self.end(), time: None, ..self.clone() };
        let mut effort = FIRST;
        while !goals.is_empty() || !others.is_empty() {
            let has_choice = self.method().is_some() && !goals.is_empty();
            let some = if has_choice { all.within(effort) } else { all.clone() };
            let n_others = others.len();
            let parts: Vec<&Part> = others.iter().chain(&goals).collect();
            let Explored { mut decided, stop } = some.explore(&parts, None);
            let is_last = match stop {
                Some(StopReason::States) => some.states == all.states,
                Some(StopReason::Time) => some.deadline == all.deadline,
                _ => true,
            };
            let found = decided.split_off(n_others);
            others = settle(others, decided, is_last, tell);
            let n_open = found.iter().filter(|decided| !decided.is_answered()).count();
            let mut n_left = n_open;
            let found = goals.iter().zip(found).map(|(goal, decided)| {
                if decided.is_answered() || !has_choice || all.left() == Some(Duration::ZERO) {
                    return decided;
                }
                let rest =
                    Effort { states: u64::MAX, time: all.left().unwrap_or(Duration::MAX) / n_left as u32 };
                n_left -= 1;
                all.within(if is_last { rest } else { effort.share(n_open) }).alone(goal)
            });
            let found: Vec<Decided> = found.collect();
            goals = settle(goals, found, is_last, tell);
            effort = effort.more();
        }
    }

    /// When a search that starts now has to be over.
    fn end(&self) -> Option<Instant> {
        let end = self.time.and_then(|time| Instant::now().checked_add(time));
        end.into_iter().chain(self.deadline).min()
    }

    /// The time until then.
    pub fn left(&self) -> Option<Duration> {
        self.end().map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// The same with no more than some effort.
    fn within(&self, effort: Effort) -> Decider {
        let end = Instant::now().checked_add(effort.time);
        Decider {
            states: self.states.min(effort.states),
            deadline: end.into_iter().chain(self.deadline).min(),
            ..self.clone()
        }
    }

    /// Looks for a goal, if possible by UP sets. These are closed in one way only, whichever method is named.
    fn alone(&self, goal: &Part) -> Decided {
        let id = PredicateId(0);
        let plan = Plan { method: Method::Stubborn, keeps: Keeps::Goal(id), watched: vec![id] };
        let mut explored = self.explore(&[goal], self.method().map(|_| plan));
        explored.decided.pop().expect("there is an answer to each question")
    }

    /// Explores until some questions are answered.
    fn explore(&self, parts: &[&Part], plan: Option<Plan>) -> Explored {
        let (predicates, wanted, places) = watches(parts);
        let order = self.order(plan.as_ref());
        let watched = self.search(predicates, |model, options| {
            let reduction = plan.clone();
            let options = search::Options { order, reduction, patient: true, ..options.clone() };
            search::watch(model, &wanted, &options)
        });
        let same = |decided: Decided| Explored { decided: vec![decided; parts.len()], stop: None };
        let watched = match watched {
            Ok(watched) => watched,
            Err(decided) => return same(*decided),
        };
        if let Some(violation) = &watched.wrong {
            return same(self.broken(violation));
        }
        let stop = watched.answers.iter().find_map(|answer| match answer {
            search::Answer::Unknown(stop) => Some(*stop),
            search::Answer::Greatest { stop, .. } => *stop,
            _ => None,
        });
        let decide = |(part, place): (&&Part, std::ops::Range<usize>)| {
            let answers = &watched.answers[place];
            let answer = conclude(&part.conclusion, answers);
            let mut decided = self.decided(answer, &watched.statistics, order_name(order), watched.complete);
            if let (Conclusion::Bound, [search::Answer::Greatest { value, stop: Some(_), .. }]) =
                (&part.conclusion, answers)
            {
                decided.notes.push(format!("the value is at least {value}"));
            }
            if let Some(plan) = &plan {
                decided.method.por = plan.method.name().to_string();
            }
            match order {
                Order::Any => self.note_shared(&mut decided),
                Order::Walk => decided.method.store = "none".to_string(),
                // One thread watches.
                Order::Depth | Order::Breadth | Order::Guided => {}
            }
            decided
        };
        Explored { decided: parts.iter().zip(places).map(decide).collect(), stop }
    }
}

/// Tells what is answered, or everything if there is no more to come. Gives back what is left open.
fn settle(
    parts: Vec<Part>,
    decided: Vec<Decided>,
    is_last: bool,
    tell: &mut dyn FnMut(usize, Decided),
) -> Vec<Part> {
    let mut open = Vec::new();
    for (part, decided) in parts.into_iter().zip(decided) {
        if is_last || decided.is_answered() {
            tell(part.at, decided);
        } else {
            open.push(part);
        }
    }
    open
}
