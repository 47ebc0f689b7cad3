//! Which properties are checked.

use promela::PropertyKind;

use crate::Outcome;
use crate::args::WhatArgs;
use crate::exit::Stop;
use crate::input::Input;
use crate::temporal::Temporal;

/// A property of a model.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name in results.
    pub name: String,
    /// What kind it is.
    pub kind: Kind,
    /// What it says about infinite runs, if that is what it is about.
    pub temporal: Option<Temporal>,
}

/// A kind of property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Safety,
    Deadlock,
    StateSpace,
    Never,
    Automaton,
    Ltl,
    Acceptance,
    NonProgress,
}

impl Kind {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Safety => "safety",
            Kind::Deadlock => "deadlock",
            Kind::StateSpace => "state-space",
            Kind::Never => "never",
            Kind::Automaton => "automaton",
            Kind::Ltl => "ltl",
            Kind::Acceptance => "acceptance",
            Kind::NonProgress => "non-progress",
        }
    }
}

fn property(kind: Kind, temporal: Option<Temporal>) -> Property {
    Property { name: kind.name().to_string(), kind, temporal }
}

/// The properties of a model.
pub struct Properties {
    /// Everything that the model declares.
    pub declared: Vec<Property>,
    /// What comes from the command line.
    pub given: Vec<Property>,
    /// What every model has.
    built_in: Vec<Property>,
}

/// All properties that can be checked.
pub fn all(input: &Input) -> Properties {
    let acceptance = property(Kind::Acceptance, Some(Temporal::acceptance(input.accept)));
    let progress = property(Kind::NonProgress, Some(Temporal::progress(input.non_progress)));
    let mut declared = vec![property(Kind::Safety, None)];
    let mut given = Vec::new();
    let is_claim = |property: &&promela::Property| matches!(property.kind, PropertyKind::Never(_));
    let (claims, formulas): (Vec<_>, Vec<_>) = input.properties.iter().partition(is_claim);
    let n_declared = [claims.len() - input.n_automata, formulas.len() - input.n_formulas];
    for (list, n_declared) in [claims, formulas].iter().zip(n_declared) {
        for (k, found) in list.iter().enumerate() {
            let property = temporal_property(found, k >= n_declared);
            if k < n_declared { declared.push(property) } else { given.push(property) }
        }
    }
    let processes = &input.interpreter.program().processes;
    if processes.iter().flat_map(|process| &process.locations).any(|location| location.accept) {
        declared.push(acceptance.clone());
    }
    let built_in = [Kind::Safety, Kind::Deadlock, Kind::StateSpace].map(|kind| property(kind, None));
    Properties { declared, given, built_in: built_in.into_iter().chain([acceptance, progress]).collect() }
}

fn temporal_property(found: &promela::Property, is_given: bool) -> Property {
    let atoms = found.atoms.clone();
    let (kind, temporal) = match &found.kind {
        PropertyKind::Never(claim) => {
            let kind = if is_given { Kind::Automaton } else { Kind::Never };
            (kind, Temporal::automaton(claim.automaton.clone(), atoms, claim.fails_at))
        }
        PropertyKind::Ltl { formula, text } => {
            (Kind::Ltl, Temporal::formula(formula.clone(), atoms, text.clone()))
        }
    };
    Property { name: found.name.clone(), kind, temporal: Some(temporal) }
}

/// The properties that are asked for.
pub fn select(what: &WhatArgs, input: &Input) -> Outcome<Vec<Property>> {
    refuse_unavailable(what)?;
    let properties = all(input);
    let flags = [
        (what.safety, Kind::Safety),
        (what.deadlock, Kind::Deadlock),
        (what.explore, Kind::StateSpace),
        (what.acceptance, Kind::Acceptance),
        (what.progress, Kind::NonProgress),
    ];
    let mut chosen = Vec::new();
    for name in &what.property {
        chosen.extend(properties.named(name)?);
    }
    let flagged = flags.iter().filter(|(wanted, _)| *wanted);
    chosen.extend(flagged.map(|(_, kind)| properties.built_in(*kind)));
    for name in what.ltl.iter().filter(|text| is_name(text)) {
        chosen.push(properties.find_formula(name)?);
    }
    chosen.extend(properties.given);
    if chosen.is_empty() {
        return Ok(properties.declared);
    }
    Ok(unique(chosen))
}

/// Every property once. A formula may have the name of something that every model has.
fn unique(list: Vec<Property>) -> Vec<Property> {
    let mut unique: Vec<Property> = Vec::new();
    for property in list {
        if !unique.iter().any(|other| other.kind == property.kind && other.name == property.name) {
            unique.push(property);
        }
    }
    unique
}

/// Whether the argument of `--ltl` names an `ltl` block. A formula that is a single name needs brackets.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

impl Properties {
    /// The properties with a name: more than one if a formula is called like something that every
    /// model has.
    pub fn named(&self, name: &str) -> Outcome<Vec<Property>> {
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
        Err(Stop::refuse("E0007", format!("there is no property `{name}`; there are {known}")))
    }

    /// What every model has.
    pub fn built_in(&self, kind: Kind) -> Property {
        let found = self.built_in.iter().find(|property| property.kind == kind);
        found.cloned().expect("every model has it")
    }

    /// The `ltl` block with a name.
    fn find_formula(&self, name: &str) -> Outcome<Property> {
        let formulas = || self.declared.iter().filter(|property| property.kind == Kind::Ltl);
        formulas().find(|property| property.name == name).cloned().ok_or_else(|| {
            let names: Vec<&str> = formulas().map(|property| property.name.as_str()).collect();
            let known = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            let message = format!(
                "`--ltl {name}`: there is no `ltl` block of that name (there are: {known}); \
                 write `({name})` for the formula that consists of it"
            );
            Stop::refuse("E0007", message)
        })
    }
}

fn refuse_unavailable(what: &WhatArgs) -> Outcome<()> {
    let wanted = [
        ("--ctl", !what.ctl.is_empty()),
        ("--reach", !what.reach.is_empty()),
        ("--invariant", !what.invariant.is_empty()),
        ("--formula", !what.formula.is_empty()),
        ("--home", !what.home.is_empty()),
        ("--live", !what.live.is_empty()),
        ("--bounded", !what.bounded.is_empty()),
    ];
    match wanted.into_iter().find(|(_, wanted)| *wanted) {
        Some((option, _)) => {
            let instead =
                "for programs there are --safety, --deadlock, --ltl, --acceptance, --progress and --explore";
            Err(Stop::unavailable(&format!("{option} for a program"), instead))
        }
        None => Ok(()),
    }
}
