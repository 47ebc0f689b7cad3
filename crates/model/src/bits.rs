/// A set of small numbers. It grows as needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// Adds a number. Says whether it is new.
    pub fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (number / 64, 1 << (number % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes a number away.
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Whether a number is in the set.
    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// The numbers, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(place, &word)| {
            let rest = |bits: u64| (bits != 0).then_some(bits);
            std::iter::successors(rest(word), move |bits| rest(bits & (bits - 1)))
                .map(move |bits| 64 * place + bits.trailing_zeros() as usize)
        })
    }

    /// Whether two sets have a number in common.
    pub fn intersects(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).any(|(mine, others)| mine & others != 0)
    }

    /// The set as words, with room for numbers below `n`: the number k is bit k mod 64 of word k / 64.
    pub fn words_mut(&mut self, n: usize) -> &mut [u64] {
        if self.words.len() < n.div_ceil(64) {
            self.words.resize(n.div_ceil(64), 0);
        }
        &mut self.words
    }

    /// Adds the numbers of another set.
    pub fn unite(&mut self, other: &BitSet) {
        for (mine, others) in self.words_mut(64 * other.words.len()).iter_mut().zip(&other.words) {
            *mine |= others;
        }
    }

    /// The memory that the set takes, in bytes.
    pub fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }
}
