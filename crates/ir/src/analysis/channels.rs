//! Which channels an expression can mean.
//!
//! A variable can hold what is assigned to it somewhere, in whatever order: constants, the channels
//! made with its process, what other variables hold, what `run` passes on. A channel's number is
//! fixed as long as its process lives, and processes end in the reverse order of their creation; so a
//! process and its children may keep the number of one of its channels, but in a shared variable the
//! number outlives the channel and may come to mean another one.

use std::collections::BTreeSet;

use super::walk::{guarded_commands, stores_of_receive, transitions};
use crate::expr::{Base, Expr, Op, Place};
use crate::layout::Slot;
use crate::program::{ChannelId, Comm, Program};

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
        if self.unknown {
            return false;
        }
        if other.unknown {
            *self = Denoted::UNKNOWN;
            return true;
        }
        let before = (self.types.len(), self.owned);
        self.types.extend(&other.types);
        self.owned |= other.owned;
        (self.types.len(), self.owned) != before
    }

    /// The types, for an expression in a program with `n_types` of them.
    pub fn types(&self, n_types: usize) -> Vec<u32> {
        if self.unknown { (0..n_types as u32).collect() } else { self.types.iter().copied().collect() }
    }
}

/// For each variable, the channels that it can mean.
pub struct ChannelSets {
    /// Those of the shared variables, then those of each template's.
    variables: Vec<Denoted>,
    /// For each template, where its variables begin among these.
    first: Vec<usize>,
}

impl ChannelSets {
    /// Looks at all assignments of a program, once at each, and then only at those from variables about which
    /// something new has come up.
    pub fn new(program: &Program) -> ChannelSets {
        let mut variables: Vec<Denoted> = program.globals.slots.iter().map(nothing_yet).collect();
        let mut first = Vec::with_capacity(program.processes.len());
        for process in &program.processes {
            first.push(variables.len());
            variables.extend(process.frame.slots.iter().map(nothing_yet));
        }
        let mut sets = ChannelSets { variables, first };
        let implicit = program.last.into_iter().chain(program.monitor.as_ref().map(|monitor| monitor.slot));
        implicit.for_each(|slot| sets.variables[slot as usize] = Denoted::UNKNOWN);
        for (process, &first) in program.processes.iter().zip(&sets.first) {
            let implicit = [process.pc].into_iter().chain(process.priority);
            implicit.for_each(|slot| sets.variables[first + slot as usize] = Denoted::UNKNOWN);
        }
        let mut flows = Flows { program, copied_to: vec![Vec::new(); sets.variables.len()], sets };
        flows.gather();
        flows.settle();
        flows.sets
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
            Expr::Load(place) => {
                self.variable(process, place).map_or(Denoted::UNKNOWN, |found| self.variables[found].clone())
            }
            Expr::Cond(_, then, otherwise) => {
                let mut denoted = self.of(program, process, then);
                denoted.add(&self.of(program, process, otherwise));
                denoted
            }
            _ => Denoted::UNKNOWN,
        }
    }

    /// The number of a variable, unless it is somebody else's.
    fn variable(&self, process: Option<usize>, place: &Place) -> Option<usize> {
        match (&place.base, process) {
            (Base::Global, _) => Some(place.slot as usize),
            (Base::Frame, Some(process)) => Some(self.first[process] + place.slot as usize),
            _ => None,
        }
    }
}

/// What flows from one variable to another.
struct Flows<'p> {
    program: &'p Program,
    sets: ChannelSets,
    /// For each variable, those to which it is copied somewhere.
    copied_to: Vec<Vec<usize>>,
}

impl Flows<'_> {
    /// Looks at all assignments.
    fn gather(&mut self) {
        let program = self.program;
        self.effect(None, &program.init);
        for (index, process) in program.processes.iter().enumerate() {
            self.effect(Some(index), &process.init);
            for transition in transitions(process) {
                guarded_commands(transition, &mut |guarded| {
                    self.effect(Some(index), &guarded.effect);
                    if let Comm::Receive(receive) = &guarded.comm {
                        // It may be anything.
                        stores_of_receive(receive).for_each(|place| self.store(Some(index), place, None));
                    }
                });
            }
        }
    }

    fn effect(&mut self, process: Option<usize>, ops: &[Op]) {
        for op in ops {
            match op {
                Op::Assign(place, value) => self.store(process, place, Some(value)),
                Op::Run { process: child, args, .. } => {
                    let child = child.0 as usize;
                    for (place, arg) in self.program.processes[child].params.iter().zip(args) {
                        if let Some(target) = self.sets.variable(Some(child), place) {
                            self.copy(process, arg, target);
                        }
                    }
                }
                Op::Assert { .. } | Op::SetPriority(..) | Op::Print(_) => {}
            }
        }
    }

    /// A process stores a value in a variable; without one, it may be any.
    fn store(&mut self, process: Option<usize>, place: &Place, value: Option<&Expr>) {
        match (&place.base, self.sets.variable(process, place), value) {
            (Base::Remote { process, .. }, ..) => {
                let target = self.sets.first[process.0 as usize] + place.slot as usize;
                self.sets.variables[target] = Denoted::UNKNOWN;
            }
            (_, Some(target), Some(value)) => self.copy(process, value, target),
            (_, Some(target), None) => self.sets.variables[target] = Denoted::UNKNOWN,
            // Only processes have variables of their own.
            (_, None, _) => {}
        }
    }

    fn copy(&mut self, process: Option<usize>, value: &Expr, target: usize) {
        match value {
            Expr::Cond(_, then, otherwise) => {
                self.copy(process, then, target);
                self.copy(process, otherwise, target);
            }
            Expr::Load(place) if self.sets.variable(process, place).is_some() => {
                let source = self.sets.variable(process, place);
                source.into_iter().for_each(|source| self.copied_to[source].push(target));
            }
            _ => {
                let value = self.sets.of(self.program, process, value);
                self.add(&value, target);
            }
        }
    }

    /// Adds channels to those of a variable. Says whether that changes anything.
    fn add(&mut self, value: &Denoted, target: usize) -> bool {
        let is_shared = target < self.program.globals.slots.len();
        let found = &mut self.sets.variables[target];
        if is_shared && value.owned { found.add(&Denoted::UNKNOWN) } else { found.add(value) }
    }

    /// Lets what variables can mean flow on until nothing is new.
    fn settle(&mut self) {
        self.copied_to.iter_mut().for_each(|targets| {
            targets.sort_unstable();
            targets.dedup();
        });
        let mut open: Vec<usize> = (0..self.copied_to.len()).collect();
        let mut is_open = vec![true; open.len()];
        while let Some(source) = open.pop() {
            is_open[source] = false;
            let value = self.sets.variables[source].clone();
            for k in 0..self.copied_to[source].len() {
                let target = self.copied_to[source][k];
                if self.add(&value, target) && !std::mem::replace(&mut is_open[target], true) {
                    open.push(target);
                }
            }
        }
    }
}

/// A variable that nothing is assigned to. One that is too narrow for the number of a channel may
/// hold anything.
fn nothing_yet(slot: &Slot) -> Denoted {
    let is_wide = slot.width >= if slot.signed { 9 } else { 8 };
    if is_wide { Denoted::default() } else { Denoted::UNKNOWN }
}
