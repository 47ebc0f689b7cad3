//! The state space as somebody sees it who watches from outside.

use std::collections::BTreeSet;

use model::FailureKind;
use promela::tree::{Expr, ExprKind, Formula, Program};

use super::state::State;
use super::{Limits, Machine, Search, TooLarge};

/// The process that watches is none of the system's.
pub(super) const NOBODY: usize = usize::MAX;

/// Walks through the states of a program one by one.
pub struct Observer<'t> {
    pub(super) machine: Machine<'t>,
    limits: Limits,
}

/// What can happen in a state.
pub struct Moves {
    /// The states behind it, as often as they are reached, each with the processes that move.
    pub next: Vec<(State, BTreeSet<usize>)>,
    /// The processes that can move; the receiver of a rendezvous is not one of them.
    pub enabled: BTreeSet<usize>,
    /// What goes wrong on the way.
    pub failures: Vec<FailureKind>,
}

impl<'t> Observer<'t> {
    /// Makes a program ready.
    pub fn new(program: &'t Program, limits: Limits) -> Observer<'t> {
        Observer { machine: Machine::new(program), limits }
    }

    /// The initial state.
    ///
    /// # Errors
    /// The failure that happens before there is one.
    pub fn initial(&self) -> Result<State, FailureKind> {
        self.machine.initial()
    }

    /// The states that are stored next, each one once, in the order in which they are found: those of
    /// the youngest process first.
    ///
    /// # Errors
    /// [`TooLarge`] if a limit is reached, or an atomic chain is cut off.
    pub fn successors(&self, state: &State) -> Result<Vec<State>, TooLarge> {
        let mut search = Search::new(&self.machine, self.limits);
        search.expand(state)?;
        if search.found.cut_off { Err(TooLarge) } else { Ok(search.open) }
    }

    /// Whether some process stands at a `progress` label.
    pub fn is_progress(&self, state: &State) -> bool {
        self.machine.some_at(state, |place| place.progress)
    }

    /// Whether some process stands at an `accept` label.
    pub fn is_accepting(&self, state: &State) -> bool {
        self.machine.some_at(state, |place| place.accept)
    }

    /// What can happen in a state.
    ///
    /// # Errors
    /// [`TooLarge`] if a limit is reached, or an atomic chain is cut off.
    pub fn moves(&self, state: &State) -> Result<Moves, TooLarge> {
        let mut search = Search::new(&self.machine, self.limits);
        search.expand(state)?;
        if search.found.cut_off {
            return Err(TooLarge);
        }
        let timeout = self.machine.all_steps(state, false).is_empty();
        let can_move = |pid: &usize| !self.machine.steps(state, *pid, timeout).is_empty();
        let enabled = (0..state.processes.len()).filter(can_move).collect();
        Ok(Moves { next: search.arrivals, enabled, failures: search.found.failures.into_keys().collect() })
    }

    /// The value of an expression that belongs to no process. `timeout` is true if nothing else can
    /// be executed.
    ///
    /// # Errors
    /// The failure that evaluating it runs into.
    pub fn eval(&self, expr: &Expr, state: &State) -> Result<i32, FailureKind> {
        let mut matters = false;
        expr.visit(&mut |inner| matters |= matches!(inner.kind, ExprKind::Timeout | ExprKind::Enabled(_)));
        let timeout = matters && self.machine.all_steps(state, false).is_empty();
        self.machine.world(state, NOBODY, timeout).eval(expr)
    }

    /// Whether a formula holds of the run that stays in a state for ever. The right side of an
    /// operator is evaluated only if the left side does not decide.
    ///
    /// # Errors
    /// The failure that evaluating it runs into.
    pub fn holds_for_ever(&self, formula: &Formula, state: &State) -> Result<bool, FailureKind> {
        for_ever(formula, &mut |atom| Ok(self.eval(atom, state)? != 0))
    }
}

/// Whether a formula holds of a run in which the atoms never change.
///
/// # Errors
/// The failure of the first atom that has no value.
pub fn for_ever<A>(
    formula: &logic::Ltl<A>,
    atom: &mut impl FnMut(&A) -> Result<bool, FailureKind>,
) -> Result<bool, FailureKind> {
    use logic::{BinaryOp, Ltl, UnaryOp};
    let (op, left, right) = match formula {
        Ltl::Constant(value) => return Ok(*value),
        Ltl::Atom(a) => return atom(a),
        Ltl::Unary(UnaryOp::Not, operand) => return Ok(!for_ever(operand, atom)?),
        Ltl::Unary(_, operand) => return for_ever(operand, atom),
        Ltl::Binary(op, left, right) => (op, for_ever(left, atom)?, right),
    };
    match op {
        BinaryOp::And if !left => Ok(false),
        BinaryOp::Or if left => Ok(true),
        BinaryOp::Implies if !left => Ok(true),
        _ => {
            let right = for_ever(right, atom)?;
            Ok(match op {
                BinaryOp::Equivalent => left == right,
                BinaryOp::Xor => left != right,
                BinaryOp::WeakUntil => left || right,
                BinaryOp::StrongRelease => left && right,
                _ => right,
            })
        }
    }
}
