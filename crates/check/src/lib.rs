//! Deciding questions about systems, whatever they are written in.
//!
//! What may be combined with what is one table ([`soundness`]): nothing else refuses a combination of options, and no
//! search is started whose combination has no row there.

#![forbid(unsafe_code)]

pub mod options;
pub mod prefer;
pub mod soundness;
