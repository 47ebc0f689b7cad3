//! Promela: from text to a tree with names resolved, and on to the intermediate representation.
//!
//! Reading takes three steps: the preprocessor turns text into tokens, the parser turns tokens into
//! a [`tree::Program`], and checks look at the whole of it. Everything found on the way becomes a
//! [`Diagnostic`]. [`lower()`] then translates the tree.
#![forbid(unsafe_code)]

mod check;
mod decode;
pub mod diagnostic;
mod exclusive;
mod lex;
mod lower;
mod names;
mod parse;
mod preprocess;
pub mod source;
mod text;
pub mod tree;

use std::path::{Path, PathBuf};

pub use decode::{NotUtf8, decode};
use diagnostic::Reports;
pub use diagnostic::{Diagnostic, Severity};
pub use lower::{Claim, Lowered, Property, PropertyKind, lower, lower_with_properties};
pub use parse::{MAX_EXPRESSION_HEIGHT, MAX_NESTING};
pub use preprocess::{MAX_INCLUDE_DEPTH, MAX_SOURCE_BYTES, MAX_TOKENS};
use source::Sources;
use tree::Program;

/// What is to be read besides the model, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Macros, with their values; 1 if there is none.
    pub defines: Vec<(String, Option<String>)>,
    /// Macros that are not to be defined.
    pub undefines: Vec<String>,
    /// Where included files are searched, after the folder of the file that includes them.
    pub include_dirs: Vec<PathBuf>,
    /// Names and texts that are read behind the model as if they were the rest of it, so that they can
    /// use its macros: formulas and claims from elsewhere.
    pub extra: Vec<(String, String)>,
}

/// A model that was read without errors.
#[derive(Debug)]
pub struct Parsed {
    /// The model.
    pub program: Program,
    /// What is suspicious about it.
    pub warnings: Vec<Diagnostic>,
}

/// A model with errors.
#[derive(Debug)]
pub struct Rejected {
    /// Its text.
    pub sources: Sources,
    /// What is wrong with it: at least one error.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model. Files it includes are read by the loader.
pub fn parse(
    name: &str,
    text: String,
    options: &Options,
    loader: &dyn Fn(&Path) -> std::io::Result<Vec<u8>>,
) -> Result<Parsed, Box<Rejected>> {
    let mut reports = Reports::default();
    let tokens = preprocess::preprocess(name, text, options, loader, &mut reports);
    if reports.failed() {
        // Text that went wrong here would be complained about a second time.
        return Err(Box::new(Rejected { sources: tokens.sources, diagnostics: reports.into_list() }));
    }
    let (program, pending) = parse::parse(tokens, &mut reports);
    // With a wrong tree, what concerns the whole of it would only be confusing.
    if !reports.failed() {
        check::check(&program, &pending, &mut reports);
    }
    if reports.failed() {
        return Err(Box::new(Rejected { sources: program.sources, diagnostics: reports.into_list() }));
    }
    Ok(Parsed { program, warnings: reports.into_list() })
}
