//! Two bits for each node of each copy of a graph, next to each other.

use super::fair::CopyNode;

/// A number below 4 for each node; 0 until it is set.
pub struct Colours {
    words: Vec<u64>,
    /// The number of copies for which there is room: a power of two.
    stride: usize,
}

impl Colours {
    pub fn new() -> Colours {
        Colours { words: Vec::new(), stride: 1 }
    }

    pub fn get(&self, node: CopyNode) -> u8 {
        if node.copy as usize >= self.stride {
            return 0;
        }
        let (word, shift) = self.place(node);
        self.words.get(word).map_or(0, |word| (word >> shift & 3) as u8)
    }

    pub fn set(&mut self, node: CopyNode, colour: u8) {
        while node.copy as usize >= self.stride {
            self.double();
        }
        let (word, shift) = self.place(node);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] = self.words[word] & !(3 << shift) | u64::from(colour) << shift;
    }

    fn place(&self, node: CopyNode) -> (usize, usize) {
        let bit = 2 * (node.state as usize * self.stride + node.copy as usize);
        (bit / 64, bit % 64)
    }

    /// Makes room for twice as many copies.
    fn double(&mut self) {
        let mut wider = Colours { words: Vec::new(), stride: 2 * self.stride };
        wider.words.reserve(2 * self.words.len());
        for index in 0..32 * self.words.len() {
            let node = CopyNode { state: (index / self.stride) as u32, copy: (index % self.stride) as u32 };
            let colour = self.get(node);
            if colour != 0 {
                wider.set(node, colour);
            }
        }
        *self = wider;
    }

    pub fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use model::Random;

    use super::*;

    #[test]
    fn colours_are_kept_when_copies_are_added() {
        let mut colours = Colours::new();
        let mut known: HashMap<(u32, u32), u8> = HashMap::new();
        let mut random = Random::new(1);
        for round in 0..20_000 {
            let (state, copy) = (random.below(500) as u32, random.below(1 + round / 100) as u32);
            let colour = random.below(4) as u8;
            colours.set(CopyNode { state, copy }, colour);
            known.insert((state, copy), colour);
        }
        for state in 0..510 {
            for copy in 0..260 {
                let expected = known.get(&(state, copy)).copied().unwrap_or(0);
                assert_eq!(colours.get(CopyNode { state, copy }), expected, "{state}, {copy}");
            }
        }
    }
}
