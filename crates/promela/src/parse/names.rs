//! Declaring and finding names.

use source::Span;

use super::Parser;
use super::scope::Symbol;
use crate::lex::Token;
use crate::names::NameId;
use crate::tree::{Init, Owner, Type, TypedefId, Var, VarId, Visibility};

/// Names with a meaning of their own.
const PREDEFINED: [&str; 6] = ["_", "_pid", "_last", "_nr_pr", "_priority", "_p"];

impl Parser<'_> {
    pub(super) fn is_predefined(&self, name: NameId) -> bool {
        PREDEFINED.contains(&self.name(name))
    }

    pub(super) fn symbol(&self, name: NameId) -> Option<&Symbol> {
        self.globals.symbols.get(&name).map(|(symbol, _)| symbol)
    }

    /// The typedef of that name.
    pub(super) fn find_typedef(&self, name: NameId) -> Option<TypedefId> {
        match self.symbol(name) {
            Some(Symbol::Typedef(id)) => Some(*id),
            _ => None,
        }
    }

    /// The variable a name stands for here.
    pub(super) fn find_var(&self, name: NameId) -> Option<VarId> {
        if let Some(var) = self.body.as_ref().and_then(|body| body.find(name)) {
            return Some(var);
        }
        match self.symbol(name) {
            Some(Symbol::Var(var)) => Some(*var),
            _ => None,
        }
    }

    /// Gives a global name its meaning.
    pub(super) fn declare_global(&mut self, name: NameId, span: Span, symbol: Symbol) {
        if self.is_predefined(name) {
            return self.report_predefined(name, span);
        }
        // Spin lets a symbolic constant take over the name of a variable.
        let takes_over =
            matches!(symbol, Symbol::Mtype(..)) && matches!(self.symbol(name), Some(Symbol::Var(_)));
        match self.globals.symbols.get(&name) {
            Some(&(_, first)) if !takes_over => self.report_twice(name, span, first),
            _ => drop(self.globals.symbols.insert(name, (symbol, span))),
        }
    }

    fn report_twice(&mut self, name: NameId, span: Span, first: Span) {
        let message = format!("`{}` is declared twice", self.name(name));
        self.error("E0402", span, message).label("declared again").related(first, "first declared here");
    }

    fn report_predefined(&mut self, name: NameId, span: Span) {
        let message = format!("`{}` is predefined and cannot be declared", self.name(name));
        self.error("E0402", span, message);
    }

    /// Adds a variable to the current block, or to the globals.
    pub(super) fn declare_var(&mut self, name: NameId, var: Var) -> VarId {
        let span = var.span;
        let id = VarId(self.program.vars.len() as u32);
        let is_field = matches!(var.owner, Owner::Field(_));
        self.program.vars.push(var);
        if is_field {
            return id;
        }
        if self.body.is_none() {
            self.declare_global(name, span, Symbol::Var(id));
            return id;
        }
        if self.is_predefined(name) {
            self.report_predefined(name, span);
            return id;
        }
        match self.globals.symbols.get(&name) {
            Some(&(Symbol::Var(_), first)) => {
                let message = format!("local variable `{}` hides a global one", self.name(name));
                self.warn("W0810", span, message).related(first, "the global variable");
            }
            Some(&(_, first)) => {
                self.report_twice(name, span, first);
                return id;
            }
            None => {}
        }
        let body = self.body.as_mut().expect("checked above");
        if let Some(first) = body.find(name) {
            let first = self.program.vars[first.0 as usize].span;
            self.report_twice(name, span, first);
        } else if let Some(block) = body.blocks.last_mut() {
            block.vars.insert(name, id);
        }
        id
    }

    /// A variable that no name stands for.
    pub(super) fn hidden_var(&mut self, name: &str, ty: Type, span: Span) -> VarId {
        let owner = self.body.as_ref().map_or(Owner::Global, |body| body.owner());
        let id = VarId(self.program.vars.len() as u32);
        self.program.vars.push(Var {
            name: name.to_owned(),
            ty,
            array: None,
            init: Init::None,
            visibility: Visibility::Plain,
            owner,
            span,
        });
        id
    }

    /// Reports a name that has no meaning here, and gives a variable to go on with.
    pub(super) fn undeclared(&mut self, token: Token) -> VarId {
        let name = self.name(token.text).to_owned();
        let what = match self.symbol(token.text) {
            Some(Symbol::Typedef(_)) => Some("a type"),
            Some(Symbol::Proctype) => Some("a process type"),
            Some(Symbol::Inline(_)) => Some("an inline"),
            Some(Symbol::Mtype(..)) => Some("a constant"),
            Some(Symbol::Var(_)) | None => None,
        };
        match what {
            Some(what) => {
                let message = format!("`{name}` is {what}, not a variable");
                self.error("E0401", token.span, message);
            }
            None => {
                let (similar, is_written) = (self.similar(&name), self.is_written(token));
                let report = self.error("E0401", token.span, format!("`{name}` is not declared"));
                report.label("not found");
                if let Some(similar) = similar {
                    report.help(format!("is `{similar}` meant?"));
                    if is_written {
                        report.replace(token.span, similar);
                    }
                }
            }
        }
        self.unknown_var()
    }

    /// The variable that stands for all that do not exist.
    pub(super) fn unknown_var(&mut self) -> VarId {
        if let Some(unknown) = self.unknown {
            return unknown;
        }
        let unknown = self.hidden_var("?", Type::Int, Span::default());
        self.unknown = Some(unknown);
        unknown
    }

    /// A declared name that differs in one place.
    fn similar(&self, name: &str) -> Option<String> {
        let locals = self.body.iter().flat_map(|body| &body.blocks).flat_map(|block| block.vars.keys());
        let mut near: Vec<&str> = locals
            .chain(self.globals.symbols.keys())
            .map(|&id| self.name(id))
            .filter(|other| name.len() > 2 && one_edit_apart(name.as_bytes(), other.as_bytes()))
            .collect();
        near.sort_unstable();
        near.first().map(|&other| other.to_owned())
    }
}

fn one_edit_apart(a: &[u8], b: &[u8]) -> bool {
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let front = a.iter().zip(b).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    let back =
        |a: &[u8], b: &[u8]| a.iter().rev().zip(b.iter().rev()).all(|(a, b)| a.eq_ignore_ascii_case(b));
    let (a, b) = (&a[front..], &b[front..]);
    match (a.len(), b.len()) {
        (0, _) | (_, 0) => true,
        (m, n) if m == n => back(&a[1..], &b[1..]),
        (m, n) if m > n => back(&a[1..], b),
        _ => back(a, &b[1..]),
    }
}
