//! What is found out about the steps of a configuration once, because many steps ask for it.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::chain::{Behind, Place};
use super::{Builder, Notes, entry_receives};
use crate::expr::Receive;
use crate::independence::objects::Who;
use crate::program::{Command, Transition};

#[derive(Default)]
pub(super) struct Memory<'m> {
    /// Sets of rendezvous channels, as objects.
    meetings: Vec<Rc<[u32]>>,
    numbers: FxHashMap<Rc<[u32]>, u32>,
    /// Everybody who may receive in a rendezvous, once somebody has asked, and who does from which channel.
    takers: Option<Vec<Taker<'m>>>,
    taking: FxHashMap<u32, Vec<usize>>,
    /// For each set of channels, what decides whether somebody receives from one of them.
    receivers: FxHashMap<u32, Rc<Notes>>,
    /// What may be received in a rendezvous where a process stands.
    offers: FxHashMap<(Who, u32), Rc<[u32]>>,
    /// What chains lead to.
    pub(super) behind: FxHashMap<Place, Rc<Behind>>,
}

/// A receive with which a transition may begin.
#[derive(Clone, Copy)]
pub(super) struct Taker<'m> {
    pub(super) who: Who,
    pub(super) location: u32,
    pub(super) transition: &'m Transition,
    receive: &'m Receive,
}

impl Memory<'_> {
    /// The number of a set of rendezvous channels.
    pub(super) fn number(&mut self, meetings: Vec<u32>) -> u32 {
        let meetings: Rc<[u32]> = meetings.into();
        let next = self.meetings.len() as u32;
        *self.numbers.entry(meetings.clone()).or_insert_with(|| {
            self.meetings.push(meetings);
            next
        })
    }
}

impl<'m> Builder<'m, '_, '_> {
    /// Everybody who may receive from one of some rendezvous channels, in order.
    pub(super) fn takers(&mut self, meetings: u32) -> Vec<Taker<'m>> {
        if self.memory.takers.is_none() {
            let takers = self.all_takers();
            self.memory.takers = Some(takers);
        }
        let Memory { meetings: sets, takers: Some(takers), taking, .. } = &self.memory else {
            return Vec::new();
        };
        let mut found: Vec<usize> = sets[meetings as usize]
            .iter()
            .filter_map(|object| taking.get(object))
            .flatten()
            .copied()
            .collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|taker| takers[taker]).collect()
    }

    fn all_takers(&mut self) -> Vec<Taker<'m>> {
        let mut takers = Vec::new();
        for who in self.everybody() {
            let template = self.context.template(who).expect("a process") as usize;
            for (location, at) in self.context.program().processes[template].locations.iter().enumerate() {
                self.note_work(at.transitions.len());
                for transition in &at.transitions {
                    for receive in entry_receives(transition) {
                        for object in self.offered(who, receive) {
                            self.memory.taking.entry(object).or_default().push(takers.len());
                        }
                        takers.push(Taker { who, location: location as u32, transition, receive });
                    }
                }
            }
        }
        takers
    }

    /// What decides whether those who stand at a receive from one of some rendezvous channels take a message.
    /// What only they can reach does not change unless they move.
    pub(super) fn receivers(&mut self, meetings: Vec<u32>, notes: &mut Notes) {
        let meetings = self.memory.number(meetings);
        let known = match self.memory.receivers.get(&meetings) {
            Some(known) => known.clone(),
            None => {
                let new = Rc::new(self.find_receivers(meetings));
                self.memory.receivers.insert(meetings, new.clone());
                new
            }
        };
        notes.add_all(&known);
    }

    fn find_receivers(&mut self, meetings: u32) -> Notes {
        let mut found = Notes::default();
        for Taker { who, transition, receive, .. } in self.takers(meetings) {
            self.patterns(who, receive, &mut found);
            self.reads(who, &receive.channel, &mut found);
            let template = self.context.template(who).expect("a process") as usize;
            let provided = &self.context.program().processes[template].provided;
            provided.iter().for_each(|expr| self.reads(who, expr, &mut found));
            if let Command::Guarded(guarded) = &transition.command {
                guarded.guard.iter().for_each(|expr| self.reads(who, expr, &mut found));
            }
        }
        // They are others.
        found.own = false;
        found.sorted()
    }

    /// The rendezvous channels from which something may be received where a process stands.
    pub(super) fn offers(&mut self, who: Who, location: u32) -> Rc<[u32]> {
        if let Some(known) = self.memory.offers.get(&(who, location)) {
            return known.clone();
        }
        let template = self.context.template(who).expect("a process") as usize;
        let transitions =
            &self.context.program().processes[template].locations[location as usize].transitions;
        let receives = transitions.iter().flat_map(entry_receives);
        let mut offers: Vec<u32> = receives.flat_map(|receive| self.offered(who, receive)).collect();
        offers.sort_unstable();
        offers.dedup();
        let offers: Rc<[u32]> = offers.into();
        self.memory.offers.insert((who, location), offers.clone());
        offers
    }
}
