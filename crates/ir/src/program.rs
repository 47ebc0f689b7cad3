//! The program: plain data, made by a front end, read by everything else.

use model::Location;

use crate::expr::{Expr, Op, Place, Receive, Send};
use crate::layout::{ChannelLayout, Region};

/// Index of a process template in [`Program::processes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(pub u32);

/// Index of a control location in [`Process::locations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(pub u32);

/// Index of a channel type in [`Program::channels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub u32);

/// The most processes that a state holds, unless more are asked for.
pub const MAX_PROCESSES: u16 = 255;

/// The most channels that a state holds.
pub const MAX_CHANNELS: usize = 255;

/// A system of processes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The names of the source files that [`Location::file`] counts.
    pub files: Vec<String>,
    /// Sets of symbolic names for values, for printing.
    pub names: Vec<NameSet>,
    /// The variables that all processes share.
    pub globals: Region,
    /// The types of channels.
    pub channels: Vec<Channel>,
    /// The channels that exist from the start. The k-th has the number k + 1.
    pub global_channels: Vec<ChannelId>,
    /// Gives the shared variables their initial values.
    pub init: Vec<Op>,
    /// The process templates.
    pub processes: Vec<Process>,
    /// The processes that run from the start, by pid.
    pub start: Vec<Start>,
    /// Where the pid of the latest step is kept, if the program asks for it: a slot of
    /// [`Program::globals`].
    pub last: Option<u32>,
    /// True if processes have priorities.
    pub priorities: bool,
    /// True if a send to a full channel is executable and loses the message.
    pub lossy: bool,
    /// An automaton that watches the messages.
    pub monitor: Option<Monitor>,
    /// Questions about the state as a whole: atoms of formulas, invariants.
    pub predicates: Vec<Predicate>,
}

/// An expression that is evaluated in a state from outside, by no process.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// The expression.
    pub expr: Expr,
    /// How it is written.
    pub text: String,
    /// Where it stands.
    pub source: Location,
}

/// Symbolic names for values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameSet {
    /// The set's name; empty for the unnamed set.
    pub name: String,
    /// Names and values.
    pub names: Vec<(String, i32)>,
}

/// A type of channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The name of the variable that declares it.
    pub name: String,
    /// How many messages it holds; 0 for a rendezvous channel.
    pub capacity: u32,
    /// The parts of a message.
    pub fields: Vec<Field>,
    /// Where the messages lie.
    pub layout: ChannelLayout,
}

/// A part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// How many bits it takes.
    pub width: u8,
    /// Whether it can be negative.
    pub signed: bool,
    /// How to print it.
    pub meaning: Meaning,
}

/// What the number in a slot stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meaning {
    /// A number.
    #[default]
    Number,
    /// A name of [`Program::names`].
    Name(u32),
    /// A channel's number.
    Channel,
}

/// A process that runs from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Its template.
    pub process: ProcessId,
    /// Its priority.
    pub priority: u8,
}

/// A process template.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// The variables that each instance has of its own.
    pub frame: Region,
    /// The slot of the frame that holds the control location.
    pub pc: u32,
    /// The slot that holds the priority, if the program has priorities.
    pub priority: Option<u32>,
    /// The places in the frame that take the arguments of `run`.
    pub params: Vec<Place>,
    /// The channels that are made with each instance, in this order.
    pub channels: Vec<ChannelId>,
    /// Gives the locals of a new instance their initial values.
    pub init: Vec<Op>,
    /// The control locations; the first is where an instance starts.
    pub locations: Vec<ControlLocation>,
    /// A condition on every step of an instance.
    pub provided: Option<Expr>,
    /// True if a choice between two executable statements is an error.
    pub deterministic: bool,
    /// Where it is declared.
    pub source: Location,
}

/// A place where a process can stand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ControlLocation {
    /// The number by which the front end knows it (`pc_value`, state tables).
    pub number: u32,
    /// The labels on it.
    pub labels: Vec<String>,
    /// A process may stay here for ever.
    pub end: bool,
    /// Passing here is progress.
    pub progress: bool,
    /// Passing here infinitely often is acceptance.
    pub accept: bool,
    /// What can happen here, in the order in which it is tried. Escapes come first, `else` last.
    pub transitions: Vec<Transition>,
    /// The statement that stands here.
    pub source: Location,
}

/// A step of a process from one location to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// What it does.
    pub command: Command,
    /// Where it leads.
    pub target: LocationId,
    /// True if the step lies inside an atomic chain that goes on at the target.
    pub chain: bool,
    /// Set for an escape: the number of the escape that it belongs to. If an escape can be
    /// executed, nothing that is listed behind it and belongs to another one can.
    pub escape: Option<u32>,
    /// The statement, for people.
    pub text: String,
    /// The statement's place.
    pub source: Location,
}

/// What a transition does.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// A guard, a communication and an effect, each possibly empty.
    Guarded(Guarded),
    /// Executable if none of the transitions listed before it at its location is, from the
    /// `since`-th on.
    Else {
        /// The first that counts; 0 but for an `else` inside another choice with an `else`.
        since: u32,
    },
    /// The process is removed; executable only for the youngest process.
    Terminate,
    /// Statements that are executed as one (`d_step`).
    Block(Block),
}

/// A guarded command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guarded {
    /// All of these must be true.
    pub guard: Vec<Expr>,
    /// The message that is sent or received.
    pub comm: Comm,
    /// What is done then.
    pub effect: Vec<Op>,
}

/// The communication of a guarded command.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Comm {
    /// None.
    #[default]
    None,
    /// A message is sent.
    Send(Send),
    /// A message is received.
    Receive(Receive),
}

/// Statements that are executed as one step, without choice: of several executable transitions the
/// first is taken. The block can be entered if a transition of its first location can be executed;
/// to block later is an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The locations inside; the first is the entry. [`Block::EXIT`] as a target leaves the block.
    pub locations: Vec<Vec<Transition>>,
}

impl Block {
    /// The target of a transition that leaves the block.
    pub const EXIT: LocationId = LocationId(u32::MAX);
}

/// A nondeterministic automaton over the messages that are sent and received (`trace`, `notrace`).
///
/// A state holds the set of locations at which it may be. An event in its scope takes the set to
/// where the events that fit lead, from all members, and on by silent steps. If that is nowhere, the
/// event is an error and the set stays, unless the automaton is `forbidden`: then it is an error to
/// come to an end, and the set is empty from the moment on that this has happened or can no longer
/// happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Monitor {
    /// True for behaviour that must not be seen, false for behaviour that must.
    pub forbidden: bool,
    /// The slot of [`Program::globals`] that holds the set: an array with a bit for each location.
    pub slot: u32,
    /// The kinds of events that it watches; those of its own events are among them.
    pub scope: Vec<EventKind>,
    /// Its locations; the first is the start.
    pub locations: Vec<MonitorLocation>,
    /// Where it is declared.
    pub source: Location,
}

/// A location of a monitor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MonitorLocation {
    /// The end: nothing more is expected.
    pub end: bool,
    /// True if the system may stop here.
    pub stop: bool,
    /// Where it may go on by itself.
    pub silent: Vec<u32>,
    /// The events that it can follow.
    pub events: Vec<Event>,
}

/// What is done to which channel.
#[derive(Clone, Debug, PartialEq)]
pub struct EventKind {
    /// True for a send, false for a receive.
    pub send: bool,
    /// The channel's number, over the shared variables.
    pub channel: Expr,
}

/// An event that a monitor follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What is done to which channel.
    pub kind: EventKind,
    /// The values of the fields; none for any value.
    pub fields: Vec<Option<Expr>>,
    /// Where it leads.
    pub target: u32,
    /// As for [`Transition::escape`]: if an event of an escape fits, nothing that is listed behind it at
    /// its location and belongs to another one counts.
    pub escape: Option<u32>,
}

impl Monitor {
    /// Adds where silent steps lead to a set of locations, a bit for each.
    pub fn close(&self, locations: &mut [bool]) {
        let mut open: Vec<usize> = (0..locations.len()).filter(|&k| locations[k]).collect();
        while let Some(location) = open.pop() {
            for &target in &self.locations[location].silent {
                if !std::mem::replace(&mut locations[target as usize], true) {
                    open.push(target as usize);
                }
            }
        }
    }

    /// Where it may be before anything has happened.
    pub fn start(&self) -> Vec<bool> {
        let mut locations = vec![false; self.locations.len()];
        locations[0] = true;
        self.close(&mut locations);
        locations
    }
}
