//! States as two numbers: what the compressed stores have in common.
//!
//! A word that needs 31 bits at most is its own code; any other is interned. Codes make rows, rows make
//! halves (`layout.rs`), and a state is the pair of the numbers of its halves. Left and right halves are
//! interned apart, which keeps both kinds of numbers small.
//!
//! A [`Coder`] is a worker's part. It remembers the rows of the opened state, and makes of a successor
//! only what is different: usually one or two words, hence one or two rows. The numbers of the halves are
//! not looked up at once: `put` has their slots fetched, [`Coder::guess`] the rows that the slots lead to, and
//! [`Coder::resolve`] compares.

use std::sync::Arc;

use crate::Full;
use crate::changes::{Change, Memo};
use crate::cut::Cut;
use crate::interner::{Guess, Interner, N_CLASSES, Short, Stock, hash, prefetch_slot};
use crate::layout::{CHUNK, Layout, MAX_FAN_OUT, MOST_AT_ONCE, Node, ROW, entry, row_len, set_entry};
use crate::memory::{Budget, differences};
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
    #[cold]
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
        assert!((2..=MAX_FAN_OUT).contains(&fan_out), "rows have two to {MAX_FAN_OUT} entries");
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
    codes: Codes,
    layouts: Vec<Option<Arc<Layout>>>,
    opened: Opened,
    /// What was put and is not yet resolved: for each half its number, or the key that will have it.
    staged: Vec<[Half; 2]>,
    /// The left and the right halves to look up.
    keys: [Keys; 2],
    /// Rows of a state while they are made, and which of them are new.
    work: Vec<u64>,
    dirty: Vec<bool>,
    /// Set if a state could not be put: the next flush says so. `n_dropped` were put since.
    failed: Option<Full>,
    n_dropped: usize,
    memos: [Memo; 2],
    parts: Stock,
    halves: [Stock; 2],
    /// Where slots are looked for: address and number, for the left and the right half.
    slots: [(usize, usize); 2],
}

/// A worker's part of turning words into codes.
struct Codes {
    cache: Box<[(u64, u32); 1 << CACHE_BITS]>,
    stock: Stock,
}

/// The state that successors are compared with.
#[derive(Default)]
struct Opened {
    layout: Option<Arc<Layout>>,
    words: Vec<u64>,
    halves: [u32; 2],
    rows: Vec<u64>,
    /// The halves whose rows these are. They are read when they are needed.
    read: [Option<u32>; 2],
}

impl Opened {
    /// Makes place for a state of another length.
    fn turn_to_length(&mut self, layout: Arc<Layout>) {
        self.rows.clear();
        self.rows.resize(layout.n_row_words, 0);
        self.read = [None; 2];
        self.layout = Some(layout);
    }

    /// Reads the rows of a half, if they are those of another one.
    #[inline(always)]
    fn read_rows(&mut self, side: usize, layout: &Layout, rows: &Rows) {
        if self.read[side] != Some(self.halves[side]) {
            self.read_other_rows(side, layout, rows);
        }
    }

    fn read_other_rows(&mut self, side: usize, layout: &Layout, rows: &Rows) {
        for (at, node) in layout.nodes.iter().enumerate().filter(|(_, node)| node.side == side) {
            let (interner, id) = match at {
                0 => (&rows.left, self.halves[0]),
                1 => (&rows.right, self.halves[1]),
                _ => (&rows.parts, entry(&self.rows, node.place)),
            };
            interner.read(id, &mut self.rows[node.first..node.first + node.len]);
        }
        self.read[side] = Some(self.halves[side]);
    }
}

#[derive(Clone, Copy)]
enum Half {
    Known(u32),
    Key(u32),
}

/// Halves to look up. Keys are made where they stay: to move them would mean to read in one piece what was
/// just written in several, which processors are slow at.
#[derive(Default)]
struct Keys {
    /// The first `n` count.
    list: Vec<Key>,
    n: usize,
}

/// A half to look up.
#[derive(Clone, Default)]
struct Key {
    /// The row, of which `len` words count. The others are zero.
    row: [u64; ROW],
    hash: u64,
    class: u32,
    len: u32,
    guess: Option<Guess>,
    /// What to remember the number by, once it is known.
    change: Option<Change>,
}

impl Keys {
    /// A new key with a row that is still to be changed. See [`Key::finish`].
    #[inline(always)]
    fn add(&mut self, row: &[u64; ROW]) -> &mut Key {
        if self.n == self.list.len() {
            self.list.resize(2 * self.n + 64, Key::default());
        }
        self.n += 1;
        let key = &mut self.list[self.n - 1];
        key.row = *row;
        key.change = None;
        key
    }

    fn clear(&mut self) {
        self.n = 0;
    }
}

impl Key {
    /// Sets all but the row.
    #[inline(always)]
    fn finish(&mut self, node: &Node, slots: (usize, usize)) {
        self.hash = hash(&self.row[..node.len], node.weight);
        self.class = node.weight as u32;
        self.len = node.len as u32;
        prefetch_slot(slots, self.hash);
    }
}

impl Coder {
    pub fn new() -> Coder {
        Coder {
            codes: Codes { cache: Box::new([(0, 0); 1 << CACHE_BITS]), stock: Stock::default() },
            layouts: Vec::new(),
            opened: Opened::default(),
            staged: Vec::new(),
            keys: Default::default(),
            work: Vec::new(),
            dirty: Vec::new(),
            failed: None,
            n_dropped: 0,
            memos: [Memo::new(), Memo::new()],
            parts: Stock::default(),
            halves: Default::default(),
            slots: [(0, 0); 2],
        }
    }

    pub fn n_waiting(&self) -> usize {
        self.staged.len() + self.n_dropped
    }

    /// Forgets what was put. Says whether something could not be.
    pub fn clear(&mut self) -> Result<(), Full> {
        self.staged.clear();
        self.keys.iter_mut().for_each(Keys::clear);
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
        // Often only one half is another than that of the state opened before.
        let mut changed = [self.opened.halves[0] != left, self.opened.halves[1] != right];
        if self.opened.layout.is_none() || self.opened.words.len() != len {
            let layout = self.layout(rows, len);
            self.opened.turn_to_length(layout);
            self.opened.words.resize(len, 0);
            changed = [true; 2];
        }
        let Some(layout) = self.opened.layout.take() else { return };
        let opened = &mut self.opened;
        opened.halves = [left, right];
        for side in (0..2).filter(|&side| changed[side]) {
            opened.read_rows(side, &layout, rows);
            for &word in &layout.words[side] {
                let code = entry(&opened.rows, layout.places[word as usize]);
                opened.words[word as usize] =
                    if code & INTERNED == 0 { u64::from(code) } else { rows.words.word(code & !INTERNED) };
            }
        }
        opened.layout = Some(layout);
        out.clear();
        out.extend_from_slice(&opened.words);
    }

    /// Turns to the state of two halves, whose words are known.
    pub fn turn_to(&mut self, rows: &Rows, left: u32, right: u32, words: &[u64]) {
        if self.opened.layout.is_none() || self.opened.words.len() != words.len() {
            let layout = self.layout(rows, words.len());
            self.opened.turn_to_length(layout);
        }
        self.opened.halves = [left, right];
        self.opened.words.clear();
        self.opened.words.extend_from_slice(words);
    }

    /// Stages a state.
    #[inline]
    pub fn put(&mut self, state: &[u64], host: &impl Host, seat: &Seat) {
        if self.failed.is_none() {
            let known =
                if state.len() <= CHUNK { self.known::<true>(state) } else { self.known::<false>(state) };
            if let Some(halves) = known {
                return self.staged.push(halves.map(Half::Known));
            }
            match self.stage(state, host, seat) {
                Ok(()) => return,
                Err(full) => self.failed = Some(full),
            }
        }
        self.n_dropped += 1;
    }

    /// The halves of a state, if they differ from those of the opened one as others have differed before. A
    /// state is short if it has at most [`CHUNK`] words.
    #[inline(always)]
    fn known<const SHORT: bool>(&self, state: &[u64]) -> Option<[u32; 2]> {
        let layout = self.opened.layout.as_ref()?;
        if state.len() != self.opened.words.len() || state.len() > MOST_AT_ONCE {
            return None;
        }
        let differences = self.differences::<SHORT>(state);
        if differences[0] & layout.below[0] | differences[1] & layout.below[1] != 0 {
            return None;
        }
        let left = self.known_half::<0, SHORT>(state, differences, layout)?;
        Some([left, self.known_half::<1, SHORT>(state, differences, layout)?])
    }

    #[inline(always)]
    fn known_half<const SIDE: usize, const SHORT: bool>(
        &self,
        state: &[u64],
        differences: [u64; 2],
        layout: &Layout,
    ) -> Option<u32> {
        let here = layout.tops[SIDE];
        match [differences[0] & here[0], differences[1] & here[1]] {
            [0, 0] => Some(self.opened.halves[SIDE]),
            differences => {
                let change = Change::new::<SHORT>(self.opened.halves[SIDE], state, differences)?;
                self.memos[SIDE].get(&change)
            }
        }
    }

    /// In which words a state differs from the opened one: two bits for each, of which the second is zero.
    #[inline(always)]
    fn differences<const SHORT: bool>(&self, state: &[u64]) -> [u64; 2] {
        if SHORT {
            return [differences(state, &self.opened.words), 0];
        }
        let (first, rest) = state.split_at(CHUNK);
        let (first_opened, rest_opened) = self.opened.words.split_at(CHUNK);
        [differences(first, first_opened), differences(rest, rest_opened)]
    }

    #[inline(never)]
    fn stage(&mut self, state: &[u64], host: &impl Host, seat: &Seat) -> Result<(), Full> {
        if state.len() != self.opened.words.len() {
            return self.stage_all(state, host, seat);
        }
        // Taken and put back: to count references costs more than all the rest of this.
        let Some(layout) = self.opened.layout.take() else { return self.stage_all(state, host, seat) };
        let staged = if state.len() <= CHUNK {
            self.stage_top::<true>(state, &layout, host, seat)
        } else if state.len() <= MOST_AT_ONCE {
            self.stage_top::<false>(state, &layout, host, seat)
        } else {
            Ok(false)
        };
        let staged = match staged {
            Ok(false) => self.stage_deep(state, &layout, host, seat),
            staged => staged.map(|_| ()),
        };
        self.opened.layout = Some(layout);
        staged
    }

    /// Stages a state by its difference to the opened one, if that is in the rows of the halves alone. Says
    /// whether it is.
    #[inline(always)]
    fn stage_top<const SHORT: bool>(
        &mut self,
        state: &[u64],
        layout: &Layout,
        host: &impl Host,
        seat: &Seat,
    ) -> Result<bool, Full> {
        let differences = self.differences::<SHORT>(state);
        let below = &layout.below;
        if differences[0] & below[0] | differences[1] & below[1] != 0 {
            return Ok(false);
        }
        let left = self.stage_half::<0, SHORT>(state, differences, layout, host, seat)?;
        let right = self.stage_half::<1, SHORT>(state, differences, layout, host, seat)?;
        self.staged.push([left, right]);
        Ok(true)
    }

    /// Stages a half of a state that differs from the opened one in some words.
    #[inline(always)]
    fn stage_half<const SIDE: usize, const SHORT: bool>(
        &mut self,
        state: &[u64],
        differences: [u64; 2],
        layout: &Layout,
        host: &impl Host,
        seat: &Seat,
    ) -> Result<Half, Full> {
        let here = layout.tops[SIDE];
        let differences = [differences[0] & here[0], differences[1] & here[1]];
        if differences == [0, 0] {
            return Ok(Half::Known(self.opened.halves[SIDE]));
        }
        let change = Change::new::<SHORT>(self.opened.halves[SIDE], state, differences);
        if let Some(id) = change.as_ref().and_then(|change| self.memos[SIDE].get(change)) {
            return Ok(Half::Known(id));
        }
        self.opened.read_rows(SIDE, layout, host.rows());
        let key = self.keys[SIDE].add(top(&self.opened.rows, SIDE));
        key.change = change;
        for (chunk, mut differences) in differences.into_iter().enumerate() {
            while differences != 0 {
                let at = chunk * CHUNK + differences.trailing_zeros() as usize / 2;
                let code = self.codes.code(state[at], host, seat)?;
                set_entry(&mut key.row, layout.places[at] - (2 * SIDE * ROW) as u32, code);
                differences &= differences - 1;
            }
        }
        key.finish(&layout.nodes[SIDE], self.slots[SIDE]);
        Ok(Half::Key(self.keys[SIDE].n as u32 - 1))
    }

    /// Stages a state with rows below the halves, by its difference to the opened one.
    fn stage_deep(
        &mut self,
        state: &[u64],
        layout: &Layout,
        host: &impl Host,
        seat: &Seat,
    ) -> Result<(), Full> {
        (0..2).for_each(|side| self.opened.read_rows(side, layout, host.rows()));
        self.work.clone_from(&self.opened.rows);
        self.dirty.clear();
        self.dirty.resize(layout.nodes.len(), false);
        for (chunk, (words, opened)) in state.chunks(CHUNK).zip(self.opened.words.chunks(CHUNK)).enumerate() {
            let mut differences = differences(words, opened);
            while differences != 0 {
                let at = chunk * CHUNK + differences.trailing_zeros() as usize / 2;
                let code = self.codes.code(state[at], host, seat)?;
                set_entry(&mut self.work, layout.places[at], code);
                self.dirty[layout.owners[at] as usize] = true;
                differences &= differences - 1;
            }
        }
        self.stage_work(layout, host, seat)
    }

    /// Stages a state that is of another length than the opened one.
    fn stage_all(&mut self, state: &[u64], host: &impl Host, seat: &Seat) -> Result<(), Full> {
        if state.len() >= N_CLASSES {
            return Err(Full::Memory);
        }
        if let Some(opened) = self.opened.layout.take() {
            (0..2).for_each(|side| self.opened.read_rows(side, &opened, host.rows()));
            self.opened.layout = Some(opened);
        }
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
                _ => self.codes.code(word, host, seat)?,
            };
            set_entry(&mut self.work, layout.places[at], code);
        }
        self.stage_work(&layout, host, seat)
    }

    /// Stages the state of which `work` has the rows, new where they are dirty.
    fn stage_work(&mut self, layout: &Layout, host: &impl Host, seat: &Seat) -> Result<(), Full> {
        if !layout.is_flat() {
            self.number_parts(layout, host, seat)?;
        }
        let mut halves = self.opened.halves.map(Half::Known);
        for (side, half) in halves.iter_mut().enumerate() {
            if self.dirty[side] {
                let keys = &mut self.keys[side];
                keys.add(top(&self.work, side)).finish(&layout.nodes[side], self.slots[side]);
                *half = Half::Key(keys.n as u32 - 1);
            }
        }
        self.staged.push(halves);
        Ok(())
    }

    /// Numbers the dirty rows below the halves, from below to above.
    fn number_parts(&mut self, layout: &Layout, host: &impl Host, seat: &Seat) -> Result<(), Full> {
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

    /// Guesses the numbers of all halves that were put, and has fetched what [`Coder::resolve`] needs to see
    /// whether they are right.
    pub fn guess(&mut self, rows: &Rows, inside: &Inside) {
        self.slots = [rows.left.slots(inside), rows.right.slots(inside)];
        for (keys, interner) in self.keys.iter_mut().zip([&rows.left, &rows.right]) {
            for key in &mut keys.list[..keys.n] {
                key.guess = interner.guess(key.class as usize, key.len as usize, key.hash, inside);
            }
        }
    }

    /// How many states [`Coder::resolve`] knows.
    pub fn n_staged(&self) -> usize {
        self.staged.len()
    }

    /// Finds the numbers of the halves of a state that was put.
    #[inline(always)]
    pub fn resolve(
        &mut self,
        at: usize,
        rows: &Rows,
        budget: &Budget,
        inside: &Inside,
    ) -> Result<(u32, u32), Need> {
        let left = self.resolve_half::<0>(at, &rows.left, budget, inside);
        let left = left.map_err(|short| short.of(Need::Left))?;
        let right = self.resolve_half::<1>(at, &rows.right, budget, inside);
        Ok((left, right.map_err(|short| short.of(Need::Right))?))
    }

    #[inline(always)]
    fn resolve_half<const SIDE: usize>(
        &mut self,
        at: usize,
        interner: &Interner,
        budget: &Budget,
        inside: &Inside,
    ) -> Result<u32, Short> {
        let half = &mut self.staged[at][SIDE];
        let key = match *half {
            Half::Known(id) => return Ok(id),
            Half::Key(key) => &self.keys[SIDE].list[key as usize],
        };
        let row = &key.row[..key.len as usize];
        let id = match interner.confirm(key.guess, row) {
            Some(id) => id,
            None => {
                let stock = &mut self.halves[SIDE];
                interner.intern(row, key.class as usize, key.hash, stock, budget, inside)?.0
            }
        };
        if let Some(change) = key.change {
            self.memos[SIDE].note(change, id);
        }
        *half = Half::Known(id);
        Ok(id)
    }

    fn layout(&mut self, rows: &Rows, len: usize) -> Arc<Layout> {
        if self.layouts.len() <= len {
            self.layouts.resize(len + 1, None);
        }
        self.layouts[len].get_or_insert_with(|| Arc::new(Layout::new(len, &rows.cut, rows.fan_out))).clone()
    }
}

impl Codes {
    /// The code of a word.
    #[inline(always)]
    fn code(&mut self, word: u64, host: &impl Host, seat: &Seat) -> Result<u32, Full> {
        if word < u64::from(INTERNED) {
            return Ok(word as u32);
        }
        let at = (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - CACHE_BITS)) as usize;
        match self.cache[at] {
            (cached, code) if cached == word => Ok(code),
            _ => {
                let code = self.intern(word, host, seat)?;
                self.cache[at] = (word, code);
                Ok(code)
            }
        }
    }

    #[cold]
    fn intern(&mut self, word: u64, host: &impl Host, seat: &Seat) -> Result<u32, Full> {
        let hash = hash(&[word], 1);
        loop {
            let inside = host.section().enter(seat, host);
            match host.rows().words.intern(&[word], 1, hash, &mut self.stock, host.budget(), &inside) {
                Ok((id, _)) => return Ok(id | INTERNED),
                Err(short) => {
                    drop(inside);
                    host.grow_rows(short.of(Need::Words))?;
                }
            }
        }
    }
}

/// The row of a half.
#[inline(always)]
fn top(rows: &[u64], side: usize) -> &[u64; ROW] {
    rows[side * ROW..].first_chunk().expect("halves have their place")
}

impl Short {
    fn of(self, table: impl FnOnce(usize) -> Need) -> Need {
        match self {
            Short::Slots(n_slots) => table(n_slots),
            Short::Memory => Need::Memory,
        }
    }
}
