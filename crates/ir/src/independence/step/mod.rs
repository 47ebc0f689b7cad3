//! From transitions to steps: what each does to the objects.

mod chain;
mod channels;
mod effects;
mod guards;
mod memory;
mod reads;

use model::{Pace, Patience};

use super::access::{Access, Kind, Step};
use super::context::Context;
use super::objects::{Object, Objects, Who};
use crate::analysis::target;
use crate::expr::{Expr, Receive};
use crate::program::{Comm, Command, Guarded, Transition};
use memory::Memory;

/// Where accesses are noted.
#[derive(Default)]
struct Notes {
    accesses: Vec<Access>,
    own: bool,
    wild: bool,
    passengers: Vec<(Who, u32)>,
    makes: Vec<u32>,
}

impl Notes {
    fn add(&mut self, object: u32, kind: Kind) {
        self.accesses.push(Access { object, kind });
    }

    fn add_all(&mut self, other: &Notes) {
        self.accesses.extend(&other.accesses);
        self.own |= other.own;
        self.wild |= other.wild;
        self.passengers.extend(&other.passengers);
        self.makes.extend(&other.makes);
    }

    fn sorted(mut self) -> Notes {
        self.accesses.sort_unstable();
        self.accesses.dedup();
        self.passengers.sort_unstable();
        self.passengers.dedup();
        self.makes.sort_unstable();
        self.makes.dedup();
        self
    }

    fn len(&self) -> usize {
        self.accesses.len() + self.passengers.len() + self.makes.len()
    }
}

/// Who gets so much to look at gives up: chains of which each step may leave many processes at many locations.
const MOST_NOTES: usize = 1 << 23;

/// Why nothing is found out about steps: somebody is out of patience, or there is too much to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuch;

/// Finds out what steps do.
pub struct Builder<'m, 'a, 'p> {
    pub context: Context<'m, 'a>,
    pub objects: &'a mut Objects,
    pace: Pace<'p>,
    memory: Memory<'m>,
    n_notes: usize,
    /// Whether to give up. What is found from then on means nothing.
    is_too_much: bool,
}

impl<'m, 'a, 'p> Builder<'m, 'a, 'p> {
    /// For the steps of one configuration.
    pub fn new(context: Context<'m, 'a>, objects: &'a mut Objects, patience: &'p Patience) -> Self {
        let memory = Memory::default();
        Builder { context, objects, pace: patience.pace(), memory, n_notes: 0, is_too_much: false }
    }

    /// Notes that there was so much to look at.
    fn note_work(&mut self, n: usize) {
        self.n_notes += n;
        self.is_too_much |= self.n_notes > MOST_NOTES || self.pace.steps(n).is_err();
    }

    /// The step that begins with the `k`-th transition of a location.
    ///
    /// # Errors
    /// If there is too much to look at, for this and the steps before.
    pub fn step(&mut self, who: Who, location: u32, k: usize) -> Result<Step<'m>, TooMuch> {
        let template = self.context.template(who).expect("steps are taken by processes") as usize;
        let process = &self.context.program().processes[template];
        let transitions = &process.locations[location as usize].transitions;
        let transition = &transitions[k];
        let (guards, message) = self.guards(who, transitions, k);
        let mut notes = Notes::default();
        let mut comparisons = Vec::new();
        for (g, guard) in guards.iter().enumerate() {
            notes.accesses.extend(guard.accesses.iter().filter_map(|access| self.as_guard(g, guard, access)));
            notes.wild |= guard.wild;
            // What is possible, to fail, need not satisfy what comes later.
            if guards[..=g].iter().all(|earlier| !earlier.fails) {
                comparisons.extend(guard.expr.and_then(|expr| self.comparison(who, expr)));
            }
        }
        if process.deterministic {
            let siblings = transitions.iter().filter(|sibling| !std::ptr::eq(*sibling, transition));
            siblings.for_each(|sibling| self.readiness(who, sibling, &mut notes));
        }
        match &transition.command {
            Command::Guarded(guarded) => {
                self.communication(who, &guarded.comm, true, &mut notes);
                self.effect(who, &guarded.effect, &mut notes);
            }
            Command::Else { .. } => {}
            Command::Terminate => self.terminate(who, &mut notes),
            Command::Block(block) => {
                block.locations.iter().flatten().for_each(|inner| self.later(who, inner, &mut notes));
                for receive in entry_receives(transition) {
                    let offered = self.offered(who, receive);
                    offered.into_iter().for_each(|object| notes.add(object, Kind::Offer));
                }
            }
        }
        let mut ends = vec![target(transition)];
        if transition.chain && !self.hands_over(who, transition) {
            ends = self.chain(who, transition.target.0, &mut notes);
        }
        self.signals(who, Some(location), &ends, &mut notes);
        if self.context.may_be_taken_along(template as u32, location) {
            let object = self.objects.number(Object::Stay { owner: who, location });
            notes.add(object, Kind::Read);
        }
        let notes = notes.sorted();
        self.note_work(1 + notes.len() + ends.len());
        if self.is_too_much {
            return Err(TooMuch);
        }
        Ok(Step {
            who,
            accesses: notes.accesses,
            guards,
            comparisons,
            message,
            ends,
            passengers: notes.passengers,
            makes: notes.makes,
            wild: notes.wild,
        })
    }

    /// Whether a transition is a rendezvous send, behind which the receiver has the chain.
    fn hands_over(&mut self, who: Who, transition: &Transition) -> bool {
        match &transition.command {
            Command::Guarded(Guarded { comm: Comm::Send(send), .. }) => {
                self.contents(who, &send.channel).is_empty()
            }
            _ => false,
        }
    }

    /// What the value of a predicate depends on: the objects, and whether it may be anything.
    pub fn predicate(&mut self, expr: &Expr) -> (Vec<Access>, bool) {
        let mut notes = Notes::default();
        self.reads(Who::Nobody, expr, &mut notes);
        let mut stuck = false;
        crate::analysis::walk(expr, &mut |expr| stuck |= matches!(expr, Expr::Timeout));
        let notes = notes.sorted();
        (notes.accesses, notes.wild || stuck)
    }

    /// Everybody who lives, and any process that may be made.
    pub fn everybody(&self) -> Vec<Who> {
        let live = (0..self.context.shape.processes.len()).map(|pid| Who::Live(pid as u16));
        let offspring = &self.context.statics.offspring;
        let processes = self.context.shape.processes.iter();
        let mut future: Vec<u32> =
            processes.flat_map(|instance| &offspring[instance.process.0 as usize]).copied().collect();
        future.sort_unstable();
        future.dedup();
        live.chain(future.into_iter().map(Who::Future)).collect()
    }

    /// Everybody who lives, and any process of any template.
    fn everybody_ever(&self) -> Vec<Who> {
        let live = (0..self.context.shape.processes.len()).map(|pid| Who::Live(pid as u16));
        let future = (0..self.context.program().processes.len()).map(|t| Who::Future(t as u32));
        live.chain(future).collect()
    }
}

/// The receives with which a transition may begin.
fn entry_receives(transition: &Transition) -> impl Iterator<Item = &Receive> {
    let entries = match &transition.command {
        Command::Block(block) => &block.locations[0],
        _ => std::slice::from_ref(transition),
    };
    entries.iter().filter_map(|entry| match &entry.command {
        Command::Guarded(Guarded { comm: Comm::Receive(receive), .. }) => Some(receive),
        _ => None,
    })
}
