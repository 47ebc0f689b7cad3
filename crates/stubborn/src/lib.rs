//! Stubborn as a library: models are opened, and what is asked of them is answered.
//!
//! ```
//! use check::{Control, Options, answer::Outcome, plan, run};
//! use model::Patience;
//! use stubborn::{Language, Reading, Source, What, open};
//!
//! let text = "active proctype P() { assert(1 + 1 == 2) }";
//! let source = Source::of_text("example", Language::Promela, text);
//! let opened = open(source, &Reading::default(), &What::default(), &Patience::default()).unwrap();
//! let (options, patience) = (Options::default(), Patience::default());
//! let plans: Vec<_> =
//!     opened.asked().iter().map(|asked| plan(opened.system(), asked, &options, &patience).unwrap()).collect();
//! let asked: Vec<_> = opened.asked().iter().zip(&plans).collect();
//! let mut outcomes = Vec::new();
//! run(opened.system(), &asked, &options, &Control::default(), &mut |_, answer| outcomes.push(answer.outcome))
//!     .unwrap();
//! assert_eq!(outcomes, [Outcome::Holds]);
//! ```

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
pub use program::{Program, Warnings, is_formula};
pub use what::{Reading, What};

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
