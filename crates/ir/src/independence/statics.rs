//! What is known of a program before any state is looked at.

use std::sync::{Arc, Mutex, PoisonError};

use model::{BitSet, Over, Pace, Patience, PredicateId};
use rustc_hash::FxHashSet;

use super::reach::Reach;
use crate::analysis::{
    ChannelSets, guarded_commands, runs, stores, target, transitions, walk, walk_transition,
};
use crate::expr::{Base, Expr, Mark, Op, Place};
use crate::program::{Comm, Process, Program, Transition};

/// What is known of a program.
///
/// Only few of it depends on who watches which predicates; the rest, which is large, is shared.
#[derive(Clone)]
pub struct Statics {
    /// For each shared variable, whether anything is ever stored in it after the start.
    pub written_globals: Vec<bool>,
    /// For each variable of each template, whether anything is ever stored in it after the process
    /// was made.
    pub written_frames: Vec<Vec<bool>>,
    /// For each variable of each template, whether others can reach it.
    pub exposed: Vec<Vec<bool>>,
    /// The locations about which somebody asks, by template.
    pub asked_locations: FxHashSet<(u32, u32)>,
    /// Whether somebody asks where a process stands.
    pub asks_places: bool,
    /// Whether somebody asks for locations with a progress label, and with an accept label.
    pub asks_marks: [bool; 2],
    /// Whether a message may be sent in the middle of an atomic chain.
    pub has_inner_sends: bool,
    /// For each location of each template, whether a message may be received there.
    pub receives: Arc<Vec<Vec<bool>>>,
    /// The channels that variables can mean.
    pub channels: Arc<ChannelSets>,
    /// For each template, those of which its processes, or theirs, may make one.
    pub offspring: Arc<Vec<Vec<u32>>>,
    /// The control flow of each template.
    pub flows: Arc<Vec<Flow>>,
}

/// The control flow of a template. Its transitions are numbered from 0.
pub struct Flow {
    /// For each location, the number of its first transition.
    pub first: Vec<u32>,
    /// For each transition, its location.
    pub origin: Vec<u32>,
    /// Which locations can be reached from others.
    pub reach: Reach,
    /// For each transition, whether it touches nothing but the process's own variables, nor does what
    /// comes behind it in an atomic chain.
    pub local: Vec<bool>,
}

/// What is known of one program: found out once, for all threads.
#[derive(Default)]
pub struct SharedStatics(Mutex<Found>);

#[derive(Default)]
struct Found {
    /// What does not depend on who watches what.
    of_program: Option<Statics>,
    /// The same for those who watch predicates.
    watching: Vec<(Box<[PredicateId]>, Arc<Statics>)>,
}

impl SharedStatics {
    /// What is known for those who watch some predicates. Whoever comes while it is being found out waits: others
    /// run out of patience at the same time.
    pub fn of(
        &self,
        program: &Program,
        watched: &[PredicateId],
        patience: &Patience,
    ) -> Result<Arc<Statics>, Over> {
        // Who was stopped by a panic has left nothing half done.
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = found.watching.iter().find(|(predicates, _)| **predicates == *watched) {
            return Ok(known.clone());
        }
        if found.of_program.is_none() {
            found.of_program = Some(Statics::of_program(program, patience)?);
        }
        let mut statics = found.of_program.clone().expect("it was found above");
        for predicate in watched {
            statics.ask(&program.predicates[predicate.0 as usize].expr);
        }
        let statics = Arc::new(statics);
        found.watching.push((watched.into(), statics.clone()));
        Ok(statics)
    }
}

impl Statics {
    fn of_program(program: &Program, patience: &Patience) -> Result<Statics, Over> {
        let mut pace = patience.pace();
        let frames =
            || program.processes.iter().map(|p| vec![false; p.frame.slots.len()]).collect::<Vec<_>>();
        let flows: Result<Vec<Flow>, Over> =
            program.processes.iter().map(|process| flow(process, &mut pace)).collect();
        let flows = Arc::new(flows?);
        let mut statics = Statics {
            written_globals: vec![false; program.globals.slots.len()],
            written_frames: frames(),
            exposed: frames(),
            asked_locations: FxHashSet::default(),
            asks_places: false,
            asks_marks: [false; 2],
            has_inner_sends: program.processes.iter().any(has_inner_sends),
            receives: Arc::new(program.processes.iter().map(receiving_locations).collect()),
            channels: Arc::new(ChannelSets::new(program)),
            offspring: Arc::new(offspring(program, &mut pace)?),
            flows,
        };
        let implicit = program.last.into_iter().chain(program.monitor.as_ref().map(|monitor| monitor.slot));
        implicit.for_each(|slot| statics.written_globals[slot as usize] = true);
        for (p, process) in program.processes.iter().enumerate() {
            for slot in [process.pc].into_iter().chain(process.priority) {
                statics.written_frames[p][slot as usize] = true;
            }
            process.provided.iter().for_each(|expr| statics.ask(expr));
            process.init.iter().for_each(|op| statics.ask_in_op(op));
            for transition in transitions(process) {
                pace.step()?;
                walk_transition(transition, &mut |expr| statics.note(expr));
                guarded_commands(transition, &mut |guarded| {
                    stores(guarded, &mut |place| statics.write(p, place));
                });
            }
        }
        Ok(statics)
    }

    fn ask(&mut self, expr: &Expr) {
        walk(expr, &mut |expr| self.note(expr));
    }

    fn ask_in_op(&mut self, op: &Op) {
        if let Op::Assign(place, value) = op {
            self.expose(place);
            self.ask(value);
        }
    }

    /// Notes what an expression, without the ones inside it, asks of others.
    fn note(&mut self, expr: &Expr) {
        match expr {
            Expr::Load(place) => self.expose(place),
            Expr::PcValue(_) => self.asks_places = true,
            Expr::SomeAt(mark) => self.asks_marks[usize::from(*mark == Mark::Accept)] = true,
            Expr::At { process, location: Some(location), .. } => {
                self.asked_locations.insert((process.0, location.0));
            }
            _ => {}
        }
    }

    fn expose(&mut self, place: &Place) {
        if let Base::Remote { process, .. } = &place.base {
            self.exposed[process.0 as usize][place.slot as usize] = true;
        }
    }

    fn write(&mut self, p: usize, place: &Place) {
        self.expose(place);
        let slot = place.slot as usize;
        match &place.base {
            Base::Global => self.written_globals[slot] = true,
            Base::Frame => self.written_frames[p][slot] = true,
            Base::Remote { process, .. } => self.written_frames[process.0 as usize][slot] = true,
        }
    }
}

/// Whether a send stands where a chain may lead.
fn has_inner_sends(process: &Process) -> bool {
    let chained = transitions(process).filter(|transition| transition.chain).filter_map(target);
    chained.into_iter().any(|location| {
        let behind = &process.locations[location as usize].transitions;
        behind.iter().any(|transition| {
            let mut sends = false;
            guarded_commands(transition, &mut |guarded| sends |= matches!(guarded.comm, Comm::Send(_)));
            sends
        })
    })
}

fn receiving_locations(process: &Process) -> Vec<bool> {
    let receives = |transition: &Transition| {
        let mut found = false;
        guarded_commands(transition, &mut |guarded| found |= matches!(guarded.comm, Comm::Receive(_)));
        found
    };
    process.locations.iter().map(|location| location.transitions.iter().any(receives)).collect()
}

/// For each template, those of which its processes, or theirs, may make one.
fn offspring(program: &Program, pace: &mut Pace<'_>) -> Result<Vec<Vec<u32>>, Over> {
    let children: Vec<Vec<u32>> = program.processes.iter().map(children).collect();
    let mut offspring = Vec::with_capacity(children.len());
    for t in 0..children.len() {
        let mut found = BitSet::default();
        let mut open = vec![t as u32];
        while let Some(parent) = open.pop() {
            let new = |&&child: &&u32| found.insert(child as usize);
            open.extend(children[parent as usize].iter().filter(new));
            pace.steps(children[parent as usize].len())?;
        }
        offspring.push(found.iter().map(|child| child as u32).collect());
    }
    Ok(offspring)
}

/// The templates of which a process makes one itself.
fn children(process: &Process) -> Vec<u32> {
    let mut made = Vec::new();
    for transition in transitions(process) {
        guarded_commands(transition, &mut |guarded| made.extend(runs(guarded).map(|made| made.0)));
    }
    made.sort_unstable();
    made.dedup();
    made
}

fn flow(process: &Process, pace: &mut Pace<'_>) -> Result<Flow, Over> {
    let mut first = Vec::with_capacity(process.locations.len());
    let mut origin = Vec::new();
    for (l, location) in process.locations.iter().enumerate() {
        first.push(origin.len() as u32);
        origin.extend(std::iter::repeat_n(l as u32, location.transitions.len()));
    }
    Ok(Flow { reach: Reach::new(process, pace)?, local: local(process, &origin), first, origin })
}

/// For each transition, whether it and what comes behind it in an atomic chain is local.
fn local(process: &Process, origin: &[u32]) -> Vec<bool> {
    let provided = process.provided.as_ref().is_none_or(is_local_expr);
    let mut local: Vec<bool> =
        transitions(process).map(|transition| provided && is_local(transition)).collect();
    let mut leading: Vec<Vec<usize>> = vec![Vec::new(); process.locations.len()];
    for (number, transition) in transitions(process).enumerate().filter(|(_, transition)| transition.chain) {
        leading[transition.target.0 as usize].push(number);
    }
    let mut open: Vec<usize> = (0..local.len()).filter(|&number| !local[number]).collect();
    while let Some(number) = open.pop() {
        for before in std::mem::take(&mut leading[origin[number] as usize]) {
            if std::mem::replace(&mut local[before], false) {
                open.push(before);
            }
        }
    }
    local
}

/// Whether a transition touches nothing but the variables of its own process, as the text shows.
fn is_local(transition: &Transition) -> bool {
    let mut local = true;
    walk_transition(transition, &mut |expr| local &= is_local_part(expr));
    guarded_commands(transition, &mut |guarded| {
        local &= guarded.comm == Comm::None;
        local &= guarded.effect.iter().all(|op| match op {
            Op::Assign(place, _) => place.base == Base::Frame,
            Op::Assert { .. } | Op::Print(_) => true,
            Op::Run { .. } | Op::SetPriority(..) => false,
        });
    });
    local
}

fn is_local_expr(expr: &Expr) -> bool {
    let mut local = true;
    walk(expr, &mut |expr| local &= is_local_part(expr));
    local
}

/// The same of an expression, without the ones inside it.
fn is_local_part(expr: &Expr) -> bool {
    match expr {
        Expr::Load(place) => place.base == Base::Frame,
        Expr::Const(_) | Expr::Pid | Expr::OwnChannel(_) => true,
        Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) => true,
        _ => false,
    }
}
