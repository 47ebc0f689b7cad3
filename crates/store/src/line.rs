//! Buckets of slots, each a line of memory, and how they are probed.
//!
//! A slot is zero if it is free; otherwise it holds a remainder, a flag and the number of the probe that
//! found it free, from 1. `cleary_table.rs` says why.

use crate::lines::Lines;
use crate::memory::Atom;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// How many buckets are tried. The number of a probe, from 1, has four bits.
const N_PROBES: u32 = if cfg!(feature = "shuttle") { 2 } else { 15 };
const PROBE: u64 = 15;
const FLAG: u64 = 16;
/// Where the remainder starts.
const REMAINDER: u32 = 5;

/// An atomic that serves as a slot.
pub(crate) trait Slot: Atom {
    /// How many are in a bucket.
    const N_LANES: usize;
    /// Remainders are smaller than this.
    const END: u64;

    fn load(&self, ordering: Ordering) -> u64;
    fn store(&self, value: u64, ordering: Ordering);
    /// Takes a free slot. An error says what is there.
    fn claim(&self, value: u64) -> Result<(), u64>;
    /// Sets bits and returns what was there.
    fn set(&self, bits: u64) -> u64;

    /// Looks at a line: the lanes that hold a value, whatever their flag, and those that are free, each as a
    /// set of bits.
    #[inline(always)]
    fn scan(line: &[Self], value: u64) -> (u32, u32) {
        let (mut same, mut free) = (0, 0);
        for (lane, slot) in line.iter().enumerate() {
            let found = slot.load(Ordering::Acquire);
            same |= u32::from(found & !FLAG == value) << lane;
            free |= u32::from(found == 0) << lane;
        }
        (same, free)
    }
}

macro_rules! slot {
    ($atomic:ty, $int:ty $(, $scan:item)?) => {
        impl Slot for $atomic {
            const N_LANES: usize = if cfg!(feature = "shuttle") { 2 } else { 64 / size_of::<$int>() };
            const END: u64 = 1 << (<$int>::BITS - REMAINDER);

            #[inline(always)]
            fn load(&self, ordering: Ordering) -> u64 {
                u64::from(self.load(ordering))
            }

            fn store(&self, value: u64, ordering: Ordering) {
                self.store(value as $int, ordering);
            }

            fn claim(&self, value: u64) -> Result<(), u64> {
                // Release: the halves of the pair were there before it. Acquire: they are there now.
                match self.compare_exchange(0, value as $int, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => Ok(()),
                    Err(other) => Err(u64::from(other)),
                }
            }

            fn set(&self, bits: u64) -> u64 {
                u64::from(self.fetch_or(bits as $int, Ordering::AcqRel))
            }

            $($scan)?
        }
    };
}

slot!(
    AtomicU32,
    u32,
    #[cfg(all(target_arch = "x86_64", not(feature = "shuttle")))]
    #[inline(always)]
    fn scan(line: &[Self], value: u64) -> (u32, u32) {
        crate::vector::scan_16(line, value as u32, FLAG as u32)
    }
);
slot!(AtomicU64, u64);

/// What has become of a remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probed {
    New,
    Seen { flagged: bool },
    Full,
}

/// The offset of a probe's bucket from the home bucket: first home, then its neighbour, which shares a
/// pair of lines with it, then all over the window.
#[inline(always)]
fn offset(remainder: u64, probe: u32) -> u32 {
    match probe {
        0 => 0,
        1 => 1,
        _ => ((remainder as u32).wrapping_mul(0x9e37_79b9) >> 20 | 1).wrapping_mul(probe),
    }
}

/// Inserts a remainder into a bucket or, if that is full, into another one of the window.
#[inline]
pub(crate) fn put<S: Slot>(lines: &Lines<S>, window: u32, bucket: u32, remainder: u64) -> Probed {
    if remainder >= S::END {
        return Probed::Full;
    }
    let (slots, bucket) = lines.part(bucket);
    for probe in 0..N_PROBES {
        let line = (bucket ^ offset(remainder, probe) & window) as usize;
        let Some(line) = slots.get(line * S::N_LANES..(line + 1) * S::N_LANES) else { break };
        let value = remainder << REMAINDER | u64::from(probe + 1);
        let (same, free) = S::scan(line, value);
        if same != 0 {
            return Probed::Seen { flagged: is_flagged(&line[same.trailing_zeros() as usize]) };
        }
        if free != 0 {
            // What is before the first free lane is not ours and never will be.
            for slot in &line[free.trailing_zeros() as usize..] {
                match slot.claim(value) {
                    Ok(()) => return Probed::New,
                    Err(found) if found & !FLAG == value => {
                        return Probed::Seen { flagged: found & FLAG != 0 };
                    }
                    Err(_) => {}
                }
            }
        }
    }
    Probed::Full
}

/// The slot of a remainder.
#[inline]
pub(crate) fn find<S: Slot>(lines: &Lines<S>, window: u32, bucket: u32, remainder: u64) -> Option<&S> {
    let (slots, bucket) = lines.part(bucket);
    for probe in 0..N_PROBES {
        let line = (bucket ^ offset(remainder, probe) & window) as usize;
        let line = slots.get(line * S::N_LANES..(line + 1) * S::N_LANES)?;
        let value = remainder << REMAINDER | u64::from(probe + 1);
        for slot in line {
            match slot.load(Ordering::Acquire) {
                0 => return None,
                found if found & !FLAG == value => return Some(slot),
                _ => {}
            }
        }
    }
    None
}

/// Whether the flag of a slot is set.
pub(crate) fn is_flagged<S: Slot>(slot: &S) -> bool {
    slot.load(Ordering::Acquire) & FLAG != 0
}

/// Sets the flag of a slot. Says whether it was set before.
pub(crate) fn flag<S: Slot>(slot: &S) -> bool {
    slot.set(FLAG) & FLAG != 0
}

/// Visits all taken slots, from the front: home bucket, remainder, flag. Stops when a visit fails, and says
/// whether none has. Nobody else may be writing.
pub(crate) fn all_taken<S: Slot>(
    lines: &Lines<S>,
    window: u32,
    mut visit: impl FnMut(u32, u64, bool) -> bool,
) -> bool {
    let buckets = (0..).zip(lines.parts().flat_map(|part| part.chunks_exact(S::N_LANES)));
    for (bucket, slots) in buckets {
        for slot in slots {
            let value = slot.load(Ordering::Relaxed);
            if value == 0 {
                break;
            }
            let (remainder, probe) = (value >> REMAINDER, (value & PROBE) as u32 - 1);
            let home = bucket ^ offset(remainder, probe) & window;
            if !visit(home, remainder, value & FLAG != 0) {
                return false;
            }
        }
    }
    true
}

/// Inserts a remainder that is not there, with its flag. Nobody else may be writing. Says whether there was
/// a place.
#[inline(always)]
pub(crate) fn move_in<S: Slot>(
    lines: &Lines<S>,
    window: u32,
    bucket: u32,
    remainder: u64,
    flagged: bool,
) -> bool {
    if remainder >= S::END {
        return false;
    }
    let (slots, bucket) = lines.part(bucket);
    for probe in 0..N_PROBES {
        let line = (bucket ^ offset(remainder, probe) & window) as usize;
        let Some(line) = slots.get(line * S::N_LANES..(line + 1) * S::N_LANES) else { break };
        let (_, free) = S::scan(line, 0);
        if free != 0 {
            let value = remainder << REMAINDER | if flagged { FLAG } else { 0 } | u64::from(probe + 1);
            line[free.trailing_zeros() as usize].store(value, Ordering::Relaxed);
            return true;
        }
    }
    false
}
