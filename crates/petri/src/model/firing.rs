//! Transitions over packed states: what they need, and what they change.

use model::{Over, Pace};

use super::bounds::Capacity;
use super::layout::{Field, Layout};
use super::structure::{Structure, Use};
use crate::net::{Net, PlaceId, TransitionId};
use crate::rows::Rows;

/// Some bits of a word must have these values.
#[derive(Clone, Copy, Debug)]
struct Bits {
    word: u32,
    mask: u64,
    value: u64,
}

/// A place must hold at least so many tokens, and fewer than so many.
#[derive(Clone, Copy, Debug)]
struct Range {
    field: Field,
    least: u64,
    limit: u64,
}

/// What is added to a word, if some bits are 0.
#[derive(Clone, Copy, Debug)]
struct Effect {
    word: u32,
    clear: u64,
    added: u64,
}

/// A place gets tokens, and must not hold more than so many afterwards.
#[derive(Clone, Copy, Debug)]
struct Gain {
    place: PlaceId,
    field: Field,
    gain: u64,
    most: u64,
}

/// The transitions of a net. What is constant, or proven to fit, is not looked at.
pub(super) struct Firing {
    bits: Rows<Bits>,
    ranges: Rows<Range>,
    effects: Rows<Effect>,
    gains: Rows<Gain>,
}

/// A condition that nothing fulfils.
const NEVER: Bits = Bits { word: 0, mask: 0, value: 1 };

impl Firing {
    pub fn new(
        net: &Net,
        structure: &Structure,
        capacities: &[Capacity],
        layout: &Layout,
        pace: &mut Pace<'_>,
    ) -> Result<Firing, Over> {
        let mut firing = Firing {
            bits: Rows::default(),
            ranges: Rows::default(),
            effects: Rows::default(),
            gains: Rows::default(),
        };
        for transition in net.transition_ids() {
            pace.steps(1 + structure.places.get(transition.0).len())?;
            let needs = Needs::new(net, transition, layout);
            firing.bits.push(needs.bits);
            firing.ranges.push(needs.ranges);
            firing.push_effects(structure.places.get(transition.0), capacities, layout);
        }
        Ok(firing)
    }

    fn push_effects(&mut self, uses: &[Use], capacities: &[Capacity], layout: &Layout) {
        let mut effects = Vec::new();
        let mut gains = Vec::new();
        for one in uses.iter().filter(|one| one.taken != one.given) {
            let Some(field) = layout.fields[one.at as usize] else { continue };
            let mut clear = 0;
            match capacities[one.at as usize] {
                Capacity::Promised(1) if one.gain() == 1 => clear = field.at_place(1),
                Capacity::Promised(most) | Capacity::Guessed(most) if one.gain() > 0 => {
                    gains.push(Gain { place: PlaceId(one.at), field, gain: one.gain(), most });
                }
                _ => {}
            }
            // What is too much for the field is never added: the transition needs or finds more than fits.
            let added = field.at_place(one.gain()).wrapping_sub(field.at_place(one.loss()));
            effects.push(Effect { word: field.word, clear, added });
        }
        effects.sort_unstable_by_key(|effect| effect.word);
        effects.dedup_by(|second, first| {
            let same = first.word == second.word;
            if same {
                first.clear |= second.clear;
                first.added = first.added.wrapping_add(second.added);
            }
            same
        });
        self.effects.push(effects);
        self.gains.push(gains);
    }

    pub fn is_enabled(&self, transition: u32, words: &[u64]) -> bool {
        self.bits.get(transition).iter().all(|bits| words[bits.word as usize] & bits.mask == bits.value)
            && self.ranges.get(transition).iter().all(|range| {
                let tokens = range.field.read(words);
                range.least <= tokens && tokens < range.limit
            })
    }

    /// Appends the state to which an enabled transition leads, unless a place would get too many tokens: then
    /// it says false. `crowd` hears of places that get more than half of what they can hold.
    pub fn fire(
        &self,
        transition: u32,
        state: &[u64],
        out: &mut Vec<u64>,
        mut crowd: impl FnMut(PlaceId),
    ) -> bool {
        let mut fits = true;
        for gain in self.gains.get(transition) {
            let room = gain.most - gain.field.read(state);
            fits &= gain.gain <= room;
            if room.saturating_sub(gain.gain) < gain.most / 2 {
                crowd(gain.place);
            }
        }
        let start = out.len();
        out.extend_from_slice(state);
        let after = &mut out[start..];
        for effect in self.effects.get(transition) {
            let word = &mut after[effect.word as usize];
            fits &= *word & effect.clear == 0;
            *word = word.wrapping_add(effect.added);
        }
        if !fits {
            out.truncate(start);
        }
        fits
    }
}

/// What a transition needs.
#[derive(Default)]
struct Needs {
    bits: Vec<Bits>,
    ranges: Vec<Range>,
}

impl Needs {
    fn new(net: &Net, transition: TransitionId, layout: &Layout) -> Needs {
        let mut needs = Needs::default();
        let mut is_dead = false;
        for arc in net.pre(transition) {
            match layout.fields[arc.place.0 as usize] {
                None => is_dead |= net.place(arc.place).initial < arc.weight,
                Some(field) if field.is_bit() && arc.weight == 1 => needs.push_bit(field, 1),
                Some(field) => needs.ranges.push(Range { field, least: arc.weight, limit: u64::MAX }),
            }
        }
        for arc in net.inhibitors(transition) {
            match layout.fields[arc.place.0 as usize] {
                None => is_dead |= net.place(arc.place).initial >= arc.weight,
                Some(field) if arc.weight > field.mask => {}
                Some(field) if field.is_bit() => needs.push_bit(field, 0),
                Some(field) => needs.ranges.push(Range { field, least: 0, limit: arc.weight }),
            }
        }
        needs.bits.sort_by_key(|bits| bits.word);
        needs.bits.dedup_by(|second, first| {
            let same = first.word == second.word;
            if same {
                is_dead |= (first.value ^ second.value) & first.mask & second.mask != 0;
                first.mask |= second.mask;
                first.value |= second.value;
            }
            same
        });
        if is_dead {
            needs.bits = vec![NEVER];
        }
        needs
    }

    fn push_bit(&mut self, field: Field, value: u64) {
        self.bits.push(Bits { word: field.word, mask: field.at_place(1), value: field.at_place(value) });
    }
}
