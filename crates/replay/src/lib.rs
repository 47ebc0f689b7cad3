//! Re-executes traces, step by step, on what somebody wrote.
//!
//! [`replay()`] is the independent check behind every reported violation: it uses no search, no store, no reduction and
//! no compiled code, only a [`model::Play`]. Each step of the trace must be possible where it is taken, and at the end
//! the [`Evidence`] must be there. [`settle()`] makes such a trace of a run that was lifted from a changed model,
//! [`resolve()`] of one that was read back; [`json`] reads and writes traces.

#![forbid(unsafe_code)]

mod check;
mod evidence;
mod infinite;
pub mod json;
mod resolve;
mod settle;

pub use check::replay;
pub use evidence::{Evidence, Language, Mismatch, Unconfirmed};
pub use resolve::resolve;
pub use settle::settle;
