//! Which words of a state go into which half.
//!
//! Each half is stored once for each value that it takes. The fewer values the halves take together, the
//! less memory they need, and the more of it stays near the processor; this is the one thing worth tuning
//! about a compressed store. Words that depend on each other, as those of a process and of its channel do,
//! belong into one half.
//!
//! How many values a half takes is estimated from a sample of states: 2 to its entropy. The entropy of
//! words together is that of each, less what they say about each other; of that the strongest relations
//! are counted that make a tree of the words (Chow and Liu). Pairs of words are seen often enough in a
//! small sample, while whole halves are not.
//!
//! A bad cut costs memory, never a state.

use std::collections::{BTreeMap, HashMap};

/// Which words of a state go into which half, by the length of the state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// For some lengths in ascending order, how states are cut.
    known: Vec<Halves>,
}

/// The words of the left and of the right half.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Halves {
    left: Vec<usize>,
    right: Vec<usize>,
}

impl Halves {
    fn len(&self) -> usize {
        self.left.len() + self.right.len()
    }
}

/// States of a length of which there are fewer in a sample say nothing.
const FEW: usize = 32;

/// A bound on the work that goes into a cut: pairs of values that are counted, cuts that are tried first, and
/// relations looked at in search of a better one.
const MOST_PAIRS: usize = 1 << 20;
const MOST_CUTS: usize = 1 << 9;
const MOST_LOOKS: usize = 1 << 22;

impl Cut {
    /// In the middle.
    pub fn middle() -> Cut {
        Cut::default()
    }

    /// As it suits a sample of states. States of a length that was not seen often are cut as those of
    /// the nearest length that was.
    pub fn by_sample<'a>(states: impl IntoIterator<Item = &'a [u64]>) -> Cut {
        let mut by_length: BTreeMap<usize, Vec<&[u64]>> = BTreeMap::new();
        for state in states {
            by_length.entry(state.len()).or_default().push(state);
        }
        let often = by_length.into_values().filter(|states| states.len() >= FEW && !states[0].is_empty());
        Cut { known: often.map(|states| best(&states)).collect() }
    }

    /// The words of states of a length in the order in which they are stored, and how many of them
    /// make the left half. In each half those that change most come first.
    pub fn order(&self, len: usize) -> (Vec<usize>, usize) {
        let Some(known) = self.known.iter().min_by_key(|known| known.len().abs_diff(len)) else {
            return ((0..len).collect(), len / 2);
        };
        let mut order: Vec<usize> = known.left.iter().copied().filter(|&word| word < len).collect();
        let n_left = order.len();
        // Longer states have more processes, which come last.
        order.extend(known.len()..len);
        order.extend(known.right.iter().filter(|&&word| word < len));
        (order, n_left)
    }
}

/// The best cut that was found, for states of one length.
fn best(states: &[&[u64]]) -> Halves {
    let relations = Relations::of(states);
    let cut = best_cut(&relations, states[0].len());
    let mut words: Vec<usize> = (0..cut.len()).collect();
    words.sort_by(|&a, &b| relations.entropies[b].total_cmp(&relations.entropies[a]));
    let (right, left) = words.into_iter().partition(|&word| cut[word]);
    Halves { left, right }
}

/// For each word whether it goes to the right.
fn best_cut(relations: &Relations, len: usize) -> Vec<bool> {
    // Between words that change.
    let places = std::iter::once(0).chain(relations.words.iter().map(|word| word + 1));
    let places = places.step_by(relations.words.len().div_ceil(MOST_CUTS).max(1));
    let cuts = places.map(|left| (0..len).map(|word| word >= left).collect::<Vec<bool>>());
    let costs = cuts.map(|cut| (relations.cost(&cut), cut));
    let (mut cost, mut cut) = costs.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a cut");
    let looks = relations.words.len().pow(2).max(1);
    let mut n_looks = 0;
    // From there on words change sides, alone or two at a time.
    loop {
        let mut better = None;
        'looking: for (k, &one) in relations.words.iter().enumerate() {
            for &other in &relations.words[..=k] {
                if n_looks > MOST_LOOKS {
                    break 'looking;
                }
                n_looks += looks;
                let changed = with(&cut, one, other);
                let changed_cost = relations.cost(&changed);
                if changed_cost < cost - 1e-6 {
                    (cost, better) = (changed_cost, Some(changed));
                }
            }
        }
        match better {
            Some(changed) => cut = changed,
            None => return cut,
        }
    }
}

/// A cut with two words on their other sides, or with one if they are the same.
fn with(cut: &[bool], one: usize, other: usize) -> Vec<bool> {
    let mut changed = cut.to_vec();
    changed[one] = !cut[one];
    changed[other] = !cut[other];
    changed
}

/// What words say about each other, in bits.
struct Relations {
    /// The words that change.
    words: Vec<usize>,
    /// The entropy of each word of the state.
    entropies: Vec<f64>,
    /// For each two words that change, by their places in the list, what they say about each other. Empty if that is
    /// not known.
    mutual: Vec<Vec<f64>>,
}

impl Relations {
    fn of(states: &[&[u64]]) -> Relations {
        let len = states[0].len();
        let values: Vec<Values> = (0..len).map(|word| Values::of(states, word)).collect();
        let entropies: Vec<f64> = values.iter().map(Values::entropy).collect();
        let words: Vec<usize> = (0..len).filter(|&word| entropies[word] > 0.0).collect();
        let mut mutual = Vec::new();
        let n_pairs = (words.len() * words.len() / 2).max(1);
        let n_states = (MOST_PAIRS / n_pairs).min(states.len());
        if n_states >= FEW {
            mutual = vec![vec![0.0; words.len()]; words.len()];
            let values: Vec<Values> = values.into_iter().map(|values| values.first(n_states)).collect();
            let entropies: Vec<f64> = values.iter().map(Values::entropy).collect();
            for (k, &one) in words.iter().enumerate() {
                for (l, &other) in words[..k].iter().enumerate() {
                    let both = values[one].with(&values[other]).entropy();
                    let said = (entropies[one] + entropies[other] - both).max(0.0);
                    (mutual[k][l], mutual[l][k]) = (said, said);
                }
            }
        }
        Relations { words, entropies, mutual }
    }

    /// The number of values that both halves take together, as a power of two.
    fn cost(&self, cut: &[bool]) -> f64 {
        let half = |is_right| self.joint((0..self.words.len()).filter(|&k| cut[self.words[k]] == is_right));
        (half(false).exp2() + half(true).exp2()).log2()
    }

    /// The entropy of words together, which are given by their places in the list.
    fn joint(&self, words: impl Iterator<Item = usize>) -> f64 {
        let entropy = |k: usize| self.entropies[self.words[k]];
        if self.mutual.is_empty() {
            return words.map(entropy).sum();
        }
        // What each word that is not yet counted has in common with one that is.
        let mut left: Vec<(usize, f64)> = words.map(|k| (k, 0.0)).collect();
        let mut sum = 0.0;
        while let Some(next) = (0..left.len()).max_by(|&a, &b| left[a].1.total_cmp(&left[b].1)) {
            let (k, known) = left.swap_remove(next);
            sum += entropy(k) - known;
            for (other, known) in &mut left {
                *known = known.max(self.mutual[k][*other]);
            }
        }
        sum
    }
}

/// The values of something in a sample, as numbers below a bound.
struct Values {
    numbers: Vec<u32>,
    bound: u32,
}

impl Values {
    /// Those of a word.
    fn of(states: &[&[u64]], word: usize) -> Values {
        let mut known = HashMap::new();
        let mut last = None;
        let mut number = |state: &&[u64]| {
            let fresh = known.len() as u32;
            let value = state[word];
            // Most steps leave most words as they are.
            match last {
                Some((same, number)) if same == value => number,
                _ => last.insert((value, *known.entry(value).or_insert(fresh))).1,
            }
        };
        let numbers = states.iter().map(&mut number).collect();
        Values { numbers, bound: known.len() as u32 }
    }

    /// Those of the first states.
    fn first(mut self, n_states: usize) -> Values {
        self.numbers.truncate(n_states);
        // They are numbered as they come.
        let bound = self.numbers.iter().max().map_or(0, |most| most + 1);
        Values { bound, ..self }
    }

    /// Those of two things together.
    fn with(&self, other: &Values) -> Values {
        let numbers = self.numbers.iter().zip(&other.numbers).map(|(one, two)| one * other.bound + two);
        Values { numbers: numbers.collect(), bound: self.bound * other.bound }
    }

    /// Their entropy, corrected for how few they are (Miller and Madow).
    fn entropy(&self) -> f64 {
        let n = self.numbers.len() as f64;
        let (mut sum, mut n_values) = (0.0, 0.0);
        for count in self.counts() {
            let share = f64::from(count) / n;
            sum -= share * share.log2();
            n_values += 1.0;
        }
        sum + (n_values - 1.0) / (2.0 * n * std::f64::consts::LN_2)
    }

    /// How often each value is there, in any order.
    fn counts(&self) -> Vec<u32> {
        if self.bound as usize > 4 * self.numbers.len() {
            let mut sorted = self.numbers.clone();
            sorted.sort_unstable();
            return sorted.chunk_by(|a, b| a == b).map(|same| same.len() as u32).collect();
        }
        let mut counts = vec![0; self.bound as usize];
        self.numbers.iter().for_each(|&number| counts[number as usize] += 1);
        counts.retain(|&count| count > 0);
        counts
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_the_middle() {
        let cut = Cut::middle();
        assert_eq!([0, 1, 2, 3, 14, 1000].map(|len| cut.order(len).1), [0, 0, 1, 1, 7, 500]);
        assert_eq!(cut.order(3).0, [0, 1, 2]);
    }

    #[test]
    fn every_word_has_one_place() {
        let states: Vec<Vec<u64>> =
            (0..600_u64).map(|k| (0..3 + k % 9).map(|word| k >> word).collect()).collect();
        let cut = Cut::by_sample(states.iter().map(Vec::as_slice));
        for len in 0..40 {
            let (mut order, left) = cut.order(len);
            assert!(left <= len);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..len));
        }
    }

    /// Words 0 and 3 count together, as 1 and 4 do, and 2 and 5.
    #[test]
    fn words_that_depend_on_each_other_go_into_one_half() {
        let state =
            |k: u64| [k % 11, k / 11 % 13, k / 143 % 7, 5 * (k % 11), k / 11 % 13 + 1, k / 143 % 7, 9];
        let states: Vec<[u64; 7]> = (0..4000).map(|k| state(k * 7919 % 1001)).collect();
        let (order, left) = Cut::by_sample(states.iter().map(|state| state.as_slice())).order(7);
        let side = |word| order.iter().position(|&other| other == word).is_some_and(|at| at >= left);
        assert!((0..3).all(|word| side(word) == side(word + 3)), "{order:?}, {left}");
        // Neither has everything: 11 · 13 values and 7 are more than 13 and 77, or 11 and 91.
        assert!(side(0) != side(1));
    }

    #[test]
    fn states_of_other_lengths_are_cut_as_far_as_they_are_alike() {
        let short = Halves { left: vec![1], right: vec![0] };
        let long = Halves { left: vec![5, 0, 2, 4], right: vec![3, 1] };
        let cut = Cut { known: vec![short, long] };
        assert_eq!(cut.order(6), (vec![5, 0, 2, 4, 3, 1], 4));
        assert_eq!(cut.order(8), (vec![5, 0, 2, 4, 6, 7, 3, 1], 4));
        assert_eq!(cut.order(5), (vec![0, 2, 4, 3, 1], 3));
        assert_eq!(cut.order(1), (vec![0], 0));
    }

    /// Nor memory: with the square of 20 000 words it would be gigabytes.
    #[test]
    fn a_sample_of_long_states_takes_no_time_to_speak_of() {
        for (len, n_changing) in [(700, 700), (20_000, 100), (20_000, 20_000)] {
            let value = |k: u64, word: u64| if word < n_changing { k * word % 97 } else { 0 };
            let states: Vec<Vec<u64>> =
                (0..40).map(|k| (0..len).map(|word| value(k, word)).collect()).collect();
            let (mut order, _) = Cut::by_sample(states.iter().map(Vec::as_slice)).order(len as usize);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..len as usize));
        }
    }

    #[test]
    fn the_first_values_are_those_of_the_first_states() {
        let states: Vec<Vec<u64>> = (0..100_u64).map(|k| vec![k * k / 10 % 17]).collect();
        let states: Vec<&[u64]> = states.iter().map(Vec::as_slice).collect();
        for n in [1, 7, 40, 100] {
            let (some, all) = (Values::of(&states[..n], 0), Values::of(&states, 0).first(n));
            assert_eq!((some.numbers, some.bound), (all.numbers, all.bound));
        }
    }
}
