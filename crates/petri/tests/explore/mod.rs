//! The simplest explorer: an oracle for what is asked about small nets.

use std::collections::HashMap;

use petri::{Atom, Comparison, Formula, Net, TransitionId};

/// All reachable markings, and which follow which.
pub struct Graph {
    pub markings: Vec<Vec<u64>>,
    pub successors: Vec<Vec<usize>>,
}

impl Graph {
    /// Explores a net, unless it has more markings than `limit`.
    pub fn of(net: &Net, limit: usize) -> Option<Graph> {
        let mut graph = Graph { markings: vec![net.initial()], successors: Vec::new() };
        let mut numbers = HashMap::from([(net.initial(), 0)]);
        while graph.successors.len() < graph.markings.len() {
            let marking = graph.markings[graph.successors.len()].clone();
            let mut successors = Vec::new();
            for transition in net.transition_ids().filter(|&transition| enabled(net, transition, &marking)) {
                let next = fire(net, transition, &marking);
                let fresh = numbers.len();
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    graph.markings.push(next.clone());
                    fresh
                });
                successors.push(number);
            }
            graph.successors.push(successors);
            if graph.markings.len() > limit {
                return None;
            }
        }
        Some(graph)
    }

    pub fn n_edges(&self) -> usize {
        self.successors.iter().map(Vec::len).sum()
    }

    /// Where a formula of CTL holds; none if it is not one. A marking without successors repeats for ever.
    #[allow(dead_code, reason = "not every test that explores has formulas")]
    pub fn holds(&self, net: &Net, formula: &Formula) -> Option<Vec<bool>> {
        let all = |predicate: &dyn Fn(usize) -> bool| (0..self.markings.len()).map(predicate).collect();
        let negated = |inner: &Formula| Box::new(Formula::Not(Box::new(inner.clone())));
        let not = |truth: Vec<bool>| truth.into_iter().map(|holds| !holds).collect();
        let dual = |path| self.holds(net, &Formula::Exists(Box::new(path))).map(not);
        let yes = Formula::Constant(true);
        Some(match formula {
            Formula::Constant(value) => all(&|_| *value),
            Formula::Atom(atom) => all(&|at| self.atom(net, at, atom)),
            Formula::Not(inner) => not(self.holds(net, inner)?),
            Formula::And(inner) => {
                let inner = inner.iter().map(|inner| self.holds(net, inner)).collect::<Option<Vec<_>>>()?;
                all(&|at| inner.iter().all(|truth| truth[at]))
            }
            Formula::Or(inner) => {
                let inner = inner.iter().map(|inner| self.holds(net, inner)).collect::<Option<Vec<_>>>()?;
                all(&|at| inner.iter().any(|truth| truth[at]))
            }
            Formula::Exists(path) => match &**path {
                Formula::Next(inner) => {
                    let truth = self.holds(net, inner)?;
                    all(&|at| self.some_next(at, &truth))
                }
                Formula::Eventually(inner) => self.until(&all(&|_| true), self.holds(net, inner)?),
                Formula::Always(inner) => self.always(self.holds(net, inner)?, &all(&|_| false)),
                Formula::Until(left, right) => self.until(&self.holds(net, left)?, self.holds(net, right)?),
                Formula::Release(left, right) => {
                    self.always(self.holds(net, right)?, &self.holds(net, left)?)
                }
                _ => return None,
            },
            Formula::All(path) => match &**path {
                Formula::Next(inner) => dual(Formula::Next(negated(inner)))?,
                Formula::Eventually(inner) => dual(Formula::Always(negated(inner)))?,
                Formula::Always(inner) => dual(Formula::Until(Box::new(yes), negated(inner)))?,
                Formula::Until(left, right) => dual(Formula::Release(negated(left), negated(right)))?,
                Formula::Release(left, right) => dual(Formula::Until(negated(left), negated(right)))?,
                _ => return None,
            },
            _ => return None,
        })
    }

    fn some_next(&self, at: usize, truth: &[bool]) -> bool {
        match &self.successors[at][..] {
            [] => truth[at],
            successors => successors.iter().any(|&next| truth[next]),
        }
    }

    /// The least set that contains `goal`, and what satisfies `before` and has a successor in it.
    fn until(&self, before: &[bool], mut goal: Vec<bool>) -> Vec<bool> {
        loop {
            let old = goal.clone();
            for at in (0..goal.len()).rev() {
                goal[at] |= before[at] && self.some_next(at, &goal);
            }
            if goal == old {
                return goal;
            }
        }
    }

    /// The greatest set inside `truth` of which each is in `end` or has a successor in the set.
    fn always(&self, mut truth: Vec<bool>, end: &[bool]) -> Vec<bool> {
        loop {
            let old = truth.clone();
            for at in (0..truth.len()).rev() {
                truth[at] &= end[at] || self.some_next(at, &truth);
            }
            if truth == old {
                return truth;
            }
        }
    }

    fn atom(&self, net: &Net, at: usize, atom: &Atom) -> bool {
        let marking = &self.markings[at];
        match atom {
            Atom::Deadlock => self.successors[at].is_empty(),
            Atom::Initial => at == 0,
            Atom::Fireable(any) => any.iter().any(|&transition| enabled(net, transition, marking)),
            Atom::Compare(sum, comparison) => {
                let terms =
                    sum.terms.iter().map(|&(place, factor)| factor * marking[place.0 as usize] as i64);
                let value = terms.sum::<i64>() + sum.constant;
                match comparison {
                    Comparison::AtMost => value <= 0,
                    Comparison::Equal => value == 0,
                    Comparison::Different => value != 0,
                }
            }
        }
    }
}

fn enabled(net: &Net, transition: TransitionId, marking: &[u64]) -> bool {
    net.pre(transition).iter().all(|arc| marking[arc.place.0 as usize] >= arc.weight)
}

fn fire(net: &Net, transition: TransitionId, marking: &[u64]) -> Vec<u64> {
    let mut marking = marking.to_vec();
    net.pre(transition).iter().for_each(|arc| marking[arc.place.0 as usize] -= arc.weight);
    net.post(transition).iter().for_each(|arc| marking[arc.place.0 as usize] += arc.weight);
    marking
}
