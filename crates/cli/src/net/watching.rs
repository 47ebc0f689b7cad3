//! What is watched in an exploration, and what follows from it.

use std::ops::Range;

use model::PredicateId;
use petri::{Formula, NetModel, Predicate};
use replay::net::NetClaim;
use report::Tokens;
use search::{StopReason, Watch, Watched};

use super::answers::{Answer, Shown};
use super::decide::TOO_LARGE;

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
    /// The greatest values of a place, and of all together, when everything is explored.
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

    /// Whether all states are to be visited for it, even if nothing is left to watch.
    pub fn wants_all(&self) -> bool {
        matches!(self.conclusion, Conclusion::Tokens)
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
        Predicate::Value(_) | Predicate::Most => Watch::Greatest { predicate: id, at_most: i64::MAX },
    };
    let watches = ids.zip(&predicates).map(watch).collect();
    (predicates, watches, places)
}

/// The same, but what has come as far as it can by what is proven about a net is not watched any longer.
pub fn limited(watches: &[Watch], model: &NetModel) -> Vec<Watch> {
    let limit = |watch: &Watch| match *watch {
        Watch::Greatest { predicate, at_most } => {
            let at_most = model.at_most(predicate).map_or(at_most, |proven| proven.min(at_most));
            Watch::Greatest { predicate, at_most }
        }
        other => other,
    };
    watches.iter().map(limit).collect()
}

/// What is known of watches in an exploration that may be begun anew.
pub struct Known(Vec<Option<search::Answer>>);

impl Known {
    pub fn new(n_watches: usize) -> Known {
        Known(vec![None; n_watches])
    }

    /// Those that are left to watch.
    pub fn open(&self, watches: &[Watch]) -> Vec<Watch> {
        let open = watches.iter().zip(&self.0).filter(|(_, known)| known.is_none());
        open.map(|(watch, _)| *watch).collect()
    }

    /// Notes what has come of these, and adds what was known before.
    pub fn complete(&mut self, watched: Watched) -> Watched {
        let mut found = watched.answers.into_iter();
        let mut answers = Vec::new();
        for known in &mut self.0 {
            let answer = known.clone().or_else(|| found.next()).expect("what is open was watched");
            *known = Some(answer.clone()).filter(is_settled);
            answers.push(answer);
        }
        Watched { answers, ..watched }
    }

    /// The answers to some, if all of them are known.
    pub fn settled(&self, watches: Range<usize>) -> Option<Vec<search::Answer>> {
        self.0[watches].iter().cloned().collect()
    }
}

/// Whether no search would find out more.
pub fn is_settled(answer: &search::Answer) -> bool {
    !matches!(answer, search::Answer::Unknown(_) | search::Answer::Greatest { stop: Some(_), .. })
}

/// What follows from the answers to the watches of a question, in a search that was stopped or not.
pub fn conclude(conclusion: &Conclusion, answers: &[search::Answer], stop: Option<StopReason>) -> Answer {
    use search::Answer::{Failed, Greatest, Reached, Unknown, Unreachable};
    let truth = |holds| Answer::Truth { holds, shown: None };
    let stopped = answers.iter().find_map(|answer| match answer {
        Unknown(stop) | Greatest { stop: Some(stop), .. } => Some(Answer::Unknown(stop.to_string())),
        Failed(..) => Some(Answer::Unknown(TOO_LARGE.to_string())),
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
        Conclusion::Tokens => match stop {
            Some(stop) => Answer::Unknown(stop.to_string()),
            None => Answer::Tokens(Tokens { in_place: greatest(&answers[0]), in_all: greatest(&answers[1]) }),
        },
    }
}

fn greatest(answer: &search::Answer) -> i64 {
    match answer {
        search::Answer::Greatest { value, .. } => *value,
        _ => 0,
    }
}
