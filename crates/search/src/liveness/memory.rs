//! What a reduced search has to remember of its nodes, one byte for each.
//!
//! A node is expanded several times: by a second search, and for the run that is reported. It has to
//! have the same edges each time, so the choice made at the first time is kept; what is on the path
//! later does not matter. Then every algorithm sees one graph that does not change, as it would if the
//! reduced graph had been made before.

use por::Effort;

use crate::kernel::choice::{Choice, MOST_TRIES};

/// For each node, what is fired there and how often it is on the path of the first search.
#[derive(Default)]
pub struct Memory {
    /// The choice in the low bits: 0 until it is made, 1 for everything, then the subsets. Above them,
    /// the number of copies of the node that are on the path.
    nodes: Vec<u8>,
}

const CHOICE: u8 = 0b111;
const _: () = assert!(2 * MOST_TRIES < CHOICE, "every choice has a number");
/// One copy on the path.
const ONCE: u8 = CHOICE + 1;
/// More copies than can be counted. The node counts as on the path from then on, for ever: what is
/// expanded completely for that reason costs time only.
const TOO_OFTEN: u8 = !CHOICE;

impl Memory {
    /// What is fired in a node, if that is decided.
    pub fn choice(&self, node: u32) -> Option<Choice> {
        match self.get(node) & CHOICE {
            0 => None,
            1 => Some(Choice::Everything),
            k if k < 2 + MOST_TRIES => Some(Choice::Subset(Effort::Quick, k - 2)),
            k => Some(Choice::Subset(Effort::Thorough, k - 2 - MOST_TRIES)),
        }
    }

    pub fn decide(&mut self, node: u32, choice: Choice) {
        let number = match choice {
            Choice::Everything => 1,
            Choice::Subset(Effort::Quick, k) => 2 + k,
            Choice::Subset(Effort::Thorough, k) => 2 + MOST_TRIES + k,
            Choice::AskedFor => unreachable!("nothing is asked for here"),
        };
        let byte = self.get_mut(node);
        *byte = *byte & !CHOICE | number;
    }

    pub fn enter(&mut self, node: u32) {
        let byte = self.get_mut(node);
        if *byte & !CHOICE != TOO_OFTEN {
            *byte += ONCE;
        }
    }

    pub fn leave(&mut self, node: u32) {
        let byte = self.get_mut(node);
        if *byte & !CHOICE != TOO_OFTEN {
            *byte -= ONCE;
        }
    }

    pub fn is_on_path(&self, node: u32) -> bool {
        self.get(node) & !CHOICE != 0
    }

    pub fn bytes(&self) -> u64 {
        self.nodes.capacity() as u64
    }

    fn get(&self, node: u32) -> u8 {
        self.nodes.get(node as usize).copied().unwrap_or(0)
    }

    fn get_mut(&mut self, node: u32) -> &mut u8 {
        let node = node as usize;
        if node >= self.nodes.len() {
            self.nodes.resize(node + 1, 0);
        }
        &mut self.nodes[node]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_and_visits_do_not_disturb_each_other() {
        let mut memory = Memory::default();
        let efforts = [Effort::Quick, Effort::Thorough];
        let subsets = efforts.map(|effort| (0..MOST_TRIES).map(move |k| Choice::Subset(effort, k)));
        for (node, choice) in (0..).zip(subsets.into_iter().flatten().chain([Choice::Everything])) {
            assert_eq!(memory.choice(node), None);
            memory.enter(node);
            memory.decide(node, choice);
            memory.enter(node);
            memory.leave(node);
            assert!(memory.is_on_path(node) && memory.choice(node) == Some(choice));
            memory.leave(node);
            assert!(!memory.is_on_path(node) && memory.choice(node) == Some(choice));
        }
    }

    #[test]
    fn a_node_that_was_on_the_path_too_often_stays_there() {
        let mut memory = Memory::default();
        let most = u32::from(TOO_OFTEN / ONCE) - 1;
        for n in [most, 300] {
            (0..n).for_each(|_| memory.enter(7));
            (0..n).for_each(|_| memory.leave(7));
            assert_eq!(memory.is_on_path(7), n > most);
            assert_eq!(memory.choice(7), None);
            assert!(!memory.is_on_path(6) && !memory.is_on_path(8));
        }
    }
}
