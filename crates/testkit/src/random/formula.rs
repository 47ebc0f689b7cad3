//! Random formulas over given atoms.

use logic::Formula;
use model::Random;

/// A formula of branching time.
pub fn branching<A: Clone>(atoms: &[Formula<A>], prng: &mut Random, depth: usize) -> Formula<A> {
    if depth == 0 {
        return prng.pick(atoms).clone();
    }
    let mut inner = || Box::new(branching(atoms, prng, depth - 1));
    let (a, b) = (inner(), inner());
    let path = match prng.below(8) {
        0 => return a.negated(),
        1 => return Formula::And(vec![*a, *b]),
        2 => return Formula::Or(vec![*a, *b]),
        other => operator(other, a, b),
    };
    if prng.chance(50) { Formula::All(Box::new(path)) } else { Formula::Exists(Box::new(path)) }
}

/// A formula of linear time.
pub fn linear<A: Clone>(atoms: &[Formula<A>], prng: &mut Random, depth: usize) -> Formula<A> {
    if depth == 0 {
        return prng.pick(atoms).clone();
    }
    let mut inner = || Box::new(linear(atoms, prng, depth - 1));
    let (a, b) = (inner(), inner());
    match prng.below(8) {
        0 => a.negated(),
        1 => Formula::And(vec![*a, *b]),
        2 => Formula::Or(vec![*a, *b]),
        other => operator(other, a, b),
    }
}

fn operator<A>(number: usize, a: Box<Formula<A>>, b: Box<Formula<A>>) -> Formula<A> {
    match number {
        3 => Formula::Next(a),
        4 => Formula::Eventually(a),
        5 => Formula::Always(a),
        6 => Formula::Until(a, b),
        _ => Formula::Release(a, b),
    }
}
