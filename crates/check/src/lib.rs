//! Deciding questions about systems, whatever they are written in.
//!
//! | word | what it is |
//! |---|---|
//! | [`System`] | what questions are asked about: a program, a net, or a user's own model ([`Plain`]) |
//! | [`Question`] | what is asked; a [`Property`] is a question with a name |
//! | [`Plan`] | how a question is answered: the task, the reduction, and the row of the table that admits it |
//! | [`Answer`] | the outcome, how it was found, what was counted, and a run that shows it |
//!
//! [`answers()`] makes the plans and carries them out; [`plan()`] and [`run()`] are its two halves.
//!
//! Which combinations of question, fairness, system and reduction are sound is decided by one table ([`soundness`]): no
//! search is started unless a row admits it.

#![forbid(unsafe_code)]

pub mod answer;
mod engines;
pub mod options;
mod plain;
pub mod plan;
pub mod prefer;
pub mod question;
mod refusal;
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
pub use plan::{Plan, plan};
pub use question::{Property, Question};
pub use refusal::Refusal;
pub use run::{Unanswered, answers, run};
pub use search::{Checks, Progress, resident, return_large};
pub use system::System;
