//! Where states are cut into two halves.
//!
//! Each half is stored once for each value that it takes. The fewer values the halves take together, the
//! less memory they need; this is the one thing worth tuning about a compact store.

use std::collections::{BTreeMap, HashMap};

/// Where states are cut, by their length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// The length of the left half for some lengths of states, in ascending order.
    known: Vec<(usize, usize)>,
}

impl Cut {
    /// In the middle.
    pub fn middle() -> Cut {
        Cut::default()
    }

    /// Where the halves of the given states, as far as they are of one length, take the fewest values
    /// together. States of other lengths are cut in proportion to the nearest length that was seen.
    pub fn by_sample<'a>(states: impl IntoIterator<Item = &'a [u64]>) -> Cut {
        let mut by_length: BTreeMap<usize, Vec<&[u64]>> = BTreeMap::new();
        for state in states {
            by_length.entry(state.len()).or_default().push(state);
        }
        let known = by_length.into_iter().filter(|&(len, _)| len > 0);
        Cut { known: known.map(|(len, states)| (len, best(len, &states))).collect() }
    }

    /// The length of the left half of states of a length.
    pub fn left(&self, len: usize) -> usize {
        let above = self.known.partition_point(|&(known, _)| known < len);
        let candidates = self.known[above.saturating_sub(1)..].iter().take(2);
        match candidates.min_by_key(|&&(known, _)| known.abs_diff(len)) {
            None => len / 2,
            Some(&(known, left)) => (2 * left * len + known) / (2 * known),
        }
    }
}

/// The cut with the fewest values, the one nearest to the middle if there are several.
fn best(len: usize, states: &[&[u64]]) -> usize {
    let prefixes = n_values(states, 0..len);
    let mut suffixes = n_values(states, (0..len).rev());
    suffixes.reverse();
    (0..=len).min_by_key(|&cut| (prefixes[cut] + suffixes[cut], (2 * cut).abs_diff(len))).unwrap_or(0)
}

/// How many values the first 0, 1, 2, … of some positions take together, in that order.
fn n_values(states: &[&[u64]], positions: impl Iterator<Item = usize>) -> Vec<usize> {
    // Which states agree so far: they have the same number.
    let mut groups = vec![0_u32; states.len()];
    let mut counts = vec![usize::from(!states.is_empty())];
    let mut numbers = HashMap::new();
    for position in positions {
        numbers.clear();
        for (group, state) in groups.iter_mut().zip(states) {
            let fresh = numbers.len() as u32;
            *group = *numbers.entry((*group, state[position])).or_insert(fresh);
        }
        counts.push(numbers.len());
    }
    counts
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_middle_is_the_middle() {
        let cut = Cut::middle();
        assert_eq!([0, 1, 2, 3, 14, 1000].map(|len| cut.left(len)), [0, 0, 1, 1, 7, 500]);
    }

    #[test]
    fn a_sample_puts_words_that_depend_on_each_other_on_one_side() {
        // Words 0 to 4 say the same as word 0, words 5 and 6 count on their own.
        let states: Vec<[u64; 7]> = (0..4000)
            .map(|k| (k % 20, k / 20 % 20, k / 400))
            .map(|(a, b, c)| [a, a, a, a, a, b, c])
            .collect();
        let cut = Cut::by_sample(states.iter().map(|state| state.as_slice()));
        // 20 values on the left and 200 on the right; at 6 it would be 400 and 10.
        assert!((1..=5).contains(&cut.left(7)), "cut at {}", cut.left(7));
        let sums = |left: usize| {
            let prefixes: HashSet<&[u64]> = states.iter().map(|state| &state[..left]).collect();
            let suffixes: HashSet<&[u64]> = states.iter().map(|state| &state[left..]).collect();
            prefixes.len() + suffixes.len()
        };
        let least = (0..=7).map(sums).min();
        assert_eq!(Some(sums(cut.left(7))), least);
    }

    #[test]
    fn other_lengths_are_cut_in_proportion() {
        let cut = Cut { known: vec![(10, 2), (20, 15)] };
        assert_eq!([10, 5, 14, 16, 20, 40, 0].map(|len| cut.left(len)), [2, 1, 3, 12, 15, 30, 0]);
        assert!((0..200).all(|len| cut.left(len) <= len));
    }
}
