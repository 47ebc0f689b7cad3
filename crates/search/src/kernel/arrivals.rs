//! Where states are stored, and which of them are new. Knows no model.
//!
//! Successors are *announced*, those of several states one after the other, and *arrive* together: they are put into
//! the store's batch and inserted. What a search stores is up to it: a state of the model, or one with words added
//! behind it, always the same number.
//!
//! Keys are made here and nowhere else outside of the store; `cargo xtask tidy` checks that.

use std::ops::Range;

use model::{Outcome, OutcomeKind, Series};
use store::{Arrival, Family, Handle, Key, KeyBuffer, Keys, Newcomer, Shared, Worker};

use crate::StopReason;

/// Puts states into the store, and takes them out again.
pub struct Arrivals<'a> {
    /// What all threads share.
    pub set: &'a dyn Shared,
    worker: Box<dyn Worker + 'a>,
    /// Whether states can be had back from the store.
    pub keeps: bool,
    pub initial: Handle,
    /// How many words of a stored state are not the model's.
    n_added: usize,
    /// The state that was opened last, with what is added to it.
    opened: Option<Handle>,
    opened_key: KeyBuffer,
    /// The successors that are announced, and the keys of the states that lead to them.
    families: Vec<Family>,
    parents: KeyBuffer,
    /// The words of what is announced, where something is added. Otherwise they lie where the model has written them.
    joined: Vec<u64>,
    /// Where the keys of the states that were expanded plainly begin among the parents.
    plain: u32,
    /// How many words the longest state has of those announced.
    longest: u32,
    /// Whether what is announced has arrived.
    are_there: bool,
    /// The states that arrived by the last [`Arrivals::arrive`], in order, the same one as often as it is reached.
    pub list: Vec<Arrival>,
    /// Those that were new, also by [`Arrivals::arrive_new`].
    newcomers: Vec<Newcomer>,
    /// The states that subsets have brought that were not enough, and that are not known otherwise.
    rejected: Vec<Handle>,
}

impl<'a> Arrivals<'a> {
    /// For states with so many words added.
    pub fn new(set: &'a dyn Shared, n_added: usize) -> Arrivals<'a> {
        let worker = set.worker();
        Arrivals {
            set,
            keeps: worker.keeps(),
            worker,
            initial: Handle::default(),
            n_added,
            opened: None,
            opened_key: KeyBuffer::default(),
            families: Vec::new(),
            parents: KeyBuffer::default(),
            joined: Vec::new(),
            plain: 0,
            longest: 0,
            are_there: true,
            list: Vec::new(),
            newcomers: Vec::new(),
            rejected: Vec::new(),
        }
    }

    /// One more for the same search, for another thread.
    pub fn another(&self) -> Arrivals<'a> {
        Arrivals { initial: self.initial, ..Arrivals::new(self.set, self.n_added) }
    }

    /// Stores the initial state.
    pub fn begin_with(&mut self, state: &[u64], added: &[u64]) -> Result<(), StopReason> {
        self.initial = self.store(state, added)?;
        Ok(())
    }

    /// Stores a state that has no parent, if it is not stored already.
    fn store(&mut self, state: &[u64], added: &[u64]) -> Result<Handle, StopReason> {
        self.forget();
        let family = join(&mut self.joined, state, added);
        self.longest = self.longest.max(family.len);
        self.families.push(family);
        self.put_announced(&[]);
        let mut arrivals = Vec::new();
        self.worker.flush(&mut arrivals)?;
        Ok(arrivals[0].handle)
    }

    /// Turns to a stored state.
    pub fn open(&mut self, state: impl Into<Handle>) {
        let state = state.into();
        if self.opened != Some(state) {
            self.worker.open(state, &mut self.opened_key);
            self.opened = Some(state);
        }
    }

    /// Turns to a stored state whose words are known.
    pub fn turn_to(&mut self, state: Handle, words: &[u64]) {
        self.opened_key.clear();
        self.opened_key.extend(keys(words));
        self.opened = Some(state);
    }

    /// The model's words of the state opened last.
    pub fn state(&self) -> &[u64] {
        let words = self.opened_key.key().words();
        &words[..words.len() - self.n_added]
    }

    /// What is added to them.
    pub fn added(&self) -> &[u64] {
        let words = self.opened_key.key().words();
        &words[words.len() - self.n_added..]
    }

    /// The handle of a state that is stored.
    pub fn handle_of(&mut self, state: &[u64]) -> Option<Handle> {
        self.store(state, &[]).ok()
    }

    /// Has the memory fetched that opening a state needs.
    pub fn prefetch(&self, state: Handle) {
        self.worker.prefetch(state);
    }

    /// Marks a state as one whose expansion has begun. Says whether that is news.
    pub fn begin(&mut self, state: Handle) -> bool {
        self.worker.flag(state)
    }

    /// The bytes of the longest state so far.
    pub fn state_bytes(&self) -> u64 {
        8 * u64::from(self.longest)
    }

    /// Whether everything has arrived that was announced.
    pub fn are_there(&self) -> bool {
        self.are_there
    }

    /// Forgets what was announced.
    pub fn forget(&mut self) {
        self.families.clear();
        self.parents.clear();
        self.joined.clear();
        self.are_there = false;
    }

    /// Forgets which states arrived last.
    pub fn forget_arrivals(&mut self) {
        self.list.clear();
        self.newcomers.clear();
    }

    /// Announces the states among some outcomes as successors of the state opened last, and counts them.
    pub fn announce_all(&mut self, outcomes: &[Outcome]) -> usize {
        let Some(parent) = self.opened else { return 0 };
        let words = self.parents.push(self.opened_key.key());
        let start = words.start;
        let mut n_announced = 0;
        for outcome in outcomes {
            if let OutcomeKind::State(range) = &outcome.kind {
                let (first, len, words) = (range.start, range.end - range.start, words.clone());
                self.longest = self.longest.max(len);
                self.families.push(Family { parent, words, first, len, distance: len, n: 1 });
                n_announced += 1;
            }
        }
        if n_announced == 0 {
            self.parents.truncate(start);
        }
        n_announced
    }

    /// Takes down the words of states that were expanded plainly, for [`Arrivals::announce_plainly`].
    pub fn note_plain(&mut self, words: &[u64]) {
        self.plain = self.parents.extend(keys(words));
    }

    /// Announces where one of these states leads, and counts it. `place` says which words are its own.
    pub fn announce_plainly(&mut self, series: Series, parent: Handle, place: &Range<usize>) -> usize {
        let Series { first, len, distance, n } = series;
        if n > 0 {
            let words = self.plain + place.start as u32..self.plain + place.end as u32;
            self.families.push(Family { parent, words, first, len, distance, n });
        }
        n as usize
    }

    /// How many families are announced: the successors of a state are one or more.
    pub fn n_families(&self) -> usize {
        self.families.len()
    }

    /// Announces a state as a successor of the one opened last, with something added.
    pub fn announce(&mut self, state: &[u64], added: &[u64]) {
        self.forget_arrived();
        let family = join(&mut self.joined, state, added);
        self.announce_joined(family);
    }

    /// Announces the state opened last as its own successor, with something else added.
    pub fn announce_again(&mut self, added: &[u64]) {
        self.forget_arrived();
        let words = self.opened_key.key().words();
        let family = join(&mut self.joined, &words[..words.len() - self.n_added], added);
        self.announce_joined(family);
    }

    /// Announces a state that is put together. All those that are announced behind each other have one parent.
    fn announce_joined(&mut self, family: Family) {
        let Some(parent) = self.opened else { return };
        let words = match self.families.last() {
            Some(sibling) => {
                debug_assert_eq!(sibling.parent, parent);
                sibling.words.clone()
            }
            None => self.parents.push(self.opened_key.key()),
        };
        self.longest = self.longest.max(family.len);
        self.families.push(Family { parent, words, ..family });
    }

    /// Forgets what was announced, if it has arrived.
    fn forget_arrived(&mut self) {
        if self.are_there {
            self.forget();
        }
    }

    /// Puts what is announced into the store's batch.
    fn put_announced(&mut self, successors: &[u64]) {
        self.forget_arrivals();
        if !self.are_there {
            let children = children(&self.joined, successors);
            self.worker.put_families(self.parents.keys(), children, &self.families);
            self.are_there = true;
        }
    }

    /// Inserts what was announced since the last time: [`Arrivals::newcomers`] says what is new. `successors` has
    /// the words of all that the model has led to. Says how many states have matched.
    pub fn arrive_new(&mut self, successors: &[u64]) -> (usize, Result<(), StopReason>) {
        debug_assert!(self.rejected.is_empty());
        self.put_announced(successors);
        let (n_arrived, result) = self.worker.flush_new(&mut self.newcomers);
        (n_arrived - self.newcomers.len(), result.map_err(StopReason::from))
    }

    /// The same; [`Arrivals::list`] says of all where they are.
    pub fn arrive(&mut self, successors: &[u64]) -> (usize, Result<(), StopReason>) {
        self.put_announced(successors);
        let result = self.worker.flush(&mut self.list);
        for (number, arrival) in self.list.iter_mut().enumerate() {
            if !self.rejected.is_empty()
                && let Some(at) = self.rejected.iter().position(|&rejected| rejected == arrival.handle)
            {
                self.rejected.swap_remove(at);
                arrival.is_new = true;
            }
            if arrival.is_new {
                self.newcomers.push(Newcomer { number: number as u32, handle: arrival.handle });
            }
        }
        (self.list.len() - self.newcomers.len(), result.map_err(StopReason::from))
    }

    /// How many of those that arrived last were new.
    pub fn n_new(&self) -> usize {
        self.newcomers.len()
    }

    /// The states that were new when they arrived last: with the number of the family and their keys. `successors` has
    /// the words of all that the model has led to.
    pub fn newcomers<'c>(&'c self, successors: &'c [u64]) -> impl Iterator<Item = (usize, Handle, Key<'c>)> {
        let children = children(&self.joined, successors);
        // The family that is being looked at, and behind which arrival it ends.
        let (mut number, mut end) = (0, self.families.first().map_or(0, |family| family.n as usize));
        self.newcomers.iter().map(move |&Newcomer { number: at, handle }| {
            let at = at as usize;
            while at >= end {
                number += 1;
                end += self.families[number].n as usize;
            }
            let family = &self.families[number];
            let child = family.child((at + family.n as usize - end) as u32);
            (number, handle, children.key(child))
        })
    }

    /// Nothing has been rejected in the state that is expanded now.
    pub fn forget_rejected(&mut self) {
        self.rejected.clear();
    }

    /// Takes back that what arrived last is known: it was not enough. Says whether anything that is not known otherwise
    /// has been stored for the state that is expanded.
    pub fn reject(&mut self) -> bool {
        let new = self.list.iter().filter(|arrival| arrival.is_new);
        self.rejected.extend(new.map(|arrival| arrival.handle));
        !self.rejected.is_empty()
    }
}

/// Makes keys of states, with what is added to them: a state is its own key. Nowhere else in the searches are keys made.
fn keys(states: &[u64]) -> Keys<'_> {
    Keys::new(states)
}

/// The keys of what is announced: what is put together, if anything is, or else what the model has written.
fn children<'c>(joined: &'c [u64], successors: &'c [u64]) -> Keys<'c> {
    keys(if joined.is_empty() { successors } else { joined })
}

/// Puts a state together, behind others. It is a family without a parent.
fn join(joined: &mut Vec<u64>, state: &[u64], added: &[u64]) -> Family {
    let first = joined.len() as u32;
    joined.extend_from_slice(state);
    joined.extend_from_slice(added);
    let len = joined.len() as u32 - first;
    Family { first, len, distance: len, n: 1, ..Family::default() }
}
