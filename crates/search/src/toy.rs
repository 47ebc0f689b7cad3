//! A model given by its edges, for tests.

use std::ops::Range;

use model::{
    Action, Actions, Actor, End, Failure, FailureKind, Location, Model, Outcome, OutcomeKind, Phase,
    PredicateId, Random, Series, Step, StepText, Successors, Trace, Variable,
};

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    To(u64),
    /// Through as many unobservable steps before the last.
    Through(usize, u64),
    /// To a failed assertion, and on to a state.
    Asserts(u64),
    /// To a runtime error.
    Fails,
}

impl Edge {
    fn target(self) -> Option<u64> {
        match self {
            Edge::To(next) | Edge::Through(_, next) | Edge::Asserts(next) => Some(next),
            Edge::Fails => None,
        }
    }
}

/// A graph whose nodes are the states. The first node is initial; a node without edges is an
/// invalid end unless it is listed in `ends`.
#[derive(Default)]
pub struct Toy {
    pub edges: Vec<Vec<Edge>>,
    pub ends: Vec<u64>,
    /// For each predicate its value in each node.
    pub values: Vec<Vec<i64>>,
    /// How far each node seems to be from what is asked for, if that is known.
    pub distances: Vec<u64>,
}

/// The value of a predicate that cannot be evaluated.
pub const FAILS: i64 = i64::MIN;

impl Toy {
    pub fn new(edges: Vec<Vec<Edge>>) -> Toy {
        Toy { edges, ..Toy::default() }
    }

    /// A random graph without violations, apart from invalid ends.
    pub fn random(n_nodes: u64, seed: u64) -> Toy {
        let mut random = Random::new(seed);
        let mut next = || random.draw() >> 1;
        let mut node = || {
            let n_edges = next() % 4;
            (0..n_edges).map(|_| Edge::Through((next() % 2) as usize, next() % n_nodes)).collect()
        };
        Toy::new((0..n_nodes).map(|_| node()).collect())
    }

    /// Where a node leads.
    pub fn next(&self, node: u64) -> impl Iterator<Item = u64> {
        self.edges[node as usize].iter().filter_map(|edge| edge.target())
    }

    /// The nodes on the way of a trace, if there is such a run: from the first one on, one for each
    /// observable step.
    pub fn walk(&self, trace: &Trace) -> Option<Vec<u64>> {
        let mut nodes = vec![0];
        for step in trace.steps.iter().filter(|step| step.observable) {
            let node = nodes[nodes.len() - 1];
            let next = match step.is_stutter() {
                true => self.edges[node as usize].is_empty().then_some(node),
                false => self.edges[node as usize][step.action.actor.transition as usize].target(),
            };
            nodes.push(next?);
        }
        Some(nodes)
    }

    fn words(node: u64) -> Vec<u64> {
        // Of varying length.
        vec![node; 1 + (node % 3) as usize]
    }

    pub fn failure(kind: FailureKind) -> Failure {
        Failure { kind, location: Location::default(), detail: String::new() }
    }
}

impl Model for Toy {
    fn initial(&self, out: &mut Vec<u64>) -> Result<(), Failure> {
        if self.edges.is_empty() {
            return Err(Toy::failure(FailureKind::DivisionByZero));
        }
        out.extend(Toy::words(0));
        Ok(())
    }

    fn enabled(&self, state: &[u64], out: &mut Actions) {
        out.clear();
        out.list.extend((0..self.edges[state[0] as usize].len()).map(|k| Action::solo(Actor(0), k as u32)));
    }

    fn fire(&self, chosen: &Actions, state: &[u64], out: &mut Successors) {
        for (index, action) in chosen.list.iter().enumerate() {
            let edge = self.edges[state[0] as usize][action.actor.transition as usize];
            out.note_executed(action);
            let hidden = if let Edge::Through(n, _) = edge { n } else { 0 };
            let start = out.steps.len() as u32;
            if out.record {
                let step = Step { action: *action, observable: false, phase: Phase::Normal };
                out.steps.extend(std::iter::repeat_n(step, hidden));
                out.steps.push(Step { observable: true, ..step });
            }
            let steps = start..out.steps.len() as u32;
            let mut push =
                |kind| out.outcomes.push(Outcome { action: index as u32, kind, steps: steps.clone() });
            match edge {
                Edge::Asserts(_) => push(OutcomeKind::Failed(Box::new(Toy::failure(FailureKind::Assertion)))),
                Edge::Fails => push(OutcomeKind::Failed(Box::new(Toy::failure(FailureKind::DivisionByZero)))),
                Edge::To(_) | Edge::Through(..) => {}
            }
            if let Edge::To(node) | Edge::Through(_, node) | Edge::Asserts(node) = edge {
                let start = out.words.len() as u32;
                out.words.extend(Toy::words(node));
                push(OutcomeKind::State(start..out.words.len() as u32));
            }
        }
    }

    /// Easy are nodes that lead to states of one length only.
    fn expand_plainly(
        &self,
        words: &[u64],
        places: &[Range<usize>],
        out: &mut Successors,
        series: &mut Vec<Series>,
    ) {
        for place in places {
            let node = words[place.start];
            assert_eq!(words[place.clone()], Toy::words(node));
            let edges = &self.edges[node as usize];
            let lens = edges.iter().map(|edge| match edge {
                Edge::To(next) | Edge::Through(_, next) => Toy::words(*next).len(),
                Edge::Asserts(_) | Edge::Fails => 0,
            });
            let len = lens.clone().next().unwrap_or(0);
            if len == 0 || lens.clone().any(|other| other != len) {
                series.push(Series::default());
                continue;
            }
            let first = out.words.len() as u32;
            for (at, next) in self.next(node).enumerate() {
                out.note_executed(&Action::solo(Actor(0), at as u32));
                out.words.extend(Toy::words(next));
            }
            series.push(Series { first, len: len as u32, distance: len as u32, n: edges.len() as u32 });
        }
    }

    fn predicate(&self, predicate: PredicateId, state: &[u64]) -> Result<i64, Failure> {
        match self.values[predicate.0 as usize][state[0] as usize] {
            FAILS => Err(Toy::failure(FailureKind::IndexOutOfRange)),
            value => Ok(value),
        }
    }

    fn distance(&self, predicate: PredicateId, state: &[u64]) -> u64 {
        let known = self.distances.get(state[0] as usize).copied();
        known.unwrap_or_else(|| u64::from(self.predicate(predicate, state) == Ok(0)))
    }

    fn end(&self, state: &[u64]) -> End {
        if self.ends.contains(&state[0]) { End::Valid } else { End::Invalid }
    }

    fn describe(&self, _: &Step, _: &[u64]) -> StepText {
        StepText::default()
    }

    fn variables(&self, _: &[u64]) -> Vec<Variable> {
        Vec::new()
    }
}
