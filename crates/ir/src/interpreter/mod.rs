//! The reference interpreter: the definition of what a program means.
//!
//! `eval` gives values, `moves` says what a process can do, `apply` does a single step, `chain` combines steps into
//! actions. Search, simulation and replay share these functions, so there is one semantics. Searches use them through
//! [`Model`] ([`Interpreter`], or generated code that falls back on it); simulation and replay use single steps
//! ([`Interpreter::steps`], [`Interpreter::execute`]) through `Player`, which is a `model::Play`.
//!
//! A guard may fail, for instance by an index out of range. The action then counts as enabled, and firing it yields the
//! failure. So no error is hidden in a guard.

mod apply;
pub(crate) mod bits;
pub mod chain;
mod describe;
pub(crate) mod eval;
mod monitor;
mod moves;
pub mod shape;

use model::{
    Action, Actions, End, Failure, FailureKind, Hindrance, Independence, Location, Model, NoIndependence,
    Patience, Phase, PredicateId,
};
use model::{Step, StepText, Successors, Variable};

use crate::analysis;
use crate::independence::{Dependence, SharedStatics};
use crate::program::{ControlLocation, Predicate, ProcessId, Program, Transition};
use apply::Execution;
use bits::read;
use chain::{Chain, Stepper, Stop};
use eval::Env;
use shape::{Shape, Shapes};

/// Who evaluates what no process evaluates.
const NOBODY: u16 = u16::MAX;

/// A failure without its place.
pub(crate) struct Fault {
    kind: FailureKind,
    detail: String,
}

impl Fault {
    fn boxed(kind: FailureKind, detail: String) -> Box<Fault> {
        Box::new(Fault { kind, detail })
    }

    fn at(self, location: Location) -> Failure {
        Failure { kind: self.kind, location, detail: self.detail }
    }
}

/// A message that is handed over in a rendezvous.
pub(crate) struct Passing {
    channel: i32,
    message: Vec<i32>,
}

/// Runs a program step by step.
pub struct Interpreter {
    program: Program,
    shapes: Shapes,
    /// The transitions, by their number over the whole program.
    numbered: Vec<TransitionRef>,
    /// For each template and location, the number of its first transition.
    first: Vec<Vec<u32>>,
    /// False if no process asks for `timeout`.
    uses_timeout: bool,
    /// For each predicate, whether it depends on `timeout`.
    predicate_timeouts: Vec<bool>,
    /// True if a valid end needs empty channels.
    empty_channels: bool,
    /// What has been found out about independence.
    statics: SharedStatics,
}

#[derive(Clone, Copy)]
struct TransitionRef {
    process: u32,
    location: u32,
    index: u32,
}

impl Interpreter {
    /// Takes a program that the verifier accepts.
    pub fn new(program: Program) -> Interpreter {
        let mut numbered = Vec::new();
        let mut first = Vec::new();
        for (p, process) in program.processes.iter().enumerate() {
            let mut starts = Vec::with_capacity(process.locations.len());
            for (l, location) in process.locations.iter().enumerate() {
                starts.push(numbered.len() as u32);
                numbered.extend((0..location.transitions.len()).map(|index| TransitionRef {
                    process: p as u32,
                    location: l as u32,
                    index: index as u32,
                }));
            }
            first.push(starts);
        }
        let uses_timeout = analysis::uses_timeout(&program);
        let asks = |predicate: &Predicate| predicate.expr.depends_on_timeout(uses_timeout);
        let predicate_timeouts = program.predicates.iter().map(asks).collect();
        Interpreter {
            shapes: Shapes::new(&program),
            program,
            numbered,
            first,
            uses_timeout,
            predicate_timeouts,
            empty_channels: false,
            statics: SharedStatics::default(),
        }
    }

    /// Sets whether [`Model::end`] asks for empty channels too.
    pub fn require_empty_channels(&mut self, required: bool) {
        self.empty_channels = required;
    }

    /// Sets how many processes a state holds at most, instead of [`crate::MAX_PROCESSES`].
    pub fn allow_processes(&mut self, most: u16) {
        // The largest number stands for nobody.
        self.shapes.most_processes = most.min(NOBODY - 1);
    }

    /// How many processes a state holds at most.
    pub fn most_processes(&self) -> usize {
        usize::from(self.shapes.most_processes)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// A transition by its number.
    pub fn transition(&self, number: u32) -> &Transition {
        let at = self.numbered[number as usize];
        let location = &self.program.processes[at.process as usize].locations[at.location as usize];
        &location.transitions[at.index as usize]
    }

    /// The number of transitions of all templates.
    pub fn n_transitions(&self) -> usize {
        self.numbered.len()
    }

    /// The template and the location that a transition starts from.
    pub fn origin(&self, number: u32) -> (ProcessId, u32) {
        let at = self.numbered[number as usize];
        (ProcessId(at.process), at.location)
    }

    /// The position of a transition among those of its location.
    pub(crate) fn position(&self, number: u32) -> u32 {
        self.numbered[number as usize].index
    }

    /// The number of processes that live in a state.
    pub fn n_processes(&self, state: &[u64]) -> usize {
        self.shape_of(state).processes.len()
    }

    /// The template of a process.
    pub fn template_of(&self, state: &[u64], pid: u16) -> ProcessId {
        self.shape_of(state).processes[pid as usize].process
    }

    /// The location at which a process stands.
    pub fn location_of(&self, state: &[u64], pid: u16) -> &ControlLocation {
        self.location(state, self.shape_of(state), pid)
    }

    /// The single steps that are possible: those of `holder` if a process holds atomicity, else
    /// those of all processes, youngest first.
    pub fn steps(&self, state: &[u64], holder: Option<u16>, phase: Phase, out: &mut Vec<Action>) {
        match holder {
            Some(pid) => self.env(state, pid, phase).moves(out),
            None => {
                for pid in (0..self.n_processes(state) as u16).rev() {
                    self.env(state, pid, phase).moves(out);
                }
            }
        }
    }

    /// Executes a single step in place. Returns the process that holds atomicity afterwards.
    /// Failures behind which the run goes on are added to `failures`.
    ///
    /// # Errors
    /// A failure that ends the run; the state is then meaningless.
    pub fn execute(
        &self,
        state: &mut Vec<u64>,
        action: &Action,
        phase: Phase,
        failures: &mut Vec<Failure>,
    ) -> Result<Option<u16>, Failure> {
        Execution::new(self, state, phase, failures).step(action)
    }

    /// Variables of two states among which are all that differ: cheaper than all of them.
    pub fn differing_variables(&self, before: &[u64], after: &[u64]) -> (Vec<Variable>, Vec<Variable>) {
        if before[0] as u32 != after[0] as u32 {
            return (self.variables(before), self.variables(after));
        }
        let differs = |word: u32| before[word as usize] != after[word as usize];
        (describe::variables(self, before, &differs), describe::variables(self, after, &differs))
    }

    /// The number of the first transition of a location.
    pub fn first_transition(&self, process: ProcessId, location: u32) -> u32 {
        self.first[process.0 as usize][location as usize]
    }

    /// Whether a process asks for `timeout`.
    pub fn uses_timeout(&self) -> bool {
        self.uses_timeout
    }

    /// Whether a predicate depends on `timeout`.
    pub fn predicate_uses_timeout(&self, predicate: PredicateId) -> bool {
        self.predicate_timeouts[predicate.0 as usize]
    }

    /// A shape by its number, which is in the lower half of a state's first word.
    pub fn shape_by_number(&self, number: u32) -> &Shape {
        self.shapes.get(number)
    }

    pub(crate) fn statics(&self) -> &SharedStatics {
        &self.statics
    }

    pub(crate) fn shape_of(&self, words: &[u64]) -> &Shape {
        self.shapes.get(words[0] as u32)
    }

    pub(crate) fn env<'a>(&'a self, words: &'a [u64], pid: u16, phase: Phase) -> Env<'a> {
        Env { interpreter: self, words, shape: self.shape_of(words), pid, phase, new_pid: 0, nested: 0 }
    }

    pub(crate) fn pc(&self, words: &[u64], shape: &Shape, pid: u16) -> u32 {
        let instance = &shape.processes[pid as usize];
        let template = &self.program.processes[instance.process.0 as usize];
        let slot = &template.frame.slots[template.pc as usize];
        read(words, instance.frame, slot.offset, slot.width, false) as u32
    }

    fn location(&self, words: &[u64], shape: &Shape, pid: u16) -> &ControlLocation {
        let process = shape.processes[pid as usize].process.0 as usize;
        &self.program.processes[process].locations[self.pc(words, shape, pid) as usize]
    }

    /// The transitions at a process's location, with the number of the first.
    fn transitions(&self, words: &[u64], shape: &Shape, pid: u16) -> (u32, &[Transition]) {
        let process = shape.processes[pid as usize].process.0 as usize;
        let pc = self.pc(words, shape, pid) as usize;
        (self.first[process][pc], &self.program.processes[process].locations[pc].transitions)
    }

    fn monitor_may_stop(&self, words: &[u64]) -> bool {
        let monitor = self.program.monitor.as_ref();
        monitor.is_none_or(|monitor| monitor::may_stop(&self.program, monitor, words))
    }

    fn has_empty_channels(&self, words: &[u64]) -> bool {
        let env = self.env(words, NOBODY, Phase::Normal);
        self.shape_of(words).channels.iter().all(|live| {
            let channel = &self.program.channels[live.channel.0 as usize];
            channel.capacity == 0 || env.len(live, channel) == 0
        })
    }

    fn priority(&self, words: &[u64], shape: &Shape, pid: u16) -> i32 {
        let instance = &shape.processes[pid as usize];
        let template = &self.program.processes[instance.process.0 as usize];
        match template.priority {
            Some(slot) => {
                let slot = &template.frame.slots[slot as usize];
                read(words, instance.frame, slot.offset, slot.width, false)
            }
            None => 1,
        }
    }
}

impl Stepper for Interpreter {
    fn moves(&self, state: &[u64], process: u16, out: &mut Vec<Action>) {
        self.env(state, process, Phase::Normal).moves(out);
    }

    fn step(
        &self,
        state: &mut Vec<u64>,
        action: &Action,
        phase: Phase,
        patience: Option<&Patience>,
        failures: &mut Vec<Failure>,
    ) -> Result<Option<u16>, Stop> {
        let mut execution = Execution::new(self, state, phase, failures);
        execution.patience = patience;
        let result = execution.step(action);
        let abandoned = execution.abandoned;
        result.map_err(|failure| if abandoned { Stop::Abandoned } else { Stop::Failed(failure) })
    }

    fn source(&self, transition: u32) -> Location {
        self.transition(transition).source
    }
}

impl Model for Interpreter {
    fn initial(&self, out: &mut Vec<u64>) -> Result<(), Failure> {
        let mut words = vec![0; self.shapes.get(Shapes::ROOT).words as usize];
        let mut failures = Vec::new();
        let mut execution = Execution::new(self, &mut words, Phase::Normal, &mut failures);
        execution.initialise(0, &self.program.init, Location::default())?;
        if let Some(monitor) = &self.program.monitor {
            monitor::put(&self.program, monitor, execution.words, &monitor.start());
        }
        for start in &self.program.start {
            execution.start(start)?;
        }
        out.extend_from_slice(&words);
        Ok(())
    }

    fn enabled(&self, state: &[u64], out: &mut Actions) {
        out.clear();
        out.phase = self.climb(|phase| {
            self.steps(state, None, phase, &mut out.list);
            !out.list.is_empty()
        });
    }

    fn fire(&self, chosen: &Actions, state: &[u64], out: &mut Successors) {
        for (index, action) in chosen.list.iter().enumerate() {
            if out.is_too_full() {
                out.abandoned = true;
            }
            if out.abandoned {
                return;
            }
            Chain::new(self, index as u32, out).fire(state, action, chosen.phase);
        }
    }

    fn predicate(&self, predicate: PredicateId, state: &[u64]) -> Result<i64, Failure> {
        let index = predicate.0 as usize;
        let predicate = &self.program.predicates[index];
        let phase = if self.predicate_timeouts[index] { self.phase_seen(state) } else { Phase::Normal };
        let value = self.env(state, NOBODY, phase).eval(&predicate.expr);
        value.map(i64::from).map_err(|fault| fault.at(predicate.source))
    }

    fn end(&self, state: &[u64]) -> End {
        let shape = self.shape_of(state);
        let ended = (0..shape.processes.len() as u16).all(|pid| self.location(state, shape, pid).end);
        let seen = shape.processes.is_empty() || self.monitor_may_stop(state);
        let emptied = !self.empty_channels || self.has_empty_channels(state);
        if ended && seen && emptied { End::Valid } else { End::Invalid }
    }

    fn unfinished(&self, state: &[u64]) -> Option<Vec<model::Actor>> {
        let shape = self.shape_of(state);
        let waits = |&pid: &u16| !self.location(state, shape, pid).end;
        Some((0..shape.processes.len() as u16).filter(waits).map(|pid| model::Actor(pid.into())).collect())
    }

    fn describe(&self, step: &Step, state: &[u64]) -> StepText {
        describe::step(self, step, state)
    }

    fn hindrance(&self) -> Option<Hindrance> {
        crate::independence::hindrance(&self.program)
    }

    fn independence(
        &self,
        watched: &[PredicateId],
        patience: &Patience,
    ) -> Result<Box<dyn Independence + '_>, NoIndependence> {
        Ok(Box::new(Dependence::new(self, watched, patience)?))
    }

    fn shape(&self, number: u32) -> Vec<u32> {
        self.shapes.get(number).processes.iter().map(|instance| instance.process.0).collect()
    }

    fn shape_number(&self, shape: &[u32]) -> Option<u32> {
        shape.iter().try_fold(Shapes::ROOT, |parent, &process| {
            let is_known = (process as usize) < self.program.processes.len();
            is_known.then(|| self.shapes.child(&self.program, parent, ProcessId(process)).ok())?
        })
    }

    fn variables(&self, state: &[u64]) -> Vec<Variable> {
        describe::variables(self, state, &|_| true)
    }
}
