//! Formulas in negation normal form, each stored once.

use model::{Over, Pace, Patience};
use rustc_hash::FxHashMap;

use super::Untranslated;
use crate::{BinaryOp, Ltl, UnaryOp};

/// How many pairs of formulas may be compared with each other.
const MAX_IMPLICATIONS: usize = 2_000_000;

/// A formula: its place in the [`Terms`] that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Term(u32);

impl Term {
    pub(super) const FALSE: Term = Term(0);
    pub(super) const TRUE: Term = Term(1);

    pub(super) fn number(self) -> u32 {
        self.0
    }
}

/// What a formula is made of. Eventually is `true U a`, always is `false R a`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Constant(bool),
    Literal { atom: u32, positive: bool },
    Next(Term),
    And(Vec<Term>),
    Or(Vec<Term>),
    Until(Term, Term),
    Release(Term, Term),
}

/// What is known of a formula's truth along a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Trend {
    /// Where it holds, it held before (Etessami and Holzmann's pure eventuality).
    eventual: bool,
    /// Where it holds, it holds ever after (pure universality).
    universal: bool,
}

/// All formulas of a translation.
pub(super) struct Terms<'a> {
    nodes: Vec<Node>,
    trends: Vec<Trend>,
    ids: FxHashMap<Node, Term>,
    /// What [`Terms::implies`] found out.
    pub(super) implications: FxHashMap<(Term, Term), bool>,
    negations: FxHashMap<Term, Term>,
    pace: Pace<'a>,
    over: Option<Over>,
}

impl<'a> Terms<'a> {
    pub(super) fn new(patience: &'a Patience) -> Terms<'a> {
        let mut terms = Terms {
            nodes: Vec::new(),
            trends: Vec::new(),
            ids: FxHashMap::default(),
            implications: FxHashMap::default(),
            negations: FxHashMap::default(),
            pace: patience.pace(),
            over: None,
        };
        terms.intern(Node::Constant(false));
        terms.intern(Node::Constant(true));
        terms
    }

    /// Whether simplification was given up: all formulas are meaningless from then on.
    pub(super) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// A step of simplification. False if it is given up.
    pub(super) fn step(&mut self) -> bool {
        self.over = self.over.or_else(|| self.pace.step().err());
        !self.is_over()
    }

    /// # Errors
    /// If simplification was given up.
    pub(super) fn unless_over(&self) -> Result<(), Over> {
        self.over.map_or(Ok(()), Err)
    }

    pub(super) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    pub(super) fn is_eventual(&self, term: Term) -> bool {
        self.trends[term.0 as usize].eventual
    }

    pub(super) fn is_universal(&self, term: Term) -> bool {
        self.trends[term.0 as usize].universal
    }

    /// Whether the formula holds everywhere or nowhere on a run.
    pub(super) fn is_constant(&self, term: Term) -> bool {
        self.is_eventual(term) && self.is_universal(term)
    }

    /// The conjuncts of a formula.
    pub(super) fn conjuncts(&self, term: Term) -> Vec<Term> {
        match self.node(term) {
            Node::And(parts) => parts.clone(),
            Node::Constant(true) => Vec::new(),
            _ => vec![term],
        }
    }

    /// The disjuncts of a formula.
    pub(super) fn disjuncts(&self, term: Term) -> Vec<Term> {
        match self.node(term) {
            Node::Or(parts) => parts.clone(),
            Node::Constant(false) => Vec::new(),
            _ => vec![term],
        }
    }

    /// A formula as it stands, without simplification.
    pub(super) fn intern(&mut self, node: Node) -> Term {
        if let Some(&known) = self.ids.get(&node) {
            return known;
        }
        let term = Term(self.nodes.len() as u32);
        self.trends.push(self.trend(&node));
        self.nodes.push(node.clone());
        self.ids.insert(node, term);
        term
    }

    fn trend(&self, node: &Node) -> Trend {
        let of = |term: Term| self.trends[term.0 as usize];
        let all = |parts: &[Term]| Trend {
            eventual: parts.iter().all(|&part| of(part).eventual),
            universal: parts.iter().all(|&part| of(part).universal),
        };
        match node {
            Node::Constant(_) => Trend { eventual: true, universal: true },
            Node::Literal { .. } => Trend { eventual: false, universal: false },
            Node::Next(operand) => of(*operand),
            Node::And(parts) | Node::Or(parts) => all(parts),
            Node::Until(left, right) => Trend {
                eventual: *left == Term::TRUE || of(*right).eventual,
                universal: of(*right).universal,
            },
            Node::Release(left, right) => Trend {
                eventual: of(*right).eventual,
                universal: *left == Term::FALSE || of(*right).universal,
            },
        }
    }

    /// The negation. What is simple stays simple: every rewriting rule has a dual.
    pub(super) fn not(&mut self, term: Term) -> Term {
        if let Some(&known) = self.negations.get(&term) {
            return known;
        }
        let node = match self.node(term).clone() {
            Node::Constant(value) => Node::Constant(!value),
            Node::Literal { atom, positive } => Node::Literal { atom, positive: !positive },
            Node::Next(operand) => Node::Next(self.not(operand)),
            Node::And(parts) => Node::Or(self.not_all(&parts)),
            Node::Or(parts) => Node::And(self.not_all(&parts)),
            Node::Until(left, right) => Node::Release(self.not(left), self.not(right)),
            Node::Release(left, right) => Node::Until(self.not(left), self.not(right)),
        };
        let negation = self.intern(node);
        self.negations.insert(term, negation);
        self.negations.insert(negation, term);
        negation
    }

    pub(super) fn not_all(&mut self, parts: &[Term]) -> Vec<Term> {
        let mut negations: Vec<Term> = parts.iter().map(|&part| self.not(part)).collect();
        negations.sort_unstable();
        negations
    }

    /// A formula in negation normal form, simplified.
    pub(super) fn term(&mut self, formula: &Ltl<u32>) -> Result<Term, Untranslated> {
        let term = match formula {
            Ltl::Constant(value) => self.intern(Node::Constant(*value)),
            Ltl::Atom(atom) => self.intern(Node::Literal { atom: *atom, positive: true }),
            Ltl::Unary(op, operand) => {
                let operand = self.term(operand)?;
                self.unary(*op, operand)
            }
            Ltl::Binary(op, left, right) => {
                let left = self.term(left)?;
                let right = self.term(right)?;
                self.binary(*op, left, right)
            }
        };
        self.unless_over()?;
        if self.implications.len() > MAX_IMPLICATIONS { Err(Untranslated::TooLarge) } else { Ok(term) }
    }

    fn unary(&mut self, op: UnaryOp, operand: Term) -> Term {
        match op {
            UnaryOp::Not => self.not(operand),
            UnaryOp::Next => self.next(operand),
            UnaryOp::Always => self.always(operand),
            UnaryOp::Eventually => self.eventually(operand),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: Term, right: Term) -> Term {
        match op {
            BinaryOp::And => self.and([left, right]),
            BinaryOp::Or => self.or([left, right]),
            BinaryOp::Implies => {
                let not_left = self.not(left);
                self.or([not_left, right])
            }
            BinaryOp::Equivalent => {
                let (not_left, not_right) = (self.not(left), self.not(right));
                let both = self.and([left, right]);
                let neither = self.and([not_left, not_right]);
                self.or([both, neither])
            }
            BinaryOp::Xor => {
                let same = self.binary(BinaryOp::Equivalent, left, right);
                self.not(same)
            }
            BinaryOp::Until => self.until(left, right),
            BinaryOp::WeakUntil => {
                let either = self.or([left, right]);
                self.release(right, either)
            }
            BinaryOp::Release => self.release(left, right),
            BinaryOp::StrongRelease => {
                let both = self.and([left, right]);
                self.until(right, both)
            }
        }
    }
}
