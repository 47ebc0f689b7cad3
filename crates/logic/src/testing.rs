//! Formulas, automata and words for tests.

use crate::{Automaton, BinaryOp, Cube, Edge, Guard, Ltl, State, UnaryOp};

/// A word: what comes first and what comes again and again.
pub(crate) type Lasso = (Vec<u64>, Vec<u64>);

pub(crate) const UNARY: [UnaryOp; 4] = [UnaryOp::Not, UnaryOp::Next, UnaryOp::Always, UnaryOp::Eventually];

pub(crate) const BINARY: [BinaryOp; 9] = [
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Implies,
    BinaryOp::Equivalent,
    BinaryOp::Xor,
    BinaryOp::Until,
    BinaryOp::WeakUntil,
    BinaryOp::Release,
    BinaryOp::StrongRelease,
];

/// Numbers that look random and are always the same.
pub(crate) struct Random(model::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(model::Random::new(seed))
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0.draw() % bound
    }

    pub(crate) fn formula(&mut self, size: u64, n_atoms: u64) -> Ltl<u32> {
        match size {
            1 if self.below(20) == 0 => Ltl::Constant(self.below(2) == 0),
            1 => Ltl::Atom(self.below(n_atoms) as u32),
            _ if size == 2 || self.below(5) < 2 => {
                Ltl::unary(UNARY[self.below(4) as usize], self.formula(size - 1, n_atoms))
            }
            _ => {
                let left = 1 + self.below(size - 2);
                let op = BINARY[self.below(9) as usize];
                Ltl::binary(op, self.formula(left, n_atoms), self.formula(size - 1 - left, n_atoms))
            }
        }
    }

    pub(crate) fn lasso(&mut self, n_atoms: u64) -> Lasso {
        let (prefix, cycle) = (self.below(5), 1 + self.below(5));
        let mut word = |length| (0..length).map(|_| self.below(1 << n_atoms)).collect();
        (word(prefix), word(cycle))
    }

    /// Any small automaton over two atoms.
    pub(crate) fn automaton(&mut self, n_sets: u32) -> Automaton {
        let n_states = 1 + self.below(6);
        let states = (0..n_states).map(|_| State { edges: self.edges(n_states, n_sets) }).collect();
        Automaton { n_sets, initial: 0, states }
    }

    /// As [`Random::automaton`], with one acceptance set and on states.
    pub(crate) fn state_based_automaton(&mut self) -> Automaton {
        let mut automaton = self.automaton(1);
        for state in &mut automaton.states {
            let accepts = self.below(2);
            state.edges.iter_mut().for_each(|edge| edge.accepts = accepts);
        }
        automaton
    }

    fn edges(&mut self, n_states: u64, n_sets: u32) -> Vec<Edge> {
        (0..self.below(5))
            .map(|_| {
                let (cared, values) = (self.below(4), self.below(4));
                let cube = Cube { positive: cared & values, negative: cared & !values };
                let target = self.below(n_states) as u32;
                Edge { guard: Guard { cubes: vec![cube] }, accepts: self.below(1 << n_sets), target }
            })
            .collect()
    }
}

/// All words of a length over two atoms.
fn words(length: u32) -> impl Iterator<Item = Vec<u64>> {
    (0..1u64 << (2 * length)).map(move |code| (0..length).map(|i| code >> (2 * i) & 3).collect())
}

/// All lassos over two atoms with a short prefix and a short cycle.
pub(crate) fn small_lassos() -> Vec<Lasso> {
    let shapes = [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1), (2, 2)];
    let lassos = |(prefix, cycle)| {
        words(prefix).flat_map(move |prefix| words(cycle).map(move |cycle| (prefix.clone(), cycle)))
    };
    shapes.into_iter().flat_map(lassos).collect()
}
