//! Which markings can be reached, and what else is answered by watching markings.
//!
//! A single goal is looked for by an exploration towards it, by UP sets. Several questions share one exploration, which
//! leaves nothing out: what one of them does not need another one may. If that does not come to an end with a certain
//! effort, random walks look for the goals that are still open, then each is looked for alone, with about the same effort
//! for all together; and then everything again with more effort, as long as there is any left. So nobody has to know
//! beforehand which way is the best one, and it takes little more time than if he did.

use std::ops::Range;
use std::time::{Duration, Instant};

use ::check::options::Search;
use ::check::prefer::Por;
use ::check::soundness::Value;
use model::PredicateId;
use petri::NetModel;
use por::Reduction;
use search::{Order, StopReason, Watched};

use super::answers::Decided;
use super::decide::Decider;
use super::watching::{Conclusion, Known, Part, conclude, is_settled, limited, watches};

/// What is spent before another way is tried.
#[derive(Clone, Copy)]
pub struct Effort {
    pub states: u64,
    pub time: Duration,
}

impl Default for Effort {
    /// The first time: enough for nets that are small.
    fn default() -> Effort {
        Effort { states: 1 << 18, time: Duration::from_secs(5) }
    }
}

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

/// What an exploration has found out.
struct Explored {
    /// For each question, its answer.
    decided: Vec<Decided>,
    /// Why some are not answered.
    stop: Option<StopReason>,
}

/// A question with why it is not answered.
type Open = (Part, Decided);

impl Decider {
    /// Whether a search is wanted that looks for one goal.
    pub fn seeks(&self) -> bool {
        matches!(self.order, Some(Order::Guided | Order::Walk))
    }

    /// Answers questions about all markings.
    pub fn reach(&self, mut parts: Vec<Part>, tell: &mut dyn FnMut(usize, Decided)) {
        let is_single = matches!(parts.as_slice(), [only] if only.is_goal);
        // Sets towards a goal make walks longer than they make them better.
        let walks_for_all = self.order == Some(Order::Walk) && !matches!(self.por, Por::Exactly(_));
        if !walks_for_all && (is_single || self.seeks()) {
            return parts.iter().for_each(|goal| tell(goal.at, self.alone(goal)));
        }
        let all = Decider { deadline: self.end(), time: None, ..self.clone() };
        let mut effort = self.effort;
        loop {
            let has_choice = !walks_for_all && self.is_reduced() && parts.iter().any(|part| part.is_goal);
            let some = if has_choice { all.within(effort) } else { all.clone() };
            let Explored { decided, stop } = some.explore(&parts.iter().collect::<Vec<_>>(), None);
            let is_last = match stop {
                Some(StopReason::States) => some.states == all.states,
                Some(StopReason::Time) => some.deadline == all.deadline,
                _ => true,
            };
            let mut open = Vec::new();
            for (part, decided) in parts.into_iter().zip(decided) {
                if decided.is_answered() { tell(part.at, decided) } else { open.push((part, decided)) }
            }
            if has_choice {
                let (mut goals, others) = open.into_iter().partition(|(part, _)| part.is_goal);
                if self.order.is_none() {
                    goals = all.walk(effort.of_walks(), goals, tell);
                }
                open = all.seek((!is_last).then_some(effort), goals, tell);
                open.extend::<Vec<Open>>(others);
            }
            if is_last || open.is_empty() {
                return open.into_iter().for_each(|(part, decided)| tell(part.at, decided));
            }
            parts = open.into_iter().map(|(part, _)| part).collect();
            effort = effort.more();
        }
    }

    /// Looks for goals, all at once, by random walks. Gives back those that are still open.
    fn walk(&self, effort: Effort, goals: Vec<Open>, tell: &mut dyn FnMut(usize, Decided)) -> Vec<Open> {
        if goals.is_empty() || self.is_late() {
            return goals;
        }
        let walker = Decider { order: Some(Order::Walk), ..self.within(effort) };
        let parts: Vec<&Part> = goals.iter().map(|(goal, _)| goal).collect();
        let walked = walker.explore(&parts, None).decided;
        let mut open = Vec::new();
        for ((goal, decided), found) in goals.into_iter().zip(walked) {
            if found.is_answered() { tell(goal.at, found) } else { open.push((goal, decided)) }
        }
        open
    }

    /// Looks for goals, each alone: with some effort for all together, or as long as there is time. Gives back those that
    /// are still open.
    fn seek(
        &self,
        effort: Option<Effort>,
        goals: Vec<Open>,
        tell: &mut dyn FnMut(usize, Decided),
    ) -> Vec<Open> {
        let (n_goals, mut open) = (goals.len(), Vec::new());
        for (k, (goal, decided)) in goals.into_iter().enumerate() {
            let rest = self.left().unwrap_or(Duration::MAX) / (n_goals - k) as u32;
            let share =
                effort.map_or(Effort { states: u64::MAX, time: rest }, |effort| effort.of_goal(n_goals));
            let found = if self.is_late() { decided } else { self.within(share).alone(&goal) };
            if found.is_answered() { tell(goal.at, found) } else { open.push((goal, found)) }
        }
        open
    }

    /// Whether there is no time left.
    fn is_late(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }

    /// When a search that starts now has to be over.
    pub fn end(&self) -> Option<Instant> {
        let end = self.time.and_then(|time| Instant::now().checked_add(time));
        end.into_iter().chain(self.deadline).min()
    }

    /// The time until then.
    fn left(&self) -> Option<Duration> {
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

    /// Looks for a goal, if possible by UP sets.
    fn alone(&self, goal: &Part) -> Decided {
        let search = self.order.map_or(Search::Dfs, Search::from);
        let mut explored = self.explore(&[goal], self.reduction(Value::Reach, search, &[PredicateId(0)]));
        explored.decided.pop().expect("there is an answer to each question")
    }

    /// Explores until some questions are answered.
    fn explore(&self, parts: &[&Part], plan: Option<Reduction>) -> Explored {
        let (predicates, wanted, places) = watches(parts);
        let order = self.order(plan.as_ref());
        let stop_after = if parts.iter().any(|part| part.wants_all()) { None } else { Some(1) };
        let mut known = Known::new(wanted.len());
        let explore = |model: &NetModel, options: &search::Options| {
            let reduction = plan.clone();
            let options = search::Options { order, reduction, stop_after, patient: true, ..options.clone() };
            known.complete(search::watch(model, &limited(&known.open(&wanted), model), &options))
        };
        let is_answer = |watched: &Watched| stop_after.is_some() && watched.answers.iter().all(is_settled);
        let watched = match self.search(predicates, explore, is_answer) {
            Ok(watched) => watched,
            Err(decided) => {
                let decide = |(part, place): (&&Part, Range<usize>)| {
                    let answers = known.settled(place).filter(|_| !part.wants_all());
                    let answer = answers.map(|answers| conclude(&part.conclusion, &answers, None));
                    Decided {
                        answer: answer.unwrap_or_else(|| decided.answer.clone()),
                        ..Decided::clone(&decided)
                    }
                };
                return Explored { decided: parts.iter().zip(places).map(decide).collect(), stop: None };
            }
        };
        if let Some(violation) = &watched.wrong {
            return Explored { decided: vec![self.broken(violation); parts.len()], stop: None };
        }
        let decide = |(part, place): (&&Part, Range<usize>)| {
            let answers = &watched.answers[place];
            let answer = conclude(&part.conclusion, answers, watched.stop);
            let mut decided =
                self.decided(answer, &watched.statistics, Search::from(order), watched.complete);
            decided.notes.extend(match (&part.conclusion, answers) {
                (Conclusion::Bound, [search::Answer::Greatest { value, stop: Some(_), .. }]) => {
                    Some(format!("the value is at least {value}"))
                }
                (_, [search::Answer::Failed(failure, _), ..]) => Some(failure.detail.clone()),
                _ => None,
            });
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
        Explored { decided: parts.iter().zip(places).map(decide).collect(), stop: watched.stop }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use petri::{Predicate, Question, example::example, lola};

    use super::super::answers::Answer;
    use super::*;

    /// Answers about six philosophers: may two neighbours eat, may two others, and how many forks lie there.
    fn answers(por: Por, states: u64) -> Vec<(String, String)> {
        let net = Arc::new(example("ph", &[6]).expect("it exists"));
        let goal = |at, text: &str| {
            let goal = lola::read_predicate(text, &net).expect("a predicate");
            Part::goal(at, goal, true)
        };
        let Ok(Question::Bound(sum)) = lola::read_formula("MAX(fork_0 + fork_3)", &net) else {
            panic!("a sum")
        };
        let bound = Part::new(2, Conclusion::Bound, vec![Predicate::Value(sum)]);
        let parts = vec![goal(0, "eat_0 + eat_1 > 1"), goal(1, "eat_0 + eat_2 > 1"), bound];
        let effort = Effort { states, time: Duration::from_secs(60) };
        let decider = Decider { net, por, effort, ..Decider::default() };
        let mut found = vec![None; 3];
        decider.reach(parts, &mut |at, decided| {
            assert!(found[at].is_none(), "nothing is answered twice");
            found[at] = Some(decided);
        });
        let told = |decided: Option<Decided>| {
            let decided = decided.expect("everything is answered");
            let answer = match decided.answer {
                Answer::Truth { holds, shown } => format!("{holds} {}", shown.is_some()),
                Answer::Value(value) => value.to_string(),
                other => panic!("{other:?}"),
            };
            (answer, format!("{} {}", decided.method.search, decided.method.por))
        };
        found.into_iter().map(told).collect()
    }

    #[test]
    fn every_way_to_share_an_effort_leads_to_the_same_answers() {
        let expect = |por, states, methods: [&str; 3]| {
            let (truth, how): (Vec<_>, Vec<_>) = answers(por, states).into_iter().unzip();
            assert_eq!(
                (truth, how),
                (
                    ["false false", "true true", "2"].map(String::from).to_vec(),
                    methods.map(String::from).to_vec()
                )
            );
        };
        expect(Por::Best, u64::MAX, ["reach none"; 3]);
        // What is left open by all is found at random or alone; a sum needs everything.
        expect(Por::Best, 3, ["dfs stubborn", "walk none", "reach none"]);
        expect(Por::None, 3, ["reach none"; 3]);
    }
}
