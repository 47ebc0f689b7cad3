//! Traces of programs that are read back.

use check::question::{Forbidden, Kind, Property, Question};
use ir::Player;
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
        match reason {
            None => return Err("it does not say why the property is violated".to_string()),
            Some("acceptance-cycle" | "non-progress-cycle" | "never-claim") => {}
            Some(reason) => return Err(format!("a trace with the reason `{reason}` cannot be checked")),
        }
        let forbidden = self.forbidden(name, file)?;
        let misfit =
            || Err(format!("the property `{name}` cannot be violated by a {}", reason.unwrap_or_default()));
        if reason == Some("never-claim") {
            return match (&forbidden.runs, forbidden.fails_at) {
                (Language::Accepted(_), Some(_)) if file.trace.loop_start.is_some() => {
                    Err("a never claim that reaches its end has no loop".to_string())
                }
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
