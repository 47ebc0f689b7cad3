//! Many schedules of few threads, with tables so small that they grow all the time:
//! `cargo test -p stubborn-store --profile checked --features shuttle`.

#![cfg(feature = "shuttle")]

mod support;

use std::collections::HashMap;
use std::sync::Arc;

use shuttle::sync::Mutex;
use store::{Bitstate, Cleary, Cut, Full, Handle, Key, Limits, Numbered, Shared, Table};
use support::{flush_new, open};

/// What a thread has seen of a state: whether it was new, and whether it was first to flag it.
type Seen = HashMap<Vec<u64>, (Handle, u32, u32)>;

/// Threads put the states of some numbers, in batches of three, and flag them.
fn race<S: Shared + Send + 'static>(make: impl Fn() -> S, sets: &[&[u64]], state: fn(u64) -> Vec<u64>) {
    let store = Arc::new(make());
    let seen = Arc::new(Mutex::new(Seen::new()));
    let threads: Vec<_> = sets
        .iter()
        .map(|set| {
            let (store, seen, set) = (store.clone(), seen.clone(), set.to_vec());
            shuttle::thread::spawn(move || {
                let mut worker = store.worker();
                let mut words = Vec::new();
                for (k, batch) in set.chunks(3).enumerate() {
                    let mut arrivals = Vec::new();
                    let put: Vec<Vec<u64>> = batch.iter().map(|&number| state(number)).collect();
                    put.iter().for_each(|state| worker.put(Key::new(state)));
                    let flushed = match k % 2 {
                        0 => flush_new(&mut *worker, &put, &mut arrivals),
                        _ => worker.flush(&mut arrivals),
                    };
                    flushed.unwrap();
                    assert_eq!(arrivals.len(), batch.len());
                    for (&number, arrival) in batch.iter().zip(&arrivals) {
                        let flagged = worker.flag(arrival.handle);
                        assert!(worker.is_flagged(arrival.handle));
                        open(&mut *worker, arrival.handle, &mut words);
                        assert_eq!(words, state(number));
                        let mut seen = seen.lock().unwrap();
                        let (handle, n_new, n_flagged) =
                            seen.entry(words.clone()).or_insert((arrival.handle, 0, 0));
                        assert_eq!(*handle, arrival.handle);
                        *n_new += u32::from(arrival.is_new);
                        *n_flagged += u32::from(flagged);
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let seen = seen.lock().unwrap();
    assert!(seen.values().all(|&(_, n_new, n_flagged)| n_new == 1 && n_flagged == 1), "{seen:?}");
    assert_eq!(store.len(), seen.len() as u64);
    let mut worker = store.worker();
    let mut arrivals = Vec::new();
    for state in seen.keys() {
        worker.put(Key::new(state));
    }
    worker.flush(&mut arrivals).unwrap();
    assert!(arrivals.iter().all(|arrival| !arrival.is_new && arrival.flagged));
}

const OVERLAPPING: [&[u64]; 3] =
    [&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[9, 8, 7, 6, 5, 4, 3, 2, 1], &[5, 3, 5, 10, 3, 11, 12, 9, 2]];

fn small(number: u64) -> Vec<u64> {
    vec![number, 7, number % 3]
}

fn interned(number: u64) -> Vec<u64> {
    vec![(number % 3) << 40, 7, number << 33]
}

fn deep(number: u64) -> Vec<u64> {
    (0..40).map(|at| if at % 16 == number % 16 { number << 32 } else { 1 }).collect()
}

fn compact() -> Cleary {
    Cleary::new(Limits::default(), Cut::middle())
}

#[test]
fn no_schedule_loses_states() {
    shuttle::check_random(|| race(compact, &OVERLAPPING, small), 3000);
}

#[test]
fn no_schedule_loses_words() {
    shuttle::check_random(|| race(compact, &OVERLAPPING, interned), 2000);
}

#[test]
fn no_schedule_loses_parts_of_long_states() {
    shuttle::check_random(|| race(compact, &OVERLAPPING[..2], deep), 1000);
}

#[test]
fn no_schedule_loses_numbers() {
    shuttle::check_random(
        || race(|| Numbered::new(Limits::default(), Cut::middle()), &OVERLAPPING, small),
        2000,
    );
    shuttle::check_random(|| race(|| Table::new(Limits::default()), &OVERLAPPING, small), 2000);
}

#[test]
fn rare_schedules_lose_nothing_either() {
    shuttle::check_pct(|| race(compact, &OVERLAPPING, small), 2000, 3);
}

#[test]
fn no_schedule_exceeds_the_limit_on_states() {
    let run = || {
        let store = Arc::new(Cleary::new(Limits { states: 7, ..Limits::default() }, Cut::middle()));
        let threads: Vec<_> = OVERLAPPING
            .iter()
            .map(|set| {
                let (store, set) = (store.clone(), set.to_vec());
                shuttle::thread::spawn(move || {
                    let mut worker = store.worker();
                    let mut arrivals = Vec::new();
                    for batch in set.chunks(2) {
                        let put: Vec<Vec<u64>> = batch.iter().map(|&number| small(number)).collect();
                        put.iter().for_each(|state| worker.put(Key::new(state)));
                        if flush_new(&mut *worker, &put, &mut arrivals) == Err(Full::States) {
                            assert_eq!(store.len(), 7);
                        }
                        assert!(store.len() <= 7);
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(store.len(), 7);
    };
    shuttle::check_random(run, 3000);
}

/// All states share one line of bits.
#[test]
fn no_schedule_counts_a_state_of_bits_twice() {
    let run = || {
        let store = Arc::new(Bitstate::new(64, 3).unwrap());
        let n_new = Arc::new(Mutex::new(HashMap::new()));
        let threads: Vec<_> = OVERLAPPING
            .iter()
            .map(|set| {
                let (store, n_new, set) = (store.clone(), n_new.clone(), set.to_vec());
                shuttle::thread::spawn(move || {
                    let mut worker = store.worker();
                    for batch in set.chunks(3) {
                        let mut arrivals = Vec::new();
                        batch.iter().for_each(|&number| worker.put(Key::new(&small(number))));
                        worker.flush(&mut arrivals).unwrap();
                        for (&number, arrival) in batch.iter().zip(&arrivals) {
                            *n_new.lock().unwrap().entry(number).or_insert(0) += u32::from(arrival.is_new);
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let n_new = n_new.lock().unwrap();
        assert!(n_new.values().all(|&n_new| n_new == 1), "{n_new:?}");
        assert_eq!(store.len(), n_new.len() as u64);
    };
    shuttle::check_random(run, 3000);
    shuttle::check_pct(run, 2000, 3);
}
