//! The steps of all processes that live, and of those that may be made, and which of them concern
//! each other: computed once for all states with the same processes and constants.

use model::BitSet;

use super::access::{Builder, Kind, Step};
use super::context::Context;
use super::objects::{Object, Objects, Who};
use super::relation::{Relations, common};
use super::statics::{Flow, Statics};
use crate::interpreter::Interpreter;
use crate::interpreter::shape::Shape;
use crate::layout::Region;
use model::PredicateId;

/// A question about a step, to be answered for every other process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Which steps do not accord with it?
    Conflict,
    /// Which steps of other groups do not, other than by only disabling it?
    LeftConflict,
    /// Which steps may make a rendezvous with it?
    Meet,
    /// Which steps touch what it changes?
    Touch,
    /// Which steps may make its guard with this number true?
    Enable(u16),
}

/// The steps of a process that are the answer to a question.
pub struct Row {
    pub pid: u16,
    /// The steps themselves.
    matches: BitSet,
    /// For each location, those that match or after which one that matches may come. Filled as
    /// locations are met.
    leading: Vec<Option<Box<[Leading]>>>,
}

/// A transition at a location that matches or leads to one that does.
#[derive(Clone, Copy)]
pub struct Leading {
    /// Its position at the location.
    pub position: u32,
    /// Whether it is itself one.
    pub matches: bool,
}

impl Row {
    /// The transitions at a location that match or lead to one that does.
    pub fn leading(&mut self, flow: &Flow, location: u32) -> &[Leading] {
        let matches = &self.matches;
        self.leading[location as usize].get_or_insert_with(|| {
            let first = flow.first[location as usize];
            let end = flow.first.get(location as usize + 1).map_or(flow.origin.len() as u32, |&end| end);
            let leads = |number: u32| {
                let matched = matches.contains(number as usize);
                let behind = flow.targets[number as usize].map(|target| &flow.reachable[target as usize]);
                let is_leading = matched || behind.is_some_and(|set| set.intersects(matches));
                is_leading.then_some(Leading { position: number - first, matches: matched })
            };
            (first..end).filter_map(leads).collect()
        })
    }
}

/// What is known as long as the same processes live and their constants are the same.
pub struct Configuration<'m> {
    shape: &'m Shape,
    /// A state that stands for all.
    words: Vec<u64>,
    /// Where the constants lie: a word, its bits, and their value.
    constants: Vec<(u32, u64, u64)>,
    objects: Vec<Object>,
    pub steps: Vec<Step<'m>>,
    pub visible: Vec<bool>,
    /// For each live process, its first step.
    pub first: Vec<u32>,
    /// For each object, the steps that touch it.
    touching: Vec<Vec<u32>>,
    wild: Vec<u32>,
}

impl<'m> Configuration<'m> {
    pub fn new(
        interpreter: &'m Interpreter,
        statics: &Statics,
        watched: &[PredicateId],
        state: &[u64],
    ) -> Configuration<'m> {
        let shape = interpreter.shape(state);
        let context = Context { interpreter, statics, shape, words: state };
        let mut objects = Objects::default();
        let mut builder = Builder { context, objects: &mut objects };
        let mut steps = Vec::new();
        let mut first = Vec::new();
        for who in builder.everybody() {
            if let Who::Live(_) = who {
                first.push(steps.len() as u32);
            }
            let template = context.template(who).expect("a process") as usize;
            for (l, location) in context.program().processes[template].locations.iter().enumerate() {
                steps.extend((0..location.transitions.len()).map(|k| builder.step(who, l as u32, k)));
            }
        }
        let predicates: Vec<_> = watched
            .iter()
            .map(|id| builder.predicate(&context.program().predicates[id.0 as usize].expr))
            .collect();
        let is_visible = |step: &Step<'_>| {
            predicates.iter().any(|(accesses, anything)| {
                *anything || step.wild || common(accesses, &step.accesses).any(|(_, b)| b.kind.changes())
            })
        };
        let visible = steps.iter().map(is_visible).collect();
        let mut touching = vec![Vec::new(); objects.len()];
        for (number, step) in steps.iter().enumerate() {
            for access in &step.accesses {
                let list: &mut Vec<u32> = &mut touching[access.object as usize];
                if list.last() != Some(&(number as u32)) {
                    list.push(number as u32);
                }
            }
        }
        let wild = (0..steps.len() as u32).filter(|&number| steps[number as usize].wild).collect();
        let objects = objects.into_list();
        let constants = constants(interpreter, statics, shape, state);
        let words = state.to_vec();
        Configuration { shape, words, constants, objects, steps, visible, first, touching, wild }
    }

    /// Whether a state with the same processes has the same constants.
    pub fn fits(&self, state: &[u64]) -> bool {
        self.constants.iter().all(|&(word, mask, value)| state[word as usize] & mask == value)
    }

    /// The template of a live process.
    pub fn template(&self, pid: u16) -> usize {
        self.shape.processes[pid as usize].process.0 as usize
    }

    /// The answer to a question about a step: for each process with an answer, its steps.
    pub fn rows(&self, context: Context<'m, '_>, number: u32, question: Question) -> Vec<Row> {
        let statics = context.statics;
        let relations = Relations { context, objects: &self.objects };
        let step = &self.steps[number as usize];
        let answers = |other: &Step<'m>| {
            let foreign = other.who != step.who;
            match question {
                Question::Conflict => foreign && !relations.accord(step, other),
                Question::LeftConflict => foreign && !relations.left_accord(step, other),
                Question::Meet => foreign && relations.can_meet(step, other),
                Question::Touch => {
                    foreign
                        && (other.wild
                            || common(&step.accesses, &other.accesses).any(|(a, _)| a.kind.changes()))
                }
                Question::Enable(guard) => {
                    let guard = &step.guards[guard as usize];
                    (guard.own && !foreign) || relations.enables(other, step.who, guard)
                }
            }
        };
        let n_live = self.shape.processes.len();
        let mut matches = vec![BitSet::default(); n_live];
        let mut found = vec![false; n_live];
        let mut future = BitSet::default();
        for other in self.candidates(number, question) {
            let other = &self.steps[other as usize];
            if answers(other) {
                match other.who {
                    Who::Live(pid) => {
                        matches[pid as usize].insert(other.number as usize);
                        found[pid as usize] = true;
                    }
                    Who::Future(template) => {
                        future.insert(template as usize);
                    }
                    Who::Nobody => unreachable!("steps are taken by processes"),
                }
            }
        }
        // Who makes a process of which a step is an answer, makes the answer possible.
        for pid in 0..n_live {
            for (k, made) in statics.flows[self.template(pid as u16)].makes.iter().enumerate() {
                if made.iter().any(|&template| future.contains(template as usize)) {
                    matches[pid].insert(k);
                    found[pid] = true;
                }
            }
        }
        let rows = matches.into_iter().enumerate().filter(|(pid, _)| found[*pid]);
        rows.map(|(pid, matches)| {
            let n_locations = statics.flows[self.template(pid as u16)].first.len();
            let leading = (0..n_locations).map(|_| None).collect();
            Row { pid: pid as u16, matches, leading }
        })
        .collect()
    }

    /// The steps that may be an answer.
    fn candidates(&self, number: u32, question: Question) -> Vec<u32> {
        let step = &self.steps[number as usize];
        if step.wild && question != Question::Meet {
            return (0..self.steps.len() as u32).collect();
        }
        let accesses = match question {
            Question::Enable(guard) => &step.guards[guard as usize].accesses,
            _ => &step.accesses,
        };
        let touching = accesses.iter().flat_map(|access| &self.touching[access.object as usize]);
        let mut all: Vec<u32> = touching.chain(&self.wild).copied().collect();
        if let (Question::Enable(guard), Who::Live(pid)) = (question, step.who)
            && step.guards[guard as usize].own
        {
            let first = self.first[pid as usize];
            let own = self.steps[first as usize..].iter().take_while(|other| other.who == step.who);
            all.extend((first..).zip(own).map(|(number, _)| number));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A context in which the configuration's relations are looked at.
    pub fn context<'a>(&'a self, interpreter: &'m Interpreter, statics: &'a Statics) -> Context<'m, 'a> {
        Context { interpreter, statics, shape: self.shape, words: &self.words }
    }

    /// Whether a step is one side of a rendezvous.
    pub fn meets(&self, number: u32) -> bool {
        let accesses = &self.steps[number as usize].accesses;
        accesses.iter().any(|access| matches!(access.kind, Kind::Need | Kind::Offer))
    }
}

/// Where the constants of the processes lie in a state, and their values.
fn constants(
    interpreter: &Interpreter,
    statics: &Statics,
    shape: &Shape,
    state: &[u64],
) -> Vec<(u32, u64, u64)> {
    let mut masks = vec![0u64; state.len()];
    for instance in &shape.processes {
        let template = instance.process.0 as usize;
        let region: &Region = &interpreter.program().processes[template].frame;
        for (slot, written) in region.slots.iter().zip(&statics.written_frames[template]) {
            if *written {
                continue;
            }
            let mut offsets = vec![slot.offset];
            for dim in &slot.dims {
                let all = |offset: &u32| (0..dim.len).map(|k| offset + k * dim.stride).collect::<Vec<_>>();
                offsets = offsets.iter().flat_map(all).collect();
            }
            for offset in offsets {
                let mask = (u64::MAX >> (64 - u32::from(slot.width))) << (offset % 64);
                masks[(instance.frame + offset / 64) as usize] |= mask;
            }
        }
    }
    let used = masks.iter().enumerate().filter(|(_, mask)| **mask != 0);
    used.map(|(word, &mask)| (word as u32, mask, state[word] & mask)).collect()
}
