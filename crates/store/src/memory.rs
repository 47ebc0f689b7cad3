//! Memory: what may be taken, tables of zeros, and arenas that are reserved but not yet there.
//!
//! This file, `section.rs` and `vector.rs` are the only ones of the crate with unsafe code. What they
//! hand out are slices of atomics, so whatever is done with them is at worst wrong, never undefined.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64 as PlainU64, Ordering};

use memmap2::{MmapOptions, MmapRaw};

use crate::Full;
use crate::sync::Apart;

/// The size of a huge page. Larger tables, and arenas but for their first bytes, are advised to be in huge pages: with
/// pages of 4 KiB all takes 1.4 times as long.
pub(crate) const HUGE_PAGE: usize = 2 << 20;
/// The size of a page, at least.
const PAGE: usize = 4096;
/// From this size on, tables are mapped: fresh pages are zero by themselves.
#[cfg(not(feature = "shuttle"))]
const MAPPED: usize = 256 << 10;

/// How many bytes may be taken and how many are.
pub(crate) struct Budget {
    limit: u64,
    taken: Apart<PlainU64>,
    /// What others have taken of the limit.
    aside: Apart<PlainU64>,
}

impl Budget {
    pub fn new(limit: u64) -> Budget {
        Budget { limit, taken: Apart::default(), aside: Apart::default() }
    }

    pub fn limit(&self) -> u64 {
        self.limit
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
    /// So many bytes are in small pages.
    small: usize,
}

// SAFETY: the memory belongs to the value, and it holds atomics.
unsafe impl Send for Reserve {}
// SAFETY: as above.
unsafe impl Sync for Reserve {}

impl Reserve {
    /// Reserves up to `len` words: fewer if there is not so much address space, perhaps none. What is behind the first
    /// `n_small` times the size of a huge page is advised to be in huge pages.
    pub fn new(len: u64, n_small: usize) -> Reserve {
        let small = n_small * HUGE_PAGE;
        let mut bytes = usize::try_from(len.saturating_mul(8)).unwrap_or(usize::MAX / 2).min(address_space());
        while bytes >= PAGE {
            if let Some((map, first)) = map_aligned(bytes) {
                if bytes > small {
                    advise_huge(first.wrapping_add(small), bytes - small);
                }
                return Reserve { _map: Some(map), first: first.cast(), len: bytes / 8, small };
            }
            bytes /= 2;
        }
        Reserve { _map: None, first: std::ptr::dangling_mut(), len: 0, small }
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
                paid if paid < self.small as u64 => 0x1_0000,
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

/// Lets the allocator take large memory from the system, give it back as soon as it is freed, and not copy it when it
/// grows. It starts like that by itself, but then raises what it calls large, up to 32 MB; if told once, it does not.
pub fn return_large() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it sets a number of the allocator.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 17);
    }
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

/// Has the line of memory at an address fetched, to be written to. The address need not be valid.
#[inline(always)]
pub(crate) fn prefetch_to_write(address: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching changes nothing and does not fault; processors without the instruction skip it.
    unsafe {
        std::arch::asm!("prefetchw byte ptr [{0}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: prefetching changes nothing and does not fault.
    unsafe {
        std::arch::asm!("prfm pstl1keep, [{0}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}
