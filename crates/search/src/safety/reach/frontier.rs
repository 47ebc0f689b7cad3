//! What a thread has to do in a search in any order, and how it got there.
//!
//! What holds between two rounds:
//!
//! - `pending`: states that nobody has expanded. Every state comes there once, when it is new.
//! - `ways`: a tree of expanded states, each behind the one that it was reached from, with the paths to
//!   all that is pending. A state comes there when it has led to a new one. What is not needed any more is cut
//!   off: at the end of the list at once, the rest when it has become much.
//! - `groups`: what is pending behind one way stands together, and groups stand in the order of the ways.
//! - `words` and `ends` are those of the youngest pending states; of all, if the store does not keep them.

use std::ops::Range;

use store::Handle;

use crate::safety::reach::packed::{Packed, Row};

/// An expanded state. It takes 12 bytes, not 16: there may be many.
#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
pub struct Way {
    pub state: Handle,
    /// Its place in the tree: behind which one it lies.
    pub behind: u32,
}

/// What lies behind nothing, the initial state, or is not in the tree.
const NOWHERE: u32 = u32::MAX;

/// A state that is expanded in this round.
struct Expanded {
    way: Way,
    /// How many steps from the initial state it is.
    depth: u32,
    /// Its place in the tree, once it has led to something new.
    place: u32,
}

/// What is pending behind a way: how many states, and how many steps they are from the initial one.
#[derive(Clone, Copy)]
struct Group {
    way: u32,
    n_states: u32,
    depth: u32,
}

/// What holds of every pending state.
const GROUPED: &str = "it is in a group";

impl Group {
    /// Takes one of its states out.
    #[inline]
    fn take(&mut self, state: Handle) -> (Way, u32) {
        self.n_states -= 1;
        (Way { state, behind: self.way }, self.depth)
    }
}

impl Row for Handle {
    fn numbers(self) -> [u32; 3] {
        [(self.0 >> 32) as u32, self.0 as u32, 0]
    }

    fn of_numbers([upper, lower, _]: [u32; 3]) -> Handle {
        Handle(u64::from(upper) << 32 | u64::from(lower))
    }
}

impl Row for Way {
    fn numbers(self) -> [u32; 3] {
        let [upper, lower, _] = self.state.numbers();
        [upper, lower, self.behind]
    }

    fn of_numbers([upper, lower, behind]: [u32; 3]) -> Way {
        Way { state: Handle::of_numbers([upper, lower, 0]), behind }
    }
}

impl Row for Group {
    fn numbers(self) -> [u32; 3] {
        [self.way, self.n_states, self.depth]
    }

    fn of_numbers([way, n_states, depth]: [u32; 3]) -> Group {
        Group { way, n_states, depth }
    }
}

/// What a thread has to do.
#[derive(Default)]
pub struct Work {
    ways: Packed<Way>,
    /// What is expanded in this round.
    round: Vec<Expanded>,
    groups: Packed<Group>,
    pending: Packed<Handle>,
    /// The words of the youngest pending states, and where each ends.
    pub words: Vec<u64>,
    pub ends: Vec<usize>,
    /// With more ways than this, it is time to look which are still needed.
    enough: usize,
}

/// So many ways are never looked through.
const MANY_WAYS: usize = if cfg!(test) { 1 << 8 } else { 1 << 17 };

/// So many ways need not be short of memory: they are seldom looked through.
const FEW_WAYS: usize = 1 << 20;

impl Work {
    /// Work with the initial state only.
    pub fn new(initial: Handle, words: &[u64]) -> Work {
        let mut work = Work { enough: MANY_WAYS, ..Work::default() };
        work.groups.push(Group { way: NOWHERE, n_states: 1, depth: 0 });
        work.add(initial, words);
        work
    }

    /// The states from the initial one to one that is expanded in this round.
    pub fn path(&self, number: u32) -> Vec<Handle> {
        let behind = |&Way { behind, .. }: &Way| (behind != NOWHERE).then(|| self.ways.get(behind as usize));
        let path = std::iter::successors(Some(self.round[number as usize].way), behind);
        let mut path: Vec<Handle> = path.map(|way| way.state).collect();
        path.reverse();
        path
    }

    /// Takes the youngest pending state, and says how many steps from the initial one it is. Its words stay.
    #[inline]
    pub fn pop(&mut self) -> Option<(Way, u32)> {
        let state = self.pending.pop()?;
        let group = self.groups.last_mut().expect(GROUPED);
        let taken = group.take(state);
        if group.n_states == 0 {
            self.groups.pop();
        }
        Some(taken)
    }

    /// Takes the oldest pending state, as [`Work::pop`] does the youngest.
    pub fn pop_oldest(&mut self) -> Option<(Way, u32)> {
        if self.n_without_words() == 0 {
            self.words.clear();
            self.ends.clear();
        }
        let state = self.pending.pop_first()?;
        let group = self.groups.first_mut().expect(GROUPED);
        let taken = group.take(state);
        if group.n_states == 0 {
            self.groups.pop_first();
        }
        Some(taken)
    }

    /// How many states are pending.
    pub fn n_pending(&self) -> usize {
        self.pending.len()
    }

    /// One of the youngest pending states, counted from the end, unless it is packed.
    pub fn youngest(&self, at: usize) -> Option<Handle> {
        self.pending.youngest(at)
    }

    /// Expands a state that was taken, so many steps from the initial one. Gives its number in this round.
    #[inline]
    pub fn expand(&mut self, way: Way, depth: u32) -> u32 {
        self.round.push(Expanded { way, depth, place: NOWHERE });
        self.round.len() as u32 - 1
    }

    /// How many states are expanded in this round.
    pub fn n_expanded(&self) -> usize {
        self.round.len()
    }

    /// A state that is expanded in this round, and how many steps from the initial one it is.
    pub fn expanded(&self, number: u32) -> (Handle, u32) {
        let Expanded { way, depth, .. } = self.round[number as usize];
        (way.state, depth)
    }

    /// Where the words of the youngest pending state are, if they are kept.
    pub fn next_words(&self) -> Option<Range<usize>> {
        let (&end, before) = self.ends.split_last()?;
        Some(before.last().copied().unwrap_or(0)..end)
    }

    pub fn pop_words(&mut self) {
        self.ends.pop();
        self.words.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// How many of the oldest pending states have no words here.
    fn n_without_words(&self) -> usize {
        self.pending.len() - self.ends.len()
    }

    /// Drops the words of the oldest states that have any here.
    pub fn drop_words(&mut self, n_states: usize) {
        let n_words = self.ends[..n_states].last().copied().unwrap_or(0);
        self.words.drain(..n_words);
        self.ends.drain(..n_states);
        self.ends.iter_mut().for_each(|end| *end -= n_words);
    }

    /// The same, and gives them.
    fn take_words(&mut self, n_states: usize) -> (Vec<u64>, Vec<usize>) {
        let ends = self.ends[..n_states].to_vec();
        let words = self.words[..ends.last().copied().unwrap_or(0)].to_vec();
        self.drop_words(n_states);
        (words, ends)
    }

    /// Adds a new state behind one of this round: the last one that has led to any, or a later one.
    #[inline]
    pub fn push(&mut self, state: Handle, words: &[u64], number: u32) {
        let Expanded { way, depth, place } = &mut self.round[number as usize];
        if *place == NOWHERE {
            *place = self.ways.len() as u32;
            self.ways.push(*way);
            self.groups.push(Group { way: *place, n_states: 0, depth: *depth + 1 });
        }
        self.groups.last_mut().expect(GROUPED).n_states += 1;
        self.add(state, words);
    }

    /// Adds a pending state to the last group, which counts it.
    #[inline]
    fn add(&mut self, state: Handle, words: &[u64]) {
        self.pending.push(state);
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
    }

    /// Ends a round: cuts off what is not needed of the tree.
    #[inline]
    pub fn prune(&mut self) {
        self.round.clear();
        let n_needed = n_needed(&mut self.groups);
        self.ways.truncate(n_needed);
        if self.ways.len() > self.enough {
            self.thin_out();
            let n_ways = self.ways.len();
            let enough = if n_ways < FEW_WAYS { 2 * n_ways } else { n_ways / 2 * 3 };
            self.enough = enough.max(MANY_WAYS);
        }
        self.ways.pack();
        self.groups.pack();
        self.pending.pack();
    }

    /// Keeps only ways that lead to something pending.
    fn thin_out(&mut self) {
        let mut needed = Needed::none_of(self.ways.len());
        self.groups.rows().for_each(|group| needed.add(group.way));
        let mut at = self.ways.len() as u32;
        self.ways.rows().rev().for_each(|way| {
            at -= 1;
            if needed.has(at) {
                needed.add(way.behind);
            }
        });
        needed.count();
        // What is old has often been looked through before, and is as it was then.
        let n_same = needed.n_first();
        at = n_same as u32;
        self.ways.filter_map_behind(n_same, |Way { state, behind }| {
            let is_needed = needed.has(at);
            at += 1;
            is_needed.then(|| Way { state, behind: needed.place(behind) })
        });
        let n_same =
            self.groups.rows().take_while(|group| (group.way.wrapping_add(1) as usize) <= n_same).count();
        self.groups.filter_map_behind(n_same, |group| Some(Group { way: needed.place(group.way), ..group }));
    }

    /// Gives the older half of what is pending away.
    pub fn split(&mut self) -> Work {
        let half = self.pending.len() / 2;
        let (words, ends) = self.take_words(half.saturating_sub(self.n_without_words()));
        let mut groups = Packed::default();
        let mut n_missing = half;
        while n_missing > 0 {
            let group = self.groups.first_mut().expect(GROUPED);
            // The last one may have states in both halves.
            let n_states = (group.n_states as usize).min(n_missing);
            groups.push(Group { n_states: n_states as u32, ..*group });
            groups.pack();
            group.n_states -= n_states as u32;
            n_missing -= n_states;
            if group.n_states == 0 {
                self.groups.pop_first();
            }
        }
        let ways = self.ways.oldest(n_needed(&mut groups));
        let pending = self.pending.take_first(half);
        Work { ways, round: Vec::new(), groups, pending, words, ends, enough: MANY_WAYS }
    }

    pub fn bytes(&self) -> u64 {
        let lists = self.ways.bytes() + self.groups.bytes() + self.pending.bytes();
        let round = self.round.capacity() * size_of::<Expanded>();
        (lists + round + 8 * (self.words.len() + self.ends.len())) as u64
    }
}

/// How many ways are needed for what is pending in some groups.
fn n_needed(groups: &mut Packed<Group>) -> usize {
    groups.last_mut().map_or(0, |last| last.way.wrapping_add(1) as usize)
}

/// Some of the ways.
struct Needed {
    bits: Vec<u64>,
    /// How many there are in front of each 64.
    n_before: Vec<u32>,
}

impl Needed {
    fn none_of(n_ways: usize) -> Needed {
        Needed { bits: vec![0; n_ways.div_ceil(64)], n_before: Vec::new() }
    }

    fn add(&mut self, way: u32) {
        if way != NOWHERE {
            self.bits[way as usize / 64] |= 1 << (way % 64);
        }
    }

    fn has(&self, way: u32) -> bool {
        self.bits[way as usize / 64] >> (way % 64) & 1 == 1
    }

    /// How many there are in front of the first that is none of them.
    fn n_first(&self) -> usize {
        let full = self.bits.iter().take_while(|&&bits| bits == u64::MAX).count();
        64 * full + self.bits.get(full).map_or(0, |bits| bits.trailing_ones() as usize)
    }

    fn count(&mut self) {
        let n_before = self.bits.iter().scan(0, |n_before, bits| {
            let n = *n_before;
            *n_before += bits.count_ones();
            Some(n)
        });
        self.n_before = n_before.collect();
    }

    /// How many of them are in front of one that is not the initial state, once they are counted.
    fn place(&self, way: u32) -> u32 {
        let (at, bit) = (way as usize / 64, way % 64);
        self.n_before[at] + (self.bits[at] & ((1 << bit) - 1)).count_ones()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use model::Random;

    use super::*;

    /// Work in which states are numbers, and for each pending one the path to it, by other means.
    struct Twin {
        work: Work,
        paths: VecDeque<Vec<u64>>,
    }

    impl Twin {
        /// Takes a state from one of the ends, with the path to it.
        fn next(&mut self, is_oldest: bool) -> Option<(u32, Vec<u64>)> {
            let ((way, depth), path) = if is_oldest {
                (self.work.pop_oldest()?, self.paths.pop_front())
            } else {
                let place = self.work.next_words();
                let next = self.work.pop()?;
                if let Some(place) = place {
                    assert_eq!(self.work.words[place], [next.0.state.0; 2]);
                    self.work.pop_words();
                }
                (next, self.paths.pop_back())
            };
            let path = path.expect("as many as are pending");
            assert_eq!(depth as usize, path.len() - 1);
            let number = self.work.expand(way, depth);
            assert_eq!(self.work.path(number).iter().map(|state| state.0).collect::<Vec<_>>(), path);
            assert_eq!(self.work.expanded(number), (way.state, depth));
            Some((number, path))
        }

        fn expand(
            &mut self,
            n_states: usize,
            is_oldest: bool,
            mut n_children: impl FnMut() -> usize,
            number: &mut u64,
        ) {
            let parents: Vec<_> = (0..n_states).map_while(|_| self.next(is_oldest)).collect();
            for (parent, path) in parents {
                for _ in 0..n_children() {
                    *number += 1;
                    self.work.push(Handle(*number), &[*number; 2], parent);
                    self.paths.push_back([&path[..], &[*number]].concat());
                }
            }
            self.work.prune();
            self.check();
        }

        fn check(&self) {
            assert_eq!(self.work.n_pending(), self.paths.len());
            assert!(self.work.ends.len() <= self.work.n_pending());
            assert_eq!(self.work.words.len(), 2 * self.work.ends.len());
            assert!(self.work.bytes() >= 16 * self.work.ends.len() as u64);
        }

        fn split(&mut self) -> Twin {
            let n_words = self.work.ends.len();
            let work = self.work.split();
            let paths = self.paths.drain(..work.n_pending()).collect();
            let other = Twin { work, paths };
            assert_eq!(self.work.ends.len() + other.work.ends.len(), n_words);
            self.check();
            other.check();
            other
        }
    }

    #[test]
    fn paths_survive_splitting_and_thinning_out() {
        let mut numbers = Random::new(1);
        let mut random = move |n: u64| numbers.draw() % n;
        for round in 0..200 {
            let first = Twin { work: Work::new(Handle(0), &[0; 2]), paths: [vec![0]].into() };
            let (mut twins, mut number) = (vec![first], 0);
            for _ in 0..300 {
                let at = random(twins.len() as u64) as usize;
                let most = if twins[at].paths.len() < [50, 1000][round % 2] { 4 } else { 3 };
                let is_oldest = random(4) == 0;
                twins[at].expand(1 + random(8) as usize, is_oldest, || random(most) as usize, &mut number);
                match random(8) {
                    0 if twins.len() < 4 && twins[at].paths.len() > 1 => {
                        let other = twins[at].split();
                        twins.push(other);
                    }
                    1 => twins[at].work.thin_out(),
                    2 => {
                        let half = twins[at].work.ends.len() / 2;
                        twins[at].work.drop_words(half);
                    }
                    _ => {}
                }
            }
            for mut twin in twins {
                while !twin.paths.is_empty() {
                    twin.expand(3, false, || 0, &mut number);
                }
                assert_eq!(twin.work.ways.len(), 0);
            }
        }
    }
}
