//! Formulas with path quantifiers.

use super::parser::{self, Leaf};
use super::{Dialect, ParseError, Warning};
use crate::formula::Formula;
use crate::ltl::{BinaryOp, Ltl, UnaryOp};

/// How many operators and atoms there can be. Some operators have their operands twice.
const MAX_SIZE: usize = 1 << 20;

/// A formula of CTL* that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedBranching {
    /// The formula, over the texts of its atoms.
    pub formula: Formula<String>,
    /// Places that may mean something else than the writer thinks.
    pub warnings: Vec<Warning>,
}

/// Reads a formula in [`Dialect::Branching`].
///
/// ```
/// let parsed = logic::parse_branching("AG (x > 2 -> EF E[p U done])").unwrap();
/// let ctl = parsed.formula.branching().expect("each operator has a quantifier");
/// assert_eq!(ctl.to_string(), "AG (!x > 2 | EF E(p U done))");
/// ```
///
/// # Errors
/// The first thing that is wrong with the text.
pub fn parse_branching(text: &str) -> Result<ParsedBranching, ParseError> {
    let (parsed, warnings) = parser::parse(text, Dialect::Branching)?;
    let mut rest = MAX_SIZE;
    match formula(&parsed, &mut rest) {
        Some(formula) => Ok(ParsedBranching { formula, warnings }),
        None => {
            let message = format!("more than {MAX_SIZE} operators, once `<->` and `xor` are written out");
            Err(ParseError { message, span: 0..text.len(), help: None })
        }
    }
}

/// The formula without the operators that others express. None if that is too much.
fn formula(parsed: &Ltl<Leaf>, rest: &mut usize) -> Option<Formula<String>> {
    *rest = rest.checked_sub(1)?;
    Some(match parsed {
        Ltl::Constant(value) => Formula::Constant(*value),
        Ltl::Atom(Leaf::Atom(text)) => Formula::Atom(text.clone()),
        Ltl::Atom(Leaf::Path(quantifier, path)) => quantifier.over(formula(path, rest)?),
        Ltl::Unary(op, operand) => {
            let operand = formula(operand, rest)?;
            match op {
                UnaryOp::Not => operand.negated(),
                UnaryOp::Next => Formula::Next(Box::new(operand)),
                UnaryOp::Always => Formula::Always(Box::new(operand)),
                UnaryOp::Eventually => Formula::Eventually(Box::new(operand)),
            }
        }
        Ltl::Binary(op, left, right) => {
            let mut left = || formula(left, rest);
            let a = left()?;
            let twice = match op {
                BinaryOp::Equivalent | BinaryOp::Xor => Some(left()?),
                _ => None,
            };
            let mut right = || formula(right, rest);
            let b = right()?;
            let both = |a, b| Formula::And(vec![a, b]);
            let either = |a, b| Formula::Or(vec![a, b]);
            match op {
                BinaryOp::And => both(a, b),
                BinaryOp::Or => either(a, b),
                BinaryOp::Implies => either(a.negated(), b),
                BinaryOp::Equivalent => either(both(a, b), both(twice?.negated(), right()?.negated())),
                BinaryOp::Xor => either(both(a, b.negated()), both(twice?.negated(), right()?)),
                BinaryOp::Until => Formula::Until(Box::new(a), Box::new(b)),
                BinaryOp::Release => Formula::Release(Box::new(a), Box::new(b)),
                BinaryOp::WeakUntil => Formula::Release(Box::new(right()?), Box::new(either(a, b))),
                BinaryOp::StrongRelease => Formula::Until(Box::new(right()?), Box::new(both(a, b))),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ctl(text: &str) -> String {
        let parsed = parse_branching(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        parsed.formula.branching().map_or_else(|| "no CTL".to_string(), |ctl| ctl.to_string())
    }

    #[test]
    fn quantifiers_may_touch_what_follows() {
        for text in
            ["AG EF x == 1", "AGEF (x == 1)", "A G E F (x == 1)", "A [] E <> (x == 1)", "A[]E<>(x==1)"]
        {
            assert_eq!(ctl(text).replace(' ', ""), "AGEFx==1", "{text}");
        }
        assert_eq!(ctl("ALLPATH ALWAYS EXPATH EVENTUALLY (p AND NOT q)"), "AG EF (p & !q)");
        assert_eq!(ctl("EX p | AX AF q"), "(EX p | AX AF q)");
    }

    #[test]
    fn untils_stand_in_brackets() {
        for text in ["E[p U q]", "E (p U q)", "EXPATH (p UNTIL q)", "E [ p U q ]"] {
            assert_eq!(ctl(text), "E(p U q)", "{text}");
        }
        assert_eq!(ctl("A[p W q]"), ctl("A(q R (p | q))"));
        assert_eq!(ctl("E(p M q)"), ctl("E(q U (p & q))"));
        assert_eq!(ctl("E p U q"), "no CTL");
        assert_eq!(ctl("A (G F p)"), "no CTL");
    }

    #[test]
    fn atoms_are_expressions_of_the_model() {
        assert_eq!(ctl("AG a[i + 1] != P[2]:x"), "AG a[i + 1] != P[2]:x");
        assert_eq!(ctl("EF P@done"), "EF P@done");
        assert_eq!(ctl("EF \"A\""), "EF A");
        assert_eq!(ctl("EF (AGED > 3)"), "EF AGED > 3");
        let error = parse_branching("EF (AGE > 3)").unwrap_err();
        assert_eq!(error.message, "expected an operand, found `>`");
    }

    #[test]
    fn equivalence_is_written_out() {
        assert_eq!(ctl("EF p <-> q"), ctl("(EF p & q) | (!EF p & !q)"));
        assert_eq!(ctl("p xor EX q"), ctl("(p & !EX q) | (!p & EX q)"));
        let error = parse_branching(&vec!["p"; 40].join(" <-> ")).unwrap_err();
        assert!(error.message.contains("written out"), "{error}");
    }

    #[test]
    fn brackets_must_fit() {
        for (text, message) in [
            ("E[p U q)", "expected an operator or `]`, found `)`"),
            ("E[p U q", "this `[` is not closed"),
            ("E(p U q]", "expected an operator or `)`, found `]`"),
            ("[p]", "expected an operand, found `[`"),
            ("AG", "the formula ends where an operand is expected"),
        ] {
            assert_eq!(parse_branching(text).unwrap_err().message, message, "{text}");
        }
    }
}
