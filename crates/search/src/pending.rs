//! What a thread has to do in a search in any order, and how it got there.
//!
//! What holds between two rounds:
//!
//! - `pending`: states that nobody has expanded. Every state comes there once, when it is new.
//! - `ways`: a tree of expanded states, each behind the one that it was reached from, with the paths to
//!   all that is pending. What is not needed for that is cut off: at the end of the list at once, the rest
//!   when it has become much.
//! - `groups`: what is pending behind one way stands together, and groups stand in the order of the ways.

use std::ops::Range;

use store::Handle;

/// An expanded state. It takes 12 bytes, not 16: there may be many.
#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
pub struct Way {
    pub state: Handle,
    /// Its place in the tree: behind which one it lies.
    pub behind: u32,
}

/// What lies behind nothing: the initial state.
pub const NOWHERE: u32 = u32::MAX;

/// What is pending behind a way: how many states, and how many steps they are from the initial one.
#[derive(Clone, Copy)]
struct Group {
    way: u32,
    n_states: u32,
    depth: u32,
}

/// What a thread has to do.
#[derive(Default)]
pub struct Work {
    pub ways: Vec<Way>,
    /// The depths of the youngest ways: of those that were added in this round.
    depths: Vec<u32>,
    groups: Vec<Group>,
    pub pending: Vec<Handle>,
    /// The words of the youngest pending states, and where each ends.
    pub words: Vec<u64>,
    pub ends: Vec<usize>,
    /// With more ways than this, it is time to look which are still needed.
    enough: usize,
}

/// So many ways are never looked through.
const MANY_WAYS: usize = 1 << 12;

/// A list that is not longer need not be short of memory: it keeps what it has, and is seldom looked through.
const SHORT_LIST: usize = 1 << 18;

impl Work {
    /// The states from the initial one to an expanded one.
    pub fn path(&self, last: u32) -> Vec<Handle> {
        let behind = |&way: &u32| Some(self.ways[way as usize].behind).filter(|&behind| behind != NOWHERE);
        let path = std::iter::successors(Some(last), behind);
        let mut path: Vec<Handle> = path.map(|way| self.ways[way as usize].state).collect();
        path.reverse();
        path
    }

    /// Takes the youngest pending state and adds it to the tree.
    pub fn next(&mut self) -> Option<u32> {
        let (way, depth) = self.pop()?;
        Some(self.grow(way, depth))
    }

    /// Takes the youngest pending state, and says how many steps from the initial one it is.
    pub fn pop(&mut self) -> Option<(Way, u32)> {
        let state = self.pending.pop()?;
        let group = self.groups.last_mut()?;
        let Group { way: behind, n_states, depth } = *group;
        group.n_states -= 1;
        if n_states == 1 {
            self.groups.pop();
        }
        Some((Way { state, behind }, depth))
    }

    /// Adds a state to the tree, so many steps from the initial one.
    pub fn grow(&mut self, way: Way, depth: u32) -> u32 {
        self.ways.push(way);
        self.depths.push(depth);
        self.ways.len() as u32 - 1
    }

    /// How many steps from the initial state a way is that was added in this round.
    pub fn depth(&self, way: u32) -> u32 {
        self.depths[way as usize + self.depths.len() - self.ways.len()]
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

    /// Takes the words of the oldest states out that have any here.
    pub fn take_words(&mut self, n_states: usize) -> (Vec<u64>, Vec<usize>) {
        let ends: Vec<usize> = self.ends.drain(..n_states).collect();
        let n_words = ends.last().copied().unwrap_or(0);
        self.ends.iter_mut().for_each(|end| *end -= n_words);
        (self.words.drain(..n_words).collect(), ends)
    }

    /// Adds a state behind a way of this round: the last one that has any, or a later one.
    pub fn push(&mut self, state: Handle, words: &[u64], way: u32) {
        match self.groups.last_mut() {
            Some(group) if group.way == way => group.n_states += 1,
            _ => {
                let depth = if way == NOWHERE { 0 } else { self.depth(way) + 1 };
                self.groups.push(Group { way, n_states: 1, depth });
            }
        }
        self.pending.push(state);
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
    }

    /// Ends a round: cuts off what is not needed of the tree.
    pub fn prune(&mut self) {
        self.depths.clear();
        self.ways.truncate(n_needed(&self.groups));
        if self.ways.len() > self.enough {
            self.thin_out();
            let n_ways = self.ways.len();
            let enough = if n_ways < SHORT_LIST { 2 * n_ways } else { n_ways / 2 * 3 };
            self.enough = enough.max(MANY_WAYS);
        }
        shrink(&mut self.ways);
        shrink(&mut self.groups);
        shrink(&mut self.pending);
    }

    /// Keeps only ways that lead to something pending.
    fn thin_out(&mut self) {
        const GONE: u32 = u32::MAX;
        let mut places = vec![GONE; self.ways.len()];
        let ways = self.groups.iter().map(|group| group.way);
        ways.filter(|&way| way != NOWHERE).for_each(|way| places[way as usize] = 0);
        for (at, way) in self.ways.iter().enumerate().rev() {
            if places[at] != GONE && way.behind != NOWHERE {
                places[way.behind as usize] = 0;
            }
        }
        let mut n_kept = 0;
        for (at, place) in places.iter_mut().enumerate() {
            if *place != GONE {
                *place = n_kept;
                self.ways[n_kept as usize] = self.ways[at];
                n_kept += 1;
            }
        }
        self.ways.truncate(n_kept as usize);
        let ways = self.ways.iter_mut().map(|way| &mut way.behind);
        let ways = ways.chain(self.groups.iter_mut().map(|group| &mut group.way));
        ways.filter(|way| **way != NOWHERE).for_each(|way| *way = places[*way as usize]);
    }

    /// Gives the older half of what is pending away.
    pub fn split(&mut self) -> Work {
        let half = self.pending.len() / 2;
        let (mut n_groups, mut n_states) = (0, 0);
        while n_states < half {
            n_states += self.groups[n_groups].n_states as usize;
            n_groups += 1;
        }
        let mut groups = self.groups[..n_groups].to_vec();
        // The last of these may have states in both halves.
        let n_left = (n_states - half) as u32;
        if let Some(last) = groups.last_mut().filter(|_| n_left > 0) {
            last.n_states -= n_left;
            n_groups -= 1;
            self.groups[n_groups].n_states = n_left;
        }
        self.groups.drain(..n_groups);
        let (words, ends) = self.take_words(half.saturating_sub(self.n_without_words()));
        Work {
            ways: self.ways[..n_needed(&groups)].to_vec(),
            depths: Vec::new(),
            groups,
            pending: self.pending.drain(..half).collect(),
            words,
            ends,
            enough: MANY_WAYS,
        }
    }

    pub fn bytes(&self) -> u64 {
        // What was never used of their capacity is not there.
        let lists = self.ways.len() * size_of::<Way>()
            + self.groups.len() * size_of::<Group>()
            + self.pending.len() * size_of::<Handle>();
        (lists + 8 * (self.words.len() + self.ends.len())) as u64
    }
}

/// How many ways are needed for what is pending in some groups.
fn n_needed(groups: &[Group]) -> usize {
    groups.last().map_or(0, |last| last.way.wrapping_add(1) as usize)
}

/// Gives memory back if a list has become much shorter.
fn shrink<T>(list: &mut Vec<T>) {
    let capacity = list.capacity();
    if capacity > SHORT_LIST && list.len() < capacity / 8 * 3 {
        list.shrink_to(capacity / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work in which states are numbers, and for each pending one the path to it, by other means.
    struct Twin {
        work: Work,
        paths: Vec<Vec<u64>>,
    }

    impl Twin {
        fn expand(&mut self, n_states: usize, mut n_children: impl FnMut() -> usize, number: &mut u64) {
            let mut parents = Vec::new();
            for _ in 0..n_states {
                let Some(&youngest) = self.work.pending.last() else { break };
                if let Some(place) = self.work.next_words() {
                    assert_eq!(self.work.words[place], [youngest.0; 2]);
                    self.work.pop_words();
                }
                let Some(way) = self.work.next() else { break };
                let path = self.paths.pop().expect("as many as are pending");
                assert_eq!(self.work.path(way).iter().map(|state| state.0).collect::<Vec<_>>(), path);
                assert_eq!(self.work.depth(way) as usize, path.len() - 1);
                parents.push((way, path));
            }
            for (way, path) in parents {
                for _ in 0..n_children() {
                    *number += 1;
                    self.work.push(Handle(*number), &[*number; 2], way);
                    self.paths.push([&path[..], &[*number]].concat());
                }
            }
            self.work.prune();
            assert_eq!(self.work.pending.len(), self.paths.len());
        }

        fn split(&mut self) -> Twin {
            let work = self.work.split();
            let paths = self.paths.drain(..work.pending.len()).collect();
            Twin { work, paths }
        }
    }

    #[test]
    fn paths_survive_splitting_and_thinning_out() {
        let mut seed = 1_u64;
        let mut random = move |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for _ in 0..200 {
            let mut first = Twin { work: Work::default(), paths: vec![vec![0]] };
            first.work.push(Handle(0), &[0; 2], NOWHERE);
            let (mut twins, mut number) = (vec![first], 0);
            for _ in 0..300 {
                let at = random(twins.len() as u64) as usize;
                let most = if twins[at].paths.len() < 50 { 4 } else { 3 };
                twins[at].expand(1 + random(8) as usize, || random(most) as usize, &mut number);
                match random(8) {
                    0 if twins.len() < 4 && twins[at].paths.len() > 1 => {
                        let other = twins[at].split();
                        twins.push(other);
                    }
                    1 => twins[at].work.thin_out(),
                    2 => {
                        let half = twins[at].work.ends.len() / 2;
                        twins[at].work.take_words(half);
                    }
                    _ => {}
                }
            }
            for mut twin in twins {
                while !twin.paths.is_empty() {
                    twin.expand(3, || 0, &mut number);
                }
                assert!(twin.work.ways.is_empty());
            }
        }
    }
}
