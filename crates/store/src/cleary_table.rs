//! The set of pairs of numbers: about six bytes for a pair.
//!
//! # What a slot holds
//! A pair becomes a key: the lower halves of both numbers are the lower 32 bits, and the upper halves are
//! paired to a number that is small if they are. The lower bits are scrambled with the rest, by a
//! permutation, so they look random whatever the model; the upper bits are left alone, so they stay few,
//! and nothing need be rebuilt when numbers become larger. Of the scrambled bits 6 choose the shard and 26
//! the bucket, a line of 64 bytes: `b = (bits * n_buckets) >> 26`. The bits that fall into one bucket are
//! consecutive, so `bits` is known from the bucket and its rank there. A slot therefore needs to hold only
//! the remainder, `upper * n_ranks + rank`.
//!
//! A slot has 32 bits: 27 for the remainder, one for the flag, four for the number of the probe, from 1.
//! Zero is free. If remainders do not fit, the shard has slots of 64 bits.
//!
//! # Probing
//! A full bucket sends a pair to others in the same window of up to 64 buckets, by an exclusive or with
//! an offset that depends on the remainder and the number of the probe: so the home bucket can be told
//! from the slot and nothing ever moves. The lanes of a line are filled in order, all threads probe in
//! the same order, and slots only go from free to taken; hence whoever comes second with a pair meets
//! the slot of the first. When the probes are used up, the shard grows and the pair is tried again.
//!
//! # Growth
//! Shards grow one by one, out of place. Their sizes are staggered, so they are due at different times: no
//! pause is long, and there is never more than a shard or two twice. Since a bucket's number is monotone
//! in the bits, growth reads and writes from the front to the back.

use std::sync::Arc;

use crate::line::{self, Probed, Slot};
use crate::lines::{CHUNK, Lines, Pool};
use crate::memory::{Budget, prefetch_to_write};
use crate::permits::Insert;
use crate::section::{Alone, Grow, Guarded, Inside, Section};
use crate::sync::{Apart, AtomicU32, AtomicU64, Mutex, Ordering, lock};
use crate::{Arrival, Full, Handle};

/// The number of shards, as a power of two.
const SHARD_BITS: u32 = 6;
const N_SHARDS: usize = if cfg!(feature = "shuttle") { 1 } else { 1 << SHARD_BITS };
/// The scrambled bits that are not the shard.
const LOW_BITS: u32 = 32 - SHARD_BITS;
const LOW: u64 = (1 << LOW_BITS) - 1;
/// The least number of buckets of a shard.
const MIN_BUCKETS: u64 = 4;
/// The largest window.
const WINDOW: u64 = 64;
/// A shard is due to grow when more than 13/16 of its slots are taken.
const DUE: u64 = 13;
/// A worker keeps to itself up to 1/128 of the pairs with which a shard is due.
const UNTOLD: u64 = 128;

/// A set of pairs.
pub(crate) struct ClearyTable {
    shards: Box<[Shard; N_SHARDS]>,
    pool: Arc<Pool>,
    /// How many pairs each worker has inserted.
    n_pairs: Mutex<Vec<Arc<Apart<AtomicU64>>>>,
}

/// What is read for every pair, and what is written for some.
struct Shard {
    buckets: Apart<Guarded<Buckets>>,
    counts: Apart<Counts>,
}

#[derive(Default)]
struct Counts {
    /// How many slots are taken, less what workers have not told. What those kept to themselves that are gone is
    /// never told: growth comes a little later.
    n_taken: AtomicU64,
    /// The greatest upper bits of a key.
    max_upper: AtomicU64,
}

/// What a worker has inserted. If all counted every pair in one place, this would go from one processor to the other
/// all the time.
pub(crate) struct Tally {
    /// Only the worker writes it.
    n_pairs: Arc<Apart<AtomicU64>>,
    /// What it has not told the shards.
    by_shard: [u32; N_SHARDS],
}

/// The table of a shard.
struct Buckets {
    slots: Slots,
    n_buckets: u64,
    /// 2^64 / n_buckets, rounded up: division by multiplication.
    inverse: u64,
    /// How many values of the low bits one bucket takes at most.
    n_ranks: u64,
    /// Buckets in a window, less one.
    window: u32,
    /// With more pairs than this it wants to grow.
    due: u64,
    /// The exact size at this step of growth, in 1/65536 of a bucket.
    ideal: u64,
}

enum Slots {
    Narrow(Lines<AtomicU32>),
    Wide(Lines<AtomicU64>),
}

/// A pair as the root sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    shard: u32,
    low: u32,
    upper: u32,
}

/// Where a pair belongs: right until the shard grows.
#[derive(Clone, Copy)]
pub(crate) struct Home {
    left: u32,
    right: u32,
    shard: u32,
    bucket: u32,
    remainder: u64,
}

/// What has become of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Put {
    /// It was not there. The shard is due to grow, or not.
    New { due: bool },
    /// It was there.
    Seen { flagged: bool },
    /// There is no free slot for it.
    Full(Crowded),
}

/// A shard that has no slot for a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crowded {
    key: Key,
    n_buckets: u64,
    is_wide: bool,
}

impl ClearyTable {
    pub fn new() -> ClearyTable {
        let shard = |number: u64| Shard {
            buckets: Apart(Guarded::new(Buckets::empty(
                (MIN_BUCKETS << 16) + (MIN_BUCKETS << 16) * number / 128,
            ))),
            counts: Apart::default(),
        };
        let shards = Box::new(std::array::from_fn(|number| shard(number as u64)));
        ClearyTable { shards, pool: Pool::new(), n_pairs: Mutex::default() }
    }

    /// For a new worker.
    pub fn tally(&self) -> Tally {
        let n_pairs = Arc::default();
        lock(&self.n_pairs).push(Arc::clone(&n_pairs));
        Tally { n_pairs, by_shard: [0; N_SHARDS] }
    }

    /// The number of pairs.
    pub fn len(&self) -> u64 {
        lock(&self.n_pairs).iter().map(|n_pairs| n_pairs.load(Ordering::Relaxed)).sum()
    }

    /// Where a pair belongs.
    #[inline]
    pub fn home(&self, left: u32, right: u32, inside: &Inside) -> Home {
        let key = Key::new(left, right);
        let buckets = self.shards[key.shard as usize].buckets.get(inside);
        let (bucket, remainder) = buckets.home(key);
        Home { left, right, shard: key.shard, bucket, remainder }
    }

    /// Has the home of a pair fetched.
    #[inline]
    pub fn prefetch(&self, home: &Home, inside: &Inside) {
        let buckets = self.shards[home.shard as usize % N_SHARDS].buckets.get(inside);
        let (part, line) = match &buckets.slots {
            Slots::Narrow(slots) => (slots.part(home.bucket).0.as_ptr() as usize, home.bucket),
            Slots::Wide(slots) => (slots.part(home.bucket).0.as_ptr() as usize, home.bucket),
        };
        prefetch_to_write(part + line as usize % CHUNK * 64);
    }

    /// Inserts a pair. The home was found during the same stay inside.
    #[inline]
    pub fn put(&self, home: &Home, tally: &mut Tally, inside: &Inside) -> Put {
        let shard = &self.shards[home.shard as usize % N_SHARDS];
        let buckets = shard.buckets.get(inside);
        match buckets.put(home) {
            Probed::New => {
                tally.n_pairs.store(tally.n_pairs.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                let upper = u64::from(Key::new(home.left, home.right).upper);
                if upper > shard.counts.max_upper.load(Ordering::Relaxed) {
                    shard.counts.max_upper.fetch_max(upper, Ordering::Relaxed);
                }
                let untold = &mut tally.by_shard[home.shard as usize % N_SHARDS];
                *untold += 1;
                if u64::from(*untold) <= buckets.due / UNTOLD {
                    return Put::New { due: false };
                }
                let more = u64::from(std::mem::take(untold));
                Put::New { due: shard.counts.n_taken.fetch_add(more, Ordering::Relaxed) + more > buckets.due }
            }
            Probed::Seen { flagged } => Put::Seen { flagged },
            Probed::Full => Put::Full(Crowded {
                key: Key::new(home.left, home.right),
                n_buckets: buckets.n_buckets,
                is_wide: buckets.is_wide(),
            }),
        }
    }

    /// Looks a pair up. Says whether it is there, and flagged.
    #[inline]
    pub fn find(&self, home: &Home, inside: &Inside) -> Option<bool> {
        let Buckets { slots, window, .. } = self.shards[home.shard as usize % N_SHARDS].buckets.get(inside);
        match slots {
            Slots::Narrow(lines) => {
                line::find(lines, *window, home.bucket, home.remainder).map(line::is_flagged)
            }
            Slots::Wide(lines) => {
                line::find(lines, *window, home.bucket, home.remainder).map(line::is_flagged)
            }
        }
    }

    /// Sets the flag of a pair. Says whether it was set before, if the pair is there.
    pub fn flag(&self, home: &Home, inside: &Inside) -> Option<bool> {
        let Buckets { slots, window, .. } = self.shards[home.shard as usize % N_SHARDS].buckets.get(inside);
        match slots {
            Slots::Narrow(lines) => line::find(lines, *window, home.bucket, home.remainder).map(line::flag),
            Slots::Wide(lines) => line::find(lines, *window, home.bucket, home.remainder).map(line::flag),
        }
    }

    /// Sets the flag of a pair. Says whether it was clear.
    pub fn flag_handle(&self, handle: Handle, inside: &Inside) -> bool {
        let (left, right) = pair_of(handle);
        let was_set = self.flag(&self.home(left, right, inside), inside);
        debug_assert!(was_set.is_some(), "only stored states have flags");
        was_set == Some(false)
    }

    /// Whether the flag of a pair is set.
    pub fn is_flagged(&self, handle: Handle, inside: &Inside) -> bool {
        let (left, right) = pair_of(handle);
        self.find(&self.home(left, right, inside), inside) == Some(true)
    }

    /// Grows what keeps a pair from being inserted. The caller is not inside.
    #[cold]
    pub fn unblock(
        &self,
        stop: Stop,
        section: &Section,
        budget: &Budget,
        store: &impl Grow,
    ) -> Result<(), Full> {
        match stop {
            Stop::Full(full) => Err(full),
            Stop::Crowded(crowded) => {
                section.close(store, |_| Vec::new(), |alone| self.make_room(crowded, budget, alone))
            }
        }
    }

    /// Grows the shards that are due, each as a task of the store. The caller is not inside.
    #[cold]
    pub fn grow_due(&self, section: &Section, store: &impl Grow) {
        let n_helpers = section.n_seats().saturating_sub(1);
        section.close(store, |alone| self.due(n_helpers, alone), |_| ());
    }

    /// The shards that are due to grow, and up to `n_more` that soon will be.
    fn due(&self, n_more: usize, alone: &Alone) -> Vec<usize> {
        let mut fill: Vec<(u64, usize)> = Vec::new();
        for (number, shard) in self.shards.iter().enumerate() {
            let due = shard.buckets.look(alone).due;
            if due > 0 && due < u64::MAX {
                fill.push((shard.counts.n_taken.load(Ordering::Relaxed) * 1024 / due, number));
            }
        }
        fill.sort_unstable_by(|a, b| b.cmp(a));
        let n_due = fill.iter().filter(|&&(fill, _)| fill >= 1024).count();
        let soon = fill.iter().skip(n_due).take_while(|&&(fill, _)| fill >= 960).count();
        fill.truncate(n_due + if n_due > 0 { soon.min(n_more) } else { 0 });
        fill.into_iter().map(|(_, number)| number).collect()
    }

    /// Grows a shard because it is due. If there is no memory for it, it fills up further.
    pub fn grow(&self, shard: usize, budget: &Budget, alone: &Alone) {
        let shard = &self.shards[shard];
        let upper = shard.counts.max_upper.load(Ordering::Relaxed) as u32;
        let grown = shard.buckets.look(alone).grown(Due::Load, upper, &self.pool, budget);
        if let Ok(grown) = grown {
            shard.buckets.replace(alone, grown).release(budget);
        } else {
            let old = shard.buckets.replace(alone, Buckets::empty(0));
            shard.buckets.replace(alone, Buckets { due: u64::MAX, ..old });
        }
    }

    /// Makes room for a pair that has found none, unless somebody has done so already.
    fn make_room(&self, crowded: Crowded, budget: &Budget, alone: &Alone) -> Result<(), Full> {
        let shard = &self.shards[crowded.key.shard as usize];
        let buckets = shard.buckets.look(alone);
        if buckets.n_buckets == crowded.n_buckets && buckets.is_wide() == crowded.is_wide {
            let n_taken = shard.counts.n_taken.load(Ordering::Relaxed);
            let upper = crowded.key.upper.max(shard.counts.max_upper.load(Ordering::Relaxed) as u32);
            let grown = buckets.grown(Due::Crowded { n_taken }, upper, &self.pool, budget)?;
            shard.buckets.replace(alone, grown).release(budget);
        }
        Ok(())
    }
}

/// Inserts pairs inside the section. The handle of a pair is the pair itself.
pub(crate) struct Inserter<'a> {
    pub root: &'a ClearyTable,
    pub inside: &'a Inside<'a>,
    pub tally: &'a mut Tally,
    /// Whether a shard is due to grow.
    pub due: &'a mut bool,
}

/// Why a pair cannot be inserted.
pub(crate) enum Stop {
    Crowded(Crowded),
    Full(Full),
}

impl From<Full> for Stop {
    fn from(full: Full) -> Stop {
        Stop::Full(full)
    }
}

impl Insert for Inserter<'_> {
    type Item = Home;
    type Stop = Stop;

    fn find(&mut self, home: &Home) -> Option<Arrival> {
        let flagged = self.root.find(home, self.inside)?;
        Some(Arrival { handle: home.handle(), is_new: false, flagged })
    }

    #[inline]
    fn put(&mut self, home: &Home) -> Result<Arrival, Stop> {
        match self.root.put(home, self.tally, self.inside) {
            Put::New { due } => {
                *self.due |= due;
                Ok(Arrival { handle: home.handle(), is_new: true, flagged: false })
            }
            Put::Seen { flagged } => Ok(Arrival { handle: home.handle(), is_new: false, flagged }),
            Put::Full(crowded) => Err(Stop::Crowded(crowded)),
        }
    }

    fn n_stored(&self) -> u64 {
        self.root.len()
    }
}

impl Home {
    /// The pair as a handle.
    pub fn handle(&self) -> Handle {
        handle_of(self.left, self.right)
    }
}

/// A pair as a handle.
#[inline(always)]
pub(crate) fn handle_of(left: u32, right: u32) -> Handle {
    Handle(u64::from(left) << 32 | u64::from(right))
}

/// The pair that a handle is.
pub(crate) fn pair_of(handle: Handle) -> (u32, u32) {
    ((handle.0 >> 32) as u32, handle.0 as u32)
}

/// Why a shard grows.
#[derive(Clone, Copy)]
enum Due {
    Load,
    /// A pair has found no slot, with so many slots taken.
    Crowded {
        n_taken: u64,
    },
}

impl Buckets {
    /// No bucket at all. The first will be of the size `ideal`.
    fn empty(ideal: u64) -> Buckets {
        let slots = Slots::Narrow(Lines::empty());
        Buckets { slots, n_buckets: 0, inverse: 0, n_ranks: 0, window: 0, due: 0, ideal }
    }

    fn is_wide(&self) -> bool {
        matches!(self.slots, Slots::Wide(_))
    }

    fn release(self, budget: &Budget) {
        match self.slots {
            Slots::Narrow(slots) => slots.release(budget),
            Slots::Wide(slots) => slots.release(budget),
        }
    }

    /// The home bucket and the remainder of a key.
    #[inline(always)]
    fn home(&self, key: Key) -> (u32, u64) {
        let product = u64::from(key.low) * self.n_buckets;
        let rank = (u128::from(product & LOW) * u128::from(self.inverse)) >> 64;
        ((product >> LOW_BITS) as u32, u64::from(key.upper) * self.n_ranks + rank as u64)
    }

    /// The least low bits whose home is a bucket.
    fn first(&self, bucket: u32) -> u32 {
        (u64::from(bucket) << LOW_BITS).div_ceil(self.n_buckets) as u32
    }

    #[inline(always)]
    fn put(&self, home: &Home) -> Probed {
        match &self.slots {
            Slots::Narrow(slots) => line::put(slots, self.window, home.bucket, home.remainder),
            Slots::Wide(slots) => line::put(slots, self.window, home.bucket, home.remainder),
        }
    }

    /// A larger table with the same pairs, or one with wider slots, for keys with upper bits up to `upper`.
    fn grown(&self, due: Due, upper: u32, pool: &Arc<Pool>, budget: &Budget) -> Result<Buckets, Full> {
        let n_taken = match due {
            Due::Load => u64::MAX,
            Due::Crowded { n_taken } => n_taken,
        };
        let mut ideal = self.ideal;
        // A table that has room is not too small: the slots are too narrow.
        let mut next = if self.n_buckets > 0 && (self.is_wide() || n_taken > self.due / 2) {
            ideal = step(ideal);
            Shape::new(ideal, upper)
        } else {
            let next = Shape::new(ideal, upper);
            if next.n_buckets == self.n_buckets && next.is_wide == self.is_wide() {
                ideal = step(ideal);
                Shape::new(ideal, upper)
            } else {
                next
            }
        };
        loop {
            if next.n_buckets > LOW {
                return Err(Full::Memory);
            }
            let grown = if next.is_wide {
                let slots = Lines::new(next.n_buckets as usize, AtomicU64::N_LANES, pool, budget)?;
                self.move_to(next.buckets(Slots::Wide(slots), ideal))
            } else {
                let slots = Lines::new(next.n_buckets as usize, AtomicU32::N_LANES, pool, budget)?;
                self.move_to(next.buckets(Slots::Narrow(slots), ideal))
            };
            match grown {
                Ok(grown) => return Ok(grown),
                Err(crowded) => crowded.release(budget),
            }
            ideal = step(ideal);
            next = Shape::new(ideal, upper);
        }
    }

    /// Moves all pairs to a table. If one finds no place there, the table is handed back.
    fn move_to(&self, next: Buckets) -> Result<Buckets, Buckets> {
        let moved = match (&self.slots, &next.slots) {
            (Slots::Narrow(old), Slots::Narrow(new)) => self.move_slots(old, &next, new),
            (Slots::Narrow(old), Slots::Wide(new)) => self.move_slots(old, &next, new),
            (Slots::Wide(old), Slots::Narrow(new)) => self.move_slots(old, &next, new),
            (Slots::Wide(old), Slots::Wide(new)) => self.move_slots(old, &next, new),
        };
        if moved { Ok(next) } else { Err(next) }
    }

    fn move_slots<S: Slot, T: Slot>(&self, old: &Lines<S>, next: &Buckets, new: &Lines<T>) -> bool {
        // Most pairs are at home, so neighbours have the same home.
        let (mut home, mut first) = (0, 0);
        line::all_taken(old, self.window, |bucket, remainder, flagged| {
            if bucket != home {
                (home, first) = (bucket, self.first(bucket));
            }
            // To divide is slow, and numbers are mostly so small that there are no upper bits.
            let (rank, upper) = if remainder < self.n_ranks {
                (remainder as u32, 0)
            } else {
                ((remainder % self.n_ranks) as u32, (remainder / self.n_ranks) as u32)
            };
            let (bucket, remainder) = next.home(Key { shard: 0, low: first + rank, upper });
            line::move_in(new, next.window, bucket, remainder, flagged)
        })
    }
}

/// The size after another step of growth: the smaller a table, the larger its steps.
fn step(ideal: u64) -> u64 {
    const LARGE: u64 = 4 * CHUNK as u64;
    match ideal >> 16 {
        size if size < LARGE / 3 => 3 * ideal,
        size if size < LARGE => 2 * ideal,
        _ => ideal / 64 * 85,
    }
}

/// The measures of a table.
struct Shape {
    n_buckets: u64,
    n_ranks: u64,
    window: u64,
    is_wide: bool,
}

impl Shape {
    /// A table of about `ideal` / 65536 lines of narrow slots, for keys with upper bits up to `upper`.
    fn new(ideal: u64, upper: u32) -> Shape {
        let about = (ideal >> 16).max(MIN_BUCKETS);
        let window = (about.next_power_of_two() / 8).clamp(MIN_BUCKETS, WINDOW);
        let unit = if about > CHUNK as u64 { CHUNK as u64 } else { window };
        let mut n_buckets = about.next_multiple_of(unit);
        let mut n_ranks = (LOW + 1).div_ceil(n_buckets);
        // Keys will become larger: some room is left for that.
        let upper = u64::from(upper) + u64::from(upper / 4) + 1;
        let is_wide = upper * n_ranks > AtomicU32::END;
        if is_wide {
            n_buckets = if 2 * n_buckets > CHUNK as u64 {
                (2 * n_buckets).next_multiple_of(CHUNK as u64)
            } else {
                2 * n_buckets
            };
            n_ranks = (LOW + 1).div_ceil(n_buckets);
        }
        Shape { n_buckets, n_ranks, window, is_wide }
    }

    fn buckets(&self, slots: Slots, ideal: u64) -> Buckets {
        let n_lanes = if self.is_wide { AtomicU64::N_LANES } else { AtomicU32::N_LANES };
        Buckets {
            slots,
            n_buckets: self.n_buckets,
            inverse: u64::MAX / self.n_buckets + 1,
            n_ranks: self.n_ranks,
            window: self.window as u32 - 1,
            due: self.n_buckets * n_lanes as u64 * DUE / 16,
            ideal,
        }
    }
}

impl Key {
    #[inline(always)]
    fn new(left: u32, right: u32) -> Key {
        let upper = pair(left >> 16, right >> 16);
        let bits = scramble((left << 16 | right & 0xffff) ^ fold(upper));
        Key { shard: (bits >> LOW_BITS) % N_SHARDS as u32, low: bits & LOW as u32, upper }
    }
}

/// A number for two numbers of 16 bits, smaller than the square of the greater plus one (Szudzik's pairing).
#[inline(always)]
fn pair(a: u32, b: u32) -> u32 {
    if a < b { b * b + a } else { a * a + a + b }
}

/// What the upper bits contribute to the lower ones.
#[inline(always)]
fn fold(upper: u32) -> u32 {
    (u64::from(upper).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

/// A permutation of 32 bits that looks random (Wellons' lowbias32).
#[inline(always)]
fn scramble(mut bits: u32) -> u32 {
    bits ^= bits >> 16;
    bits = bits.wrapping_mul(0x7feb_352d);
    bits ^= bits >> 15;
    bits = bits.wrapping_mul(0x846c_a68b);
    bits ^ bits >> 16
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use std::collections::HashMap;

    use super::*;

    struct Nothing;

    impl Grow for Nothing {
        fn perform(&self, _: usize, _: &Alone) {}
    }

    /// A root, the section for it, and whether a shard has ever had narrow or wide slots.
    struct Bench {
        root: ClearyTable,
        tally: Tally,
        section: Section,
        budget: Budget,
        widths: [usize; 2],
    }

    impl Bench {
        fn new() -> Bench {
            let (root, section) = (ClearyTable::new(), Section::new());
            let tally = root.tally();
            Bench { root, tally, section, budget: Budget::new(u64::MAX), widths: [0; 2] }
        }

        fn put(&mut self, left: u32, right: u32) -> Put {
            let seat = self.section.seat();
            loop {
                let inside = self.section.enter(&seat, &Nothing);
                let put = self.root.put(&self.root.home(left, right, &inside), &mut self.tally, &inside);
                drop(inside);
                let Bench { root, section, budget, widths, .. } = self;
                let due = |alone: &Alone| {
                    root.due(2, alone).into_iter().for_each(|shard| root.grow(shard, budget, alone))
                };
                match put {
                    Put::New { due: true } => section.close(&Nothing, |_| Vec::new(), due),
                    Put::Full(crowded) => {
                        section
                            .close(&Nothing, |_| Vec::new(), |alone| root.make_room(crowded, budget, alone))
                            .unwrap();
                        section.close(
                            &Nothing,
                            |_| Vec::new(),
                            |alone| {
                                let shard = &root.shards[crowded.key.shard as usize];
                                widths[usize::from(shard.buckets.look(alone).is_wide())] += 1;
                            },
                        );
                        continue;
                    }
                    _ => {}
                }
                self.section.give_up(&seat);
                return put;
            }
        }

        fn flag(&self, left: u32, right: u32) -> Option<bool> {
            let seat = self.section.seat();
            let inside = self.section.enter(&seat, &Nothing);
            let flagged = self.root.flag(&self.root.home(left, right, &inside), &inside);
            drop(inside);
            self.section.give_up(&seat);
            flagged
        }

        fn load(&self) -> f64 {
            self.root.len() as f64 * 4.0 / self.budget.taken() as f64
        }

        fn n_wide(&self) -> usize {
            let wide = |alone: &Alone| {
                self.root.shards.iter().filter(|shard| shard.buckets.look(alone).is_wide()).count()
            };
            self.section.close(&Nothing, |_| Vec::new(), wide)
        }
    }

    /// Puts all pairs twice and flags every fifth between.
    fn all_are_kept(bench: &mut Bench, pairs: &[(u32, u32)]) {
        let mut known = HashMap::new();
        for (k, &pair) in pairs.iter().enumerate() {
            let new = known.insert(pair, false).is_none();
            if new {
                assert!(matches!(bench.put(pair.0, pair.1), Put::New { .. }), "{pair:?}");
            } else {
                assert!(matches!(bench.put(pair.0, pair.1), Put::Seen { .. }), "{pair:?}");
            }
            if k % 5 == 0 {
                assert_eq!(bench.flag(pair.0, pair.1), Some(!new && known[&pair]));
                known.insert(pair, true);
            }
        }
        assert_eq!(bench.root.len(), known.len() as u64);
        for (pair, flagged) in known {
            assert_eq!(bench.put(pair.0, pair.1), Put::Seen { flagged });
        }
    }

    /// A permutation of 32 bits, so that values differ.
    fn random(number: u32) -> u32 {
        scramble(scramble(number) ^ 0x5555)
    }

    #[test]
    fn dense_pairs_are_kept_in_narrow_slots() {
        let mut bench = Bench::new();
        let pairs: Vec<_> = (0..300_u32).flat_map(|left| (0..1000).map(move |right| (left, right))).collect();
        all_are_kept(&mut bench, &pairs);
        assert_eq!(bench.widths[1], 0);
        assert!(bench.load() > 0.55, "load {}", bench.load());
    }

    #[test]
    fn structured_pairs_fill_the_table_evenly() {
        let sets: [fn(u32) -> (u32, u32); 6] = [
            |k| (k, k),
            |k| (k, 0),
            |k| (0, k),
            |k| (k / 64 * 64, k % 64),
            |k| (k << 2, k >> 8),
            |k| (k % 16 * 4096, k / 16 * 3),
        ];
        // As evenly as pairs do that have no structure.
        let mut random_pairs = Bench::new();
        for k in 0..200_000 {
            random_pairs.put(random(k) & 0xffff, random(!k) & 0xffff);
        }
        let load = random_pairs.load() * 200_000.0 / random_pairs.root.len() as f64;
        for set in sets {
            let mut bench = Bench::new();
            let pairs: Vec<_> = (0..200_000).map(set).collect();
            all_are_kept(&mut bench, &pairs);
            assert!(bench.load() > 0.97 * load, "load {} instead of {load}", bench.load());
            assert_eq!(bench.widths[1], 0);
        }
    }

    #[test]
    fn large_numbers_make_slots_wide_and_many_pairs_make_them_narrow_again() {
        let mut bench = Bench::new();
        // Nothing is known about these pairs but that they have 22 bits each.
        let pair = |k| (random(k) >> 10, random(!k) >> 10);
        let few: Vec<_> = (0..3000).map(pair).collect();
        all_are_kept(&mut bench, &few);
        assert_eq!(bench.n_wide(), N_SHARDS);
        for k in 3000..4_000_000 {
            let (left, right) = pair(k);
            bench.put(left, right);
        }
        assert_eq!(bench.n_wide(), 0);
        for &(left, right) in &few {
            assert!(matches!(bench.put(left, right), Put::Seen { .. }));
        }
    }

    #[test]
    fn the_largest_numbers_fit() {
        let mut bench = Bench::new();
        let small: Vec<_> = (0..50_000).map(|k| (k % 200, k / 200)).collect();
        all_are_kept(&mut bench, &small);
        assert_eq!(bench.n_wide(), 0);
        let large: Vec<_> = (0..50_000).map(|k| (u32::MAX - random(k) % 1000, u32::MAX - k)).collect();
        all_are_kept_besides(&mut bench, &large, small.len());
        assert!(bench.n_wide() > 0);
        for (left, right) in small {
            assert!(matches!(bench.put(left, right), Put::Seen { .. }));
        }
    }

    fn all_are_kept_besides(bench: &mut Bench, pairs: &[(u32, u32)], n: usize) {
        for &(left, right) in pairs {
            assert!(matches!(bench.put(left, right), Put::New { .. }));
        }
        for &(left, right) in pairs {
            assert!(matches!(bench.put(left, right), Put::Seen { .. }));
        }
        assert_eq!(bench.root.len(), (pairs.len() + n) as u64);
    }

    #[test]
    fn a_key_is_known_from_its_place() {
        for ideal in [4, 5, 6, 63, 64, 100, 1000, 77_777, 1 << 20] {
            let shape = Shape::new(ideal << 16, 0);
            let buckets = shape.buckets(Slots::Narrow(Lines::empty()), 0);
            for k in 0..2000 {
                let key = Key { shard: 0, low: random(k) & LOW as u32, upper: random(!k) };
                let (bucket, remainder) = buckets.home(key);
                assert!(u64::from(bucket) < shape.n_buckets);
                let rank = (remainder % buckets.n_ranks) as u32;
                let found = (buckets.first(bucket) + rank, (remainder / buckets.n_ranks) as u32);
                assert_eq!(found, (key.low, key.upper));
            }
        }
    }
}
