//! Reachability by several threads that share one store.
//!
//! What each thread has to do is in `frontier.rs`.
//!
//! In a round pending states are expanded, until enough successors are announced to the store for it to
//! fetch many places in memory at once; which ones is said in `frontier_order.rs`. When another thread has nothing
//! to do it gets the older half of what is pending, with the part of the tree before it.
//!
//! A search with reduction expands one state at a time: it has to know at once where a subset leads. So
//! does one whose store does not keep the states.
//!
//! The words of the youngest pending states are kept, so that the store need not be asked for them soon
//! after it got them; if it does not keep the states, those of all that is pending.
//!
//! Up to 64 states are expanded by one call (`Model::expand_plainly`). It handles states whose outcomes are all states of
//! the same length; any other state is expanded alone.

mod frontier;
mod frontier_order;
mod packed;
mod workers;

use std::ops::Range;
use std::sync::Mutex;

use model::Model;
use store::{Arrival, Handle};

use crate::safety::reach::frontier::{Way, Work};
use crate::safety::reach::frontier_order::{Age, Preference};
use crate::safety::reach::workers::Workers;
use crate::safety::watch::Watching;
use crate::safety::{Found, Safety};
use crate::verdict::Findings;
use crate::{Options, StopReason, Verdict, visited};

/// A round has no more states than about so many, even if they lead nowhere.
const MANY_STATES: usize = 1 << 10;

/// So many states are expanded by one call.
const BUNCH: usize = 64;

/// So many states in front of the one to be opened, the memory of the next is fetched.
const AHEAD: usize = 4;

/// More words than these would not stay in the nearer caches.
const MANY_WORDS: usize = if cfg!(test) { 1 << 6 } else { 1 << 15 };

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
    match Safety::start(model, options, &*set) {
        Ok(finite) => explore(finite.watching(watching)),
        Err(findings) => *findings,
    }
}

/// Goes on from the initial state.
pub fn explore(mut finite: Safety<'_>) -> Findings {
    let first = Work::new(finite.initial(), &finite.initial_words());
    let n_threads = finite.n_threads();
    let crew = Workers::new(n_threads, first);
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
    finite: Safety<'a>,
    crew: &'c Workers<Work>,
    shared: &'c Mutex<Shared>,
    preference: Preference,
    /// For each family announced, the number of the state behind which it lies.
    behind: Vec<u32>,
    /// The states that are expanded together, with their depths, and where the words of each are.
    bunch: Vec<(Way, u32)>,
    places: Vec<Range<usize>>,
}

impl<'a, 'c> Explorer<'a, 'c> {
    fn new(finite: Safety<'a>, crew: &'c Workers<Work>, shared: &'c Mutex<Shared>) -> Explorer<'a, 'c> {
        let (preference, behind, bunch, places) = Default::default();
        Explorer { finite, crew, shared, preference, behind, bunch, places }
    }

    fn run(mut self) -> Safety<'a> {
        let _watch = self.crew.watch();
        let is_reduced = self.finite.is_reduced();
        while let Some(mut work) = self.crew.take() {
            while work.n_pending() > 0 && !self.crew.is_over() {
                let round = if is_reduced { self.visit(&mut work) } else { self.expand(&mut work) };
                if let Err(stop) = round {
                    self.shared().stop.get_or_insert(stop);
                    self.crew.stop();
                }
                work.prune();
                if self.crew.is_hungry() && work.n_pending() > 1 {
                    self.crew.give(work.split());
                }
            }
        }
        self.finite
    }

    /// Expands some states, completely.
    fn expand(&mut self, work: &mut Work) -> Result<(), StopReason> {
        let memory = work.bytes();
        let (batch, age) = match self.finite.keeps() {
            true => self.preference.next(memory * self.finite.n_threads() as u64, self.finite.store_bytes()),
            false => (1, Age::Youngest),
        };
        let may_be_plain = self.finite.may_be_plain();
        self.behind.clear();
        let mut n_announced = 0;
        while n_announced < batch && work.n_expanded() < MANY_STATES && work.n_pending() > 0 {
            n_announced += if may_be_plain && (age == Age::Oldest || !work.ends.is_empty()) {
                self.expand_bunch(work, age, batch.min(BUNCH), memory)?
            } else {
                match self.next(work, age) {
                    Some(number) => self.expand_one(work, number, memory)?,
                    None => 0,
                }
            };
        }
        self.finite.arrive_new()?;
        let (n_expanded, n_before) = (work.n_expanded(), work.n_pending());
        for (family, state, key) in self.finite.newcomers() {
            work.push(state, key.words(), self.behind[family]);
        }
        self.preference.note(age, n_expanded, work.n_pending() - n_before);
        self.drop_words(work);
        Ok(())
    }

    /// Takes the youngest pending states whose words are known. Says where these begin: they are the last in the list.
    fn take_youngest(&mut self, work: &mut Work, most: usize) -> usize {
        let mut start = work.words.len();
        while self.bunch.len() < most
            && let Some(place) = work.next_words()
            && let Some(next) = work.pop()
        {
            work.ends.pop();
            start = place.start;
            self.bunch.push(next);
            self.places.push(place);
        }
        start
    }

    /// Takes the oldest pending states, and adds their words to the list. Says where these begin.
    fn take_oldest(&mut self, work: &mut Work, most: usize) -> usize {
        while self.bunch.len() < most
            && let Some(next) = work.pop_oldest()
        {
            self.finite.prefetch(next.0.state);
            self.bunch.push(next);
        }
        let start = work.words.len();
        for (way, _) in &self.bunch {
            let begin = work.words.len();
            self.finite.read(way.state, &mut work.words);
            self.places.push(begin..work.words.len());
        }
        start
    }

    /// Expands some states, one after the other, whether that is easy or not: so the order does not depend on it. Says
    /// to how many states they lead.
    fn expand_bunch(
        &mut self,
        work: &mut Work,
        age: Age,
        most: usize,
        memory: u64,
    ) -> Result<usize, StopReason> {
        self.bunch.clear();
        self.places.clear();
        let start = match age {
            Age::Youngest => self.take_youngest(work, most),
            Age::Oldest => self.take_oldest(work, most),
        };
        let last = self.places.iter().map(|place| place.end).max().unwrap_or(start);
        let deepest = self.bunch.iter().map(|&(_, depth)| depth).max().unwrap_or(0);
        for place in &mut self.places {
            *place = place.start - start..place.end - start;
        }
        self.finite.expand_plainly(&work.words[start..last], &self.places, u64::from(deepest), memory)?;
        let mut n_announced = 0;
        for at in 0..self.bunch.len() {
            let (way, depth) = self.bunch[at];
            let n_plain = self.finite.announce_plainly(at, way.state, &self.places[at]);
            n_announced += n_plain;
            if n_plain > 0 {
                self.behind.push(work.expand(way, depth));
            } else {
                let words = start + self.places[at].start..start + self.places[at].end;
                self.finite.turn_to(way.state, &work.words[words]);
                let number = work.expand(way, depth);
                n_announced += self.expand_one(work, number, memory)?;
            }
        }
        work.words.truncate(start);
        Ok(n_announced)
    }

    /// Expands a state. Says to how many it leads.
    fn expand_one(&mut self, work: &Work, number: u32, memory: u64) -> Result<usize, StopReason> {
        let (state, depth) = work.expanded(number);
        let expanded = self.finite.expand(state, u64::from(depth), memory);
        self.note_answers(work, number);
        let n_announced = expanded?;
        self.behind.resize(self.finite.n_families(), number);
        self.note_found(work, number);
        Ok(n_announced)
    }

    /// Has the memory of a state fetched that will be opened soon.
    fn prefetch_ahead(&self, work: &Work) {
        if work.ends.len() <= AHEAD
            && let Some(ahead) = work.youngest(AHEAD)
        {
            self.finite.prefetch(ahead);
        }
    }

    /// Takes a pending state, and turns to it if its words are known.
    fn next(&mut self, work: &mut Work, age: Age) -> Option<u32> {
        if age == Age::Oldest {
            let (way, depth) = work.pop_oldest()?;
            return Some(work.expand(way, depth));
        }
        self.prefetch_ahead(work);
        let words = work.next_words();
        let (way, depth) = work.pop()?;
        if let Some(place) = words {
            self.finite.turn_to(way.state, &work.words[place]);
            work.pop_words();
        }
        Some(work.expand(way, depth))
    }

    /// Drops words that the store can give back, if there are many.
    fn drop_words(&self, work: &mut Work) {
        if work.words.len() > MANY_WORDS && self.finite.keeps() {
            work.drop_words(work.ends.len() / 2);
        }
    }

    /// Expands one state, possibly not completely.
    fn visit(&mut self, work: &mut Work) -> Result<(), StopReason> {
        let Some(number) = self.next(work, Age::Youngest) else { return Ok(()) };
        let (state, depth) = work.expanded(number);
        self.finite.begin(state);
        let closes_cycle = |arrival: &Arrival| !arrival.is_new && arrival.flagged;
        let visited = self.finite.visit(state, u64::from(depth), work.bytes(), closes_cycle);
        self.note_answers(work, number);
        self.note_found(work, number);
        visited?;
        for (_, state, key) in self.finite.newcomers() {
            work.push(state, key.words(), number);
        }
        self.drop_words(work);
        Ok(())
    }

    /// Tells the others of a violation in a state just expanded.
    fn note_found(&mut self, work: &Work, number: u32) {
        let Some(found) = self.finite.found.take() else { return };
        let n_errors = self.finite.take_errors();
        let mut shared = self.shared();
        if shared.found.is_none() {
            shared.found = Some((found, work.path(number)));
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
    fn note_answers(&mut self, work: &Work, number: u32) {
        if self.finite.answer(|| work.path(number)) {
            self.crew.stop();
        }
    }

    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().expect("threads do not panic")
    }
}
