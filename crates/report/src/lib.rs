//! Reports: plain data in, text out.
//!
//! Nothing here searches, prints or reads the environment. The text may hold ANSI colours; who
//! prints it strips them where they are not wanted.

#![forbid(unsafe_code)]

mod answer;
pub mod charts;
pub mod data;
pub mod diagnostics;
pub mod human;
pub mod json;
pub mod junit;
pub mod sarif;
pub mod spin;
mod style;

/// A text without ANSI colours.
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

pub use answer::{About, contest, result};
pub use data::{Counts, Method, PropertyResult, Report, Tokens, Verdict};
