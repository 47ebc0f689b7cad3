//! Formulas become formulas over predicates.
//!
//! A property is data: a formula or an automaton over atoms, and for each atom the number of a predicate of the program.
//! `a && b` becomes two atoms, so that the translation into an automaton can simplify. A condition whose left side
//! protects its right side from a runtime error (`i < N && a[i] == 1`) stays one atom, because atoms are evaluated
//! independently of each other.

use ir::{BinaryOp, Expr, Predicate, UnaryOp};
use logic::{Ltl, MAX_ATOMS};
use model::{Location, Over, PredicateId};
use source::{Diagnostic, Span};

use super::Lowering;
use super::claim::NeverClaim;
use super::condition::Condition;
use crate::reports::Refused;
use crate::text;
use crate::tree::{self, ExprKind, Formula};

/// All properties together have fewer predicates: each new one is compared with the others.
const MAX_PREDICATES: usize = 4096;

/// Something that is claimed about a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What is claimed.
    pub kind: PropertyKind,
    /// The predicates that its atoms stand for; at most [`MAX_ATOMS`].
    pub atoms: Vec<PredicateId>,
    /// Where it is declared.
    pub source: Location,
}

/// The kinds of properties.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyKind {
    /// A formula that every run must satisfy.
    Ltl {
        /// The formula; its atoms are positions in [`Property::atoms`].
        formula: Ltl<u32>,
        /// The formula as Spin echoes it, fully bracketed.
        text: String,
    },
    /// Behaviour that no run may show.
    Never(NeverClaim),
}

/// The atoms of a property.
#[derive(Default)]
pub struct Atoms {
    pub list: Vec<PredicateId>,
}

impl Atoms {
    /// The number by which the property knows a predicate. Too many are noticed by
    /// [`Lowering::check_atoms`].
    pub fn number(&mut self, predicate: u32) -> u32 {
        let known = self.list.iter().position(|atom| atom.0 == predicate);
        let number = known.unwrap_or_else(|| {
            self.list.push(PredicateId(predicate));
            self.list.len() - 1
        });
        number as u32
    }
}

impl Lowering<'_, '_> {
    /// All properties: the claims, and formulas.
    pub fn properties(&mut self, formulas: &[tree::Ltl]) -> Result<Vec<Property>, Over> {
        let program = self.program;
        let mut properties = Vec::with_capacity(program.claims.len() + formulas.len());
        for claim in &program.claims {
            let before = self.errors.len();
            let property = self.claim(claim)?;
            properties.extend(self.unless_refused((&claim.name, false, claim.span), property, before));
        }
        for ltl in formulas {
            let before = self.errors.len();
            let property = self.ltl(ltl)?;
            properties.extend(self.unless_refused((&ltl.name, true, ltl.span), property, before));
        }
        Ok(properties)
    }

    /// The property, unless there are more errors than before it: then these are its own.
    fn unless_refused(
        &mut self,
        (name, is_formula, span): (&str, bool, Span),
        property: Property,
        before: usize,
    ) -> Option<Property> {
        let diagnostics = self.errors.split_off(before);
        if diagnostics.is_empty() {
            return Some(property);
        }
        self.refused.push(Refused { name: name.to_string(), is_formula, span, diagnostics });
        None
    }

    /// Complains if there are too many predicates in all.
    pub fn check_predicates(&mut self) {
        let claims = self.program.claims.iter().map(|claim| claim.span);
        let spans = claims.chain(self.program.ltl.iter().map(|ltl| ltl.span));
        if let (Some(span), true) = (spans.last(), self.predicates.len() >= MAX_PREDICATES) {
            let message = format!("the properties look at {MAX_PREDICATES} different conditions or more");
            self.errors.push(too_large(message, span, "leave some of the properties out"));
        }
    }

    fn ltl(&mut self, ltl: &tree::Ltl) -> Result<Property, Over> {
        let mut atoms = Atoms::default();
        let formula = self.formula(&ltl.formula)?.map(&mut |predicate| atoms.number(predicate));
        self.check_atoms(&atoms, ltl.span);
        Ok(Property {
            name: ltl.name.clone(),
            kind: PropertyKind::Ltl { formula, text: text::formula(self.program, &ltl.formula) },
            atoms: atoms.list,
            source: self.program.locate(ltl.span),
        })
    }

    /// A formula as one predicate, if it has no temporal operators; a single expression keeps its value.
    pub fn condition(&mut self, ltl: &tree::Ltl) -> Result<Option<PredicateId>, Over> {
        let expr = match &ltl.formula {
            Formula::Atom(atom) => self.expr(atom),
            formula => match self.boolean(formula)? {
                Some(expr) => expr,
                None => return Ok(None),
            },
        };
        let text = text::reading(self.program, &ltl.formula);
        let source = start(&ltl.formula).map(|span| self.program.locate(span)).unwrap_or_default();
        Ok(Some(PredicateId(self.predicate(Predicate { expr, text, source })?)))
    }

    /// A formula over the numbers of predicates.
    pub fn formula(&mut self, formula: &Formula) -> Result<Ltl<u32>, Over> {
        Ok(match formula {
            Formula::Constant(value) => Ltl::Constant(*value),
            Formula::Atom(atom) => self.literal(atom)?,
            Formula::Unary(op, operand) => Ltl::unary(*op, self.formula(operand)?),
            Formula::Binary(op, left, right) => {
                if let Some(whole) = self.guarded(formula, right)? {
                    let source = start(formula).map(|span| self.program.locate(span));
                    let text = text::reading(self.program, formula);
                    let source = source.unwrap_or_default();
                    return Ok(Ltl::Atom(self.predicate(Predicate { expr: whole, text, source })?));
                }
                Ltl::binary(*op, self.formula(left)?, self.formula(right)?)
            }
        })
    }

    /// The whole of a condition whose left side may save its right side from a failure, as in
    /// `i < N && a[i] == 1`: it is not taken apart.
    fn guarded(&mut self, whole: &Formula, right: &Formula) -> Result<Option<Expr>, Over> {
        match self.boolean(right)? {
            Some(right) if right.may_fail() => self.boolean(whole),
            _ => Ok(None),
        }
    }

    /// A formula without temporal operators, as an expression that is 0 or 1. It is not higher than the
    /// formula, whose height is limited.
    fn boolean(&mut self, formula: &Formula) -> Result<Option<Expr>, Over> {
        self.pace.step()?;
        Ok(Some(match formula {
            Formula::Constant(value) => Expr::Const(i32::from(*value)),
            Formula::Atom(atom) => truth(self.expr(atom)),
            Formula::Unary(logic::UnaryOp::Not, operand) => match self.boolean(operand)? {
                Some(operand) => not(operand),
                None => return Ok(None),
            },
            Formula::Unary(..) => return Ok(None),
            Formula::Binary(op, left, right) => {
                let Some(left) = self.boolean(left)? else { return Ok(None) };
                let Some(right) = self.boolean(right)? else { return Ok(None) };
                match op {
                    logic::BinaryOp::And => binary(BinaryOp::And, left, right),
                    logic::BinaryOp::Or => binary(BinaryOp::Or, left, right),
                    logic::BinaryOp::Implies => {
                        Expr::Cond(Box::new(left), Box::new(right), Box::new(Expr::Const(1)))
                    }
                    logic::BinaryOp::Equivalent => binary(BinaryOp::Eq, left, right),
                    _ => return Ok(None),
                }
            }
        }))
    }

    /// An atom, or the negation of the one that it is the opposite of.
    fn literal(&mut self, atom: &tree::Expr) -> Result<Ltl<u32>, Over> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        if let ExprKind::Binary(op @ (Ne | Le | Ge), left, right) = &atom.kind {
            let opposite = match op {
                Ne => Eq,
                Le => Gt,
                _ => Lt,
            };
            let kind = ExprKind::Binary(opposite, left.clone(), right.clone());
            return Ok(self.literal(&tree::Expr { kind, span: atom.span })?.negated());
        }
        let expr = self.expr(atom);
        let source = self.program.locate(atom.span);
        let text = text::expr(self.program, atom);
        Ok(Ltl::Atom(self.predicate(Predicate { expr, text, source })?))
    }

    /// The number of a predicate; one that is there already is used again.
    pub fn predicate(&mut self, predicate: Predicate) -> Result<u32, Over> {
        self.pace.steps(1 + self.predicates.len())?;
        let known = self.predicates.iter().position(|other| other.expr == predicate.expr);
        let number = known.unwrap_or_else(|| {
            // At the limit any number will do: it is an error, see [`Lowering::properties`].
            if self.predicates.len() < MAX_PREDICATES {
                self.predicates.push(predicate);
            }
            self.predicates.len() - 1
        });
        Ok(number as u32)
    }

    /// A condition over predicates as one predicate.
    pub fn merged(&mut self, condition: &Condition, span: Span) -> Result<u32, Over> {
        let part = |predicate: u32| &self.predicates[predicate as usize];
        let expr = condition.to_expr(&|predicate| part(predicate).expr.clone());
        let text = condition.to_text(&|predicate| part(predicate).text.clone());
        self.predicate(Predicate { expr, text, source: self.program.locate(span) })
    }

    pub fn check_atoms(&mut self, atoms: &Atoms, span: Span) {
        if atoms.list.len() > MAX_ATOMS {
            let message =
                format!("this property looks at {} conditions, more than {MAX_ATOMS}", atoms.list.len());
            self.errors.push(too_large(message, span, "combine some of them in a variable of the model"));
        }
    }
}

/// An error about a property.
pub fn too_large(message: String, span: Span, help: &str) -> Diagnostic {
    let mut error = Diagnostic::error("E0623", message).at(span);
    error.help(help);
    error
}

/// The place of the first atom of a formula.
fn start(formula: &Formula) -> Option<Span> {
    match formula {
        Formula::Constant(_) => None,
        Formula::Atom(atom) => Some(atom.span),
        Formula::Unary(_, operand) => start(operand),
        Formula::Binary(_, left, right) => start(left).or_else(|| start(right)),
    }
}

/// 1 for every value but 0.
fn truth(expr: Expr) -> Expr {
    use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    match &expr {
        Expr::Binary(Eq | Ne | Lt | Le | Gt | Ge | And | Or, ..) | Expr::Unary(UnaryOp::Not, _) => expr,
        _ => binary(Ne, expr, Expr::Const(0)),
    }
}

pub fn not(operand: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(operand))
}

pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}
