//! Turning states into pairs of numbers and back: a worker's part of it.
//!
//! A [`Coder`] makes of a state only what is different from the one that leads to it: usually one or two words,
//! hence one or two halves. What has become of such a change before, it remembers (`changes.rs`). Nothing is looked
//! up at once; what is needed for that is fetched for many states first:
//!
//! ```text
//! put_families   compare each state with its parent       fetch what may be known of the changes
//!                list other halves to look up             fetch their slots
//! resolve        guess the numbers of these               fetch the rows that they are the numbers of
//!                compare the rows
//! ```

use std::sync::Arc;

use crate::changes::{Change, Memo};
use crate::cleary_table::{handle_of, pair_of};
use crate::interner::{Interner, N_CLASSES, Short, Stock, hash};
use crate::layout::{Layout, MOST_AT_ONCE, ROW, entry, row_len, set_entry};
use crate::lookups::{Lookups, Unrolled};
use crate::memory::Budget;
use crate::rows::{Codes, Host, INTERNED, Need, Rows};
use crate::section::{Inside, Seat};
use crate::vector::{Comparing, Pairs, Places, compare, differences};
use crate::{Family, Full, Key, KeyBuffer, Keys, lookups};

/// A worker's part of turning states into pairs of numbers and back.
pub(crate) struct Coder {
    codes: Codes,
    layouts: Vec<Option<Arc<Layout>>>,
    opened: Opened,
    unrolled: Unrolled,
    /// What was put: the numbers of the halves, where none has still to be looked up.
    staged: Vec<[u32; 2]>,
    /// Where the words of the states of some families are, and in which of these they differ from their parents.
    places: Vec<Places>,
    found: Vec<u64>,
    /// The halves that differ. The first `n_different` count.
    different: Vec<Different>,
    n_different: usize,
    /// The halves that differ from those of the parents in few words. The first `n_changed` count.
    changed: Vec<Changed>,
    n_changed: usize,
    /// The halves that are not known, by the numbers of the staged states, doubled, and the states that cannot be
    /// compared with their parents so easily.
    unknown: Vec<u32>,
    others: Vec<u32>,
    /// The left and the right halves to look up.
    lookups: [Lookups; 2],
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
#[derive(Clone, Copy, Default)]
struct Changed {
    change: Change,
    /// Where its number may be known.
    place: u32,
    /// Which of the staged states it is a half of, doubled; one more for the right half.
    half: u32,
}

/// A half that differs from that of the parent.
#[derive(Clone, Copy, Default)]
struct Different {
    /// In which words.
    words: u64,
    /// Where the state begins.
    child: u32,
    /// As in [`Changed`].
    half: u32,
}

/// Finds the halves in which children differ from their parents, and has fetched where they may be known.
///
/// How many children a state has, and which halves of them differ, cannot be foreseen. So there are long loops, each of
/// which does one thing for many states, and what there may be more or less of is written in any case, and counted.
struct Comparison<'c> {
    coder: &'c mut Coder,
    parents: &'c [u64],
    children: &'c [u64],
    families: &'c [Family],
}

impl Comparing for Comparison<'_> {
    #[inline(always)]
    fn run(self, differences: impl Fn(&Pairs, &mut [u64])) {
        let Comparison { coder, parents, children, families } = self;
        let shape = |family: &Family| (family.len, family.words.len());
        for families in families.chunk_by(|a, b| shape(a) == shape(b)) {
            let begin = coder.staged.len();
            coder.stage_families(families);
            let n = coder.staged.len() - begin;
            let (len, before) = (families[0].len as usize, families[0].words.len());
            let are_alike = len == before && (1..=MOST_AT_ONCE).contains(&len);
            let Coder { layouts, places, found, others, .. } = coder;
            let Some(layout) = layouts[before].clone().filter(|_| are_alike) else {
                others.extend(begin as u32..(begin + n) as u32);
                continue;
            };
            found.resize(n, 0);
            differences(&Pairs { parents, children, places: &places[..n], len }, found);
            if layout.below != 0 {
                for (owner, words) in (begin as u32..).zip(found.iter_mut()) {
                    if *words & layout.below != 0 {
                        others.push(owner);
                        *words = 0;
                    }
                }
            }
            coder.choose_halves(begin, layout.tops);
            coder.note_changes(children, len);
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
    /// What it remembers takes a small part of what may be taken in all.
    pub fn new(budget: &Budget) -> Coder {
        const PART_FOR_MEMO: u64 = 32;
        let memo = || Memo::new(budget.limit() / PART_FOR_MEMO);
        Coder {
            codes: Codes::new(),
            layouts: Vec::new(),
            opened: Opened::default(),
            unrolled: Unrolled::default(),
            staged: Vec::new(),
            places: Vec::new(),
            found: Vec::new(),
            different: Vec::new(),
            n_different: 0,
            changed: Vec::new(),
            n_changed: 0,
            unknown: Vec::new(),
            others: Vec::new(),
            lookups: Default::default(),
            work: Vec::new(),
            dirty: Vec::new(),
            failed: None,
            n_dropped: 0,
            memos: [memo(), memo()],
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
        self.lookups.iter_mut().for_each(Lookups::clear);
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
    pub fn open(&mut self, rows: &Rows, left: u32, right: u32, out: &mut KeyBuffer) {
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
        out.words.clear();
        out.words.extend_from_slice(words);
    }

    /// Puts a state, as a child of the opened one.
    pub fn put(&mut self, state: Key<'_>, host: &impl Host, seat: &Seat) {
        let words = std::mem::take(&mut self.opened.words);
        let [left, right] = self.opened.halves;
        let (parent, len) = (handle_of(left, right), state.words().len() as u32);
        let family = Family { parent, words: 0..words.len() as u32, first: 0, len, distance: len, n: 1 };
        self.put_families(Keys::new(&words), Keys::new(state.words()), &[family], host, seat);
        self.opened.words = words;
    }

    /// Puts the children of several states. The handles of these are the pairs.
    pub fn put_families(
        &mut self,
        parents: Keys<'_>,
        children: Keys<'_>,
        families: &[Family],
        host: &impl Host,
        seat: &Seat,
    ) {
        let (parents, children) = (parents.words(), children.words());
        let parent = |family: &Family| Parent {
            words: &parents[family.words.start as usize..family.words.end as usize],
            halves: pair_of(family.parent).into(),
        };
        let begin = self.staged.len();
        let n_states: usize = families.iter().map(|family| family.n as usize).sum();
        if self.failed.is_none() {
            self.n_changed = 0;
            self.unknown.clear();
            self.others.clear();
            families.iter().for_each(|family| self.make_layout(host.rows(), family.words.len()));
            compare(Comparison { coder: self, parents, children, families });
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
                    let put = self.add_lookup(&children[child], owner, side, parent(family), host, seat);
                    self.heed(put, owner);
                }
            }
        }
        self.n_dropped += begin + n_states - self.staged.len();
    }

    /// Stages the children of some states as if they were these, and takes down where their words are.
    #[inline(always)]
    fn stage_families(&mut self, families: &[Family]) {
        const MANY: usize = 8;
        let Coder { staged, places, .. } = self;
        let (begin, n): (usize, usize) =
            (staged.len(), families.iter().map(|family| family.n as usize).sum());
        staged.resize(begin + n + MANY, [0; 2]);
        places.resize(places.len().max(n + MANY), Places::default());
        let mut at = 0;
        for family in families {
            let halves = pair_of(family.parent).into();
            for first in (0..family.n).step_by(MANY) {
                let next = at + first as usize;
                staged[begin + next..][..MANY].fill(halves);
                let mut child = family.first + first * family.distance;
                for place in &mut places[next..][..MANY] {
                    *place = Places { parent: family.words.start, child };
                    child = child.wrapping_add(family.distance);
                }
            }
            at += family.n as usize;
        }
        staged.truncate(begin + n);
    }

    /// Lists the halves of the states from `begin` on that differ from their parents. The words of each half have
    /// bits in `tops`.
    #[inline(always)]
    fn choose_halves(&mut self, begin: usize, tops: [u64; 2]) {
        let Coder { different, n_different, found, places, .. } = self;
        if different.len() < 2 * found.len() + 1 {
            different.resize(4 * found.len() + 1, Different::default());
        }
        let (mut n, mut half) = (0, 2 * begin as u32);
        for (&words, &Places { child, .. }) in found.iter().zip(&*places) {
            for here in tops {
                let words = words & here;
                different[n] = Different { words, child, half };
                n += usize::from(words != 0);
                half += 1;
            }
        }
        *n_different = n;
    }

    /// Makes changes of the halves that differ in few words, and has fetched where these may be known.
    #[inline(always)]
    fn note_changes(&mut self, children: &[u64], len: usize) {
        let Coder { different, n_different, changed, n_changed, unknown, staged, memos, .. } = self;
        let (mut n, most) = (*n_changed, *n_changed + *n_different);
        if changed.len() < most {
            changed.resize(2 * most, Changed::default());
        }
        let halves = staged.as_flattened();
        for &Different { words, child, half } in &different[..*n_different] {
            let state = &children[child as usize..][..len];
            match Change::new(halves[half as usize], state, words) {
                Some(change) => {
                    let place = memos[half as usize % 2].fetch(&change) as u32;
                    changed[n] = Changed { change, place, half };
                    n += 1;
                }
                None => unknown.push(half),
            }
        }
        *n_changed = n;
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
        let Coder { changed, n_changed, unknown, memos, staged, .. } = self;
        let halves = staged.as_flattened_mut();
        for &Changed { change, place, half } in &changed[..*n_changed] {
            match memos[half as usize % 2].get(place as usize, &change) {
                Some(id) => halves[half as usize] = id,
                None => unknown.push(half),
            }
        }
    }

    /// Lists a half that is not known to be looked up.
    fn add_lookup(
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
        let lookup = self.lookups[side].add(self.unrolled.top(side), owner);
        lookup.change = Change::new(half, state, differences);
        while differences != 0 {
            let at = differences.trailing_zeros() as usize;
            match self.codes.code(state[at], host, seat) {
                Ok(code) => set_entry(&mut lookup.row, layout.places[at] - (2 * side * ROW) as u32, code),
                Err(full) => {
                    // One that is not finished would be found as something else.
                    self.lookups[side].drop_last();
                    return Err(full);
                }
            }
            differences &= differences - 1;
        }
        lookup.finish(&layout.nodes[side], self.slots[side]);
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
            let lookup = self.lookups[side].add(lookups::top(&self.work, side), owner);
            lookup.finish(&layout.nodes[side], self.slots[side]);
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
        for (lookups, interner) in self.lookups.iter_mut().zip([&rows.left, &rows.right]) {
            // Guesses only, which have fetched what is needed to see whether they are right.
            for lookup in &mut lookups.list[..lookups.n] {
                lookup.guess =
                    interner.guess(lookup.class as usize, lookup.len as usize, lookup.hash, inside);
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
        let Lookups { list, n } = &self.lookups[side];
        for lookup in &list[..*n] {
            let row = &lookup.row[..lookup.len as usize];
            let id = match interner.confirm(lookup.guess, row) {
                Some(id) => id,
                None => {
                    let stock = &mut self.halves[side];
                    interner.intern(row, lookup.class as usize, lookup.hash, stock, budget, inside)?.0
                }
            };
            if let Some(change) = lookup.change {
                self.memos[side].note(change, id);
            }
            // The last one may be of a state that could not be staged.
            if let Some(halves) = self.staged.get_mut(lookup.owner) {
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
