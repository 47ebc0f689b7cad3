//! The steps of all processes that live, and of those that may be made, and which of them concern
//! each other: computed once for all states with the same processes and constants.

use model::{Move, Patience, PredicateId};
use rustc_hash::FxHashMap;

use super::access::{Access, Kind, Step};
use super::context::Context;
use super::objects::{Object, Objects, Who};
use super::relation::{Relations, common};
use super::statics::Statics;
use super::step::{Builder, TooMuch};
use crate::interpreter::Interpreter;
use crate::interpreter::shape::{Instance, Shape};
use crate::layout::Region;
use crate::program::ProcessId;

/// A question about a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Which steps of others do not accord with it?
    Conflict,
    /// Which steps of others do not, even if it only has to be possible before them and behind them?
    /// If it cannot be disabled, it is enough to know those that do not accord with it.
    LeftConflict,
    /// Which steps may make a rendezvous with it?
    Meet,
    /// Which steps of others touch what it changes?
    Touch,
    /// Which steps may make its guard with this number true, by what others can reach?
    Enable(u16),
}

/// What is known as long as the same processes live and their constants are the same.
pub struct Configuration<'m> {
    shape: &'m Shape,
    /// A state that stands for all.
    words: Vec<u64>,
    /// Where the constants lie: a word, its bits, and their value.
    constants: Vec<(u32, u64, u64)>,
    objects: Vec<Object>,
    /// The steps: those of live processes by pid, then those of processes that may be made.
    pub steps: Vec<Step<'m>>,
    /// The steps of live processes, as they are seen from outside.
    pub moves: Vec<Move>,
    /// For each live process, its first step; then the number of these steps.
    pub first: Vec<u32>,
    /// For each live process and location, the steps that may bring it there.
    arriving: Vec<Vec<Box<[u32]>>>,
    /// For each live process and location, the steps of others that may take it away from there.
    departing: FxHashMap<(u16, u32), Box<[u32]>>,
    /// For each object, the steps that touch it.
    touching: Vec<Vec<u32>>,
    wild: Vec<u32>,
    /// For each step of a live process, where it begins.
    pub places: Vec<Place>,
    /// For each step of a live process, whether it is one side of a rendezvous.
    meets: Vec<bool>,
    /// For each step of a live process, the answers to questions about it, once they are known.
    answers: Vec<Answers>,
}

/// Where a step begins.
#[derive(Clone, Copy)]
pub struct Place {
    pub pid: u16,
    pub location: u32,
    /// The component of its process's control flow in which the location lies.
    pub component: u32,
    /// Its position among the transitions of the location.
    pub position: u32,
}

/// Answers to questions about a step: steps of live processes.
#[derive(Clone, Default)]
struct Answers {
    conflict: Option<Box<[u32]>>,
    left_conflict: Option<Box<[u32]>>,
    meet: Option<Box<[u32]>>,
    touch: Option<Box<[u32]>>,
    enable: Vec<Option<Box<[u32]>>>,
}

impl Answers {
    fn get(&self, question: Question) -> Option<&[u32]> {
        match question {
            Question::Conflict => self.conflict.as_deref(),
            Question::LeftConflict => self.left_conflict.as_deref(),
            Question::Meet => self.meet.as_deref(),
            Question::Touch => self.touch.as_deref(),
            Question::Enable(guard) => self.enable.get(guard as usize)?.as_deref(),
        }
    }

    fn slot(&mut self, question: Question) -> &mut Option<Box<[u32]>> {
        match question {
            Question::Conflict => &mut self.conflict,
            Question::LeftConflict => &mut self.left_conflict,
            Question::Meet => &mut self.meet,
            Question::Touch => &mut self.touch,
            Question::Enable(guard) => {
                let guard = guard as usize;
                if self.enable.len() <= guard {
                    self.enable.resize(guard + 1, None);
                }
                &mut self.enable[guard]
            }
        }
    }
}

impl<'m> Configuration<'m> {
    pub fn new(
        interpreter: &'m Interpreter,
        statics: &Statics,
        watched: &[PredicateId],
        state: &[u64],
        patience: &Patience,
    ) -> Result<Configuration<'m>, TooMuch> {
        let shape = interpreter.shape_of(state);
        let context = Context { interpreter, statics, shape, words: state };
        let mut objects = Objects::default();
        let mut builder = Builder::new(context, &mut objects, patience);
        let (mut steps, mut first) = (Vec::new(), Vec::new());
        for who in builder.everybody() {
            if first.len() <= shape.processes.len() {
                first.push(steps.len() as u32);
            }
            let template = context.template(who).expect("a process") as usize;
            for (l, location) in context.program().processes[template].locations.iter().enumerate() {
                for k in 0..location.transitions.len() {
                    steps.push(builder.step(who, l as u32, k)?);
                }
            }
        }
        if first.len() == shape.processes.len() {
            first.push(steps.len() as u32);
        }
        let predicate =
            |id: &PredicateId| builder.predicate(&context.program().predicates[id.0 as usize].expr);
        let predicates: Vec<_> = watched.iter().map(predicate).collect();
        let is_visible = |step: &Step<'_>| {
            predicates.iter().any(|(accesses, anything)| {
                *anything || step.wild || common(accesses, &step.accesses).any(|(_, b)| b.kind.changes())
            })
        };
        let live = steps.iter().filter_map(|step| match step.who {
            Who::Live(pid) => Some((u32::from(pid), is_visible(step))),
            Who::Nobody | Who::Future(_) => None,
        });
        let moves =
            live.map(|(group, visible)| Move { group, here: false, enabled: false, visible }).collect();
        let objects = objects.into_list();
        let stand_ins = stand_ins(&steps);
        let mut configuration = Configuration {
            shape,
            words: state.to_vec(),
            constants: constants(interpreter, statics, shape, state),
            arriving: arriving(&steps, &stand_ins, statics, shape),
            departing: departing(&steps, &stand_ins, &objects),
            touching: vec![Vec::new(); objects.len()],
            wild: (0..steps.len() as u32).filter(|&number| steps[number as usize].wild).collect(),
            objects,
            places: places(statics, shape),
            meets: steps.iter().map(is_side).collect(),
            answers: vec![Answers::default(); steps.len()],
            steps,
            moves,
            first,
        };
        for (number, step) in configuration.steps.iter().enumerate() {
            for access in &step.accesses {
                let list = &mut configuration.touching[access.object as usize];
                if list.last() != Some(&(number as u32)) {
                    list.push(number as u32);
                }
            }
        }
        Ok(configuration)
    }

    /// Whether a state with the same processes has the same constants.
    pub fn fits(&self, state: &[u64]) -> bool {
        self.constants.iter().all(|&(word, mask, value)| state[word as usize] & mask == value)
    }

    /// The template of a live process.
    pub fn template(&self, pid: u16) -> usize {
        self.shape.processes[pid as usize].process.0 as usize
    }

    /// The steps that may bring a process to a location.
    pub fn arriving(&self, pid: u16, location: u32) -> &[u32] {
        &self.arriving[pid as usize][location as usize]
    }

    /// The steps of others that may take a process away from a location.
    pub fn departing(&self, pid: u16, location: u32) -> &[u32] {
        self.departing.get(&(pid, location)).map_or(&[], |list| list)
    }

    /// Finds the answer to a question about a step of a live process, unless it is known.
    pub fn find(&mut self, interpreter: &'m Interpreter, statics: &Statics, number: u32, question: Question) {
        if self.answers[number as usize].get(question).is_none() {
            let answer = self.find_answer(interpreter, statics, number, question);
            *self.answers[number as usize].slot(question) = Some(answer);
        }
    }

    /// An answer that has been found.
    pub fn answer(&self, number: u32, question: Question) -> &[u32] {
        self.answers[number as usize].get(question).unwrap_or_default()
    }

    fn find_answer(
        &self,
        interpreter: &'m Interpreter,
        statics: &Statics,
        number: u32,
        question: Question,
    ) -> Box<[u32]> {
        let context = Context { interpreter, statics, shape: self.shape, words: &self.words };
        let relations = Relations { context, objects: &self.objects };
        let step = &self.steps[number as usize];
        let answers = |other: &Step<'m>| {
            let foreign = other.who != step.who;
            match question {
                Question::Conflict => foreign && !relations.accord(step, other),
                Question::LeftConflict => foreign && !relations.left_accord(step, other),
                Question::Meet => foreign && relations.can_meet(step, other),
                Question::Touch => {
                    let changed = |(a, _): (&Access, _)| a.kind.changes();
                    foreign && (other.wild || common(&step.accesses, &other.accesses).any(changed))
                }
                Question::Enable(guard) => relations.enables(other, step.who, &step.guards[guard as usize]),
            }
        };
        let found = self.candidates(number, question).into_iter();
        let found = found.filter(|&other| answers(&self.steps[other as usize]));
        let mut live = Vec::new();
        let mut made = Vec::new();
        for other in found {
            match self.steps[other as usize].who {
                Who::Future(template) => made.push(template),
                Who::Live(_) | Who::Nobody => live.push(other),
            }
        }
        // Who makes a process of which a step is an answer, makes the answer possible.
        if !made.is_empty() {
            let makes = |&other: &u32| {
                let step = &self.steps[other as usize];
                step.makes.iter().any(|template| made.contains(template))
            };
            live.extend((0..self.moves.len() as u32).filter(makes));
        }
        live.sort_unstable();
        live.dedup();
        if question == Question::LeftConflict {
            let strong = self.find_answer(interpreter, statics, number, Question::Conflict);
            return if strong.len() <= live.len() { strong } else { live.into() };
        }
        live.into()
    }

    /// The steps that may be an answer.
    fn candidates(&self, number: u32, question: Question) -> Vec<u32> {
        let step = &self.steps[number as usize];
        let anything = match question {
            Question::Meet => false,
            Question::Enable(guard) => step.guards[guard as usize].wild,
            Question::Conflict | Question::LeftConflict | Question::Touch => step.wild,
        };
        if anything {
            return (0..self.steps.len() as u32).collect();
        }
        let accesses = match question {
            Question::Enable(guard) => &step.guards[guard as usize].accesses,
            _ => &step.accesses,
        };
        // A process asks about itself only what makes its guards true.
        let own = match (question, step.who) {
            (Question::Enable(_), _) | (_, Who::Nobody | Who::Future(_)) => 0..0,
            (_, Who::Live(pid)) => self.first[pid as usize]..self.first[pid as usize + 1],
        };
        let others = |access: &Access| {
            let list = &self.touching[access.object as usize];
            let place = |bound: u32| list.partition_point(|&other| other < bound);
            list[..place(own.start)].iter().chain(&list[place(own.end)..])
        };
        let touching = accesses.iter().flat_map(others);
        let mut all: Vec<u32> = touching.chain(&self.wild).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a step is one side of a rendezvous.
    pub fn meets(&self, number: u32) -> bool {
        self.meets[number as usize]
    }

    /// Whether a step may be the receive of a rendezvous.
    pub fn offers(&self, number: u32) -> bool {
        self.steps[number as usize].accesses.iter().any(|access| access.kind == Kind::Offer)
    }
}

/// Whether a step is one side of a rendezvous.
fn is_side(step: &Step<'_>) -> bool {
    step.accesses.iter().any(|access| matches!(access.kind, Kind::Need | Kind::Offer))
}

/// Where the steps of live processes begin.
fn places(statics: &Statics, shape: &Shape) -> Vec<Place> {
    let of_process = |(pid, live): (usize, &Instance)| {
        let flow = &statics.flows[live.process.0 as usize];
        let place = move |(number, &location): (usize, &u32)| {
            let position = number as u32 - flow.first[location as usize];
            Place { pid: pid as u16, location, component: flow.reach.component[location as usize], position }
        };
        flow.origin.iter().enumerate().map(place)
    };
    shape.processes.iter().enumerate().flat_map(of_process).collect()
}

/// For each step, the steps of live processes without which it does not happen: itself, or those that
/// may make its process.
fn stand_ins(steps: &[Step<'_>]) -> Vec<Vec<u32>> {
    let makers = |template: u32| {
        let makes = |(_, step): &(usize, &Step<'_>)| {
            matches!(step.who, Who::Live(_)) && step.makes.contains(&template)
        };
        steps.iter().enumerate().filter(makes).map(|(number, _)| number as u32).collect()
    };
    let mut known: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let stand_in = |(number, step): (usize, &Step<'_>)| match step.who {
        Who::Future(template) => known.entry(template).or_insert_with(|| makers(template)).clone(),
        Who::Live(_) | Who::Nobody => vec![number as u32],
    };
    steps.iter().enumerate().map(stand_in).collect()
}

/// For each live process and location, the steps that may bring it there.
fn arriving(
    steps: &[Step<'_>],
    stand_ins: &[Vec<u32>],
    statics: &Statics,
    shape: &Shape,
) -> Vec<Vec<Box<[u32]>>> {
    let n_locations = |process: ProcessId| statics.flows[process.0 as usize].first.len();
    let mut lists: Vec<Vec<Vec<u32>>> =
        shape.processes.iter().map(|live| vec![Vec::new(); n_locations(live.process)]).collect();
    for (step, stand_ins) in steps.iter().zip(stand_ins) {
        let own = step.ends.iter().flatten().map(|&end| (step.who, end));
        for (who, end) in own.chain(step.passengers.iter().copied()) {
            if let Who::Live(pid) = who {
                lists[pid as usize][end as usize].extend(stand_ins);
            }
        }
    }
    let sorted = |mut list: Vec<u32>| {
        list.sort_unstable();
        list.dedup();
        list.into()
    };
    lists.into_iter().map(|lists| lists.into_iter().map(sorted).collect()).collect()
}

/// For each live process and location, the steps of others that may take it away from there.
fn departing(
    steps: &[Step<'_>],
    stand_ins: &[Vec<u32>],
    objects: &[Object],
) -> FxHashMap<(u16, u32), Box<[u32]>> {
    let mut lists: FxHashMap<(u16, u32), Vec<u32>> = FxHashMap::default();
    for (step, stand_ins) in steps.iter().zip(stand_ins) {
        for access in step.accesses.iter().filter(|access| access.kind == Kind::Write) {
            if let Object::Stay { owner: Who::Live(pid), location } = objects[access.object as usize] {
                lists.entry((pid, location)).or_default().extend(stand_ins);
            }
        }
    }
    lists.into_iter().map(|(key, list)| (key, list.into())).collect()
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
