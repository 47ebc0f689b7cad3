//! Simplification of conjunctions. Disjunctions get the same laws by negation.

use super::term::{Node, Term, Terms};

impl Terms<'_> {
    /// The conjunction.
    pub(super) fn and(&mut self, parts: impl IntoIterator<Item = Term>) -> Term {
        if self.is_over() {
            return Term::FALSE;
        }
        let mut parts: Vec<Term> = parts.into_iter().flat_map(|part| self.conjuncts(part)).collect();
        parts.sort_unstable();
        parts.dedup();
        if self.contradictory(&parts) {
            return Term::FALSE;
        }
        self.absorb(&mut parts);
        if let Some(simpler) = self.resolve(&parts).or_else(|| self.merge(&parts)) {
            return self.and(simpler);
        }
        match parts[..] {
            [] => Term::TRUE,
            [only] => only,
            _ => self.intern(Node::And(parts)),
        }
    }

    /// The disjunction.
    pub(super) fn or(&mut self, parts: impl IntoIterator<Item = Term>) -> Term {
        let negations: Vec<Term> = parts.into_iter().map(|part| self.not(part)).collect();
        let neither = self.and(negations);
        self.not(neither)
    }

    fn contradictory(&mut self, parts: &[Term]) -> bool {
        parts.iter().enumerate().any(|(i, &part)| {
            let negation = self.not(part);
            parts[i..].iter().any(|&other| self.implies(other, negation))
        })
    }

    /// Drops parts that other parts imply.
    fn absorb(&mut self, parts: &mut Vec<Term>) {
        let mut i = 0;
        while i < parts.len() {
            let part = parts[i];
            match parts.iter().any(|&other| other != part && self.implies(other, part)) {
                true => drop(parts.remove(i)),
                false => i += 1,
            }
        }
    }

    /// The parts with one of them simplified by what the others say.
    fn resolve(&mut self, parts: &[Term]) -> Option<Vec<Term>> {
        for (i, &part) in parts.iter().enumerate() {
            let others = [&parts[..i], &parts[i + 1..]].concat();
            if let Some(simpler) = self.resolved(part, &others) {
                return Some([others, vec![simpler]].concat());
            }
        }
        None
    }

    /// `!a | b` next to `a` is `b`, and `a R b` next to `a` is `b`.
    fn resolved(&mut self, part: Term, others: &[Term]) -> Option<Term> {
        match *self.node(part) {
            Node::Or(_) => {
                let parts = self.disjuncts(part);
                let mut kept = parts.clone();
                kept.retain(|&part| {
                    let negation = self.not(part);
                    !others.iter().any(|&other| self.implies(other, negation))
                });
                (kept.len() < parts.len()).then(|| self.or(kept))
            }
            Node::Release(left, right) => {
                others.iter().any(|&other| self.implies(other, left)).then_some(right)
            }
            _ => None,
        }
    }

    /// The parts with two of them made one.
    fn merge(&mut self, parts: &[Term]) -> Option<Vec<Term>> {
        for (i, &first) in parts.iter().enumerate() {
            for (j, &second) in parts.iter().enumerate().skip(i + 1) {
                let merged = self.merged(first, second);
                let merged =
                    merged.or_else(|| self.awaited(first, second)).or_else(|| self.awaited(second, first));
                if let Some(merged) = merged {
                    let others = parts.iter().enumerate().filter(|&(k, _)| k != i && k != j);
                    return Some(others.map(|(_, &part)| part).chain([merged]).collect());
                }
            }
        }
        None
    }

    /// Merges two formulas with the same operator.
    fn merged(&mut self, first: Term, second: Term) -> Option<Term> {
        let constant = self.is_constant(first) || self.is_constant(second);
        match (self.node(first), self.node(second)) {
            (&Node::Next(a), &Node::Next(b)) => {
                let both = self.and([a, b]);
                Some(self.next(both))
            }
            (&Node::Until(Term::TRUE, a), &Node::Until(Term::TRUE, b))
                if self.is_universal(a) && self.is_universal(b) =>
            {
                let both = self.and([a, b]);
                Some(self.eventually(both))
            }
            (&Node::Until(a, b), &Node::Until(c, d)) if b == d => {
                let both = self.and([a, c]);
                Some(self.until(both, b))
            }
            // Constant formulas are worth more alone.
            (&Node::Release(a, b), &Node::Release(c, d)) if a == c && !constant => {
                let both = self.and([b, d]);
                Some(self.release(a, both))
            }
            _ => None,
        }
    }

    /// Merges `F a` with `a R b`, which then must let go, and with `G(!a | u)` for a universal `u`,
    /// which then holds from the first `a` on.
    fn awaited(&mut self, eventually: Term, release: Term) -> Option<Term> {
        let (&Node::Until(Term::TRUE, event), &Node::Release(left, right)) =
            (self.node(eventually), self.node(release))
        else {
            return None;
        };
        if left == event {
            let both = self.and([left, right]);
            return Some(self.until(right, both));
        }
        if left != Term::FALSE {
            return None;
        }
        let not_event = self.not(event);
        let before = self.disjuncts(not_event);
        let (excluded, after): (Vec<Term>, Vec<Term>) =
            self.disjuncts(right).into_iter().partition(|part| before.contains(part));
        if excluded.len() < before.len() || !after.iter().all(|&part| self.is_universal(part)) {
            return None;
        }
        let after = self.or(after);
        let both = self.and([event, after]);
        Some(self.until(not_event, both))
    }
}
