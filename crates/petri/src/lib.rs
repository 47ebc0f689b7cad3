//! Petri nets: what they are, how they are written, what is asked about them.
//!
//! Nets are not translated into programs: a net with a hundred thousand transitions would be one process with as many
//! options. [`NetModel`] implements `model::Model` over the net itself. What a net and a predicate mean is defined in
//! [`semantics`], a few lines over vectors of numbers that share nothing with [`NetModel`]. Tests compare the two, and
//! replay uses the definition alone, through [`NetPlayer`].
//!
//! The readers ([`pnml`], [`lola`], [`contest`]) all yield a [`Net`] and [`Formula`]s, so everything behind them exists
//! once. A [`Formula`] is a `logic::Formula` over atoms about a marking; `logic` says which kind of question it asks. A
//! predicate has one number in a net, however large it is ([`Predicates`]).

#![forbid(unsafe_code)]

pub mod contest;
pub mod dot;
pub mod lola;
pub mod pnml;
pub mod semantics;

pub mod example;
mod formula;
mod growth;
mod model;
mod net;
mod player;
mod predicates;
mod reading;
mod rows;
pub mod xml;

pub use formula::{Atom, Comparison, Formula, Property, Question, Sum};
pub use growth::Growth;
pub use model::{NetModel, NetOptions, NotModelled, TooManyTokens};
pub use net::{Arc, Fair, Names, Net, NetBuilder, Place, PlaceId, Transition, TransitionId, Unit, Units};
pub use player::NetPlayer;
pub use predicates::{Predicate, Predicates};
pub use reading::Read;
