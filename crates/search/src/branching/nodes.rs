//! Formulas of CTL by a few operators, each subformula once.

use logic::{Ctl, Quantifier};
use model::PredicateId;
use rustc_hash::FxHashMap;

/// A formula over the numbers of smaller ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subformula {
    Constant(bool),
    Atom(PredicateId),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    /// EX
    Next(usize),
    Until(Quantifier, usize, usize),
}

/// A formula that is put together, smaller ones first.
#[derive(Default)]
pub struct Nodes {
    nodes: Vec<Subformula>,
    /// For each one, how many path quantifiers it has in each other.
    heights: Vec<u32>,
    numbers: FxHashMap<Subformula, usize>,
}

impl Nodes {
    /// The subformulas of a formula, and its own number.
    pub fn of(formula: &Ctl<PredicateId>) -> (Vec<Subformula>, usize) {
        let mut nodes = Nodes::default();
        let top = nodes.node_of(formula);
        (nodes.nodes, top)
    }

    fn node_of(&mut self, formula: &Ctl<PredicateId>) -> usize {
        match formula {
            Ctl::Constant(value) => self.add(Subformula::Constant(*value)),
            Ctl::Atom(predicate) => self.add(Subformula::Atom(*predicate)),
            Ctl::Not(a) => {
                let a = self.node_of(a);
                self.negated(a)
            }
            Ctl::And(operands) => self.join(operands, true, Subformula::And),
            Ctl::Or(operands) => self.join(operands, false, Subformula::Or),
            Ctl::Next(quantifier, a) => {
                let a = self.node_of(a);
                match quantifier {
                    Quantifier::Exists => self.add(Subformula::Next(a)),
                    Quantifier::All => {
                        let not_a = self.negated(a);
                        let next = self.add(Subformula::Next(not_a));
                        self.negated(next)
                    }
                }
            }
            Ctl::Eventually(quantifier, a) => {
                let (anything, a) = (self.add(Subformula::Constant(true)), self.node_of(a));
                self.add(Subformula::Until(*quantifier, anything, a))
            }
            Ctl::Always(quantifier, a) => {
                let (nothing, a) = (self.add(Subformula::Constant(false)), self.node_of(a));
                self.release(*quantifier, nothing, a)
            }
            Ctl::Until(quantifier, a, b) => {
                let (a, b) = (self.node_of(a), self.node_of(b));
                self.add(Subformula::Until(*quantifier, a, b))
            }
            Ctl::WeakUntil(quantifier, a, b) => {
                let (a, b) = (self.node_of(a), self.node_of(b));
                let either = self.add(Subformula::Or(a, b));
                self.release(*quantifier, b, either)
            }
            Ctl::Release(quantifier, a, b) => {
                let (a, b) = (self.node_of(a), self.node_of(b));
                self.release(*quantifier, a, b)
            }
        }
    }

    fn add(&mut self, node: Subformula) -> usize {
        let height = match node {
            Subformula::Constant(_) | Subformula::Atom(_) => 0,
            Subformula::Not(a) => self.heights[a],
            Subformula::And(a, b) | Subformula::Or(a, b) => self.heights[a].max(self.heights[b]),
            Subformula::Next(a) => self.heights[a] + 1,
            Subformula::Until(_, a, b) => self.heights[a].max(self.heights[b]) + 1,
        };
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.heights.push(height);
            self.nodes.len() - 1
        })
    }

    fn negated(&mut self, a: usize) -> usize {
        match self.nodes[a] {
            Subformula::Constant(value) => self.add(Subformula::Constant(!value)),
            Subformula::Not(b) => b,
            _ => self.add(Subformula::Not(a)),
        }
    }

    /// Where `a` releases `b`, it is not so that of the others `a` does not hold until `b` does not.
    fn release(&mut self, quantifier: Quantifier, a: usize, b: usize) -> usize {
        let others = match quantifier {
            Quantifier::All => Quantifier::Exists,
            Quantifier::Exists => Quantifier::All,
        };
        let (not_a, not_b) = (self.negated(a), self.negated(b));
        let until = self.add(Subformula::Until(others, not_a, not_b));
        self.negated(until)
    }

    /// Joins operands, those first that are cheaper to evaluate.
    fn join(
        &mut self,
        operands: &[Ctl<PredicateId>],
        of_none: bool,
        op: fn(usize, usize) -> Subformula,
    ) -> usize {
        let mut operands: Vec<usize> = operands.iter().map(|operand| self.node_of(operand)).collect();
        operands.sort_by_key(|&operand| self.heights[operand]);
        // In pairs: formulas are evaluated recursively, and there may be many operands.
        while operands.len() > 1 {
            let pairs = operands.chunks(2);
            operands =
                pairs.map(|pair| if let [a, b] = *pair { self.add(op(a, b)) } else { pair[0] }).collect();
        }
        operands.first().copied().unwrap_or_else(|| self.add(Subformula::Constant(of_none)))
    }
}
