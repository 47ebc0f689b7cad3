//! What happens in the atomic chain behind a transition, and what others notice of it.
//!
//! Many transitions have the same chain behind them: each of a long atomic sequence has the rest of it. So what may
//! happen from a place in a chain on is found out once, by strongly connected components: what happens at the places of
//! one, and behind those to which they lead.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::memory::Taker;
use super::{Builder, Notes};
use crate::analysis::target;
use crate::independence::access::Kind;
use crate::independence::objects::{Object, Who};
use crate::program::{Comm, Command, Guarded, Transition};

/// Where a chain may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Place {
    /// With a process that stands at a location.
    At(Who, u32),
    /// With whoever receives what a process sends to one of some rendezvous channels: a set of them, by its number.
    Passing(Who, u32),
}

/// What may happen from a place in a chain on.
#[derive(Default)]
pub(super) struct Behind {
    notes: Notes,
    /// Where the chain may leave whom; nowhere if the process ends.
    left: Vec<(Who, Option<u32>)>,
}

impl Behind {
    fn add(&mut self, other: &Behind) {
        self.notes.add_all(&other.notes);
        self.left.extend(&other.left);
    }

    fn sorted(mut self) -> Behind {
        self.left.sort_unstable();
        self.left.dedup();
        Behind { notes: self.notes.sorted(), left: self.left }
    }

    fn len(&self) -> usize {
        self.notes.len() + self.left.len()
    }
}

impl<'m> Builder<'m, '_, '_> {
    /// What happens in the chain behind a step, from a location on: the locations at which it may leave
    /// the process. A rendezvous hands the chain over to the receiver.
    pub(super) fn chain(&mut self, who: Who, start: u32, notes: &mut Notes) -> Vec<Option<u32>> {
        let behind = self.behind(Place::At(who, start));
        notes.add_all(&behind.notes);
        let mut own = Vec::new();
        for left in behind.left.chunk_by(|(one, _), (other, _)| one == other) {
            let ends: Vec<Option<u32>> = left.iter().map(|&(_, end)| end).collect();
            let acting = left[0].0;
            if acting == who {
                own = ends;
            } else {
                notes.passengers.extend(ends.iter().flatten().map(|&end| (acting, end)));
                // Where a passenger comes from was told when it got on.
                self.signals(acting, None, &ends, notes);
            }
        }
        own
    }

    fn behind(&mut self, start: Place) -> Rc<Behind> {
        if let Some(known) = self.memory.behind.get(&start) {
            return known.clone();
        }
        // What is not known yet: the places, what happens there, and where they lead.
        let mut places = vec![start];
        let mut numbers = FxHashMap::from_iter([(start, 0)]);
        let (mut found, mut leads_to) = (Vec::new(), Vec::new());
        while found.len() < places.len() && !self.is_too_much {
            let (here, mut next) = self.here(places[found.len()]);
            next.sort_unstable();
            next.dedup();
            for &place in next.iter().filter(|place| !self.memory.behind.contains_key(place)) {
                numbers.entry(place).or_insert_with(|| {
                    places.push(place);
                    places.len() - 1
                });
            }
            self.note_work(here.len() + next.len());
            found.push(here);
            leads_to.push(next);
        }
        if self.is_too_much {
            return Rc::default();
        }
        let inner = |next: &Vec<Place>| next.iter().filter_map(|place| numbers.get(place).copied()).collect();
        let targets: Vec<Vec<usize>> = leads_to.iter().map(inner).collect();
        let parts = logic::components(places.len(), |place, k| targets[place].get(k).copied());
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_unstable_by_key(|&place| parts.of[place]);
        // Those to which others lead come first.
        for members in order.chunk_by(|&one, &other| parts.of[one] == parts.of[other]) {
            let mut all = Behind::default();
            for &member in members {
                all.add(&found[member]);
                let known = leads_to[member].iter().filter_map(|place| self.memory.behind.get(place));
                known.for_each(|known| all.add(known));
            }
            let all = Rc::new(all.sorted());
            self.note_work(all.len());
            if self.is_too_much {
                return Rc::default();
            }
            for &member in members {
                self.memory.behind.insert(places[member], all.clone());
            }
        }
        self.memory.behind[&start].clone()
    }

    /// What happens at a place, and where the chain may go on behind it.
    fn here(&mut self, place: Place) -> (Behind, Vec<Place>) {
        match place {
            Place::At(acting, location) => self.at(acting, location),
            Place::Passing(sender, meetings) => self.take_along(sender, meetings),
        }
    }

    fn at(&mut self, acting: Who, location: u32) -> (Behind, Vec<Place>) {
        let template = self.context.template(acting).expect("a process") as usize;
        let process = &self.context.program().processes[template];
        let transitions = &process.locations[location as usize].transitions;
        let (mut notes, mut left, mut next) = (Notes::default(), Vec::new(), Vec::new());
        if may_block(transitions) || process.provided.is_some() {
            left.push(Some(location));
        }
        for transition in transitions {
            self.later(acting, transition, &mut notes);
            match target(transition) {
                Some(target) if transition.chain && !self.hands_over(acting, transition) => {
                    next.push(Place::At(acting, target));
                }
                end => left.push(end),
            }
            if let Command::Guarded(Guarded { comm: Comm::Send(send), .. }) = &transition.command {
                let meetings = self.meetings(acting, &send.channel);
                if !meetings.is_empty() {
                    left.push(target(transition));
                    next.push(Place::Passing(acting, self.memory.number(meetings)));
                }
            }
        }
        (Behind { notes, left: left.into_iter().map(|end| (acting, end)).collect() }, next)
    }

    /// The receivers of a rendezvous in the middle of a chain: each may be taken from where it stands,
    /// and the chain may go on with it.
    fn take_along(&mut self, sender: Who, meetings: u32) -> (Behind, Vec<Place>) {
        let (mut notes, mut next) = (Notes::default(), Vec::new());
        let mut takers = self.takers(meetings);
        takers.retain(|taker| taker.who != sender);
        // A block may begin with several receives.
        takers.dedup_by(|one, other| std::ptr::eq(one.transition, other.transition) && one.who == other.who);
        for Taker { who, location, transition, .. } in takers {
            let object = self.objects.number(Object::Stay { owner: who, location });
            notes.add(object, Kind::Write);
            self.later(who, transition, &mut notes);
            let end = transition.target.0;
            self.signals(who, Some(location), &[Some(end)], &mut notes);
            if transition.chain {
                next.push(Place::At(who, end));
            }
            notes.passengers.push((who, end));
        }
        (Behind { notes, left: Vec::new() }, next)
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
            let offers = self.offers(who, location);
            offers.iter().for_each(|&object| notes.add(object, Kind::Signal));
        }
        // Where it leaves from is not where it comes to.
        let comes_to = ends.iter().flatten().copied().filter(|&end| from != Some(end));
        let leaves = from.filter(|_| ends.iter().any(|&end| end != from));
        for location in comes_to.chain(leaves) {
            if self.context.statics.asked_locations.contains(&(template, location)) {
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
            let crosses = |end: &Option<u32>| end.is_some_and(marked) != from.is_some_and(marked);
            if self.context.statics.asks_marks[usize::from(accept)] && ends.iter().any(crosses) {
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
