//! Processes with shared variables, guards and rendezvous.

use model::{Action, Actions, Actor, EnablingSets, Independence, Move, Party, Random};

use super::System;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Set(u64),
    /// Adds one, modulo three.
    Add,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    Send(u32),
    Receive(u32),
}

impl Sync {
    fn partner(self) -> Sync {
        match self {
            Sync::Send(channel) => Sync::Receive(channel),
            Sync::Receive(channel) => Sync::Send(channel),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Transition {
    pub process: usize,
    pub from: u64,
    pub to: u64,
    /// A variable must have a value.
    pub guard: Option<(usize, u64)>,
    pub effect: Option<(usize, Effect)>,
    pub sync: Option<Sync>,
}

impl Transition {
    /// A transition that does nothing but go on.
    pub fn skip(process: usize, from: u64, to: u64) -> Transition {
        Transition { process, from, to, guard: None, effect: None, sync: None }
    }

    fn touches(&self, variable: usize) -> bool {
        self.guard.is_some_and(|(guarded, _)| guarded == variable) || self.writes(variable)
    }

    fn writes(&self, variable: usize) -> bool {
        self.effect.is_some_and(|(written, _)| written == variable)
    }

    fn may_establish(&self, (variable, value): (usize, u64)) -> bool {
        self.effect.is_some_and(|(written, effect)| {
            written == variable && (effect == Effect::Add || effect == Effect::Set(value))
        })
    }

    fn clashes(&self, other: &Transition) -> bool {
        self.effect.is_some_and(|(written, _)| other.touches(written))
            || other.effect.is_some_and(|(written, _)| self.touches(written))
    }

    /// Whether it matters who is first if both happen.
    fn clashes_from_the_left(&self, other: &Transition) -> bool {
        self.effect.is_some_and(|(written, _)| other.touches(written))
    }
}

/// A state is the places of the processes and then the values of the variables.
#[derive(Clone, Debug)]
pub struct Processes {
    pub n_processes: usize,
    pub variables: Vec<u64>,
    pub transitions: Vec<Transition>,
    pub watched: Option<usize>,
}

impl Processes {
    pub fn random(prng: &mut Random) -> Processes {
        let n_processes = 2 + prng.below(2);
        let n_shared = 1 + prng.below(2);
        let n_variables = n_shared + n_processes;
        let mut transitions = Vec::new();
        for process in 0..n_processes {
            let n_places = 2 + prng.below(3);
            for from in 0..n_places - usize::from(prng.chance(60)) {
                for _ in 0..1 + prng.below(2) {
                    let mut variable = || {
                        if prng.chance(50) { prng.below(n_shared) } else { n_shared + process }
                    };
                    let (guarded, written) = (variable(), variable());
                    let guard = prng.chance(45).then(|| (guarded, prng.below(2) as u64));
                    let effect =
                        if prng.chance(20) { Effect::Add } else { Effect::Set(prng.below(2) as u64) };
                    let effect = prng.chance(60).then_some((written, effect));
                    let channel = prng.below(2) as u32;
                    let sync = if prng.chance(50) { Sync::Send(channel) } else { Sync::Receive(channel) };
                    let sync = prng.chance(25).then_some(sync);
                    let to = prng.below(n_places) as u64;
                    transitions.push(Transition { process, from: from as u64, to, guard, effect, sync });
                }
            }
        }
        let watched = Some(prng.below(n_variables));
        Processes { n_processes, variables: vec![0; n_variables], transitions, watched }
    }

    /// Whether a transition can happen, apart from a partner.
    fn is_ready(&self, number: usize, state: &[u64]) -> bool {
        let transition = &self.transitions[number];
        let holds = |(variable, value)| state[self.n_processes + variable] == value;
        state[transition.process] == transition.from && transition.guard.is_none_or(holds)
    }

    fn are_partners(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.transitions[one], &self.transitions[other]);
        one.process != other.process && one.sync.is_some() && one.sync == other.sync.map(Sync::partner)
    }

    /// The transitions that a process can take from a place, now or later.
    fn ahead(&self, process: usize, place: u64) -> Vec<usize> {
        let mut places = vec![place];
        let mut ahead = Vec::new();
        let mut next = 0;
        while let Some(&place) = places.get(next) {
            next += 1;
            for (number, transition) in self.transitions.iter().enumerate() {
                if transition.process == process && transition.from == place {
                    ahead.push(number);
                    if !places.contains(&transition.to) {
                        places.push(transition.to);
                    }
                }
            }
        }
        ahead
    }
}

impl System for Processes {
    fn initial(&self) -> Vec<u64> {
        let mut state = vec![0; self.n_processes];
        state.extend(&self.variables);
        state
    }

    fn enabled(&self, state: &[u64], out: &mut Actions) {
        out.clear();
        let party = |number: usize| Party {
            who: Actor(self.transitions[number].process as u32),
            transition: number as u32,
        };
        let ready = |number: &usize| self.is_ready(*number, state);
        for number in (0..self.transitions.len()).filter(ready) {
            match self.transitions[number].sync {
                None => out.list.push(Action::solo(party(number).who, number as u32)),
                Some(Sync::Receive(_)) => {}
                Some(Sync::Send(_)) => {
                    for partner in (0..self.transitions.len()).filter(ready) {
                        if self.are_partners(number, partner) {
                            out.list.push(Action { actor: party(number), partner: party(partner) });
                        }
                    }
                }
            }
        }
    }

    fn fire(&self, state: &[u64], action: Action) -> Vec<u64> {
        let mut after = state.to_vec();
        for party in std::iter::once(action.actor).chain(action.partner()) {
            let transition = &self.transitions[party.transition as usize];
            after[transition.process] = transition.to;
            if let Some((variable, effect)) = transition.effect {
                let value = &mut after[self.n_processes + variable];
                *value = match effect {
                    Effect::Set(new) => new,
                    Effect::Add => (*value + 1) % 3,
                };
            }
        }
        after
    }

    fn independence(&self) -> Box<dyn Independence + '_> {
        Box::new(View::new(self, Sight::Near))
    }

    fn show(&self, state: &[u64]) -> u64 {
        self.watched.map_or(0, |variable| state[self.n_processes + variable])
    }
}

/// The same processes, which also name the transitions that they are still to come to.
#[derive(Clone, Debug)]
pub struct Farsighted(pub Processes);

impl Farsighted {
    pub fn random(prng: &mut Random) -> Farsighted {
        Farsighted(Processes::random(prng))
    }
}

impl System for Farsighted {
    fn initial(&self) -> Vec<u64> {
        self.0.initial()
    }

    fn enabled(&self, state: &[u64], out: &mut Actions) {
        self.0.enabled(state, out);
    }

    fn fire(&self, state: &[u64], action: Action) -> Vec<u64> {
        self.0.fire(state, action)
    }

    fn independence(&self) -> Box<dyn Independence + '_> {
        Box::new(View::new(&self.0, Sight::Far))
    }

    fn show(&self, state: &[u64]) -> u64 {
        self.0.show(state)
    }
}

/// Which moves there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// Those that are here: they stand for everything that may come after them.
    Near,
    /// Also those to come.
    Far,
}

struct View<'s> {
    system: &'s Processes,
    sight: Sight,
    state: Vec<u64>,
    moves: Vec<Move>,
    /// The transition of each move.
    transitions: Vec<usize>,
    actions: Vec<[u32; 2]>,
}

impl<'s> View<'s> {
    fn new(system: &'s Processes, sight: Sight) -> View<'s> {
        View {
            system,
            sight,
            state: Vec::new(),
            moves: Vec::new(),
            transitions: Vec::new(),
            actions: Vec::new(),
        }
    }

    /// The moves after which a process is at a place where it is not.
    fn ways_to(&self, process: usize, place: u64, mut out: impl FnMut(u32)) {
        for (number, &transition) in (0..).zip(&self.transitions) {
            let before = &self.system.transitions[transition];
            if (before.process, before.to) == (process, place) {
                out(number);
            }
        }
    }

    fn transition(&self, number: u32) -> &Transition {
        &self.system.transitions[self.transitions[number as usize]]
    }

    /// The moves that are such a transition or without which none can happen.
    fn ways(&self, wanted: impl Fn(usize) -> bool, mut out: impl FnMut(u32)) {
        for (number, &transition) in (0..).zip(&self.transitions) {
            let Transition { process, to, .. } = self.system.transitions[transition];
            let leads_there = || self.system.ahead(process, to).into_iter().any(&wanted);
            if wanted(transition) || (self.sight == Sight::Near && leads_there()) {
                out(number);
            }
        }
    }

    /// The transitions of the actions of an enabled move: its own, and those of partners.
    fn with_partners(&self, enabled: u32) -> Vec<usize> {
        let own = self.transitions[enabled as usize];
        let ready =
            |&other: &usize| self.system.are_partners(own, other) && self.system.is_ready(other, &self.state);
        std::iter::once(own).chain((0..self.system.transitions.len()).filter(ready)).collect()
    }

    fn all_conflicts(&self, enabled: u32, clash: fn(&Transition, &Transition) -> bool, out: &mut Vec<u32>) {
        let system = self.system;
        let transitions = self.with_partners(enabled);
        let own = transitions[0];
        for (number, other) in (0..).zip(&self.moves) {
            let is_of = |&part: &usize| system.transitions[part].process == other.group as usize;
            if other.here && transitions.iter().any(is_of) {
                out.push(number);
            }
        }
        let disturbs = |other: usize| {
            let process = system.transitions[other].process;
            process != system.transitions[own].process
                && (transitions.iter().any(|&part| {
                    process != system.transitions[part].process
                        && clash(&system.transitions[part], &system.transitions[other])
                }) || system.are_partners(own, other))
        };
        self.ways(disturbs, |number| out.push(number));
    }
}

impl Independence for View<'_> {
    fn look(&mut self, state: &[u64], enabled: &Actions) {
        self.state = state.to_vec();
        self.moves.clear();
        self.transitions.clear();
        self.actions.clear();
        let parties = |action: &Action| [Some(action.actor), action.partner()];
        for (process, &place) in state[..self.system.n_processes].iter().enumerate() {
            let ahead = match self.sight {
                Sight::Near => None,
                Sight::Far => Some(self.system.ahead(process, place)),
            };
            for (number, transition) in self.system.transitions.iter().enumerate() {
                let here = transition.process == process && transition.from == place;
                if here || ahead.as_ref().is_some_and(|ahead| ahead.contains(&number)) {
                    let is_it = |party: Option<Party>| party.is_some_and(|p| p.transition == number as u32);
                    self.moves.push(Move {
                        here,
                        group: process as u32,
                        enabled: enabled.list.iter().any(|action| parties(action).into_iter().any(is_it)),
                        visible: self.system.watched.is_some_and(|variable| transition.writes(variable)),
                    });
                    self.transitions.push(number);
                }
            }
        }
        for action in &enabled.list {
            let find = |party: Party| {
                self.transitions.iter().position(|&known| known as u32 == party.transition).unwrap() as u32
            };
            let first = find(action.actor);
            self.actions.push([first, action.partner().map_or(first, find)]);
        }
    }

    fn moves(&self) -> &[Move] {
        &self.moves
    }

    fn moves_of(&self, action: usize) -> [u32; 2] {
        self.actions[action]
    }

    fn conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        self.all_conflicts(enabled, Transition::clashes, out);
    }

    fn left_conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        if self.transition(enabled).sync.is_some() {
            self.conflicts(enabled, out);
        } else {
            self.all_conflicts(enabled, Transition::clashes_from_the_left, out);
        }
    }

    fn enabling_sets(&mut self, disabled: u32, out: &mut EnablingSets) {
        let system = self.system;
        let own = self.transitions[disabled as usize];
        if !self.moves[disabled as usize].here {
            let Transition { process, from, .. } = system.transitions[own];
            self.ways_to(process, from, |number| out.push(number));
            out.end();
        }
        let may_establish = |guard| move |other: usize| system.transitions[other].may_establish(guard);
        let fails = |&(variable, value): &(usize, u64)| self.state[system.n_processes + variable] != value;
        if let Some(guard) = system.transitions[own].guard.filter(fails) {
            self.ways(may_establish(guard), |number| out.push(number));
            out.end();
        }
        let is_ready_partner =
            |other: usize| system.are_partners(own, other) && system.is_ready(other, &self.state);
        if system.transitions[own].sync.is_some() && !(0..system.transitions.len()).any(is_ready_partner) {
            // A partner must come, or the guard of one that is there must come true. To name the
            // partner itself would not do: each would then wait for the other.
            for (number, &there) in (0..).zip(&self.transitions) {
                let is_here = self.moves[number as usize].here;
                if system.are_partners(own, there) && !is_here {
                    let Transition { process, from, .. } = system.transitions[there];
                    self.ways_to(process, from, |number| out.push(number));
                } else if system.are_partners(own, there) {
                    let guard = system.transitions[there].guard.expect("it is not ready");
                    self.ways(may_establish(guard), |number| out.push(number));
                }
                let Transition { process, to, .. } = system.transitions[there];
                let ahead = system.ahead(process, to);
                if self.sight == Sight::Near && ahead.into_iter().any(|later| system.are_partners(own, later))
                {
                    out.push(number);
                }
            }
            out.end();
        }
    }

    fn is_local(&mut self, number: u32) -> bool {
        let own = self.transition(number);
        let is_foreign = |variable: usize| {
            self.system.transitions.iter().any(|t| t.process != own.process && t.touches(variable))
        };
        own.sync.is_none() && !(0..self.system.variables.len()).any(|v| own.touches(v) && is_foreign(v))
    }

    fn is_private(&mut self, enabled: u32) -> bool {
        let own = self.transition(enabled);
        let is_foreign = |variable: usize| {
            self.system.transitions.iter().any(|t| t.process != own.process && t.touches(variable))
        };
        let syncs = |place: u64| {
            let there =
                self.system.transitions.iter().filter(|t| (t.process, t.from) == (own.process, place));
            there.into_iter().any(|t| t.sync.is_some())
        };
        !own.effect.is_some_and(|(variable, _)| is_foreign(variable)) && !syncs(own.from) && !syncs(own.to)
    }
}
