//! Stubborn as a library: a model is opened, questions are asked about it, and each gets an answer with a run that shows it.
//!
//! | word | what it is |
//! |---|---|
//! | [`System`] | what questions are asked about: a Promela program ([`Program`]), a Petri net ([`Net`]), or a [`Model`](model::Model) of one's own ([`check::Plain`]) |
//! | [`Question`](check::Question) | what is asked: safety, a deadlock, a formula, an upper bound, …; a [`Property`] is a question with a name |
//! | [`Plan`](check::Plan) | how a question is answered: by which search, what may be left out, and which row of the table of what is sound ([`check::soundness`]) says that this is right. What does not go together is refused here, before anything is searched |
//! | [`Answer`](check::Answer) | the outcome, how it was found, what was counted, and a run of the model that shows it. The run has been executed again on what was written, without anything that the search used |
//!
//! # A model in a language
//!
//! ```
//! use stubborn::check::{Control, Options, answer::Outcome, answers};
//! use stubborn::{Language, Reading, Source, What, model::Patience, open};
//!
//! let text = "byte x; active [2] proctype P() { x = x + 1 }";
//! let source = Source::of_text("increments", Language::Promela, text);
//! let what = What { invariant: vec!["x < 2".to_string()], ..What::default() };
//! let opened = open(source, &Reading::default(), &what, &Patience::default())?;
//!
//! // A claim or a formula of the model that has errors is refused alone; the rest can be asked.
//! assert!(opened.refused().is_none());
//! let found = answers(opened.system(), opened.asked(), &Options::default(), &Control::default())?;
//! assert!(matches!(found[0].outcome, Outcome::Violated(_)));
//! let run = found[0].run.as_ref().expect("a violation comes with a run");
//! assert_eq!(run.steps.last().unwrap().text.action, "x = (x+1)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Source::read`] reads a file and recognises its language. [`What`] has the questions as texts, as on the command line;
//! without any, a model is asked what it declares. [`Options`](check::Options) chooses the search, the reduction, the store,
//! limits and threads; [`Control`](check::Control) interrupts from outside and hears of progress.
//!
//! # A model of one's own
//!
//! Whatever has states that are words and actions that lead from one to the next can implement [`Model`](model::Model).
//! Seven methods are needed:
//!
//! | method | tells |
//! |---|---|
//! | [`initial`](model::Model::initial) | the words of the initial state |
//! | [`enabled`](model::Model::enabled) | which actions are possible in a state: who moves, and by which transition |
//! | [`fire`](model::Model::fire) | where they lead; [`Successors::push_state`](model::Successors::push_state) adds a state, [`push_failure`](model::Successors::push_failure) a failed assertion or another failure |
//! | [`predicate`](model::Model::predicate) | the value of a predicate in a state, for formulas and invariants |
//! | [`end`](model::Model::end) | whether a state in which nothing is enabled is a proper end |
//! | [`describe`](model::Model::describe) and [`variables`](model::Model::variables) | steps and states in words, for traces |
//!
//! Actions are numbered by transitions: [`Plain::new`](check::Plain::new) is told how many there are, so that questions about all
//! of them (liveness) know what all are. A model whose actors can end tells so by [`unfinished`](model::Model::unfinished); without
//! it nobody can ask for local deadlocks. Partial-order reduction asks which actions are independent
//! ([`independence`](model::Model::independence)); without an answer everything is explored.
//!
//! This is the example `own_model`: a lock with an error in it, some questions about it, a report, and the run that shows the
//! error, taken once more step by step.
//!
//! ```
#![doc = include_str!("../examples/own_model.rs")]
//! ```
//!
//! # Examples
//!
//! `cargo run --example own_model`, `cargo run --example promela` and `cargo run --example net`, in `crates/stubborn/examples`.
//!
//! # Reports
//!
//! [`report::result`] puts an answer into words, and the modules of [`report`] write these for people (with ANSI colours, which
//! [`report::plain`] removes), as JSON, SARIF or JUnit.

#![forbid(unsafe_code)]

mod error;
mod fit;
mod follow;
mod language;
mod net;
mod program;
mod what;

pub use error::{Error, reason};
pub use fit::{expect_fit, expect_read_as_net, for_program};
pub use language::{Language, Source};
pub use net::{Net, contest, read as read_net};
pub use program::extra::{Extra, formula_warnings, parse_formula, read_automaton};
pub use program::{Program, Warnings};
pub use what::{Reading, What};

/// What a library needs of the other crates, so that one dependency is enough.
pub use {check, logic, model, replay, report};

use check::{Property, System};
use model::{Failure, Patience, Play, Run};
use replay::json::TraceFile;

/// A model with what is asked of it.
#[derive(Debug)]
pub enum Opened {
    /// A program.
    Program(Box<Program>),
    /// A net.
    Net(Box<Net>),
}

/// Opens a model, with the questions: formulas may use its macros.
///
/// # Errors
/// If there are errors in it or in the questions, or if it takes too long.
pub fn open(source: Source, reading: &Reading, what: &What, patience: &Patience) -> Result<Opened, Error> {
    if source.language.is_of_nets() {
        Ok(Opened::Net(Box::new(Net::open(source, what, patience)?)))
    } else {
        Ok(Opened::Program(Box::new(Program::open(source, reading, what, patience)?)))
    }
}

impl Opened {
    /// The model as something about which questions can be asked.
    pub fn system(&self) -> &dyn System {
        match self {
            Opened::Program(program) => &**program,
            Opened::Net(net) => &**net,
        }
    }

    /// What is asked.
    pub fn asked(&self) -> &[Property] {
        match self {
            Opened::Program(program) => program.asked(),
            Opened::Net(net) => net.asked(),
        }
    }

    /// What is suspicious about it.
    pub fn warnings(&self) -> Option<&Warnings> {
        match self {
            Opened::Program(program) => Some(program.warnings()),
            Opened::Net(_) => None,
        }
    }

    /// What is wrong with properties that are asked for and cannot be checked; the others can.
    pub fn refused(&self) -> Option<Error> {
        match self {
            Opened::Program(program) => program.refused(),
            Opened::Net(_) => None,
        }
    }

    /// The files that places in it refer to.
    pub fn files(&self) -> &[String] {
        match self {
            Opened::Program(program) => &program.interpreter().program().files,
            Opened::Net(_) => &[],
        }
    }

    /// A run of it, by its definition.
    ///
    /// # Errors
    /// If its initial state cannot be computed.
    pub fn play(&self) -> Result<Box<dyn Play + '_>, Failure> {
        self.system().play()
    }

    /// Re-executes a trace; it must do what it says.
    ///
    /// # Errors
    /// If it does not.
    pub fn follow(&self, trace: &TraceFile, patience: &Patience) -> Result<Run, Error> {
        match self {
            Opened::Program(program) => program.follow(trace, patience),
            Opened::Net(net) => net.follow(trace, patience),
        }
    }
}
