//! What happens in the atomic chain behind a transition, and what others notice of it.

use rustc_hash::FxHashSet;

use super::{Builder, Notes, entry_receives};
use crate::independence::access::{Kind, target};
use crate::independence::objects::{Object, Who};
use crate::program::{Comm, Command, Guarded, Transition};

/// Where a chain may go on, and has not been followed from yet.
#[derive(Default)]
pub(super) struct Open {
    list: Vec<(Who, u32)>,
    seen: FxHashSet<(Who, u32)>,
}

impl Open {
    fn add(&mut self, who: Who, location: u32) {
        if self.seen.insert((who, location)) {
            self.list.push((who, location));
        }
    }
}

impl<'m> Builder<'m, '_> {
    /// What happens in the chain behind a step, from a location on: the locations at which it may leave
    /// the process. A rendezvous hands the chain over to the receiver.
    pub(super) fn chain(&mut self, who: Who, start: u32, notes: &mut Notes) -> Vec<Option<u32>> {
        let mut ends = Vec::new();
        let mut open = Open::default();
        open.add(who, start);
        while let Some((acting, location)) = open.list.pop() {
            let template = self.context.template(acting).expect("a process") as usize;
            let process = &self.context.program().processes[template];
            let transitions = &process.locations[location as usize].transitions;
            let mut left = Vec::new();
            if may_block(transitions) || process.provided.is_some() {
                left.push(Some(location));
            }
            for transition in transitions {
                self.later(acting, transition, notes);
                match target(transition) {
                    Some(target) if transition.chain && !self.hands_over(acting, transition) => {
                        open.add(acting, target);
                    }
                    end => left.push(end),
                }
                if let Command::Guarded(Guarded { comm: Comm::Send(send), .. }) = &transition.command {
                    let meetings = self.meetings(acting, &send.channel);
                    if !meetings.is_empty() {
                        left.push(target(transition));
                        self.take_along(acting, &meetings, &mut open, notes);
                    }
                }
            }
            if acting == who {
                ends.extend(left);
            } else {
                notes.passengers.extend(left.iter().flatten().map(|&end| (acting, end)));
                // Where a passenger comes from was told when it got on.
                self.signals(acting, None, &left, notes);
            }
        }
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// The receivers of a rendezvous in the middle of a chain: each may be taken from where it stands,
    /// and the chain may go on with it.
    pub(super) fn take_along(&mut self, sender: Who, meetings: &[u32], open: &mut Open, notes: &mut Notes) {
        for who in self.everybody().into_iter().filter(|&who| who != sender) {
            let template = self.context.template(who).expect("a process") as usize;
            let process = &self.context.program().processes[template];
            for (l, location) in process.locations.iter().enumerate() {
                for transition in &location.transitions {
                    let meets = entry_receives(transition).any(|receive| {
                        self.offered(who, receive).iter().any(|object| meetings.contains(object))
                    });
                    if !meets {
                        continue;
                    }
                    let object = self.objects.number(Object::Stay { owner: who, location: l as u32 });
                    notes.add(object, Kind::Write);
                    self.later(who, transition, notes);
                    let end = transition.target.0;
                    self.signals(who, Some(l as u32), &[Some(end)], notes);
                    if transition.chain {
                        open.add(who, end);
                    }
                    notes.passengers.push((who, end));
                }
            }
        }
    }

    /// Something that is not the first thing to happen.
    pub(super) fn later(&mut self, who: Who, transition: &Transition, notes: &mut Notes) {
        let template = self.context.template(who).expect("a process") as usize;
        let process = &self.context.program().processes[template];
        process.provided.iter().for_each(|expr| self.reads(who, expr, notes));
        self.readiness(who, transition, notes);
        match &transition.command {
            Command::Guarded(guarded) => {
                self.communication(who, &guarded.comm, false, notes);
                self.effect(who, &guarded.effect, notes);
            }
            Command::Else { .. } => {}
            Command::Terminate => self.terminate(who, notes),
            Command::Block(block) => {
                block.locations.iter().flatten().for_each(|inner| self.later(who, inner, notes));
            }
        }
    }

    /// What others notice when a process leaves a location for one of some others. Before its start
    /// and after its end it stands nowhere.
    pub(super) fn signals(&mut self, who: Who, from: Option<u32>, ends: &[Option<u32>], notes: &mut Notes) {
        let template = self.context.template(who).expect("a process");
        let process = &self.context.program().processes[template as usize];
        for &location in from.iter().chain(ends.iter().flatten()) {
            for transition in &process.locations[location as usize].transitions {
                for receive in entry_receives(transition) {
                    let offered = self.offered(who, receive);
                    offered.into_iter().for_each(|object| notes.add(object, Kind::Signal));
                }
            }
        }
        let crosses = |is_in: &dyn Fn(u32) -> bool| {
            ends.iter().any(|end| end.is_some_and(is_in) != from.is_some_and(is_in))
        };
        let asked: Vec<u32> = {
            let all = self.context.statics.asked_locations.iter();
            all.filter(|(t, _)| *t == template).map(|&(_, location)| location).collect()
        };
        for location in asked {
            if crosses(&|other| other == location) {
                let object = self.objects.number(Object::At { owner: who, location });
                notes.add(object, Kind::Signal);
            }
        }
        if self.context.statics.asks_places {
            let object = self.objects.number(Object::Place(who));
            notes.add(object, Kind::Signal);
        }
        for accept in [false, true] {
            let marked = |location: u32| {
                let location = &process.locations[location as usize];
                if accept { location.accept } else { location.progress }
            };
            if self.context.statics.asks_marks[usize::from(accept)] && crosses(&marked) {
                let object = self.objects.number(Object::Marked { accept });
                notes.add(object, Kind::Signal);
            }
        }
    }
}

/// Whether it may be that nothing at a location can be executed.
fn may_block(transitions: &[Transition]) -> bool {
    !transitions.iter().any(|transition| match &transition.command {
        Command::Guarded(Guarded { guard, comm: Comm::None, .. }) => guard.is_empty(),
        Command::Else { since } => *since == 0,
        _ => false,
    })
}
