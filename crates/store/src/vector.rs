//! Many words at once: what the vectors of the processor are for.

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

/// States of the same length, up to 64 words, and for each of them one to compare it with.
pub(crate) struct Pairs<'a> {
    pub parents: &'a [u64],
    pub children: &'a [u64],
    /// Where the words of each are.
    pub places: &'a [Places],
    pub len: usize,
}

/// Where the words of a state and of the one that it is compared with begin.
#[derive(Clone, Copy, Default)]
pub(crate) struct Places {
    pub parent: u32,
    pub child: u32,
}

impl Pairs<'_> {
    /// A state, and the one to compare it with.
    #[inline(always)]
    fn words(&self, places: Places) -> (&[u64], &[u64]) {
        let Places { parent, child } = places;
        (&self.children[child as usize..][..self.len], &self.parents[parent as usize..][..self.len])
    }

    /// Where the states of each pair differ. See [`differences`].
    #[inline(always)]
    fn differences(&self, out: &mut [u64]) {
        for (out, &places) in out.iter_mut().zip(self.places) {
            let (child, parent) = self.words(places);
            *out = differences(child, parent);
        }
    }

    /// The same.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    fn wide_differences(&self, out: &mut [u64]) {
        match self.len {
            4..=8 => self.differences_by_4::<2>(out),
            9..=12 => self.differences_by_4::<3>(out),
            13..=16 => self.differences_by_4::<4>(out),
            17..=20 => self.differences_by_4::<5>(out),
            21..=24 => self.differences_by_4::<6>(out),
            _ => self.differences(out),
        }
    }

    /// The same, with `N` vectors of four words: the last four words may be looked at twice.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    fn differences_by_4<const N: usize>(&self, out: &mut [u64]) {
        use std::arch::x86_64::*;
        assert!((4..=4 * N).contains(&self.len));
        let last = self.len - 4;
        let begins: [usize; N] = std::array::from_fn(|k| last.min(4 * k));
        for (out, &places) in out.iter_mut().zip(self.places) {
            let (child, parent) = self.words(places);
            *out = 0;
            for begin in begins {
                // SAFETY: there are four words behind each of these, in all states.
                let load = |state: &[u64]| unsafe { _mm256_loadu_si256(state.as_ptr().add(begin).cast()) };
                let equal = _mm256_cmpeq_epi64(load(child), load(parent));
                *out |= u64::from(!_mm256_movemask_pd(_mm256_castsi256_pd(equal)) as u8 & 0xf) << begin;
            }
        }
    }
}

/// Something that looks for differences very often. It is compiled for processors with wider vectors, too, if `run` is
/// always inlined.
pub(crate) trait Comparing {
    /// Does it. `differences` says of each pair where its states differ: a bit for each word.
    fn run(self, differences: impl Fn(&Pairs, &mut [u64]));
}

/// Does something with the widest vectors that the processor has.
pub(crate) fn compare(work: impl Comparing) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
        fn wide(work: impl Comparing) {
            work.run(|pairs, out| pairs.wide_differences(out));
        }
        let is_wide = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1");
        if is_wide && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("lzcnt") {
            // SAFETY: the processor has what it needs.
            return unsafe { wide(work) };
        }
    }
    work.run(|pairs, out| pairs.differences(out));
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

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    /// Expects some differences.
    struct Asking<'a> {
        pairs: Pairs<'a>,
        expected: &'a [u64],
    }

    impl Comparing for Asking<'_> {
        fn run(self, differences: impl Fn(&Pairs, &mut [u64])) {
            let mut found = vec![u64::MAX; self.expected.len()];
            differences(&self.pairs, &mut found);
            assert_eq!(found, self.expected, "{} words", self.pairs.len);
        }
    }

    #[test]
    fn differences_are_where_words_differ() {
        for len in 0..=64 {
            // Two states to compare with.
            let parents: Vec<u64> = (0..2 * len as u64).map(|k| k << 20 | k << 50).collect();
            for bit in [0, 31, 32, 63] {
                let patterns = [0, 1, u64::MAX, 0x1234_5678_9abc_def0, 0x8000_0001_0010_0100]
                    .map(|pattern: u64| pattern & u64::MAX.checked_shr(64 - len as u32).unwrap_or(0));
                let (mut children, mut places) = (Vec::new(), Vec::new());
                for (number, pattern) in patterns.into_iter().enumerate() {
                    let begin = number % 2 * len;
                    let parent = &parents[begin..begin + len];
                    let child: Vec<u64> =
                        (0..len).map(|at| parent[at] ^ (pattern >> at & 1) << bit).collect();
                    assert_eq!(differences(&child, parent), pattern, "{len} words");
                    places.push(Places { parent: begin as u32, child: children.len() as u32 });
                    children.extend(child);
                    // What lies between is looked at by nobody.
                    children.extend(std::iter::repeat_n(7, number));
                }
                children.truncate(places[4].child as usize + len);
                let pairs = Pairs { parents: &parents, children: &children, places: &places, len };
                compare(Asking { pairs, expected: &patterns });
            }
        }
    }
}
