//! How two steps relate: whether they accord, whether one may enable the other, whether they can meet.
//!
//! All answers err on the safe side: not to accord, to enable, to be able to meet.

use super::access::{Access, Cause, Guard, Kind, Step};
use super::context::Context;
use super::objects::{Object, Who};
use crate::expr::{BinaryOp, ChannelOp};
use crate::interpreter::{bits, eval};

/// Compares steps in a context. The objects are known by their numbers.
#[derive(Clone, Copy)]
pub struct Relations<'m, 'a> {
    pub context: Context<'m, 'a>,
    pub objects: &'a [Object],
}

impl Relations<'_, '_> {
    /// Whether two steps of different processes *accord*: wherever both are enabled, neither disables
    /// the other, and both orders lead to the same states.
    pub fn accord(&self, x: &Step<'_>, y: &Step<'_>) -> bool {
        if x.wild || y.wild {
            return false;
        }
        self.are_exclusive(x, y)
            || common(&x.accesses, &y.accesses)
                .all(|(a, b)| self.kinds_accord(x, a.kind, y, b.kind, a.object))
    }

    /// Whether the second step, and others of which this is true, may as well happen behind the first
    /// if that is possible both before them and behind them. In between it need not be: so nothing may
    /// follow from the fact that both are possible.
    pub fn left_accord(&self, x: &Step<'_>, y: &Step<'_>) -> bool {
        if x.wild || y.wild {
            return false;
        }
        // What only a guard asks has no influence on what the step does, unless the guard may fail.
        let only_asks = |asked: Kind, done: Kind| match (asked, done) {
            (Kind::Test(guard), _) => !x.guards[guard as usize].fails,
            (Kind::Asks(_), Kind::Send | Kind::Receive) => true,
            _ => false,
        };
        common(&x.accesses, &y.accesses)
            .all(|(a, b)| only_asks(a.kind, b.kind) || self.kinds_accord(x, a.kind, y, b.kind, a.object))
    }

    /// Whether two steps are never enabled in the same state.
    pub fn are_exclusive(&self, x: &Step<'_>, y: &Step<'_>) -> bool {
        let compared = x.comparisons.iter().any(|a| {
            let others = y.comparisons.iter().filter(|b| b.object == a.object);
            others.into_iter().any(|b| are_contrary((a.op, a.constant), (b.op, b.constant)))
        });
        let fails = |step: &Step<'_>| step.guards.iter().any(|guard| guard.fails);
        compared
            || !fails(x)
                && !fails(y)
                && common(&x.accesses, &y.accesses).any(|(a, b)| {
                    let one_place = self.capacity(a.object) == Some(1);
                    channel_excludes(a.kind, b.kind, one_place) || channel_excludes(b.kind, a.kind, one_place)
                })
    }

    /// Whether what two enabled steps do to one object allows either order.
    fn kinds_accord(&self, x: &Step<'_>, a: Kind, y: &Step<'_>, b: Kind, object: u32) -> bool {
        use Kind::{Add, Asks, Die, Need, Offer, Peek, Poll, Receive, Send, Set, Signal, Test};
        if !a.changes() && !b.changes() {
            return true;
        }
        match (a, b) {
            (Test(guard), Set(value)) => self.stays_true(x, guard, object, value),
            (Set(value), Test(guard)) => self.stays_true(y, guard, object, value),
            (Set(one), Set(other)) => one == other,
            (Add, Add) | (Signal, Signal) | (Die, Die) => true,
            (Signal, Need | Offer) | (Need | Offer, Signal) => true,
            // If both are possible the channel is neither full nor empty.
            (Send, Receive | Peek | Poll) | (Receive | Peek | Poll, Send) => true,
            (Send, Asks(ChannelOp::Nempty)) | (Asks(ChannelOp::Nempty), Send) => true,
            (Receive, Asks(ChannelOp::Nfull)) | (Asks(ChannelOp::Nfull), Receive) => true,
            _ => false,
        }
    }

    /// Whether a guard is true if an object has a value, whatever the rest of the state is.
    fn stays_true(&self, step: &Step<'_>, guard: u16, object: u32, value: i32) -> bool {
        let guard = &step.guards[guard as usize];
        let expr = guard.expr.expect("a tested guard is an expression");
        let known = (self.objects[object as usize], value);
        // A guard that fails is possible, too, and would no longer fail.
        !guard.fails && self.context.value(step.who, expr, Some(known)).is_some_and(|truth| truth != 0)
    }

    /// Whether a step may make a guard true that is false.
    pub fn enables(&self, step: &Step<'_>, who: Who, guard: &Guard<'_>) -> bool {
        let may = |asked: Kind, done: Kind, object: u32| match (asked, done) {
            (_, done) if !done.changes() => false,
            (Kind::Read, Kind::Set(value)) => match guard.expr {
                Some(expr) => {
                    let known = (self.objects[object as usize], value);
                    self.context.value(who, expr, Some(known)) != Some(0)
                }
                None => true,
            },
            (Kind::Read, Kind::Run) => guard.cause != Cause::Youngest,
            (Kind::Asks(ChannelOp::Nempty | ChannelOp::Full), Kind::Receive) => false,
            (Kind::Asks(ChannelOp::Empty | ChannelOp::Nfull), Kind::Send) => false,
            _ => true,
        };
        guard.wild
            || step.wild
            || common(&guard.accesses, &step.accesses).any(|(a, b)| may(a.kind, b.kind, a.object))
    }

    /// Whether one of two steps may be the send and the other the receive of a rendezvous.
    pub fn can_meet(&self, x: &Step<'_>, y: &Step<'_>) -> bool {
        common(&x.accesses, &y.accesses).any(|(a, b)| match (a.kind, b.kind) {
            (Kind::Need, Kind::Offer) => self.is_message_possible(x, y, a.object),
            (Kind::Offer, Kind::Need) => self.is_message_possible(y, x, a.object),
            _ => false,
        })
    }

    fn is_message_possible(&self, sender: &Step<'_>, receiver: &Step<'_>, object: u32) -> bool {
        let (Some(sent), Some(asked)) = (&sender.message, &receiver.message) else { return true };
        let Some(channel) = self.channel_type(object) else { return true };
        let fields = &self.context.program().channels[channel as usize].fields;
        let fits = |(field, (sent, asked)): (&crate::program::Field, (&Option<i32>, &Option<i32>))| match (
            sent, asked,
        ) {
            (Some(sent), Some(asked)) => {
                let mut cell = [0];
                bits::write(&mut cell, 0, 0, field.width, *sent);
                bits::read(&cell, 0, 0, field.width, field.signed) == *asked
            }
            _ => true,
        };
        sent.len() != asked.len() || fields.iter().zip(sent.iter().zip(asked)).all(fits)
    }

    fn channel_type(&self, object: u32) -> Option<u32> {
        match self.objects[object as usize] {
            Object::Channel(number) | Object::Meeting(number) => {
                Some(self.context.shape.channels[number as usize - 1].channel.0)
            }
            Object::FutureChannel(channel) | Object::FutureMeeting(channel) => Some(channel),
            _ => None,
        }
    }

    fn capacity(&self, object: u32) -> Option<u32> {
        match self.objects[object as usize] {
            Object::Channel(number) => Some(self.context.capacity(number)),
            _ => None,
        }
    }
}

/// Pairs of accesses to the same object. Both lists are ordered by object.
pub fn common<'l>(left: &'l [Access], right: &'l [Access]) -> impl Iterator<Item = (&'l Access, &'l Access)> {
    left.iter().flat_map(move |a| {
        let start = right.partition_point(|b| b.object < a.object);
        right[start..].iter().take_while(move |b| b.object == a.object).map(move |b| (a, b))
    })
}

/// Whether no number satisfies both comparisons.
fn are_contrary(one: (BinaryOp, i32), other: (BinaryOp, i32)) -> bool {
    let holds = |value: i32, (op, constant): (BinaryOp, i32)| {
        eval::binary(op, value, constant).is_ok_and(|truth| truth != 0)
    };
    // If any number satisfies both, one at or next to a constant does.
    let near = |constant: i32| [constant.saturating_sub(1), constant, constant.saturating_add(1)];
    let mut candidates = near(one.1).into_iter().chain(near(other.1)).chain([i32::MIN, i32::MAX]);
    !candidates.any(|value| holds(value, one) && holds(value, other))
}

/// Whether an access that is possible only in some states of a channel excludes another one.
fn channel_excludes(one: Kind, other: Kind, one_place: bool) -> bool {
    let needs_message =
        matches!(one, Kind::Receive | Kind::Peek | Kind::Poll | Kind::Asks(ChannelOp::Nempty));
    let needs_room = matches!(one, Kind::Send | Kind::Asks(ChannelOp::Nfull));
    (needs_message && other == Kind::Asks(ChannelOp::Empty))
        || (needs_room && other == Kind::Asks(ChannelOp::Full))
        || (one_place && needs_message && other == Kind::Send)
}
