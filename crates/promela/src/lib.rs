//! Promela: from text to a tree with names resolved, and on to the intermediate representation.
//!
//! Reading takes three steps: the preprocessor turns text into tokens, the parser turns tokens into
//! a [`tree::Program`], and checks look at the whole of it. Everything found on the way becomes a
//! [`Diagnostic`]. [`lower()`] then translates the tree.
#![forbid(unsafe_code)]

mod check;
mod decode;
mod exclusive;
mod lex;
mod lower;
mod names;
mod parse;
mod preprocess;
mod reports;
mod text;
pub mod tree;

use std::path::{Path, PathBuf};

use model::{Over, Patience};
use source::{Diagnostic, Rejected};

pub use decode::decode;
pub use lower::{
    Lowered, NeverClaim, Property, PropertyKind, lower, lower_with_conditions, lower_with_properties,
};
pub use parse::{MAX_EXPRESSION_HEIGHT, MAX_NESTING};
pub use preprocess::{MAX_INCLUDE_DEPTH, MAX_SOURCE_BYTES, MAX_TOKENS};
use reports::Reports;
pub use reports::{CODES, MAX_ERRORS, MAX_WARNINGS, Refused};
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
    /// How long reading may take.
    pub patience: Patience,
}

/// A model, as far as it could be understood, and what was found in it.
#[derive(Debug)]
pub struct Parsed {
    /// The model. If there are errors, it is what an editor can use, but nothing to translate.
    pub program: Program,
    /// What is wrong with it or suspicious about it.
    pub diagnostics: Vec<Diagnostic>,
    /// The claims and formulas that have errors, which are among the others: they are not in the model.
    pub refused: Vec<Refused>,
    /// Whether there are errors besides those.
    pub is_model_wrong: bool,
}

impl Parsed {
    /// The model, if there are no errors but those of claims and formulas that it is then without.
    ///
    /// # Errors
    /// What is wrong.
    pub fn accept_partly(mut self) -> Result<Parsed, Box<Rejected>> {
        if self.is_model_wrong {
            return self.accept();
        }
        self.diagnostics.retain(|found| !found.is_error());
        Ok(self)
    }

    /// The model, if there are no errors: then there are only warnings.
    ///
    /// # Errors
    /// What is wrong.
    pub fn accept(self) -> Result<Parsed, Box<Rejected>> {
        if !self.diagnostics.iter().any(Diagnostic::is_error) {
            return Ok(self);
        }
        Err(Box::new(Rejected { sources: self.program.sources, diagnostics: self.diagnostics }))
    }
}

/// Reads a model. Files it includes are read by the loader.
///
/// # Errors
/// If it takes longer than there is patience.
pub fn parse(
    name: &str,
    text: String,
    options: &Options,
    loader: &dyn Fn(&Path) -> std::io::Result<Vec<u8>>,
) -> Result<Parsed, Over> {
    let patience = &options.patience;
    patience.check()?;
    let mut reports = Reports::default();
    let parsed = |program, reports: Reports| {
        let is_model_wrong = reports.is_model_wrong();
        let (diagnostics, refused) = reports.into_lists();
        Parsed { program, diagnostics, refused, is_model_wrong }
    };
    let tokens = preprocess::preprocess(name, text, options, loader, &mut reports)?;
    if reports.failed() {
        // Text that went wrong here would be complained about a second time.
        let (program, _) = parse::parse(tokens, &mut Reports::default(), patience)?;
        return Ok(parsed(program, reports));
    }
    let (program, pending) = parse::parse(tokens, &mut reports, patience)?;
    // With a wrong tree, what concerns the whole of it would only be confusing.
    if !reports.failed() {
        check::check(&program, &pending, &mut reports, &mut patience.pace())?;
    }
    Ok(parsed(program, reports))
}
