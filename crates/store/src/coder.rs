//! Turning states into pairs of numbers and back: a worker's part of it.
//!
//! A [`Coder`] makes of a state only what is different from the one that leads to it: usually one or two words,
//! hence one or two halves. What has become of such a change before, it remembers (`changes.rs`). Nothing is looked
//! up at once; what is needed for that is fetched for many states first:
//!
//! ```text
//! put_families   compare each state with its parent       fetch what may be known of the changes
//!                look the changes up, make keys of others  fetch the keys' slots
//! resolve        guess the numbers of keys                 fetch the rows that they are the numbers of
//!                compare the rows
//! ```

use std::sync::Arc;

use crate::changes::{Change, Memo};
use crate::interner::{Interner, N_CLASSES, Short, Stock, hash};
use crate::keys::{Keys, Unrolled};
use crate::layout::{Layout, MOST_AT_ONCE, ROW, entry, row_len, set_entry};
use crate::memory::Budget;
use crate::root::pair_of;
use crate::rows::{Codes, Host, INTERNED, Need, Rows};
use crate::section::{Inside, Seat};
use crate::vector::{Comparing, compare, differences};
use crate::{Family, Full, keys};

/// A worker's part of turning states into pairs of numbers and back.
pub(crate) struct Coder {
    codes: Codes,
    layouts: Vec<Option<Arc<Layout>>>,
    opened: Opened,
    unrolled: Unrolled,
    /// What was put: the numbers of the halves, where no key has still to be looked up.
    staged: Vec<[u32; 2]>,
    /// The halves that differ from those of the parents in few words.
    changed: Vec<Changed>,
    /// The halves that are not known, by the numbers of the staged states, doubled, and the states that cannot be
    /// compared with their parents so easily.
    unknown: Vec<u32>,
    others: Vec<u32>,
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

/// The state that was opened last.
#[derive(Default)]
struct Opened {
    words: Vec<u64>,
    halves: [u32; 2],
}

/// A state that others are compared with.
#[derive(Clone, Copy)]
struct Parent<'p> {
    words: &'p [u64],
    halves: [u32; 2],
}

/// A half that differs from that of the parent in few words.
struct Changed {
    change: Change,
    /// Where its number may be known.
    place: u32,
    /// Which of the staged states it is a half of, doubled; one more for the right half.
    half: u32,
}

/// Finds the halves in which children differ from their parents, and has fetched where they may be known.
struct Comparison<'c, F> {
    coder: &'c mut Coder,
    children: &'c [u64],
    families: &'c [Family],
    parent: &'c F,
}

impl<'p, F: Fn(&Family) -> Parent<'p>> Comparing for Comparison<'_, F> {
    #[inline(always)]
    fn run(self, differences: impl Fn(&[u64], &[u64]) -> u64) {
        let Comparison { coder, children, families, parent } = self;
        let Coder { layouts, staged, changed, unknown, others, memos, .. } = coder;
        for family in families {
            let Parent { words, halves } = parent(family);
            let begin = staged.len() as u32;
            let are_alike = family.len as usize == words.len() && (1..=MOST_AT_ONCE).contains(&words.len());
            let Some(layout) = layouts[words.len()].as_deref().filter(|_| are_alike) else {
                staged.extend((0..family.n).map(|_| halves));
                others.extend(begin..begin + family.n);
                continue;
            };
            for at in 0..family.n {
                let owner = begin + at;
                staged.push(halves);
                let state = &children[family.child(at)];
                let differences = differences(state, words);
                if differences & layout.below != 0 {
                    others.push(owner);
                    continue;
                }
                let mut note = {
                    #[inline(always)]
                    |side: usize, differences: u64| {
                        let half = 2 * owner + side as u32;
                        match Change::new(halves[side], state, differences) {
                            Some(change) => {
                                let place = memos[side].fetch(&change) as u32;
                                changed.push(Changed { change, place, half });
                            }
                            None => unknown.push(half),
                        }
                    }
                };
                let [left, right] = layout.tops.map(|here| differences & here);
                if left != 0 && right != 0 {
                    note(0, left);
                    note(1, right);
                } else if differences != 0 {
                    // Which half it is cannot be foreseen, so it is computed with instead of branched on.
                    note(usize::from(left == 0), differences);
                }
            }
        }
    }
}

/// Which states are whose children: numbers are asked for in some order, mostly an ascending one.
struct Origins<'f> {
    families: &'f [Family],
    /// The number of the family asked for last, and that of its first child.
    number: usize,
    first: usize,
}

impl<'f> Origins<'f> {
    /// The family of a state, and where its words are.
    fn of(&mut self, owner: usize) -> (&'f Family, std::ops::Range<usize>) {
        while owner < self.first {
            self.number -= 1;
            self.first -= self.families[self.number].n as usize;
        }
        while owner - self.first >= self.families[self.number].n as usize {
            self.first += self.families[self.number].n as usize;
            self.number += 1;
        }
        let family = &self.families[self.number];
        (family, family.child((owner - self.first) as u32))
    }
}

impl Coder {
    pub fn new() -> Coder {
        Coder {
            codes: Codes::new(),
            layouts: Vec::new(),
            opened: Opened::default(),
            unrolled: Unrolled::default(),
            staged: Vec::new(),
            changed: Vec::new(),
            unknown: Vec::new(),
            others: Vec::new(),
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

    /// Opens the state of two halves: its words replace `out`, and states that are put are compared with it. Nothing
    /// of this needs to be inside: arenas do not move.
    pub fn open(&mut self, rows: &Rows, left: u32, right: u32, out: &mut Vec<u64>) {
        let layout = self.layout(rows, rows.left.class(left) + rows.right.class(right));
        let Opened { words, halves } = &mut self.opened;
        // Often only one half is another than that of the state opened before.
        let mut changed = [halves[0] != left, halves[1] != right];
        if words.len() != layout.places.len() {
            words.resize(layout.places.len(), 0);
            changed = [true; 2];
        }
        *halves = [left, right];
        for side in (0..2).filter(|&side| changed[side]) {
            self.unrolled.read(side, halves[side], &layout, rows);
            for &word in &layout.words[side] {
                let code = entry(&self.unrolled.rows, layout.places[word as usize]);
                words[word as usize] =
                    if code & INTERNED == 0 { u64::from(code) } else { rows.words.word(code & !INTERNED) };
            }
        }
        out.clear();
        out.extend_from_slice(words);
    }

    /// Puts a state, as a child of the opened one.
    pub fn put(&mut self, state: &[u64], host: &impl Host, seat: &Seat) {
        let words = std::mem::take(&mut self.opened.words);
        let family = Family { len: state.len() as u32, n: 1, ..Family::default() };
        let parent = Parent { words: &words, halves: self.opened.halves };
        self.put_children(state, &[family], |_| parent, host, seat);
        self.opened.words = words;
    }

    /// Puts the children of several states. The handles of these are the pairs.
    pub fn put_families(
        &mut self,
        parents: &[u64],
        children: &[u64],
        families: &[Family],
        host: &impl Host,
        seat: &Seat,
    ) {
        let parent = |family: &Family| Parent {
            words: &parents[family.words.start as usize..family.words.end as usize],
            halves: pair_of(family.parent).into(),
        };
        self.put_children(children, families, parent, host, seat);
    }

    fn put_children<'p>(
        &mut self,
        children: &[u64],
        families: &[Family],
        parent: impl Fn(&Family) -> Parent<'p>,
        host: &impl Host,
        seat: &Seat,
    ) {
        let begin = self.staged.len();
        let n_states: usize = families.iter().map(|family| family.n as usize).sum();
        if self.failed.is_none() {
            self.changed.clear();
            self.unknown.clear();
            self.others.clear();
            families.iter().for_each(|family| self.make_layout(host.rows(), parent(family).words.len()));
            compare(Comparison { coder: self, children, families, parent: &parent });
            self.look_changes_up();
            if !self.unknown.is_empty() || !self.others.is_empty() {
                let mut origins = Origins { families, first: begin, number: 0 };
                for at in 0..self.others.len() {
                    let owner = self.others[at] as usize;
                    if owner >= self.staged.len() {
                        continue;
                    }
                    let (family, child) = origins.of(owner);
                    let (state, parent) = (&children[child], parent(family));
                    let put = if parent.words.len() == state.len() && !state.is_empty() {
                        self.stage_deep(state, owner, parent, host, seat)
                    } else {
                        self.stage_all(state, owner, parent, host, seat)
                    };
                    self.heed(put, owner);
                }
                for at in 0..self.unknown.len() {
                    let (owner, side) = (self.unknown[at] as usize / 2, self.unknown[at] as usize % 2);
                    if owner >= self.staged.len() {
                        continue;
                    }
                    let (family, child) = origins.of(owner);
                    let put = self.add_key(&children[child], owner, side, parent(family), host, seat);
                    self.heed(put, owner);
                }
            }
        }
        self.n_dropped += begin + n_states - self.staged.len();
    }

    /// If a state cannot be staged, neither it nor those behind it are.
    #[inline(always)]
    fn heed(&mut self, put: Result<(), Full>, owner: usize) {
        if let Err(full) = put {
            self.failed = Some(full);
            self.staged.truncate(owner);
        }
    }

    /// Looks the changes up.
    #[inline(never)]
    fn look_changes_up(&mut self) {
        let Coder { changed, unknown, memos, staged, .. } = self;
        for Changed { change, place, half } in changed {
            let (owner, side) = (*half as usize / 2, *half as usize % 2);
            match memos[side].get(*place as usize, change) {
                Some(id) => staged[owner][side] = id,
                None => unknown.push(*half),
            }
        }
    }

    /// Makes a key of a half that is not known.
    fn add_key(
        &mut self,
        state: &[u64],
        owner: usize,
        side: usize,
        parent: Parent,
        host: &impl Host,
        seat: &Seat,
    ) -> Result<(), Full> {
        let Some(layout) = self.layouts[state.len()].as_deref() else { return Ok(()) };
        let mut differences = differences(state, parent.words) & layout.tops[side];
        let half = parent.halves[side];
        self.unrolled.read(side, half, layout, host.rows());
        let key = self.keys[side].add(self.unrolled.top(side), owner);
        key.change = Change::new(half, state, differences);
        while differences != 0 {
            let at = differences.trailing_zeros() as usize;
            match self.codes.code(state[at], host, seat) {
                Ok(code) => set_entry(&mut key.row, layout.places[at] - (2 * side * ROW) as u32, code),
                Err(full) => {
                    // A key that is not finished would be found as something else.
                    self.keys[side].drop_last();
                    return Err(full);
                }
            }
            differences &= differences - 1;
        }
        key.finish(&layout.nodes[side], self.slots[side]);
        Ok(())
    }

    /// Stages a state with rows below the halves, by its difference to its parent.
    fn stage_deep(
        &mut self,
        state: &[u64],
        owner: usize,
        parent: Parent,
        host: &impl Host,
        seat: &Seat,
    ) -> Result<(), Full> {
        let layout = &self.layout(host.rows(), state.len());
        self.unrolled.read_both(parent.halves, layout, host.rows());
        self.work.clone_from(&self.unrolled.rows);
        self.dirty.clear();
        self.dirty.resize(layout.nodes.len(), false);
        let chunks = state.chunks(MOST_AT_ONCE).zip(parent.words.chunks(MOST_AT_ONCE));
        for (chunk, (words, before)) in chunks.enumerate() {
            let mut differences = differences(words, before);
            while differences != 0 {
                let at = chunk * MOST_AT_ONCE + differences.trailing_zeros() as usize;
                let code = self.codes.code(state[at], host, seat)?;
                set_entry(&mut self.work, layout.places[at], code);
                self.dirty[layout.owners[at] as usize] = true;
                differences &= differences - 1;
            }
        }
        self.stage_work(owner, layout, host, seat)
    }

    /// Stages a state that is of another length than its parent.
    fn stage_all(
        &mut self,
        state: &[u64],
        owner: usize,
        parent: Parent,
        host: &impl Host,
        seat: &Seat,
    ) -> Result<(), Full> {
        if state.len() >= N_CLASSES {
            return Err(Full::Memory);
        }
        let before = (!parent.words.is_empty()).then(|| self.layout(host.rows(), parent.words.len()));
        if let Some(before) = &before {
            self.unrolled.read_both(parent.halves, before, host.rows());
        }
        let layout = self.layout(host.rows(), state.len());
        self.work.clear();
        self.work.resize(layout.n_row_words, 0);
        self.dirty.clear();
        self.dirty.resize(layout.nodes.len(), true);
        for (at, &word) in state.iter().enumerate() {
            let code = match &before {
                Some(before) if parent.words.get(at) == Some(&word) => {
                    entry(&self.unrolled.rows, before.places[at])
                }
                _ => self.codes.code(word, host, seat)?,
            };
            set_entry(&mut self.work, layout.places[at], code);
        }
        self.stage_work(owner, &layout, host, seat)
    }

    /// Stages the state of which `work` has the rows, new where they are dirty.
    fn stage_work(
        &mut self,
        owner: usize,
        layout: &Layout,
        host: &impl Host,
        seat: &Seat,
    ) -> Result<(), Full> {
        if !layout.is_flat() {
            self.number_parts(layout, host, seat)?;
        }
        for side in (0..2).filter(|&side| self.dirty[side]) {
            let key = self.keys[side].add(keys::top(&self.work, side), owner);
            key.finish(&layout.nodes[side], self.slots[side]);
        }
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

    /// Numbers the halves of all states that were put.
    #[inline]
    pub fn resolve(&mut self, rows: &Rows, budget: &Budget, inside: &Inside) -> Result<(), Need> {
        self.slots = [rows.left.slots(inside), rows.right.slots(inside)];
        for (keys, interner) in self.keys.iter_mut().zip([&rows.left, &rows.right]) {
            // Guesses only, which have fetched what is needed to see whether they are right.
            for key in &mut keys.list[..keys.n] {
                key.guess = interner.guess(key.class as usize, key.len as usize, key.hash, inside);
            }
        }
        let left = self.look_up(0, &rows.left, budget, inside);
        left.map_err(|short| short.of(Need::Left))?;
        let right = self.look_up(1, &rows.right, budget, inside);
        right.map_err(|short| short.of(Need::Right))?;
        Ok(())
    }

    /// The halves of all states that were put, once they have numbers.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.staged
    }

    /// Looks the left or the right halves up.
    fn look_up(
        &mut self,
        side: usize,
        interner: &Interner,
        budget: &Budget,
        inside: &Inside,
    ) -> Result<(), Short> {
        let Keys { list, n } = &self.keys[side];
        for key in &list[..*n] {
            let row = &key.row[..key.len as usize];
            let id = match interner.confirm(key.guess, row) {
                Some(id) => id,
                None => {
                    let stock = &mut self.halves[side];
                    interner.intern(row, key.class as usize, key.hash, stock, budget, inside)?.0
                }
            };
            if let Some(change) = key.change {
                self.memos[side].note(change, id);
            }
            // The last key may be of a state that could not be staged.
            if let Some(halves) = self.staged.get_mut(key.owner) {
                halves[side] = id;
            }
        }
        Ok(())
    }

    fn layout(&mut self, rows: &Rows, len: usize) -> Arc<Layout> {
        self.make_layout(rows, len);
        self.layouts[len].clone().expect("it is made")
    }

    /// Makes the layout of states of some length, if there is none.
    #[inline(always)]
    fn make_layout(&mut self, rows: &Rows, len: usize) {
        if !matches!(self.layouts.get(len), Some(Some(_))) {
            self.layouts.resize(self.layouts.len().max(len + 1), None);
            self.layouts[len] = Some(Arc::new(Layout::new(len, &rows.cut, rows.fan_out)));
        }
    }
}
