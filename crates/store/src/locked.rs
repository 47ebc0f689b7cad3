//! The plain table behind a lock.

use crate::*;
use std::sync::Mutex;
/// A [`Table`] that threads share, with a flag for each state.
pub struct Plain(Mutex<(Table, Vec<bool>)>);
impl Plain {
    /// An empty set.
    pub fn new(limits: Limits) -> Plain {
        Plain(Mutex::new((Table::new(limits), Vec::new())))
    }
}
struct W<'a> {
    set: &'a Plain,
    words: Vec<u64>,
    ends: Vec<usize>,
}
impl Shared for Plain {
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(W { set: self, words: Vec::new(), ends: Vec::new() })
    }
    fn len(&self) -> u64 {
        self.0.lock().unwrap().0.len() as u64
    }
    fn bytes(&self) -> u64 {
        self.0.lock().unwrap().0.bytes()
    }
}
impl Worker for W<'_> {
    fn keeps(&self) -> bool {
        true
    }
    fn open(&mut self, handle: Handle, out: &mut Vec<u64>) {
        out.clear();
        out.extend_from_slice(self.set.0.lock().unwrap().0.get(handle.0 as u32));
    }
    fn prefetch(&self, _: Handle) {}
    fn put(&mut self, state: &[u64]) {
        self.words.extend_from_slice(state);
        self.ends.push(self.words.len());
    }
    fn n_waiting(&self) -> usize {
        self.ends.len()
    }
    fn flush(&mut self, out: &mut Vec<Arrival>) -> Result<(), Full> {
        let mut set = self.set.0.lock().unwrap();
        let mut start = 0;
        let mut result = Ok(());
        for &end in &self.ends {
            match set.0.insert(&self.words[start..end]) {
                Ok(insert) => {
                    let flagged = set.1.get(insert.id() as usize).copied().unwrap_or(false);
                    out.push(Arrival {
                        handle: Handle(insert.id().into()),
                        is_new: matches!(insert, Insert::New(_)),
                        flagged,
                    });
                }
                Err(full) => {
                    result = Err(full);
                    break;
                }
            }
            start = end;
        }
        self.words.clear();
        self.ends.clear();
        result
    }
    fn flag(&mut self, handle: Handle) -> bool {
        let mut set = self.set.0.lock().unwrap();
        let id = handle.0 as usize;
        if set.1.len() <= id {
            set.1.resize(id + 1, false);
        }
        !std::mem::replace(&mut set.1[id], true)
    }
    fn is_flagged(&mut self, handle: Handle) -> bool {
        self.set.0.lock().unwrap().1.get(handle.0 as usize).copied().unwrap_or(false)
    }
}
