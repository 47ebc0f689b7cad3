//! A naive explorer: the oracle.
//!
//! It executes the syntax tree, statement by statement, as the rules of the language say (the
//! rules are named as in the project's digest of Spin's semantics: C is control, A atomic, R
//! rendezvous, P processes, V values, G guards, D where we differ on purpose). States are plain
//! values in a set. It is slow, and it is meant to be read.

mod build;
mod claim;
mod control;
mod eval;
mod observe;
mod places;
mod state;
mod step;
mod trace;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use model::FailureKind;
use promela::tree::Program;

pub use claim::{Position, Watcher};
use control::Move;
use eval::{Creation, World};
pub use observe::{Moves, Observer, for_ever};
use places::{Body, Kind, Place, PlaceId, Step};
use state::Layout;
pub use state::State;
use step::Outcome;
use trace::EventTrace;

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most states.
    pub states: usize,
    /// The most steps inside one atomic chain, all its branches taken together.
    pub chain_steps: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 5_000, chain_steps: 5_000 }
    }
}

/// What an exploration has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// The number of states (Spin: stored).
    pub states: usize,
    /// How often a state was reached that was known already (Spin: matched).
    pub matched: usize,
    /// The number of states in which nothing can move though it should.
    pub invalid_ends: usize,
    /// The other errors, by kind, each time one is met.
    pub failures: BTreeMap<FailureKind, usize>,
    /// True if an atomic chain was cut off because it came back to where it had been. How often
    /// it goes round before that is noticed is a matter of taste, and so are the errors on the way.
    pub cut_off: bool,
}

impl Explored {
    /// The number of errors of all kinds.
    pub fn errors(&self) -> usize {
        self.invalid_ends + self.failures.values().sum::<usize>()
    }
}

/// The state space is larger than the limits allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Explores a program; never claims and `ltl` are ignored.
///
/// # Errors
/// [`TooLarge`] if a limit is reached.
pub fn explore(program: &Program, limits: Limits) -> Result<Explored, TooLarge> {
    let machine = Machine::new(program);
    let mut search = Search::new(&machine, limits);
    search.run()?;
    Ok(search.found)
}

/// A program made ready.
pub struct Machine<'t> {
    program: &'t Program,
    bodies: Vec<Body<'t>>,
    /// What can be done at each place of each body.
    moves: Vec<Vec<Vec<Move>>>,
    layout: Layout,
    trace: Option<EventTrace<'t>>,
}

impl<'t> Machine<'t> {
    fn new(program: &'t Program) -> Machine<'t> {
        let bodies: Vec<Body> =
            program.proctypes.iter().map(|proctype| build::build(program, &proctype.body)).collect();
        let moves = bodies
            .iter()
            .map(|body| (0..body.places.len()).map(|place| body.moves(place)).collect())
            .collect();
        Machine { program, bodies, moves, layout: Layout::new(program), trace: EventTrace::new(program) }
    }

    fn world(&self, state: &State, pid: usize, timeout: bool) -> World<'_, 't> {
        World { machine: self, state: state.clone(), pid, timeout, moved: false, failures: Vec::new() }
    }

    /// The body of a process's type.
    fn body(&self, state: &State, pid: usize) -> &Body<'t> {
        &self.bodies[state.processes[pid].proctype]
    }

    /// What a process could do where it stands.
    fn moves_at(&self, state: &State, pid: usize) -> &[Move] {
        let process = &state.processes[pid];
        &self.moves[process.proctype][process.place]
    }

    /// Rule G4.
    fn provided(&self, state: &State, pid: usize) -> Result<bool, FailureKind> {
        match &self.program.proctypes[state.processes[pid].proctype].provided {
            Some(clause) => Ok(self.world(state, pid, false).eval(clause)? != 0),
            None => Ok(true),
        }
    }

    /// The initial state (rule S1).
    fn initial(&self) -> Result<State, FailureKind> {
        let trace = self.trace.as_ref().map_or_else(BTreeSet::new, EventTrace::start);
        let state = State { globals: vec![0; self.layout.n_globals], trace, ..State::default() };
        let mut world = self.world(&state, 0, false);
        for &global in &self.program.globals {
            world.initialise(global, Creation::Channels)?;
        }
        for (k, proctype) in self.program.proctypes.iter().enumerate() {
            for _ in 0..proctype.active {
                world.create(k, &[], proctype.priority.unwrap_or(1))?;
            }
        }
        Ok(world.state)
    }

    /// The steps of one process: `provided` holds and no process of higher priority can move
    /// (rules G4, G5).
    fn steps(&self, state: &State, pid: usize, timeout: bool) -> Vec<Outcome> {
        match self.provided(state, pid) {
            Ok(true) if self.program.uses_priority && self.is_outranked(state, pid, timeout) => Vec::new(),
            Ok(true) => self.own_steps(state, pid, timeout),
            Ok(false) => Vec::new(),
            Err(failure) => {
                let (result, failures, movers) = (Err(failure), Vec::new(), vec![pid]);
                vec![Outcome { result, failures, holder: None, movers }]
            }
        }
    }

    /// The steps of all processes, the youngest first.
    fn all_steps(&self, state: &State, timeout: bool) -> Vec<Outcome> {
        (0..state.processes.len()).rev().flat_map(|pid| self.steps(state, pid, timeout)).collect()
    }

    fn is_outranked(&self, state: &State, pid: usize, timeout: bool) -> bool {
        let own = state.processes[pid].priority;
        (0..state.processes.len()).any(|other| {
            state.processes[other].priority > own
                && self.provided(state, other) == Ok(true)
                && !self.own_steps(state, other, timeout).is_empty()
        })
    }

    /// The steps of one process as far as it alone decides: if an escape can be taken, nothing
    /// behind it that belongs to another escape or to the main part can (rule G3); `else` can be
    /// taken if nothing before it can (rule G1).
    fn own_steps(&self, state: &State, pid: usize, timeout: bool) -> Vec<Outcome> {
        let body = self.body(state, pid);
        let deterministic = self.program.proctypes[state.processes[pid].proctype].deterministic;
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut executed: Vec<usize> = Vec::new();
        let mut escape: Option<PlaceId> = None;
        for (k, option) in self.moves_at(state, pid).iter().enumerate() {
            if escape.is_some() && escape != option.escape {
                break;
            }
            let is_else = matches!(body.places[option.place].kind, Kind::Step(Step::Else));
            if is_else && executed.iter().any(|&before| before >= option.since) {
                continue;
            }
            let world = World { moved: !executed.is_empty(), ..self.world(state, pid, timeout) };
            let mut found = world.execute(option.place);
            if found.is_empty() {
                continue;
            }
            if deterministic && !executed.is_empty() && !is_else {
                found[0].failures.insert(0, FailureKind::Nondeterminism);
            }
            executed.push(k);
            escape = option.escape;
            outcomes.append(&mut found);
        }
        outcomes
    }

    /// Whether some process stands at a place of a kind.
    fn some_at(&self, state: &State, is_it: impl Fn(&Place) -> bool) -> bool {
        state.processes.iter().any(|process| is_it(&self.bodies[process.proctype].places[process.place]))
    }

    /// Rule P6.
    fn is_valid_end(&self, state: &State) -> bool {
        let ended = state.processes.iter().all(|process| {
            let place = &self.bodies[process.proctype].places[process.place];
            place.end || matches!(place.kind, Kind::End)
        });
        // Where nobody is left, nobody asks for the declaration.
        let trace = self.trace.as_ref().filter(|_| !state.processes.is_empty());
        ended && trace.is_none_or(|trace| trace.may_stop(&state.trace))
    }
}

struct Search<'m, 't> {
    machine: &'m Machine<'t>,
    limits: Limits,
    known: HashSet<State>,
    open: Vec<State>,
    found: Explored,
    /// Every arrival, with the processes that have moved on the way.
    arrivals: Vec<(State, BTreeSet<usize>)>,
}

impl<'m, 't> Search<'m, 't> {
    fn new(machine: &'m Machine<'t>, limits: Limits) -> Search<'m, 't> {
        let (known, open, found, arrivals) = Default::default();
        Search { machine, limits, known, open, found, arrivals }
    }

    fn run(&mut self) -> Result<(), TooLarge> {
        match self.machine.initial() {
            Ok(initial) => self.arrive(initial, &[])?,
            Err(failure) => self.fail(failure),
        }
        while let Some(state) = self.open.pop() {
            self.expand(&state)?;
            self.arrivals.clear();
        }
        Ok(())
    }

    /// Everything that can happen in a state.
    fn expand(&mut self, state: &State) -> Result<(), TooLarge> {
        let mut outcomes = self.machine.all_steps(state, false);
        if outcomes.is_empty() {
            // Rule G2.
            outcomes = self.machine.all_steps(state, true);
        }
        if outcomes.is_empty() && !self.machine.is_valid_end(state) {
            self.found.invalid_ends += 1;
        }
        for outcome in outcomes {
            self.follow(outcome)?;
        }
        Ok(())
    }

    fn fail(&mut self, failure: FailureKind) {
        *self.found.failures.entry(failure).or_default() += 1;
    }

    /// A state that is stored.
    fn arrive(&mut self, state: State, movers: &[usize]) -> Result<(), TooLarge> {
        self.arrivals.push((state.clone(), movers.iter().copied().collect()));
        if self.known.contains(&state) {
            self.found.matched += 1;
            return Ok(());
        }
        self.found.states += 1;
        if self.found.states > self.limits.states {
            return Err(TooLarge);
        }
        self.known.insert(state.clone());
        self.open.push(state);
        Ok(())
    }

    /// Follows a step to the states that are stored: through the atomic chain behind it, on all
    /// ways (rules S3, S5, S6).
    fn follow(&mut self, first: Outcome) -> Result<(), TooLarge> {
        let mut chain = Chain::default();
        self.walk(first, None, &mut chain)?;
        if chain.has_trap() {
            self.fail(FailureKind::EndlessLoop);
        }
        Ok(())
    }

    fn walk(&mut self, outcome: Outcome, from: Option<usize>, chain: &mut Chain) -> Result<(), TooLarge> {
        let n_movers = chain.movers.len();
        chain.movers.extend(&outcome.movers);
        let result = self.walk_on(outcome, from, chain);
        chain.movers.truncate(n_movers);
        result
    }

    fn walk_on(&mut self, outcome: Outcome, from: Option<usize>, chain: &mut Chain) -> Result<(), TooLarge> {
        chain.n_steps += 1;
        if chain.n_steps > self.limits.chain_steps || chain.path.len() > 500 {
            return Err(TooLarge);
        }
        for failure in outcome.failures {
            self.fail(failure);
        }
        let state = match outcome.result {
            Ok(state) => state,
            Err(failure) => {
                self.fail(failure);
                chain.leaves(from);
                return Ok(());
            }
        };
        let Some(holder) = outcome.holder else {
            chain.leaves(from);
            return self.arrive(state, &chain.movers);
        };
        let node = chain.enter(&state, holder, from);
        if chain.path.contains(&node) {
            // Deviation D1: round in a circle.
            self.found.cut_off = true;
            return Ok(());
        }
        let outcomes = self.machine.steps(&state, holder, false);
        if outcomes.is_empty() {
            chain.leaves(Some(node));
            return self.arrive(state, &chain.movers);
        }
        chain.path.push(node);
        for outcome in outcomes {
            self.walk(outcome, Some(node), chain)?;
        }
        chain.path.pop();
        Ok(())
    }
}

/// The unstored states of one atomic chain, as a graph.
#[derive(Default)]
struct Chain {
    nodes: HashMap<(State, usize), usize>,
    edges: Vec<(usize, usize)>,
    /// The nodes from which a step leaves the chain.
    exits: HashSet<usize>,
    /// The nodes from the start to here.
    path: Vec<usize>,
    /// The processes that have moved on the way here.
    movers: Vec<usize>,
    n_steps: usize,
}

impl Chain {
    fn enter(&mut self, state: &State, holder: usize, from: Option<usize>) -> usize {
        let n = self.nodes.len();
        let node = *self.nodes.entry((state.clone(), holder)).or_insert(n);
        self.edges.extend(from.map(|from| (from, node)));
        node
    }

    fn leaves(&mut self, from: Option<usize>) {
        self.exits.extend(from);
    }

    /// Whether there is a node from which the chain is never left.
    fn has_trap(&self) -> bool {
        let mut leaving = self.exits.clone();
        loop {
            let before = leaving.len();
            let reach: Vec<usize> =
                self.edges.iter().filter(|(_, to)| leaving.contains(to)).map(|&(from, _)| from).collect();
            leaving.extend(reach);
            if leaving.len() == before {
                return leaving.len() < self.nodes.len();
            }
        }
    }
}
