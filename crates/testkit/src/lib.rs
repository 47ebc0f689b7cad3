//! What the tests rest on.
//!
//! - [`corpus`]: public models.
//! - [`naive`]: an explorer that walks the syntax tree, written from the rules of the language. It
//!   shares nothing with the lowering or the interpreter: it is the oracle against which they are
//!   tested.
//! - [`random`]: seeded random programs, as text.
//! - [`rounds`]: compares such programs, one after the other.
//! - [`shrink`]: makes a program that shows a fault smaller while it still shows it.
//! - [`space`]: all states of a system, by its definition, and what questions about them mean.

#![forbid(unsafe_code)]

pub mod corpus;
pub mod naive;
pub mod random;
pub mod rounds;
pub mod runs;
pub mod shrink;
pub mod space;

use std::path::Path;

/// Parses a program that includes no other files.
///
/// # Errors
/// The first error's message.
pub fn parse(text: &str) -> Result<promela::tree::Program, String> {
    let no_files = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    match promela::parse("model.pml", text.to_string(), &promela::Options::default(), &no_files)
        .expect("there is time")
        .accept()
    {
        Ok(parsed) => Ok(parsed.program),
        Err(rejected) => {
            let first = rejected.diagnostics.first();
            Err(first.map_or_else(String::new, |first| format!("{} {}", first.code, first.message)))
        }
    }
}
