//! Reachability by several threads that share one store.
//!
//! Each thread has, with what holds between two rounds:
//!
//! - `pending`: states that nobody has expanded. Every state comes there once, when it is new.
//! - `ways`: a tree of expanded states. It has the paths from the initial state to what is pending,
//!   each in the order of the list; what pending states further down do not need is cut off.
//!
//! In a round the youngest pending states are expanded, until enough successors are announced to the
//! store for it to fetch many places in memory at once. This is depth-first in the large, so little is
//! pending at a time; the less is expanded in a round, the less it is ([`batch`]). When another thread has nothing to do it gets the older half of what is pending,
//! with the part of the tree below it.
//!
//! A search with reduction expands one state at a time: it has to know at once where a subset leads. So
//! does one whose store does not keep the states: it keeps those that are pending itself.

use std::sync::Mutex;

use model::Model;
use store::{Arrival, Handle};

use crate::crew::Crew;
use crate::finite::{Finite, Found};
use crate::verdict::Findings;
use crate::{Options, StopReason, visited};

/// A state to be expanded, behind the one of that number among [`Work::ways`].
#[derive(Clone, Copy)]
struct Pending {
    state: Handle,
    behind: u32,
}

/// An expanded state.
#[derive(Clone, Copy)]
struct Way {
    state: Handle,
    /// Its place in the tree: behind which one it lies.
    behind: u32,
    depth: u32,
}

/// What lies behind nothing: the initial state.
const NOWHERE: u32 = u32::MAX;

/// So many successors are announced before they are inserted: enough to hide the latency of memory, and
/// where what is pending takes a lot of memory compared with the store, fewer.
fn batch(pending: u64, store: u64) -> usize {
    const LITTLE: u64 = 16 << 20;
    match pending.saturating_sub(LITTLE).saturating_mul(4) / store.max(1) {
        0 => 64,
        1 => 16,
        2 => 8,
        _ => 1,
    }
}

/// So many states in front of the one to be opened, the memory of the next is fetched.
const AHEAD: usize = 4;

/// What a thread has to do.
#[derive(Default)]
struct Work {
    ways: Vec<Way>,
    pending: Vec<Pending>,
    /// If the store does not keep states: the words of those that are pending, and where each ends.
    words: Vec<u64>,
    ends: Vec<usize>,
}

impl Work {
    /// The states from the initial one to an expanded one.
    fn path(&self, last: u32) -> Vec<Handle> {
        let behind = |&way: &u32| Some(self.ways[way as usize].behind).filter(|&behind| behind != NOWHERE);
        let path = std::iter::successors(Some(last), behind);
        let mut path: Vec<Handle> = path.map(|way| self.ways[way as usize].state).collect();
        path.reverse();
        path
    }

    /// Takes the youngest pending state and adds it to the tree. Nothing that is pending now lies behind
    /// what is cut off.
    fn next(&mut self) -> Option<u32> {
        let Pending { state, behind } = self.pending.pop()?;
        Some(self.enter(state, behind))
    }

    /// Takes the words of the youngest pending state.
    fn next_words(&mut self) -> Vec<u64> {
        self.ends.pop();
        self.words.split_off(self.ends.last().copied().unwrap_or(0))
    }

    fn push_words(&mut self, state: &[u64]) {
        self.words.extend_from_slice(state);
        self.ends.push(self.words.len());
    }

    fn enter(&mut self, state: Handle, behind: u32) -> u32 {
        let depth = if behind == NOWHERE { 0 } else { self.ways[behind as usize].depth + 1 };
        self.ways.push(Way { state, behind, depth });
        self.ways.len() as u32 - 1
    }

    /// Cuts off the part of the tree behind which nothing is pending.
    fn prune(&mut self) {
        let needed = self.pending.last().map_or(0, |last| last.behind.wrapping_add(1));
        self.ways.truncate(needed as usize);
    }

    /// Gives the older half of what is pending away.
    fn split(&mut self) -> Work {
        let half = self.pending.len() / 2;
        let pending: Vec<Pending> = self.pending.drain(..half).collect();
        let needed = pending.last().map_or(0, |last| last.behind.wrapping_add(1));
        let ways = self.ways[..needed as usize].to_vec();
        let ends: Vec<usize> = self.ends.drain(..half.min(self.ends.len())).collect();
        let given = ends.last().copied().unwrap_or(0);
        self.ends.iter_mut().for_each(|end| *end -= given);
        Work { ways, pending, words: self.words.drain(..given).collect(), ends }
    }

    fn bytes(&self) -> u64 {
        // What was never used of their capacity is not there.
        let lists = self.ways.len() * size_of::<Way>() + self.pending.len() * size_of::<Pending>();
        (lists + 8 * (self.words.len() + self.ends.len())) as u64
    }
}

/// What the threads have found out together.
#[derive(Default)]
struct Shared {
    /// A violation, with the states on the way to it.
    found: Option<(Found, Vec<Handle>)>,
    stop: Option<StopReason>,
    n_errors: u64,
}

/// Explores in any order. A limit on the depth is not looked at.
pub fn search(model: &dyn Model, options: &Options) -> Findings {
    let set = match visited::any(model, options) {
        Ok(set) => set,
        Err(full) => return Findings::nothing(full.into()),
    };
    match Finite::start(model, options, &*set) {
        Ok(finite) => explore(finite),
        Err(findings) => *findings,
    }
}

/// Goes on from the initial state.
pub fn explore(mut finite: Finite<'_>) -> Findings {
    let mut first = Work::default();
    first.pending.push(Pending { state: finite.initial(), behind: NOWHERE });
    if !finite.keeps() {
        first.push_words(&finite.initial_words());
    }
    let n_threads = finite.n_threads();
    let crew = Crew::new(n_threads, first);
    let shared = Mutex::default();
    let mut others = Vec::new();
    let mut mine = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..n_threads)
            .map(|_| {
                let finite = finite.another();
                scope.spawn(|| Explorer { finite, crew: &crew, shared: &shared, behind: Vec::new() }.run())
            })
            .collect();
        let mine = Explorer { finite, crew: &crew, shared: &shared, behind: Vec::new() }.run();
        others.extend(threads.into_iter().map(|thread| thread.join().expect("threads do not panic")));
        mine
    });
    let Shared { found, stop, n_errors } = shared.into_inner().expect("threads do not panic");
    mine.set_errors(n_errors);
    let mut findings = mine.finish(found, stop);
    for other in others {
        findings.add(&other.finish(None, None));
    }
    findings
}

struct Explorer<'a, 'c> {
    finite: Finite<'a>,
    crew: &'c Crew<Work>,
    shared: &'c Mutex<Shared>,
    /// For each state announced, the one behind which it lies.
    behind: Vec<u32>,
}

impl<'a> Explorer<'a, '_> {
    fn run(mut self) -> Finite<'a> {
        let _watch = self.crew.watch();
        let is_reduced = self.finite.is_reduced();
        while let Some(mut work) = self.crew.take() {
            while !work.pending.is_empty() && !self.crew.is_over() {
                let round = if is_reduced { self.visit(&mut work) } else { self.expand(&mut work) };
                if let Err(stop) = round {
                    self.shared().stop.get_or_insert(stop);
                    self.crew.stop();
                }
                work.prune();
                if self.crew.is_hungry() && work.pending.len() > 1 {
                    self.crew.give(work.split());
                }
            }
        }
        self.finite
    }

    /// Expands some states, completely.
    fn expand(&mut self, work: &mut Work) -> Result<(), StopReason> {
        let memory = work.bytes();
        let batch = if self.finite.keeps() { batch(memory, self.finite.store_bytes()) } else { 1 };
        self.behind.clear();
        while self.behind.len() < batch
            && let Some(way) = work.next()
        {
            self.turn_to(work, way);
            if let Some(ahead) = work.pending.len().checked_sub(AHEAD) {
                self.finite.prefetch(work.pending[ahead].state);
            }
            let Way { state, depth, .. } = work.ways[way as usize];
            let n_successors = self.finite.expand(state, u64::from(depth), memory)?;
            self.behind.extend(std::iter::repeat_n(way, n_successors));
            self.note_found(work, way);
        }
        self.finite.arrive()?;
        for (arrival, &behind) in self.finite.arrivals().iter().zip(&self.behind) {
            if arrival.is_new {
                work.pending.push(Pending { state: arrival.handle, behind });
            }
        }
        self.keep_words(work);
        Ok(())
    }

    /// If the store does not keep states, turns to a pending one by its words.
    fn turn_to(&mut self, work: &mut Work, way: u32) {
        if !self.finite.keeps() {
            let words = work.next_words();
            self.finite.turn_to(work.ways[way as usize].state, &words);
        }
    }

    /// If the store does not keep states, keeps the words of the new ones, all of which the state visited
    /// last leads to.
    fn keep_words(&self, work: &mut Work) {
        if !self.finite.keeps() {
            let arrivals = self.finite.arrivals().iter().zip(self.finite.successors());
            arrivals.filter(|(arrival, _)| arrival.is_new).for_each(|(_, words)| work.push_words(words));
        }
    }

    /// Expands one state, possibly not completely.
    fn visit(&mut self, work: &mut Work) -> Result<(), StopReason> {
        let Some(way) = work.next() else { return Ok(()) };
        let Way { state, depth, .. } = work.ways[way as usize];
        self.turn_to(work, way);
        self.finite.begin(state);
        let comes_back = |arrival: &Arrival| !arrival.is_new && arrival.flagged;
        let visited = self.finite.visit(state, u64::from(depth), work.bytes(), comes_back);
        self.note_found(work, way);
        visited?;
        let new = self.finite.arrivals().iter().filter(|arrival| arrival.is_new);
        work.pending.extend(new.map(|arrival| Pending { state: arrival.handle, behind: way }));
        self.keep_words(work);
        Ok(())
    }

    /// Tells the others of a violation in a state just expanded.
    fn note_found(&mut self, work: &Work, way: u32) {
        let Some(found) = self.finite.found.take() else { return };
        let n_errors = self.finite.take_errors();
        let mut shared = self.shared();
        if shared.found.is_none() {
            shared.found = Some((found, work.path(way)));
        }
        shared.n_errors += n_errors;
        if let Some(enough) = self.finite.stop_after()
            && shared.n_errors >= enough
        {
            shared.n_errors = enough;
            self.crew.stop();
        }
    }

    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().expect("threads do not panic")
    }
}
