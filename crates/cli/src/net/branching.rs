//! Questions about the graph of the markings.

use logic::{Ctl, Quantifier};
use model::PredicateId;
use petri::Formula;
use search::Form;

/// A question about the graph of the markings.
pub enum Branching {
    Formula(Ctl<PredicateId>),
    /// What the terminal components are like, or, if it holds where that is not so, are not like.
    Home {
        form: Form,
        predicate: PredicateId,
        wanted: bool,
    },
    Liveness,
    QuasiLiveness,
}

impl Branching {
    /// The narrowest question that a formula asks.
    pub fn of(formula: Ctl<PredicateId>) -> Branching {
        match home(&formula) {
            Some((form, predicate, wanted)) => Branching::Home { form, predicate, wanted },
            None => Branching::Formula(formula),
        }
    }

    /// Whether it asks for the next state.
    pub fn sees_steps(&self) -> bool {
        matches!(self, Branching::Formula(formula) if formula.has_next())
    }
}

/// The home property that a formula is, or the opposite of which it is: then it comes with `false`.
fn home(formula: &Ctl<PredicateId>) -> Option<(Form, PredicateId, bool)> {
    use Quantifier::{All, Exists};
    if let Ctl::Not(operand) = formula {
        let (form, predicate, wanted) = home(operand)?;
        return Some((form, predicate, !wanted));
    }
    let (mut rest, mut outer) = (formula, Vec::new());
    loop {
        rest = match rest {
            Ctl::Always(All, operand) => {
                outer.push(All);
                operand
            }
            Ctl::Eventually(Exists, operand) => {
                outer.push(Exists);
                operand
            }
            Ctl::Atom(predicate) => {
                let form = match outer[..] {
                    [All, Exists] => Form::AgEf,
                    [Exists, All] => Form::EfAg,
                    [All, Exists, All] => Form::AgEfAg,
                    [Exists, All, Exists] => Form::EfAgEf,
                    _ => return None,
                };
                return Some((form, *predicate, true));
            }
            _ => return None,
        };
    }
}

/// A formula of branching time over predicates, which are added to those that there are.
pub fn ctl(formula: &Formula, atoms: &mut Vec<Formula>) -> Ctl<PredicateId> {
    let list = |operands: &[Formula], atoms: &mut Vec<Formula>| {
        operands.iter().map(|operand| ctl(operand, atoms)).collect()
    };
    match formula {
        Formula::Constant(value) => Ctl::Constant(*value),
        predicate if predicate.is_predicate() => {
            let known = atoms.iter().position(|atom| atom == predicate);
            let number = known.unwrap_or_else(|| {
                atoms.push(predicate.clone());
                atoms.len() - 1
            });
            Ctl::Atom(PredicateId(number as u32))
        }
        Formula::Not(operand) => ctl(operand, atoms).negated(),
        Formula::And(operands) => Ctl::And(list(operands, atoms)),
        Formula::Or(operands) => Ctl::Or(list(operands, atoms)),
        Formula::All(path) => quantified(Quantifier::All, path, atoms),
        Formula::Exists(path) => quantified(Quantifier::Exists, path, atoms),
        _ => unreachable!("the formula is one of branching time"),
    }
}

pub fn quantified(quantifier: Quantifier, path: &Formula, atoms: &mut Vec<Formula>) -> Ctl<PredicateId> {
    let mut operand = |operand: &Formula| Box::new(ctl(operand, atoms));
    match path {
        Formula::Next(a) => Ctl::Next(quantifier, operand(a)),
        Formula::Eventually(a) => Ctl::Eventually(quantifier, operand(a)),
        Formula::Always(a) => Ctl::Always(quantifier, operand(a)),
        Formula::Until(a, b) => Ctl::Until(quantifier, operand(a), operand(b)),
        Formula::Release(a, b) => Ctl::Release(quantifier, operand(a), operand(b)),
        state => ctl(state, atoms),
    }
}

/// Whether a formula of branching time may mean something else if only fair runs count. Every finite run is the
/// beginning of a fair one: so it makes no difference to what such a run shows.
pub fn depends_on_fairness(formula: &Formula) -> bool {
    match formula {
        Formula::Constant(_) | Formula::Atom(_) => false,
        Formula::Not(a) | Formula::Next(a) | Formula::Eventually(a) | Formula::Always(a) => {
            depends_on_fairness(a)
        }
        Formula::And(operands) | Formula::Or(operands) => operands.iter().any(depends_on_fairness),
        Formula::Until(a, b) | Formula::Release(a, b) => depends_on_fairness(a) || depends_on_fairness(b),
        Formula::All(path) => {
            matches!(**path, Formula::Eventually(_) | Formula::Until(..)) || depends_on_fairness(path)
        }
        Formula::Exists(path) => {
            matches!(**path, Formula::Always(_) | Formula::Release(..)) || depends_on_fairness(path)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use petri::{NetBuilder, Question, lola};

    #[test]
    fn home_properties_are_known_as_such() {
        let mut net = NetBuilder::new("");
        net.place("p", 1);
        let net = net.finish();
        let form = |text: &str| {
            let Ok(Question::Formula(formula)) = lola::read_formula(text, &net) else { panic!("{text}") };
            match Branching::of(ctl(&formula, &mut Vec::new())) {
                Branching::Home { form, wanted, .. } => Some((form, wanted)),
                _ => None,
            }
        };
        assert_eq!(form("AG EF p = 1"), Some((Form::AgEf, true)));
        assert_eq!(form("EF AG (p = 1 OR p = 2)"), Some((Form::EfAg, true)));
        assert_eq!(form("AG EF AG NOT p = 1"), Some((Form::AgEfAg, true)));
        assert_eq!(form("NOT EF AG EF p = 1"), Some((Form::EfAgEf, false)));
        for other in [
            "EF AG AF p = 1",
            "AG AG EF p = 1",
            "AG EF p = 1 AND EF AG p = 1",
            "AG EF EX p = 1",
            "AF EG p = 1",
        ] {
            assert_eq!(form(other), None, "{other}");
        }
    }
}
