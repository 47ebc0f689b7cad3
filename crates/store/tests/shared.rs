//! What every shared store that keeps states must do, tried on each of them.

#![cfg(not(feature = "shuttle"))]

mod support;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use model::Random;
use store::{
    Arrival, Bitstate, Cleary, Cut, Full, Handle, HashCompact, Key, Limits, Numbered, Shared, Table, Worker,
};
use support::{flush_new, open};

/// A number below `end`.
fn below(numbers: &mut Random, end: u64) -> u64 {
    numbers.draw() % end
}

/// A walk: mostly a few words change, sometimes the length, sometimes everything.
fn vary(state: &mut Vec<u64>, max_len: u64, numbers: &mut Random) {
    match below(numbers, 40) {
        0 => {
            let len = below(numbers, max_len + 1) as usize;
            *state = (0..len).map(|_| word(numbers)).collect();
        }
        1 => state.push(word(numbers)),
        2 => drop(state.pop()),
        _ => {
            for _ in 0..below(numbers, 4) {
                if !state.is_empty() {
                    let at = below(numbers, state.len() as u64) as usize;
                    state[at] = word(numbers);
                }
            }
        }
    }
    state.truncate(max_len as usize);
}

/// Small words and large ones, also around what is interned.
fn word(numbers: &mut Random) -> u64 {
    match below(numbers, 8) {
        0 => (1 << 31) - 1 + below(numbers, 3),
        1 => u64::MAX - below(numbers, 5),
        2 => below(numbers, 3000) << 40,
        _ => below(numbers, 4),
    }
}

fn agrees_with_a_map<S: Shared>(store: &S, max_len: u64, n_batches: usize, seed: u64) {
    let numbers = &mut Random::new(seed);
    let mut worker = store.worker();
    let mut known: HashMap<Vec<u64>, Handle> = HashMap::new();
    let (mut state, mut words, mut arrivals) = (Vec::new(), Vec::new(), Vec::new());
    let mut all = Vec::new();
    for _ in 0..n_batches {
        let mut batch = Vec::new();
        for _ in 0..below(numbers, 100) {
            if below(numbers, 10) == 0 && !all.is_empty() {
                let handle: Handle = all[below(numbers, all.len() as u64) as usize];
                worker.prefetch(handle);
                open(&mut *worker, handle, &mut words);
                assert_eq!(known.get(&words), Some(&handle));
                state.clone_from(&words);
            }
            vary(&mut state, max_len, numbers);
            worker.put(Key::new(&state));
            batch.push(state.clone());
        }
        assert_eq!(worker.n_waiting(), batch.len());
        arrivals.clear();
        let flushed = match below(numbers, 2) {
            0 => worker.flush(&mut arrivals),
            _ => flush_new(&mut *worker, &batch, &mut arrivals),
        };
        flushed.unwrap();
        assert_eq!(worker.n_waiting(), 0);
        assert_eq!(arrivals.len(), batch.len());
        for (state, arrival) in batch.into_iter().zip(&arrivals) {
            assert_eq!(arrival.is_new, !known.contains_key(&state), "seed {seed}, {state:?}");
            if arrival.is_new {
                all.push(arrival.handle);
                known.insert(state, arrival.handle);
            } else {
                assert_eq!(known[&state], arrival.handle, "seed {seed}, {state:?}");
            }
        }
    }
    assert_eq!(store.len(), known.len() as u64);
    for (state, &handle) in &known {
        open(&mut *worker, handle, &mut words);
        assert_eq!(state, &words);
    }
}

/// All threads insert the same states, each in its own order; every state is new for one of them.
fn threads_agree<S: Shared>(store: &S, n_threads: u64, states: &[Vec<u64>]) {
    let n_new = AtomicU64::new(0);
    let n_flagged = AtomicU64::new(0);
    let handles: Vec<Vec<Handle>> = std::thread::scope(|scope| {
        let run = |thread: u64| {
            let (n_new, n_flagged) = (&n_new, &n_flagged);
            move || {
                let mut worker = store.worker();
                let mut handles = vec![Handle::default(); states.len()];
                let (mut arrivals, mut words, mut batch) = (Vec::new(), Vec::new(), Vec::new());
                let step = [1, 7919, states.len() - 1, 104_729][thread as usize % 4];
                let mut at = (thread as usize * 1009) % states.len();
                for k in 0..states.len() {
                    worker.put(Key::new(&states[at]));
                    batch.push(at);
                    at = (at + step) % states.len();
                    if worker.n_waiting() == 64 || k + 1 == states.len() {
                        arrivals.clear();
                        let put: Vec<Vec<u64>> = batch.iter().map(|&at| states[at].clone()).collect();
                        flush_new(&mut *worker, &put, &mut arrivals).unwrap();
                        for (at, arrival) in batch.drain(..).zip(&arrivals) {
                            n_new.fetch_add(u64::from(arrival.is_new), Ordering::Relaxed);
                            handles[at] = arrival.handle;
                            open(&mut *worker, arrival.handle, &mut words);
                            assert_eq!(words, states[at]);
                            if at % 3 == 0 {
                                n_flagged
                                    .fetch_add(u64::from(worker.flag(arrival.handle)), Ordering::Relaxed);
                                assert!(worker.is_flagged(arrival.handle));
                            }
                        }
                    }
                }
                handles
            }
        };
        let threads: Vec<_> = (0..n_threads).map(|thread| scope.spawn(run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(handles.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(n_new.into_inner(), states.len() as u64);
    assert_eq!(n_flagged.into_inner(), states.len().div_ceil(3) as u64);
    assert_eq!(store.len(), states.len() as u64);
    let mut worker = store.worker();
    for (at, &handle) in handles[0].iter().enumerate() {
        assert_eq!(worker.is_flagged(handle), at % 3 == 0);
    }
}

/// Different states of several kinds: counters, all equal but one word, random.
fn different_states(n: usize) -> Vec<Vec<u64>> {
    let numbers = &mut Random::new(5);
    let state = |k: u64| -> Vec<u64> {
        match k % 4 {
            0 => vec![k, 7, 7, 7],
            1 => (0..12).map(|at| if at == k % 12 { k } else { 0 }).collect(),
            2 => vec![k / 1000, 5, k % 1000, 1 << 50, k << 33, 3],
            _ => (0..20 + k % 5).map(|_| numbers.draw()).collect(),
        }
    };
    (0..n as u64).map(state).collect()
}

fn insert(worker: &mut dyn Worker, state: &[u64]) -> Result<Arrival, Full> {
    let mut arrivals = Vec::new();
    worker.put(Key::new(state));
    worker.flush(&mut arrivals)?;
    Ok(arrivals[0])
}

fn states_are_limited_exactly<S: Shared>(make: impl Fn(Limits) -> S) {
    for limit in [0, 1, 100, 5000] {
        let store = make(Limits { states: limit, ..Limits::default() });
        std::thread::scope(|scope| {
            for thread in 0..3_u64 {
                let store = &store;
                scope.spawn(move || {
                    let numbers = &mut Random::new(thread);
                    let mut worker = store.worker();
                    let (mut arrivals, mut n_errors) = (Vec::new(), 0);
                    while n_errors < 5 {
                        let n = below(numbers, 70);
                        let put: Vec<Vec<u64>> =
                            (0..n).map(|_| vec![below(numbers, 3 * limit + 2), 3, 3]).collect();
                        put.iter().for_each(|state| worker.put(Key::new(state)));
                        let flushed = match below(numbers, 2) {
                            0 => worker.flush(&mut arrivals),
                            _ => flush_new(&mut *worker, &put, &mut arrivals),
                        };
                        if let Err(full) = flushed {
                            assert_eq!(full, Full::States);
                            n_errors += 1;
                            assert_eq!(store.len(), limit);
                        }
                        assert!(store.len() <= limit);
                    }
                });
            }
        });
        assert_eq!(store.len(), limit);
        let mut worker = store.worker();
        let n_kept = (0..3 * limit + 2).filter(|&k| insert(&mut *worker, &[k, 3, 3]).is_ok()).count();
        assert_eq!(n_kept as u64, limit);
    }
}

fn bytes_are_limited<S: Shared>(make: impl Fn(Limits) -> S) {
    for limit in [0, 1000, 100_000, 3_000_000] {
        let store = make(Limits { bytes: limit, ..Limits::default() });
        let mut worker = store.worker();
        let mut handles = Vec::new();
        let full = loop {
            let k = handles.len() as u64;
            let result = insert(&mut *worker, &[k, k << 40, 5, k / 10]);
            assert!(store.bytes() <= limit);
            match result {
                Ok(arrival) => handles.push(arrival.handle),
                Err(full) => break full,
            }
        };
        assert_eq!(full, Full::Memory);
        assert_eq!(store.len(), handles.len() as u64);
        assert!(
            limit < 100_000 || handles.len() as u64 > limit / 300,
            "{} states in {limit} bytes",
            handles.len()
        );
        let mut words = Vec::new();
        for (k, &handle) in (0_u64..).zip(&handles) {
            open(&mut *worker, handle, &mut words);
            assert_eq!(words, [k, k << 40, 5, k / 10]);
            let again = insert(&mut *worker, &words);
            assert_eq!(again, Ok(Arrival { handle, is_new: false, flagged: false }));
        }
    }
}

/// Lengths from none to many.
fn any_length_goes<S: Shared>(store: &S) {
    let mut worker = store.worker();
    let mut words = Vec::new();
    let mut states: Vec<Vec<u64>> = Vec::new();
    for len in [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 34, 64, 65, 511, 512, 513, 1000, 8192, 10_000] {
        for fill in [0, 1, u64::MAX] {
            states.push(vec![fill; len]);
            for at in [0, len / 3, len / 2, len.saturating_sub(1)] {
                let mut state = vec![fill; len];
                if len > 0 {
                    state[at] = 2;
                }
                states.push(state);
            }
        }
    }
    states.sort();
    states.dedup();
    let handles: Vec<Handle> = states
        .iter()
        .map(|state| {
            let arrival = insert(&mut *worker, state).unwrap();
            assert!(arrival.is_new);
            open(&mut *worker, arrival.handle, &mut words);
            assert_eq!(&words, state);
            arrival.handle
        })
        .collect();
    for (state, &handle) in states.iter().zip(&handles).rev() {
        open(&mut *worker, handle, &mut words);
        assert_eq!(&words, state);
        assert_eq!(insert(&mut *worker, state), Ok(Arrival { handle, is_new: false, flagged: false }));
    }
}

fn the_same_puts_give_the_same_handles<S: Shared>(make: impl Fn(Limits) -> S) {
    let states = different_states(20_000);
    let run = || {
        let store = make(Limits::default());
        let mut worker = store.worker();
        states.iter().map(|state| insert(&mut *worker, state).unwrap().handle).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

fn everything<S: Shared>(make: impl Fn(Limits) -> S) {
    for seed in 0..3 {
        agrees_with_a_map(&make(Limits::default()), 5, 600, seed);
        agrees_with_a_map(&make(Limits::default()), 45, 300, seed);
    }
    agrees_with_a_map(&make(Limits::default()), 700, 30, 9);
    threads_agree(&make(Limits::default()), 2, &different_states(60_000));
    threads_agree(&make(Limits::default()), 5, &different_states(20_000));
    states_are_limited_exactly(&make);
    bytes_are_limited(&make);
    any_length_goes(&make(Limits::default()));
    the_same_puts_give_the_same_handles(&make);
}

#[test]
fn compact_is_a_shared_store() {
    everything(|limits| Cleary::new(limits, Cut::middle()));
}

#[test]
fn a_binary_tree_is_a_shared_store() {
    everything(|limits| Cleary::binary(limits, Cut::middle()));
}

#[test]
fn dense_is_a_shared_store() {
    everything(|limits| Numbered::new(limits, Cut::middle()));
}

#[test]
fn plain_is_a_shared_store() {
    everything(Table::new);
}

#[test]
fn dense_and_plain_number_states_from_0() {
    fn check<S: Shared>(store: &S) {
        let mut worker = store.worker();
        for k in 0..100_000 {
            assert_eq!(insert(&mut *worker, &[k, k % 7, k << 40]).unwrap().handle, Handle(k));
        }
    }
    check(&Numbered::new(Limits::default(), Cut::middle()));
    check(&Table::new(Limits::default()));
}

#[test]
fn hashes_stand_for_states() {
    let store = HashCompact::new(Limits::default());
    let states = different_states(100_000);
    let mut worker = store.worker();
    for (k, state) in states.iter().enumerate() {
        let arrival = insert(&mut *worker, state).unwrap();
        assert!(arrival.is_new);
        assert!(k % 3 != 0 || worker.flag(arrival.handle));
    }
    for (k, state) in states.iter().enumerate() {
        let arrival = insert(&mut *worker, state).unwrap();
        assert!(!arrival.is_new);
        assert_eq!(arrival.flagged, k % 3 == 0);
    }
    assert_eq!(store.len(), 100_000);
    assert!((2.0e-10..3.0e-10).contains(&store.omission().unwrap()), "{}", store.omission().unwrap());
    states_are_limited_exactly(HashCompact::new);
}

#[test]
fn bits_stand_for_states() {
    let store = Bitstate::new(1 << 18, 3).unwrap();
    assert_eq!(store.bytes(), 1 << 18);
    let states = different_states(200_000);
    let mut worker = store.worker();
    let n_new = states.iter().filter(|state| insert(&mut *worker, state).unwrap().is_new).count();
    assert_eq!(store.len(), n_new as u64);
    assert!(states.iter().all(|state| !insert(&mut *worker, state).unwrap().is_new));
    let n_missed = (states.len() - n_new) as f64;
    let expected = store.expected_omissions();
    assert!(
        n_missed > 100.0 && (expected / n_missed - 1.0).abs() < 0.3,
        "{n_missed} missed, {expected} expected"
    );
    assert!(store.omission().unwrap() > 0.999);
    assert!(store.n_set() <= 3 * n_new as u64);
    assert!(store.n_set() > store.n_bits() / 20);

    let arrival = insert(&mut *worker, &states[7]).unwrap();
    assert!(!arrival.flagged && worker.flag(arrival.handle) && !worker.flag(arrival.handle));
    assert!(insert(&mut *worker, &states[7]).unwrap().flagged);
}

/// Threads that put the same states in the same order meet at most of them.
#[test]
fn one_thread_only_finds_a_state_of_bits_new() {
    const N: usize = 50_000;
    let states = different_states(N);
    for _ in 0..20 {
        let store = Bitstate::new(1 << 20, 3).unwrap();
        let n_new: Vec<AtomicU64> = (0..N).map(|_| AtomicU64::new(0)).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut worker = store.worker();
                    for (state, n_new) in states.iter().zip(&n_new) {
                        let is_new = insert(&mut *worker, state).unwrap().is_new;
                        n_new.fetch_add(u64::from(is_new), Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(n_new.iter().all(|n_new| n_new.load(Ordering::Relaxed) <= 1));
        let n_found: u64 = n_new.iter().map(|n_new| n_new.load(Ordering::Relaxed)).sum();
        assert_eq!(store.len(), n_found);
    }
}

#[test]
fn few_states_in_many_bits_are_hardly_missed() {
    let store = Bitstate::new(16 << 20, 4).unwrap();
    let mut worker = store.worker();
    for state in different_states(20_000) {
        assert!(insert(&mut *worker, &state).unwrap().is_new);
    }
    assert!(store.omission().unwrap() < 0.01, "{}", store.omission().unwrap());
}

#[test]
fn a_sampled_cut_changes_nothing_but_the_size() {
    // Nine words that say the same, three that count: the middle would be a bad place to cut.
    let states: Vec<[u64; 12]> = (0..200_000_u64)
        .map(|k| std::array::from_fn(|at| if at < 9 { k % 70 } else { ((k / 70) >> (4 * (at - 9))) & 15 }))
        .collect();
    let bytes = [Cut::middle(), Cut::by_sample(states[..20_000].iter().map(|state| &state[..]))].map(|cut| {
        let store = Cleary::new(Limits::default(), cut);
        let mut worker = store.worker();
        for state in &states {
            assert!(insert(&mut *worker, state).unwrap().is_new);
        }
        store.bytes()
    });
    assert!(bytes[1] <= bytes[0], "{bytes:?}");
}

#[test]
fn workers_can_be_sent_to_threads() {
    fn check<T: Send>(_: T) {}
    check(Cleary::new(Limits::default(), Cut::middle()).worker());
    check(Numbered::new(Limits::default(), Cut::middle()).worker());
    check(Table::new(Limits::default()).worker());
    check(HashCompact::new(Limits::default()).worker());
    check(Bitstate::new(64, 1).unwrap().worker());
}
