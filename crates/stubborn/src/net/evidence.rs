//! Traces of nets that are read back.

use logic::Class;
use model::{Fairness, Patience, Run};
use petri::{Formula, NetPlayer, Predicate, Predicates, Question, lola};
use replay::json::TraceFile;
use replay::{Evidence, Language};

use super::Net;
use crate::error::Error;
use crate::follow::{follow, misfit};

impl Net {
    /// Re-executes a trace; it must do what it says.
    ///
    /// # Errors
    /// If it does not.
    pub fn follow(&self, file: &TraceFile, patience: &Patience) -> Result<Run, Error> {
        let mut predicates = Predicates::default();
        let evidence = if file.failure.is_some() {
            Err("nothing fails in a net".to_string())
        } else {
            replay::json::evidence(file, &[], |reason| self.evidence(file, reason, &mut predicates, patience))
        };
        let evidence = evidence.map_err(|message| misfit("net", &message))?;
        follow("net", || NetPlayer::start(&self.net, predicates.list()), file, &evidence, patience)
    }

    /// What a trace shows that depends on the question: it follows from the formula, and from whether that is violated.
    fn evidence(
        &self,
        file: &TraceFile,
        reason: Option<&str>,
        predicates: &mut Predicates,
        patience: &Patience,
    ) -> Result<Evidence, String> {
        let Some(formula) = &file.formula else {
            return match reason {
                // That a transition can never fire again cannot be seen in a run.
                None | Some("formula") => Ok(Evidence::Run),
                Some(reason) => Err(format!("a trace with the reason `{reason}` must have a formula")),
            };
        };
        let misfit =
            || Err(format!("a trace with the reason `{}` does not show this", reason.unwrap_or("null")));
        let question = lola::read_formula(formula, &self.net, patience).map_err(|over| over.to_string())?;
        let question = question.map_err(|error| error.to_string())?;
        let formula = match (question, reason) {
            (Question::Bound(sum), Some("unbounded")) => {
                return Ok(Evidence::Grows(predicates.number(Predicate::Value(sum))));
            }
            (Question::Formula(formula), None | Some("formula" | "invariant")) => formula,
            _ => return misfit(),
        };
        // A run that is not finite may show the same of a formula of branching as of linear time.
        let class = match (formula.classify(), file.trace.loop_start) {
            (class @ Class::Branching(_), Some(_)) => formula.linear_class().unwrap_or(class),
            (class, _) => class,
        };
        let mut number = |formula: Formula| predicates.number(Predicate::Formula(formula));
        match class {
            Class::Reachable { goal, wanted } if wanted == reason.is_none() => {
                Ok(Evidence::Reaches(number(goal)))
            }
            Class::Linear { formula, wanted } if wanted == reason.is_some() => {
                let (formula, atoms) = formula.numbered();
                let (language, atoms) =
                    (Language::Violating(formula), atoms.into_iter().map(number).collect());
                Ok(Evidence::Infinite { language, atoms, stutters: true, fairness: Fairness::None })
            }
            Class::Branching(_) => Ok(Evidence::Run),
            _ => misfit(),
        }
    }
}
