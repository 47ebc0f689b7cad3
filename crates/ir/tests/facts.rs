//! The facts, tested directly: what is not declared as read is changed, and must not matter; what is
//! not declared as written must stay.
//!
//! `STUBBORN_SEED` replays a run with another seed.

mod support;

use std::collections::{BTreeSet, HashMap};

use ir::{Dim, Interpreter, Meaning, Program, Region};
use model::{Action, Actions, Facts, Model, OutcomeKind, Relation, Successors};
use support::Named;
use support::explore::{Random, reachable};

/// The states of a program that are looked at: some of the first thousand.
const STATES: usize = 1000;
const SAMPLES: usize = 200;

#[test]
fn undeclared_slots_do_not_matter_and_stay() {
    let seed = std::env::var("STUBBORN_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut counts = Counts::default();
    for Named { name, program } in support::programs() {
        let interpreter = Interpreter::new(program);
        let states = reachable(&interpreter, STATES);
        let mut random = Random(seed);
        let channels = channel_values(&interpreter, &states);
        let mut check = Check { interpreter: &interpreter, name: &name, seed, channels, counts: &mut counts };
        for _ in 0..SAMPLES.min(states.len()) {
            let state = &states[random.below(states.len() as u64) as usize];
            check.state(state, &mut random);
        }
    }
    eprintln!("{counts:?}");
    assert!(counts.changed > 10_000 && counts.fired > 10_000 && counts.rendezvous > 100, "{counts:?}");
}

/// How much was tested.
#[derive(Debug, Default)]
struct Counts {
    /// Values changed while looking at whether an action is enabled.
    changed: usize,
    /// Values changed while looking at what an action does.
    fired: usize,
    /// Actions with a partner among them.
    rendezvous: usize,
    /// Values that actions have changed.
    written: usize,
}

/// A part of a state: bits of one word, or the words of a channel.
#[derive(Clone, Debug)]
struct Cell {
    /// The slot that it belongs to, and the process, if the slot is owned.
    slot: u32,
    pid: Option<u16>,
    word: usize,
    n_words: usize,
    mask: u64,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// A number below a limit.
    Number(u64),
    /// The number of a channel.
    ChannelNumber,
    /// The messages of a channel of this type.
    Channel(usize),
}

struct Check<'a> {
    interpreter: &'a Interpreter,
    name: &'a str,
    seed: u64,
    /// For each slot that holds the number of a channel, the numbers that it has been seen to hold.
    channels: HashMap<u32, BTreeSet<u64>>,
    counts: &'a mut Counts,
}

/// A variable for a channel may be declared not to matter because of the channels that it can mean;
/// such a variable can only be given a value that it can have.
fn channel_values(interpreter: &Interpreter, states: &[Vec<u64>]) -> HashMap<u32, BTreeSet<u64>> {
    let mut values: HashMap<u32, BTreeSet<u64>> = HashMap::new();
    for state in states {
        for cell in cells(interpreter, state).iter().filter(|cell| matches!(cell.what, What::ChannelNumber)) {
            values.entry(cell.slot).or_default().insert(cell.value(state));
        }
    }
    values
}

impl Cell {
    fn value(&self, state: &[u64]) -> u64 {
        (state[self.word] & self.mask) >> self.mask.trailing_zeros()
    }

    fn set(&self, state: &mut [u64], value: u64) {
        state[self.word] =
            (state[self.word] & !self.mask) | (value << self.mask.trailing_zeros() & self.mask);
    }
}

impl Check<'_> {
    fn state(&mut self, state: &[u64], random: &mut Random) {
        let mut before = Vec::new();
        self.interpreter.steps(state, None, false, &mut before);
        for action in &before {
            self.writes(state, action);
        }
        for cell in cells(self.interpreter, state) {
            let changed = self.change(state, &cell, random);
            let mut after = Vec::new();
            self.interpreter.steps(&changed, None, false, &mut after);
            for action in before.iter().chain(&after) {
                if self.reads(action, &cell) {
                    continue;
                }
                self.counts.changed += 1;
                let still = before.contains(action) && after.contains(action);
                assert!(still, "{} is switched by {}", self.text(action), self.cell_text(&cell, state));
                self.effect(state, &changed, action, &cell);
            }
        }
    }

    /// The state with another value in a cell; the same state if it can have no other.
    fn change(&self, state: &[u64], cell: &Cell, random: &mut Random) -> Vec<u64> {
        let mut changed = state.to_vec();
        match cell.what {
            What::Number(limit) if limit > 1 => {
                let old = cell.value(state);
                // Small numbers are more interesting: they are indices and channels.
                let limit = if random.below(2) == 0 { limit.min(old.saturating_add(4)) } else { limit };
                let new = (old + 1 + random.below(limit.max(2) - 1)) % limit.max(2);
                cell.set(&mut changed, new);
            }
            What::Number(_) => {}
            What::ChannelNumber => {
                let values = &self.channels[&cell.slot];
                let new = values.iter().nth(random.below(values.len() as u64) as usize);
                cell.set(&mut changed, new.copied().unwrap_or_default());
            }
            What::Channel(channel) => {
                let channel = &self.interpreter.program().channels[channel];
                let len = state[cell.word] & 0xff;
                changed[cell.word..cell.word + cell.n_words].fill(0);
                if len == 0 {
                    changed[cell.word] = 1;
                    let offset = channel.layout.first + channel.layout.fields.first().copied().unwrap_or(0);
                    let width = channel.fields.first().map_or(1, |field| field.width);
                    let value = random.below(4) & ((1 << width) - 1);
                    changed[cell.word + (offset / 64) as usize] |= value << (offset % 64);
                }
            }
        }
        changed
    }

    /// What an action does must not depend on a cell.
    fn effect(&mut self, state: &[u64], changed: &[u64], action: &Action, cell: &Cell) {
        let (first, second) =
            (fire(self.interpreter, state, action), fire(self.interpreter, changed, action));
        self.counts.fired += 1;
        self.counts.rendezvous += usize::from(action.partner().is_some());
        let explain = || format!("{} depends on {}", self.text(action), self.cell_text(cell, state));
        assert_eq!(first.outcomes.len(), second.outcomes.len(), "{}", explain());
        for (one, other) in first.outcomes.iter().zip(&second.outcomes) {
            let (one, other) = match (&one.kind, &other.kind) {
                (OutcomeKind::State(one), OutcomeKind::State(other)) => {
                    (first.state(one), second.state(other))
                }
                (OutcomeKind::Failed(one), OutcomeKind::Failed(other)) => {
                    assert_eq!(one, other, "{}", explain());
                    continue;
                }
                _ => panic!("{}", explain()),
            };
            assert_eq!(one.len(), other.len(), "{}", explain());
            for (at, (&one, &other)) in one.iter().zip(other).enumerate() {
                let inside = (cell.word..cell.word + cell.n_words).contains(&at);
                let mask = if inside { cell.mask } else { 0 };
                assert_eq!(one & !mask, other & !mask, "{}", explain());
                let same = one & mask == other & mask;
                let kept = inside && one & mask == state[at] & mask && other & mask == changed[at] & mask;
                assert!(same || kept, "{}", explain());
            }
        }
    }

    /// An action may change only what it declares.
    fn writes(&mut self, state: &[u64], action: &Action) {
        let old = cells(self.interpreter, state);
        let out = fire(self.interpreter, state, action);
        let facts = self.interpreter.facts();
        for outcome in &out.outcomes {
            let OutcomeKind::State(range) = &outcome.kind else { continue };
            let new = out.state(range);
            let processes = facts.slots.iter().position(|slot| slot.name == "_nr_pr").expect("a slot");
            let shape = Cell {
                slot: processes as u32,
                pid: None,
                word: 0,
                n_words: 1,
                mask: 0xffff_ffff,
                what: What::Number(0),
            };
            let n_processes = self.interpreter.n_processes(new).min(self.interpreter.n_processes(state));
            let same = (0..n_processes as u16).take_while(|&pid| {
                self.interpreter.template_of(new, pid) == self.interpreter.template_of(state, pid)
            });
            let end = start_of(self.interpreter, state, same.count());
            for cell in old.iter().chain([&shape]).filter(|cell| cell.word < end) {
                let differs =
                    (cell.word..cell.word + cell.n_words).any(|at| (state[at] ^ new[at]) & cell.mask != 0);
                let declared = declares(&facts.may_write, &facts.may_write_of_any, action, cell);
                let explain = || format!("{} writes {}", self.text(action), self.cell_text(cell, state));
                assert!(!differs || declared, "{}", explain());
                self.counts.written += usize::from(differs);
            }
        }
    }

    fn reads(&self, action: &Action, cell: &Cell) -> bool {
        let facts: &Facts = self.interpreter.facts();
        declares(&facts.reads, &facts.reads_of_any, action, cell)
    }

    fn text(&self, action: &Action) -> String {
        let of = |number| &self.interpreter.transition(number).text;
        let partner = action.partner().map(|partner| format!(" with '{}'", of(partner.transition)));
        let (name, seed) = (self.name, self.seed);
        format!("{name}, seed {seed}: '{}'{}", of(action.actor.transition), partner.unwrap_or_default())
    }

    fn cell_text(&self, cell: &Cell, state: &[u64]) -> String {
        let name = &self.interpreter.facts().slots[cell.slot as usize].name;
        format!("{name} of {:?} in {:?}", cell.pid, self.interpreter.variables(state))
    }
}

/// Whether the facts about an action say that it concerns a cell.
fn declares(own: &Relation, any: &Relation, action: &Action, cell: &Cell) -> bool {
    [Some(action.actor), action.partner()].into_iter().flatten().any(|party| {
        let row = party.transition as usize;
        let is_own = cell.pid.is_none_or(|pid| pid == party.process);
        (is_own && own.contains(row, cell.slot)) || any.contains(row, cell.slot)
    })
}

fn fire(interpreter: &Interpreter, state: &[u64], action: &Action) -> Successors {
    let mut out = Successors::default();
    interpreter.fire(&Actions { list: vec![*action], timeout: false }, state, &mut out);
    out
}

/// The first word of a process.
fn start_of(interpreter: &Interpreter, state: &[u64], pid: usize) -> usize {
    let program = interpreter.program();
    let words = |channels: &[ir::ChannelId]| -> usize {
        channels.iter().map(|channel| program.channels[channel.0 as usize].layout.words as usize).sum()
    };
    let mut at = program.globals.words().max(1) as usize + words(&program.global_channels);
    for pid in 0..pid as u16 {
        let process = &program.processes[interpreter.template_of(state, pid).0 as usize];
        at += process.frame.words() as usize + words(&process.channels);
    }
    at
}

/// All cells of a state.
fn cells(interpreter: &Interpreter, state: &[u64]) -> Vec<Cell> {
    let program = interpreter.program();
    let mut cells = Vec::new();
    let limits = |slot: usize| {
        let is_monitor = program.monitor.as_ref().filter(|monitor| monitor.slot as usize == slot);
        is_monitor.map(|monitor| monitor.locations.len() as u64)
    };
    of_region(&program.globals, 0, 0, None, &limits, &mut cells);
    of_channels(program, &program.global_channels, program.globals.words().max(1) as usize, &mut cells);
    for pid in 0..interpreter.n_processes(state) as u16 {
        let template = interpreter.template_of(state, pid).0;
        let process = &program.processes[template as usize];
        let owner = |slot: &model::SlotFacts| slot.owner == Some(template);
        let first = interpreter.facts().slots.iter().position(owner).expect("a frame has slots") as u32;
        let start = start_of(interpreter, state, pid as usize);
        let limits = |slot: usize| (slot as u32 == process.pc).then_some(process.locations.len() as u64);
        of_region(&process.frame, start, first, Some(pid), &limits, &mut cells);
        of_channels(program, &process.channels, start + process.frame.words() as usize, &mut cells);
    }
    cells
}

fn of_region(
    region: &Region,
    start: usize,
    first: u32,
    pid: Option<u16>,
    limits: &dyn Fn(usize) -> Option<u64>,
    out: &mut Vec<Cell>,
) {
    for (k, slot) in region.slots.iter().enumerate() {
        let limit = limits(k).unwrap_or(1 << slot.width);
        // Of a large array a few elements are enough.
        for offset in offsets(&slot.dims, slot.offset).into_iter().take(8) {
            out.push(Cell {
                slot: first + k as u32,
                pid,
                word: start + (offset / 64) as usize,
                n_words: 1,
                mask: ((1 << slot.width) - 1) << (offset % 64),
                what: match slot.meaning {
                    Meaning::Channel => What::ChannelNumber,
                    _ => What::Number(limit),
                },
            });
        }
    }
}

fn offsets(dims: &[Dim], offset: u32) -> Vec<u32> {
    match dims {
        [] => vec![offset],
        [dim, inner @ ..] => {
            (0..dim.len.min(8)).flat_map(|k| offsets(inner, offset + k * dim.stride)).collect()
        }
    }
}

fn of_channels(program: &Program, channels: &[ir::ChannelId], start: usize, out: &mut Vec<Cell>) {
    let mut word = start;
    for channel in channels {
        let n_words = program.channels[channel.0 as usize].layout.words as usize;
        if n_words > 0 {
            let slot = program.globals.slots.len() as u32 + channel.0;
            let what = What::Channel(channel.0 as usize);
            out.push(Cell { slot, pid: None, word, n_words, mask: u64::MAX, what });
        }
        word += n_words;
    }
}
