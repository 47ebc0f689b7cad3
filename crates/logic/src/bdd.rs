//! Conditions on a state as reduced ordered binary decision diagrams.
//!
//! Equal conditions have equal numbers, which is what the translation and its reductions live on.

use model::{Over, Pace, Patience};
use rustc_hash::FxHashMap;

use crate::{Cube, Guard};

/// A condition: a node of the diagrams that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Bdd(u32);

impl Bdd {
    pub(crate) const FALSE: Bdd = Bdd(0);
    pub(crate) const TRUE: Bdd = Bdd(1);
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    atom: u32,
    low: Bdd,
    high: Bdd,
}

/// Leaves come after every atom.
const LEAF: u32 = u32::MAX;

/// More nodes than any automaton of a bearable size needs.
const MAX_NODES: usize = 1 << 20;

/// More cubes than any bearable guards have. The parity of many atoms is a small diagram with very
/// many cubes.
const MAX_CUBES: usize = 1 << 16;

/// The nodes of all conditions, each stored once. What computes with them works for as long as its patience lasts.
pub(crate) struct Bdds<'a> {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, Bdd>,
    choices: FxHashMap<(Bdd, Bdd, Bdd), Bdd>,
    n_cubes: usize,
    overflowed: bool,
    patience: &'a Patience,
    pace: Pace<'a>,
    over: Option<Over>,
}

impl Clone for Bdds<'_> {
    fn clone(&self) -> Self {
        Bdds {
            nodes: self.nodes.clone(),
            ids: self.ids.clone(),
            choices: self.choices.clone(),
            pace: self.patience.pace(),
            ..*self
        }
    }
}

impl<'a> Bdds<'a> {
    pub(crate) fn new(patience: &'a Patience) -> Bdds<'a> {
        let leaf = |id| Node { atom: LEAF, low: id, high: id };
        Bdds {
            nodes: vec![leaf(Bdd::FALSE), leaf(Bdd::TRUE)],
            ids: FxHashMap::default(),
            choices: FxHashMap::default(),
            n_cubes: 0,
            overflowed: false,
            patience,
            pace: patience.pace(),
            over: None,
        }
    }

    /// So many steps of whoever computes with conditions.
    pub(crate) fn steps(&mut self, n: usize) -> Result<(), Over> {
        self.over.map_or_else(|| self.pace.steps(n), Err)
    }

    /// For computations in which conditions play no part.
    pub(crate) fn pace(&mut self) -> &mut Pace<'a> {
        &mut self.pace
    }

    /// Whether there were too many nodes or cubes. All conditions are meaningless from then on, as they are when
    /// [`Bdds::steps`] has failed.
    pub(crate) fn overflowed(&self) -> bool {
        self.overflowed
    }

    pub(crate) fn literal(&mut self, atom: u32, positive: bool) -> Bdd {
        let (low, high) = if positive { (Bdd::FALSE, Bdd::TRUE) } else { (Bdd::TRUE, Bdd::FALSE) };
        self.node(atom, low, high)
    }

    pub(crate) fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        self.choose(a.min(b), a.max(b), Bdd::FALSE)
    }

    pub(crate) fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        self.choose(a.min(b), Bdd::TRUE, a.max(b))
    }

    /// `a`, but not `b`.
    pub(crate) fn minus(&mut self, a: Bdd, b: Bdd) -> Bdd {
        self.choose(b, Bdd::FALSE, a)
    }

    /// A condition from its cubes.
    pub(crate) fn condition(&mut self, guard: &Guard) -> Bdd {
        guard.cubes.iter().fold(Bdd::FALSE, |sum, &cube| {
            let cube = self.cube(cube);
            self.or(sum, cube)
        })
    }

    fn cube(&mut self, cube: Cube) -> Bdd {
        let atoms = cube.positive | cube.negative;
        (0..u64::BITS).filter(|atom| atoms >> atom & 1 == 1).fold(Bdd::TRUE, |product, atom| {
            let literal = self.literal(atom, cube.positive >> atom & 1 == 1);
            self.and(product, literal)
        })
    }

    /// The cubes of a condition, none of which could be left out or lose an atom.
    pub(crate) fn guard(&mut self, condition: Bdd) -> Guard {
        Guard { cubes: self.cover(condition, condition).0 }
    }

    /// Cubes that cover all of `must` and nothing outside `may`, and what they cover: Minato's
    /// irredundant sum of products.
    fn cover(&mut self, must: Bdd, may: Bdd) -> (Vec<Cube>, Bdd) {
        if must == Bdd::FALSE || self.is_stopped() {
            return (Vec::new(), Bdd::FALSE);
        }
        if may == Bdd::TRUE {
            self.n_cubes += 1;
            self.overflowed |= self.n_cubes > MAX_CUBES;
            return (vec![Cube::default()], Bdd::TRUE);
        }
        let atom = self.atom(must).min(self.atom(may));
        let (must_low, must_high) = self.branches(must, atom);
        let (may_low, may_high) = self.branches(may, atom);
        let only_low = self.minus(must_low, may_high);
        let only_high = self.minus(must_high, may_low);
        let (low_cubes, low) = self.cover(only_low, may_low);
        let (high_cubes, high) = self.cover(only_high, may_high);
        let rest_low = self.minus(must_low, low);
        let rest_high = self.minus(must_high, high);
        let rest = self.or(rest_low, rest_high);
        let both = self.and(may_low, may_high);
        let (mut cubes, covered) = self.cover(rest, both);
        let bit = 1 << atom;
        cubes.extend(low_cubes.into_iter().map(|cube| Cube { negative: cube.negative | bit, ..cube }));
        cubes.extend(high_cubes.into_iter().map(|cube| Cube { positive: cube.positive | bit, ..cube }));
        let low = self.or(low, covered);
        let high = self.or(high, covered);
        (cubes, self.node(atom, low, high))
    }

    /// `then` where `condition` holds, `otherwise` elsewhere.
    fn choose(&mut self, condition: Bdd, then: Bdd, otherwise: Bdd) -> Bdd {
        if self.is_stopped() {
            return Bdd::FALSE;
        }
        match (condition, then, otherwise) {
            (Bdd::TRUE, ..) => return then,
            (Bdd::FALSE, ..) => return otherwise,
            (_, Bdd::TRUE, Bdd::FALSE) => return condition,
            _ if then == otherwise => return then,
            _ => {}
        }
        let key = (condition, then, otherwise);
        if let Some(&known) = self.choices.get(&key) {
            return known;
        }
        self.over = self.pace.step().err();
        let atom = self.atom(condition).min(self.atom(then)).min(self.atom(otherwise));
        let (condition_low, condition_high) = self.branches(condition, atom);
        let (then_low, then_high) = self.branches(then, atom);
        let (otherwise_low, otherwise_high) = self.branches(otherwise, atom);
        let low = self.choose(condition_low, then_low, otherwise_low);
        let high = self.choose(condition_high, then_high, otherwise_high);
        let result = self.node(atom, low, high);
        self.choices.insert(key, result);
        result
    }

    fn node(&mut self, atom: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        self.overflowed |= self.nodes.len() >= MAX_NODES;
        if self.overflowed {
            return Bdd::FALSE;
        }
        let node = Node { atom, low, high };
        *self.ids.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            Bdd(self.nodes.len() as u32 - 1)
        })
    }

    fn is_stopped(&self) -> bool {
        self.overflowed || self.over.is_some()
    }

    fn atom(&self, a: Bdd) -> u32 {
        self.nodes[a.0 as usize].atom
    }

    /// What is left of a condition where the atom does not hold, and where it does.
    fn branches(&self, a: Bdd, atom: u32) -> (Bdd, Bdd) {
        let node = self.nodes[a.0 as usize];
        if node.atom == atom { (node.low, node.high) } else { (a, a) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any condition on four atoms, by its truth table.
    fn from_table(bdds: &mut Bdds, table: u16) -> Bdd {
        (0..16).filter(|row| table >> row & 1 == 1).fold(Bdd::FALSE, |sum, row| {
            let row = bdds.cube(Cube { positive: row, negative: !row & 15 });
            bdds.or(sum, row)
        })
    }

    #[test]
    fn guards_hold_where_their_condition_does_and_are_irredundant() {
        let patience = Patience::default();
        let mut bdds = Bdds::new(&patience);
        for table in (0..=u16::MAX).step_by(7) {
            let condition = from_table(&mut bdds, table);
            let guard = bdds.guard(condition);
            assert!((0..16).all(|row| guard.holds(row) == (table >> row & 1 == 1)), "{table:x}");
            assert_eq!(bdds.condition(&guard), condition);
            for left_out in 0..guard.cubes.len() {
                let mut cubes = guard.cubes.clone();
                cubes.remove(left_out);
                assert_ne!(bdds.condition(&Guard { cubes }), condition);
            }
        }
    }

    #[test]
    fn operators_mean_what_they_say() {
        let patience = Patience::default();
        let mut bdds = Bdds::new(&patience);
        for (x, y) in (0..600u16).map(|i| (i.wrapping_mul(40503), i.wrapping_mul(25717) ^ 0x5a5a)) {
            let (a, b) = (from_table(&mut bdds, x), from_table(&mut bdds, y));
            assert_eq!(bdds.and(a, b), from_table(&mut bdds, x & y));
            assert_eq!(bdds.or(a, b), from_table(&mut bdds, x | y));
            assert_eq!(bdds.minus(a, b), from_table(&mut bdds, x & !y));
        }
    }
}
