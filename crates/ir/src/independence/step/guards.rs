//! What keeps a step from happening: the conditions on its first transition.

use super::{Builder, Notes};
use crate::analysis::may_fail;
use crate::expr::{BinaryOp, ChannelOp, Expr, Pattern, UnaryOp};
use crate::independence::access::{Access, Cause, Comparison, Guard, Kind};
use crate::independence::context::{Channels, KnownTo, Resolved};
use crate::independence::objects::{Object, Who};
use crate::program::{Comm, Command, Guarded, Transition};

impl<'m> Builder<'m, '_, '_> {
    /// How the first transition of a step looks at what a guard depends on.
    pub(super) fn as_guard(&self, number: usize, guard: &Guard<'_>, access: &Access) -> Option<Access> {
        let kind = match (guard.cause, access.kind) {
            // The communication itself says it.
            (Cause::NotFull | Cause::NotEmpty | Cause::Matches, Kind::Asks(_) | Kind::Poll) => return None,
            (Cause::Channel, Kind::Asks(_) | Kind::Poll) => Kind::Read,
            (Cause::Youngest, _) => return None,
            (Cause::Provided | Cause::Conjunct(_), Kind::Read) => Kind::Test(number as u16),
            (_, kind) => kind,
        };
        Some(Access { object: access.object, kind })
    }

    /// The guards of a transition, and the constant parts of its message if it is a rendezvous.
    pub(super) fn guards(
        &mut self,
        who: Who,
        transitions: &'m [Transition],
        k: usize,
    ) -> (Vec<Guard<'m>>, Option<Vec<Option<i32>>>) {
        let template = self.context.template(who).expect("steps are taken by processes") as usize;
        let transition = &transitions[k];
        let mut guards = Vec::new();
        let mut message = None;
        let provided = self.context.program().processes[template].provided.as_ref();
        guards.extend(provided.map(|expr| self.condition(who, Cause::Provided, expr)));
        match &transition.command {
            Command::Guarded(guarded) => {
                let conjuncts = guarded.guard.iter().enumerate();
                guards
                    .extend(conjuncts.map(|(i, expr)| self.condition(who, Cause::Conjunct(i as u32), expr)));
                message = self.communication_guards(who, &guarded.comm, &mut guards);
            }
            Command::Else { since } => {
                let earlier = &transitions[(*since as usize).min(k)..k];
                guards.push(self.guard(Cause::Else, |this, notes| {
                    earlier.iter().for_each(|sibling| this.readiness(who, sibling, notes));
                }));
            }
            Command::Terminate => {
                let processes = self.objects.number(Object::Processes);
                guards.push(self.guard(Cause::Youngest, |_, notes| notes.add(processes, Kind::Read)));
            }
            Command::Block(block) => {
                guards.push(self.guard(Cause::Entry, |this, notes| {
                    block.locations[0].iter().for_each(|entry| this.readiness(who, entry, notes));
                    // An `else` at the entry looks at what stands in front of the block.
                    if block.locations[0].iter().any(|e| matches!(e.command, Command::Else { .. })) {
                        transitions[..k].iter().for_each(|sibling| this.readiness(who, sibling, notes));
                    }
                }));
                // A rendezvous can enter the block.
                let receive = block.locations[0].iter().find_map(|entry| match &entry.command {
                    Command::Guarded(Guarded { comm: comm @ Comm::Receive(_), .. }) => Some(comm),
                    _ => None,
                });
                if let Some(comm) = receive
                    && self.meets(who, comm)
                {
                    guards.push(self.message_guard(who, comm));
                    message = Some(Vec::new());
                }
            }
        }
        let shuts_out =
            |earlier: &&Transition| earlier.escape.is_some() && earlier.escape != transition.escape;
        if transitions[..k].iter().any(|earlier| shuts_out(&earlier)) {
            guards.push(self.guard(Cause::Escape, |this, notes| {
                let escapes = transitions[..k].iter().filter(shuts_out);
                escapes.for_each(|escape| this.readiness(who, escape, notes));
            }));
        }
        (guards, message)
    }

    pub(super) fn guard(&mut self, cause: Cause, note: impl FnOnce(&mut Self, &mut Notes)) -> Guard<'m> {
        let mut notes = Notes::default();
        note(self, &mut notes);
        let Notes { accesses, own, wild, .. } = notes.sorted();
        Guard { cause, expr: None, accesses, own, fails: false, wild }
    }

    /// A guard that is an expression.
    pub(super) fn condition(&mut self, who: Who, cause: Cause, expr: &'m Expr) -> Guard<'m> {
        let asked = self.asked_channel(who, expr);
        let mut guard = self.guard(cause, |this, notes| this.reads(who, expr, notes));
        guard.expr = Some(expr);
        guard.fails = may_fail(expr, &KnownTo { who, context: self.context });
        if let Some((object, kind)) = asked {
            let others = guard.accesses.iter().filter(|access| access.object != object);
            guard.accesses = others.copied().chain([Access { object, kind }]).collect();
        }
        guard
    }

    /// The channel that a condition is about, if it is only about the state of one channel.
    pub(super) fn asked_channel(&mut self, who: Who, expr: &Expr) -> Option<(u32, Kind)> {
        let (channel, kind) = match expr {
            Expr::Channel(op, channel) if *op != ChannelOp::Len => (channel.as_ref(), Kind::Asks(*op)),
            Expr::Unary(UnaryOp::Not, inner) => match inner.as_ref() {
                Expr::Channel(op, channel) => (channel.as_ref(), Kind::Asks(opposite(*op)?)),
                _ => return None,
            },
            Expr::Poll(receive) => (&receive.channel, Kind::Poll),
            _ => return None,
        };
        match self.context.channels(who, channel) {
            Channels::Exact(number) if self.context.capacity(number) > 0 => {
                Some((self.objects.number(Object::Channel(number)), kind))
            }
            _ => None,
        }
    }

    pub(super) fn comparison(&mut self, who: Who, expr: &Expr) -> Option<Comparison> {
        let (place, op, constant) = match expr {
            Expr::Load(place) => (place, BinaryOp::Ne, 0),
            Expr::Unary(UnaryOp::Not, inner) => match inner.as_ref() {
                Expr::Load(place) => (place, BinaryOp::Eq, 0),
                _ => return None,
            },
            Expr::Binary(op, left, right) => {
                let turned = match op {
                    BinaryOp::Eq | BinaryOp::Ne => *op,
                    BinaryOp::Lt => BinaryOp::Gt,
                    BinaryOp::Le => BinaryOp::Ge,
                    BinaryOp::Gt => BinaryOp::Lt,
                    BinaryOp::Ge => BinaryOp::Le,
                    _ => return None,
                };
                match (left.as_ref(), right.as_ref()) {
                    (Expr::Load(place), right) if self.context.constant(who, right).is_some() => {
                        (place, *op, self.context.constant(who, right)?)
                    }
                    (left, Expr::Load(place)) => (place, turned, self.context.constant(who, left)?),
                    _ => return None,
                }
            }
            _ => return None,
        };
        match self.context.resolve(who, place) {
            Resolved::Exact(object) => Some(Comparison { object: self.objects.number(object), op, constant }),
            _ => None,
        }
    }

    /// What decides whether a communication is possible.
    pub(super) fn communication_guards(
        &mut self,
        who: Who,
        comm: &'m Comm,
        guards: &mut Vec<Guard<'m>>,
    ) -> Option<Vec<Option<i32>>> {
        let channel = match comm {
            Comm::None => return None,
            Comm::Send(send) => &send.channel,
            Comm::Receive(receive) => &receive.channel,
        };
        let meets = self.meets(who, comm);
        match (self.context.channels(who, channel), comm) {
            (Channels::Exact(_), _) if meets => {}
            (Channels::Exact(number), Comm::Send(_)) => {
                let object = self.objects.number(Object::Channel(number));
                if !self.context.program().lossy {
                    let full = |_: &mut Self, notes: &mut Notes| {
                        notes.add(object, Kind::Asks(ChannelOp::Nfull));
                    };
                    guards.push(self.guard(Cause::NotFull, full));
                }
            }
            (Channels::Exact(number), Comm::Receive(receive)) => {
                let object = self.objects.number(Object::Channel(number));
                guards.push(self.guard(Cause::NotEmpty, |_, notes| {
                    notes.add(object, Kind::Asks(ChannelOp::Nempty));
                }));
                guards.push(self.guard(Cause::Matches, |this, notes| {
                    this.patterns(who, receive, notes);
                    // Those in front must go, unless any message will do.
                    let kind = if receive.random { Kind::Poll } else { Kind::Asks(ChannelOp::Nfull) };
                    notes.add(object, kind);
                }));
            }
            (Channels::Some { .. }, _) => guards.push(self.guard(Cause::Channel, |this, notes| {
                this.asks(who, channel, notes);
                if let Comm::Receive(receive) = comm {
                    this.patterns(who, receive, notes);
                }
            })),
            (_, Comm::None) => {}
        }
        if !meets {
            return None;
        }
        guards.push(self.message_guard(who, comm));
        Some(match comm {
            Comm::Send(send) => send.fields.iter().map(|field| self.context.constant(who, field)).collect(),
            Comm::Receive(receive) => {
                let constant = |pattern: &Pattern| match pattern {
                    Pattern::Match(expr) => self.context.constant(who, expr),
                    Pattern::Store(_) | Pattern::Ignore => None,
                };
                receive.fields.iter().map(constant).collect()
            }
            Comm::None => Vec::new(),
        })
    }

    /// What the message of a rendezvous, or what is asked of it, depends on.
    pub(super) fn message_guard(&mut self, who: Who, comm: &Comm) -> Guard<'m> {
        self.guard(Cause::Message, |this, notes| match comm {
            Comm::None => {}
            Comm::Send(send) => {
                this.reads(who, &send.channel, notes);
                send.fields.iter().for_each(|field| this.reads(who, field, notes));
            }
            Comm::Receive(receive) => {
                this.reads(who, &receive.channel, notes);
                this.patterns(who, receive, notes);
            }
        })
    }
}

fn opposite(op: ChannelOp) -> Option<ChannelOp> {
    Some(match op {
        ChannelOp::Len => return None,
        ChannelOp::Empty => ChannelOp::Nempty,
        ChannelOp::Nempty => ChannelOp::Empty,
        ChannelOp::Full => ChannelOp::Nfull,
        ChannelOp::Nfull => ChannelOp::Full,
    })
}
