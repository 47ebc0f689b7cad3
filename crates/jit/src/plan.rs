//! What is compiled and what is left to the interpreter, decided before any code is made.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ir::{
    Base, ChannelSets, Comm, Command, ControlLocation, Expr, Guarded, Interpreter, Op, Pattern, Piece, Place,
    Process, Program, Receive, Send, Transition,
};
use model::{Actions, Model, OutcomeKind, Patience, Random, Successors};

use crate::abi::{MAX_MESSAGE, MAX_MET};

/// A transition that sends to channels of more types than this is left to the interpreter.
const MAX_TYPES: usize = 8;

/// The decisions about a program.
pub struct Plan<'a> {
    /// The program's interpreter.
    pub interpreter: &'a Interpreter,
    /// The program.
    pub program: &'a Program,
    /// The channels that variables can mean.
    pub sets: ChannelSets,
    /// The templates.
    pub templates: Vec<TemplatePlan>,
    /// For each shared variable, its value if it never changes: most channels are such variables.
    constants: Vec<Option<i32>>,
    /// Whether a chain may contain a rendezvous send, with which it passes to another process.
    pub has_passing_chains: bool,
    /// The size of most states, as far as one can tell; 0 if one cannot.
    pub usual_bytes: u32,
}

/// The decisions about a template.
pub struct TemplatePlan {
    /// Its locations.
    pub locations: Vec<LocationPlan>,
    /// Whether a transition of it goes on in a chain.
    pub has_chains: bool,
    /// Whether a location of it may receive in a rendezvous.
    pub may_be_met: bool,
}

/// The decisions about a location.
pub struct LocationPlan {
    /// Whether generated code can tell what is executable here.
    pub native: bool,
    /// The transitions.
    pub transitions: Vec<TransitionPlan>,
}

/// The decisions about a transition.
#[derive(Clone, Copy, Debug)]
pub struct TransitionPlan {
    /// Whether generated code can tell if it is executable.
    pub can_test: bool,
    /// Whether generated code can execute it.
    pub can_execute: bool,
    /// Whether it sends in a rendezvous.
    pub meets: bool,
    /// Whether it may receive in a rendezvous.
    pub may_be_met: bool,
}

impl<'a> Plan<'a> {
    /// Makes the decisions.
    pub fn new(interpreter: &'a Interpreter) -> Plan<'a> {
        Plan::of_shape(interpreter, usual_bytes(interpreter))
    }

    /// The same, when the size of most states is known.
    pub fn of_shape(interpreter: &'a Interpreter, usual_bytes: u32) -> Plan<'a> {
        let program = interpreter.program();
        let mut plan = Plan {
            interpreter,
            program,
            sets: ChannelSets::new(program),
            templates: Vec::new(),
            constants: constants(program),
            has_passing_chains: false,
            usual_bytes,
        };
        plan.templates =
            program.processes.iter().enumerate().map(|(t, process)| plan.template(t, process)).collect();
        plan.has_passing_chains = program.processes.iter().zip(&plan.templates).any(|(process, template)| {
            let meets =
                |l: usize| template.locations[l].transitions.iter().any(|transition| transition.meets);
            ir::transitions(process).any(|transition| transition.chain && meets(transition.target.0 as usize))
        });
        plan
    }

    /// Why nothing of a program can be compiled.
    pub fn hindrance(program: &Program) -> Option<&'static str> {
        if program.priorities {
            Some("processes have priorities")
        } else if program.monitor.is_some() {
            Some("a trace declaration watches the messages")
        } else if program.processes.iter().any(|process| process.deterministic) {
            Some("process types are declared deterministic")
        } else if cfg!(target_endian = "big") {
            Some("the bytes of this machine's words are in the wrong order")
        } else {
            None
        }
    }

    fn template(&self, t: usize, process: &Process) -> TemplatePlan {
        let can_ask = process.provided.as_ref().is_none_or(|condition| self.can_eval(Some(t), condition));
        let locations: Vec<LocationPlan> = process
            .locations
            .iter()
            .map(|location| {
                let transitions: Vec<TransitionPlan> =
                    location.transitions.iter().map(|transition| self.transition(t, transition)).collect();
                let n_met = transitions.iter().filter(|transition| transition.may_be_met).count();
                let native = can_ask
                    && transitions.iter().all(|transition| transition.can_test)
                    && (n_met == 0 || transitions.len() <= MAX_MET);
                LocationPlan { native, transitions }
            })
            .collect();
        TemplatePlan {
            has_chains: ir::transitions(process).any(|transition| transition.chain),
            may_be_met: locations.iter().flat_map(|l| &l.transitions).any(|transition| transition.may_be_met),
            locations,
        }
    }

    fn transition(&self, t: usize, transition: &Transition) -> TransitionPlan {
        let mut plan = TransitionPlan { can_test: true, can_execute: true, meets: false, may_be_met: false };
        match &transition.command {
            Command::Guarded(guarded) => {
                plan.can_test = self.can_test(t, guarded);
                plan.can_execute = self.can_execute(t, guarded);
                match &guarded.comm {
                    Comm::None => {}
                    Comm::Send(send) => {
                        plan.meets = self.may_be_rendezvous(t, &send.channel, send.fields.len())
                    }
                    Comm::Receive(receive) => plan.may_be_met = self.may_take(t, receive),
                }
            }
            Command::Else { .. } => {}
            Command::Terminate => plan.can_execute = !transition.chain,
            Command::Block(block) => {
                for (l, inner) in block.locations.iter().enumerate() {
                    for transition in inner {
                        let Command::Guarded(guarded) = &transition.command else { continue };
                        plan.can_test &= l > 0 || self.can_test(t, guarded);
                        plan.can_execute &= self.can_test(t, guarded) && self.can_execute(t, guarded);
                        if let (0, Comm::Receive(receive)) = (l, &guarded.comm) {
                            plan.may_be_met |= self.may_take(t, receive);
                        }
                    }
                }
            }
        }
        plan
    }

    fn can_test(&self, t: usize, guarded: &Guarded) -> bool {
        guarded.guard.iter().all(|conjunct| self.can_eval(Some(t), conjunct))
            && match &guarded.comm {
                Comm::None => true,
                Comm::Send(send) => self.can_ask_send(t, send),
                Comm::Receive(receive) => {
                    let n_types = self.types(Some(t), &receive.channel, receive.fields.len()).len();
                    (1..=MAX_TYPES).contains(&n_types)
                        && !receive.random
                        && self.can_eval(Some(t), &receive.channel)
                        && self.can_match(Some(t), receive)
                }
            }
    }

    fn can_ask_send(&self, t: usize, send: &Send) -> bool {
        let types = self.types(Some(t), &send.channel, send.fields.len());
        let n_rendezvous = types.iter().filter(|&&kind| self.capacity(kind) == 0).count();
        let is_clear = n_rendezvous == 0 || n_rendezvous == types.len();
        let fits = n_rendezvous == 0 || send.fields.len() <= MAX_MESSAGE;
        (1..=MAX_TYPES).contains(&types.len()) && is_clear && fits && self.can_eval(Some(t), &send.channel)
    }

    fn can_match(&self, t: Option<usize>, receive: &Receive) -> bool {
        receive.fields.iter().all(|pattern| match pattern {
            Pattern::Match(expr) => self.can_eval(t, expr),
            Pattern::Store(_) | Pattern::Ignore => true,
        })
    }

    fn can_execute(&self, t: usize, guarded: &Guarded) -> bool {
        let comm = match &guarded.comm {
            Comm::None => true,
            Comm::Send(send) => !send.sorted && send.fields.iter().all(|field| self.can_eval(Some(t), field)),
            Comm::Receive(receive) => receive.fields.iter().all(|pattern| match pattern {
                Pattern::Store(place) => self.can_store(t, place),
                Pattern::Match(_) | Pattern::Ignore => true,
            }),
        };
        comm && guarded.effect.iter().all(|op| match op {
            Op::Assign(place, value) => self.can_store(t, place) && self.can_eval(Some(t), value),
            Op::Assert { condition, .. } => self.can_eval(Some(t), condition),
            Op::Print(print) => {
                print.pieces.iter().filter_map(Piece::value).all(|value| self.can_eval(Some(t), value))
            }
            Op::Run { .. } | Op::SetPriority(..) => false,
        })
    }

    fn can_store(&self, t: usize, place: &Place) -> bool {
        !matches!(place.base, Base::Remote { .. })
            && place.indices.iter().all(|index| self.can_eval(Some(t), index))
    }

    /// Whether an expression can be compiled; a predicate belongs to no template.
    pub fn can_eval(&self, t: Option<usize>, expr: &Expr) -> bool {
        let mut can = true;
        ir::walk(expr, &mut |expr| {
            can &= match expr {
                Expr::NewPid
                | Expr::Enabled(_)
                | Expr::PcValue(_)
                | Expr::PriorityOf(_)
                | Expr::SomeAt(_) => false,
                Expr::Pid | Expr::OwnChannel(_) => t.is_some(),
                Expr::Poll(receive) => {
                    let n_types = self.polled_types(t, receive).len();
                    !receive.random && (1..=MAX_TYPES).contains(&n_types)
                }
                _ => true,
            }
        });
        can
    }

    fn may_be_rendezvous(&self, t: usize, channel: &Expr, arity: usize) -> bool {
        self.types(Some(t), channel, arity).iter().any(|&kind| self.capacity(kind) == 0)
    }

    fn may_take(&self, t: usize, receive: &Receive) -> bool {
        !receive.peek && {
            // A receive with the wrong number of fields takes part, too: it fails.
            let types =
                self.sets.of(self.program, Some(t), &receive.channel).types(self.program.channels.len());
            types.iter().any(|&kind| self.capacity(kind) == 0)
        }
    }

    /// The types of the channels that an expression can mean, with messages of so many fields.
    pub fn types(&self, t: Option<usize>, channel: &Expr, arity: usize) -> Vec<u32> {
        let mut types = self.sets.of(self.program, t, channel).types(self.program.channels.len());
        types.retain(|&kind| self.program.channels[kind as usize].fields.len() == arity);
        types
    }

    /// The types of the channels that a poll can ask.
    pub fn polled_types(&self, t: Option<usize>, receive: &Receive) -> Vec<u32> {
        let mut types = self.sets.of(self.program, t, &receive.channel).types(self.program.channels.len());
        types.retain(|&kind| {
            let channel = &self.program.channels[kind as usize];
            channel.capacity > 0 && channel.fields.len() >= receive.fields.len()
        });
        types
    }

    /// How many messages the channels of a type hold.
    pub fn capacity(&self, kind: u32) -> u32 {
        self.program.channels[kind as usize].capacity
    }

    /// For each template that may take a message of a send, at which of its locations. That a receive may
    /// have the wrong number of fields makes no difference: it is found, and fails.
    pub fn receivers(&self, t: usize, send: &Send) -> Vec<(usize, Vec<bool>)> {
        let mut found = Vec::new();
        for (r, process) in self.program.processes.iter().enumerate() {
            let may_take = |transition: &Transition| {
                let mut may = false;
                // Of a block only the entry counts, but more is no harm.
                ir::guarded_commands(transition, &mut |guarded| {
                    if let Comm::Receive(receive) = &guarded.comm {
                        may |= !receive.peek && self.may_be_same(t, &send.channel, r, &receive.channel);
                    }
                });
                may
            };
            let decided = &self.templates[r].locations;
            let may_take_at = |(location, decided): (&ControlLocation, &LocationPlan)| {
                let mut both = location.transitions.iter().zip(&decided.transitions);
                both.any(|(transition, decided)| decided.may_be_met && may_take(transition))
            };
            let locations: Vec<bool> = process.locations.iter().zip(decided).map(may_take_at).collect();
            if locations.contains(&true) {
                found.push((r, locations));
            }
        }
        found
    }

    /// The value of an expression that always has the same.
    pub fn constant(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Load(Place { base: Base::Global, slot, indices, .. }) if indices.is_empty() => {
                self.constants[*slot as usize]
            }
            _ => None,
        }
    }

    /// Whether two expressions of two templates may mean the same channel.
    fn may_be_same(&self, t: usize, one: &Expr, r: usize, other: &Expr) -> bool {
        if let (Some(one), Some(other)) = (self.constant(one), self.constant(other)) {
            return one == other;
        }
        let n_types = self.program.channels.len();
        let types = self.sets.of(self.program, Some(t), one).types(n_types);
        self.sets.of(self.program, Some(r), other).types(n_types).iter().any(|kind| types.contains(kind))
    }

    /// Whether a transition is a receive that only ever happens in a rendezvous.
    pub fn never_alone(&self, t: usize, transition: &Transition) -> bool {
        let Command::Guarded(Guarded { comm: Comm::Receive(receive), .. }) = &transition.command else {
            return false;
        };
        let kinds = self.types(Some(t), &receive.channel, receive.fields.len());
        kinds.iter().all(|&kind| self.capacity(kind) == 0)
    }
}

/// Walks through a program for a while and looks how long its states are: most processes are made at the
/// beginning and stay.
fn usual_bytes(interpreter: &Interpreter) -> u32 {
    const STEPS: usize = 400;
    let mut state = Vec::new();
    if interpreter.initial(&mut state).is_err() {
        return 0;
    }
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    // An atomic chain can be as long as a search.
    let deadline = Some(Instant::now() + Duration::from_millis(20));
    let patience = Some(Patience { deadline, ..Patience::default() });
    let (mut actions, mut out) = (Actions::default(), Successors { patience, ..Successors::default() });
    let mut random = Random::new(1);
    for _ in 0..STEPS {
        *counts.entry(state.len()).or_default() += 1;
        out.clear();
        interpreter.enabled(&state, &mut actions);
        let Some(&action) = actions.list.get(random.below(actions.list.len().max(1))) else {
            break;
        };
        actions.list = vec![action];
        interpreter.fire(&actions, &state, &mut out);
        let next = out.outcomes.iter().find_map(|outcome| match &outcome.kind {
            OutcomeKind::State(range) => Some(out.state(range).to_vec()),
            _ => None,
        });
        match next {
            Some(next) => state = next,
            None => break,
        }
    }
    let usual = counts.into_iter().max_by_key(|&(_, count)| count);
    usual.map_or(0, |(words, _)| words as u32 * 8)
}

/// The values of the shared variables that nothing changes once they are initialised.
fn constants(program: &Program) -> Vec<Option<i32>> {
    let mut values: Vec<Option<i32>> =
        program.globals.slots.iter().map(|slot| slot.dims.is_empty().then_some(0)).collect();
    for op in &program.init {
        if let Op::Assign(place, value) = op
            && place.dims.is_empty()
        {
            values[place.slot as usize] = match value {
                Expr::Const(value) => Some(cut(*value, place)),
                _ => None,
            };
        }
    }
    let mut changes = |place: &Place| {
        if place.base == Base::Global {
            values[place.slot as usize] = None;
        }
    };
    for process in &program.processes {
        assigned(&process.init, &mut changes);
        for transition in ir::transitions(process) {
            ir::guarded_commands(transition, &mut |guarded| {
                assigned(&guarded.effect, &mut changes);
                if let Comm::Receive(receive) = &guarded.comm {
                    receive.fields.iter().for_each(|pattern| match pattern {
                        Pattern::Store(place) => changes(place),
                        Pattern::Match(_) | Pattern::Ignore => {}
                    });
                }
            });
        }
    }
    let implicit = program.last.into_iter().chain(program.monitor.as_ref().map(|monitor| monitor.slot));
    implicit.for_each(|slot| values[slot as usize] = None);
    values
}

/// The places that an effect assigns to.
fn assigned(ops: &[Op], visit: &mut dyn FnMut(&Place)) {
    for op in ops {
        if let Op::Assign(place, _) = op {
            visit(place);
        }
    }
}

/// A value as a place holds it.
fn cut(value: i32, place: &Place) -> i32 {
    let unused = 32 - u32::from(place.width);
    let raised = value << unused;
    if place.signed { raised >> unused } else { (raised as u32 >> unused) as i32 }
}
