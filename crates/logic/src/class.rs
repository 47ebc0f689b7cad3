//! What kind of question a formula asks: the narrower the kind, the better the methods for it.

use crate::ctl::{Ctl, Quantifier};
use crate::formula::Formula;
use crate::ltl::Ltl;

/// A kind of question, with what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class<A> {
    /// About the initial state alone.
    Initial(Formula<A>),
    /// Whether a state of a kind can be reached. The formula holds if the answer is `wanted`.
    Reachable {
        /// What the state is like.
        goal: Formula<A>,
        /// The answer for which the formula holds.
        wanted: bool,
    },
    /// About the tree of all runs.
    Branching(Ctl<A>),
    /// About every run, or, if the formula holds where the answer is no, about some run.
    Linear {
        /// What every run satisfies. The atoms are predicates.
        formula: Ltl<Formula<A>>,
        /// The answer for which the formula holds.
        wanted: bool,
    },
    /// Neither one nor the other.
    Mixed,
}

impl<A: Clone> Formula<A> {
    /// What kind of question it asks. A formula of linear time is asked of every run.
    pub fn classify(&self) -> Class<A> {
        if self.is_predicate() {
            return Class::Initial(self.clone());
        }
        let linear = || self.linear_class().unwrap_or(Class::Mixed);
        self.reachable().unwrap_or_else(|| self.branching().map_or_else(linear, Class::Branching))
    }

    /// The formula as a question about every run or some run, if it is one.
    pub fn linear_class(&self) -> Option<Class<A>> {
        Some(match self {
            Formula::Not(operand) => match operand.linear_class()? {
                Class::Linear { formula, wanted } if has_quantifier(operand) => {
                    Class::Linear { formula, wanted: !wanted }
                }
                // Without a quantifier, negation is inside the one that is not written.
                _ => Class::Linear { formula: self.linear()?, wanted: true },
            },
            Formula::All(path) => Class::Linear { formula: path.linear()?, wanted: true },
            Formula::Exists(path) => Class::Linear { formula: path.linear()?.negated(), wanted: false },
            path => Class::Linear { formula: path.linear()?, wanted: true },
        })
    }

    fn reachable(&self) -> Option<Class<A>> {
        let (goal, wanted) = match self {
            Formula::Not(operand) => match operand.reachable()? {
                Class::Reachable { goal, wanted } => (goal, !wanted),
                _ => return None,
            },
            Formula::Exists(path) => match &**path {
                Formula::Eventually(goal) if goal.is_predicate() => ((**goal).clone(), true),
                _ => return None,
            },
            Formula::All(path) => match &**path {
                Formula::Always(invariant) if invariant.is_predicate() => {
                    ((**invariant).clone().negated(), false)
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(Class::Reachable { goal, wanted })
    }

    /// The same question about numbered predicates: each that it asks about, as large as it is, becomes one atom. What
    /// asks whether a state can be reached does so in the form `EF p` or `NOT EF p`, so the goal has a number, too.
    pub fn over_predicates<B>(&self, number: &mut impl FnMut(&Formula<A>) -> B) -> Formula<B> {
        match self.classify() {
            Class::Reachable { goal, wanted } => {
                let goal = Formula::Atom(number(&goal));
                let reachable = Formula::Exists(Box::new(Formula::Eventually(Box::new(goal))));
                if wanted { reachable } else { reachable.negated() }
            }
            _ => self.map_predicates(number),
        }
    }
}

fn has_quantifier<A>(formula: &Formula<A>) -> bool {
    match formula {
        Formula::Not(operand) => has_quantifier(operand),
        Formula::All(_) | Formula::Exists(_) => true,
        _ => false,
    }
}

impl<A> Formula<A> {
    /// Whether a formula of branching time may mean something else if only fair runs count. Every finite run is the
    /// beginning of a fair one: so it makes no difference to what such a run shows.
    pub fn depends_on_fairness(&self) -> bool {
        let is_infinite = match self {
            Formula::All(path) => matches!(**path, Formula::Eventually(_) | Formula::Until(..)),
            Formula::Exists(path) => matches!(**path, Formula::Always(_) | Formula::Release(..)),
            _ => false,
        };
        is_infinite || self.operands().any(Formula::depends_on_fairness)
    }
}

/// A home property: what is said about an atom φ, of which the terminal components alone decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HomeForm {
    /// AG EF φ: from everywhere a φ-state can be reached.
    AgEf,
    /// EF AG φ: there is a state from which on all are φ-states.
    EfAg,
    /// AG EF AG φ: from everywhere such a state can be reached.
    AgEfAg,
    /// EF AG EF φ: there is a state from which on a φ-state can always be reached.
    EfAgEf,
}

impl<A> Ctl<A> {
    /// The home property that it is, with its atom, or the opposite of which it is: then it comes with `false`.
    pub fn home(&self) -> Option<(HomeForm, &A, bool)> {
        use Quantifier::{All, Exists};
        if let Ctl::Not(operand) = self {
            let (home, atom, wanted) = operand.home()?;
            return Some((home, atom, !wanted));
        }
        let (mut rest, mut outer) = (self, Vec::new());
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
                Ctl::Atom(atom) => {
                    let home = match outer[..] {
                        [All, Exists] => HomeForm::AgEf,
                        [Exists, All] => HomeForm::EfAg,
                        [All, Exists, All] => HomeForm::AgEfAg,
                        [Exists, All, Exists] => HomeForm::EfAgEf,
                        _ => return None,
                    };
                    return Some((home, atom, true));
                }
                _ => return None,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl::UnaryOp;

    type Text = Formula<&'static str>;

    /// Operators, the outermost first, before a formula.
    fn with(operators: &str, formula: Text) -> Text {
        operators.chars().rev().fold(formula, |formula, operator| {
            let formula = Box::new(formula);
            match operator {
                '!' => Formula::Not(formula),
                'A' => Formula::All(formula),
                'E' => Formula::Exists(formula),
                'F' => Formula::Eventually(formula),
                'G' => Formula::Always(formula),
                _ => Formula::Next(formula),
            }
        })
    }

    fn of_p(operators: &str) -> Text {
        with(operators, Formula::Atom("p"))
    }

    #[test]
    fn the_narrowest_kind_is_found() {
        let p = || of_p("");
        let reachable = |wanted| Class::Reachable { goal: p(), wanted };
        assert_eq!(p().classify(), Class::Initial(p()));
        assert_eq!(of_p("EF").classify(), reachable(true));
        assert_eq!(of_p("!EF").classify(), reachable(false));
        assert_eq!(of_p("AG!").classify(), reachable(false));
        assert_eq!(of_p("!AG!").classify(), reachable(true));
        assert!(matches!(of_p("AGEF").classify(), Class::Branching(_)));
        assert!(matches!(Formula::And(vec![of_p("EF"), of_p("AG")]).classify(), Class::Branching(_)));
        let goes_on = Ltl::unary(UnaryOp::Always, Ltl::unary(UnaryOp::Eventually, Ltl::Atom(p())));
        let linear = |formula: &Ltl<Text>, wanted| Class::Linear { formula: formula.clone(), wanted };
        assert_eq!(of_p("GF").classify(), linear(&goes_on, true));
        assert_eq!(of_p("AGF").classify(), linear(&goes_on, true));
        assert_eq!(of_p("!AGF").classify(), linear(&goes_on, false));
        assert_eq!(of_p("EGF").classify(), linear(&goes_on.negated(), false));
        assert_eq!(of_p("AGFEF").classify(), Class::Mixed);
    }

    #[test]
    fn goals_are_numbered_as_they_are_looked_for() {
        let mut seen = Vec::new();
        let mut number = |predicate: &Text| {
            seen.push(predicate.clone());
            seen.len()
        };
        let never_one = Formula::Exists(Box::new(Formula::Eventually(Box::new(Formula::Atom(1))))).negated();
        assert_eq!(of_p("AG").over_predicates(&mut number), never_one);
        assert!(matches!(of_p("AGEF!").over_predicates(&mut number), Formula::All(_)));
        assert_eq!(seen, [of_p("!"), of_p("!")]);
    }

    #[test]
    fn fairness_matters_to_what_goes_on_for_ever() {
        for operators in ["AF", "EG", "AGAF", "EF!EG", "AXAF"] {
            assert!(of_p(operators).depends_on_fairness(), "{operators}");
        }
        for operators in ["EF", "AG", "AGEF", "EX", "!AX"] {
            assert!(!of_p(operators).depends_on_fairness(), "{operators}");
        }
        let [p, q] = ["p", "q"].map(|name| Box::new(Formula::Atom(name)));
        let until = Formula::Until(p.clone(), q.clone());
        let release = Formula::Release(p, q);
        assert!(with("A", until.clone()).depends_on_fairness());
        assert!(!with("E", until).depends_on_fairness());
        assert!(with("E", release.clone()).depends_on_fairness());
        assert!(!with("A", release).depends_on_fairness());
    }

    #[test]
    fn home_properties_are_known_as_such() {
        let home = |operators: &str| {
            let formula = of_p(operators).branching().expect("it is of branching time");
            formula.home().map(|(home, _, wanted)| (home, wanted))
        };
        assert_eq!(home("AGEF"), Some((HomeForm::AgEf, true)));
        assert_eq!(home("EFAG"), Some((HomeForm::EfAg, true)));
        assert_eq!(home("AGEFAG"), Some((HomeForm::AgEfAg, true)));
        assert_eq!(home("!EFAGEF"), Some((HomeForm::EfAgEf, false)));
        for other in ["EFAGAF", "AGAGEF", "AGEFEX", "AFEG", "AGEF!"] {
            assert_eq!(home(other), None, "{other}");
        }
    }
}
