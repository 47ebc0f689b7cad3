//! Which steps of a program are independent of each other.
//!
//! What steps have in common are *objects* (`objects`): elements of shared variables, channels, the
//! question whether somebody stands at a location. `step` finds out what steps do to them, `relation`
//! what follows for two steps, `configuration` collects this for all processes of a state.
//!
//! The steps of the processes that live are the *moves* of which sets are made, wherever the processes
//! stand. A step that begins elsewhere is disabled until its process comes there, for which one of the
//! steps that lead there must happen; if none can, it is out of the question. That is how control flow
//! keeps the sets small. A process that may be made later is represented by the steps that make it.
//!
//! Everything is computed for the processes that live, not for their types. The number of a process and variables that
//! are never written are constants, so `flag[_pid]` is an object of its own, and so is a channel that is passed as a
//! parameter. A step is a transition with the atomic chain behind it. Two steps accord if what they do to common objects
//! does: two additions commute; a send and a receive commute while the channel is neither full nor empty; a guard stays
//! true if it is true for the constant that the other step stores; steps are never enabled together if their guards
//! compare one object with contradictory constants.
//!
//! The moves at other locations make the sets as small as those of the corresponding Petri net. Only states in the normal
//! phase are reduced, so `timeout` is false in all of this. A step whose effects or guards have no bound (`enabled()`)
//! depends on everything. Priorities and `_last` rule reduction out ([`Hindrance`]).

mod access;
mod configuration;
mod context;
mod enabling;
mod guard_fact;
mod objects;
mod reach;
mod relation;
mod statics;
mod step;

use std::sync::Arc;

use model::{
    Action, Actions, EnablingSets, Fact, Hindrance, Independence, Move, NoIndependence, Party, Patience,
    PredicateId,
};
use rustc_hash::FxHashMap;

use crate::interpreter::Interpreter;
use crate::program::{Program, Transition};
use access::Cause;
use configuration::{Configuration, Place, Question};
use statics::{Flow, Statics};

pub(crate) use statics::SharedStatics;

/// The most steps that are analysed, over all configurations. In states beyond, everything depends on
/// everything.
const MANY_STEPS: usize = 200_000;

/// Stands in a situation between the two moves of a rendezvous.
const MEETS: u32 = u32::MAX;

/// The independence of the steps of a program.
pub struct Dependence<'m> {
    interpreter: &'m Interpreter,
    watched: Vec<PredicateId>,
    statics: Arc<Statics>,
    /// How long it may take to find out about a configuration.
    patience: Patience,
    configurations: Vec<Configuration<'m>>,
    /// The configurations with a shape.
    by_shape: FxHashMap<u32, Vec<usize>>,
    n_steps: usize,
    /// The configuration of the state looked at; none if there were too many.
    current: Option<usize>,
    /// The state looked at, or a later one that was glanced at.
    state: Vec<u64>,
    /// For each process, where it stands.
    locations: Vec<u32>,
    /// For each process, the component of its control flow in which it stands.
    components: Vec<u32>,
    /// The moves if nothing is known: one for each action.
    unknown: Vec<Move>,
    /// The moves that are enabled.
    enabled: Vec<u32>,
    of_actions: Vec<[u32; 2]>,
    /// The configuration, where its processes stand, and the moves that are enabled, of the state glanced at.
    situation: Vec<u32>,
    /// The facts that answers depended on.
    facts: Vec<(Fact, bool)>,
}

/// What in a program is in the way of reduction.
pub(crate) fn hindrance(program: &Program) -> Option<Hindrance> {
    if program.priorities {
        Some(Hindrance::Priorities)
    } else if program.last.is_some() {
        Some(Hindrance::Last)
    } else {
        None
    }
}

impl<'m> Dependence<'m> {
    /// For a property that depends on some predicates.
    pub fn new(
        interpreter: &'m Interpreter,
        watched: &[PredicateId],
        patience: &Patience,
    ) -> Result<Dependence<'m>, NoIndependence> {
        let program = interpreter.program();
        if let Some(hindrance) = hindrance(program) {
            return Err(hindrance.into());
        }
        Ok(Dependence {
            interpreter,
            watched: watched.to_vec(),
            statics: interpreter.statics().of(program, watched, patience)?,
            patience: patience.clone(),
            configurations: Vec::new(),
            by_shape: FxHashMap::default(),
            n_steps: 0,
            current: None,
            state: Vec::new(),
            locations: Vec::new(),
            components: Vec::new(),
            unknown: Vec::new(),
            enabled: Vec::new(),
            of_actions: Vec::new(),
            situation: Vec::new(),
            facts: Vec::new(),
        })
    }

    /// The configuration of a state.
    fn configuration(&mut self, state: &[u64]) -> Option<usize> {
        let same = self.by_shape.entry(state[0] as u32).or_default();
        let known = &self.configurations;
        if let Some(&found) = same.iter().find(|&&index| known[index].fits(state)) {
            return Some(found);
        }
        if self.n_steps > MANY_STEPS {
            return None;
        }
        let new = Configuration::new(self.interpreter, &self.statics, &self.watched, state, &self.patience);
        let Ok(configuration) = new else {
            // Of the next ones there is as much to say.
            self.n_steps = usize::MAX;
            return None;
        };
        self.n_steps += configuration.steps.len();
        same.push(self.configurations.len());
        self.configurations.push(configuration);
        Some(self.configurations.len() - 1)
    }

    /// Forgets where the processes of a configuration stood.
    fn turn_away(&mut self, before: Option<usize>) {
        if let Some(before) = before {
            self.configurations[before].moves.iter_mut().for_each(|number| number.here = false);
        }
        self.locations.clear();
        self.components.clear();
    }

    /// Finds out where the processes stand. Most stand where they stood in the state before.
    fn turn_to(&mut self, current: usize) {
        let shape = self.interpreter.shape_of(&self.state);
        let n_processes = shape.processes.len();
        self.components.resize(n_processes, 0);
        for pid in 0..n_processes as u16 {
            let location = self.interpreter.pc(&self.state, shape, pid);
            match self.locations.get(pid as usize) {
                Some(&before) if before == location => continue,
                Some(_) => {
                    let left = self.here(current, pid);
                    let moves = &mut self.configurations[current].moves;
                    moves[left.start as usize..left.end as usize].iter_mut().for_each(|m| m.here = false);
                    self.locations[pid as usize] = location;
                }
                None => self.locations.push(location),
            }
            let here = self.here(current, pid);
            let moves = &mut self.configurations[current].moves;
            moves[here.start as usize..here.end as usize].iter_mut().for_each(|m| m.here = true);
            let template = self.configurations[current].template(pid);
            let reach = &self.statics.flows[template].reach;
            self.components[pid as usize] = reach.component[location as usize];
        }
    }

    /// Whether a step can still happen, as far as its process's control flow goes.
    fn is_possible(&self, current: usize, step: u32) -> bool {
        let configuration = &self.configurations[current];
        let Place { pid, component, .. } = configuration.places[step as usize];
        let here = self.components[pid as usize];
        here == component || self.statics.flows[configuration.template(pid)].reach.leads(here, component)
    }

    /// The move of one side of an action.
    fn move_of(&self, current: usize, party: Party) -> u32 {
        let (template, location) = self.interpreter.origin(party.transition);
        let flow = &self.statics.flows[template.0 as usize];
        let first = self.configurations[current].first[party.who.0 as usize];
        first + flow.first[location as usize] + self.interpreter.position(party.transition)
    }

    /// The flow of a process.
    fn flow(&self, current: usize, pid: u16) -> &Flow {
        &self.statics.flows[self.configurations[current].template(pid)]
    }

    /// Calls `take` with every step that answers a question about a step and can still happen.
    fn ask(&mut self, current: usize, step: u32, question: Question, mut take: impl FnMut(u32)) {
        self.configurations[current].find(self.interpreter, &self.statics, step, question);
        let answer = self.configurations[current].answer(step, question);
        answer.iter().filter(|&&other| self.is_possible(current, other)).for_each(|&other| take(other));
    }

    /// The moves of a process that are here.
    fn here(&self, current: usize, pid: u16) -> std::ops::Range<u32> {
        let flow = self.flow(current, pid);
        let location = self.locations[pid as usize] as usize;
        let end = flow.first.get(location + 1).map_or(flow.origin.len() as u32, |&end| end);
        let first = self.configurations[current].first[pid as usize];
        first + flow.first[location]..first + end
    }

    fn transition(&self, current: usize, pid: u16, location: u32, position: u32) -> &'m Transition {
        let template = self.configurations[current].template(pid);
        let process = &self.interpreter.program().processes[template];
        &process.locations[location as usize].transitions[position as usize]
    }

    /// What an enabled move conflicts with.
    fn add_conflicts(&mut self, number: u32, question: Question, out: &mut Vec<u32>) {
        let Some(current) = self.current else {
            out.extend(0..self.unknown.len() as u32);
            return;
        };
        let pid = self.configurations[current].moves[number as usize].group as u16;
        out.extend(self.here(current, pid).filter(|&other| other != number));
        self.ask(current, number, question, |other| out.push(other));
        if self.configurations[current].meets(number) {
            self.ask(current, number, Question::Meet, |other| out.push(other));
        }
    }
}

impl Independence for Dependence<'_> {
    fn look(&mut self, state: &[u64], enabled: &Actions) {
        let before = self.current;
        if let Some(before) = before {
            let moves = &mut self.configurations[before].moves;
            self.enabled.drain(..).for_each(|number| moves[number as usize].enabled = false);
        }
        let current = self.configuration(state);
        if before != current {
            self.turn_away(before);
        }
        self.current = current;
        self.facts.clear();
        self.state.clear();
        self.state.extend_from_slice(state);
        self.of_actions.clear();
        let Some(current) = current else {
            let unknown = |k: usize| Move { group: k as u32, here: true, enabled: true, visible: true };
            self.unknown.clear();
            self.unknown.extend((0..enabled.list.len()).map(unknown));
            self.of_actions.extend((0..enabled.list.len() as u32).map(|k| [k, k]));
            return;
        };
        self.turn_to(current);
        for Action { actor, partner } in &enabled.list {
            let first = self.move_of(current, *actor);
            let second = if *partner == model::NO_PARTNER { first } else { self.move_of(current, *partner) };
            let moves = &mut self.configurations[current].moves;
            moves[first as usize].enabled = true;
            moves[second as usize].enabled = true;
            self.enabled.extend([first, second]);
            self.of_actions.push([first, second]);
        }
    }

    fn glance(&mut self, state: &[u64], enabled: &Actions) -> Option<&[u32]> {
        let current = self.configuration(state)?;
        self.state.clear();
        self.state.extend_from_slice(state);
        self.facts.clear();
        let shape = self.interpreter.shape_of(state);
        let mut situation = std::mem::take(&mut self.situation);
        situation.clear();
        situation.push(current as u32);
        let pids = 0..shape.processes.len() as u16;
        situation.extend(pids.map(|pid| self.interpreter.pc(state, shape, pid)));
        for Action { actor, partner } in &enabled.list {
            situation.push(self.move_of(current, *actor));
            if *partner != model::NO_PARTNER {
                situation.extend([MEETS, self.move_of(current, *partner)]);
            }
        }
        self.situation = situation;
        Some(&self.situation)
    }

    fn is_true(&self, fact: Fact) -> bool {
        self.is_true_in(self.situation[0] as usize, fact.into())
    }

    fn take_facts(&mut self, out: &mut Vec<(Fact, bool)>) {
        out.append(&mut self.facts);
    }

    fn moves(&self) -> &[Move] {
        match self.current {
            Some(current) => &self.configurations[current].moves,
            None => &self.unknown,
        }
    }

    fn moves_of(&self, action: usize) -> [u32; 2] {
        self.of_actions[action]
    }

    fn conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        self.add_conflicts(enabled, Question::Conflict, out);
    }

    fn left_conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        self.add_conflicts(enabled, Question::LeftConflict, out);
    }

    fn enabling_sets(&mut self, disabled: u32, out: &mut EnablingSets) {
        out.clear();
        // Where nothing is known every move is enabled.
        let Some(current) = self.current else { return };
        if !self.configurations[current].moves[disabled as usize].here {
            self.add_sets_elsewhere(current, disabled, out);
            return;
        }
        let mut found = false;
        for guard in 0..self.configurations[current].steps[disabled as usize].guards.len() {
            if self.is_false(current, disabled, guard) {
                self.add_guard(current, disabled, guard, out);
                out.end();
                found = true;
            }
        }
        if !found {
            self.add_rest(current, disabled, out);
            out.end();
        }
    }

    fn is_local(&mut self, number: u32) -> bool {
        let Some(current) = self.current else { return false };
        let configuration = &self.configurations[current];
        let pid = configuration.moves[number as usize].group as u16;
        let own = number - configuration.first[pid as usize];
        // To end it must wait for younger processes.
        let waits_for_others = !configuration.moves[number as usize].enabled
            && configuration.steps[number as usize].guards.iter().any(|guard| guard.cause == Cause::Youngest);
        if waits_for_others || !self.flow(current, pid).local[own as usize] {
            return false;
        }
        // Where a process stands may matter to others, and that it ends.
        let mut local = true;
        self.ask(current, number, Question::Conflict, |_| local = false);
        local
    }

    fn is_private(&mut self, enabled: u32) -> bool {
        let Some(current) = self.current else { return false };
        let configuration = &self.configurations[current];
        let step = &configuration.steps[enabled as usize];
        // Who makes a process enables what that does first.
        if step.wild || configuration.meets(enabled) || !step.makes.is_empty() {
            return false;
        }
        let mut private = true;
        self.ask(current, enabled, Question::Touch, |_| private = false);
        private
    }
}
