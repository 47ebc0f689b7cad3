//! What was found in states that look the same.
//!
//! What a method finds follows from the situation of a state and from facts that it asks for, one after the other; which
//! fact is next follows from those before it ([`Independence::glance`]). So for each situation there is a tree: at an
//! inner node stands a fact, at a leaf what was found. Many states have the same situation, and to follow a path takes
//! far less than to look for a stubborn set.

use model::{Fact, Independence};
use rustc_hash::{FxHashMap, FxHashSet};

/// When so many bytes are in use, everything is forgotten: what is met next has to be found anew.
const MANY_BYTES: usize = 8 << 20;

/// Something that is asked for, in some situation. An empty one is nothing that could be remembered.
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
    /// The facts that stand on the path that is being made.
    stated: FxHashSet<Fact>,
}

impl Memory {
    /// What was found in a state like the one that is glanced at: a set, or that there is none.
    pub fn recall(&self, key: &Key, independence: &dyn Independence) -> Option<Option<&[u32]>> {
        let mut node = *self.roots.get(key)?;
        loop {
            match self.nodes[node as usize] {
                Node::Open => return None,
                Node::Fact(fact, next) => node = next[usize::from(independence.is_true(fact))],
                Node::Nothing => return Some(None),
                Node::Set { start, end } => return Some(Some(&self.actions[start as usize..end as usize])),
            }
        }
    }

    /// Remembers what was found, and on which facts that depends, in the order in which they were asked for.
    pub fn learn(&mut self, key: &Key, facts: &[(Fact, bool)], found: Option<&[u32]>) {
        if key.is_empty() {
            return;
        }
        if self.n_bytes > MANY_BYTES {
            *self = Memory::default();
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
    use model::{Actions, Move, Obstacles};

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
        fn obstacles(&mut self, _: u32, _: &mut Obstacles) {}
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
        let [a, b, c] = [Fact(1), Fact(2), Fact(3)];
        let (neither, only_b, with_a) = (World(vec![c]), World(vec![b]), World(vec![a, b]));
        assert_eq!(memory.recall(&[5], &neither), None);
        memory.learn(&[5], &[(a, false), (b, false), (a, false)], Some(&[7, 9]));
        assert_eq!(memory.recall(&[5], &neither), Some(Some(&[7, 9][..])));
        assert_eq!(memory.recall(&[5], &only_b), None);
        assert_eq!(memory.recall(&[5], &with_a), None);
        assert_eq!(memory.recall(&[6], &neither), None);
        // If the first fact is true, the second one is another.
        memory.learn(&[5], &[(a, true), (c, false)], None);
        assert_eq!(memory.recall(&[5], &with_a), Some(None));
        assert_eq!(memory.recall(&[5], &World(vec![a, c])), None);
        assert_eq!(memory.recall(&[5], &neither), Some(Some(&[7, 9][..])));
    }

    #[test]
    fn nothing_is_remembered_without_a_situation() {
        let mut memory = Memory::default();
        memory.learn(&[], &[], None);
        assert_eq!(memory.recall(&[], &World(Vec::new())), None);
    }

    #[test]
    fn it_does_not_grow_for_ever() {
        let mut memory = Memory::default();
        let world = World(Vec::new());
        let mut most = 0;
        for k in 0..400_000 {
            memory.learn(&[k, 0, 0, 0], &[(Fact(0), false)], Some(&[k]));
            assert_eq!(memory.recall(&[k, 0, 0, 0], &world), Some(Some(&[k][..])));
            most = most.max(memory.n_bytes);
        }
        assert!((MANY_BYTES..MANY_BYTES + 1000).contains(&most), "{most}");
        assert_eq!(memory.recall(&[0; 4], &world), None);
    }
}
