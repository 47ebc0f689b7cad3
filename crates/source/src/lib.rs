//! Texts, places in them, and what is wrong there.
//!
//! Every language makes [`Diagnostic`]s, each with codes of its own; who shows them needs to know of no
//! language. A reader of one text gives places in file 0 of [`Sources`]; who called it has the text.
#![forbid(unsafe_code)]

mod decode;
mod diagnostic;
mod file;

pub use decode::{NOT_UTF_8, Wrong, decode, decode_but};
pub use diagnostic::{Diagnostic, Edit, Rejected, Severity};
pub use file::{FileId, Position, SourceFile, Sources, Span};
