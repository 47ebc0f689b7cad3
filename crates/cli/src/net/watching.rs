//! What is watched in an exploration, and what follows from it.

use std::ops::Range;

use model::PredicateId;
use petri::{Formula, Predicate};
use replay::net::NetClaim;
use search::Watch;

use super::answers::{Answer, Shown};

/// How an answer follows from what was watched.
pub enum Conclusion {
    /// It holds if the answer to the only watch is this.
    Reachable { goal: Formula, wanted: bool },
    /// It is the greatest value.
    Bound,
    /// It holds if none of these is out of reach.
    AllReached,
    /// It holds if one of these is out of reach.
    SomeUnreached,
    /// The greatest values of all places, and of all together.
    Tokens,
}

/// A question that is answered by watching.
pub struct Part {
    /// Its number among those that were asked.
    pub at: usize,
    pub conclusion: Conclusion,
    /// What is watched for it.
    pub predicates: Vec<Predicate>,
    /// Whether it pays to ask it alone: it is about the way to one goal.
    pub is_goal: bool,
}

impl Part {
    /// Some predicates are watched.
    pub fn new(at: usize, conclusion: Conclusion, predicates: Vec<Predicate>) -> Part {
        Part { at, conclusion, predicates, is_goal: false }
    }

    /// Whether a marking can be reached in which a formula holds.
    pub fn reachable(at: usize, goal: Formula, wanted: bool) -> Part {
        let predicates = vec![Predicate::Formula(goal.clone())];
        Part::new(at, Conclusion::Reachable { goal, wanted }, predicates)
    }

    /// The same, to be asked alone if there is reason to.
    pub fn goal(at: usize, goal: Formula, wanted: bool) -> Part {
        Part { is_goal: true, ..Part::reachable(at, goal, wanted) }
    }
}

/// What is to be watched for some questions, and for each its place among that.
pub fn watches(parts: &[&Part]) -> (Vec<Predicate>, Vec<Watch>, Vec<Range<usize>>) {
    let (mut predicates, mut places) = (Vec::new(), Vec::new());
    for part in parts {
        places.push(predicates.len()..predicates.len() + part.predicates.len());
        predicates.extend_from_slice(&part.predicates);
    }
    let ids = (0..predicates.len() as u32).map(PredicateId);
    let watch = |(id, predicate): (PredicateId, &Predicate)| match predicate {
        Predicate::Formula(_) => Watch::Reachable(id),
        Predicate::Value(_) => Watch::Greatest { predicate: id, at_most: i64::MAX },
    };
    let watches = ids.zip(&predicates).map(watch).collect();
    (predicates, watches, places)
}

/// What follows from the answers to the watches of a question.
pub fn conclude(conclusion: &Conclusion, answers: &[search::Answer]) -> Answer {
    use search::Answer::{Failed, Greatest, Reached, Unknown, Unreachable};
    let truth = |holds| Answer::Truth { holds, shown: None };
    let stopped = answers.iter().find_map(|answer| match answer {
        Unknown(stop) | Greatest { stop: Some(stop), .. } => Some(Answer::Unknown(stop.to_string())),
        Failed(failure, _) => Some(Answer::Unknown(failure.detail.clone())),
        _ => None,
    });
    let is_unreached = answers.contains(&Unreachable);
    match conclusion {
        Conclusion::AllReached if is_unreached => truth(false),
        Conclusion::SomeUnreached if is_unreached => truth(true),
        _ if stopped.is_some() => stopped.expect("it is"),
        Conclusion::AllReached => truth(true),
        Conclusion::SomeUnreached => truth(false),
        Conclusion::Reachable { goal, wanted } => match &answers[0] {
            Reached(trace) => {
                let shown = Shown { trace: trace.clone(), claim: NetClaim::Reaches(goal.clone()) };
                Answer::Truth { holds: *wanted, shown: Some(shown) }
            }
            _ => truth(!wanted),
        },
        Conclusion::Bound => Answer::Value(greatest(&answers[0])),
        Conclusion::Tokens => {
            let (all, places) = answers.split_last().expect("all places together are one of them");
            Answer::Tokens { in_place: places.iter().map(greatest).max().unwrap_or(0), in_all: greatest(all) }
        }
    }
}

pub fn greatest(answer: &search::Answer) -> i64 {
    match answer {
        search::Answer::Greatest { value, .. } => *value,
        _ => 0,
    }
}
