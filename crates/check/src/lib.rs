//! Deciding questions about systems, whatever they are written in.
//!
//! What may be combined with what is one table ([`soundness`]): nothing else refuses a combination of options, and no
//! search is started whose combination has no row there.

#![forbid(unsafe_code)]

pub mod answer;
mod engines;
pub mod options;
mod plain;
pub mod plan;
pub mod prefer;
pub mod question;
mod run;
mod schedule;
pub mod soundness;
pub mod system;
mod witness;

pub use answer::Answer;
pub use engines::{Control, Defect};
pub use model::Fairness;
pub use options::Options;
pub use plain::Plain;
pub use plan::{Plan, Refusal, plan};
pub use question::{Property, Question};
pub use run::{Unanswered, answers, run};
pub use search::{Checks, Progress, resident, return_large};
pub use system::System;
