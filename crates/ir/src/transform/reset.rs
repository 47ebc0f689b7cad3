//! Dead variables are set to 0.
//!
//! A variable is live at a location if its value may still be read behind it. Where the value of a dead
//! one is the only difference between two states, they are the same for everybody. Only scalar variables
//! of processes are looked at that are written at all and that no other process reads.

use model::{Over, Pace, Patience};

use super::{Changed, seen_slots};
use crate::analysis::{guarded_commands, stores, target, transitions, walk, walk_transition};
use crate::expr::{Base, Expr, Op, Place};
use crate::program::{Command, Process, Program, Transition};
use crate::provenance::Provenance;
use crate::rewrite;

/// Sets variables to 0 with the step behind which nobody reads their values.
///
/// # Errors
/// If it takes too long.
pub fn reset_dead_variables(program: &Program, patience: &Patience) -> Changed {
    let mut pace = patience.pace();
    let seen = seen_slots(program, &mut pace)?;
    let mut found = Vec::with_capacity(program.processes.len());
    for (process, seen) in program.processes.iter().zip(&seen) {
        let candidates = Candidates::of(process, seen);
        let live = Live::of(process, &candidates, &mut pace)?;
        found.push((candidates, live));
    }
    if found.iter().all(|(candidates, _)| candidates.slots.is_empty()) {
        return Ok(None);
    }
    let mut is_changed = false;
    let mut changed = rewrite::with_transitions(program, patience, |origin, transition| {
        let (candidates, live) = &found[origin.process];
        let mut before = live.at(origin.location).to_vec();
        candidates.written(transition, &mut |number| insert(&mut before, number));
        let Command::Guarded(guarded) = &mut transition.command else { return };
        let behind = live.at(transition.target.0 as usize);
        for number in difference(&before, behind) {
            guarded.effect.push(candidates.resets[number].clone());
            is_changed = true;
        }
    })?;
    for (process, (candidates, live)) in changed.processes.iter_mut().zip(&found) {
        let all = candidates.all();
        let dead_from_the_start = difference(&all, live.at(0));
        let before = process.init.len();
        process.init.extend(dead_from_the_start.map(|number| candidates.resets[number].clone()));
        is_changed |= process.init.len() > before;
    }
    Ok(is_changed.then_some((changed, Provenance::same())))
}

/// The variables of a process that may be set to 0. They are numbered from 0.
struct Candidates {
    slots: Vec<usize>,
    /// For each slot, its number.
    numbers: Vec<Option<usize>>,
    /// What sets each to 0.
    resets: Vec<Op>,
}

impl Candidates {
    fn of(process: &Process, seen: &[bool]) -> Candidates {
        let mut written = vec![false; process.frame.slots.len()];
        for transition in transitions(process) {
            written_by(transition, &mut |place| written[place.slot as usize] = true);
        }
        let is_scalar = |slot: usize| process.frame.slots[slot].dims.is_empty();
        let is_candidate = |&slot: &usize| written[slot] && !seen[slot] && is_scalar(slot);
        let slots: Vec<usize> = (0..written.len()).filter(is_candidate).collect();
        let mut numbers = vec![None; written.len()];
        slots.iter().enumerate().for_each(|(number, &slot)| numbers[slot] = Some(number));
        let resets = slots.iter().map(|&slot| set_to_zero(process, slot as u32)).collect();
        Candidates { slots, numbers, resets }
    }

    /// All of them, as a set.
    fn all(&self) -> Vec<u64> {
        let mut all = vec![0; self.slots.len().div_ceil(64)];
        (0..self.slots.len()).for_each(|number| insert(&mut all, number));
        all
    }

    /// Visits those that a transition may write.
    fn written(&self, transition: &Transition, visit: &mut dyn FnMut(usize)) {
        written_by(transition, &mut |place| {
            self.numbers[place.slot as usize].into_iter().for_each(&mut *visit);
        });
    }

    /// Visits those that an expression reads, without the ones inside it.
    fn read(&self, expr: &Expr, visit: &mut dyn FnMut(usize)) {
        if let Expr::Load(Place { base: Base::Frame, slot, .. }) = expr {
            self.numbers[*slot as usize].into_iter().for_each(visit);
        }
    }
}

/// For each location of a process, the candidates that may be read from there on: a set of bits.
struct Live {
    /// The words of a set.
    width: usize,
    words: Vec<u64>,
}

impl Live {
    /// Goes through the strongly connected components of the control flow, those to which others lead first. So every
    /// location is looked at once, and only those on cycles again, if something new is live behind them.
    fn of(process: &Process, candidates: &Candidates, pace: &mut Pace<'_>) -> Result<Live, Over> {
        let width = candidates.slots.len().div_ceil(64);
        let n_locations = process.locations.len();
        let mut live = Live { width, words: vec![0; width * n_locations] };
        if width == 0 {
            return Ok(live);
        }
        let mut always = vec![0; width];
        process.provided.iter().for_each(|expr| {
            walk(expr, &mut |expr| candidates.read(expr, &mut |number| insert(&mut always, number)));
        });
        let ways: Vec<Vec<Way>> = process
            .locations
            .iter()
            .map(|at| at.transitions.iter().map(|way| Way::of(way, candidates)).collect())
            .collect();
        let mut leading: Vec<Vec<usize>> = vec![Vec::new(); n_locations];
        for (at, ways) in ways.iter().enumerate() {
            ways.iter().filter_map(|way| way.target).for_each(|target| leading[target].push(at));
        }
        let targets: Vec<Vec<usize>> =
            ways.iter().map(|ways| ways.iter().filter_map(|way| way.target).collect()).collect();
        let parts = logic::components(n_locations, |at, k| targets[at].get(k).copied());
        let mut order: Vec<usize> = (0..n_locations).rev().collect();
        order.sort_by_key(|&at| parts.of[at]);
        let mut is_open = vec![true; n_locations];
        let mut set = vec![0; width];
        for members in order.chunk_by(|&one, &other| parts.of[one] == parts.of[other]) {
            let mut open = std::collections::VecDeque::from(members.to_vec());
            while let Some(at) = open.pop_front() {
                is_open[at] = false;
                set.copy_from_slice(&always);
                for way in &ways[at] {
                    pace.steps(width + way.reads.len() + way.writes.len())?;
                    way.add_to(&mut set, way.target.map(|target| live.at(target)));
                }
                if set == live.at(at) {
                    continue;
                }
                live.words[at * width..][..width].copy_from_slice(&set);
                for &before in leading[at].iter().filter(|&&before| parts.of[before] == parts.of[at]) {
                    if !std::mem::replace(&mut is_open[before], true) {
                        open.push_back(before);
                    }
                }
            }
        }
        Ok(live)
    }

    fn at(&self, location: usize) -> &[u64] {
        &self.words[location * self.width..][..self.width]
    }
}

/// What a transition does to the candidates.
struct Way {
    reads: Vec<u32>,
    /// Those that have other values behind it, whatever they were.
    writes: Vec<u32>,
    target: Option<usize>,
}

impl Way {
    fn of(transition: &Transition, candidates: &Candidates) -> Way {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        walk_transition(transition, &mut |expr| {
            candidates.read(expr, &mut |number| reads.push(number as u32));
        });
        // On some ways through a block it may be left alone.
        if matches!(transition.command, Command::Guarded(_)) {
            candidates.written(transition, &mut |number| writes.push(number as u32));
        }
        Way { reads, writes, target: target(transition).map(|target| target as usize) }
    }

    /// Adds to a set what is live in front of it, given what is behind it.
    fn add_to(&self, set: &mut [u64], behind: Option<&[u64]>) {
        for (k, &word) in behind.unwrap_or_default().iter().enumerate() {
            let here = self.writes.iter().filter(|&&number| number as usize / 64 == k);
            set[k] |= here.fold(word, |word, number| word & !(1 << (number % 64)));
        }
        self.reads.iter().for_each(|&number| insert(set, number as usize));
    }
}

fn insert(set: &mut [u64], number: usize) {
    set[number / 64] |= 1 << (number % 64);
}

/// The numbers that are in one set and not in another.
fn difference<'s>(one: &'s [u64], other: &'s [u64]) -> impl Iterator<Item = usize> + 's {
    one.iter().zip(other).enumerate().flat_map(|(k, (one, other))| {
        let rest = one & !other;
        (0..64).filter(move |bit| rest >> bit & 1 == 1).map(move |bit| 64 * k + bit)
    })
}

fn set_to_zero(process: &Process, slot: u32) -> Op {
    let found = &process.frame.slots[slot as usize];
    let place = Place {
        base: Base::Frame,
        slot,
        indices: Vec::new(),
        offset: found.offset,
        width: found.width,
        signed: found.signed,
        dims: Vec::new(),
    };
    Op::Assign(place, Expr::Const(0))
}

/// Visits the places in the frame that a transition writes to.
fn written_by(transition: &Transition, visit: &mut dyn FnMut(&Place)) {
    guarded_commands(transition, &mut |guarded| {
        stores(guarded, &mut |place| {
            if place.base == Base::Frame {
                visit(place);
            }
        });
    });
}
