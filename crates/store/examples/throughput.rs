//! How fast a shared store is, and how small: dining philosophers, explored depth first in batches.
//!
//! `cargo run --release -p store --example throughput -- [store] [philosophers] [states] [threads] [batch]`

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use store::{Cleary, Cut, Handle, Key, KeyBuffer, Limits, Newcomer, Numbered, Shared, Table, Worker};

/// Philosopher `k` is word `k`; behind them are the forks, a bit for each, and a word that never changes.
fn initial(n: usize) -> Vec<u64> {
    let mut state = vec![0; n + 2];
    state[n + 1] = 0x1234_5678_9abc;
    state
}

/// Calls `found` with each successor.
fn successors(state: &mut [u64], mut found: impl FnMut(&[u64])) {
    let n = state.len() - 2;
    let forks = state[n];
    for k in 0..n {
        let (left, right) = (1 << k, 1 << ((k + 1) % n));
        let place = state[k];
        let (next, forks_next) = match place {
            0 => (1, forks),
            1 if forks & left == 0 => (2, forks | left),
            2 if forks & right == 0 => (3, forks | right),
            3 => (4, forks & !left),
            4 => (0, forks & !right),
            _ => continue,
        };
        (state[k], state[n]) = (next, forks_next);
        found(state);
        (state[k], state[n]) = (place, forks);
    }
}

/// Work that threads share.
struct Pool {
    work: Mutex<Vec<Vec<Handle>>>,
    n_idle: AtomicUsize,
    stop: AtomicBool,
}

#[derive(Default)]
struct Counts {
    transitions: u64,
    longest_flush: Duration,
    cpu: Duration,
}

const CHUNK: usize = 256;

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Vec<Vec<Handle>>> {
        self.work.lock().unwrap()
    }

    /// More work for a thread that has none; `None` if nobody has any.
    fn wait(&self, n_threads: usize) -> Option<Vec<Handle>> {
        self.n_idle.fetch_add(1, Ordering::SeqCst);
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(work) = self.lock().pop() {
                self.n_idle.fetch_sub(1, Ordering::SeqCst);
                return Some(work);
            }
            if self.n_idle.load(Ordering::SeqCst) == n_threads {
                return None;
            }
            std::thread::yield_now();
        }
    }
}

fn explore<S: Shared>(store: &S, pool: &Pool, n_threads: usize, max_states: u64, batch: usize) -> Counts {
    let mut worker = store.worker();
    let mut stack: Vec<Handle> = Vec::new();
    let (mut key, mut state, mut new) = (KeyBuffer::default(), Vec::new(), Vec::new());
    let mut counts = Counts::default();
    let start = cpu_time();
    let mut turns = 0;
    loop {
        let Some(handle) = stack.pop() else {
            if worker.n_waiting() > 0 {
                flush(&mut *worker, &mut new, &mut stack, &mut counts);
                continue;
            }
            match pool.wait(n_threads) {
                Some(work) => stack = work,
                None => break,
            }
            continue;
        };
        if let Some(&next) = stack.len().checked_sub(4).and_then(|at| stack.get(at)) {
            worker.prefetch(next);
        }
        worker.open(handle, &mut key);
        state.clear();
        state.extend_from_slice(key.key().words());
        successors(&mut state, |next| {
            counts.transitions += 1;
            worker.put(Key::new(next));
        });
        if worker.n_waiting() >= batch {
            flush(&mut *worker, &mut new, &mut stack, &mut counts);
            turns += 1;
            if turns % 256 == 0 && store.len() >= max_states {
                pool.stop.store(true, Ordering::Relaxed);
            }
            if pool.stop.load(Ordering::Relaxed) {
                break;
            }
            if stack.len() > 2 * CHUNK && pool.n_idle.load(Ordering::Relaxed) > 0 {
                let work = stack.drain(..CHUNK).collect();
                pool.lock().push(work);
            }
        }
    }
    counts.cpu = cpu_time() - start;
    counts
}

fn flush(worker: &mut dyn Worker, new: &mut Vec<Newcomer>, stack: &mut Vec<Handle>, counts: &mut Counts) {
    new.clear();
    let start = Instant::now();
    worker.flush_new(new).1.unwrap();
    counts.longest_flush = counts.longest_flush.max(start.elapsed());
    stack.extend(new.iter().map(|newcomer| newcomer.handle));
}

/// The time that this thread has had a processor.
fn cpu_time() -> Duration {
    #[cfg(unix)]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call writes to `time` only.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
    #[cfg(not(unix))]
    Duration::ZERO
}

fn measure<S: Shared>(name: &str, store: &S, n: usize, max_states: u64, n_threads: usize, batch: usize) {
    let first = {
        let mut worker = store.worker();
        let mut arrivals = Vec::new();
        worker.put(Key::new(&initial(n)));
        worker.flush(&mut arrivals).unwrap();
        arrivals[0].handle
    };
    let pool = Pool {
        work: Mutex::new(vec![vec![first]]),
        n_idle: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    };
    let start = Instant::now();
    let counts: Vec<Counts> = std::thread::scope(|scope| {
        let run = || explore(store, &pool, n_threads, max_states, batch);
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let wall = start.elapsed();
    let transitions: u64 = counts.iter().map(|counts| counts.transitions).sum();
    let cpu: Duration = counts.iter().map(|counts| counts.cpu).sum();
    let longest = counts.iter().map(|counts| counts.longest_flush).max().unwrap();
    println!(
        "{name} {n} philosophers, {n_threads} threads, batch {batch}: {} states, {transitions} transitions, \
         {:.1} ns cpu/transition, {:.1} M transitions/s, {:.2} bytes/state, longest flush {:.1} ms",
        store.len(),
        cpu.as_nanos() as f64 / transitions as f64,
        transitions as f64 / wall.as_secs_f64() / 1e6,
        store.bytes() as f64 / store.len() as f64,
        longest.as_secs_f64() * 1e3,
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| arguments.get(at).map_or(default, |text| text.parse().unwrap());
    let name = arguments.first().map_or("compact", String::as_str);
    let (n, max_states) = (number(1, 12) as usize, number(2, 20_000_000));
    let (n_threads, batch) = (number(3, 1) as usize, number(4, 64) as usize);
    let limits = Limits::default();
    match name {
        "compact" => {
            measure(name, &Cleary::new(limits, Cut::middle()), n, max_states, n_threads, batch);
        }
        "binary" => {
            measure(name, &Cleary::binary(limits, Cut::middle()), n, max_states, n_threads, batch);
        }
        "dense" => measure(name, &Numbered::new(limits, Cut::middle()), n, max_states, n_threads, batch),
        "plain" => measure(name, &Table::new(limits), n, max_states, n_threads, batch),
        _ => panic!("there is no store {name}"),
    }
}
