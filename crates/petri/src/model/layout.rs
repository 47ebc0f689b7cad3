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

impl Layout {
    /// Gives each place a field, in an order.
    pub fn new(capacities: &[Capacity], order: &[PlaceId]) -> Layout {
        let mut fields = vec![None; capacities.len()];
        let mut owners = Vec::new();
        for &place in order {
            let (Capacity::Proven(most) | Capacity::Promised(most) | Capacity::Guessed(most)) =
                capacities[place.0 as usize]
            else {
                continue;
            };
            let width = n_bits(most) as usize;
            if owners.len() % 64 + width > 64 {
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
