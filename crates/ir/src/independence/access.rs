//! What a step does to the objects.
//!
//! A step is a transition of a process, with everything in the atomic chain behind it. The conditions
//! on its first transition are *guards*: while they are false the step is disabled. What comes later
//! in the chain is read and written, no more.

use super::objects::Who;
use crate::expr::{BinaryOp, ChannelOp, Expr};

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
