//! Memory: what may be taken, tables of zeros, and arenas that are reserved but not yet there.
//!
//! This file and `section.rs` are the only ones of the crate with unsafe code. What they
//! hand out are slices of atomics, so whatever is done with them is at worst wrong, never undefined.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64 as PlainU64, Ordering};

use memmap2::{MmapOptions, MmapRaw};

use crate::Full;

/// The size of a huge page. Larger tables, and what is behind the first of an arena, are advised to be
/// in huge pages: with pages of 4 KiB all takes 1.4 times as long.
pub(crate) const HUGE_PAGE: usize = 2 << 20;
/// The size of a page, at least.
const PAGE: usize = 4096;
/// From this size on, tables are mapped: fresh pages are zero by themselves.
#[cfg(not(feature = "shuttle"))]
const MAPPED: usize = 256 << 10;

/// How many bytes may be taken and how many are.
pub(crate) struct Budget {
    limit: u64,
    taken: PlainU64,
    /// What others have taken of the limit.
    aside: PlainU64,
}

impl Budget {
    pub fn new(limit: u64) -> Budget {
        Budget { limit, taken: PlainU64::new(0), aside: PlainU64::new(0) }
    }

    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Says how much of the limit others have taken.
    pub fn set_aside(&self, bytes: u64) {
        self.aside.store(bytes, Ordering::Relaxed);
    }

    pub fn take(&self, bytes: u64) -> Result<(), Full> {
        let limit = self.limit.saturating_sub(self.aside.load(Ordering::Relaxed));
        let fits = |taken: u64| taken.checked_add(bytes).filter(|&sum| sum <= limit);
        match self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(_) => Ok(()),
            Err(_) => Err(Full::Memory),
        }
    }

    pub fn give_back(&self, bytes: u64) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A table of atomics that are zero at first. It starts at a multiple of 64 bytes.
pub(crate) struct Table<T> {
    cells: Cells<T>,
}

impl<T: Atom> Table<T> {
    /// A table of no cells.
    pub fn empty() -> Table<T> {
        Table { cells: Cells::empty() }
    }

    /// A table of `len` cells, which the budget pays for. See [`Table::release`].
    pub fn new(len: usize, budget: &Budget) -> Result<Table<T>, Full> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(Full::Memory)? as u64;
        budget.take(bytes)?;
        match Cells::new(len) {
            Some(cells) => Ok(Table { cells }),
            None => {
                budget.give_back(bytes);
                Err(Full::Memory)
            }
        }
    }

    /// Frees the table and gives the budget back what it has paid.
    pub fn release(self, budget: &Budget) {
        budget.give_back((self.len() * size_of::<T>()) as u64);
    }
}

impl<T> Deref for Table<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.cells.get()
    }
}

/// Atomics for which any memory is valid.
///
/// # Safety
/// Any bytes must be a valid value, unless the feature `shuttle` is on, and `T` must not need to be
/// dropped.
pub(crate) unsafe trait Atom: Default + Send + Sync {}

// SAFETY: atomics have the representation of the integer that they hold.
unsafe impl Atom for crate::sync::AtomicU32 {}
// SAFETY: as above.
unsafe impl Atom for crate::sync::AtomicU64 {}

#[cfg(feature = "shuttle")]
use boxed::Cells;
#[cfg(not(feature = "shuttle"))]
use raw::Cells;

/// The atomics of shuttle are more than their bytes: they are made one by one.
#[cfg(feature = "shuttle")]
mod boxed {
    pub(super) struct Cells<T>(Box<[T]>);

    impl<T: Default> Cells<T> {
        pub fn empty() -> Cells<T> {
            Cells(Box::default())
        }

        pub fn new(len: usize) -> Option<Cells<T>> {
            Some(Cells((0..len).map(|_| T::default()).collect()))
        }
    }

    impl<T> Cells<T> {
        pub fn get(&self) -> &[T] {
            &self.0
        }
    }
}

#[cfg(not(feature = "shuttle"))]
mod raw {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    use memmap2::MmapRaw;

    use super::{Atom, HUGE_PAGE, MAPPED, PAGE, advise_huge, map_aligned};

    enum Backing {
        None,
        Heap(Layout),
        Map { _map: MmapRaw },
    }

    pub(super) struct Cells<T> {
        first: NonNull<T>,
        len: usize,
        backing: Backing,
    }

    // SAFETY: the memory belongs to the value; what it holds may be shared and sent (`Atom`).
    unsafe impl<T: Send> Send for Cells<T> {}
    // SAFETY: as above.
    unsafe impl<T: Sync> Sync for Cells<T> {}

    impl<T: Atom> Cells<T> {
        pub fn empty() -> Cells<T> {
            Cells { first: NonNull::dangling(), len: 0, backing: Backing::None }
        }

        pub fn new(len: usize) -> Option<Cells<T>> {
            let layout = Layout::array::<T>(len).and_then(|layout| layout.align_to(64)).ok()?;
            if layout.size() == 0 {
                return Some(Cells::empty());
            }
            let (first, backing) = if layout.size() < MAPPED {
                // SAFETY: the size is not zero.
                (NonNull::new(unsafe { alloc_zeroed(layout) })?, Backing::Heap(layout))
            } else {
                let (map, first) = map_aligned(layout.size())?;
                (NonNull::new(first)?, Backing::Map { _map: map })
            };
            if layout.size() >= HUGE_PAGE {
                advise_huge(first.as_ptr(), layout.size());
            } else {
                // A page that is read before it is written to costs two faults. All of a small table is soon in use.
                for page in (0..layout.size()).step_by(PAGE) {
                    // SAFETY: it is within the memory, which nobody else has yet, and zero already.
                    unsafe { first.add(page).write_volatile(0) };
                }
            }
            Some(Cells { first: first.cast(), len, backing })
        }
    }

    impl<T> Cells<T> {
        pub fn get(&self) -> &[T] {
            // SAFETY: `first` points to `len` values that live as long as `self`, and zeros are
            // valid (`Atom`). They change only as atomics do. Maps begin at a page, the heap's
            // memory at a multiple of 64 bytes.
            unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) }
        }
    }

    impl<T> Drop for Cells<T> {
        fn drop(&mut self) {
            if let Backing::Heap(layout) = self.backing {
                // SAFETY: it was allocated with this layout, and nobody has it any more.
                unsafe { dealloc(self.first.as_ptr().cast(), layout) }
            }
        }
    }
}

/// Words in address space that is reserved at once and filled from the front: they never move, so they
/// are read without a lock. Memory comes when it is first written to.
pub(crate) struct Reserve {
    _map: Option<MmapRaw>,
    first: *mut PlainU64,
    len: usize,
}

// SAFETY: the memory belongs to the value, and it holds atomics.
unsafe impl Send for Reserve {}
// SAFETY: as above.
unsafe impl Sync for Reserve {}

impl Reserve {
    /// Reserves up to `len` words: fewer if there is not so much address space, perhaps none.
    pub fn new(len: u64) -> Reserve {
        let mut bytes = usize::try_from(len.saturating_mul(8)).unwrap_or(usize::MAX / 2).min(address_space());
        while bytes >= PAGE {
            if let Some((map, first)) = map_aligned(bytes) {
                if bytes > HUGE_PAGE {
                    advise_huge(first.wrapping_add(HUGE_PAGE), bytes - HUGE_PAGE);
                }
                return Reserve { _map: Some(map), first: first.cast(), len: bytes / 8 };
            }
            bytes /= 2;
        }
        Reserve { _map: None, first: std::ptr::dangling_mut(), len: 0 }
    }

    /// Has the budget pay for the first `words`. `paid` says for how many bytes it has paid so far; the
    /// caller sees to it that it does so for one at a time.
    pub fn pay(&self, words: u64, paid: &mut u64, budget: &Budget) -> Result<(), Full> {
        if words > self.len as u64 {
            return Err(Full::Memory);
        }
        while *paid < words * 8 {
            let step = match *paid {
                0..0x1_0000 => PAGE as u64,
                paid if paid < HUGE_PAGE as u64 => 0x1_0000,
                _ => HUGE_PAGE as u64,
            };
            budget.take(step)?;
            *paid += step;
        }
        Ok(())
    }

    /// Where a word lies, for [`prefetch`].
    pub fn address(&self, at: usize) -> usize {
        self.as_ptr() as usize + at * 8
    }

    /// Sets words to zero.
    pub fn clear(&self, first: usize, len: usize) {
        self[first..first + len].iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// Words as other atomics. Those who use the same words should agree about which.
    #[cfg(not(feature = "shuttle"))]
    #[inline(always)]
    pub fn cast<T: Atom>(&self, first: usize, len: usize) -> &[T] {
        const { assert!(8 % size_of::<T>() == 0 && align_of::<T>() <= 8) }
        let words = &self[first..first + len];
        // SAFETY: they are atomics of the same bytes, for which any bits are valid, as are zeros.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), len * (8 / size_of::<T>())) }
    }

    /// Shuttle's atomics are not just words, and its tables are small.
    #[cfg(feature = "shuttle")]
    pub fn cast<T: Atom>(&self, _: usize, _: usize) -> &[T] {
        unimplemented!("tests with shuttle have small tables")
    }
}

impl Deref for Reserve {
    type Target = [PlainU64];

    fn deref(&self) -> &[PlainU64] {
        // SAFETY: `first` points to so many words of the map, which lives as long as `self`; all of them
        // are zero at first and change only as atomics do.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
}

/// Maps memory of zeros that starts at a multiple of the size of huge pages, and is not there until it is
/// used.
fn map_aligned(bytes: usize) -> Option<(MmapRaw, *mut u8)> {
    let spare = if bytes < HUGE_PAGE { 0 } else { HUGE_PAGE };
    let map = MmapOptions::new().len(bytes.checked_add(spare)?).no_reserve_swap().map_anon().ok()?;
    let map = MmapRaw::from(map);
    let first = map.as_mut_ptr();
    // There is enough behind the first multiple.
    let offset = if spare == 0 { 0 } else { (first as usize).wrapping_neg() % HUGE_PAGE };
    Some((map, first.wrapping_add(offset)))
}

/// How many bytes one arena may reserve: a share of what the process may have.
fn address_space() -> usize {
    const SHARE: usize = 32;
    #[cfg(all(unix, target_pointer_width = "64"))]
    {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the call writes to `limit` only.
        let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
        if known && limit.rlim_cur != libc::RLIM_INFINITY {
            return limit.rlim_cur as usize / SHARE;
        }
    }
    usize::MAX / SHARE
}

/// The memory that the process has now, if that can be told.
pub fn resident() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let text = std::fs::read_to_string("/proc/self/statm").ok()?;
        let pages = text.split(' ').nth(1)?.parse::<u64>().ok()?;
        // SAFETY: the call takes a number and gives one.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Some(pages * u64::try_from(page).ok()?)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Gives memory back to the system that was freed and that the allocator keeps.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it does not touch what is in use, and other threads may allocate meanwhile.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Asks for huge pages. Nothing depends on the answer.
fn advise_huge(first: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    // SAFETY: advice about memory that the caller has mapped; it does not change what the memory holds.
    unsafe {
        libc::madvise(first.cast(), bytes, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (first, bytes);
}

/// Where two sequences of the same length, up to 64, differ: bit `k` is set if word `k` does. Without
/// branches: nobody can foretell where that is.
#[inline(always)]
pub(crate) fn differences(a: &[u64], b: &[u64]) -> u64 {
    assert!(a.len() == b.len() && a.len() <= 64);
    let n = a.len();
    let mut differences = 0;
    #[cfg(target_arch = "x86_64")]
    if n >= 8 {
        let mut at = 0;
        while let (Some(a), Some(b)) = (a[at..].first_chunk(), b[at..].first_chunk()) {
            differences |= differences_of_8(a, b) << at;
            at += 8;
        }
        // The last eight words, some of them once more.
        if let (Some(a), Some(b), true) = (a.last_chunk(), b.last_chunk(), at < n) {
            differences |= differences_of_8(a, b) << (n - 8);
        }
        return differences;
    }
    #[cfg(target_arch = "x86_64")]
    if let (Some(a_first), Some(b_first), Some(a_last), Some(b_last)) =
        (a.first_chunk(), b.first_chunk(), a.last_chunk(), b.last_chunk())
    {
        return differences_of_4(a_first, b_first) | differences_of_4(a_last, b_last) << (n - 4);
    }
    for (at, (a, b)) in a.iter().zip(b).enumerate() {
        differences |= u64::from(a != b) << at;
    }
    differences
}

/// Something that looks for differences very often. It is compiled for processors with wider vectors, too, if `run` is
/// always inlined.
pub(crate) trait Comparing {
    /// Does it. `differences` does what [`differences`] does.
    fn run(self, differences: impl Fn(&[u64], &[u64]) -> u64);
}

/// Does something with the widest vectors that the processor has.
pub(crate) fn compare(work: impl Comparing) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
        fn wide(work: impl Comparing) {
            work.run(|a, b| wide_differences(a, b));
        }
        let is_wide = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1");
        if is_wide && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("lzcnt") {
            // SAFETY: the processor has what it needs.
            return unsafe { wide(work) };
        }
    }
    work.run(differences);
}

/// As [`differences`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn wide_differences(a: &[u64], b: &[u64]) -> u64 {
    use std::arch::x86_64::*;
    assert!(a.len() == b.len() && a.len() <= 64);
    let n = a.len();
    let of_4 = |a: &[u64; 4], b: &[u64; 4]| {
        // SAFETY: the loads are of the words of `a` and `b`.
        let (a, b) =
            unsafe { (_mm256_loadu_si256(a.as_ptr().cast()), _mm256_loadu_si256(b.as_ptr().cast())) };
        let equal = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b)));
        u64::from(!equal as u8 & 0xf)
    };
    if let (Some(a_first), Some(b_first), Some(a_last), Some(b_last)) =
        (a.first_chunk(), b.first_chunk(), a.last_chunk(), b.last_chunk())
    {
        // The last four words, some of them perhaps once more.
        let mut differences = of_4(a_first, b_first) | of_4(a_last, b_last) << (n - 4);
        let mut at = 4;
        while at + 4 < n {
            if let (Some(a), Some(b)) = (a[at..].first_chunk(), b[at..].first_chunk()) {
                differences |= of_4(a, b) << at;
            }
            at += 4;
        }
        return differences;
    }
    a.iter().zip(b).enumerate().fold(0, |bits, (at, (a, b))| bits | u64::from(a != b) << at)
}

/// Where four words differ from four others.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn differences_of_4(a: &[u64; 4], b: &[u64; 4]) -> u64 {
    use std::arch::x86_64::*;
    // SAFETY: every x86-64 processor has SSE2, and the loads are of the words of `a` and `b`.
    let equal = unsafe {
        let pair = |k: usize| {
            let (a, b) = (_mm_loadu_si128(a[k..].as_ptr().cast()), _mm_loadu_si128(b[k..].as_ptr().cast()));
            _mm_cmpeq_epi32(a, b)
        };
        // 16 bits for each half of a word, then 32 for each word.
        let halves = _mm_packs_epi32(pair(0), pair(2));
        _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(halves, _mm_set1_epi32(-1))))
    };
    u64::from(!equal as u8 & 0xf)
}

/// Where eight words differ from eight others.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn differences_of_8(a: &[u64; 8], b: &[u64; 8]) -> u64 {
    use std::arch::x86_64::*;
    // SAFETY: every x86-64 processor has SSE2, and the loads are of the words of `a` and `b`.
    let equal = unsafe {
        let pair = |k: usize| {
            let (a, b) = (_mm_loadu_si128(a[k..].as_ptr().cast()), _mm_loadu_si128(b[k..].as_ptr().cast()));
            _mm_cmpeq_epi32(a, b)
        };
        // 8 bits for each half of a word, then 16 and 8 for each word.
        let (low, high) = (_mm_packs_epi32(pair(0), pair(2)), _mm_packs_epi32(pair(4), pair(6)));
        let words = _mm_cmpeq_epi16(_mm_packs_epi16(low, high), _mm_set1_epi16(-1));
        _mm_movemask_epi8(_mm_packs_epi16(words, words))
    };
    u64::from(!equal as u8)
}

/// Looks at a line of 16 slots: the lanes that hold a value, with or without the bit `flag`, and those that
/// are zero, each as a set of bits. Each lane is read by itself, with acquire ordering.
///
/// This is worth its unsafe code: one by one the lanes take as long as the access to memory.
#[cfg(all(target_arch = "x86_64", not(feature = "shuttle")))]
#[inline(always)]
pub(crate) fn scan_16(line: &[crate::sync::AtomicU32], value: u32, flag: u32) -> (u32, u32) {
    use std::arch::x86_64::*;
    assert!(line.len() == 16);
    let (a, b, c, d): (__m128i, __m128i, __m128i, __m128i);
    // SAFETY: the line has 64 bytes. Reading atomics as a vector in Rust would be a data race; for the
    // processor each lane is a read of its own, and all reads acquire. Without options the compiler must
    // assume that memory is read and written, so it moves no access across.
    unsafe {
        std::arch::asm!(
            "movdqu {a}, [{line}]",
            "movdqu {b}, [{line} + 16]",
            "movdqu {c}, [{line} + 32]",
            "movdqu {d}, [{line} + 48]",
            line = in(reg) line.as_ptr(),
            a = out(xmm_reg) a,
            b = out(xmm_reg) b,
            c = out(xmm_reg) c,
            d = out(xmm_reg) d,
            options(nostack, preserves_flags),
        );
    }
    // SAFETY: every x86-64 processor has SSE2.
    unsafe {
        let bits = |equal: [__m128i; 4]| {
            let low = _mm_packs_epi32(equal[0], equal[1]);
            let high = _mm_packs_epi32(equal[2], equal[3]);
            _mm_movemask_epi8(_mm_packs_epi16(low, high)) as u32
        };
        let (flag, value) = (_mm_set1_epi32(flag as i32), _mm_set1_epi32((value | flag) as i32));
        let same = [a, b, c, d].map(|lanes| _mm_cmpeq_epi32(_mm_or_si128(lanes, flag), value));
        let free = [a, b, c, d].map(|lanes| _mm_cmpeq_epi32(lanes, _mm_setzero_si128()));
        (bits(same), bits(free))
    }
}

/// Has the line of memory at an address fetched. The address need not be valid.
#[inline(always)]
pub(crate) fn prefetch(address: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching changes nothing and does not fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address as *const i8);
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: prefetching changes nothing and does not fault.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{0}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    /// Expects some differences.
    struct Asking<'a> {
        a: &'a [u64],
        b: &'a [u64],
        expected: u64,
    }

    impl Comparing for Asking<'_> {
        fn run(self, differences: impl Fn(&[u64], &[u64]) -> u64) {
            assert_eq!(differences(self.a, self.b), self.expected, "{} words", self.a.len());
        }
    }

    #[test]
    fn differences_are_where_words_differ() {
        for n in 0..=64 {
            let a: Vec<u64> = (0..n).map(|k| k << 20 | k << 50).collect();
            for bit in [0, 31, 32, 63] {
                for pattern in [0, 1, u64::MAX, 0x1234_5678_9abc_def0, 0x8000_0001_0010_0100] {
                    let pattern = pattern & u64::MAX.checked_shr(64 - n as u32).unwrap_or(0);
                    let b: Vec<u64> = (0..n).map(|k| a[k as usize] ^ (pattern >> k & 1) << bit).collect();
                    assert_eq!(differences(&a, &b), pattern, "{n} words");
                    compare(Asking { a: &a, b: &b, expected: pattern });
                }
            }
        }
    }
}
