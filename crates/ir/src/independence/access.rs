//! What a step does to the objects.
//!
//! A step is a transition of a process, with everything in the atomic chain behind it. The conditions
//! on its first transition are *guards*: while they are false the step is disabled. What comes later
//! in the chain is read and written, no more.

use super::context::{Channels, Context, Resolved, cut};
use super::objects::{Object, Objects, Who};
use crate::expr::{BinaryOp, ChannelOp, Expr, Mark, Op, Pattern, Piece, Place, Receive, UnaryOp};
use crate::program::{Comm, Command, Guarded, Transition};

/// What is done to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It is looked at.
    Read,
    /// A guard looks at it: the one with this number.
    Test(u16),
    /// It may get any value.
    Write,
    /// It may get this value.
    Set(i32),
    /// A constant may be added to it.
    Add,
    /// A message is put behind the others; possible if the channel is not full.
    Send,
    /// A message is taken away, the first or the first that matches; possible if there is one.
    Receive,
    /// The first message that matches is looked at; possible if there is one.
    Peek,
    /// A guard asks whether there is a message that matches.
    Poll,
    /// A guard asks for a state of the channel.
    Asks(ChannelOp),
    /// Something that others may wait for or look at may change.
    Signal,
    /// A rendezvous send needs somebody at a receive.
    Need,
    /// A rendezvous receive.
    Offer,
    /// A process is made.
    Run,
    /// The youngest process ends.
    Die,
}

impl Kind {
    /// Whether the object may be changed.
    pub fn changes(self) -> bool {
        matches!(
            self,
            Kind::Write
                | Kind::Set(_)
                | Kind::Add
                | Kind::Send
                | Kind::Receive
                | Kind::Signal
                | Kind::Run
                | Kind::Die
        )
    }
}

/// Something that is done to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    pub object: u32,
    pub kind: Kind,
}

/// A condition without which a step cannot happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The process's `provided` clause.
    Provided,
    /// A conjunct of the guard.
    Conjunct(u32),
    /// The channel of a send is not full.
    NotFull,
    /// The channel of a receive is not empty.
    NotEmpty,
    /// There is a message that matches, or the first one does.
    Matches,
    /// Something about a channel that is not known statically, or about the partners there.
    Channel,
    /// `else`: no other transition can be executed.
    Else,
    /// No escape can be executed.
    Escape,
    /// The process is the youngest.
    Youngest,
    /// The first statement of a block can be executed.
    Entry,
    /// The message of a rendezvous is one that the receiver takes.
    Message,
}

/// A guard and what it depends on.
#[derive(Clone, Debug)]
pub struct Guard<'m> {
    pub cause: Cause,
    /// The condition, if it is an expression.
    pub expr: Option<&'m Expr>,
    pub accesses: Vec<Access>,
    /// Whether it depends on variables that only its own process can reach.
    pub own: bool,
    /// Whether it may fail to have a value. The step is then possible, to fail.
    pub fails: bool,
    /// Whether it may depend on anything.
    pub wild: bool,
}

/// A comparison of an object with a constant that a guard consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub object: u32,
    pub op: BinaryOp,
    pub constant: i32,
}

/// A transition of a process, with everything in the atomic chain behind it.
#[derive(Clone, Debug)]
pub struct Step<'m> {
    pub who: Who,
    /// What it does, ordered by object, each once.
    pub accesses: Vec<Access>,
    pub guards: Vec<Guard<'m>>,
    /// Guards that compare one object with a constant.
    pub comparisons: Vec<Comparison>,
    /// For a rendezvous: the parts of the message that are always the same.
    pub message: Option<Vec<Option<i32>>>,
    /// Where it may leave its process; none if that ends.
    pub ends: Vec<Option<u32>>,
    /// Where it may leave others that it takes along by a rendezvous in the middle of a chain.
    pub passengers: Vec<(Who, u32)>,
    /// The templates of which it may make a process, and of which these may, in the end.
    pub makes: Vec<u32>,
    /// Whether it may depend on and change anything.
    pub wild: bool,
}

/// Where accesses are noted.
#[derive(Default)]
struct Notes {
    accesses: Vec<Access>,
    own: bool,
    wild: bool,
    passengers: Vec<(Who, u32)>,
    makes: Vec<u32>,
}

impl Notes {
    fn add(&mut self, object: u32, kind: Kind) {
        self.accesses.push(Access { object, kind });
    }

    fn sorted(mut self) -> Notes {
        self.accesses.sort_unstable();
        self.accesses.dedup();
        self
    }
}

/// Finds out what steps do.
pub struct Builder<'m, 'a> {
    pub context: Context<'m, 'a>,
    pub objects: &'a mut Objects,
}

impl<'m> Builder<'m, '_> {
    /// The step that begins with the `k`-th transition of a location.
    pub fn step(&mut self, who: Who, location: u32, k: usize) -> Step<'m> {
        let template = self.context.template(who).expect("steps are taken by processes") as usize;
        let process = &self.context.program().processes[template];
        let transitions = &process.locations[location as usize].transitions;
        let transition = &transitions[k];
        let (guards, message) = self.guards(who, transitions, k);
        let mut notes = Notes::default();
        let mut comparisons = Vec::new();
        for (g, guard) in guards.iter().enumerate() {
            notes.accesses.extend(guard.accesses.iter().filter_map(|access| self.as_guard(g, guard, access)));
            notes.wild |= guard.wild;
            // What is possible, to fail, need not satisfy what comes later.
            if guards[..=g].iter().all(|earlier| !earlier.fails) {
                comparisons.extend(guard.expr.and_then(|expr| self.comparison(who, expr)));
            }
        }
        if process.deterministic {
            let siblings = transitions.iter().filter(|sibling| !std::ptr::eq(*sibling, transition));
            siblings.for_each(|sibling| self.readiness(who, sibling, &mut notes));
        }
        match &transition.command {
            Command::Guarded(guarded) => {
                self.communication(who, &guarded.comm, true, &mut notes);
                self.effect(who, &guarded.effect, &mut notes);
            }
            Command::Else { .. } => {}
            Command::Terminate => self.terminate(who, &mut notes),
            Command::Block(block) => {
                block.locations.iter().flatten().for_each(|inner| self.later(who, inner, &mut notes));
                for receive in entry_receives(transition) {
                    let offered = self.offered(who, receive);
                    offered.into_iter().for_each(|object| notes.add(object, Kind::Offer));
                }
            }
        }
        let mut ends = vec![target(transition)];
        if transition.chain && !self.hands_over(who, transition) {
            ends = self.chain(who, transition.target.0, &mut notes);
        }
        self.signals(who, Some(location), &ends, &mut notes);
        if self.context.may_be_taken_along(template as u32, location) {
            let object = self.objects.number(Object::Stay { owner: who, location });
            notes.add(object, Kind::Read);
        }
        let notes = notes.sorted();
        Step {
            who,
            accesses: notes.accesses,
            guards,
            comparisons,
            message,
            ends,
            passengers: notes.passengers,
            makes: notes.makes,
            wild: notes.wild,
        }
    }

    /// Whether a transition is a rendezvous send, behind which the receiver has the chain.
    fn hands_over(&mut self, who: Who, transition: &Transition) -> bool {
        match &transition.command {
            Command::Guarded(Guarded { comm: Comm::Send(send), .. }) => {
                self.contents(who, &send.channel).is_empty()
            }
            _ => false,
        }
    }

    /// What the value of a predicate depends on: the objects, and whether it may be anything.
    pub fn predicate(&mut self, expr: &Expr) -> (Vec<Access>, bool) {
        let mut notes = Notes::default();
        self.reads(Who::Nobody, expr, &mut notes);
        let mut stuck = false;
        crate::analysis::walk(expr, &mut |expr| stuck |= matches!(expr, Expr::Timeout));
        let notes = notes.sorted();
        (notes.accesses, notes.wild || stuck)
    }

    /// How the first transition of a step looks at what a guard depends on.
    fn as_guard(&self, number: usize, guard: &Guard<'_>, access: &Access) -> Option<Access> {
        let kind = match (guard.cause, access.kind) {
            // The communication itself says it.
            (Cause::NotFull | Cause::NotEmpty | Cause::Matches, Kind::Asks(_) | Kind::Poll) => return None,
            (Cause::Channel, Kind::Asks(_) | Kind::Poll) => Kind::Read,
            (Cause::Youngest, _) => return None,
            (Cause::Provided | Cause::Conjunct(_), Kind::Read) => Kind::Test(number as u16),
            (_, kind) => kind,
        };
        Some(Access { object: access.object, kind })
    }

    /// The guards of a transition, and the constant parts of its message if it is a rendezvous.
    fn guards(
        &mut self,
        who: Who,
        transitions: &'m [Transition],
        k: usize,
    ) -> (Vec<Guard<'m>>, Option<Vec<Option<i32>>>) {
        let template = self.context.template(who).expect("steps are taken by processes") as usize;
        let transition = &transitions[k];
        let mut guards = Vec::new();
        let mut message = None;
        let provided = self.context.program().processes[template].provided.as_ref();
        guards.extend(provided.map(|expr| self.condition(who, Cause::Provided, expr)));
        match &transition.command {
            Command::Guarded(guarded) => {
                let conjuncts = guarded.guard.iter().enumerate();
                guards
                    .extend(conjuncts.map(|(i, expr)| self.condition(who, Cause::Conjunct(i as u32), expr)));
                message = self.communication_guards(who, &guarded.comm, &mut guards);
            }
            Command::Else { since } => {
                let earlier = &transitions[(*since as usize).min(k)..k];
                guards.push(self.guard(Cause::Else, |this, notes| {
                    earlier.iter().for_each(|sibling| this.readiness(who, sibling, notes));
                }));
            }
            Command::Terminate => {
                let processes = self.objects.number(Object::Processes);
                guards.push(self.guard(Cause::Youngest, |_, notes| notes.add(processes, Kind::Read)));
            }
            Command::Block(block) => {
                guards.push(self.guard(Cause::Entry, |this, notes| {
                    block.locations[0].iter().for_each(|entry| this.readiness(who, entry, notes));
                    // An `else` at the entry looks at what stands in front of the block.
                    if block.locations[0].iter().any(|e| matches!(e.command, Command::Else { .. })) {
                        transitions[..k].iter().for_each(|sibling| this.readiness(who, sibling, notes));
                    }
                }));
                // A rendezvous can enter the block.
                let receive = block.locations[0].iter().find_map(|entry| match &entry.command {
                    Command::Guarded(Guarded { comm: comm @ Comm::Receive(_), .. }) => Some(comm),
                    _ => None,
                });
                if let Some(comm) = receive
                    && self.meets(who, comm)
                {
                    guards.push(self.message_guard(who, comm));
                    message = Some(Vec::new());
                }
            }
        }
        let shuts_out =
            |earlier: &&Transition| earlier.escape.is_some() && earlier.escape != transition.escape;
        if transitions[..k].iter().any(|earlier| shuts_out(&earlier)) {
            guards.push(self.guard(Cause::Escape, |this, notes| {
                let escapes = transitions[..k].iter().filter(shuts_out);
                escapes.for_each(|escape| this.readiness(who, escape, notes));
            }));
        }
        (guards, message)
    }

    fn guard(&mut self, cause: Cause, note: impl FnOnce(&mut Self, &mut Notes)) -> Guard<'m> {
        let mut notes = Notes::default();
        note(self, &mut notes);
        let Notes { accesses, own, wild, .. } = notes.sorted();
        Guard { cause, expr: None, accesses, own, fails: false, wild }
    }

    /// A guard that is an expression.
    fn condition(&mut self, who: Who, cause: Cause, expr: &'m Expr) -> Guard<'m> {
        let asked = self.asked_channel(who, expr);
        let mut guard = self.guard(cause, |this, notes| this.reads(who, expr, notes));
        guard.expr = Some(expr);
        guard.fails = self.may_fail(who, expr);
        if let Some((object, kind)) = asked {
            let others = guard.accesses.iter().filter(|access| access.object != object);
            guard.accesses = others.copied().chain([Access { object, kind }]).collect();
        }
        guard
    }

    /// Whether an expression may fail to have a value, as far as that does not show in the text.
    fn may_fail(&self, who: Who, expr: &Expr) -> bool {
        let context = &self.context;
        let mut found = false;
        crate::analysis::walk(expr, &mut |part| {
            found |= match part {
                Expr::Load(place) => place.indices.iter().zip(&place.dims).any(|(index, &(len, _))| {
                    !context
                        .constant(who, index)
                        .is_some_and(|index| (0..i64::from(len)).contains(&index.into()))
                }),
                Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, divisor) => {
                    context.constant(who, divisor).is_none_or(|divisor| divisor == 0)
                }
                Expr::Channel(_, channel) => !context.lasts(who, channel),
                Expr::Poll(_) | Expr::Enabled(_) => true,
                _ => false,
            };
        });
        found
    }

    /// The channel that a condition is about, if it is only about the state of one channel.
    fn asked_channel(&mut self, who: Who, expr: &Expr) -> Option<(u32, Kind)> {
        let (channel, kind) = match expr {
            Expr::Channel(op, channel) if *op != ChannelOp::Len => (channel.as_ref(), Kind::Asks(*op)),
            Expr::Unary(UnaryOp::Not, inner) => match inner.as_ref() {
                Expr::Channel(op, channel) => (channel.as_ref(), Kind::Asks(opposite(*op)?)),
                _ => return None,
            },
            Expr::Poll(receive) => (&receive.channel, Kind::Poll),
            _ => return None,
        };
        match self.context.channels(who, channel) {
            Channels::Exact(number) if self.context.capacity(number) > 0 => {
                Some((self.objects.number(Object::Channel(number)), kind))
            }
            _ => None,
        }
    }

    fn comparison(&mut self, who: Who, expr: &Expr) -> Option<Comparison> {
        let (place, op, constant) = match expr {
            Expr::Load(place) => (place, BinaryOp::Ne, 0),
            Expr::Unary(UnaryOp::Not, inner) => match inner.as_ref() {
                Expr::Load(place) => (place, BinaryOp::Eq, 0),
                _ => return None,
            },
            Expr::Binary(op, left, right) => {
                let turned = match op {
                    BinaryOp::Eq | BinaryOp::Ne => *op,
                    BinaryOp::Lt => BinaryOp::Gt,
                    BinaryOp::Le => BinaryOp::Ge,
                    BinaryOp::Gt => BinaryOp::Lt,
                    BinaryOp::Ge => BinaryOp::Le,
                    _ => return None,
                };
                match (left.as_ref(), right.as_ref()) {
                    (Expr::Load(place), right) if self.context.constant(who, right).is_some() => {
                        (place, *op, self.context.constant(who, right)?)
                    }
                    (left, Expr::Load(place)) => (place, turned, self.context.constant(who, left)?),
                    _ => return None,
                }
            }
            _ => return None,
        };
        match self.context.resolve(who, place) {
            Resolved::Exact(object) => Some(Comparison { object: self.objects.number(object), op, constant }),
            _ => None,
        }
    }

    /// What decides whether a communication is possible.
    fn communication_guards(
        &mut self,
        who: Who,
        comm: &'m Comm,
        guards: &mut Vec<Guard<'m>>,
    ) -> Option<Vec<Option<i32>>> {
        let channel = match comm {
            Comm::None => return None,
            Comm::Send(send) => &send.channel,
            Comm::Receive(receive) => &receive.channel,
        };
        let meets = self.meets(who, comm);
        match (self.context.channels(who, channel), comm) {
            (Channels::Exact(_), _) if meets => {}
            (Channels::Exact(number), Comm::Send(_)) => {
                let object = self.objects.number(Object::Channel(number));
                if !self.context.program().lossy {
                    let full = |_: &mut Self, notes: &mut Notes| {
                        notes.add(object, Kind::Asks(ChannelOp::Nfull));
                    };
                    guards.push(self.guard(Cause::NotFull, full));
                }
            }
            (Channels::Exact(number), Comm::Receive(receive)) => {
                let object = self.objects.number(Object::Channel(number));
                guards.push(self.guard(Cause::NotEmpty, |_, notes| {
                    notes.add(object, Kind::Asks(ChannelOp::Nempty));
                }));
                guards.push(self.guard(Cause::Matches, |this, notes| {
                    this.patterns(who, receive, notes);
                    // Those in front must go, unless any message will do.
                    let kind = if receive.random { Kind::Poll } else { Kind::Asks(ChannelOp::Nfull) };
                    notes.add(object, kind);
                }));
            }
            (Channels::Some { .. }, _) => guards.push(self.guard(Cause::Channel, |this, notes| {
                this.asks(who, channel, notes);
                if let Comm::Receive(receive) = comm {
                    this.patterns(who, receive, notes);
                }
            })),
            (_, Comm::None) => {}
        }
        if !meets {
            return None;
        }
        guards.push(self.message_guard(who, comm));
        Some(match comm {
            Comm::Send(send) => send.fields.iter().map(|field| self.context.constant(who, field)).collect(),
            Comm::Receive(receive) => {
                let constant = |pattern: &Pattern| match pattern {
                    Pattern::Match(expr) => self.context.constant(who, expr),
                    Pattern::Store(_) | Pattern::Ignore => None,
                };
                receive.fields.iter().map(constant).collect()
            }
            Comm::None => Vec::new(),
        })
    }

    /// What the message of a rendezvous, or what is asked of it, depends on.
    fn message_guard(&mut self, who: Who, comm: &Comm) -> Guard<'m> {
        self.guard(Cause::Message, |this, notes| match comm {
            Comm::None => {}
            Comm::Send(send) => {
                this.reads(who, &send.channel, notes);
                send.fields.iter().for_each(|field| this.reads(who, field, notes));
            }
            Comm::Receive(receive) => {
                this.reads(who, &receive.channel, notes);
                this.patterns(who, receive, notes);
            }
        })
    }

    /// Whether a communication may be a rendezvous.
    fn meets(&mut self, who: Who, comm: &Comm) -> bool {
        let channel = match comm {
            Comm::None => return false,
            Comm::Send(send) => &send.channel,
            Comm::Receive(receive) => &receive.channel,
        };
        !self.meetings(who, channel).is_empty()
    }

    /// The rendezvous channels that an expression can mean, as objects.
    fn meetings(&mut self, who: Who, channel: &Expr) -> Vec<u32> {
        let channels = &self.context.program().channels;
        match self.context.channels(who, channel) {
            Channels::Exact(number) => {
                let here = self.context.capacity(number) == 0;
                here.then(|| self.objects.number(Object::Meeting(number))).into_iter().collect()
            }
            Channels::Some { numbers, types } => {
                let live = numbers.iter().filter(|&&number| self.context.capacity(number) == 0);
                let live = live.map(|&number| Object::Meeting(number));
                let types = types.iter().filter(|&&t| channels[t as usize].capacity == 0);
                let future = types.map(|&t| Object::FutureMeeting(t));
                live.chain(future).map(|object| self.objects.number(object)).collect()
            }
        }
    }

    /// The contents of the channels that an expression can mean, as objects.
    fn contents(&mut self, who: Who, channel: &Expr) -> Vec<u32> {
        let channels = &self.context.program().channels;
        match self.context.channels(who, channel) {
            Channels::Exact(number) => {
                let here = self.context.capacity(number) > 0;
                here.then(|| self.objects.number(Object::Channel(number))).into_iter().collect()
            }
            Channels::Some { numbers, types } => {
                let live = numbers.iter().filter(|&&number| self.context.capacity(number) > 0);
                let live = live.map(|&number| Object::Channel(number));
                let types = types.iter().filter(|&&t| channels[t as usize].capacity > 0);
                let future = types.map(|&t| Object::FutureChannel(t));
                live.chain(future).map(|object| self.objects.number(object)).collect()
            }
        }
    }

    /// A question to a channel.
    fn asks(&mut self, who: Who, channel: &Expr, notes: &mut Notes) {
        self.reads(who, channel, notes);
        self.contents(who, channel).into_iter().for_each(|object| notes.add(object, Kind::Read));
        if let Channels::Some { .. } = self.context.channels(who, channel) {
            // It may come and go with its process.
            let processes = self.objects.number(Object::Processes);
            notes.add(processes, Kind::Read);
        }
    }

    fn patterns(&mut self, who: Who, receive: &Receive, notes: &mut Notes) {
        for pattern in &receive.fields {
            if let Pattern::Match(expr) = pattern {
                self.reads(who, expr, notes);
            }
        }
    }

    /// What decides whether a transition can be executed, seen from outside of it.
    fn readiness(&mut self, who: Who, transition: &Transition, notes: &mut Notes) {
        match &transition.command {
            Command::Guarded(guarded) => {
                guarded.guard.iter().for_each(|conjunct| self.reads(who, conjunct, notes));
                match &guarded.comm {
                    Comm::None => {}
                    Comm::Send(send) => {
                        send.fields.iter().for_each(|field| self.reads(who, field, notes));
                        self.asks(who, &send.channel, notes);
                        let meetings = self.meetings(who, &send.channel);
                        if !meetings.is_empty() {
                            meetings.iter().for_each(|&object| notes.add(object, Kind::Read));
                            self.receivers(&meetings, notes);
                        }
                    }
                    Comm::Receive(receive) => {
                        self.asks(who, &receive.channel, notes);
                        self.patterns(who, receive, notes);
                    }
                }
            }
            Command::Else { .. } => {}
            Command::Terminate => {
                let processes = self.objects.number(Object::Processes);
                notes.add(processes, Kind::Read);
            }
            Command::Block(block) => {
                block.locations[0].iter().for_each(|entry| self.readiness(who, entry, notes));
            }
        }
    }

    /// What decides whether those who stand at a receive from one of these channels take a message.
    /// What only they can reach does not change unless they move.
    fn receivers(&mut self, meetings: &[u32], notes: &mut Notes) {
        let mut found = Notes::default();
        for who in self.everybody() {
            let template = self.context.template(who).expect("a process") as usize;
            let process = &self.context.program().processes[template];
            for transition in process.locations.iter().flat_map(|location| &location.transitions) {
                for receive in entry_receives(transition) {
                    let offers = self.offered(who, receive);
                    if offers.iter().any(|object| meetings.contains(object)) {
                        self.patterns(who, receive, &mut found);
                        self.reads(who, &receive.channel, &mut found);
                        process.provided.iter().for_each(|expr| self.reads(who, expr, &mut found));
                        if let Command::Guarded(guarded) = &transition.command {
                            guarded.guard.iter().for_each(|expr| self.reads(who, expr, &mut found));
                        }
                    }
                }
            }
        }
        notes.accesses.extend(found.accesses);
        notes.wild |= found.wild;
    }

    /// Everybody who lives, and any process that may be made.
    pub fn everybody(&self) -> Vec<Who> {
        let live = (0..self.context.shape.processes.len()).map(|pid| Who::Live(pid as u16));
        let offspring = &self.context.statics.offspring;
        let processes = self.context.shape.processes.iter();
        let mut future: Vec<u32> =
            processes.flat_map(|instance| &offspring[instance.process.0 as usize]).copied().collect();
        future.sort_unstable();
        future.dedup();
        live.chain(future.into_iter().map(Who::Future)).collect()
    }

    /// The rendezvous channels from which a receive may take a message. One that may fail to say from
    /// which is everybody's partner, to fail when it is tried.
    fn offered(&mut self, who: Who, receive: &Receive) -> Vec<u32> {
        if self.context.constant(who, &receive.channel).is_some() || !receive.channel.may_fail() {
            return self.meetings(who, &receive.channel);
        }
        let live = 1..=self.context.shape.channels.len() as u32;
        let live: Vec<u32> = live.filter(|&number| self.context.capacity(number) == 0).collect();
        let channels = self.context.program().channels.iter().enumerate();
        let types = channels.filter(|(_, channel)| channel.capacity == 0).map(|(t, _)| t as u32);
        let all = live.into_iter().map(Object::Meeting).chain(types.map(Object::FutureMeeting));
        all.map(|object| self.objects.number(object)).collect()
    }

    /// A communication. `first` says whether it is the first thing that happens.
    fn communication(&mut self, who: Who, comm: &Comm, first: bool, notes: &mut Notes) {
        match comm {
            Comm::None => return,
            Comm::Send(send) => {
                self.reads(who, &send.channel, notes);
                send.fields.iter().for_each(|field| self.reads(who, field, notes));
                let plain = first && !send.sorted && !self.context.program().lossy;
                self.transfer(who, &send.channel, plain.then_some(Kind::Send), notes);
                if first {
                    let meetings = self.meetings(who, &send.channel);
                    meetings.into_iter().for_each(|object| notes.add(object, Kind::Need));
                }
            }
            Comm::Receive(receive) => {
                self.reads(who, &receive.channel, notes);
                self.patterns(who, receive, notes);
                let kind = if receive.peek { Kind::Peek } else { Kind::Receive };
                if receive.peek && !first {
                    let contents = self.contents(who, &receive.channel);
                    contents.into_iter().for_each(|object| notes.add(object, Kind::Read));
                } else {
                    self.transfer(who, &receive.channel, first.then_some(kind), notes);
                }
                if first {
                    self.offered(who, receive).into_iter().for_each(|object| notes.add(object, Kind::Offer));
                }
                for pattern in &receive.fields {
                    if let Pattern::Store(place) = pattern {
                        self.writes(who, place, None, notes);
                    }
                }
            }
        }
        self.monitor(notes);
    }

    /// A message goes in or out; `kind` says how if the channel is known.
    fn transfer(&mut self, who: Who, channel: &Expr, kind: Option<Kind>, notes: &mut Notes) {
        let exact = matches!(self.context.channels(who, channel), Channels::Exact(_));
        for object in self.contents(who, channel) {
            match kind {
                Some(kind) if exact => notes.add(object, kind),
                _ => {
                    notes.add(object, Kind::Read);
                    notes.add(object, Kind::Write);
                }
            }
        }
        if !exact {
            let processes = self.objects.number(Object::Processes);
            notes.add(processes, Kind::Read);
        }
    }

    /// The monitor sees every message.
    fn monitor(&mut self, notes: &mut Notes) {
        let Some(monitor) = &self.context.program().monitor else { return };
        let object = self.objects.number(Object::Monitor);
        notes.add(object, Kind::Write);
        for event in monitor.locations.iter().flat_map(|location| &location.events) {
            let exprs = event.fields.iter().flatten().chain([&event.channel]);
            exprs.for_each(|expr| self.reads(Who::Nobody, expr, notes));
        }
    }

    fn effect(&mut self, who: Who, ops: &[Op], notes: &mut Notes) {
        for op in ops {
            match op {
                Op::Assign(place, value) => {
                    if !self.is_addition(who, place, value) {
                        self.reads(who, value, notes);
                    }
                    self.writes(who, place, Some(value), notes);
                }
                Op::Run { process, args, .. } => {
                    args.iter().for_each(|arg| self.reads(who, arg, notes));
                    self.create(process.0, notes);
                }
                Op::Assert { condition, .. } => self.reads(who, condition, notes),
                // There is no reduction with priorities.
                Op::SetPriority(process, priority) => {
                    self.reads(who, process, notes);
                    self.reads(who, priority, notes);
                }
                Op::Print(print) => {
                    let values = print.pieces.iter().filter_map(Piece::value);
                    values.for_each(|expr| self.reads(who, expr, notes));
                }
            }
        }
    }

    /// Whether an assignment adds a constant to a place that is one object.
    fn is_addition(&mut self, who: Who, place: &Place, value: &Expr) -> bool {
        let Expr::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) = value else { return false };
        matches!(left.as_ref(), Expr::Load(other) if other == place)
            && self.context.constant(who, right).is_some()
            && matches!(self.context.resolve(who, place), Resolved::Exact(_))
    }

    /// A value is stored; none if it is not known which.
    fn writes(&mut self, who: Who, place: &Place, value: Option<&Expr>, notes: &mut Notes) {
        self.indices(who, place, notes);
        match self.context.resolve(who, place) {
            Resolved::Constant(_) | Resolved::Own => {}
            Resolved::Exact(object) => {
                let object = self.objects.number(object);
                let constant = value.and_then(|value| self.context.constant(who, value));
                let kind = match (constant, value) {
                    (Some(constant), _) => Kind::Set(cut(place, constant)),
                    (None, Some(value)) if self.is_addition(who, place, value) => Kind::Add,
                    _ => Kind::Write,
                };
                notes.add(object, kind);
            }
            Resolved::Some(objects) => {
                for object in objects {
                    let object = self.objects.number(object);
                    notes.add(object, Kind::Write);
                }
            }
        }
    }

    fn indices(&mut self, who: Who, place: &Place, notes: &mut Notes) {
        if let crate::expr::Base::Remote { pid, .. } = &place.base {
            let processes = self.objects.number(Object::Processes);
            notes.add(processes, Kind::Read);
            pid.iter().for_each(|pid| self.reads(who, pid, notes));
        }
        place.indices.iter().for_each(|index| self.reads(who, index, notes));
    }

    /// A new process: its variables come to be, and it stands at its first location.
    fn create(&mut self, template: u32, notes: &mut Notes) {
        let who = Who::Future(template);
        let processes = self.objects.number(Object::Processes);
        notes.add(processes, Kind::Run);
        notes.makes.push(template);
        notes.makes.extend(&self.context.statics.offspring[template as usize]);
        self.everything_of(who, notes);
        let mut init = Notes::default();
        self.effect(who, &self.context.program().processes[template as usize].init, &mut init);
        notes.accesses.extend(init.accesses);
        notes.wild |= init.wild;
        self.signals(who, None, &[Some(0)], notes);
    }

    fn terminate(&mut self, who: Who, notes: &mut Notes) {
        let processes = self.objects.number(Object::Processes);
        notes.add(processes, Kind::Die);
        self.everything_of(who, notes);
        if let Who::Live(pid) = who {
            let instance = &self.context.shape.processes[pid as usize];
            let template = &self.context.program().processes[instance.process.0 as usize];
            let first = instance.first_channel + 1;
            for number in first..first + template.channels.len() as u32 {
                let object = if self.context.capacity(number) == 0 {
                    Object::Meeting(number)
                } else {
                    Object::Channel(number)
                };
                let object = self.objects.number(object);
                notes.add(object, Kind::Write);
            }
        }
    }

    /// The variables of a process that others can reach come or go.
    fn everything_of(&mut self, who: Who, notes: &mut Notes) {
        let template = self.context.template(who).expect("a process") as usize;
        let slots = &self.context.program().processes[template].frame.slots;
        for (slot, _) in self.context.statics.exposed[template].iter().enumerate().filter(|(_, is)| **is) {
            let n_elements: u32 = slots[slot].dims.iter().map(|dim| dim.len).product();
            let elements = (0..n_elements).chain([super::objects::WHOLE]);
            for element in elements {
                let object = self.objects.number(Object::Frame { owner: who, slot: slot as u32, element });
                notes.add(object, Kind::Write);
            }
        }
    }

    /// What happens in the chain behind a step, from a location on: the locations at which it may leave
    /// the process. A rendezvous hands the chain over to the receiver.
    fn chain(&mut self, who: Who, start: u32, notes: &mut Notes) -> Vec<Option<u32>> {
        let mut ends = Vec::new();
        let mut seen = vec![(who, start)];
        let mut next = 0;
        while let Some(&(acting, location)) = seen.get(next) {
            next += 1;
            let template = self.context.template(acting).expect("a process") as usize;
            let process = &self.context.program().processes[template];
            let transitions = &process.locations[location as usize].transitions;
            let mut left = Vec::new();
            if may_block(transitions) || process.provided.is_some() {
                left.push(Some(location));
            }
            for transition in transitions {
                self.later(acting, transition, notes);
                match target(transition) {
                    Some(target) if transition.chain && !self.hands_over(acting, transition) => {
                        if !seen.contains(&(acting, target)) {
                            seen.push((acting, target));
                        }
                    }
                    end => left.push(end),
                }
                if let Command::Guarded(Guarded { comm: Comm::Send(send), .. }) = &transition.command {
                    let meetings = self.meetings(acting, &send.channel);
                    if !meetings.is_empty() {
                        left.push(target(transition));
                        self.take_along(acting, &meetings, &mut seen, notes);
                    }
                }
            }
            if acting == who {
                ends.extend(left);
            } else {
                notes.passengers.extend(left.iter().flatten().map(|&end| (acting, end)));
                // Where a passenger comes from was told when it got on.
                self.signals(acting, None, &left, notes);
            }
        }
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// The receivers of a rendezvous in the middle of a chain: each may be taken from where it stands,
    /// and the chain may go on with it.
    fn take_along(&mut self, sender: Who, meetings: &[u32], chain: &mut Vec<(Who, u32)>, notes: &mut Notes) {
        for who in self.everybody().into_iter().filter(|&who| who != sender) {
            let template = self.context.template(who).expect("a process") as usize;
            let process = &self.context.program().processes[template];
            for (l, location) in process.locations.iter().enumerate() {
                for transition in &location.transitions {
                    let meets = entry_receives(transition).any(|receive| {
                        self.offered(who, receive).iter().any(|object| meetings.contains(object))
                    });
                    if !meets {
                        continue;
                    }
                    let object = self.objects.number(Object::Stay { owner: who, location: l as u32 });
                    notes.add(object, Kind::Write);
                    self.later(who, transition, notes);
                    let end = transition.target.0;
                    self.signals(who, Some(l as u32), &[Some(end)], notes);
                    if transition.chain && !chain.contains(&(who, end)) {
                        chain.push((who, end));
                    }
                    notes.passengers.push((who, end));
                }
            }
        }
    }

    /// Something that is not the first thing to happen.
    fn later(&mut self, who: Who, transition: &Transition, notes: &mut Notes) {
        let template = self.context.template(who).expect("a process") as usize;
        let process = &self.context.program().processes[template];
        process.provided.iter().for_each(|expr| self.reads(who, expr, notes));
        self.readiness(who, transition, notes);
        match &transition.command {
            Command::Guarded(guarded) => {
                self.communication(who, &guarded.comm, false, notes);
                self.effect(who, &guarded.effect, notes);
            }
            Command::Else { .. } => {}
            Command::Terminate => self.terminate(who, notes),
            Command::Block(block) => {
                block.locations.iter().flatten().for_each(|inner| self.later(who, inner, notes));
            }
        }
    }

    /// What others notice when a process leaves a location for one of some others. Before its start
    /// and after its end it stands nowhere.
    fn signals(&mut self, who: Who, from: Option<u32>, ends: &[Option<u32>], notes: &mut Notes) {
        let template = self.context.template(who).expect("a process");
        let process = &self.context.program().processes[template as usize];
        for &location in from.iter().chain(ends.iter().flatten()) {
            for transition in &process.locations[location as usize].transitions {
                for receive in entry_receives(transition) {
                    let offered = self.offered(who, receive);
                    offered.into_iter().for_each(|object| notes.add(object, Kind::Signal));
                }
            }
        }
        let crosses = |is_in: &dyn Fn(u32) -> bool| {
            ends.iter().any(|end| end.is_some_and(is_in) != from.is_some_and(is_in))
        };
        let asked: Vec<u32> = {
            let all = self.context.statics.asked_locations.iter();
            all.filter(|(t, _)| *t == template).map(|&(_, location)| location).collect()
        };
        for location in asked {
            if crosses(&|other| other == location) {
                let object = self.objects.number(Object::At { owner: who, location });
                notes.add(object, Kind::Signal);
            }
        }
        if self.context.statics.asks_places {
            let object = self.objects.number(Object::Place(who));
            notes.add(object, Kind::Signal);
        }
        for accept in [false, true] {
            let marked = |location: u32| {
                let location = &process.locations[location as usize];
                if accept { location.accept } else { location.progress }
            };
            if self.context.statics.asks_marks[usize::from(accept)] && crosses(&marked) {
                let object = self.objects.number(Object::Marked { accept });
                notes.add(object, Kind::Signal);
            }
        }
    }

    /// What the value of an expression depends on.
    fn reads(&mut self, who: Who, expr: &Expr, notes: &mut Notes) {
        if self.context.constant(who, expr).is_some() && !expr.may_fail() {
            return;
        }
        match expr {
            Expr::Const(_) | Expr::Pid | Expr::OwnChannel(_) | Expr::NewPid | Expr::Timeout => {}
            Expr::Load(place) => {
                self.indices(who, place, notes);
                match self.context.resolve(who, place) {
                    Resolved::Constant(_) => {}
                    Resolved::Own => notes.own = true,
                    Resolved::Exact(object) => {
                        let object = self.objects.number(object);
                        notes.add(object, Kind::Read);
                    }
                    Resolved::Some(objects) => {
                        for object in objects {
                            let object = self.objects.number(object);
                            notes.add(object, Kind::Read);
                        }
                    }
                }
            }
            Expr::NrProcesses => {
                let processes = self.objects.number(Object::Processes);
                notes.add(processes, Kind::Read);
            }
            Expr::Unary(_, operand) => self.reads(who, operand, notes),
            Expr::Binary(_, left, right) => {
                self.reads(who, left, notes);
                self.reads(who, right, notes);
            }
            Expr::Cond(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.reads(who, part, notes));
            }
            Expr::Channel(_, channel) => self.asks(who, channel, notes),
            Expr::Poll(receive) => {
                self.asks(who, &receive.channel, notes);
                self.patterns(who, receive, notes);
            }
            Expr::Enabled(_) => notes.wild = true,
            Expr::PcValue(pid) => {
                self.reads(who, pid, notes);
                for other in self.everybody_ever() {
                    let object = self.objects.number(Object::Place(other));
                    notes.add(object, Kind::Read);
                }
            }
            Expr::SomeAt(mark) => {
                let object = self.objects.number(Object::Marked { accept: *mark == Mark::Accept });
                notes.add(object, Kind::Read);
            }
            // There is no reduction with priorities; without, only whether the process is there counts.
            Expr::PriorityOf(pid) => {
                self.reads(who, pid, notes);
                let processes = self.objects.number(Object::Processes);
                notes.add(processes, Kind::Read);
            }
            Expr::At { process, pid, location } => {
                pid.iter().for_each(|pid| self.reads(who, pid, notes));
                let Some(location) = location else { return };
                for owner in self.context.instances(who, *process, pid.as_deref()) {
                    let object = self.objects.number(Object::At { owner, location: location.0 });
                    notes.add(object, Kind::Read);
                }
                let processes = self.objects.number(Object::Processes);
                notes.add(processes, Kind::Read);
            }
        }
    }

    /// Everybody who lives, and any process of any template.
    fn everybody_ever(&self) -> Vec<Who> {
        let live = (0..self.context.shape.processes.len()).map(|pid| Who::Live(pid as u16));
        let future = (0..self.context.program().processes.len()).map(|t| Who::Future(t as u32));
        live.chain(future).collect()
    }
}

/// The receives with which a transition may begin.
fn entry_receives(transition: &Transition) -> impl Iterator<Item = &Receive> {
    let entries = match &transition.command {
        Command::Block(block) => &block.locations[0],
        _ => std::slice::from_ref(transition),
    };
    entries.iter().filter_map(|entry| match &entry.command {
        Command::Guarded(Guarded { comm: Comm::Receive(receive), .. }) => Some(receive),
        _ => None,
    })
}

/// Whether it may be that nothing at a location can be executed.
fn may_block(transitions: &[Transition]) -> bool {
    !transitions.iter().any(|transition| match &transition.command {
        Command::Guarded(Guarded { guard, comm: Comm::None, .. }) => guard.is_empty(),
        Command::Else { since } => *since == 0,
        _ => false,
    })
}

/// Where a transition leads; none if the process ends.
pub fn target(transition: &Transition) -> Option<u32> {
    (transition.command != Command::Terminate).then_some(transition.target.0)
}

fn opposite(op: ChannelOp) -> Option<ChannelOp> {
    Some(match op {
        ChannelOp::Len => return None,
        ChannelOp::Empty => ChannelOp::Nempty,
        ChannelOp::Nempty => ChannelOp::Empty,
        ChannelOp::Full => ChannelOp::Nfull,
        ChannelOp::Nfull => ChannelOp::Full,
    })
}
