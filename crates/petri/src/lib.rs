//! Petri nets: what they are, how they are written, what is asked about them.

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
