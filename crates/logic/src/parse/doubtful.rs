//! Operands without brackets that are easily misread.

use crate::ltl::{BinaryOp, UnaryOp};

/// What a part looks like from outside.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// A single operand, or one in brackets.
    Closed,
    /// Operands of an expression with an operator between them.
    Expression,
    /// Operators in front; the first of them, and where what they apply to begins.
    Prefix { op: UnaryOp, operand_start: usize, of_temporal: bool },
    /// Formulas with an operator between them.
    Join(BinaryOp),
}

/// Whether an operator is a temporal one.
pub(super) fn is_temporal(op: BinaryOp) -> bool {
    use BinaryOp::{Release, StrongRelease, Until, WeakUntil};
    matches!(op, Until | WeakUntil | Release | StrongRelease)
}

/// Whether `a op b op c` means the same with brackets on either side.
fn is_associative(op: BinaryOp) -> bool {
    use BinaryOp::{And, Equivalent, Or, Xor};
    matches!(op, And | Or | Equivalent | Xor)
}

/// Whether a left operand without brackets invites mistakes.
pub(super) fn is_doubtful_left(op: BinaryOp, left: Shape) -> bool {
    use BinaryOp::{And, Equivalent, Implies, Or};
    match left {
        Shape::Closed | Shape::Expression => false,
        // All dialects read `a && b -> c` alike, and so do people.
        Shape::Join(And | Or) if matches!(op, Implies | Equivalent) => false,
        Shape::Join(inner) => inner != op || !is_associative(op),
        Shape::Prefix { op: UnaryOp::Not, .. } => false,
        // Who writes `[] p -> q` mostly means `[] (p -> q)`.
        Shape::Prefix { op: UnaryOp::Always, of_temporal: false, .. } if op == Implies => true,
        Shape::Prefix { .. } => is_temporal(op),
    }
}

/// Whether a right operand without brackets invites mistakes.
pub(super) fn is_doubtful_right(op: BinaryOp, right: Shape) -> bool {
    match right {
        Shape::Join(inner) => inner != op || !is_associative(op),
        Shape::Closed | Shape::Expression | Shape::Prefix { .. } => false,
    }
}
