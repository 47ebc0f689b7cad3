//! Formulas as text, with all brackets.

use crate::automaton::{Cube, Guard};
use crate::ltl::{BinaryOp, Ltl, UnaryOp};
use crate::parse::{Dialect, is_plain_name};
use crate::text::quoted;

/// Which operators a formula is printed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Spin's, as in `ltl` blocks: `[] <> X U W V && ||`. Operators that Spin lacks are expressed by
    /// others.
    Spin,
    /// Letters, as Spot and many others read them: `G F X U W R M & |`. Atoms that are not plain
    /// names stand in double quotes.
    Spot,
}

/// Prints a formula with brackets around all operands that have operators themselves.
///
/// `atom` gives the text of an atom. The parser of the notation reads the same formula back, except
/// where an operator had to be expressed by others, and where the text of an atom is not one
/// expression.
pub fn print<A>(formula: &Ltl<A>, notation: Notation, atom: &impl Fn(&A) -> String) -> String {
    let mut printer = Printer { notation, atom, text: String::new() };
    printer.formula(formula);
    printer.text
}

struct Printer<'a, F> {
    notation: Notation,
    atom: &'a F,
    text: String,
}

impl<F> Printer<'_, F> {
    fn formula<A>(&mut self, formula: &Ltl<A>)
    where
        F: Fn(&A) -> String,
    {
        match (self.notation, formula) {
            (Notation::Spin, Ltl::Constant(value)) => self.text += if *value { "true" } else { "false" },
            (Notation::Spot, Ltl::Constant(value)) => self.text += if *value { "1" } else { "0" },
            (_, Ltl::Atom(atom)) => self.atom(&(self.atom)(atom)),
            (_, Ltl::Unary(op, operand)) => self.unary(*op, operand),
            (Notation::Spin, Ltl::Binary(BinaryOp::Xor, a, b)) => {
                self.text += "!(";
                self.binary(BinaryOp::Equivalent, a, b);
                self.text += ")";
            }
            // The dual operator, because the other ways need an operand twice.
            (Notation::Spin, Ltl::Binary(BinaryOp::StrongRelease, a, b)) => {
                self.text += "!((!";
                self.operand(a);
                self.text += ") W (!";
                self.operand(b);
                self.text += "))";
            }
            (_, Ltl::Binary(op, a, b)) => self.binary(*op, a, b),
        }
    }

    fn unary<A>(&mut self, op: UnaryOp, operand: &Ltl<A>)
    where
        F: Fn(&A) -> String,
    {
        self.text += match (self.notation, op) {
            (_, UnaryOp::Not) => "!",
            (_, UnaryOp::Next) => "X ",
            (Notation::Spin, UnaryOp::Always) => "[] ",
            (Notation::Spin, UnaryOp::Eventually) => "<> ",
            (Notation::Spot, UnaryOp::Always) => "G ",
            (Notation::Spot, UnaryOp::Eventually) => "F ",
        };
        self.operand(operand);
    }

    fn binary<A>(&mut self, op: BinaryOp, a: &Ltl<A>, b: &Ltl<A>)
    where
        F: Fn(&A) -> String,
    {
        self.operand(a);
        self.text += match (self.notation, op) {
            (Notation::Spin, BinaryOp::And) => " && ",
            (Notation::Spin, BinaryOp::Or) => " || ",
            (Notation::Spin, BinaryOp::Release) => " V ",
            (Notation::Spot, BinaryOp::And) => " & ",
            (Notation::Spot, BinaryOp::Or) => " | ",
            (Notation::Spot, BinaryOp::Release) => " R ",
            (_, BinaryOp::Implies) => " -> ",
            (_, BinaryOp::Equivalent) => " <-> ",
            (_, BinaryOp::Xor) => " xor ",
            (_, BinaryOp::Until) => " U ",
            (_, BinaryOp::WeakUntil) => " W ",
            (_, BinaryOp::StrongRelease) => " M ",
        };
        self.operand(b);
    }

    /// A formula with brackets around it, unless it is an atom or constant.
    fn operand<A>(&mut self, formula: &Ltl<A>)
    where
        F: Fn(&A) -> String,
    {
        match formula {
            Ltl::Constant(_) | Ltl::Atom(_) => self.formula(formula),
            Ltl::Unary(..) | Ltl::Binary(..) => {
                self.text += "(";
                self.formula(formula);
                self.text += ")";
            }
        }
    }

    fn atom(&mut self, text: &str) {
        let dialect = match self.notation {
            Notation::Spin => Dialect::Inline,
            Notation::Spot => Dialect::Spot,
        };
        if is_plain_name(text, dialect) {
            self.text += text;
        } else if self.notation == Notation::Spot || is_word(text) {
            self.text += &quoted(text);
        } else {
            self.text += &bracketed(text);
        }
    }
}

/// A guard in Spin's notation, over atoms with these texts.
pub(crate) fn guard_text(guard: &Guard, names: &[String]) -> String {
    match &guard.cubes[..] {
        [] => "false".to_owned(),
        [cube] => cube_text(*cube, names),
        cubes => {
            cubes.iter().map(|cube| bracketed(&cube_text(*cube, names))).collect::<Vec<_>>().join(" || ")
        }
    }
}

fn cube_text(cube: Cube, names: &[String]) -> String {
    let mut literals = Vec::new();
    for (atom, name) in names.iter().enumerate() {
        if cube.positive >> atom & 1 == 1 {
            literals.push(bracketed(name));
        }
        if cube.negative >> atom & 1 == 1 {
            literals.push(format!("!{}", bracketed(name)));
        }
    }
    if literals.is_empty() { "true".to_owned() } else { literals.join(" && ") }
}

/// The text in brackets, unless it is a name.
fn bracketed(text: &str) -> String {
    if is_word(text) { text.to_owned() } else { format!("({text})") }
}

/// Whether the text looks like a name. One that is not plain stands for an operator or a constant.
fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
