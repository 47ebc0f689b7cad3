//! Slots and channels.

use super::Verifier;
use crate::layout::{ChannelLayout, Dim, GLOBALS_START, MAX_REGION_BITS, Region, Size, Slot};
use crate::program::{Channel, Meaning, Process};

/// The widest slot; also the widest field of a message.
const MAX_WIDTH: u8 = 32;
/// The most messages that the count of a channel can hold.
const MAX_CAPACITY: u32 = 255;

impl Verifier<'_> {
    pub fn globals(&mut self) {
        let program = self.program;
        self.region(&program.globals, GLOBALS_START);
        if let Some(last) = program.last {
            self.special(&program.globals, last, "latest step", 255);
        }
    }

    pub fn frame(&mut self, process: &Process) {
        self.region(&process.frame, 0);
        let max = process.locations.len().saturating_sub(1) as u32;
        self.special(&process.frame, process.pc, "location", max);
        if let Some(priority) = process.priority {
            self.special(&process.frame, priority, "priority", 255);
        }
    }

    /// A slot that must be able to hold the numbers from 0 to `max`.
    pub fn special(&mut self, region: &Region, slot: u32, what: &str, max: u32) {
        let Some(slot) = region.slots.get(slot as usize) else {
            return self.check(false, || format!("there is no slot #{slot} for the {what}"));
        };
        let fits = slot.dims.is_empty() && !slot.signed && u64::from(max) >> slot.width.min(MAX_WIDTH) == 0;
        self.check(fits, || format!("the slot '{}' cannot hold the {what}", slot.name));
    }

    fn region(&mut self, region: &Region, start: u32) {
        let bits = region.bits;
        if u64::from(bits) > MAX_REGION_BITS {
            return self.check(false, || format!("{bits} bits are more than a state can hold"));
        }
        let mut taken = vec![0u64; region.words() as usize];
        for slot in &region.slots {
            self.within(format!("slot '{}'", slot.name), |verifier| {
                if verifier.slot(slot, start) {
                    let is_good = take(&mut taken, bits, slot, &slot.dims, u64::from(slot.offset));
                    verifier.check(is_good, || "overlaps with another slot, or leaves its region".into());
                }
            });
        }
    }

    /// Checks a slot by itself; says whether its elements can be looked at.
    fn slot(&mut self, slot: &Slot, start: u32) -> bool {
        self.meaning(slot.meaning);
        let is_width = (1..=MAX_WIDTH).contains(&slot.width);
        self.check(is_width, || format!("a width of {} bits", slot.width));
        self.check(slot.offset >= start, || format!("lies in front of bit {start}"));
        let has_elements = slot.dims.iter().all(|dim| dim.len > 0);
        self.check(has_elements, || "an array without elements".into());
        let align = Size::scalar(slot.width).align;
        let is_aligned = slot.offset.is_multiple_of(align)
            && slot.dims.iter().all(|dim| dim.len == 1 || dim.stride.is_multiple_of(align));
        self.check(is_aligned, || format!("not aligned to {align} bits"));
        is_width && slot.offset >= start && has_elements && is_aligned
    }

    fn meaning(&mut self, meaning: Meaning) {
        if let Meaning::Name(set) = meaning {
            self.check((set as usize) < self.program.names.len(), || {
                format!("there is no set of names {set}")
            });
        }
    }

    pub fn channel(&mut self, channel: &Channel) {
        for field in &channel.fields {
            let is_width = (1..=MAX_WIDTH).contains(&field.width);
            self.check(is_width, || format!("a field of {} bits", field.width));
            self.meaning(field.meaning);
        }
        self.check(channel.capacity <= MAX_CAPACITY, || format!("a capacity of {}", channel.capacity));
        let is_good = ChannelLayout::new(channel.capacity, &channel.fields).as_ref() == Some(&channel.layout);
        self.check(is_good, || "the layout does not fit the fields".into());
    }
}

/// Marks the bits of a slot's elements; false if one is taken already or lies outside. Work is bounded
/// by the size of the region, however large the dimensions are.
fn take(taken: &mut [u64], bits: u32, slot: &Slot, dims: &[Dim], offset: u64) -> bool {
    let [dim, inner @ ..] = dims else {
        if offset + u64::from(slot.width) > u64::from(bits) {
            return false;
        }
        let mask = (u64::MAX >> (64 - u32::from(slot.width))) << (offset % 64);
        let word = &mut taken[(offset / 64) as usize];
        let is_free = *word & mask == 0;
        *word |= mask;
        return is_free;
    };
    (0..dim.len).all(|k| take(taken, bits, slot, inner, offset + u64::from(k) * u64::from(dim.stride)))
}
