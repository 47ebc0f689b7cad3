//! How a state of some length is made of rows.
//!
//! A state is cut into two halves. A half is a row of entries of 32 bits: the codes of its words if it is
//! short, otherwise those of its first words and the numbers of rows below for the rest, so that no row has
//! more entries than the fan-out. Words that seldom change are the last ones, so what differs between
//! states is mostly in the rows of the halves. What a row stands for, and how it is divided, depends only
//! on how many words it stands for: that is the class of its number. So a half's number alone says which
//! words it is made of.

use crate::cut::Cut;

/// The greatest fan-out.
pub(crate) const MAX_FAN_OUT: usize = 16;
/// The length of the longest row, in words. So much place has each of the two halves' rows.
pub(crate) const ROW: usize = MAX_FAN_OUT / 2;

/// How many words are compared at a time.
pub(crate) const MOST_AT_ONCE: usize = 64;

/// The tree of rows for states of one length.
pub(crate) struct Layout {
    /// The left half, whose row is the first, the right half, whose row starts at [`ROW`], then what they
    /// are made of, from above to below.
    pub nodes: Vec<Pair>,
    /// For each word of the state: its place among all rows, counted in entries.
    pub places: Vec<u32>,
    /// For each word of the state: the node whose row it is in.
    pub owners: Vec<u32>,
    /// The length of all rows together, in words.
    pub n_row_words: usize,
    /// Which words are in the left half's row, in the right half's, and below: a bit for each of the first
    /// [`MOST_AT_ONCE`] words.
    pub tops: [u64; 2],
    pub below: u64,
    /// The words of each half.
    pub words: [Vec<u32>; 2],
}

/// A row.
pub(crate) struct Pair {
    /// Where it starts among all rows, in words.
    pub first: usize,
    /// How many words long it is.
    pub len: usize,
    /// How many words of the state it stands for.
    pub weight: usize,
    /// The nodes that it has the numbers of, empty if it has words.
    pub children: std::ops::Range<usize>,
    /// The node that has its number, and the number's place among all rows, in entries.
    pub parent: u32,
    pub place: u32,
    /// Which half it belongs to.
    pub side: usize,
}

impl Layout {
    pub fn new(len: usize, cut: &Cut, fan_out: usize) -> Layout {
        let (order, left) = cut.order(len);
        let mut layout = Layout {
            nodes: Vec::new(),
            places: vec![0; len],
            owners: vec![0; len],
            n_row_words: 0,
            tops: [0; 2],
            below: 0,
            words: [&order[..left], &order[left..]]
                .map(|words| words.iter().map(|&word| word as u32).collect()),
        };
        // Where each node's part of the state begins, in the order of the cut.
        let mut starts = vec![0, left];
        layout.push(left, 0, 0, 0, fan_out);
        layout.n_row_words = ROW;
        layout.push(len - left, 0, 0, 1, fan_out);
        layout.n_row_words = 2 * ROW;
        let mut at = 0;
        while at < layout.nodes.len() {
            let (first, weight) = (2 * layout.nodes[at].first as u32, layout.nodes[at].weight);
            let Division { n_words, n_parts } = Division::of(weight, fan_out);
            for k in 0..n_words {
                let word = order[starts[at] + k];
                layout.places[word] = first + k as u32;
                layout.owners[word] = at as u32;
            }
            let children = layout.nodes.len();
            let mut start = starts[at] + n_words;
            for k in 0..n_parts {
                let part = (weight - n_words + k) / n_parts;
                let side = layout.nodes[at].side;
                layout.push(part, at as u32, first + (n_words + k) as u32, side, fan_out);
                starts.push(start);
                start += part;
            }
            layout.nodes[at].children = children..children + n_parts;
            at += 1;
        }
        for (word, &owner) in layout.owners.iter().enumerate().take(MOST_AT_ONCE) {
            *layout.tops.get_mut(owner as usize).unwrap_or(&mut layout.below) |= 1 << word;
        }
        layout
    }

    fn push(&mut self, weight: usize, parent: u32, place: u32, side: usize, fan_out: usize) {
        let len = row_len(weight, fan_out);
        self.nodes.push(Pair { first: self.n_row_words, len, weight, children: 0..0, parent, place, side });
        self.n_row_words += len;
    }

    /// Whether both halves are rows of words.
    pub fn is_flat(&self) -> bool {
        self.nodes.len() == 2
    }
}

/// What a row is made of: so many words, and behind them the numbers of so many rows below.
struct Division {
    n_words: usize,
    n_parts: usize,
}

impl Division {
    /// For a row that stands for so many words. The parts are of about equal weight.
    fn of(weight: usize, fan_out: usize) -> Division {
        if weight <= fan_out {
            return Division { n_words: weight, n_parts: 0 };
        }
        // So many that each part is a row of words.
        let n_parts = (weight - fan_out).div_ceil(fan_out - 1);
        if n_parts <= fan_out / 2 && fan_out > 2 {
            return Division { n_words: fan_out - n_parts, n_parts };
        }
        let mut part = fan_out;
        while part * fan_out < weight {
            part *= fan_out;
        }
        Division { n_words: 0, n_parts: weight.div_ceil(part) }
    }
}

/// The length of a row that stands for so many words, in words.
pub(crate) fn row_len(weight: usize, fan_out: usize) -> usize {
    let Division { n_words, n_parts } = Division::of(weight, fan_out);
    (n_words + n_parts).div_ceil(2)
}

/// The entry at a place of rows.
#[inline(always)]
pub(crate) fn entry(rows: &[u64], place: u32) -> u32 {
    (rows[place as usize / 2] >> (32 * (place & 1))) as u32
}

/// Replaces the entry at a place. Rows are written as they are compared, as words: narrow writes would
/// hold up the wide reads that follow.
#[inline(always)]
pub(crate) fn set_entry(rows: &mut [u64], place: u32, value: u32) {
    let shift = 32 * (place & 1);
    let word = &mut rows[place as usize / 2];
    *word = *word & !(0xffff_ffff << shift) | u64::from(value) << shift;
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_place_of_its_own_and_rows_are_short() {
        for fan_out in [2, 3, 16] {
            for len in (0..70).chain([255, 256, 257, 511, 512, 513, 1000, 5000]) {
                let layout = Layout::new(len, &Cut::middle(), fan_out);
                let mut places = layout.places.clone();
                places.extend(layout.nodes[2..].iter().map(|node| node.place));
                let n_places = places.len();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), n_places);
                assert!(places.iter().all(|&place| (place as usize) < 2 * layout.n_row_words));
                for (at, node) in layout.nodes.iter().enumerate() {
                    assert!(node.len <= fan_out.div_ceil(2), "{len} words");
                    let below: usize = node.children.clone().map(|child| layout.nodes[child].weight).sum();
                    let own = layout.owners.iter().filter(|&&owner| owner == at as u32).count();
                    assert_eq!(own + below, node.weight);
                    assert!(at < 2 || layout.nodes[node.parent as usize].children.contains(&at));
                }
            }
        }
    }

    #[test]
    fn entries_do_not_touch_their_neighbours() {
        let mut rows = [u64::MAX; 2];
        set_entry(&mut rows, 1, 7);
        set_entry(&mut rows, 2, 9);
        assert_eq!([0, 1, 2, 3].map(|place| entry(&rows, place)), [u32::MAX, 7, 9, u32::MAX]);
    }
}
