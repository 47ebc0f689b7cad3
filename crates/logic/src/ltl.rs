use std::hash::Hash;

use rustc_hash::FxHashMap;

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryOp {
    /// The operand does not hold.
    Not,
    /// It holds in the next state.
    Next,
    /// It holds now and in every later state.
    Always,
    /// It holds now or in some later state.
    Eventually,
}

/// An operator with two operands, `a` and `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    /// Both hold.
    And,
    /// At least one holds.
    Or,
    /// `b` holds if `a` does.
    Implies,
    /// Both hold or neither.
    Equivalent,
    /// Exactly one holds.
    Xor,
    /// `b` holds now or later, and until then `a` does.
    Until,
    /// As [`BinaryOp::Until`], but `b` need never hold if `a` always does.
    WeakUntil,
    /// `b` holds up to and including the first state in which `a` does, for ever if there is none.
    Release,
    /// As [`BinaryOp::Release`], but there must be such a state.
    StrongRelease,
}

/// A formula of linear temporal logic over atoms of type `A`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ltl<A> {
    /// True or false.
    Constant(bool),
    /// Something that a state says by itself.
    Atom(A),
    /// An operator and its operand.
    Unary(UnaryOp, Box<Ltl<A>>),
    /// An operator between two operands.
    Binary(BinaryOp, Box<Ltl<A>>, Box<Ltl<A>>),
}

impl<A> Ltl<A> {
    /// An operator applied to a formula.
    pub fn unary(op: UnaryOp, operand: Ltl<A>) -> Ltl<A> {
        Ltl::Unary(op, Box::new(operand))
    }

    /// Two formulas joined by an operator.
    pub fn binary(op: BinaryOp, left: Ltl<A>, right: Ltl<A>) -> Ltl<A> {
        Ltl::Binary(op, Box::new(left), Box::new(right))
    }

    /// The formula that holds where this one does not.
    pub fn negated(self) -> Ltl<A> {
        Ltl::unary(UnaryOp::Not, self)
    }

    /// Whether it has the operator `X`. One without is stutter-invariant: it does not matter how often
    /// a state is repeated (Lamport).
    pub fn has_next(&self) -> bool {
        match self {
            Ltl::Constant(_) | Ltl::Atom(_) => false,
            Ltl::Unary(op, operand) => *op == UnaryOp::Next || operand.has_next(),
            Ltl::Binary(_, left, right) => left.has_next() || right.has_next(),
        }
    }

    /// The same formula over the numbers of its atoms, and the atoms, each one once.
    pub fn numbered(self) -> (Ltl<u32>, Vec<A>)
    where
        A: Eq + Hash,
    {
        let mut numbers: FxHashMap<A, u32> = FxHashMap::default();
        let formula = self.map(&mut |atom| {
            let next = numbers.len() as u32;
            *numbers.entry(atom).or_insert(next)
        });
        let mut atoms: Vec<(A, u32)> = numbers.into_iter().collect();
        atoms.sort_unstable_by_key(|(_, number)| *number);
        (formula, atoms.into_iter().map(|(atom, _)| atom).collect())
    }

    /// The same formula over other atoms.
    pub fn map<B>(self, atom: &mut impl FnMut(A) -> B) -> Ltl<B> {
        self.replaced(&mut |a| Ltl::Atom(atom(a)))
    }

    /// The same formula with a formula for each atom.
    pub fn replaced<B>(self, atom: &mut impl FnMut(A) -> Ltl<B>) -> Ltl<B> {
        match self {
            Ltl::Constant(value) => Ltl::Constant(value),
            Ltl::Atom(a) => atom(a),
            Ltl::Unary(op, operand) => Ltl::unary(op, operand.replaced(atom)),
            Ltl::Binary(op, left, right) => {
                let left = left.replaced(atom);
                Ltl::binary(op, left, right.replaced(atom))
            }
        }
    }
}
