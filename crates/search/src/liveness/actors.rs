//! Sets of actors.

use std::hash::{Hash, Hasher};

use model::Actor;

/// A set of actors, or all but those of a set.
#[derive(Clone, Debug, Default, Eq)]
pub struct ActorSet {
    /// A bit for each of the first actors: mostly there are no others.
    first: u64,
    /// Bits for those behind them. The last word differs from what is behind it.
    more: Vec<u64>,
    /// Whether all actors behind these are in the set, or none.
    behind: bool,
}

impl PartialEq for ActorSet {
    /// Word by word: `memcmp` takes hundreds of cycles for two lists without words on processors with AVX-512, where it
    /// looks at addresses that are nobody's.
    fn eq(&self, other: &ActorSet) -> bool {
        self.first == other.first
            && self.behind == other.behind
            && self.more.len() == other.more.len()
            && self.more.iter().zip(&other.more).all(|(mine, others)| mine == others)
    }
}

impl Hash for ActorSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.first.hash(state);
        self.behind.hash(state);
        self.more.iter().for_each(|word| word.hash(state));
    }
}

impl ActorSet {
    /// All that there can be.
    pub const EVERY: ActorSet = ActorSet { first: u64::MAX, more: Vec::new(), behind: true };

    pub fn insert(&mut self, actor: Actor) {
        let bit = 1 << (actor.0 % 64);
        match (actor.0 / 64) as usize {
            0 => self.first |= bit,
            word if word <= self.more.len() => {
                self.more[word - 1] |= bit;
                self.shorten();
            }
            word if !self.behind => {
                self.more.resize(word, 0);
                self.more[word - 1] = bit;
            }
            _ => {}
        }
    }

    pub fn contains(&self, actor: Actor) -> bool {
        self.word((actor.0 / 64) as usize) >> (actor.0 % 64) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.more.is_empty() && !self.behind
    }

    /// The number behind the last actor of the set, which has a last one.
    pub fn end(&self) -> u32 {
        debug_assert!(!self.behind);
        let last = self.more.last().unwrap_or(&self.first);
        64 * (self.more.len() as u32 + 1) - last.leading_zeros()
    }

    /// Adds the actors of another set.
    pub fn unite(&mut self, other: &ActorSet) {
        self.combine(other, |mine, others| mine | others);
    }

    /// Takes away the actors that are not in another set.
    pub fn intersect(&mut self, other: &ActorSet) {
        self.combine(other, |mine, others| mine & others);
    }

    /// Takes away the actors that are in another set.
    pub fn subtract(&mut self, other: &ActorSet) {
        self.combine(other, |mine, others| mine & !others);
    }

    /// Whether two sets have an actor in common.
    pub fn intersects(&self, other: &ActorSet) -> bool {
        let mut both = self.clone();
        both.intersect(other);
        !both.is_empty()
    }

    /// The actors that are not in the set.
    pub fn complement(&self) -> ActorSet {
        let mut all = ActorSet::EVERY;
        all.subtract(self);
        all
    }

    /// Combines two sets bit by bit.
    #[inline]
    fn combine(&mut self, other: &ActorSet, operation: impl Fn(u64, u64) -> u64) {
        self.first = operation(self.first, other.first);
        let is_short = self.more.is_empty() && other.more.is_empty();
        if !is_short {
            let len = self.more.len().max(other.more.len());
            self.more.resize(len, self.rest());
            for (k, mine) in self.more.iter_mut().enumerate() {
                *mine = operation(*mine, other.word(k + 1));
            }
        }
        self.behind = operation(self.rest(), other.rest()) != 0;
        if !is_short {
            self.shorten();
        }
    }

    /// What every word behind the others is.
    fn rest(&self) -> u64 {
        if self.behind { u64::MAX } else { 0 }
    }

    fn word(&self, word: usize) -> u64 {
        match word {
            0 => self.first,
            _ => self.more.get(word - 1).copied().unwrap_or(self.rest()),
        }
    }

    /// Forgets words that say no more than `behind`, so equal sets are the same.
    fn shorten(&mut self) {
        let rest = self.rest();
        while self.more.last() == Some(&rest) {
            self.more.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use model::Random;

    use super::*;

    /// All actors that the tests know, and some that are in a set only if it has no last one.
    const ALL: u32 = 600;

    fn random(random: &mut Random) -> (ActorSet, BTreeSet<u32>) {
        let (mut set, mut known) = (ActorSet::default(), BTreeSet::new());
        let range = [20, 64, 128, 500][random.below(4)];
        for _ in 0..random.below(9) {
            let actor = random.below(range) as u32;
            set.insert(Actor(actor));
            known.insert(actor);
        }
        if random.below(3) == 0 {
            set = set.complement();
            known = (0..ALL).filter(|actor| !known.contains(actor)).collect();
        }
        (set, known)
    }

    fn members(set: &ActorSet) -> BTreeSet<u32> {
        (0..ALL).filter(|&actor| set.contains(Actor(actor))).collect()
    }

    #[test]
    fn sets_are_what_they_say() {
        let mut seed = Random::new(1);
        for _ in 0..5_000 {
            let ((a, known_a), (b, known_b)) = (random(&mut seed), random(&mut seed));
            let (mut union, mut both, mut less) = (a.clone(), a.clone(), a.clone());
            union.unite(&b);
            both.intersect(&b);
            less.subtract(&b);
            assert_eq!(members(&union), &known_a | &known_b);
            assert_eq!(members(&both), &known_a & &known_b);
            assert_eq!(members(&less), &known_a - &known_b);
            for set in [&a, &union, &both, &less] {
                assert_eq!(set.is_empty(), members(set).is_empty());
                assert_eq!(set.complement().complement(), *set);
                if !set.contains(Actor(ALL)) {
                    assert_eq!(set.end(), members(set).last().map_or(0, |last| last + 1));
                }
            }
            assert_eq!(a == b, known_a == known_b);
            let mut again = less;
            again.unite(&both);
            assert_eq!(again, a);
        }
    }

    #[test]
    fn who_is_added_to_all_is_there_already() {
        let mut all = ActorSet::EVERY;
        all.insert(Actor(1_000_000));
        assert_eq!(all, ActorSet::EVERY);
        let mut most = ActorSet::default();
        most.insert(Actor(100));
        most = most.complement();
        most.insert(Actor(100));
        assert_eq!(most, ActorSet::EVERY);
    }
}
