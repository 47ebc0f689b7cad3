//! Which channels an expression can mean.
//!
//! A variable can hold what is assigned to it somewhere, in whatever order: constants, the channels
//! made with its process, what other variables hold, what `run` passes on. A channel's number is
//! fixed as long as its process lives, and processes end in the reverse order of their creation; so a
//! process and its children may keep the number of one of its channels, but in a shared variable the
//! number outlives the channel and may come to mean another one.

use std::collections::BTreeSet;

use super::walk::{guarded_commands, transitions};
use crate::expr::{Base, Expr, Op, Pattern, Place};
use crate::layout::Slot;
use crate::program::{ChannelId, Comm, Process, Program};

/// The channels that an expression can mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Denoted {
    /// The types that are known to be possible.
    types: BTreeSet<u32>,
    /// True if some of them are made with a process.
    owned: bool,
    /// True if there may be others.
    unknown: bool,
}

impl Denoted {
    const UNKNOWN: Denoted = Denoted { types: BTreeSet::new(), owned: false, unknown: true };

    fn of(channel: ChannelId, owned: bool) -> Denoted {
        Denoted { types: BTreeSet::from([channel.0]), owned, unknown: false }
    }

    /// Adds the channels of another one. Says whether that changes anything.
    fn add(&mut self, other: &Denoted) -> bool {
        let before = self.clone();
        self.types.extend(&other.types);
        self.owned |= other.owned;
        self.unknown |= other.unknown;
        *self != before
    }

    /// The types, for an expression in a program with `n_types` of them.
    pub fn types(&self, n_types: usize) -> Vec<u32> {
        if self.unknown { (0..n_types as u32).collect() } else { self.types.iter().copied().collect() }
    }
}

/// For each variable, the channels that it can mean.
pub struct ChannelSets {
    globals: Vec<Denoted>,
    frames: Vec<Vec<Denoted>>,
}

impl ChannelSets {
    /// Looks at all assignments of a program.
    pub fn new(program: &Program) -> ChannelSets {
        let mut sets = ChannelSets {
            globals: program.globals.slots.iter().map(nothing_yet).collect(),
            frames: program
                .processes
                .iter()
                .map(|p| p.frame.slots.iter().map(nothing_yet).collect())
                .collect(),
        };
        let implicit = program.last.into_iter().chain(program.monitor.as_ref().map(|monitor| monitor.slot));
        implicit.for_each(|slot| sets.globals[slot as usize] = Denoted::UNKNOWN);
        for (process, frame) in program.processes.iter().zip(&mut sets.frames) {
            let implicit = [process.pc].into_iter().chain(process.priority);
            implicit.for_each(|slot| frame[slot as usize] = Denoted::UNKNOWN);
        }
        while sets.pass(program) {}
        sets
    }

    /// The channels that an expression of a process can mean.
    pub fn of(&self, program: &Program, process: Option<usize>, expr: &Expr) -> Denoted {
        match expr {
            Expr::Const(number) if *number <= 0 => Denoted::default(),
            Expr::Const(number) => match program.global_channels.get(*number as usize - 1) {
                Some(&channel) => Denoted::of(channel, false),
                None => Denoted::UNKNOWN,
            },
            Expr::OwnChannel(k) => match process {
                Some(process) => Denoted::of(program.processes[process].channels[*k as usize], true),
                None => Denoted::UNKNOWN,
            },
            Expr::Load(place) => match (&place.base, process) {
                (Base::Global, _) => self.globals[place.slot as usize].clone(),
                (Base::Frame, Some(process)) => self.frames[process][place.slot as usize].clone(),
                _ => Denoted::UNKNOWN,
            },
            Expr::Cond(_, then, otherwise) => {
                let mut denoted = self.of(program, process, then);
                denoted.add(&self.of(program, process, otherwise));
                denoted
            }
            _ => Denoted::UNKNOWN,
        }
    }

    /// Goes over all assignments once. Says whether anything is new.
    fn pass(&mut self, program: &Program) -> bool {
        let mut changed = self.effect(program, None, &program.init);
        for (index, process) in program.processes.iter().enumerate() {
            changed |= self.effect(program, Some(index), &process.init);
            changed |= self.commands(program, index, process);
        }
        changed
    }

    fn commands(&mut self, program: &Program, index: usize, process: &Process) -> bool {
        let mut changed = false;
        for transition in transitions(process) {
            guarded_commands(transition, &mut |guarded| {
                changed |= self.effect(program, Some(index), &guarded.effect);
                if let Comm::Receive(receive) = &guarded.comm {
                    for pattern in &receive.fields {
                        if let Pattern::Store(place) = pattern {
                            changed |= self.assign(Some(index), place, &Denoted::UNKNOWN);
                        }
                    }
                }
            });
        }
        changed
    }

    fn effect(&mut self, program: &Program, process: Option<usize>, ops: &[Op]) -> bool {
        let mut changed = false;
        for op in ops {
            match op {
                Op::Assign(place, value) => {
                    let value = self.of(program, process, value);
                    changed |= self.assign(process, place, &value);
                }
                Op::Run { process: child, args, .. } => {
                    let child = child.0 as usize;
                    for (place, arg) in program.processes[child].params.iter().zip(args) {
                        let value = self.of(program, process, arg);
                        changed |= self.assign(Some(child), place, &value);
                    }
                }
                Op::Assert { .. } | Op::SetPriority(..) | Op::Print(_) => {}
            }
        }
        changed
    }

    fn assign(&mut self, process: Option<usize>, place: &Place, value: &Denoted) -> bool {
        let slot = place.slot as usize;
        match (&place.base, process) {
            (Base::Frame, Some(process)) => self.frames[process][slot].add(value),
            (Base::Remote { process, .. }, _) => self.frames[process.0 as usize][slot].add(&Denoted::UNKNOWN),
            _ if value.owned => self.globals[slot].add(&Denoted::UNKNOWN),
            _ => self.globals[slot].add(value),
        }
    }
}

/// A variable that nothing is assigned to. One that is too narrow for the number of a channel may
/// hold anything.
fn nothing_yet(slot: &Slot) -> Denoted {
    let is_wide = slot.width >= if slot.signed { 9 } else { 8 };
    if is_wide { Denoted::default() } else { Denoted::UNKNOWN }
}
