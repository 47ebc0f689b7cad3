//! Processes of guarded commands: the form into which programs are translated.
//!
//! A [`Program`] is plain data. It has a text form ([`text`]), a verifier ([`verify()`]) and a
//! reference interpreter ([`Interpreter`]), which is also the [`model::Model`] that searches run on
//! when there is no faster one.

#![forbid(unsafe_code)]

mod analysis;
mod expr;
mod independence;
pub mod interpreter;
mod layout;
mod phase;
mod player;
mod program;
mod provenance;
mod rewrite;
pub mod text;
pub mod transform;
mod verify;

pub use analysis::{ChannelSets, Denoted, Failures, guarded_commands, transitions, walk, walk_transition};
pub use expr::{
    Base, BinaryOp, ChannelOp, Expr, MAX_DEPTH, Mark, Op, Pattern, Piece, Place, Print, Receive, Send,
    UnaryOp,
};
pub use interpreter::Interpreter;
pub use layout::{Allocator, ChannelLayout, Dim, GLOBALS_START, MAX_REGION_BITS, Region, Size, Slot};
pub use player::Player;
pub use program::{
    Block, Channel, ChannelId, Comm, Command, ControlLocation, Event, EventKind, Field, Guarded, LocationId,
    MAX_CHANNELS, MAX_PROCESSES, Meaning, Monitor, MonitorLocation, NameSet, Predicate, Process, ProcessId,
    Program, Start, Transition,
};
pub use provenance::{Original, Provenance, Role};
pub use verify::verify;
