//! What was found in states that look the same.
//!
//! What a method finds follows from the situation of a state and from facts that it asks for, one after the other; which
//! fact is next follows from those before it ([`Independence::glance`]). So for each situation there is a tree: at an
//! inner node stands a fact, at a leaf what was found. Many states have the same situation, and to follow a path takes
//! far less than to look for a stubborn set.
//!
//! This relies on the model: an answer of [`Independence`] that depends on more than the situation must be recorded as a
//! fact, otherwise sets are wrong. `testkit/tests/recollection.rs` compares what is remembered with what is found anew.

use model::{Fact, Independence};
use rustc_hash::{FxHashMap, FxHashSet};

/// After so many questions it is decided whether to remember anything …
const WINDOW: u32 = 1024;
/// … which is worth it if one of so many is answered. If not, it is tried again after so many windows.
const ONE_OF: u32 = 4;
const PAUSE: u32 = 15;

/// When so many bytes are in use, everything is forgotten: what is met next has to be found anew.
const MANY_BYTES: usize = 4 << 20;

/// Something that is asked for, in some situation.
type Key = [u32];

#[derive(Clone, Copy)]
enum Node {
    /// Nothing is known.
    Open,
    /// What matters is whether a fact is true: where to go on if it is not, and if it is.
    Fact(Fact, [u32; 2]),
    /// There is no set.
    Nothing,
    /// A set of actions, in `actions`.
    Set { start: u32, end: u32 },
}

/// See the head of this file.
#[derive(Default)]
pub(crate) struct Memory {
    roots: FxHashMap<Box<Key>, u32>,
    nodes: Vec<Node>,
    actions: Vec<u32>,
    n_bytes: usize,
    n_asked: u32,
    n_answered: u32,
    /// How many windows go by before anything is remembered again.
    n_paused: u32,
    /// The facts that stand on the path that is being made.
    stated: FxHashSet<Fact>,
}

impl Memory {
    /// Whether it is worth to remember anything at present; to be asked before each question.
    pub fn is_useful(&mut self) -> bool {
        self.n_asked += 1;
        if self.n_asked == WINDOW {
            self.n_paused = match self.n_paused {
                0 if self.n_answered < WINDOW / ONE_OF => PAUSE,
                0 => 0,
                more => more - 1,
            };
            (self.n_asked, self.n_answered) = (0, 0);
        }
        self.n_paused == 0
    }

    /// What was found in a state like the one that is glanced at: a set, or that there is none. Counts the facts that
    /// were asked for.
    pub fn recall(
        &mut self,
        key: &Key,
        independence: &dyn Independence,
        n_facts: &mut u64,
    ) -> Option<Option<&[u32]>> {
        let mut node = *self.roots.get(key)?;
        let found = loop {
            match self.nodes[node as usize] {
                Node::Open => return None,
                Node::Fact(fact, next) => {
                    *n_facts += 1;
                    node = next[usize::from(independence.is_true(fact))];
                }
                Node::Nothing => break None,
                Node::Set { start, end } => break Some(start as usize..end as usize),
            }
        };
        self.n_answered += 1;
        Some(found.map(|range| &self.actions[range]))
    }

    /// Remembers what was found, and on which facts that depends, in the order in which they were asked for.
    pub fn learn(&mut self, key: &Key, facts: &[(Fact, bool)], found: Option<&[u32]>) {
        if self.n_bytes > MANY_BYTES {
            let Memory { n_asked, n_answered, .. } = *self;
            *self = Memory { n_asked, n_answered, ..Memory::default() };
        }
        let mut node = match self.roots.get(key) {
            Some(&root) => root,
            None => {
                self.n_bytes += size_of_val(key) + 2 * size_of::<(Box<Key>, u32)>();
                let root = self.add_open();
                self.roots.insert(key.into(), root);
                root
            }
        };
        self.stated.clear();
        for &(fact, is_true) in facts {
            // What is known to be true, or not, on this path is not asked for again.
            if !self.stated.insert(fact) {
                continue;
            }
            if let Node::Open = self.nodes[node as usize] {
                let next = [self.add_open(), self.add_open()];
                self.nodes[node as usize] = Node::Fact(fact, next);
            }
            let Node::Fact(expected, next) = self.nodes[node as usize] else {
                unreachable!("what is known needs no further fact")
            };
            assert_eq!(expected, fact, "which fact is next follows from those before it");
            node = next[usize::from(is_true)];
        }
        self.nodes[node as usize] = match found {
            None => Node::Nothing,
            Some(found) => {
                let start = self.actions.len() as u32;
                self.actions.extend_from_slice(found);
                self.n_bytes += size_of_val(found);
                Node::Set { start, end: self.actions.len() as u32 }
            }
        };
    }

    fn add_open(&mut self) -> u32 {
        self.n_bytes += size_of::<Node>();
        self.nodes.push(Node::Open);
        self.nodes.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use model::{Actions, EnablingSets, Move};

    use super::*;

    /// The facts that are true.
    struct World(Vec<Fact>);

    impl Independence for World {
        fn look(&mut self, _: &[u64], _: &Actions) {}
        fn is_true(&self, fact: Fact) -> bool {
            self.0.contains(&fact)
        }
        fn moves(&self) -> &[Move] {
            &[]
        }
        fn moves_of(&self, _: usize) -> [u32; 2] {
            [0; 2]
        }
        fn conflicts(&mut self, _: u32, _: &mut Vec<u32>) {}
        fn enabling_sets(&mut self, _: u32, _: &mut EnablingSets) {}
        fn is_local(&mut self, _: u32) -> bool {
            false
        }
        fn is_private(&mut self, _: u32) -> bool {
            false
        }
    }

    #[test]
    fn what_was_found_depends_on_the_facts_that_were_asked_for() {
        let mut memory = Memory::default();
        let mut n_facts = 0;
        let [a, b, c] = [Fact(1), Fact(2), Fact(3)];
        let (neither, only_b, with_a) = (World(vec![c]), World(vec![b]), World(vec![a, b]));
        assert_eq!(memory.recall(&[5], &neither, &mut n_facts), None);
        memory.learn(&[5], &[(a, false), (b, false), (a, false)], Some(&[7, 9]));
        assert_eq!(memory.recall(&[5], &neither, &mut n_facts), Some(Some(&[7, 9][..])));
        assert_eq!(memory.recall(&[5], &only_b, &mut n_facts), None);
        assert_eq!(memory.recall(&[5], &with_a, &mut n_facts), None);
        assert_eq!(memory.recall(&[6], &neither, &mut n_facts), None);
        // If the first fact is true, the second one is another.
        memory.learn(&[5], &[(a, true), (c, false)], None);
        assert_eq!(memory.recall(&[5], &with_a, &mut n_facts), Some(None));
        assert_eq!(memory.recall(&[5], &World(vec![a, c]), &mut n_facts), None);
        assert_eq!(memory.recall(&[5], &neither, &mut n_facts), Some(Some(&[7, 9][..])));
    }

    #[test]
    fn what_is_of_no_use_is_tried_now_and_then() {
        let mut memory = Memory::default();
        let world = World(Vec::new());
        let n_useful = |memory: &mut Memory, is_known: bool| {
            let ask = |_: &u32| {
                let is_useful = memory.is_useful();
                if is_useful && is_known {
                    memory.recall(&[0], &world, &mut 0);
                }
                is_useful
            };
            (0..WINDOW).filter(ask).count() as u32
        };
        memory.learn(&[0], &[], None);
        assert_eq!(
            [true, true, false].map(|is_known| n_useful(&mut memory, is_known)),
            [WINDOW, WINDOW, WINDOW - 1]
        );
        for _ in 1..PAUSE {
            assert_eq!(n_useful(&mut memory, true), 0);
        }
        assert_eq!([1, 2, 3].map(|_| n_useful(&mut memory, true)), [1, WINDOW, WINDOW]);
    }

    #[test]
    fn it_does_not_grow_for_ever() {
        let (mut memory, mut n_facts) = (Memory::default(), 0);
        let world = World(Vec::new());
        let mut most = 0;
        for k in 0..400_000 {
            memory.learn(&[k, 0, 0, 0], &[(Fact(0), false)], Some(&[k]));
            assert_eq!(memory.recall(&[k, 0, 0, 0], &world, &mut n_facts), Some(Some(&[k][..])));
            most = most.max(memory.n_bytes);
            assert!(size_of_val(&memory.nodes[..]) < MANY_BYTES && memory.roots.len() < MANY_BYTES / 16);
        }
        assert_eq!(n_facts, 400_000);
        assert!((MANY_BYTES..MANY_BYTES + 1000).contains(&most), "{most}");
        assert_eq!(memory.recall(&[0; 4], &world, &mut n_facts), None);
    }
}
