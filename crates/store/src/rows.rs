//! States as two numbers: what the compressed stores have in common.
//!
//! A word that needs 31 bits at most is its own code; any other is interned. Codes make rows, rows make
//! halves (`layout.rs`), and a state is the pair of the numbers of its halves. Left and right halves are
//! interned apart, which keeps both kinds of numbers small.
//!
//! A [`Coder`] is a worker's part. It remembers the rows of the opened state, and makes of a successor
//! only what is different: usually one or two words, hence one or two rows. The numbers of the halves are
//! not looked up at once: `put` has their slots fetched, and [`Coder::resolve`] finds them there later.

use std::sync::Arc;

use crate::Full;
use crate::cut::Cut;
use crate::interner::{Interner, N_CLASSES, Short, Stock, hash, prefetch_slot};
use crate::layout::{Layout, entry, row_len, set_entry};
use crate::memory::Budget;
use crate::section::{Alone, Grow, Inside, Seat, Section};

/// Codes with this bit are numbers of words, codes without it are words.
const INTERNED: u32 = 1 << 31;
/// The size of a worker's cache of codes.
const CACHE_BITS: u32 = 10;

/// The rows of all states.
pub(crate) struct Rows {
    words: Interner,
    /// Rows below the halves.
    parts: Interner,
    left: Interner,
    right: Interner,
    cut: Cut,
    fan_out: usize,
}

/// Which table is too small, and how many slots it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Words(usize),
    Parts(usize),
    Left(usize),
    Right(usize),
    /// There is no more memory, whatever grows.
    Memory,
}

/// A store that has rows.
pub(crate) trait Host: Grow {
    fn rows(&self) -> &Rows;
    fn section(&self) -> &Section;
    fn budget(&self) -> &Budget;

    /// Grows a table of the rows. The caller is not inside.
    fn grow_rows(&self, need: Need) -> Result<(), Full>
    where
        Self: Sized,
    {
        let rows = self.rows();
        let (interner, n_slots) = match need {
            Need::Words(n_slots) => (&rows.words, n_slots),
            Need::Parts(n_slots) => (&rows.parts, n_slots),
            Need::Left(n_slots) => (&rows.left, n_slots),
            Need::Right(n_slots) => (&rows.right, n_slots),
            Need::Memory => return Err(Full::Memory),
        };
        let grow = |alone: &Alone| interner.grow(n_slots, self.budget(), alone);
        self.section().close(self, |_| Vec::new(), grow)
    }
}

impl Rows {
    pub fn new(cut: Cut, fan_out: usize) -> Rows {
        assert!(fan_out >= 2, "a row of one entry leads nowhere");
        Rows {
            words: Interner::new(INTERNED - 1),
            parts: Interner::new(u32::MAX - 1),
            left: Interner::new(u32::MAX - 1),
            right: Interner::new(u32::MAX - 1),
            cut,
            fan_out,
        }
    }
}

/// A worker's part of turning states into pairs of numbers and back.
pub(crate) struct Coder {
    cache: Box<[(u64, u32)]>,
    layouts: Vec<Option<Arc<Layout>>>,
    opened: Opened,
    /// What was put and is not yet resolved.
    staged: Vec<Staged>,
    /// The rows that `staged` needs looked up.
    keys: Vec<u64>,
    /// Rows of a deep state while they are made, and which of them are new.
    work: Vec<u64>,
    dirty: Vec<bool>,
    /// Set if a state could not be put: the next flush says so. `n_dropped` were put since.
    failed: Option<Full>,
    n_dropped: usize,
    words: Stock,
    parts: Stock,
    left: Stock,
    right: Stock,
    /// Where slots are looked for: address and number, for the left and the right half.
    slots: [(usize, usize); 2],
}

/// The state that successors are compared with.
#[derive(Default)]
struct Opened {
    layout: Option<Arc<Layout>>,
    words: Vec<u64>,
    rows: Vec<u64>,
    halves: [u32; 2],
}

/// A state that was put: for each half its number, or the row to look up.
#[derive(Clone, Copy)]
struct Staged {
    halves: [Half; 2],
}

#[derive(Clone, Copy)]
struct Half {
    /// The number, unless there is a key.
    id: u32,
    /// Where the row is among the keys, and its length; the length is `KNOWN` if there is none.
    key: u32,
    len: u32,
    class: u32,
    hash: u64,
}

const KNOWN: u32 = u32::MAX;

impl Half {
    fn known(id: u32) -> Half {
        Half { id, key: 0, len: KNOWN, class: 0, hash: 0 }
    }
}

impl Coder {
    pub fn new() -> Coder {
        Coder {
            cache: vec![(0, 0); 1 << CACHE_BITS].into(),
            layouts: Vec::new(),
            opened: Opened::default(),
            staged: Vec::new(),
            keys: Vec::new(),
            work: Vec::new(),
            dirty: Vec::new(),
            failed: None,
            n_dropped: 0,
            words: Stock::default(),
            parts: Stock::default(),
            left: Stock::default(),
            right: Stock::default(),
            slots: [(0, 0); 2],
        }
    }

    pub fn n_waiting(&self) -> usize {
        self.staged.len() + self.n_dropped
    }

    /// How many states [`Coder::resolve`] knows.
    pub fn n_staged(&self) -> usize {
        self.staged.len()
    }

    /// Forgets what was put. Says whether something could not be.
    pub fn clear(&mut self) -> Result<(), Full> {
        self.staged.clear();
        self.keys.clear();
        self.n_dropped = 0;
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Has the rows of a state fetched.
    pub fn prefetch(&self, rows: &Rows, left: u32, right: u32) {
        for (interner, id) in [(&rows.left, left), (&rows.right, right)] {
            interner.prefetch_row(id, row_len(interner.class(id), rows.fan_out));
        }
    }

    /// Turns to the state of two halves. Nothing of this needs to be inside: arenas do not move.
    pub fn open(&mut self, rows: &Rows, left: u32, right: u32, out: &mut Vec<u64>) {
        let len = rows.left.class(left) + rows.right.class(right);
        let layout = self.layout(rows, len);
        let opened = &mut self.opened;
        opened.halves = [left, right];
        opened.rows.resize(layout.n_row_words, 0);
        opened.words.resize(len, 0);
        for (at, node) in layout.nodes.iter().enumerate() {
            let (interner, id) = match at {
                0 => (&rows.left, left),
                1 => (&rows.right, right),
                _ => (&rows.parts, entry(&opened.rows, node.place)),
            };
            interner.read(id, &mut opened.rows[node.first..node.first + node.len]);
        }
        for (word, &place) in opened.words.iter_mut().zip(&layout.places) {
            let code = entry(&opened.rows, place);
            *word = if code & INTERNED == 0 { u64::from(code) } else { rows.words.word(code & !INTERNED) };
        }
        out.clear();
        out.extend_from_slice(&opened.words);
        opened.layout = Some(layout);
    }

    /// Stages a state.
    pub fn put(&mut self, state: &[u64], host: &impl Host, seat: &Arc<Seat>) {
        if self.failed.is_none() {
            match self.stage(state, host, seat) {
                Ok(()) => return,
                Err(full) => self.failed = Some(full),
            }
        }
        self.n_dropped += 1;
    }

    fn stage(&mut self, state: &[u64], host: &impl Host, seat: &Arc<Seat>) -> Result<(), Full> {
        if state.len() >= N_CLASSES {
            return Err(Full::Memory);
        }
        if state.len() != self.opened.words.len() {
            return self.stage_all(state, host, seat);
        }
        // Taken and put back: to count references costs more than all the rest of this.
        let Some(layout) = self.opened.layout.take() else { return self.stage_all(state, host, seat) };
        let staged = if layout.is_flat() {
            self.stage_flat(state, &layout, host, seat)
        } else {
            self.stage_deep(state, &layout, host, seat)
        };
        self.opened.layout = Some(layout);
        staged
    }

    /// Stages a state whose halves are rows of words, by its difference to the opened one.
    fn stage_flat(
        &mut self,
        state: &[u64],
        layout: &Layout,
        host: &impl Host,
        seat: &Arc<Seat>,
    ) -> Result<(), Full> {
        let mut halves = self.opened.halves.map(Half::known);
        for (at, &word) in state.iter().enumerate() {
            if word == self.opened.words[at] {
                continue;
            }
            let code = self.code(word, host, seat)?;
            let side = layout.owners[at] as usize;
            let node = &layout.nodes[side];
            let half = &mut halves[side];
            if half.len == KNOWN {
                half.key = self.keys.len() as u32;
                half.len = node.len as u32;
                self.keys.extend_from_slice(&self.opened.rows[node.first..node.first + node.len]);
            }
            let place = layout.places[at] - 2 * node.first as u32;
            set_entry(&mut self.keys[half.key as usize..], place, code);
        }
        for (side, half) in halves.iter_mut().enumerate().filter(|(_, half)| half.len != KNOWN) {
            half.class = layout.nodes[side].weight as u32;
            half.hash = hash(&self.keys[half.key as usize..][..half.len as usize], half.class as usize);
            prefetch_slot(self.slots[side], half.hash);
        }
        self.staged.push(Staged { halves });
        Ok(())
    }

    /// Stages a state with rows below the halves, by its difference to the opened one.
    fn stage_deep(
        &mut self,
        state: &[u64],
        layout: &Layout,
        host: &impl Host,
        seat: &Arc<Seat>,
    ) -> Result<(), Full> {
        self.work.clone_from(&self.opened.rows);
        self.dirty.clear();
        self.dirty.resize(layout.nodes.len(), false);
        for (at, &word) in state.iter().enumerate() {
            if word != self.opened.words[at] {
                let code = self.code(word, host, seat)?;
                set_entry(&mut self.work, layout.places[at], code);
                self.dirty[layout.owners[at] as usize] = true;
            }
        }
        self.stage_work(layout, host, seat)
    }

    /// Stages a state that is of another length than the opened one.
    fn stage_all(&mut self, state: &[u64], host: &impl Host, seat: &Arc<Seat>) -> Result<(), Full> {
        let layout = self.layout(host.rows(), state.len());
        self.work.clear();
        self.work.resize(layout.n_row_words, 0);
        self.dirty.clear();
        self.dirty.resize(layout.nodes.len(), true);
        for (at, &word) in state.iter().enumerate() {
            let code = match &self.opened.layout {
                Some(opened) if self.opened.words.get(at) == Some(&word) => {
                    entry(&self.opened.rows, opened.places[at])
                }
                _ => self.code(word, host, seat)?,
            };
            set_entry(&mut self.work, layout.places[at], code);
        }
        self.stage_work(&layout, host, seat)
    }

    /// Stages the state of which `work` has the rows, new where they are dirty.
    fn stage_work(&mut self, layout: &Layout, host: &impl Host, seat: &Arc<Seat>) -> Result<(), Full> {
        if !layout.is_flat() {
            self.number_parts(layout, host, seat)?;
        }
        let mut halves = self.opened.halves.map(Half::known);
        for (side, half) in halves.iter_mut().enumerate().filter(|&(side, _)| self.dirty[side]) {
            let node = &layout.nodes[side];
            let row = &self.work[node.first..node.first + node.len];
            let hash = hash(row, node.weight);
            *half = Half {
                id: 0,
                key: self.keys.len() as u32,
                len: node.len as u32,
                class: node.weight as u32,
                hash,
            };
            self.keys.extend_from_slice(row);
            prefetch_slot(self.slots[side], hash);
        }
        self.staged.push(Staged { halves });
        Ok(())
    }

    /// Numbers the dirty rows below the halves, from below to above.
    fn number_parts(&mut self, layout: &Layout, host: &impl Host, seat: &Arc<Seat>) -> Result<(), Full> {
        let mut at = layout.nodes.len();
        let mut inside = host.section().enter(seat, host);
        while at > 2 {
            let node = &layout.nodes[at - 1];
            if self.dirty[at - 1] {
                let row = &self.work[node.first..node.first + node.len];
                let hash = hash(row, node.weight);
                match host.rows().parts.intern(
                    row,
                    node.weight,
                    hash,
                    &mut self.parts,
                    host.budget(),
                    &inside,
                ) {
                    Ok((id, _)) => {
                        set_entry(&mut self.work, node.place, id);
                        self.dirty[node.parent as usize] = true;
                    }
                    Err(short) => {
                        drop(inside);
                        host.grow_rows(short.of(Need::Parts))?;
                        inside = host.section().enter(seat, host);
                        continue;
                    }
                }
            }
            at -= 1;
        }
        Ok(())
    }

    /// The code of a word.
    #[inline]
    fn code(&mut self, word: u64, host: &impl Host, seat: &Arc<Seat>) -> Result<u32, Full> {
        if word < u64::from(INTERNED) {
            return Ok(word as u32);
        }
        let at = (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - CACHE_BITS)) as usize;
        match self.cache[at] {
            (cached, code) if cached == word => Ok(code),
            _ => {
                let code = self.intern_word(word, host, seat)?;
                self.cache[at] = (word, code);
                Ok(code)
            }
        }
    }

    #[cold]
    fn intern_word(&mut self, word: u64, host: &impl Host, seat: &Arc<Seat>) -> Result<u32, Full> {
        let hash = hash(&[word], 1);
        loop {
            let inside = host.section().enter(seat, host);
            match host.rows().words.intern(&[word], 1, hash, &mut self.words, host.budget(), &inside) {
                Ok((id, _)) => return Ok(id | INTERNED),
                Err(short) => {
                    drop(inside);
                    host.grow_rows(short.of(Need::Words))?;
                }
            }
        }
    }

    /// Remembers where the slots are, for prefetching.
    pub fn look_around(&mut self, rows: &Rows, inside: &Inside) {
        self.slots = [rows.left.slots(inside), rows.right.slots(inside)];
    }

    /// The numbers of the halves of a staged state.
    #[inline]
    pub fn resolve(
        &mut self,
        at: usize,
        rows: &Rows,
        budget: &Budget,
        inside: &Inside,
    ) -> Result<(u32, u32), Need> {
        let Staged { halves: [left, right] } = &mut self.staged[at];
        if left.len != KNOWN {
            let key = &self.keys[left.key as usize..][..left.len as usize];
            let numbered =
                rows.left.intern(key, left.class as usize, left.hash, &mut self.left, budget, inside);
            *left = Half::known(numbered.map_err(|short| short.of(Need::Left))?.0);
        }
        if right.len != KNOWN {
            let key = &self.keys[right.key as usize..][..right.len as usize];
            let numbered =
                rows.right.intern(key, right.class as usize, right.hash, &mut self.right, budget, inside);
            *right = Half::known(numbered.map_err(|short| short.of(Need::Right))?.0);
        }
        Ok((left.id, right.id))
    }

    fn layout(&mut self, rows: &Rows, len: usize) -> Arc<Layout> {
        if self.layouts.len() <= len {
            self.layouts.resize(len + 1, None);
        }
        self.layouts[len].get_or_insert_with(|| Arc::new(Layout::new(len, &rows.cut, rows.fan_out))).clone()
    }
}

impl Short {
    fn of(self, table: impl FnOnce(usize) -> Need) -> Need {
        match self {
            Short::Slots(n_slots) => table(n_slots),
            Short::Memory => Need::Memory,
        }
    }
}
