//! The words by which a store knows states.
//!
//! A key is what is stored, and what is compared: a state with what a search adds to it, or something that
//! stands for several states. Most other slices of words are no keys, so keys have types of their own. A key comes from
//! a store ([`crate::Worker::open`]), or is made where it is decided what the keys of states are: in the kernel of
//! the searches, in one place.

use std::ops::Range;

/// The words by which a store knows a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a>(&'a [u64]);

impl<'a> Key<'a> {
    /// Says that words are a key.
    #[inline]
    pub fn new(words: &'a [u64]) -> Key<'a> {
        Key(words)
    }

    /// Its words.
    #[inline]
    pub fn words(self) -> &'a [u64] {
        self.0
    }
}

/// The words of several keys. Where each is has to be known.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a>(&'a [u64]);

impl<'a> Keys<'a> {
    /// Says that words are those of keys, as far as somebody knows where they are.
    #[inline]
    pub fn new(words: &'a [u64]) -> Keys<'a> {
        Keys(words)
    }

    /// The one at a place.
    #[inline]
    pub fn key(self, place: Range<usize>) -> Key<'a> {
        Key(&self.0[place])
    }

    /// All words.
    #[inline]
    pub fn words(self) -> &'a [u64] {
        self.0
    }
}

/// A place for keys: one, or several behind each other.
#[derive(Clone, Debug, Default)]
pub struct KeyBuffer {
    pub(crate) words: Vec<u64>,
}

impl KeyBuffer {
    /// The key, if it is one.
    #[inline]
    pub fn key(&self) -> Key<'_> {
        Key(&self.words)
    }

    /// All keys.
    #[inline]
    pub fn keys(&self) -> Keys<'_> {
        Keys(&self.words)
    }

    /// Adds a key. Says where its words are.
    #[inline]
    pub fn push(&mut self, key: Key<'_>) -> Range<u32> {
        let start = self.extend(Keys(key.0));
        start..self.words.len() as u32
    }

    /// Adds several keys as they lie. Says where their words begin.
    #[inline]
    pub fn extend(&mut self, keys: Keys<'_>) -> u32 {
        let start = self.words.len();
        self.words.extend_from_slice(keys.0);
        start as u32
    }

    /// Takes away the keys from a place on.
    #[inline]
    pub fn truncate(&mut self, start: u32) {
        self.words.truncate(start as usize);
    }

    /// Takes all away.
    #[inline]
    pub fn clear(&mut self) {
        self.words.clear();
    }
}
