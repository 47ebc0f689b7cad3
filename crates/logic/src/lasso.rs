//! What formulas and automata mean, on words of the form `prefix cycle cycle cycle …`.
//!
//! Both answers follow the definitions and nothing else: they are what the translation is tested
//! against, and what the replay of a counterexample rests on. A position of the word is a valuation,
//! one bit for each atom that holds there.
//!
//! Such a word has finitely many different suffixes, one for each position of the prefix and of the
//! cycle. A temporal operator relates its value at a position to that at the following one, and is
//! the least or the greatest solution of these equations.

use crate::automaton::{Automaton, Edge};
use crate::ltl::{BinaryOp, Ltl, UnaryOp};

/// Whether a formula holds on the word that runs through `prefix` once and through `cycle` for ever.
///
/// # Panics
/// If the cycle is empty, or an atom's number is 64 or more.
pub fn holds(formula: &Ltl<u32>, prefix: &[u64], cycle: &[u64]) -> bool {
    let valuation = |position: usize| match position.checked_sub(prefix.len()) {
        None => prefix[position],
        Some(position) => cycle[position],
    };
    let atom = |atom: &u32, position: usize| valuation(position) & (1 << atom) != 0;
    holds_where(formula, prefix.len(), cycle.len(), &atom)
}

/// As [`holds`], for any kind of atom: `atom` tells whether one holds at a position. Positions count
/// through the prefix and then through the cycle.
///
/// # Panics
/// If the cycle is empty.
pub fn holds_where<A>(
    formula: &Ltl<A>,
    prefix_length: usize,
    cycle_length: usize,
    atom: &impl Fn(&A, usize) -> bool,
) -> bool {
    assert!(cycle_length > 0, "an infinite word needs a cycle");
    let lasso = Lasso { length: prefix_length + cycle_length, cycle_start: prefix_length };
    lasso.values(formula, atom)[0]
}

/// The positions of a word.
struct Lasso {
    length: usize,
    cycle_start: usize,
}

impl Lasso {
    /// The position after another.
    fn next(&self, position: usize) -> usize {
        if position + 1 == self.length { self.cycle_start } else { position + 1 }
    }

    /// Whether the formula holds, for every position.
    fn values<A>(&self, formula: &Ltl<A>, atom: &impl Fn(&A, usize) -> bool) -> Vec<bool> {
        match formula {
            Ltl::Constant(value) => vec![*value; self.length],
            Ltl::Atom(a) => (0..self.length).map(|position| atom(a, position)).collect(),
            Ltl::Unary(op, operand) => self.unary(*op, &self.values(operand, atom)),
            Ltl::Binary(op, left, right) => {
                let left = self.values(left, atom);
                self.binary(*op, &left, &self.values(right, atom))
            }
        }
    }

    fn unary(&self, op: UnaryOp, a: &[bool]) -> Vec<bool> {
        match op {
            UnaryOp::Not => a.iter().map(|a| !a).collect(),
            UnaryOp::Next => (0..self.length).map(|i| a[self.next(i)]).collect(),
            UnaryOp::Always => self.greatest(|i, next| a[i] && next),
            UnaryOp::Eventually => self.least(|i, next| a[i] || next),
        }
    }

    fn binary(&self, op: BinaryOp, a: &[bool], b: &[bool]) -> Vec<bool> {
        let each = |join: fn(bool, bool) -> bool| a.iter().zip(b).map(|(a, b)| join(*a, *b)).collect();
        match op {
            BinaryOp::And => each(|a, b| a && b),
            BinaryOp::Or => each(|a, b| a || b),
            BinaryOp::Implies => each(|a, b| !a || b),
            BinaryOp::Equivalent => each(|a, b| a == b),
            BinaryOp::Xor => each(|a, b| a != b),
            BinaryOp::Until => self.least(|i, next| b[i] || (a[i] && next)),
            BinaryOp::WeakUntil => self.greatest(|i, next| b[i] || (a[i] && next)),
            BinaryOp::Release => self.greatest(|i, next| b[i] && (a[i] || next)),
            BinaryOp::StrongRelease => self.least(|i, next| b[i] && (a[i] || next)),
        }
    }

    /// The least solution of `value[i] = step(i, value[next(i)])`.
    fn least(&self, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        self.solution(false, step)
    }

    /// The greatest solution of `value[i] = step(i, value[next(i)])`.
    fn greatest(&self, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        self.solution(true, step)
    }

    /// Applies the equations to a first guess until nothing changes, from behind because values
    /// travel that way.
    fn solution(&self, guess: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![guess; self.length];
        loop {
            let mut changed = false;
            for i in (0..self.length).rev() {
                let value = step(i, values[self.next(i)]);
                changed |= value != values[i];
                values[i] = value;
            }
            if !changed {
                return values;
            }
        }
    }
}

/// Whether an automaton accepts the word that runs through `prefix` once and through `cycle` for
/// ever.
///
/// # Panics
/// If the cycle is empty.
pub fn accepts(automaton: &Automaton, prefix: &[u64], cycle: &[u64]) -> bool {
    assert!(!cycle.is_empty(), "an infinite word needs a cycle");
    let good = good_nodes(automaton, cycle);
    let after_prefix = states_after(automaton, prefix);
    (0..automaton.states.len()).any(|state| after_prefix[state] && good[0][state])
}

/// For each state, whether the automaton can be in it when it has read the word.
fn states_after(automaton: &Automaton, word: &[u64]) -> Vec<bool> {
    let mut present = vec![false; automaton.states.len()];
    present[automaton.initial as usize] = true;
    for &valuation in word {
        let mut next = vec![false; automaton.states.len()];
        for (state, _) in automaton.states.iter().zip(&present).filter(|(_, present)| **present) {
            for edge in state.edges.iter().filter(|edge| edge.guard.holds(valuation)) {
                next[edge.target as usize] = true;
            }
        }
        present = next;
    }
    present
}

/// For each position of the cycle and each state, whether something holds.
type Nodes = Vec<Vec<bool>>;

/// The nodes from which the automaton can go on for ever and take edges of every set infinitely
/// often.
///
/// They are the greatest set of nodes from each of which, for each acceptance set, a path within
/// the nodes leads through an edge of the set.
fn good_nodes(automaton: &Automaton, cycle: &[u64]) -> Nodes {
    // Without acceptance sets any edge will do: each lies in the intersection of none.
    let sets: Vec<u64> =
        if automaton.n_sets == 0 { vec![0] } else { (0..automaton.n_sets).map(|set| 1 << set).collect() };
    let mut good = vec![vec![true; automaton.states.len()]; cycle.len()];
    loop {
        let before = good.clone();
        for &set in &sets {
            good = nodes_reaching(automaton, cycle, set, &good);
        }
        if good == before {
            return good;
        }
    }
}

/// The nodes among `within` from which a path within them leads through an edge of the set.
fn nodes_reaching(automaton: &Automaton, cycle: &[u64], set: u64, within: &Nodes) -> Nodes {
    let mut reaching = vec![vec![false; automaton.states.len()]; cycle.len()];
    loop {
        let mut changed = false;
        for position in (0..cycle.len()).rev() {
            let next = (position + 1) % cycle.len();
            for (number, state) in automaton.states.iter().enumerate() {
                let leads = |edge: &Edge| {
                    let target = edge.target as usize;
                    edge.guard.holds(cycle[position])
                        && within[next][target]
                        && (edge.accepts & set == set || reaching[next][target])
                };
                if !reaching[position][number] && within[position][number] && state.edges.iter().any(leads) {
                    reaching[position][number] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            return reaching;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::{Cube, Guard, State};
    use BinaryOp::{And, Equivalent, Implies, Or, Release, StrongRelease, Until, WeakUntil, Xor};
    use UnaryOp::{Always, Eventually, Next, Not};

    const A: u64 = 1;
    const B: u64 = 2;

    fn a() -> Ltl<u32> {
        Ltl::Atom(0)
    }

    fn b() -> Ltl<u32> {
        Ltl::Atom(1)
    }

    fn one(op: UnaryOp, operand: Ltl<u32>) -> Ltl<u32> {
        Ltl::unary(op, operand)
    }

    /// Checks an operator between `a` and `b` on words.
    fn check(op: BinaryOp, cases: &[(&[u64], &[u64], bool)]) {
        for (prefix, cycle, expected) in cases {
            let formula = Ltl::binary(op, a(), b());
            assert_eq!(holds(&formula, prefix, cycle), *expected, "a {op:?} b on {prefix:?} {cycle:?}");
        }
    }

    #[test]
    fn atoms_are_read_at_the_first_position() {
        assert!(holds(&a(), &[A], &[0]));
        assert!(holds(&a(), &[], &[A, 0]));
        assert!(!holds(&a(), &[B], &[A]));
        assert!(holds(&Ltl::Atom(63), &[], &[1 << 63]));
        assert!(holds(&Ltl::Constant(true), &[], &[0]));
        assert!(!holds(&Ltl::Constant(false), &[], &[0]));
    }

    #[test]
    fn boolean_operators_have_their_truth_tables() {
        // The values of the operator for neither, a, b, both.
        let tables = [
            (And, [false, false, false, true]),
            (Or, [false, true, true, true]),
            (Implies, [true, false, true, true]),
            (Equivalent, [true, false, false, true]),
            (Xor, [false, true, true, false]),
        ];
        for (op, table) in tables {
            for (valuation, expected) in table.into_iter().enumerate() {
                check(op, &[(&[valuation as u64], &[0], expected)]);
            }
        }
        assert!(holds(&one(Not, a()), &[0], &[A]));
        assert!(!holds(&one(Not, a()), &[A], &[0]));
    }

    #[test]
    fn next_goes_around_the_cycle() {
        let next = one(Next, a());
        assert!(holds(&next, &[0], &[A]));
        assert!(!holds(&next, &[A], &[0]));
        assert!(holds(&next, &[], &[A]));
        assert!(!holds(&next, &[], &[A, 0]));
        // Positions 0 1 2 1 2 …: the third step is back at position 1.
        let third = one(Next, one(Next, one(Next, a())));
        assert!(holds(&third, &[0], &[A, 0]));
        assert!(!holds(&third, &[A], &[0, A]));
    }

    #[test]
    fn always_looks_at_the_prefix_and_the_whole_cycle() {
        let always = one(Always, a());
        assert!(holds(&always, &[A, A | B], &[A]));
        assert!(!holds(&always, &[0], &[A]));
        assert!(!holds(&always, &[A], &[A, 0]));
        assert!(holds(&always, &[], &[A]));
    }

    #[test]
    fn eventually_finds_a_state_anywhere() {
        let eventually = one(Eventually, a());
        assert!(holds(&eventually, &[0, A, 0], &[0]));
        assert!(holds(&eventually, &[0], &[0, A]));
        assert!(!holds(&eventually, &[0, B], &[0]));
    }

    #[test]
    fn infinitely_often_and_forever_from_some_time() {
        let often = one(Always, one(Eventually, a()));
        let forever = one(Eventually, one(Always, a()));
        assert!(!holds(&often, &[A], &[0]));
        assert!(holds(&often, &[0], &[0, A]));
        assert!(!holds(&forever, &[A], &[0, A]));
        assert!(holds(&forever, &[0, A, 0], &[A]));
    }

    #[test]
    fn until_needs_its_right_side() {
        check(
            Until,
            &[
                (&[A, A, B], &[0], true),
                (&[B], &[0], true),
                (&[A, 0, B], &[B], false),
                (&[A], &[A], false),
                (&[A], &[A, B], true),
                (&[], &[0, B], false),
            ],
        );
    }

    #[test]
    fn weak_until_does_not() {
        check(
            WeakUntil,
            &[
                (&[A, A, B], &[0], true),
                (&[B], &[0], true),
                (&[A, 0, B], &[B], false),
                (&[A], &[A], true),
                (&[A], &[A, 0], false),
            ],
        );
    }

    #[test]
    fn release_lets_go_with_its_left_side() {
        check(
            Release,
            &[
                (&[B, A | B], &[0], true),
                (&[B, A], &[B], false),
                (&[B], &[B], true),
                (&[B], &[B, 0], false),
                (&[A], &[B], false),
            ],
        );
    }

    #[test]
    fn strong_release_must_let_go() {
        check(
            StrongRelease,
            &[
                (&[B, A | B], &[0], true),
                (&[B, A], &[B], false),
                (&[B], &[B], false),
                (&[B], &[B, A | B], true),
                (&[A], &[B], false),
            ],
        );
    }

    #[test]
    fn atoms_may_be_anything() {
        let formula = Ltl::unary(Next, Ltl::Atom("third or later"));
        assert!(!holds_where(&formula, 0, 3, &|_, position| position >= 2));
        assert!(holds_where(&Ltl::unary(Next, formula), 0, 3, &|_, position| position >= 2));
    }

    fn edge(positive: u64, negative: u64, accepts: u64, target: u32) -> Edge {
        Edge { guard: Guard { cubes: vec![Cube { positive, negative }] }, accepts, target }
    }

    fn automaton(n_sets: u32, states: Vec<Vec<Edge>>) -> Automaton {
        let states = states.into_iter().map(|edges| State { edges }).collect();
        Automaton { n_sets, initial: 0, states }
    }

    #[test]
    fn without_sets_going_on_is_enough() {
        let always_a = automaton(0, vec![vec![edge(A, 0, 0, 0)]]);
        assert!(accepts(&always_a, &[A], &[A, A | B]));
        assert!(!accepts(&always_a, &[0], &[A]));
        assert!(!accepts(&always_a, &[A], &[A, 0]));
        assert!(!accepts(&automaton(0, vec![vec![]]), &[], &[A]));
    }

    #[test]
    fn a_set_must_be_met_infinitely_often() {
        let often_a = automaton(1, vec![vec![edge(A, 0, 1, 0), edge(0, A, 0, 0)]]);
        assert!(accepts(&often_a, &[], &[0, A]));
        assert!(accepts(&often_a, &[0, 0], &[A]));
        assert!(!accepts(&often_a, &[A, A], &[0]));
    }

    #[test]
    fn all_sets_must_be_met_by_one_run() {
        let both = automaton(2, vec![vec![edge(A, 0, 1, 0), edge(B, 0, 2, 0), edge(0, 0, 0, 0)]]);
        assert!(accepts(&both, &[], &[A, 0, B]));
        assert!(!accepts(&both, &[B], &[A, 0]));
        // The first state can meet one set and the second the other, but there is no way back.
        let split = automaton(2, vec![vec![edge(0, 0, 1, 0), edge(0, 0, 0, 1)], vec![edge(0, 0, 2, 1)]]);
        assert!(!accepts(&split, &[], &[0]));
    }

    #[test]
    fn the_right_guess_is_found() {
        // Eventually always a: leave the first state at the right time.
        let forever = automaton(1, vec![vec![edge(0, 0, 0, 0), edge(A, 0, 0, 1)], vec![edge(A, 0, 1, 1)]]);
        assert!(accepts(&forever, &[A, 0, A], &[A]));
        assert!(!accepts(&forever, &[A, A], &[A, 0]));
    }

    #[test]
    fn a_run_may_need_several_rounds_of_the_cycle() {
        // Every third edge is accepting; the cycle has two positions.
        let third = automaton(
            1,
            vec![vec![edge(0, 0, 0, 1)], vec![edge(0, 0, 0, 2)], vec![edge(A, 0, 1, 0), edge(0, A, 0, 0)]],
        );
        assert!(accepts(&third, &[], &[0, A]));
        assert!(!accepts(&third, &[], &[0, 0]));
    }
}
