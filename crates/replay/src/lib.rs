//! Re-executes traces, step by step, on the reference interpreter.
//!
//! [`replay`] is the independent check behind every reported violation: it uses no search, no store,
//! no reduction and no compiled code. Each step of the trace must be possible where it is taken, and
//! at the end the violation must be there. [`Player`] is the machine underneath, which simulation
//! uses too; [`json`] reads and writes traces.

#![forbid(unsafe_code)]

mod check;
mod infinite;
pub mod json;
pub mod net;
mod player;
mod resolve;
mod run;

pub use check::{Claim, Mismatch, replay};
pub use infinite::{Infinite, Shown};
pub use player::{Choices, Play, Player, Told};
pub use resolve::resolve;
pub use run::{Change, Run, RunStep, Standing, changes, standing};
