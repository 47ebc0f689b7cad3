//! Questions about a program that it does not declare: conditions and formulas of the user, in its own expressions.
//!
//! A condition is read behind the program, so it may use its macros, and becomes one predicate. A formula of branching
//! time is read here; its atoms are conditions.

use std::path::Path;

use check::question::{Kind, Property, Question, Time};
use logic::Formula;
use model::PredicateId;
use source::{Diagnostic, Span};

use super::add_predicate;
use super::live;
use crate::error::Error;
use crate::what::{What, formula_of};

/// What is said of a statement that can always be executed again.
pub(super) const EXECUTED: &str = "AG EF executed(";

/// A condition, or a number, as the user has written it.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// The option or the file that it comes from.
    pub origin: String,
    pub text: String,
    /// The number of lines before it there.
    pub line: usize,
}

/// What is asked, over the numbers of conditions.
#[derive(Clone, Debug)]
enum Asked {
    Formula(Formula<usize>, Time),
    Greatest(usize),
    Live(String),
}

/// A question with what a report says about it.
#[derive(Clone, Debug)]
struct Wish {
    name: String,
    kind: Kind,
    text: String,
    asked: Asked,
}

/// The questions of the user.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes {
    list: Vec<Wish>,
    pub conditions: Vec<Condition>,
    /// What in formulas may mean something else than the user thinks.
    pub warnings: Vec<String>,
    /// The number of lines before what is read now.
    line: usize,
}

impl Wishes {
    /// What is asked.
    ///
    /// # Errors
    /// If a formula cannot be read.
    pub fn of(what: &What) -> Result<Wishes, Error> {
        let mut wishes = Wishes::default();
        for (k, text) in what.reach.iter().enumerate() {
            let goal = wishes.condition("--reach", text);
            wishes.simple(k, Kind::Reach, text, exists_finally(goal));
        }
        for (k, text) in what.invariant.iter().enumerate() {
            let condition = wishes.condition("--invariant", text);
            wishes.simple(k, Kind::Invariant, text, for_all_always(condition));
        }
        for (k, text) in what.ctl.iter().enumerate() {
            let formula = wishes.formula("--ctl", text)?;
            if formula.branching().is_none() {
                let message =
                    format!("`--ctl {text}`: each temporal operator needs a path quantifier (A, E)");
                return Err(Error::new("E0011", message));
            }
            let asked = Asked::Formula(formula, Time::Branching);
            wishes.add(format!("ctl_{k}"), Kind::Ctl, text.clone(), asked);
        }
        for (k, text) in what.home.iter().enumerate() {
            let condition = wishes.condition("--home", text);
            let home = for_all_always(exists_finally(condition));
            wishes.simple(k, Kind::Home, text, home);
        }
        for (k, text) in what.live.iter().enumerate() {
            let shown = format!("{EXECUTED}{text})");
            wishes.add(format!("live_{k}"), Kind::Live, shown, Asked::Live(text.clone()));
        }
        for (k, text) in what.bounded.iter().enumerate() {
            wishes.greatest(format!("bounded_{k}"), "--bounded", text);
        }
        for path in &what.formula {
            wishes.file(path)?;
        }
        for (k, text) in what.given.iter().enumerate() {
            wishes.statement(format!("given_{k}"), "the formula of the trace", text)?;
        }
        Ok(wishes)
    }

    /// The formulas of a file, with `;` between them: of branching or of linear time, or `MAX(…)` for the greatest value
    /// of an expression.
    fn file(&mut self, path: &Path) -> Result<(), Error> {
        let origin = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| Error::unreadable(&origin, &error))?;
        if bytes.trim_ascii_start().starts_with(b"<") {
            return Err(Error::about(&origin, "E0011", "formulas in XML are about nets"));
        }
        let text = promela::decode(&origin, bytes)?;
        let mut n_formulas = 0;
        for part in statements(&text) {
            // Messages count lines from the beginning of the file.
            let before = part.as_ptr() as usize - text.as_ptr() as usize;
            self.line = text[..before].matches('\n').count();
            self.statement(format!("formula_{n_formulas}"), &origin, part)?;
            n_formulas += 1;
        }
        self.line = 0;
        if n_formulas == 0 {
            return Err(Error::about(&origin, "E0011", "there is no formula in this file"));
        }
        Ok(())
    }

    /// One of these formulas.
    fn statement(&mut self, name: String, origin: &str, text: &str) -> Result<(), Error> {
        let part = text.strip_prefix("FORMULA ").unwrap_or(text).trim();
        if let Some(expression) = part.strip_prefix("MAX(").and_then(|rest| rest.strip_suffix(')')) {
            self.greatest(name, origin, expression);
            return Ok(());
        }
        let words = [("REACHABLE ", "E F"), ("INVARIANT ", "A G"), ("IMPOSSIBLE ", "A G !")];
        let word =
            words.into_iter().find_map(|(word, operators)| Some((part.strip_prefix(word)?, operators)));
        let spelt = word.map(|(rest, operators)| format!("{operators} ({rest})"));
        let formula = self.formula(origin, spelt.as_deref().unwrap_or(part))?;
        self.add(name, Kind::Formula, part.to_string(), Asked::Formula(formula, Time::Any));
        Ok(())
    }

    fn formula(&mut self, origin: &str, text: &str) -> Result<Formula<usize>, Error> {
        let parsed = logic::parse_branching(text).map_err(|error| {
            let lines = "\n".repeat(self.line);
            let place = lines.len() + error.span.start..lines.len() + error.span.end;
            let mut diagnostic = Diagnostic::error("E0011", error.message).at(Span::from(place));
            diagnostic.help = error.help;
            Error::in_text(origin, &format!("{lines}{text}"), diagnostic)
        })?;
        let warned = parsed.warnings.into_iter().map(|warning| format!("{origin}: {}", warning.message));
        self.warnings.extend(warned);
        Ok(parsed.formula.map_atoms(&mut |atom| self.number(origin, atom)))
    }

    fn condition(&mut self, origin: &str, text: &str) -> Formula<usize> {
        Formula::Atom(self.number(origin, text))
    }

    /// The number of a condition.
    fn number(&mut self, origin: &str, text: &str) -> usize {
        let known = self.conditions.iter().position(|known| known.text == text && known.origin == origin);
        known.unwrap_or_else(|| {
            let (origin, text) = (origin.to_string(), text.to_string());
            self.conditions.push(Condition { origin, text, line: self.line });
            self.conditions.len() - 1
        })
    }

    fn greatest(&mut self, name: String, origin: &str, text: &str) {
        let asked = Asked::Greatest(self.number(origin, text));
        self.add(name, Kind::Bound, formula_of(Kind::Bound, text), asked);
    }

    fn simple(&mut self, k: usize, kind: Kind, condition: &str, formula: Formula<usize>) {
        let text = formula_of(kind, condition);
        self.add(format!("{}_{k}", kind.name()), kind, text, Asked::Formula(formula, Time::Any));
    }

    fn add(&mut self, name: String, kind: Kind, text: String, asked: Asked) {
        self.list.push(Wish { name, kind, text, asked });
    }

    /// The questions, now that each condition is a predicate of the program.
    ///
    /// # Errors
    /// If a statement is named that is not there.
    pub fn properties(
        self,
        predicates: &[PredicateId],
        program: &mut ir::Program,
    ) -> Result<Vec<Property>, Error> {
        let property = |Wish { name, kind, text, asked }: Wish| {
            let question = match asked {
                Asked::Formula(formula, time) => {
                    Question::Formula(numbered(&formula, predicates, program), time)
                }
                Asked::Greatest(number) => Question::Greatest(predicates[number]),
                Asked::Live(place) => Question::Live(live::wanted(&place, program)?),
            };
            Ok(Property { name, kind, text: Some(text), question })
        };
        self.list.into_iter().map(property).collect()
    }
}

/// The texts between semicolons that are not empty.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let parts = text.split(move |c: char| {
        quoted ^= c == '"';
        c == ';' && !quoted
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// The formula over predicates: each part without temporal operators is one of them, as large as it is.
fn numbered(
    formula: &Formula<usize>,
    predicates: &[PredicateId],
    program: &mut ir::Program,
) -> Formula<PredicateId> {
    formula.over_predicates(&mut |predicate| match predicate {
        Formula::Atom(number) => predicates[*number],
        joined => {
            let expr = expression(joined, predicates, program);
            add_predicate(program, expr, "")
        }
    })
}

/// What predicates say together.
fn expression(formula: &Formula<usize>, predicates: &[PredicateId], program: &ir::Program) -> ir::Expr {
    let part = |formula: &Formula<usize>| expression(formula, predicates, program);
    let join = |op, operands: &[Formula<usize>], neutral| {
        let joined = operands.iter().map(part);
        let both = |left, right| ir::Expr::Binary(op, Box::new(left), Box::new(right));
        joined.reduce(both).unwrap_or(ir::Expr::Const(neutral))
    };
    match formula {
        Formula::Constant(value) => ir::Expr::Const(i32::from(*value)),
        Formula::Atom(number) => program.predicates[predicates[*number].0 as usize].expr.clone(),
        Formula::Not(operand) => ir::Expr::Unary(ir::UnaryOp::Not, Box::new(part(operand))),
        Formula::And(operands) => join(ir::BinaryOp::And, operands, 1),
        Formula::Or(operands) => join(ir::BinaryOp::Or, operands, 0),
        _ => unreachable!("a predicate has no temporal operators"),
    }
}

fn exists_finally(goal: Formula<usize>) -> Formula<usize> {
    Formula::Exists(Box::new(Formula::Eventually(Box::new(goal))))
}

fn for_all_always(predicate: Formula<usize>) -> Formula<usize> {
    Formula::All(Box::new(Formula::Always(Box::new(predicate))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_of_a_file_are_apart() {
        let texts: Vec<&str> = statements("EF x;\n; AG \"a;b\" ;").collect();
        assert_eq!(texts, ["EF x", "AG \"a;b\""]);
    }
}
