//! From a formula to a graph, after Couvreur.
//!
//! What a formula demands is a sum of products: a condition on the present state, formulas for the
//! next one, and promises. `a U b` that does not see its `b` at once promises to see it later. A
//! state of the graph is a set of formulas, its edges are the products of its demands, and an edge
//! lies in the acceptance sets of the promises that it does not make: whoever promises something
//! for ever does not keep it.

use rustc_hash::FxHashMap;

use super::Untranslated;
use super::term::{Node, Term, Terms};
use crate::bdd::{Bdd, Bdds};
use crate::graph::{Arc, Graph};

/// How many formulas that wait for something again and again may see it at the same time: every
/// subset of them is a way to go on.
const MAX_AT_ONCE: usize = 6;
/// How many edges there may be.
const MAX_ARCS: usize = 40_000;

/// One way to satisfy a formula.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Product {
    /// The formulas that must hold next, sorted.
    next: Vec<Term>,
    /// The promises that are made, one bit each.
    promises: u64,
    /// When it is possible.
    label: Bdd,
}

impl Product {
    fn of(label: Bdd) -> Product {
        Product { next: Vec::new(), promises: 0, label }
    }

    /// Bits that are among another product's bits whenever the demands are.
    fn bits(&self) -> (u64, u64) {
        (self.promises, self.next.iter().fold(0, |bits, term| bits | 1 << (term.number() % 64)))
    }
}

/// Ways to satisfy a formula: sorted, none possible where another one demands less. Formulas that
/// demand the same have the same sum.
type Sum = Vec<Product>;

/// The graph of a formula. At most `work` products are computed.
pub(super) fn tableau<'p>(
    formula: Term,
    terms: &Terms<'p>,
    bdds: &mut Bdds<'p>,
    work: usize,
) -> Result<Graph, Untranslated> {
    let mut tableau = Tableau { terms, bdds, sums: FxHashMap::default(), promises: Vec::new(), work };
    let mut states = States::default();
    let initial = tableau.state(terms.conjuncts(formula), &mut states)?;
    let mut outgoing: Vec<Vec<Arc>> = Vec::new();
    while let Some(sum) = states.sums.get(outgoing.len()).cloned() {
        let mut arcs = Vec::new();
        for product in sum {
            let target = tableau.state(product.next, &mut states)?;
            arcs.push(Arc { target, accepts: !product.promises, label: product.label });
        }
        outgoing.push(arcs);
    }
    let mut graph = Graph { n_sets: tableau.promises.len() as u32, initial, states: outgoing };
    let all = graph.all_sets();
    graph.states.iter_mut().flatten().for_each(|arc| arc.accepts &= all);
    Ok(graph)
}

/// The states found so far. Those with the same sum are one.
#[derive(Default)]
struct States {
    numbers: FxHashMap<Vec<Term>, usize>,
    canonical: FxHashMap<Sum, usize>,
    sums: Vec<Sum>,
    n_arcs: usize,
}

struct Tableau<'a, 'p> {
    terms: &'a Terms<'p>,
    bdds: &'a mut Bdds<'p>,
    sums: FxHashMap<Term, Sum>,
    /// What is promised: the formulas that are waited for.
    promises: Vec<Term>,
    /// What may still be done.
    work: usize,
}

impl Tableau<'_, '_> {
    /// The number of the state in which all the formulas must hold.
    fn state(&mut self, formulas: Vec<Term>, states: &mut States) -> Result<usize, Untranslated> {
        if let Some(&known) = states.numbers.get(&formulas) {
            return Ok(known);
        }
        let sum = self.conjunction(&formulas)?;
        let number = *states.canonical.entry(sum).or_insert_with_key(|sum| {
            states.n_arcs += sum.len();
            states.sums.push(sum.clone());
            states.sums.len() - 1
        });
        if states.n_arcs > MAX_ARCS {
            return Err(Untranslated::TooLarge);
        }
        states.numbers.insert(formulas, number);
        Ok(number)
    }

    /// What a formula demands.
    fn sum(&mut self, formula: Term) -> Result<Sum, Untranslated> {
        if let Some(known) = self.sums.get(&formula) {
            return Ok(known.clone());
        }
        let sum = match self.terms.node(formula).clone() {
            Node::Constant(false) => Vec::new(),
            Node::Constant(true) => vec![Product::of(Bdd::TRUE)],
            Node::Literal { atom, positive } => vec![Product::of(self.bdds.literal(atom, positive))],
            Node::Next(operand) => vec![self.later(operand)],
            Node::And(parts) => self.conjunction(&parts)?,
            Node::Or(parts) => {
                let mut sum = Vec::new();
                for part in parts {
                    sum.extend(self.sum(part)?);
                }
                self.simplified(sum)?
            }
            Node::Until(left, right) => {
                let wait = Product { promises: self.promise(right)?, ..self.later(formula) };
                self.until(left, right, wait)?
            }
            Node::Release(Term::FALSE, operand) => self.always(formula, operand)?,
            Node::Release(left, right) => {
                let mut end = self.sum(left)?;
                end.push(self.later(formula));
                let right = self.sum(right)?;
                self.product(&right, &end)?
            }
        };
        self.sums.insert(formula, sum.clone());
        Ok(sum)
    }

    /// What all the formulas together demand.
    fn conjunction(&mut self, formulas: &[Term]) -> Result<Sum, Untranslated> {
        let (recurring, others): (Vec<Term>, Vec<Term>) =
            formulas.iter().partition(|&&formula| self.recurring(formula).is_some());
        let (mut sum, factors) = match recurring.len() > MAX_AT_ONCE {
            true => (self.in_turn(&recurring)?, &others[..]),
            false => (vec![Product::of(Bdd::TRUE)], formulas),
        };
        for &formula in factors {
            let factor = self.sum(formula)?;
            sum = self.product(&sum, &factor)?;
        }
        Ok(sum)
    }

    /// What must hold infinitely often, if the formula says just that.
    fn recurring(&self, formula: Term) -> Option<Term> {
        let Node::Release(Term::FALSE, operand) = *self.terms.node(formula) else { return None };
        let Node::Until(Term::TRUE, event) = *self.terms.node(operand) else { return None };
        Some(event)
    }

    /// What formulas demand that all wait for something again and again. They need not see it at
    /// the same time, so that in every step one of them gets its turn or none.
    fn in_turn(&mut self, formulas: &[Term]) -> Result<Sum, Untranslated> {
        let events: Vec<Term> = formulas.iter().filter_map(|&formula| self.recurring(formula)).collect();
        let mut wait = Product { next: formulas.to_vec(), ..Product::of(Bdd::TRUE) };
        wait.next.sort_unstable();
        for &event in &events {
            wait.promises |= self.promise(event)?;
        }
        let mut sum = vec![wait.clone()];
        for event in events {
            let turn = Product { promises: wait.promises & !self.promise(event)?, ..wait.clone() };
            let event = self.sum(event)?;
            sum.extend(self.product(&event, &[turn])?);
        }
        self.simplified(sum)
    }

    /// What `left U right` demands, if `wait` is the price of going on.
    fn until(&mut self, left: Term, right: Term, wait: Product) -> Result<Sum, Untranslated> {
        let left = self.sum(left)?;
        let mut sum = self.product(&left, &[wait])?;
        sum.extend(self.sum(right)?);
        self.simplified(sum)
    }

    /// What a formula, which says that `operand` always holds, demands.
    fn always(&mut self, formula: Term, operand: Term) -> Result<Sum, Untranslated> {
        let mut sum = vec![self.later(formula)];
        for part in self.terms.conjuncts(operand) {
            // What is always waited for need not be demanded of the next state: it is anyway.
            let factor = match *self.terms.node(part) {
                Node::Until(left, right) => {
                    let wait = Product { promises: self.promise(right)?, ..Product::of(Bdd::TRUE) };
                    self.until(left, right, wait)?
                }
                _ => self.sum(part)?,
            };
            sum = self.product(&sum, &factor)?;
        }
        Ok(sum)
    }

    /// A formula must hold next.
    fn later(&self, formula: Term) -> Product {
        Product { next: self.terms.conjuncts(formula), ..Product::of(Bdd::TRUE) }
    }

    /// The bit of the promise that a formula will hold. To promise `a U b` is to promise `b`.
    fn promise(&mut self, mut formula: Term) -> Result<u64, Untranslated> {
        while let Node::Until(_, right) = *self.terms.node(formula) {
            formula = right;
        }
        let number = self.promises.iter().position(|&known| known == formula).unwrap_or_else(|| {
            self.promises.push(formula);
            self.promises.len() - 1
        });
        if number < 64 { Ok(1 << number) } else { Err(Untranslated::TooLarge) }
    }

    fn product(&mut self, left: &[Product], right: &[Product]) -> Result<Sum, Untranslated> {
        let mut sum = Vec::new();
        for a in left {
            for b in right {
                self.count_work(1)?;
                let label = self.bdds.and(a.label, b.label);
                if label != Bdd::FALSE {
                    let mut next = [&a.next[..], &b.next[..]].concat();
                    next.sort_unstable();
                    next.dedup();
                    sum.push(Product { next, promises: a.promises | b.promises, label });
                }
            }
        }
        self.simplified(sum)
    }

    /// The same ways to satisfy a formula, each only where no other demands less.
    fn simplified(&mut self, mut sum: Sum) -> Result<Sum, Untranslated> {
        sum.sort_unstable();
        sum.dedup_by(|later, earlier| {
            let same = (&later.next, later.promises) == (&earlier.next, earlier.promises);
            if same {
                earlier.label = self.bdds.or(earlier.label, later.label);
            }
            same
        });
        self.count_work(sum.len() * sum.len() / 64)?;
        let bits: Vec<(u64, u64)> = sum.iter().map(Product::bits).collect();
        let demands_less = |j: usize, i: usize| {
            // Most pairs are told apart by a few bits.
            let fewer_bits = bits[j].0 & !bits[i].0 == 0 && bits[j].1 & !bits[i].1 == 0;
            fewer_bits && sum[j].next.iter().all(|term| sum[i].next.binary_search(term).is_ok())
        };
        let mut labels = Vec::with_capacity(sum.len());
        for i in 0..sum.len() {
            self.bdds.steps(sum.len())?;
            let lesser = (0..sum.len()).filter(|&j| j != i && demands_less(j, i));
            labels.push(lesser.fold(sum[i].label, |label, j| self.bdds.minus(label, sum[j].label)));
        }
        sum.iter_mut().zip(labels).for_each(|(product, label)| product.label = label);
        sum.retain(|product| product.label != Bdd::FALSE);
        Ok(sum)
    }

    fn count_work(&mut self, work: usize) -> Result<(), Untranslated> {
        self.work = self.work.checked_sub(work).ok_or(Untranslated::TooLarge)?;
        self.bdds.steps(work)?;
        if self.bdds.overflowed() { Err(Untranslated::TooLarge) } else { Ok(()) }
    }
}
