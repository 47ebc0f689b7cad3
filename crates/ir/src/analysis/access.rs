//! What a single step reads and writes.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::channels::{ChannelSets, Denoted};
use super::walk::transitions;
use crate::expr::{Base, Expr, Op, Pattern, Piece, Place, Receive, Send};
use crate::program::{Comm, Command, Guarded, Process, Program, Transition};

/// How the slots of a program are numbered: the shared variables, the types of channels, the list of
/// processes, then the frames.
pub struct SlotNumbers {
    channels: u32,
    /// Which processes live.
    pub processes: u32,
    /// The first slot of each template's frame.
    frames: Vec<u32>,
    /// Behind the last one.
    pub end: u32,
}

impl SlotNumbers {
    pub fn new(program: &Program) -> SlotNumbers {
        let channels = program.globals.slots.len() as u32;
        let processes = channels + program.channels.len() as u32;
        let mut end = processes + 1;
        let mut frames = Vec::with_capacity(program.processes.len());
        for process in &program.processes {
            frames.push(end);
            end += process.frame.slots.len() as u32;
        }
        SlotNumbers { channels, processes, frames, end }
    }

    /// Whether each instance of a template has one of its own.
    fn is_owned(&self, slot: u32) -> bool {
        slot > self.processes
    }

    fn frame(&self, process: usize, slot: u32) -> u32 {
        self.frames[process] + slot
    }
}

/// Slots: shared ones and those of the acting process, and those of any process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    pub own: BTreeSet<u32>,
    pub any: BTreeSet<u32>,
}

impl Slots {
    fn len(&self) -> usize {
        self.own.len() + self.any.len()
    }

    fn add(&mut self, other: &Slots) {
        self.own.extend(&other.own);
        self.any.extend(&other.any);
    }

    /// Adds what another process accesses.
    fn add_of_other(&mut self, other: &Slots, numbers: &SlotNumbers) {
        let (owned, shared): (Vec<u32>, Vec<u32>) =
            other.own.iter().partition(|slot| numbers.is_owned(**slot));
        self.own.extend(shared);
        self.any.extend(owned);
        self.any.extend(&other.any);
    }
}

/// What a transition reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    pub reads: Slots,
    pub writes: Slots,
}

impl Access {
    pub fn len(&self) -> usize {
        self.reads.len() + self.writes.len()
    }

    pub fn add(&mut self, other: &Access) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
    }

    /// Adds what another process does.
    pub fn add_of_other(&mut self, other: &Access, numbers: &SlotNumbers) {
        self.reads.add_of_other(&other.reads, numbers);
        self.writes.add_of_other(&other.writes, numbers);
    }
}

/// The numbers of fields that a message can have. With another one it is refused, whatever the
/// channel holds.
type Arity = RangeInclusive<usize>;

const ANY: Arity = 0..=usize::MAX;

fn exactly<T>(fields: &[T]) -> Arity {
    fields.len()..=fields.len()
}

/// A transition that may take the message of a rendezvous.
struct Receiver {
    number: u32,
    channel: Denoted,
    /// Whether finding out the channel can fail. Such a receive shows up as everybody's partner, to
    /// fail when it is tried.
    may_fail: bool,
    /// What decides whether it takes a message.
    reads: Slots,
}

/// Finds what single steps read and write.
pub struct Steps<'p> {
    program: &'p Program,
    pub numbers: SlotNumbers,
    channels: ChannelSets,
    receivers: Vec<Receiver>,
}

impl<'p> Steps<'p> {
    pub fn new(program: &'p Program) -> Steps<'p> {
        let numbers = SlotNumbers::new(program);
        let channels = ChannelSets::new(program);
        let mut steps = Steps { program, numbers, channels, receivers: Vec::new() };
        let mut number = 0;
        for (p, process) in program.processes.iter().enumerate() {
            for transition in transitions(process) {
                let receivers = steps.receivers_of(p, process, transition, number);
                steps.receivers.extend(receivers);
                number += 1;
            }
        }
        steps
    }

    fn receivers_of(
        &self,
        p: usize,
        process: &Process,
        transition: &Transition,
        number: u32,
    ) -> Vec<Receiver> {
        let single = std::slice::from_ref(transition);
        let entries = match &transition.command {
            Command::Block(block) => &block.locations[0],
            _ => single,
        };
        let mut receivers = Vec::new();
        for entry in entries {
            let Command::Guarded(Guarded { guard, comm: Comm::Receive(receive), .. }) = &entry.command else {
                continue;
            };
            let mut asked = Slots::default();
            asked.own.insert(self.numbers.frame(p, process.pc));
            let matches = receive.fields.iter().filter_map(|pattern| match pattern {
                Pattern::Match(expr) => Some(expr),
                Pattern::Store(_) | Pattern::Ignore => None,
            });
            let exprs = matches.chain(guard).chain(&process.provided).chain([&receive.channel]);
            exprs.for_each(|expr| self.expr(Some(p), expr, &mut asked));
            let mut reads = Slots::default();
            reads.add_of_other(&asked, &self.numbers);
            let channel = self.channels.of(self.program, Some(p), &receive.channel);
            let may_fail = !is_total(&receive.channel);
            receivers.push(Receiver { number, channel, may_fail, reads });
        }
        receivers
    }

    /// What the first or a later step of an action accesses: the transition `k` of a location.
    pub fn step(&self, p: usize, process: &Process, transitions: &[Transition], k: usize) -> Access {
        let transition = &transitions[k];
        let mut access = Access::default();
        let reads = &mut access.reads;
        reads.own.insert(self.numbers.frame(p, process.pc));
        process.provided.iter().for_each(|condition| self.expr(Some(p), condition, reads));
        if self.program.priorities {
            self.everything(Some(p), reads);
        }
        self.readiness(p, transition, reads);
        for (index, earlier) in transitions[..k].iter().enumerate() {
            let shuts_out = earlier.escape.is_some() && earlier.escape != transition.escape;
            let counts = matches!(transition.command, Command::Else { since } if index >= since as usize);
            if shuts_out || counts {
                self.readiness(p, earlier, reads);
            }
        }
        self.effects(p, process, transition, &mut access);
        access
    }

    /// The transitions that may take the message of a rendezvous of this one.
    pub fn partners(&self, p: usize, transition: &Transition) -> Vec<u32> {
        match &transition.command {
            Command::Guarded(Guarded { comm: Comm::Send(send), .. }) => {
                self.receivers(p, send).map(|receiver| receiver.number).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the acting process may keep atomicity behind a step: not behind a rendezvous, which
    /// gives it to the receiver.
    pub fn keeps_going(&self, p: usize, transition: &Transition) -> bool {
        let buffered = match &transition.command {
            Command::Guarded(Guarded { comm: Comm::Send(send), .. }) => {
                let types = self.types(&self.channels.of(self.program, Some(p), &send.channel), &ANY);
                types.iter().any(|&channel| self.capacity(channel) > 0)
            }
            _ => true,
        };
        transition.chain && buffered
    }

    /// What decides whether a transition can be executed, apart from what concerns its process.
    fn readiness(&self, p: usize, transition: &Transition, out: &mut Slots) {
        match &transition.command {
            Command::Guarded(guarded) => {
                guarded.guard.iter().for_each(|conjunct| self.expr(Some(p), conjunct, out));
                match &guarded.comm {
                    Comm::None => {}
                    Comm::Send(send) => {
                        send.fields.iter().for_each(|field| self.expr(Some(p), field, out));
                        self.ask(Some(p), &send.channel, &exactly(&send.fields), out);
                        self.receivers(p, send).for_each(|receiver| out.add(&receiver.reads));
                    }
                    Comm::Receive(receive) => self.receive(Some(p), receive, &ANY, out),
                }
            }
            Command::Else { .. } => {}
            Command::Terminate => {
                out.own.insert(self.numbers.processes);
            }
            Command::Block(block) => {
                block.locations[0].iter().for_each(|entry| self.readiness(p, entry, out));
            }
        }
    }

    fn receivers(&self, p: usize, send: &Send) -> impl Iterator<Item = &Receiver> {
        let denoted = self.channels.of(self.program, Some(p), &send.channel);
        let types: Vec<u32> = self.types(&denoted, &exactly(&send.fields));
        let types: Vec<u32> = types.into_iter().filter(|&channel| self.capacity(channel) == 0).collect();
        self.receivers.iter().filter(move |receiver| {
            let possible = receiver.channel.types(self.program.channels.len());
            !types.is_empty() && (receiver.may_fail || types.iter().any(|channel| possible.contains(channel)))
        })
    }

    fn effects(&self, p: usize, process: &Process, transition: &Transition, access: &mut Access) {
        let frame = |slot: usize| self.numbers.frame(p, slot as u32);
        access.writes.own.insert(frame(process.pc as usize));
        access.writes.own.extend(self.program.last);
        match &transition.command {
            Command::Guarded(guarded) => self.guarded(p, guarded, access),
            Command::Else { .. } => {}
            Command::Terminate => {
                access.writes.own.insert(self.numbers.processes);
                access.writes.own.extend((0..process.frame.slots.len()).map(frame));
            }
            Command::Block(block) => {
                for inner in block.locations.iter().flatten() {
                    self.readiness(p, inner, &mut access.reads);
                    if let Command::Guarded(guarded) = &inner.command {
                        self.guarded(p, guarded, access);
                    }
                }
            }
        }
    }

    fn guarded(&self, p: usize, guarded: &Guarded, access: &mut Access) {
        match &guarded.comm {
            Comm::None => {}
            Comm::Send(send) => {
                send.fields.iter().for_each(|field| self.expr(Some(p), field, &mut access.reads));
                self.fill(p, &send.channel, &exactly(&send.fields), access);
                self.monitor(access);
            }
            Comm::Receive(receive) => {
                if !receive.peek {
                    self.fill(p, &receive.channel, &exactly(&receive.fields), access);
                    self.monitor(access);
                }
                for pattern in &receive.fields {
                    if let Pattern::Store(place) = pattern {
                        self.assign(Some(p), place, access);
                    }
                }
            }
        }
        self.effect(Some(p), &guarded.effect, access);
    }

    /// The contents of a channel are changed.
    fn fill(&self, p: usize, channel: &Expr, arity: &Arity, access: &mut Access) {
        let denoted = self.channels.of(self.program, Some(p), channel);
        access.writes.own.extend(self.contents(&denoted, arity));
    }

    /// The monitor sees every message: it evaluates its channels to know which ones it watches.
    fn monitor(&self, access: &mut Access) {
        let Some(monitor) = &self.program.monitor else { return };
        access.reads.own.insert(monitor.slot);
        access.writes.own.insert(monitor.slot);
        for event in monitor.locations.iter().flat_map(|location| &location.events) {
            let exprs = event.fields.iter().flatten().chain([&event.channel]);
            exprs.for_each(|expr| self.expr(None, expr, &mut access.reads));
        }
    }

    fn effect(&self, p: Option<usize>, ops: &[Op], access: &mut Access) {
        for op in ops {
            match op {
                Op::Assign(place, value) => {
                    self.expr(p, value, &mut access.reads);
                    self.assign(p, place, access);
                }
                Op::Run { process, args, .. } => {
                    args.iter().for_each(|arg| self.expr(p, arg, &mut access.reads));
                    self.create(process.0 as usize, access);
                }
                Op::Assert { condition, .. } => self.expr(p, condition, &mut access.reads),
                Op::SetPriority(process, priority) => {
                    self.expr(p, process, &mut access.reads);
                    self.expr(p, priority, &mut access.reads);
                    access.writes.any.extend(self.priorities());
                }
                // A value that is printed may fail to evaluate.
                Op::Print(print) => {
                    print
                        .pieces
                        .iter()
                        .filter_map(Piece::value)
                        .for_each(|expr| self.expr(p, expr, &mut access.reads));
                }
            }
        }
    }

    /// A new process: its variables come to be and get their initial values.
    fn create(&self, p: usize, access: &mut Access) {
        let template = &self.program.processes[p];
        access.reads.own.insert(self.numbers.processes);
        access.writes.own.insert(self.numbers.processes);
        access
            .writes
            .any
            .extend((0..template.frame.slots.len() as u32).map(|slot| self.numbers.frame(p, slot)));
        let mut init = Access::default();
        self.effect(Some(p), &template.init, &mut init);
        access.add_of_other(&init, &self.numbers);
    }

    fn assign(&self, p: Option<usize>, place: &Place, access: &mut Access) {
        self.indices(p, place, &mut access.reads);
        self.slot(p, place, &mut access.writes);
    }

    /// Adds the slot of a place.
    fn slot(&self, p: Option<usize>, place: &Place, out: &mut Slots) {
        match (&place.base, p) {
            (Base::Frame, Some(p)) => out.own.insert(self.numbers.frame(p, place.slot)),
            (Base::Remote { process, .. }, _) => {
                out.any.insert(self.numbers.frame(process.0 as usize, place.slot))
            }
            _ => out.own.insert(place.slot),
        };
    }

    fn indices(&self, p: Option<usize>, place: &Place, out: &mut Slots) {
        if let Base::Remote { pid: Some(pid), .. } = &place.base {
            self.expr(p, pid, out);
        }
        place.indices.iter().for_each(|index| self.expr(p, index, out));
    }

    /// What the value of an expression depends on.
    fn expr(&self, p: Option<usize>, expr: &Expr, out: &mut Slots) {
        match expr {
            Expr::Const(_) | Expr::Pid | Expr::OwnChannel(_) | Expr::NewPid => {}
            Expr::Load(place) => {
                self.indices(p, place, out);
                self.slot(p, place, out);
            }
            Expr::NrProcesses => {
                out.own.insert(self.numbers.processes);
            }
            Expr::Timeout => self.everything(p, out),
            Expr::Unary(_, operand) => self.expr(p, operand, out),
            Expr::Binary(_, left, right) => {
                self.expr(p, left, out);
                self.expr(p, right, out);
            }
            Expr::Cond(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.expr(p, part, out));
            }
            Expr::Channel(_, channel) => self.ask(p, channel, &ANY, out),
            // A poll may leave out the last fields.
            Expr::Poll(receive) => self.receive(p, receive, &(receive.fields.len()..=usize::MAX), out),
            Expr::Enabled(_) => self.everything(p, out),
            Expr::PcValue(pid) => {
                self.expr(p, pid, out);
                out.any.extend(self.pcs());
            }
            Expr::SomeAt(_) => out.any.extend(self.pcs()),
            Expr::PriorityOf(pid) => match (pid.as_ref(), p) {
                (Expr::Pid, Some(p)) => {
                    let slot = self.program.processes[p].priority;
                    out.own.extend(slot.map(|slot| self.numbers.frame(p, slot)));
                }
                _ => {
                    self.expr(p, pid, out);
                    // A process without a priority has one as soon as it is there.
                    out.own.insert(self.numbers.processes);
                    out.any.extend(self.priorities());
                }
            },
            Expr::At { process, pid, .. } => {
                pid.iter().for_each(|pid| self.expr(p, pid, out));
                let template = process.0 as usize;
                out.any.insert(self.numbers.frame(template, self.program.processes[template].pc));
            }
        }
    }

    fn receive(&self, p: Option<usize>, receive: &Receive, arity: &Arity, out: &mut Slots) {
        self.ask(p, &receive.channel, arity, out);
        for pattern in &receive.fields {
            if let Pattern::Match(expr) = pattern {
                self.expr(p, expr, out);
            }
        }
    }

    /// A question to a channel: what its number depends on, and its contents.
    fn ask(&self, p: Option<usize>, channel: &Expr, arity: &Arity, out: &mut Slots) {
        self.expr(p, channel, out);
        let denoted = self.channels.of(self.program, p, channel);
        if !denoted.is_known() {
            // The channel may come and go with its process.
            out.own.insert(self.numbers.processes);
        }
        out.own.extend(self.contents(&denoted, arity));
    }

    /// The contents of channels, as slots. Those without room for a message have none.
    fn contents(&self, denoted: &Denoted, arity: &Arity) -> impl Iterator<Item = u32> {
        let types = self.types(denoted, arity).into_iter().filter(|&channel| self.capacity(channel) > 0);
        types.map(|channel| self.numbers.channels + channel)
    }

    /// The types of channels with the given number of fields.
    fn types(&self, denoted: &Denoted, arity: &Arity) -> Vec<u32> {
        let channels = &self.program.channels;
        let mut types = denoted.types(channels.len());
        types.retain(|&channel| arity.contains(&channels[channel as usize].fields.len()));
        types
    }

    fn capacity(&self, channel: u32) -> u32 {
        self.program.channels[channel as usize].capacity
    }

    /// The locations of all templates, as slots.
    fn pcs(&self) -> impl Iterator<Item = u32> {
        let slots = self.program.processes.iter().enumerate();
        slots.map(|(p, process)| self.numbers.frame(p, process.pc))
    }

    /// The priorities of all templates, as slots.
    fn priorities(&self) -> impl Iterator<Item = u32> {
        let slots = self.program.processes.iter().enumerate();
        slots.filter_map(|(p, process)| process.priority.map(|slot| self.numbers.frame(p, slot)))
    }

    /// The whole state.
    fn everything(&self, p: Option<usize>, out: &mut Slots) {
        out.own.extend(0..=self.numbers.processes);
        out.any.extend(self.numbers.processes + 1..self.numbers.end);
        if let Some(p) = p {
            let n_slots = self.program.processes[p].frame.slots.len() as u32;
            out.own.extend((0..n_slots).map(|slot| self.numbers.frame(p, slot)));
        }
    }
}

/// Whether an expression for a channel cannot fail to have a value.
fn is_total(channel: &Expr) -> bool {
    match channel {
        Expr::Const(_) | Expr::OwnChannel(_) => true,
        Expr::Load(place) => place.indices.is_empty() && !matches!(place.base, Base::Remote { .. }),
        _ => false,
    }
}
