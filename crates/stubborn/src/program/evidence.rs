//! Traces of programs that are read back.

use check::question::{Forbidden, Kind, Property, Question};
use ir::Player;
use logic::Class;
use model::{Fairness, Patience, Run};
use replay::json::TraceFile;
use replay::{Evidence, Language};

use super::Program;
use crate::error::Error;
use crate::follow::{follow, misfit};

impl Program {
    /// Re-executes a trace; it must do what it says.
    ///
    /// # Errors
    /// If it does not.
    pub fn follow(&self, file: &TraceFile, patience: &Patience) -> Result<Run, Error> {
        let files = &self.original.program().files;
        let evidence = replay::json::evidence(file, files, |reason| self.infinite(file, reason))
            .map_err(|message| misfit("model", &message))?;
        follow("model", || Player::start(&self.original), file, &evidence, patience)
    }

    /// What a trace of a property of infinite runs shows.
    fn infinite(&self, file: &TraceFile, reason: Option<&str>) -> Result<Evidence, String> {
        let name = file.property.as_deref().unwrap_or_default();
        if let (None | Some("formula" | "invariant"), Some(formula)) = (reason, &file.formula) {
            return self.leads_somewhere(formula, file, reason.is_none());
        }
        match reason {
            Some("local-deadlock") => return Ok(Evidence::Run),
            None => return Err("it has no reason why the property is violated".to_string()),
            Some("acceptance-cycle" | "non-progress-cycle" | "never-claim") => {}
            Some(reason) => return Err(format!("a trace with the reason `{reason}` cannot be checked")),
        }
        let forbidden = self.forbidden(name, file)?;
        let misfit =
            || Err(format!("the property `{name}` cannot be violated by a {}", reason.unwrap_or_default()));
        if reason == Some("never-claim") {
            return match (&forbidden.runs, forbidden.fails_at) {
                (Language::Accepted(automaton), Some(at)) => {
                    Ok(Evidence::Fails { automaton: automaton.clone(), atoms: forbidden.atoms.clone(), at })
                }
                _ => misfit(),
            };
        }
        if Some(forbidden.reason.to_string().as_str()) != reason {
            return misfit();
        }
        let fairness = match file.fairness.as_deref() {
            None | Some("none") => Fairness::None,
            Some("weak") => Fairness::Weak,
            Some("strong") => Fairness::Strong,
            Some(other) => return Err(format!("unknown fairness `{other}`")),
        };
        Ok(forbidden.evidence(fairness))
    }

    /// What a run shows of a formula about states that holds or does not. Of one of branching time it shows at most that it is
    /// possible.
    fn leads_somewhere(&self, text: &str, file: &TraceFile, holds: bool) -> Result<Evidence, String> {
        if !super::is_formula(text) {
            return Ok(Evidence::Run);
        }
        let is_meant = |property: &&Property| property.text.as_deref() == Some(text);
        let property = self.asked.iter().find(is_meant).ok_or("its formula was not read")?;
        let Question::Formula(formula, _) = &property.question else { return Ok(Evidence::Run) };
        let class = match (formula.classify(), file.trace.loop_start) {
            (class @ Class::Branching(_), Some(_)) => formula.linear_class().unwrap_or(class),
            (class, _) => class,
        };
        let misfit = "a run does not show that";
        match class {
            Class::Reachable { goal: logic::Formula::Atom(goal), wanted } if wanted == holds => {
                Ok(Evidence::Reaches(goal))
            }
            Class::Linear { formula, wanted } if wanted != holds => {
                let (formula, atoms) = formula.flattened().numbered();
                Ok(Forbidden::violating(formula, atoms).evidence(Fairness::None))
            }
            Class::Branching(_) => Ok(Evidence::Run),
            _ => Err(misfit.to_string()),
        }
    }

    /// The property that a trace is said to violate: the model's, or the formula in the trace.
    fn forbidden(&self, name: &str, file: &TraceFile) -> Result<Forbidden, String> {
        // A formula may have the name of something that every model has.
        let is_meant = |property: &&Property| (property.kind == Kind::Ltl) == file.formula.is_some();
        let named = self.properties.named(name).unwrap_or_default();
        let known = named.iter().find(is_meant).or(named.first());
        let given = || self.properties.given().iter().rfind(|property| property.kind == Kind::Ltl);
        let property = match (known, &file.formula) {
            (None, Some(_)) => given(),
            (known, _) => known,
        };
        let property = property.ok_or_else(|| {
            format!("the property `{name}` is not in the model; give it with --ltl or --automaton")
        })?;
        let Question::Forbidden(forbidden) = &property.question else {
            return Err(format!("`{name}` is not about infinite runs"));
        };
        if file.formula.is_some() && file.formula != property.text {
            let text = property.text.as_deref().unwrap_or_default();
            return Err(format!("the property `{name}` has another formula: {text}"));
        }
        Ok(forbidden.clone())
    }
}
