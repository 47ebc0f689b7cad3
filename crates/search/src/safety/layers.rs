//! Breadth-first search by several threads: level by level.
//!
//! The first thread leads: it holds the states of a level ready, of which all threads take some at a
//! time, and collects the new ones for the next level. It does a small level alone.
//!
//! Which state is found on which way depends on the threads, and so would a counterexample. So this
//! search only finds out whether there is a violation, and at which level; the run that leads there is
//! found by the search with one thread ([`crate::safety::bfs`]), the same one each time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, RwLock};
use std::time::Instant;

use model::Model;
use store::Handle;

use super::bfs;
use crate::safety::Safety;
use crate::{Findings, Limits, Options, StopReason, Verdict, visited};

/// So many states of a level are taken at a time.
const PIECE: usize = 128;

/// A level of fewer states is not worth waking the others.
const SMALL: usize = 4 * PIECE;

/// So many successors are announced before they are inserted.
const BATCH: usize = 64;

/// What the threads share.
struct Round {
    level: RwLock<Vec<Handle>>,
    depth: AtomicUsize,
    /// How many states of the level are taken.
    n_taken: AtomicUsize,
    gathered: Mutex<Gathered>,
    /// Where all threads wait before a level and after it.
    barrier: Barrier,
    is_over: AtomicBool,
}

/// What has come out of a level.
#[derive(Default)]
struct Gathered {
    next: Vec<Handle>,
    stop: Option<StopReason>,
    is_violated: bool,
}

/// Whether options can be followed by this search: it looks for one violation, leaves nothing out, and
/// knows no limit on the depth.
pub fn suits(options: &Options) -> bool {
    options.threads > 1
        && options.stop_after == Some(1)
        && options.reduction.is_none()
        && options.limits.depth == u64::MAX
}

/// Explores breadth-first.
pub fn search(model: &dyn Model, options: &Options) -> Findings {
    let started = Instant::now();
    let set = match visited::any(model, options) {
        Ok(set) => set,
        Err(full) => return Findings::nothing(Verdict::Unknown(full.into())),
    };
    let findings = match Safety::start(model, options, &*set) {
        Ok(finite) => explore(finite),
        Err(findings) => return *findings,
    };
    drop(set);
    findings.unwrap_or_else(|| {
        let time = options.limits.time.map(|time| time.saturating_sub(started.elapsed()));
        let options = Options { limits: Limits { time, ..options.limits }, ..options.clone() };
        options.progress.reset();
        bfs::search(model, &options, None)
    })
}

/// Goes on from the initial state. Comes back without findings if there is a violation.
fn explore(mut finite: Safety<'_>) -> Option<Findings> {
    let n_threads = finite.n_threads();
    let round = Round {
        level: RwLock::new(vec![finite.initial()]),
        depth: AtomicUsize::new(0),
        n_taken: AtomicUsize::new(0),
        gathered: Mutex::default(),
        barrier: Barrier::new(n_threads),
        is_over: AtomicBool::new(false),
    };
    let mut others = Vec::new();
    let stop = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..n_threads)
            .map(|_| {
                let finite = finite.another();
                scope.spawn(|| round.follow(finite))
            })
            .collect();
        let stop = round.lead(&mut finite);
        others.extend(threads.into_iter().map(|thread| thread.join().expect("threads do not panic")));
        stop
    });
    let stop = match stop {
        Ok(()) => None,
        Err(Some(stop)) => Some(stop),
        Err(None) => return None,
    };
    let mut findings = finite.finish(None, stop);
    for other in others {
        findings.add(&other.finish(None, None));
    }
    Some(findings)
}

impl Round {
    /// Goes through all levels. Stops for a reason, or without one if there is a violation.
    fn lead(&self, finite: &mut Safety<'_>) -> Result<(), Option<StopReason>> {
        let mut result = Ok(());
        while result.is_ok() {
            let n_states = self.level.read().expect("threads do not panic").len();
            if n_states == 0 {
                break;
            }
            if n_states < SMALL {
                self.take_part(finite);
            } else {
                self.barrier.wait();
                self.take_part(finite);
                self.barrier.wait();
            }
            result = self.turn();
        }
        self.is_over.store(true, Ordering::Relaxed);
        self.barrier.wait();
        result
    }

    fn follow<'a>(&self, mut finite: Safety<'a>) -> Safety<'a> {
        loop {
            self.barrier.wait();
            // Relaxed: the barrier orders it.
            if self.is_over.load(Ordering::Relaxed) {
                return finite;
            }
            self.take_part(&mut finite);
            self.barrier.wait();
        }
    }

    /// Turns to the next level.
    fn turn(&self) -> Result<(), Option<StopReason>> {
        let Gathered { next, stop, is_violated } = std::mem::take(&mut *self.gathered());
        if is_violated {
            return Err(None);
        }
        if stop.is_some() {
            return Err(stop);
        }
        *self.level.write().expect("threads do not panic") = next;
        self.n_taken.store(0, Ordering::Relaxed);
        self.depth.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Expands states of the level as long as there are some.
    fn take_part(&self, finite: &mut Safety<'_>) {
        let level = self.level.read().expect("threads do not panic");
        let mut next = Vec::new();
        loop {
            let start = self.n_taken.fetch_add(PIECE, Ordering::Relaxed);
            let Some(piece) = level.get(start..(start + PIECE).min(level.len())).filter(|p| !p.is_empty())
            else {
                break;
            };
            let bytes = 8 * (level.capacity() + next.capacity()) as u64;
            if let Err(stop) = self.expand(finite, piece, &mut next, bytes) {
                self.gathered().stop.get_or_insert(stop);
                break;
            }
        }
        self.gathered().next.append(&mut next);
    }

    fn expand(
        &self,
        finite: &mut Safety<'_>,
        piece: &[Handle],
        next: &mut Vec<Handle>,
        bytes: u64,
    ) -> Result<(), StopReason> {
        let depth = self.depth.load(Ordering::Relaxed) as u64;
        let mut n_announced = 0;
        for (k, &state) in piece.iter().enumerate() {
            n_announced += finite.expand(state, depth, bytes)?;
            if finite.found.take().is_some() {
                self.gathered().is_violated = true;
            }
            if n_announced >= BATCH || k + 1 == piece.len() {
                n_announced = 0;
                finite.arrive_new()?;
                next.extend(finite.newcomers().map(|(_, new, _)| new));
            }
        }
        Ok(())
    }

    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock().expect("threads do not panic")
    }
}
