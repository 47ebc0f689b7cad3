//! A quick check whether a formula implies another. It misses some implications, but never invents
//! one.

use super::term::{Node, Term, Terms};

impl Terms<'_> {
    /// Whether `b` certainly holds wherever `a` does.
    pub(super) fn implies(&mut self, a: Term, b: Term) -> bool {
        if a == b || a == Term::FALSE || b == Term::TRUE {
            return true;
        }
        if a == Term::TRUE || b == Term::FALSE {
            return false;
        }
        if !self.step() {
            return false;
        }
        if let Some(&known) = self.implications.get(&(a, b)) {
            return known;
        }
        let (not_a, not_b) = (self.not(a), self.not(b));
        let result = self.implies_by_law(a, b) || self.implies_by_law(not_b, not_a);
        self.implications.insert((a, b), result);
        self.implications.insert((not_b, not_a), result);
        result
    }

    /// Half of the laws; the other half are their contrapositives.
    fn implies_by_law(&mut self, a: Term, b: Term) -> bool {
        let by_left = match self.node(a).clone() {
            Node::And(parts) => parts.iter().any(|&part| self.implies(part, b)),
            Node::Or(parts) => parts.iter().all(|&part| self.implies(part, b)),
            Node::Next(operand) => self.is_eventual(b) && self.implies(operand, b),
            Node::Until(left, right) => {
                self.implies(right, b) && (self.is_eventual(b) || self.implies(left, b))
            }
            Node::Release(_, right) => self.implies(right, b),
            Node::Constant(_) | Node::Literal { .. } => false,
        };
        by_left || self.implies_by_both(a, b)
    }

    /// Laws for two formulas of a kind.
    fn implies_by_both(&mut self, a: Term, b: Term) -> bool {
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Next(a), Node::Next(b)) => self.implies(a, b),
            (Node::Until(a, b), Node::Until(c, d)) => self.implies(a, c) && self.implies(b, d),
            (Node::Until(a, b), Node::Release(c, d)) => {
                self.implies(a, d) && self.implies(b, c) && self.implies(b, d)
            }
            _ => false,
        }
    }
}
