//! Reachability by several threads that share one store.
//!
//! Each thread has, with what holds between two rounds:
//!
//! - `pending`: states that nobody has expanded. Every state comes there once, when it is new.
//! - `ways`: a tree of expanded states, each behind the one that it was reached from, with the paths to
//!   all that is pending. What is not needed for that is cut off: at the end of the list at once, the rest
//!   when it has become much.
//! - `groups`: what is pending behind one way stands together, and groups stand in the order of the ways.
//!
//! In a round the youngest pending states are expanded, until enough successors are announced to the
//! store for it to fetch many places in memory at once. This is depth-first in the large, so little is
//! pending at a time; the less is expanded in a round, the less it is ([`batch`]). When another thread has
//! nothing to do it gets the older half of what is pending, with the part of the tree before it.
//!
//! A search with reduction expands one state at a time: it has to know at once where a subset leads. So
//! does one whose store does not keep the states.
//!
//! The words of the youngest pending states are kept, so that the store need not be asked for them soon
//! after it got them; if it does not keep the states, those of all that is pending.

use std::ops::Range;
use std::sync::Mutex;

use model::Model;
use store::{Arrival, Handle};

use crate::crew::Crew;
use crate::finite::{Finite, Found};
use crate::verdict::Findings;
use crate::watch::Watching;
use crate::{Options, StopReason, Verdict, visited};

/// An expanded state. It takes 12 bytes, not 16: there may be many.
#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
struct Way {
    state: Handle,
    /// Its place in the tree: behind which one it lies.
    behind: u32,
}

/// What lies behind nothing: the initial state.
const NOWHERE: u32 = u32::MAX;

/// What is pending behind a way: how many states, and how many steps they are from the initial one.
#[derive(Clone, Copy)]
struct Group {
    way: u32,
    n_states: u32,
    depth: u32,
}

/// So many successors are announced before they are inserted: enough to hide the latency of memory, and
/// where what is pending takes a lot of memory compared with the store, fewer.
fn batch(pending: u64, store: u64) -> usize {
    const LITTLE: u64 = 4 << 20;
    match pending.saturating_sub(LITTLE).saturating_mul(8) / store.max(1) {
        0 => 128,
        1 => 16,
        _ => 8,
    }
}

/// So many states are expanded by one call.
const BUNCH: usize = 16;

/// So many states in front of the one to be opened, the memory of the next is fetched.
const AHEAD: usize = 4;

/// What a thread has to do.
#[derive(Default)]
struct Work {
    ways: Vec<Way>,
    /// The depths of the youngest ways: of those that were added in this round.
    depths: Vec<u32>,
    groups: Vec<Group>,
    pending: Vec<Handle>,
    /// The words of the youngest pending states, and where each ends.
    words: Vec<u64>,
    ends: Vec<usize>,
    /// With more ways than this, it is time to look which are still needed.
    enough: usize,
}

/// So many ways are never looked through.
const MANY_WAYS: usize = 1 << 12;

/// A list that is not longer need not be short of memory: it keeps what it has, and is seldom looked through.
const SHORT_LIST: usize = 1 << 18;

/// More words than these would not stay in the nearer caches.
const MANY_WORDS: usize = 1 << 15;

impl Work {
    /// The states from the initial one to an expanded one.
    fn path(&self, last: u32) -> Vec<Handle> {
        let behind = |&way: &u32| Some(self.ways[way as usize].behind).filter(|&behind| behind != NOWHERE);
        let path = std::iter::successors(Some(last), behind);
        let mut path: Vec<Handle> = path.map(|way| self.ways[way as usize].state).collect();
        path.reverse();
        path
    }

    /// Takes the youngest pending state and adds it to the tree.
    fn next(&mut self) -> Option<u32> {
        let (way, depth) = self.pop()?;
        Some(self.grow(way, depth))
    }

    /// Takes the youngest pending state, and says how many steps from the initial one it is.
    fn pop(&mut self) -> Option<(Way, u32)> {
        let state = self.pending.pop()?;
        let group = self.groups.last_mut()?;
        let Group { way: behind, n_states, depth } = *group;
        group.n_states -= 1;
        if n_states == 1 {
            self.groups.pop();
        }
        Some((Way { state, behind }, depth))
    }

    /// Adds a state to the tree, so many steps from the initial one.
    fn grow(&mut self, way: Way, depth: u32) -> u32 {
        self.ways.push(way);
        self.depths.push(depth);
        self.ways.len() as u32 - 1
    }

    /// How many steps from the initial state a way is that was added in this round.
    fn depth(&self, way: u32) -> u32 {
        self.depths[way as usize + self.depths.len() - self.ways.len()]
    }

    /// Where the words of the youngest pending state are, if they are kept.
    fn next_words(&self) -> Option<Range<usize>> {
        let (&end, before) = self.ends.split_last()?;
        Some(before.last().copied().unwrap_or(0)..end)
    }

    fn pop_words(&mut self) {
        self.ends.pop();
        self.words.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// How many of the oldest pending states have no words here.
    fn n_without_words(&self) -> usize {
        self.pending.len() - self.ends.len()
    }

    /// Takes the words of the oldest states out that have any here.
    fn take_words(&mut self, n_states: usize) -> (Vec<u64>, Vec<usize>) {
        let ends: Vec<usize> = self.ends.drain(..n_states).collect();
        let n_words = ends.last().copied().unwrap_or(0);
        self.ends.iter_mut().for_each(|end| *end -= n_words);
        (self.words.drain(..n_words).collect(), ends)
    }

    /// Adds a state behind a way of this round: the last one that has any, or a later one.
    fn push(&mut self, state: Handle, words: &[u64], way: u32) {
        match self.groups.last_mut() {
            Some(group) if group.way == way => group.n_states += 1,
            _ => {
                let depth = if way == NOWHERE { 0 } else { self.depth(way) + 1 };
                self.groups.push(Group { way, n_states: 1, depth });
            }
        }
        self.pending.push(state);
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
    }

    /// Ends a round: cuts off what is not needed of the tree.
    fn prune(&mut self) {
        self.depths.clear();
        self.ways.truncate(n_needed(&self.groups));
        if self.ways.len() > self.enough {
            self.thin_out();
            let n_ways = self.ways.len();
            let enough = if n_ways < SHORT_LIST { 2 * n_ways } else { n_ways / 2 * 3 };
            self.enough = enough.max(MANY_WAYS);
        }
        shrink(&mut self.ways);
        shrink(&mut self.groups);
        shrink(&mut self.pending);
    }

    /// Keeps only ways that lead to something pending.
    fn thin_out(&mut self) {
        const GONE: u32 = u32::MAX;
        let mut places = vec![GONE; self.ways.len()];
        let ways = self.groups.iter().map(|group| group.way);
        ways.filter(|&way| way != NOWHERE).for_each(|way| places[way as usize] = 0);
        for (at, way) in self.ways.iter().enumerate().rev() {
            if places[at] != GONE && way.behind != NOWHERE {
                places[way.behind as usize] = 0;
            }
        }
        let mut n_kept = 0;
        for (at, place) in places.iter_mut().enumerate() {
            if *place != GONE {
                *place = n_kept;
                self.ways[n_kept as usize] = self.ways[at];
                n_kept += 1;
            }
        }
        self.ways.truncate(n_kept as usize);
        let ways = self.ways.iter_mut().map(|way| &mut way.behind);
        let ways = ways.chain(self.groups.iter_mut().map(|group| &mut group.way));
        ways.filter(|way| **way != NOWHERE).for_each(|way| *way = places[*way as usize]);
    }

    /// Gives the older half of what is pending away.
    fn split(&mut self) -> Work {
        let half = self.pending.len() / 2;
        let (mut n_groups, mut n_states) = (0, 0);
        while n_states < half {
            n_states += self.groups[n_groups].n_states as usize;
            n_groups += 1;
        }
        let mut groups = self.groups[..n_groups].to_vec();
        // The last of these may have states in both halves.
        let n_left = (n_states - half) as u32;
        if let Some(last) = groups.last_mut().filter(|_| n_left > 0) {
            last.n_states -= n_left;
            n_groups -= 1;
            self.groups[n_groups].n_states = n_left;
        }
        self.groups.drain(..n_groups);
        let (words, ends) = self.take_words(half.saturating_sub(self.n_without_words()));
        Work {
            ways: self.ways[..n_needed(&groups)].to_vec(),
            depths: Vec::new(),
            groups,
            pending: self.pending.drain(..half).collect(),
            words,
            ends,
            enough: MANY_WAYS,
        }
    }

    fn bytes(&self) -> u64 {
        // What was never used of their capacity is not there.
        let lists = self.ways.len() * size_of::<Way>()
            + self.groups.len() * size_of::<Group>()
            + self.pending.len() * size_of::<Handle>();
        (lists + 8 * (self.words.len() + self.ends.len())) as u64
    }
}

/// How many ways are needed for what is pending in some groups.
fn n_needed(groups: &[Group]) -> usize {
    groups.last().map_or(0, |last| last.way.wrapping_add(1) as usize)
}

/// Gives memory back if a list has become much shorter.
fn shrink<T>(list: &mut Vec<T>) {
    let capacity = list.capacity();
    if capacity > SHORT_LIST && list.len() < capacity / 8 * 3 {
        list.shrink_to(capacity / 2);
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
pub fn search(model: &dyn Model, options: &Options, watching: Option<&Watching>) -> Findings {
    let set = match visited::any(model, options) {
        Ok(set) => set,
        Err(full) => return Findings::nothing(Verdict::Unknown(full.into())),
    };
    match Finite::start(model, options, &*set) {
        Ok(finite) => explore(finite.watching(watching)),
        Err(findings) => *findings,
    }
}

/// Goes on from the initial state.
pub fn explore(mut finite: Finite<'_>) -> Findings {
    let mut first = Work::default();
    first.push(finite.initial(), &finite.initial_words(), NOWHERE);
    let n_threads = finite.n_threads();
    let crew = Crew::new(n_threads, first);
    let shared = Mutex::default();
    let mut others = Vec::new();
    let mut mine = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..n_threads)
            .map(|_| {
                let finite = finite.another();
                scope.spawn(|| Explorer::new(finite, &crew, &shared).run())
            })
            .collect();
        let mine = Explorer::new(finite, &crew, &shared).run();
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
    /// For each family announced, the state behind which it lies.
    behind: Vec<u32>,
    /// The states that are expanded together, with their depths, and where the words of each are.
    bunch: Vec<(Way, u32)>,
    places: Vec<Range<usize>>,
}

impl<'a, 'c> Explorer<'a, 'c> {
    fn new(finite: Finite<'a>, crew: &'c Crew<Work>, shared: &'c Mutex<Shared>) -> Explorer<'a, 'c> {
        let (behind, bunch, places) = Default::default();
        Explorer { finite, crew, shared, behind, bunch, places }
    }

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
        let may_be_plain = self.finite.may_be_plain();
        self.behind.clear();
        let mut n_announced = 0;
        while n_announced < batch && !work.pending.is_empty() {
            n_announced += if may_be_plain && !work.ends.is_empty() {
                self.expand_bunch(work, memory)?
            } else {
                self.prefetch_ahead(work);
                match self.next(work) {
                    Some(way) => self.expand_one(work, way, memory)?,
                    None => 0,
                }
            };
        }
        self.finite.arrive()?;
        for (family, state, words) in self.finite.newcomers() {
            work.push(state, words, self.behind[family]);
        }
        self.drop_words(work);
        Ok(())
    }

    /// Expands the youngest pending states whose words are known. Says to how many states they lead.
    fn expand_bunch(&mut self, work: &mut Work, memory: u64) -> Result<usize, StopReason> {
        self.bunch.clear();
        self.places.clear();
        let end = work.words.len();
        let (mut start, mut deepest) = (end, 0);
        while self.bunch.len() < BUNCH
            && let Some(place) = work.next_words()
            && let Some((way, depth)) = work.pop()
        {
            work.ends.pop();
            start = place.start;
            deepest = deepest.max(depth);
            self.bunch.push((way, depth));
            self.places.push(place);
        }
        for place in &mut self.places {
            *place = place.start - start..place.end - start;
        }
        let states = self.bunch.iter().map(|(way, _)| way.state);
        let words = &work.words[start..end];
        let mut n_announced =
            self.finite.expand_plainly(states, words, &self.places, u64::from(deepest), memory)?;
        for at in 0..self.bunch.len() {
            if self.finite.was_plain(at) {
                let (way, depth) = self.bunch[at];
                self.behind.push(work.grow(way, depth));
            }
        }
        for at in 0..self.bunch.len() {
            if !self.finite.was_plain(at) {
                let place = start + self.places[at].start..start + self.places[at].end;
                let (way, depth) = self.bunch[at];
                self.finite.turn_to(way.state, &work.words[place]);
                let way = work.grow(way, depth);
                n_announced += self.expand_one(work, way, memory)?;
            }
        }
        work.words.truncate(start);
        Ok(n_announced)
    }

    /// Expands a state. Says to how many it leads.
    fn expand_one(&mut self, work: &Work, way: u32, memory: u64) -> Result<usize, StopReason> {
        let (state, depth) = (work.ways[way as usize].state, work.depth(way));
        let expanded = self.finite.expand(state, u64::from(depth), memory);
        self.note_answers(work, way);
        let n_announced = expanded?;
        self.behind.resize(self.finite.n_families(), way);
        self.note_found(work, way);
        Ok(n_announced)
    }

    /// Has the memory of a state fetched that will be opened soon.
    fn prefetch_ahead(&self, work: &Work) {
        if work.ends.len() <= AHEAD
            && let Some(ahead) = work.pending.len().checked_sub(AHEAD + 1)
        {
            self.finite.prefetch(work.pending[ahead]);
        }
    }

    /// Takes the youngest pending state and turns to it, if its words are known.
    fn next(&mut self, work: &mut Work) -> Option<u32> {
        if let (Some(&state), Some(place)) = (work.pending.last(), work.next_words()) {
            self.finite.turn_to(state, &work.words[place]);
            work.pop_words();
        }
        work.next()
    }

    /// Drops words that the store can give back, if there are many.
    fn drop_words(&self, work: &mut Work) {
        if work.words.len() > MANY_WORDS && self.finite.keeps() {
            work.take_words(work.ends.len() / 2);
        }
    }

    /// Expands one state, possibly not completely.
    fn visit(&mut self, work: &mut Work) -> Result<(), StopReason> {
        let Some(way) = self.next(work) else { return Ok(()) };
        let (state, depth) = (work.ways[way as usize].state, work.depth(way));
        self.finite.begin(state);
        let comes_back = |arrival: &Arrival| !arrival.is_new && arrival.flagged;
        let visited = self.finite.visit(state, u64::from(depth), work.bytes(), comes_back);
        self.note_answers(work, way);
        self.note_found(work, way);
        visited?;
        for (_, state, words) in self.finite.newcomers() {
            work.push(state, words, way);
        }
        self.drop_words(work);
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

    /// Tells the others of what a state just expanded answers.
    fn note_answers(&mut self, work: &Work, way: u32) {
        if self.finite.answer(|| work.path(way)) {
            self.crew.stop();
        }
    }

    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().expect("threads do not panic")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work in which states are numbers, and for each pending one the path to it, by other means.
    struct Twin {
        work: Work,
        paths: Vec<Vec<u64>>,
    }

    impl Twin {
        fn expand(&mut self, n_states: usize, mut n_children: impl FnMut() -> usize, number: &mut u64) {
            let mut parents = Vec::new();
            for _ in 0..n_states {
                let Some(&youngest) = self.work.pending.last() else { break };
                if let Some(place) = self.work.next_words() {
                    assert_eq!(self.work.words[place], [youngest.0; 2]);
                    self.work.pop_words();
                }
                let Some(way) = self.work.next() else { break };
                let path = self.paths.pop().expect("as many as are pending");
                assert_eq!(self.work.path(way).iter().map(|state| state.0).collect::<Vec<_>>(), path);
                assert_eq!(self.work.depth(way) as usize, path.len() - 1);
                parents.push((way, path));
            }
            for (way, path) in parents {
                for _ in 0..n_children() {
                    *number += 1;
                    self.work.push(Handle(*number), &[*number; 2], way);
                    self.paths.push([&path[..], &[*number]].concat());
                }
            }
            self.work.prune();
            assert_eq!(self.work.pending.len(), self.paths.len());
        }

        fn split(&mut self) -> Twin {
            let work = self.work.split();
            let paths = self.paths.drain(..work.pending.len()).collect();
            Twin { work, paths }
        }
    }

    #[test]
    fn paths_survive_splitting_and_thinning_out() {
        let mut seed = 1_u64;
        let mut random = move |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for _ in 0..200 {
            let mut first = Twin { work: Work::default(), paths: vec![vec![0]] };
            first.work.push(Handle(0), &[0; 2], NOWHERE);
            let (mut twins, mut number) = (vec![first], 0);
            for _ in 0..300 {
                let at = random(twins.len() as u64) as usize;
                let most = if twins[at].paths.len() < 50 { 4 } else { 3 };
                twins[at].expand(1 + random(8) as usize, || random(most) as usize, &mut number);
                match random(8) {
                    0 if twins.len() < 4 && twins[at].paths.len() > 1 => {
                        let other = twins[at].split();
                        twins.push(other);
                    }
                    1 => twins[at].work.thin_out(),
                    2 => {
                        let half = twins[at].work.ends.len() / 2;
                        twins[at].work.take_words(half);
                    }
                    _ => {}
                }
            }
            for mut twin in twins {
                while !twin.paths.is_empty() {
                    twin.expand(3, || 0, &mut number);
                }
                assert!(twin.work.ways.is_empty());
            }
        }
    }
}
