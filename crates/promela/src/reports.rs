//! What is found in a model, collected.

use source::{Diagnostic, Severity, Span};

/// After this many errors, reading stops.
pub const MAX_ERRORS: usize = 50;

/// Not more than this many warnings are kept.
pub const MAX_WARNINGS: usize = 200;

/// A claim or a formula of a model that has errors. The rest of the model has nothing to do with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// Its name.
    pub name: String,
    /// Whether it is a formula, not a never claim.
    pub is_formula: bool,
    /// Where it is declared.
    pub span: Span,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// The diagnostics of a run.
#[derive(Default)]
pub(crate) struct Reports {
    list: Vec<Diagnostic>,
    errors: usize,
    /// The claims and formulas with errors, with the places of these in the list.
    refused: Vec<(Refused, Vec<usize>)>,
    /// Whether the last of them is being read.
    in_property: bool,
    /// Inline calls that are being expanded: their places are added to what is reported inside.
    pub(crate) calls: Vec<(Span, String)>,
}

impl Reports {
    pub(crate) fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let at = self.add(Severity::Error, code, span, message.into());
        match self.refused.last_mut().filter(|_| self.in_property) {
            Some((_, places)) => places.push(at),
            None => self.errors += 1,
        }
        &mut self.list[at]
    }

    /// What is wrong from now on is wrong with a claim or a formula alone.
    pub(crate) fn begin_property(&mut self, name: &str, is_formula: bool, span: Span) {
        let refused = Refused { name: name.to_string(), is_formula, span, diagnostics: Vec::new() };
        self.refused.push((refused, Vec::new()));
        self.in_property = true;
    }

    /// It has come to an end. Says whether anything is wrong with it.
    pub(crate) fn end_property(&mut self) -> bool {
        self.in_property = false;
        self.refused.pop_if(|(_, places)| places.is_empty()).is_none()
    }

    pub(crate) fn warn(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let at = self.add(Severity::Warning, code, span, message.into());
        &mut self.list[at]
    }

    fn add(&mut self, severity: Severity, code: &'static str, span: Span, message: String) -> usize {
        debug_assert!(CODES.iter().any(|&(known, _)| known == code), "{code} is not in the table");
        let related = self.calls.last().cloned();
        let new = Diagnostic { related, ..Diagnostic::new(severity, code, message).at(span) };
        // An inline that is called often says the same thing each time.
        let same = |old: &Diagnostic| old.code == code && old.span == new.span && old.message == new.message;
        match self.list.iter().position(same) {
            Some(at) => at,
            None => {
                // The last place is used again and again for what is too much.
                if self.list.len() == MAX_WARNINGS + MAX_ERRORS {
                    self.list.pop();
                }
                self.list.push(new);
                self.list.len() - 1
            }
        }
    }

    /// Whether something is wrong with the model, or with the property that is being read.
    pub(crate) fn failed(&self) -> bool {
        let of_property = self.refused.last().filter(|_| self.in_property);
        self.errors > 0 || of_property.is_some_and(|(_, places)| !places.is_empty())
    }

    /// Whether something is wrong with the model, not only with properties: so it is, too, if there are so many errors
    /// that it was not read to its end.
    pub(crate) fn is_model_wrong(&self) -> bool {
        self.errors > 0 || self.full()
    }

    /// Whether there are so many errors that it is not worth going on.
    pub(crate) fn full(&self) -> bool {
        self.errors + self.refused.iter().map(|(_, places)| places.len()).sum::<usize>() >= MAX_ERRORS
    }

    /// Everything, and which errors are those of claims and formulas.
    pub(crate) fn into_lists(self) -> (Vec<Diagnostic>, Vec<Refused>) {
        let Reports { list, refused, .. } = self;
        let told = |(refused, places): (Refused, Vec<usize>)| {
            let diagnostics = places.into_iter().filter_map(|at| list.get(at).cloned()).collect();
            Refused { diagnostics, ..refused }
        };
        let refused = refused.into_iter().map(told).collect();
        (list, refused)
    }
}

/// Every code with its meaning in a few words. `docs/errors.md` explains them.
pub const CODES: &[(&str, &str)] = &[
    ("E0101", "unknown character"),
    ("E0102", "string without end"),
    ("E0103", "malformed character constant"),
    ("E0104", "malformed number"),
    ("E0105", "comment without end"),
    ("E0106", "text is not UTF-8"),
    ("E0107", "source too large"),
    ("E0201", "unknown preprocessor directive"),
    ("E0202", "malformed preprocessor directive"),
    ("E0203", "file to include cannot be read"),
    ("E0204", "includes nested too deeply"),
    ("E0205", "#if without #endif"),
    ("E0206", "#else, #elif or #endif without #if"),
    ("E0207", "malformed condition of #if"),
    ("E0208", "#error"),
    ("E0209", "wrong use of a macro"),
    ("E0210", "macro expansion too large"),
    ("E0301", "syntax error"),
    ("E0302", "nesting too deep"),
    ("E0303", "empty sequence of statements"),
    ("E0304", "declaration must be global"),
    ("E0305", "label in front of a declaration"),
    ("E0401", "undeclared name"),
    ("E0402", "name declared twice"),
    ("E0403", "unknown process type"),
    ("E0404", "unknown label"),
    ("E0405", "label set twice"),
    ("E0406", "unknown field"),
    ("E0407", "unknown type"),
    ("E0408", "unknown variable of another process"),
    ("E0409", "inline that calls itself"),
    ("E0501", "index on something that is no array"),
    ("E0502", "array without index"),
    ("E0503", "field of something that is no structure"),
    ("E0504", "structure used as a value"),
    ("E0505", "bad array size"),
    ("E0506", "too many message fields"),
    ("E0507", "wrong number of arguments of run"),
    ("E0508", "wrong number of arguments of an inline"),
    ("E0509", "not a channel"),
    ("E0510", "wrong kind of initial value"),
    ("E0511", "wrong width of a variable"),
    ("E0512", "type not allowed in a message"),
    ("E0513", "calculating with a channel"),
    ("E0514", "symbolic constant of another set"),
    ("E0515", "not a constant"),
    ("E0516", "wrong variable of for or select"),
    ("E0517", "type not allowed for a parameter"),
    ("E0518", "constant out of range"),
    ("E0601", "break outside a loop"),
    ("E0602", "second else"),
    ("E0603", "jump into or out of d_step"),
    ("E0604", "run inside d_step"),
    ("E0605", "np_ outside a claim"),
    ("E0606", "assignment to a name that cannot be assigned"),
    ("E0607", "priorities together with rendezvous"),
    ("E0608", "select over an empty range"),
    ("E0609", "temporal operator inside a comparison"),
    ("E0610", "return outside an inline that is called for its value"),
    ("E0611", "run where it cannot be used"),
    ("E0612", "label in front of an escape"),
    ("E0613", "no event of a trace"),
    ("E0614", "unless inside d_step"),
    ("E0615", "no process to start with"),
    ("E0616", "reading _"),
    ("E0617", "variable received into twice"),
    ("E0618", "predefined name where there is no process"),
    ("E0619", "jumps that never reach a statement"),
    ("E0620", "never claim with an effect"),
    ("E0621", "never claim with a variable"),
    ("E0622", "d_step in a never claim"),
    ("E0623", "property too large"),
    ("E0624", "notrace that ends without an event"),
    ("E0690", "model too large for a state"),
    ("E0701", "embedded C code"),
    ("W0801", "hidden variable is kept in the state"),
    ("W0802", "printf arguments do not fit the format"),
    ("W0803", "declaration as a guard"),
    ("W0804", "else beside a rendezvous"),
    ("W0805", "channel declared in the middle"),
    ("W0806", "variable as an array bound"),
    ("W0807", "number does not fit"),
    ("W0808", "message does not fit the channel"),
    ("W0809", "negation of the left side only"),
    ("W0810", "local hides a global"),
    ("W0811", "macro defined differently before"),
    ("W0812", "#warning"),
    ("W0813", "else that is no option"),
    ("W0814", "empty range"),
    ("W0815", "more initial values than elements"),
    ("W0816", "initial value of a structure is ignored"),
    ("W0817", "receive into a predefined name"),
    ("W0818", "formula that needs brackets"),
    ("W0819", "label inside an atomic sequence"),
    ("W0820", "exclusive use of a channel that is not exclusive"),
];
