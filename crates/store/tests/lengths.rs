//! States of many lengths in one store, around those at which rows and masks change: every thread opens
//! any state at any time, also between puts of one batch, and finds exactly what was put.

#![cfg(not(feature = "shuttle"))]

mod support;

use std::collections::HashMap;
use std::sync::Mutex;

use model::Random;
use store::{Arrival, Cleary, Cut, Family, Full, Handle, Key, Keys, Limits, Numbered, Shared, Table, Worker};
use support::{flush_new, open};

const LENGTHS: [usize; 16] = [1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 130, 300];

/// A word that is its own code, or one that is not; few of each.
fn word(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => random.below(3) as u64,
        1 => (1 << 31) - 1 + random.below(3) as u64,
        2 => (random.below(5) as u64) << 32 | 7,
        _ => u64::MAX - random.below(4) as u64,
    }
}

/// A state that differs from another one in a few words, or that is of another length.
fn next(random: &mut Random, state: &[u64]) -> Vec<u64> {
    let mut next = state.to_vec();
    if random.below(12) == 0 {
        next.resize(LENGTHS[random.below(LENGTHS.len())], 0);
    }
    for _ in 0..random.below(5) {
        let at = random.below(next.len());
        // Mostly near the ends, so that there are not too many states.
        let at = if random.below(3) == 0 { at } else { at / 16 * 16 };
        next[at] = word(random);
    }
    next
}

/// Puts children of some states, in series of the same length, and returns their words.
fn put_families(
    worker: &mut dyn Worker,
    parents: &[(Handle, Vec<u64>)],
    random: &mut Random,
) -> Vec<Vec<u64>> {
    let (mut before, mut children, mut families, mut put) = (Vec::new(), vec![9; 3], Vec::new(), Vec::new());
    for _ in 0..1 + random.below(12) {
        let (handle, state) = &parents[random.below(parents.len())];
        let start = before.len() as u32;
        before.extend_from_slice(state);
        let first = next(random, state);
        let (n, gap) = (random.below(6), random.below(3));
        let (len, distance) = (first.len() as u32, (first.len() + gap) as u32);
        let words = start..before.len() as u32;
        let place = children.len() as u32;
        families.push(Family { parent: *handle, words, first: place, len, distance, n: n as u32 });
        for k in 0..n {
            let mut child = if k == 0 { first.clone() } else { next(random, state) };
            child.resize(first.len(), 1);
            children.extend_from_slice(&child);
            children.extend(vec![u64::MAX; gap]);
            put.push(child);
        }
    }
    worker.put_families(Keys::new(&before), Keys::new(&children), &families);
    put
}

type Known = Mutex<HashMap<Vec<u64>, (Handle, u32)>>;

fn walk(set: &dyn Shared, known: &Known, seed: u64, rounds: usize) {
    let mut random = Random::new(seed);
    let mut worker = set.worker();
    let mut own: Vec<(Handle, Vec<u64>)> = Vec::new();
    let mut opened = vec![0; LENGTHS[seed as usize % LENGTHS.len()]];
    let mut out = Vec::new();
    for _ in 0..rounds {
        let mut put = Vec::new();
        if !own.is_empty() && random.below(2) == 0 {
            put = put_families(&mut *worker, &own, &mut random);
        }
        for _ in 0..random.below(40) {
            if !own.is_empty() && random.below(6) == 0 {
                let (handle, state) = &own[random.below(own.len())];
                open(&mut *worker, *handle, &mut opened);
                assert_eq!(&opened, state);
            }
            let state = next(&mut random, &opened);
            worker.put(Key::new(&state));
            put.push(state);
        }
        assert_eq!(worker.n_waiting(), put.len());
        out.clear();
        let flushed = match random.below(2) {
            0 => worker.flush(&mut out),
            _ => flush_new(&mut *worker, &put, &mut out),
        };
        flushed.expect("there is room");
        assert_eq!(out.len(), put.len());
        let mut known = known.lock().expect("no panic");
        for (state, Arrival { handle, is_new, .. }) in put.into_iter().zip(&out) {
            let (found, n_new) = known.entry(state.clone()).or_insert((*handle, 0));
            assert_eq!(found, handle);
            *n_new += u32::from(*is_new);
            own.push((*handle, state));
        }
        let n_own = own.len();
        if n_own > 3000 {
            own.drain(..n_own - 1500);
        }
    }
}

fn check(set: &dyn Shared, seed: u64) {
    let known = Known::default();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let known = &known;
            scope.spawn(move || walk(set, known, 100 * seed + thread, 400));
        }
    });
    let known = known.into_inner().expect("no panic");
    assert_eq!(set.len(), known.len() as u64);
    let mut handles: Vec<Handle> = known.values().map(|(handle, _)| *handle).collect();
    handles.sort_unstable();
    handles.dedup();
    assert_eq!(handles.len(), known.len());
    let mut worker = set.worker();
    let mut words = Vec::new();
    for (state, (handle, n_new)) in &known {
        assert_eq!(*n_new, 1);
        open(&mut *worker, *handle, &mut words);
        assert_eq!(&words, state);
    }
}

/// A cut that suits some lengths.
fn cut(seed: u64) -> Cut {
    let mut random = Random::new(seed);
    let mut states = vec![vec![0; LENGTHS[seed as usize % LENGTHS.len()]]];
    for _ in 0..2000 {
        states.push(next(&mut random, &states[states.len() - 1]));
    }
    Cut::by_sample(states.iter().map(Vec::as_slice))
}

#[test]
fn states_of_all_lengths_are_kept_apart() {
    for seed in 0..4 {
        check(&Cleary::new(Limits::default(), Cut::middle()), seed);
        check(&Cleary::new(Limits::default(), cut(seed)), seed);
        check(&Cleary::with_fan_out(Limits::default(), cut(seed), 3), seed);
        check(&Cleary::binary(Limits::default(), cut(seed)), seed);
        check(&Numbered::new(Limits::default(), cut(seed)), seed);
        check(&Table::new(Limits::default()), seed);
    }
}

/// When memory ends in the middle of a batch, what arrived is right, and nothing else was stored.
#[test]
fn families_end_where_memory_does() {
    for limit in [40_000, 60_000, 100_000, 200_000, 400_000] {
        let set = Cleary::new(Limits { bytes: limit, states: u64::MAX }, cut(limit));
        let mut worker = set.worker();
        let mut random = Random::new(limit);
        let mut out = Vec::new();
        worker.put(Key::new(&[0; 40]));
        worker.flush(&mut out).expect("there is room for one");
        let mut own = vec![(out[0].handle, vec![0; 40])];
        let mut known: HashMap<Vec<u64>, Handle> = HashMap::from([(vec![0; 40], out[0].handle)]);
        loop {
            let put = put_families(&mut *worker, &own, &mut random);
            assert_eq!(worker.n_waiting(), put.len());
            out.clear();
            let result = flush_new(&mut *worker, &put, &mut out);
            for (state, Arrival { handle, is_new, .. }) in put.into_iter().zip(&out) {
                let found = known.insert(state.clone(), *handle);
                assert_eq!((found.is_none(), found.unwrap_or(*handle)), (*is_new, *handle));
                own.push((*handle, state));
            }
            if result == Err(Full::Memory) {
                break;
            }
        }
        assert_eq!(set.len(), known.len() as u64);
        assert!(set.bytes() <= limit);
        let mut words = Vec::new();
        for (state, handle) in &known {
            open(&mut *worker, *handle, &mut words);
            assert_eq!(&words, state);
        }
    }
}

/// What could not be put for want of memory is put later, as what it is.
#[test]
fn a_store_stays_usable_when_memory_has_ended() {
    let limits = Limits { bytes: 1 << 30, states: u64::MAX };
    let sets: [Box<dyn Shared>; 2] =
        [Box::new(Cleary::new(limits, Cut::middle())), Box::new(Numbered::new(limits, Cut::middle()))];
    for set in sets {
        let mut worker = set.worker();
        let (root, mut out, mut words) = (vec![0; 8], Vec::new(), Vec::new());
        worker.put(Key::new(&root));
        worker.flush(&mut out).expect("there is room");
        let parent = out[0].handle;
        let family = Family { parent, words: 0..8, first: 0, len: 8, distance: 8, n: 1 };
        let mut n_failed = 0;
        for k in 0..20_000 {
            let mut child = root.clone();
            child[k % 8] = 1 << 40 | k as u64;
            set.set_aside(u64::MAX);
            loop {
                open(&mut *worker, parent, &mut words);
                worker.put_families(Keys::new(&root), Keys::new(&child), std::slice::from_ref(&family));
                out.clear();
                if flush_new(&mut *worker, std::slice::from_ref(&child), &mut out).is_ok() {
                    break;
                }
                n_failed += 1;
                set.set_aside(0);
            }
            assert!(out[0].is_new);
            open(&mut *worker, out[0].handle, &mut words);
            assert_eq!(words, child);
        }
        assert!(n_failed > 0);
    }
}
