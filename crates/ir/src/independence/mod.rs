//! Which steps of a program are independent of each other.
//!
//! What steps have in common are *objects* (`objects`): elements of shared variables, channels, the
//! question whether somebody stands at a location. `access` says what a step does to them, `relation`
//! what follows for two steps, `configuration` collects this for all processes of a state.
//!
//! A step that comes into consideration in a state, enabled or not, stands at the location of its
//! process: a *move*. What a process may do later it can only do after one of its moves. So where a
//! relation names a step that is still to come, the moves stand for it that lead there; that is what
//! makes the sets small, and why control flow is looked at.
//!
//! A process that may be made later counts as one step more of whoever can make it.

mod access;
mod configuration;
mod context;
mod objects;
mod relation;
mod statics;

use model::{Action, Actions, Hindrance, Independence, Move, Obstacles, Party, PredicateId};
use rustc_hash::FxHashMap;

use crate::interpreter::Interpreter;
use crate::interpreter::eval::Env;
use crate::program::{Comm, Command, Guarded, Transition};
use access::Cause;
use configuration::{Configuration, Question, Row};
use statics::Statics;

/// The most steps that are analysed, over all configurations. In states beyond, everything depends on
/// everything.
const MANY_STEPS: usize = 200_000;

/// The independence of the steps of a program.
pub struct Dependence<'m> {
    interpreter: &'m Interpreter,
    watched: Vec<PredicateId>,
    statics: Statics,
    configurations: Vec<Known<'m>>,
    /// The configurations with a shape.
    by_shape: FxHashMap<u32, Vec<usize>>,
    n_steps: usize,
    /// The configuration of the state looked at; none if there were too many.
    current: Option<usize>,
    state: Vec<u64>,
    /// For each process, where it stands.
    locations: Vec<u32>,
    /// For each process, its first move; behind the last one, the number of moves.
    starts: Vec<u32>,
    moves: Vec<Move>,
    of_actions: Vec<[u32; 2]>,
}

/// A configuration, with the answers to the questions asked so far.
struct Known<'m> {
    configuration: Configuration<'m>,
    answers: FxHashMap<(u32, Question), Vec<Row>>,
}

impl<'m> Dependence<'m> {
    /// For a property that depends on some predicates.
    pub fn new(interpreter: &'m Interpreter, watched: &[PredicateId]) -> Result<Dependence<'m>, Hindrance> {
        let program = interpreter.program();
        if program.priorities {
            let why = "whether a process may move depends on all others";
            return Err(Hindrance { feature: "priorities", why });
        }
        if program.last.is_some() {
            return Err(Hindrance { feature: "_last", why: "every step changes it" });
        }
        Ok(Dependence {
            interpreter,
            watched: watched.to_vec(),
            statics: Statics::new(program, watched),
            configurations: Vec::new(),
            by_shape: FxHashMap::default(),
            n_steps: 0,
            current: None,
            state: Vec::new(),
            locations: Vec::new(),
            starts: Vec::new(),
            moves: Vec::new(),
            of_actions: Vec::new(),
        })
    }

    /// The configuration of a state.
    fn configuration(&mut self, state: &[u64]) -> Option<usize> {
        let same = self.by_shape.entry(state[0] as u32).or_default();
        let known = &self.configurations;
        if let Some(&found) = same.iter().find(|&&index| known[index].configuration.fits(state)) {
            return Some(found);
        }
        if self.n_steps > MANY_STEPS {
            return None;
        }
        let configuration = Configuration::new(self.interpreter, &self.statics, &self.watched, state);
        self.n_steps += configuration.steps.len();
        same.push(self.configurations.len());
        self.configurations.push(Known { configuration, answers: FxHashMap::default() });
        Some(self.configurations.len() - 1)
    }

    /// The move of one side of an action.
    fn move_of(&self, party: Party) -> u32 {
        let (_, location) = self.interpreter.origin(party.transition);
        debug_assert_eq!(location, self.locations[party.process as usize]);
        self.starts[party.process as usize] + self.interpreter.position(party.transition)
    }

    /// The process and the step of a move.
    fn step_of(&self, number: u32) -> (u16, u32) {
        let pid = self.moves[number as usize].group as u16;
        let position = number - self.starts[pid as usize];
        let Some(current) = self.current else { return (pid, position) };
        let configuration = &self.configurations[current].configuration;
        let flow = &self.statics.flows[configuration.template(pid)];
        let first = flow.first[self.locations[pid as usize] as usize];
        (pid, configuration.first[pid as usize] + first + position)
    }

    /// Calls `take` with every move that answers a question about a step or leads to an answer; the
    /// second argument says whether it is itself one.
    fn ask(&mut self, step: u32, question: Question, mut take: impl FnMut(u32, bool)) {
        let Some(current) = self.current else { return };
        let Known { configuration, answers } = &mut self.configurations[current];
        let rows = answers.entry((step, question)).or_insert_with(|| {
            configuration.rows(configuration.context(self.interpreter, &self.statics), step, question)
        });
        for row in rows {
            let pid = row.pid as usize;
            let flow = &self.statics.flows[configuration.template(row.pid)];
            for leading in row.leading(flow, self.locations[pid]) {
                take(self.starts[pid] + leading.position, leading.matches);
            }
        }
    }

    fn group(&self, pid: u16) -> std::ops::Range<u32> {
        self.starts[pid as usize]..self.starts[pid as usize + 1]
    }

    fn transition(&self, pid: u16, number: u32) -> &'m Transition {
        let position = (number - self.starts[pid as usize]) as usize;
        &self.interpreter.location_of(&self.state, pid).transitions[position]
    }

    /// What an enabled move conflicts with.
    fn add_conflicts(&mut self, number: u32, question: Question, out: &mut Vec<u32>) {
        let (pid, step) = self.step_of(number);
        let Some(current) = self.current else {
            out.extend(0..self.moves.len() as u32);
            return;
        };
        out.extend(self.group(pid).filter(|&other| other != number));
        self.ask(step, question, |other, _| out.push(other));
        if self.configurations[current].configuration.meets(step) {
            self.ask(step, Question::Meet, |other, _| out.push(other));
        }
    }

    /// Whether a guard of a disabled move is false. If in doubt, it is not.
    fn is_false(&self, pid: u16, number: u32, cause: Cause) -> bool {
        let transition = self.transition(pid, number);
        let env = self.interpreter.env(&self.state, pid, false);
        let guarded = match &transition.command {
            Command::Guarded(guarded) => Some(guarded),
            _ => None,
        };
        match cause {
            Cause::Provided => matches!(env.provided(), Ok(false)),
            Cause::Conjunct(index) => {
                let conjunct = &guarded.expect("a conjunct is part of a guard").guard[index as usize];
                matches!(env.holds(conjunct), Ok(false))
            }
            Cause::NotFull | Cause::NotEmpty | Cause::Matches => {
                guarded.is_some_and(|guarded| self.is_channel_in_the_way(&env, guarded, cause))
            }
            Cause::Escape => {
                let start = self.starts[pid as usize];
                let earlier = (start..number).filter(|&other| self.moves[other as usize].enabled);
                earlier.into_iter().any(|other| {
                    let escape = self.transition(pid, other).escape;
                    escape.is_some() && escape != transition.escape
                })
            }
            Cause::Youngest => (pid as usize) + 1 < self.locations.len(),
            // Known by the absence of others.
            Cause::Else | Cause::Entry | Cause::Channel | Cause::Message => false,
        }
    }

    fn is_channel_in_the_way(&self, env: &Env<'_>, guarded: &Guarded, cause: Cause) -> bool {
        let channel = match &guarded.comm {
            Comm::None => return false,
            Comm::Send(send) => &send.channel,
            Comm::Receive(receive) => &receive.channel,
        };
        let Ok((live, channel)) = env.eval(channel).and_then(|id| env.channel(id)) else { return false };
        let len = env.len(live, channel);
        match (cause, &guarded.comm) {
            (Cause::NotFull, _) => len >= channel.capacity,
            (Cause::NotEmpty, _) => len == 0,
            (Cause::Matches, Comm::Receive(receive)) => {
                len > 0 && matches!(env.matching(receive, live, channel), Ok(None))
            }
            _ => false,
        }
    }

    /// The causes for which a step may be disabled, one for each of its guards.
    fn causes(&self, step: u32) -> Vec<Cause> {
        let Some(current) = self.current else { return Vec::new() };
        let guards = &self.configurations[current].configuration.steps[step as usize].guards;
        guards.iter().map(|guard| guard.cause).collect()
    }

    /// The obstacle to a disabled move none of whose guards is known to be false: what can be said
    /// only as a whole.
    fn add_rest(&mut self, pid: u16, number: u32, step: u32, causes: &[Cause], out: &mut Obstacles) {
        let meets =
            self.current.is_some_and(|current| self.configurations[current].configuration.meets(step));
        let mut found = meets;
        for (guard, cause) in causes.iter().enumerate() {
            if matches!(cause, Cause::Else | Cause::Entry | Cause::Channel) {
                self.ask(step, Question::Enable(guard as u16), |other, _| out.push(other));
                found = true;
            }
        }
        if meets {
            self.add_partners(pid, number, step, out);
        }
        if !found {
            (0..self.moves.len() as u32).for_each(|other| out.push(other));
        }
    }

    /// What must happen before a side of a rendezvous, whose own guards are true, finds a partner.
    fn add_partners(&mut self, pid: u16, number: u32, step: u32, out: &mut Obstacles) {
        let mut direct = Vec::new();
        self.ask(step, Question::Meet, |other, is_partner| {
            out.push(other);
            if is_partner {
                direct.push(other);
            }
        });
        self.add_message(pid, number, step, out);
        for other in direct {
            let (pid, step) = self.step_of(other);
            self.add_message(pid, other, step, out);
        }
    }

    /// What may change the message of a rendezvous, or what is asked of it.
    fn add_message(&mut self, pid: u16, number: u32, step: u32, out: &mut Obstacles) {
        let Some(current) = self.current else { return };
        let guards = &self.configurations[current].configuration.steps[step as usize].guards;
        let Some(guard) = guards.iter().position(|guard| guard.cause == Cause::Message) else { return };
        let own = guards[guard].own;
        self.ask(step, Question::Enable(guard as u16), |other, _| out.push(other));
        if own {
            self.group(pid).filter(|&other| other != number).for_each(|other| out.push(other));
        }
    }
}

impl Independence for Dependence<'_> {
    fn look(&mut self, state: &[u64], enabled: &Actions) {
        self.current = self.configuration(state);
        self.state.clear();
        self.state.extend_from_slice(state);
        self.locations.clear();
        self.starts.clear();
        self.moves.clear();
        let shape = self.interpreter.shape(state);
        for (pid, instance) in shape.processes.iter().enumerate() {
            let location = self.interpreter.pc(state, shape, pid as u16);
            self.locations.push(location);
            self.starts.push(self.moves.len() as u32);
            let template = instance.process.0 as usize;
            let process = &self.interpreter.program().processes[template];
            let first = self.statics.flows[template].first[location as usize];
            for k in 0..process.locations[location as usize].transitions.len() as u32 {
                let visible = self.current.is_none_or(|current| {
                    let configuration = &self.configurations[current].configuration;
                    configuration.visible[(configuration.first[pid] + first + k) as usize]
                });
                self.moves.push(Move { group: pid as u32, enabled: false, visible });
            }
        }
        self.starts.push(self.moves.len() as u32);
        self.of_actions.clear();
        for Action { actor, partner } in &enabled.list {
            let first = self.move_of(*actor);
            let second = if *partner == model::NO_PARTNER { first } else { self.move_of(*partner) };
            self.moves[first as usize].enabled = true;
            self.moves[second as usize].enabled = true;
            self.of_actions.push([first, second]);
        }
    }

    fn moves(&self) -> &[Move] {
        &self.moves
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

    fn obstacles(&mut self, disabled: u32, out: &mut Obstacles) {
        out.clear();
        let (pid, step) = self.step_of(disabled);
        let causes = self.causes(step);
        let mut found = false;
        for (guard, &cause) in causes.iter().enumerate() {
            if self.is_false(pid, disabled, cause) {
                self.ask(step, Question::Enable(guard as u16), |other, _| out.push(other));
                out.end();
                found = true;
            }
        }
        if !found {
            self.add_rest(pid, disabled, step, &causes, out);
            out.end();
        }
    }

    fn is_local(&mut self, number: u32) -> bool {
        let pid = self.moves[number as usize].group as u16;
        let template = self.interpreter.template_of(&self.state, pid).0 as usize;
        let flow = &self.statics.flows[template];
        let first = flow.first[self.locations[pid as usize] as usize];
        if !flow.local[(first + number - self.starts[pid as usize]) as usize] || self.current.is_none() {
            return false;
        }
        // Where a process stands may matter to others, and that it ends.
        let (_, step) = self.step_of(number);
        let mut local = true;
        self.ask(step, Question::Conflict, |_, _| local = false);
        local
    }

    fn is_private(&mut self, enabled: u32) -> bool {
        let (_, step) = self.step_of(enabled);
        let Some(current) = self.current else { return false };
        let configuration = &self.configurations[current].configuration;
        if configuration.steps[step as usize].wild || configuration.meets(step) {
            return false;
        }
        let mut private = true;
        self.ask(step, Question::Touch, |_, _| private = false);
        private
    }
}
