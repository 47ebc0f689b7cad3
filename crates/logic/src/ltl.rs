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
        A: PartialEq,
    {
        let mut atoms: Vec<A> = Vec::new();
        let formula = self.map(&mut |atom| {
            let known = atoms.iter().position(|other| *other == atom);
            let number = known.unwrap_or(atoms.len());
            if number == atoms.len() {
                atoms.push(atom);
            }
            number as u32
        });
        (formula, atoms)
    }

    /// The same formula over other atoms.
    pub fn map<B>(self, atom: &mut impl FnMut(A) -> B) -> Ltl<B> {
        match self {
            Ltl::Constant(value) => Ltl::Constant(value),
            Ltl::Atom(a) => Ltl::Atom(atom(a)),
            Ltl::Unary(op, operand) => Ltl::unary(op, operand.map(atom)),
            Ltl::Binary(op, left, right) => {
                let left = left.map(atom);
                Ltl::binary(op, left, right.map(atom))
            }
        }
    }
}
