//! What a transition does to objects.

use super::{Builder, Notes};
use crate::expr::{Base, BinaryOp, Expr, Op, Pattern, Piece, Place};
use crate::independence::access::Kind;
use crate::independence::context::{Channels, Resolved, cut};
use crate::independence::objects::{Object, WHOLE, Who};
use crate::program::Comm;

impl<'m> Builder<'m, '_, '_> {
    /// A communication. `first` says whether it is the first thing that happens.
    pub(super) fn communication(&mut self, who: Who, comm: &Comm, first: bool, notes: &mut Notes) {
        match comm {
            Comm::None => return,
            Comm::Send(send) => {
                self.reads(who, &send.channel, notes);
                send.fields.iter().for_each(|field| self.reads(who, field, notes));
                let plain = first && !send.sorted && !self.context.program().lossy;
                self.transfer(who, &send.channel, plain.then_some(Kind::Send), notes);
                if first {
                    let meetings = self.meetings(who, &send.channel);
                    meetings.into_iter().for_each(|object| notes.add(object, Kind::Need));
                }
            }
            Comm::Receive(receive) => {
                self.reads(who, &receive.channel, notes);
                self.patterns(who, receive, notes);
                let kind = if receive.peek { Kind::Peek } else { Kind::Receive };
                if receive.peek && !first {
                    let contents = self.contents(who, &receive.channel);
                    contents.into_iter().for_each(|object| notes.add(object, Kind::Read));
                } else {
                    self.transfer(who, &receive.channel, first.then_some(kind), notes);
                }
                if first {
                    self.offered(who, receive).into_iter().for_each(|object| notes.add(object, Kind::Offer));
                }
                for pattern in &receive.fields {
                    if let Pattern::Store(place) = pattern {
                        self.writes(who, place, None, notes);
                    }
                }
            }
        }
        self.monitor(notes);
    }

    /// A message goes in or out; `kind` says how if the channel is known.
    pub(super) fn transfer(&mut self, who: Who, channel: &Expr, kind: Option<Kind>, notes: &mut Notes) {
        let exact = matches!(self.context.channels(who, channel), Channels::Exact(_));
        for object in self.contents(who, channel) {
            match kind {
                Some(kind) if exact => notes.add(object, kind),
                _ => {
                    notes.add(object, Kind::Read);
                    notes.add(object, Kind::Write);
                }
            }
        }
        if !exact {
            let processes = self.objects.number(Object::Processes);
            notes.add(processes, Kind::Read);
        }
    }

    /// The monitor sees every message.
    pub(super) fn monitor(&mut self, notes: &mut Notes) {
        let Some(monitor) = &self.context.program().monitor else { return };
        let object = self.objects.number(Object::Monitor);
        notes.add(object, Kind::Write);
        let events = || monitor.locations.iter().flat_map(|location| &location.events);
        let kinds = monitor.scope.iter().chain(events().map(|event| &event.kind));
        let exprs =
            kinds.map(|kind| &kind.channel).chain(events().flat_map(|event| event.fields.iter().flatten()));
        exprs.for_each(|expr| self.reads(Who::Nobody, expr, notes));
    }

    pub(super) fn effect(&mut self, who: Who, ops: &[Op], notes: &mut Notes) {
        for op in ops {
            match op {
                Op::Assign(place, value) => {
                    if !self.is_addition(who, place, value) {
                        self.reads(who, value, notes);
                    }
                    self.writes(who, place, Some(value), notes);
                }
                Op::Run { process, args, .. } => {
                    args.iter().for_each(|arg| self.reads(who, arg, notes));
                    self.create(process.0, notes);
                }
                Op::Assert { condition, .. } => self.reads(who, condition, notes),
                // There is no reduction with priorities.
                Op::SetPriority(process, priority) => {
                    self.reads(who, process, notes);
                    self.reads(who, priority, notes);
                }
                Op::Print(print) => {
                    let values = print.pieces.iter().filter_map(Piece::value);
                    values.for_each(|expr| self.reads(who, expr, notes));
                }
            }
        }
    }

    /// Whether an assignment adds a constant to a place that is one object.
    pub(super) fn is_addition(&mut self, who: Who, place: &Place, value: &Expr) -> bool {
        let Expr::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) = value else { return false };
        matches!(left.as_ref(), Expr::Load(other) if other == place)
            && self.context.constant(who, right).is_some()
            && matches!(self.context.resolve(who, place), Resolved::Exact(_))
    }

    /// A value is stored; none if it is not known which.
    pub(super) fn writes(&mut self, who: Who, place: &Place, value: Option<&Expr>, notes: &mut Notes) {
        self.indices(who, place, notes);
        match self.context.resolve(who, place) {
            Resolved::Constant(_) | Resolved::Own => {}
            Resolved::Exact(object) => {
                let object = self.objects.number(object);
                let constant = value.and_then(|value| self.context.constant(who, value));
                let kind = match (constant, value) {
                    (Some(constant), _) => Kind::Set(cut(place, constant)),
                    (None, Some(value)) if self.is_addition(who, place, value) => Kind::Add,
                    _ => Kind::Write,
                };
                notes.add(object, kind);
            }
            Resolved::Some(objects) => {
                for object in objects {
                    let object = self.objects.number(object);
                    notes.add(object, Kind::Write);
                }
            }
        }
    }

    pub(super) fn indices(&mut self, who: Who, place: &Place, notes: &mut Notes) {
        if let Base::Remote { pid, .. } = &place.base {
            let processes = self.objects.number(Object::Processes);
            notes.add(processes, Kind::Read);
            pid.iter().for_each(|pid| self.reads(who, pid, notes));
        }
        place.indices.iter().for_each(|index| self.reads(who, index, notes));
    }

    /// A new process: its variables come to be, and it stands at its first location.
    pub(super) fn create(&mut self, template: u32, notes: &mut Notes) {
        let who = Who::Future(template);
        let processes = self.objects.number(Object::Processes);
        notes.add(processes, Kind::Run);
        notes.makes.push(template);
        notes.makes.extend(&self.context.statics.offspring[template as usize]);
        self.everything_of(who, notes);
        let mut init = Notes::default();
        self.effect(who, &self.context.program().processes[template as usize].init, &mut init);
        notes.accesses.extend(init.accesses);
        notes.wild |= init.wild;
        self.signals(who, None, &[Some(0)], notes);
    }

    pub(super) fn terminate(&mut self, who: Who, notes: &mut Notes) {
        let processes = self.objects.number(Object::Processes);
        notes.add(processes, Kind::Die);
        self.everything_of(who, notes);
        if let Who::Live(pid) = who {
            let instance = &self.context.shape.processes[pid as usize];
            let template = &self.context.program().processes[instance.process.0 as usize];
            let first = instance.first_channel + 1;
            for number in first..first + template.channels.len() as u32 {
                let object = if self.context.capacity(number) == 0 {
                    Object::Meeting(number)
                } else {
                    Object::Channel(number)
                };
                let object = self.objects.number(object);
                notes.add(object, Kind::Write);
            }
        }
    }

    /// The variables of a process that others can reach come or go.
    pub(super) fn everything_of(&mut self, who: Who, notes: &mut Notes) {
        let template = self.context.template(who).expect("a process") as usize;
        let slots = &self.context.program().processes[template].frame.slots;
        for (slot, _) in self.context.statics.exposed[template].iter().enumerate().filter(|(_, is)| **is) {
            let n_elements: u32 = slots[slot].dims.iter().map(|dim| dim.len).product();
            let elements = (0..n_elements).chain([WHOLE]);
            for element in elements {
                let object = self.objects.number(Object::Frame { owner: who, slot: slot as u32, element });
                notes.add(object, Kind::Write);
            }
        }
    }
}
