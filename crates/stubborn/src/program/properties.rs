//! Which properties a program has, and which are meant.

use check::Checks;
use check::question::{Forbidden, Kind, Property, Question};
use model::PredicateId;
use promela::PropertyKind;

use crate::error::Error;
use crate::what::{What, is_name};

/// The properties of a program.
#[derive(Clone, Debug)]
pub struct Properties {
    /// Everything that it declares.
    declared: Vec<Property>,
    /// What comes from elsewhere.
    given: Vec<Property>,
    /// What every program has.
    built_in: Vec<Property>,
}

/// Where the properties of a program come from.
pub(super) struct Found<'a> {
    /// The never claims, then the formulas; of each, those from elsewhere come last.
    pub temporal: &'a [promela::Property],
    /// How many of them are formulas from elsewhere.
    pub n_formulas: usize,
    /// How many of them are automata from elsewhere.
    pub n_automata: usize,
    /// The predicate that holds where no process is at a progress label.
    pub non_progress: PredicateId,
    /// The predicate that holds where some process is at an accept label, and whether there is such a label.
    pub accept: (PredicateId, bool),
    /// What safety means.
    pub checks: Checks,
    /// The claims and formulas that are not accepted. They have names, so that they can be asked for.
    pub refused: &'a [promela::Refused],
}

/// The kind of property that a claim or a formula is that is not accepted.
pub(super) fn kind_of(refused: &promela::Refused) -> Kind {
    if refused.is_formula { Kind::Ltl } else { Kind::Never }
}

impl Properties {
    pub(super) fn of(found: &Found<'_>) -> Properties {
        let forbidden = |kind, forbidden| Property::of_kind(kind, Question::Forbidden(forbidden));
        let (accept, has_accept) = found.accept;
        let acceptance = forbidden(Kind::Acceptance, Forbidden::acceptance(accept));
        let progress = forbidden(Kind::NonProgress, Forbidden::non_progress(found.non_progress));
        let safety = Property::of_kind(Kind::Safety, Question::Safety(found.checks));
        let deadlock = Property::of_kind(Kind::Deadlock, Question::Deadlock);
        let space = Property::of_kind(Kind::StateSpace, Question::StateSpace(Vec::new()));
        let mut declared = vec![safety.clone()];
        let mut given = Vec::new();
        let is_claim = |property: &&promela::Property| matches!(property.kind, PropertyKind::Never(_));
        let (claims, formulas): (Vec<_>, Vec<_>) = found.temporal.iter().partition(is_claim);
        let n_declared = [claims.len() - found.n_automata, formulas.len() - found.n_formulas];
        for (list, n_declared) in [claims, formulas].iter().zip(n_declared) {
            for (k, found) in list.iter().enumerate() {
                let property = temporal(found, k >= n_declared);
                if k < n_declared { declared.push(property) } else { given.push(property) }
            }
        }
        declared.extend(found.refused.iter().map(|one| Property {
            name: one.name.clone(),
            // Nobody is ever asked this.
            ..Property::of_kind(kind_of(one), Question::Deadlock)
        }));
        if has_accept {
            declared.push(acceptance.clone());
        }
        let local = Property::of_kind(Kind::LocalDeadlock, Question::LocalDeadlock);
        Properties { declared, given, built_in: vec![safety, deadlock, local, space, acceptance, progress] }
    }

    /// The properties that are asked for.
    pub(super) fn select(&self, what: &What, wishes: Vec<Property>) -> Result<Vec<Property>, Error> {
        let flags = [
            (what.safety, Kind::Safety),
            (what.deadlock, Kind::Deadlock),
            (what.local_deadlock, Kind::LocalDeadlock),
            (what.explore, Kind::StateSpace),
            (what.acceptance, Kind::Acceptance),
            (what.progress, Kind::NonProgress),
        ];
        let mut chosen = Vec::new();
        for name in &what.property {
            chosen.extend(self.named(name)?);
        }
        let flagged = flags.iter().filter(|(wanted, _)| *wanted);
        chosen.extend(flagged.map(|(_, kind)| self.built_in(*kind)));
        for name in what.ltl.iter().filter(|text| is_name(text)) {
            chosen.push(self.formula(name)?);
        }
        chosen.extend(self.given.iter().cloned());
        chosen.extend(wishes);
        Ok(if chosen.is_empty() { self.declared.clone() } else { unique(chosen) })
    }

    /// Everything that the program declares.
    pub fn declared(&self) -> &[Property] {
        &self.declared
    }

    /// What comes from elsewhere.
    pub fn given(&self) -> &[Property] {
        &self.given
    }

    /// The properties with a name: more than one if a formula is called like something that every program has.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(&self, name: &str) -> Result<Vec<Property>, Error> {
        let all = || self.declared.iter().chain(&self.given).chain(&self.built_in);
        let found: Vec<Property> = all().filter(|property| property.name == name).cloned().collect();
        if !found.is_empty() {
            return Ok(unique(found));
        }
        let mut names: Vec<&str> = Vec::new();
        for property in all() {
            if !names.contains(&property.name.as_str()) {
                names.push(&property.name);
            }
        }
        let known = names.join(", ");
        Err(Error::new("E0007", format!("there is no property `{name}`; there are {known}")))
    }

    /// What every program has.
    ///
    /// # Panics
    /// If it is of another kind.
    pub fn built_in(&self, kind: Kind) -> Property {
        let found = self.built_in.iter().find(|property| property.kind == kind);
        found.cloned().expect("every program has it")
    }

    /// The `ltl` block with a name.
    fn formula(&self, name: &str) -> Result<Property, Error> {
        let formulas = || self.declared.iter().filter(|property| property.kind == Kind::Ltl);
        formulas().find(|property| property.name == name).cloned().ok_or_else(|| {
            let names: Vec<&str> = formulas().map(|property| property.name.as_str()).collect();
            let known = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            let message = format!(
                "`--ltl {name}`: there is no `ltl` block of that name (there are: {known}); \
                 write `({name})` for the formula that consists of it"
            );
            Error::new("E0007", message)
        })
    }
}

fn temporal(found: &promela::Property, is_given: bool) -> Property {
    let atoms = found.atoms.clone();
    let (kind, forbidden, text) = match &found.kind {
        PropertyKind::Never(claim) => {
            let kind = if is_given { Kind::Automaton } else { Kind::Never };
            (kind, Forbidden::accepted(claim.automaton.clone(), atoms, claim.fails_at), None)
        }
        PropertyKind::Ltl { formula, text } => {
            (Kind::Ltl, Forbidden::violating(formula.clone(), atoms), Some(text.clone()))
        }
    };
    Property { name: found.name.clone(), kind, text, question: Question::Forbidden(forbidden) }
}

/// Every property once. A formula may have the name of something that every program has.
fn unique(list: Vec<Property>) -> Vec<Property> {
    let mut unique: Vec<Property> = Vec::new();
    for property in list {
        if !unique.iter().any(|other| other.kind == property.kind && other.name == property.name) {
            unique.push(property);
        }
    }
    unique
}
