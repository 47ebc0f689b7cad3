//! Which channels an expression can mean, as objects.

use super::Builder;
use crate::expr::{Expr, Receive};
use crate::independence::context::Channels;
use crate::independence::objects::{Object, Who};
use crate::program::Comm;

impl<'m> Builder<'m, '_, '_> {
    /// Whether a communication may be a rendezvous.
    pub(super) fn meets(&mut self, who: Who, comm: &Comm) -> bool {
        let channel = match comm {
            Comm::None => return false,
            Comm::Send(send) => &send.channel,
            Comm::Receive(receive) => &receive.channel,
        };
        !self.meetings(who, channel).is_empty()
    }

    /// The rendezvous channels that an expression can mean, as objects.
    pub(super) fn meetings(&mut self, who: Who, channel: &Expr) -> Vec<u32> {
        let channels = &self.context.program().channels;
        match self.context.channels(who, channel) {
            Channels::Exact(number) => {
                let here = self.context.capacity(number) == 0;
                here.then(|| self.objects.number(Object::Meeting(number))).into_iter().collect()
            }
            Channels::Some { numbers, types } => {
                let live = numbers.iter().filter(|&&number| self.context.capacity(number) == 0);
                let live = live.map(|&number| Object::Meeting(number));
                let types = types.iter().filter(|&&t| channels[t as usize].capacity == 0);
                let future = types.map(|&t| Object::FutureMeeting(t));
                live.chain(future).map(|object| self.objects.number(object)).collect()
            }
        }
    }

    /// The contents of the channels that an expression can mean, as objects.
    pub(super) fn contents(&mut self, who: Who, channel: &Expr) -> Vec<u32> {
        let channels = &self.context.program().channels;
        match self.context.channels(who, channel) {
            Channels::Exact(number) => {
                let here = self.context.capacity(number) > 0;
                here.then(|| self.objects.number(Object::Channel(number))).into_iter().collect()
            }
            Channels::Some { numbers, types } => {
                let live = numbers.iter().filter(|&&number| self.context.capacity(number) > 0);
                let live = live.map(|&number| Object::Channel(number));
                let types = types.iter().filter(|&&t| channels[t as usize].capacity > 0);
                let future = types.map(|&t| Object::FutureChannel(t));
                live.chain(future).map(|object| self.objects.number(object)).collect()
            }
        }
    }

    /// The rendezvous channels from which a receive may take a message. One that may fail to say from
    /// which is everybody's partner, to fail when it is tried.
    pub(super) fn offered(&mut self, who: Who, receive: &Receive) -> Vec<u32> {
        if self.context.constant(who, &receive.channel).is_some() || !receive.channel.may_fail() {
            return self.meetings(who, &receive.channel);
        }
        let live = 1..=self.context.shape.channels.len() as u32;
        let live: Vec<u32> = live.filter(|&number| self.context.capacity(number) == 0).collect();
        let channels = self.context.program().channels.iter().enumerate();
        let types = channels.filter(|(_, channel)| channel.capacity == 0).map(|(t, _)| t as u32);
        let all = live.into_iter().map(Object::Meeting).chain(types.map(Object::FutureMeeting));
        all.map(|object| self.objects.number(object)).collect()
    }
}
