//! What several test files need.

use store::{Arrival, Full, Handle, Key, KeyBuffer, Newcomer, Worker};

/// Flushes states that were put by asking for the new ones only. What has become of the others is asked for afterwards.
pub fn flush_new(worker: &mut dyn Worker, put: &[Vec<u64>], out: &mut Vec<Arrival>) -> Result<(), Full> {
    let earlier = Newcomer { number: 77, handle: Handle(77) };
    let mut newcomers = vec![earlier];
    let (n_arrived, result) = worker.flush_new(&mut newcomers);
    assert_eq!(newcomers.remove(0), earlier);
    assert!(result.is_err() || n_arrived == put.len());
    assert!(newcomers.is_sorted_by(|a, b| a.number < b.number));
    put[..n_arrived].iter().for_each(|state| worker.put(Key::new(state)));
    let begin = out.len();
    worker.flush(out).expect("they are there");
    assert!(out[begin..].iter().all(|arrival| !arrival.is_new));
    for newcomer in newcomers {
        let arrival = &mut out[begin + newcomer.number as usize];
        assert_eq!(arrival.handle, newcomer.handle);
        arrival.is_new = true;
    }
    result
}

/// Turns to a stored state, whose words replace `out`.
pub fn open(worker: &mut dyn Worker, handle: Handle, out: &mut Vec<u64>) {
    let mut key = KeyBuffer::default();
    worker.open(handle, &mut key);
    out.clear();
    out.extend_from_slice(key.key().words());
}
