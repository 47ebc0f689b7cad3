//! Where the tokens of each place are in a state.

use super::bounds::Capacity;
use crate::net::PlaceId;

/// Bits of a word that hold a number of tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub word: u32,
    pub shift: u32,
    /// As many bits as there are, from the lowest on.
    pub mask: u64,
}

impl Field {
    pub fn read(self, words: &[u64]) -> u64 {
        words[self.word as usize] >> self.shift & self.mask
    }

    /// A number at its place in the word.
    pub fn at_place(self, tokens: u64) -> u64 {
        tokens << self.shift
    }

    pub fn is_bit(self) -> bool {
        self.mask == 1
    }
}

/// The fields of all places that are not constant. None lies across the border of two words, and bits that
/// belong to no field are 0.
pub(super) struct Layout {
    pub fields: Vec<Option<Field>>,
    /// For each bit, the place whose tokens it is a part of.
    owners: Vec<PlaceId>,
    /// At least one.
    pub n_words: usize,
}

/// Stores are at their best if words have no more bits than these, and if there are two of about the same
/// number of values, or more: they keep a state as the numbers of two halves.
const BITS: usize = 31;

impl Layout {
    /// Gives each place a field, in an order.
    pub fn new(capacities: &[Capacity], order: &[PlaceId]) -> Layout {
        let width = |place: PlaceId| match capacities[place.0 as usize] {
            Capacity::Constant => 0,
            Capacity::Proven(most) | Capacity::Promised(most) | Capacity::Guessed(most) => {
                n_bits(most) as usize
            }
        };
        let total = order.iter().map(|&place| width(place)).sum::<usize>();
        let enough = total.div_ceil(2 * total.div_ceil(2 * BITS).max(1));
        let mut fields = vec![None; capacities.len()];
        let mut owners = Vec::new();
        for &place in order {
            let width = width(place);
            if width == 0 {
                continue;
            }
            let n_used = owners.len() % 64;
            if n_used >= enough || (n_used > 0 && n_used + width > BITS) {
                owners.resize(owners.len().next_multiple_of(64), place);
            }
            let (word, shift) = ((owners.len() / 64) as u32, (owners.len() % 64) as u32);
            fields[place.0 as usize] = Some(Field { word, shift, mask: u64::MAX >> (64 - width) });
            owners.resize(owners.len() + width, place);
        }
        Layout { fields, n_words: owners.len().div_ceil(64).max(1), owners }
    }

    /// The place to which a bit of a word belongs, with its field.
    pub fn owner(&self, word: usize, bit: u32) -> (PlaceId, Field) {
        let place = self.owners[64 * word + bit as usize];
        (place, self.fields[place.0 as usize].expect("it owns a bit"))
    }
}

/// How many bits a number needs; at least one.
pub(super) fn n_bits(number: u64) -> u32 {
    (u64::BITS - number.leading_zeros()).max(1)
}
