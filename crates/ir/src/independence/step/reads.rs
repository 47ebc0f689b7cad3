//! What the value of an expression depends on, and whether a transition can be executed.

use super::{Builder, Notes};
use crate::expr::{Expr, Mark, Pattern, Receive};
use crate::independence::access::Kind;
use crate::independence::context::{Channels, Resolved};
use crate::independence::objects::{Object, Who};
use crate::program::{Comm, Command, Transition};

impl<'m> Builder<'m, '_, '_> {
    /// A question to a channel.
    pub(super) fn asks(&mut self, who: Who, channel: &Expr, notes: &mut Notes) {
        self.reads(who, channel, notes);
        self.contents(who, channel).into_iter().for_each(|object| notes.add(object, Kind::Read));
        if let Channels::Some { .. } = self.context.channels(who, channel) {
            // It may come and go with its process.
            let processes = self.objects.number(Object::Processes);
            notes.add(processes, Kind::Read);
        }
    }

    pub(super) fn patterns(&mut self, who: Who, receive: &Receive, notes: &mut Notes) {
        for pattern in &receive.fields {
            if let Pattern::Match(expr) = pattern {
                self.reads(who, expr, notes);
            }
        }
    }

    /// What decides whether a transition can be executed, seen from outside of it.
    pub(super) fn readiness(&mut self, who: Who, transition: &Transition, notes: &mut Notes) {
        match &transition.command {
            Command::Guarded(guarded) => {
                guarded.guard.iter().for_each(|conjunct| self.reads(who, conjunct, notes));
                match &guarded.comm {
                    Comm::None => {}
                    Comm::Send(send) => {
                        send.fields.iter().for_each(|field| self.reads(who, field, notes));
                        self.asks(who, &send.channel, notes);
                        let meetings = self.meetings(who, &send.channel);
                        if !meetings.is_empty() {
                            meetings.iter().for_each(|&object| notes.add(object, Kind::Read));
                            self.receivers(meetings, notes);
                        }
                    }
                    Comm::Receive(receive) => {
                        self.asks(who, &receive.channel, notes);
                        self.patterns(who, receive, notes);
                    }
                }
            }
            Command::Else { .. } => {}
            Command::Terminate => {
                let processes = self.objects.number(Object::Processes);
                notes.add(processes, Kind::Read);
            }
            Command::Block(block) => {
                block.locations[0].iter().for_each(|entry| self.readiness(who, entry, notes));
            }
        }
    }

    /// What the value of an expression depends on.
    pub(super) fn reads(&mut self, who: Who, expr: &Expr, notes: &mut Notes) {
        if self.context.constant(who, expr).is_some() && !expr.may_fail() {
            return;
        }
        match expr {
            Expr::Const(_) | Expr::Pid | Expr::OwnChannel(_) | Expr::NewPid | Expr::Timeout => {}
            Expr::Load(place) => {
                self.indices(who, place, notes);
                match self.context.resolve(who, place) {
                    Resolved::Constant(_) => {}
                    Resolved::Own => notes.own = true,
                    Resolved::Exact(object) => {
                        let object = self.objects.number(object);
                        notes.add(object, Kind::Read);
                    }
                    Resolved::Some(objects) => {
                        for object in objects {
                            let object = self.objects.number(object);
                            notes.add(object, Kind::Read);
                        }
                    }
                }
            }
            Expr::NrProcesses => {
                let processes = self.objects.number(Object::Processes);
                notes.add(processes, Kind::Read);
            }
            Expr::Unary(_, operand) => self.reads(who, operand, notes),
            Expr::Binary(_, left, right) => {
                self.reads(who, left, notes);
                self.reads(who, right, notes);
            }
            Expr::Cond(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.reads(who, part, notes));
            }
            Expr::Channel(_, channel) => self.asks(who, channel, notes),
            Expr::Poll(receive) => {
                self.asks(who, &receive.channel, notes);
                self.patterns(who, receive, notes);
            }
            Expr::Enabled(_) => notes.wild = true,
            Expr::PcValue(pid) => {
                self.reads(who, pid, notes);
                for other in self.everybody_ever() {
                    let object = self.objects.number(Object::Place(other));
                    notes.add(object, Kind::Read);
                }
            }
            Expr::SomeAt(mark) => {
                let object = self.objects.number(Object::Marked { accept: *mark == Mark::Accept });
                notes.add(object, Kind::Read);
            }
            // There is no reduction with priorities; without, only whether the process is there counts.
            Expr::PriorityOf(pid) => {
                self.reads(who, pid, notes);
                let processes = self.objects.number(Object::Processes);
                notes.add(processes, Kind::Read);
            }
            Expr::At { process, pid, location } => {
                pid.iter().for_each(|pid| self.reads(who, pid, notes));
                let Some(location) = location else { return };
                for owner in self.context.instances(who, *process, pid.as_deref()) {
                    let object = self.objects.number(Object::At { owner, location: location.0 });
                    notes.add(object, Kind::Read);
                }
                let processes = self.objects.number(Object::Processes);
                notes.add(processes, Kind::Read);
            }
        }
    }
}
