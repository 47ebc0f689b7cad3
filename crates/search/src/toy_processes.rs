//! A model of processes that know what is independent of what, for tests.

use std::sync::atomic::Ordering;

use model::{
    Action, Actions, Actor, EnablingSets, End, Failure, FailureKind, Hindrance, Independence, Location,
    Model, Move, NoIndependence, Outcome, OutcomeKind, Patience, Phase, PredicateId, Random, Step, StepText,
    Successors, Variable,
};

/// What a process does besides going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    Nothing,
    /// Sets or clears a shared bit.
    Sets(u32),
    Clears(u32),
    /// Waits until a shared bit is set.
    Awaits(u32),
    /// The same, and clears it.
    Takes(u32),
    /// A failed assertion.
    Asserts,
    /// A runtime error; it does not go on.
    Fails,
    /// It may go round in circles for ever.
    Circles,
}

/// Something that a process can do at a location, and where it may be then.
#[derive(Clone, Debug)]
pub struct Local {
    pub does: Does,
    pub to: Vec<u64>,
}

/// Transitions are numbered so that a process has this many …
pub const TRANSITIONS: u32 = 32;
/// … and a location this many of them.
pub const CHOICES: u32 = 4;

/// Processes that start at their location 0. A process that has nothing to do at its location has ended.
/// The k-th outcome of an action takes k unobservable steps before the last. Predicate k says whether a
/// process is at a location, the one behind the last whether all these are.
#[derive(Clone, Debug, Default)]
pub struct ToyProcesses {
    /// For each process and each of its locations.
    pub processes: Vec<Vec<Vec<Local>>>,
    /// The shared bits that are set at the beginning.
    pub bits: u64,
    pub atoms: Vec<(usize, u64)>,
    /// Whether somebody interrupts the search while it is found out what is independent of what.
    pub is_interrupted: bool,
}

pub fn step(does: Does, to: u64) -> Local {
    Local { does, to: vec![to] }
}

impl ToyProcesses {
    pub fn new(processes: Vec<Vec<Vec<Local>>>) -> ToyProcesses {
        ToyProcesses { processes, ..ToyProcesses::default() }
    }

    /// So many processes of so many locations in a line, or in a circle.
    pub fn counters(n_processes: usize, n_locations: u64, in_circles: bool) -> ToyProcesses {
        let next = |location: u64| match location + 1 {
            next if next < n_locations => vec![step(Does::Nothing, next)],
            _ if in_circles => vec![step(Does::Nothing, 0)],
            _ => vec![],
        };
        ToyProcesses::new(vec![(0..n_locations).map(next).collect(); n_processes])
    }

    /// Some small processes.
    pub fn random(seed: u64) -> ToyProcesses {
        let mut random = Random::new(seed);
        let mut next = |n: u64| random.draw() % n;
        let n_processes = 2 + next(3) as usize;
        let mut processes = Vec::new();
        for _ in 0..n_processes {
            let n_locations = 1 + next(4);
            let mut process = Vec::new();
            for _ in 0..n_locations {
                let mut locals = Vec::new();
                for _ in 0..[0, 1, 1, 1, 2, 2][next(6) as usize] {
                    let bit = next(2) as u32;
                    let does = match next(24) {
                        0..14 => Does::Nothing,
                        14..17 => Does::Sets(bit),
                        17 => Does::Clears(bit),
                        18..20 => Does::Awaits(bit),
                        20..22 => Does::Takes(2 + bit),
                        22 => Does::Asserts,
                        _ if next(2) == 0 => Does::Circles,
                        _ => Does::Fails,
                    };
                    let n_outcomes = match next(6) {
                        0 => 2,
                        1 if does == Does::Circles => 0,
                        _ => 1,
                    };
                    locals.push(Local { does, to: (0..n_outcomes).map(|_| next(n_locations)).collect() });
                }
                process.push(locals);
            }
            processes.push(process);
        }
        let bits = next(16);
        let mut atom = || {
            let process = next(n_processes as u64) as usize;
            (process, next(processes[process].len() as u64))
        };
        let atoms = vec![atom(), atom()];
        ToyProcesses { processes, bits, atoms, is_interrupted: false }
    }

    /// Lets everybody do something else instead of something.
    pub fn replace(&mut self, old: Does, new: Does) {
        let locals = self.processes.iter_mut().flatten().flatten();
        locals.filter(|local| local.does == old).for_each(|local| local.does = new);
    }

    fn locals(&self, process: usize, state: &[u64]) -> &[Local] {
        &self.processes[process][state[process] as usize]
    }

    fn bits(&self, state: &[u64]) -> u64 {
        state[self.processes.len()]
    }

    fn is_enabled(&self, local: &Local, state: &[u64]) -> bool {
        !matches!(local.does, Does::Awaits(bit) | Does::Takes(bit) if self.bits(state) >> bit & 1 == 0)
    }

    /// Whether some step of a process, now or later, is of a kind.
    fn may(&self, process: usize, is_so: impl Fn(Does) -> bool) -> bool {
        self.processes[process].iter().flatten().any(|local| is_so(local.does))
    }
}

impl Model for ToyProcesses {
    fn initial(&self, out: &mut Vec<u64>) -> Result<(), Failure> {
        out.extend(std::iter::repeat_n(0, self.processes.len()));
        out.push(self.bits);
        Ok(())
    }

    fn enabled(&self, state: &[u64], out: &mut Actions) {
        out.clear();
        for process in 0..self.processes.len() {
            for (k, local) in self.locals(process, state).iter().enumerate() {
                if self.is_enabled(local, state) {
                    let transition =
                        TRANSITIONS * process as u32 + CHOICES * state[process] as u32 + k as u32;
                    out.list.push(Action::solo(Actor(process as u32), transition));
                }
            }
        }
    }

    fn fire(&self, chosen: &Actions, state: &[u64], out: &mut Successors) {
        for (index, action) in chosen.list.iter().enumerate() {
            let process = action.actor.who.0 as usize;
            let local = &self.locals(process, state)[(action.actor.transition % CHOICES) as usize];
            out.note_executed(action);
            let mut n_outcomes = 0;
            let mut push = |kind, out: &mut Successors| {
                let start = out.steps.len() as u32;
                if out.record {
                    let step = Step { action: *action, observable: true, phase: Phase::Normal };
                    out.steps.extend(std::iter::repeat_n(Step { observable: false, ..step }, n_outcomes));
                    out.steps.push(step);
                }
                n_outcomes += 1;
                let steps = start..out.steps.len() as u32;
                out.outcomes.push(Outcome { action: index as u32, kind, steps });
            };
            let failed = |kind| {
                OutcomeKind::Failed(Box::new(Failure {
                    kind,
                    location: Location::default(),
                    detail: String::new(),
                }))
            };
            let mut bits = self.bits(state);
            match local.does {
                Does::Nothing | Does::Awaits(_) => {}
                Does::Sets(bit) => bits |= 1 << bit,
                Does::Clears(bit) | Does::Takes(bit) => bits &= !(1 << bit),
                Does::Asserts => push(failed(FailureKind::Assertion), out),
                Does::Fails => {
                    push(failed(FailureKind::DivisionByZero), out);
                    continue;
                }
                Does::Circles if out.divergence => push(OutcomeKind::Diverges(0), out),
                Does::Circles => {}
            }
            for &to in &local.to {
                let start = out.words.len();
                out.words.extend_from_slice(state);
                out.words[start + process] = to;
                out.words[start + self.processes.len()] = bits;
                push(OutcomeKind::State(start as u32..out.words.len() as u32), out);
            }
        }
    }

    fn predicate(&self, predicate: PredicateId, state: &[u64]) -> Result<i64, Failure> {
        let holds = |&(process, location): &(usize, u64)| state[process] == location;
        let atom = self.atoms.get(predicate.0 as usize);
        Ok(i64::from(atom.map_or_else(|| self.atoms.iter().all(holds), holds)))
    }

    fn end(&self, state: &[u64]) -> End {
        let has_ended = |process| self.locals(process, state).is_empty();
        if (0..self.processes.len()).all(has_ended) { End::Valid } else { End::Invalid }
    }

    fn describe(&self, _: &Step, _: &[u64]) -> StepText {
        StepText::default()
    }

    fn hindrance(&self) -> Option<Hindrance> {
        None
    }

    fn independence(
        &self,
        watched: &[PredicateId],
        patience: &Patience,
    ) -> Result<Box<dyn Independence + '_>, NoIndependence> {
        if self.is_interrupted {
            patience.interrupt.store(true, Ordering::Relaxed);
        }
        patience.check()?;
        let watched = watched.iter().map(|predicate| self.atoms[predicate.0 as usize]).collect();
        Ok(Box::new(Knowledge {
            team: self,
            watched,
            state: Vec::new(),
            moves: Vec::new(),
            does: Vec::new(),
        }))
    }

    fn variables(&self, _: &[u64]) -> Vec<Variable> {
        Vec::new()
    }
}

/// What a team knows about a state: each process is a group.
struct Knowledge<'t> {
    team: &'t ToyProcesses,
    watched: Vec<(usize, u64)>,
    state: Vec<u64>,
    moves: Vec<Move>,
    does: Vec<Does>,
}

fn bit(does: Does) -> Option<u32> {
    match does {
        Does::Sets(bit) | Does::Clears(bit) | Does::Awaits(bit) | Does::Takes(bit) => Some(bit),
        _ => None,
    }
}

impl Knowledge<'_> {
    fn push_processes(&self, is_meant: impl Fn(usize) -> bool, out: &mut dyn FnMut(u32)) {
        let meant = |(_, part): &(u32, &Move)| is_meant(part.group as usize);
        (0..).zip(&self.moves).filter(meant).for_each(|(number, _)| out(number));
    }
}

impl Independence for Knowledge<'_> {
    fn look(&mut self, state: &[u64], _: &Actions) {
        self.state = state.to_vec();
        self.moves.clear();
        self.does.clear();
        for (process, &from) in state[..self.team.processes.len()].iter().enumerate() {
            for local in self.team.locals(process, state) {
                let shows = |to: u64| {
                    let differs =
                        |&(other, at): &(usize, u64)| other == process && (from == at) != (to == at);
                    self.watched.iter().any(differs)
                };
                self.moves.push(Move {
                    here: true,
                    group: process as u32,
                    enabled: self.team.is_enabled(local, state),
                    visible: local.to.iter().any(|&to| shows(to)),
                });
                self.does.push(local.does);
            }
        }
    }

    fn moves(&self) -> &[Move] {
        &self.moves
    }

    fn moves_of(&self, action: usize) -> [u32; 2] {
        let mut enabled = (0..).zip(&self.moves).filter(|(_, part)| part.enabled).map(|(number, _)| number);
        let number = enabled.nth(action).expect("an enabled action has a move");
        [number; 2]
    }

    fn conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        let own = self.moves[enabled as usize].group as usize;
        let does = self.does[enabled as usize];
        let waits = matches!(does, Does::Awaits(_));
        let clashes = |other: Does| {
            bit(does)
                .is_some_and(|own| bit(other) == Some(own) && !(waits && matches!(other, Does::Awaits(_))))
        };
        self.push_processes(|process| process == own || self.team.may(process, clashes), &mut |number| {
            out.push(number);
        });
    }

    fn left_conflicts(&mut self, enabled: u32, out: &mut Vec<u32>) {
        // Whoever clears the bit disables it, but it might as well have happened before; unless the bit
        // is set again, and only one order of taking it is possible.
        let may_be_set =
            |bit| (0..self.team.processes.len()).any(|k| self.team.may(k, |d| d == Does::Sets(bit)));
        let is_weak = match self.does[enabled as usize] {
            Does::Awaits(_) => true,
            Does::Takes(bit) => !may_be_set(bit),
            _ => false,
        };
        if is_weak {
            let own = self.moves[enabled as usize].group as usize;
            self.push_processes(|process| process == own, &mut |number| out.push(number));
        } else {
            self.conflicts(enabled, out);
        }
    }

    fn enabling_sets(&mut self, disabled: u32, out: &mut EnablingSets) {
        let sets = |does: Does| match does {
            Does::Sets(set) => bit(self.does[disabled as usize]) == Some(set),
            _ => false,
        };
        self.push_processes(|process| self.team.may(process, sets), &mut |number| out.push(number));
        out.end();
    }

    fn is_local(&mut self, number: u32) -> bool {
        bit(self.does[number as usize]).is_none()
    }

    fn is_private(&mut self, enabled: u32) -> bool {
        self.is_local(enabled)
    }
}
