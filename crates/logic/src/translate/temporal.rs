//! Simplification of temporal operators.
//!
//! The laws stand here for until; release gets the same laws by negation. Most go back to Somenzi
//! and Bloem, and to Etessami and Holzmann.

use super::term::{Node, Term, Terms};

impl Terms<'_> {
    /// The operand holds in the next state.
    pub(super) fn next(&mut self, operand: Term) -> Term {
        if self.is_constant(operand) {
            return operand;
        }
        match self.node(operand).clone() {
            Node::And(parts) if parts.iter().any(|&part| self.is_constant(part)) => {
                let parts: Vec<Term> = parts.into_iter().map(|part| self.next(part)).collect();
                self.and(parts)
            }
            Node::Or(parts) if parts.iter().any(|&part| self.is_constant(part)) => {
                let parts: Vec<Term> = parts.into_iter().map(|part| self.next(part)).collect();
                self.or(parts)
            }
            _ => self.intern(Node::Next(operand)),
        }
    }

    /// The operand holds now or later.
    pub(super) fn eventually(&mut self, operand: Term) -> Term {
        self.until(Term::TRUE, operand)
    }

    /// The operand holds from now on.
    pub(super) fn always(&mut self, operand: Term) -> Term {
        self.release(Term::FALSE, operand)
    }

    /// `left` until `right`.
    pub(super) fn until(&mut self, left: Term, right: Term) -> Term {
        if self.is_over() || self.is_eventual(right) || self.implies(left, right) {
            return right;
        }
        let simpler = match left {
            Term::TRUE => self.eventually_by_operand(right),
            _ => self.until_by_left(left, right),
        };
        let simpler = simpler.or_else(|| self.until_by_right(left, right));
        simpler.unwrap_or_else(|| self.intern(Node::Until(left, right)))
    }

    /// `right` up to and including the first `left`.
    pub(super) fn release(&mut self, left: Term, right: Term) -> Term {
        let (not_left, not_right) = (self.not(left), self.not(right));
        let negation = self.until(not_left, not_right);
        self.not(negation)
    }

    /// Laws that look at what holds before.
    fn until_by_left(&mut self, left: Term, right: Term) -> Option<Term> {
        let (not_left, not_right) = (self.not(left), self.not(right));
        if self.implies(not_left, right) {
            return Some(self.eventually(right));
        }
        let simpler = match *self.node(left) {
            Node::Until(_, end) if end == right => return Some(left),
            // A part that implies the right side ends the waiting.
            Node::Or(_) => {
                let mut parts = self.disjuncts(left);
                parts.retain(|&part| !self.implies(part, right));
                self.or(parts)
            }
            // Nobody waits where the right side holds.
            Node::And(_) => {
                let mut parts = self.conjuncts(left);
                parts.retain(|&part| !self.implies(not_right, part));
                self.and(parts)
            }
            _ => left,
        };
        (simpler != left).then(|| self.until(simpler, right))
    }

    /// Laws that look at what is waited for.
    fn until_by_right(&mut self, left: Term, right: Term) -> Option<Term> {
        match *self.node(right) {
            Node::Next(end) => {
                let before = match *self.node(left) {
                    Node::Constant(true) => left,
                    Node::Next(before) => before,
                    _ => return None,
                };
                let until = self.until(before, end);
                Some(self.next(until))
            }
            Node::Until(before, end) => self.until_until(left, before, end),
            Node::And(_) => {
                let parts = self.conjuncts(right);
                let (fixed, others) = self.partition(parts, |terms, part| terms.is_constant(part))?;
                let others = self.and(others);
                let until = self.until(left, others);
                Some(self.and([fixed, vec![until]].concat()))
            }
            Node::Or(_) => {
                let parts = self.disjuncts(right);
                let Some((fixed, others)) = self.partition(parts, |terms, part| terms.is_eventual(part))
                else {
                    return self.until_nested(left, right);
                };
                let others = self.or(others);
                let until = self.until(left, others);
                Some(self.or([fixed, vec![until]].concat()))
            }
            _ => None,
        }
    }

    /// `a U (b U c)`: of `a` and `b`, the weaker is enough.
    fn until_until(&mut self, left: Term, before: Term, end: Term) -> Option<Term> {
        if self.implies(before, left) {
            Some(self.until(left, end))
        } else if self.implies(left, before) {
            Some(self.until(before, end))
        } else {
            None
        }
    }

    /// `a U (b | (c U d))` is `a U (b | d)` if `c` implies `a`.
    fn until_nested(&mut self, left: Term, right: Term) -> Option<Term> {
        let mut parts = self.disjuncts(right);
        for part in &mut parts {
            if let Node::Until(before, end) = *self.node(*part)
                && self.implies(before, left)
            {
                *part = end;
            }
        }
        let simpler = self.or(parts);
        (simpler != right).then(|| self.until(left, simpler))
    }

    /// Laws of eventually.
    fn eventually_by_operand(&mut self, operand: Term) -> Option<Term> {
        match *self.node(operand) {
            Node::Until(_, end) => Some(self.eventually(end)),
            Node::Or(_) if self.is_universal(operand) => {
                let parts = self.disjuncts(operand);
                let parts: Vec<Term> = parts.into_iter().map(|part| self.eventually(part)).collect();
                Some(self.or(parts))
            }
            Node::Release(Term::FALSE, always) => self.eventually_always_by_operand(always),
            _ => None,
        }
    }

    /// Laws of eventually always: what only comes or only goes is constant in the long run.
    fn eventually_always_by_operand(&mut self, operand: Term) -> Option<Term> {
        let monotone = |terms: &Terms<'_>, part| terms.is_eventual(part) || terms.is_universal(part);
        match *self.node(operand) {
            Node::And(_) => {
                let (mut parts, others) = self.partition(self.conjuncts(operand), monotone)?;
                parts.push(self.and(others));
                let parts: Vec<Term> = parts.into_iter().map(|part| self.eventually_always(part)).collect();
                Some(self.and(parts))
            }
            Node::Or(_) => {
                let (mut parts, others) = self.partition(self.disjuncts(operand), monotone)?;
                parts.push(self.or(others));
                let parts: Vec<Term> = parts.into_iter().map(|part| self.eventually_always(part)).collect();
                Some(self.or(parts))
            }
            Node::Until(before, end) => {
                let either = self.or([before, end]);
                let held = self.eventually_always(either);
                let eventually = self.eventually(end);
                let recurring = self.always(eventually);
                Some(self.and([held, recurring]))
            }
            _ => None,
        }
    }

    fn eventually_always(&mut self, operand: Term) -> Term {
        let always = self.always(operand);
        self.eventually(always)
    }

    /// The parts with a property and the others, unless one of them is empty.
    fn partition(
        &self,
        parts: Vec<Term>,
        has: impl Fn(&Terms<'_>, Term) -> bool,
    ) -> Option<(Vec<Term>, Vec<Term>)> {
        let (with, without): (Vec<Term>, Vec<Term>) = parts.into_iter().partition(|&part| has(self, part));
        (!with.is_empty() && !without.is_empty()).then_some((with, without))
    }

    /// The formula with its constant part as something that holds from some time on: this can be
    /// waited for in one state, whatever it is that holds then.
    pub(super) fn delayed(&mut self, term: Term) -> Term {
        match self.node(term).clone() {
            _ if self.is_constant(term) => {
                let settled = self.settled(term);
                if settled == term { term } else { self.intern(Node::Until(Term::TRUE, settled)) }
            }
            Node::And(parts) => match self.partition(parts, |terms, part| terms.is_constant(part)) {
                Some((constant, mut parts)) => {
                    let constant = self.and(constant);
                    parts.push(self.delayed(constant));
                    self.intern(Node::And(parts))
                }
                None => term,
            },
            Node::Or(parts) => match self.partition(parts, |terms, part| terms.is_constant(part)) {
                Some((constant, mut parts)) => {
                    let constant = self.or(constant);
                    parts.push(self.delayed(constant));
                    self.intern(Node::Or(parts))
                }
                None => term,
            },
            _ => term,
        }
    }

    /// A formula to which a constant formula comes in the long run.
    fn settled(&mut self, term: Term) -> Term {
        match self.node(term).clone() {
            Node::Until(Term::TRUE, operand) => operand,
            Node::And(parts) => {
                let parts = parts.into_iter().map(|part| self.settled(part)).collect();
                self.intern(Node::And(parts))
            }
            Node::Or(parts) => {
                let parts = parts.into_iter().map(|part| self.settled(part)).collect();
                self.intern(Node::Or(parts))
            }
            _ => term,
        }
    }
}
