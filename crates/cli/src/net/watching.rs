//! What is watched in an exploration, and what follows from it.

use std::ops::Range;

use model::PredicateId;
use petri::{Formula, NetModel, Predicate};
use replay::net::NetClaim;
use report::Tokens;
use search::{StopReason, Watch, Watched};

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
    /// The greatest values of a place, and of all together, when everything is explored.
    Tokens,
}

/// A question that is answered by watching.
pub struct Part {
    /// Its number among those that were asked.
    pub at: usize,
    pub watches: Range<usize>,
    pub conclusion: Conclusion,
}

/// What is watched in one exploration.
#[derive(Default)]
pub struct Exploration {
    pub predicates: Vec<Predicate>,
    pub watches: Vec<Watch>,
    pub parts: Vec<Part>,
}

impl Exploration {
    pub fn add(&mut self, at: usize, conclusion: Conclusion, watched: impl IntoIterator<Item = Predicate>) {
        let first = self.watches.len();
        for predicate in watched {
            let id = PredicateId(self.predicates.len() as u32);
            self.watches.push(match predicate {
                Predicate::Formula(_) => Watch::Reachable(id),
                Predicate::Value(_) | Predicate::Most => Watch::Greatest { predicate: id, at_most: i64::MAX },
            });
            self.predicates.push(predicate);
        }
        self.parts.push(Part { at, watches: first..self.watches.len(), conclusion });
    }

    /// Whether all states are to be visited, even if nothing is left to watch.
    pub fn wants_all(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.conclusion, Conclusion::Tokens))
    }
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
pub fn conclude(conclusion: Conclusion, answers: &[search::Answer], stop: Option<StopReason>) -> Answer {
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
                let shown = Shown { trace: trace.clone(), claim: NetClaim::Reaches(goal) };
                Answer::Truth { holds: wanted, shown: Some(shown) }
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
