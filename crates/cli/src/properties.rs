//! Which properties are checked.

use promela::tree::Program;

use crate::Outcome;
use crate::args::WhatArgs;
use crate::exit::Stop;
use crate::input::Input;

/// A property of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name in results.
    pub name: String,
    /// What kind it is.
    pub kind: Kind,
}

/// A kind of property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Safety,
    Deadlock,
    StateSpace,
    Never,
    Ltl,
    Acceptance,
    Trace,
}

impl Kind {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Safety => "safety",
            Kind::Deadlock => "deadlock",
            Kind::StateSpace => "state-space",
            Kind::Never => "never",
            Kind::Ltl => "ltl",
            Kind::Acceptance => "acceptance",
            Kind::Trace => "trace",
        }
    }
}

fn property(name: &str, kind: Kind) -> Property {
    Property { name: name.to_string(), kind }
}

/// Everything that a model declares.
fn declared(input: &Input) -> Vec<Property> {
    let tree = &input.tree;
    let mut list = vec![property("safety", Kind::Safety)];
    match tree.claims.as_slice() {
        [_] => list.push(property("never", Kind::Never)),
        several => list.extend(several.iter().map(|claim| property(&claim.name, Kind::Never))),
    }
    list.extend(tree.ltl.iter().map(|ltl| property(&ltl.name, Kind::Ltl)));
    if has_accept_labels(tree) {
        list.push(property("acceptance", Kind::Acceptance));
    }
    // An event trace that the program watches is part of its safety.
    if let Some(trace) = &tree.trace
        && input.interpreter.program().monitor.is_none()
    {
        list.push(property(if trace.forbidden { "notrace" } else { "trace" }, Kind::Trace));
    }
    list
}

fn has_accept_labels(tree: &Program) -> bool {
    let labels = tree.proctypes.iter().flat_map(|proctype| &proctype.body.labels);
    labels.into_iter().any(|label| label.name.starts_with("accept"))
}

/// The properties that are asked for.
pub fn select(what: &WhatArgs, input: &Input) -> Outcome<Vec<Property>> {
    refuse_unavailable(what)?;
    let declared = declared(input);
    let mut chosen = Vec::new();
    for name in &what.property {
        chosen.push(find(name, &declared)?);
    }
    let flags = [
        (what.safety, property("safety", Kind::Safety)),
        (what.deadlock, property("deadlock", Kind::Deadlock)),
        (what.explore, property("state-space", Kind::StateSpace)),
    ];
    chosen.extend(flags.into_iter().filter(|(wanted, _)| *wanted).map(|(_, property)| property));
    if chosen.is_empty() {
        return Ok(declared);
    }
    let mut unique: Vec<Property> = Vec::new();
    for property in chosen {
        if !unique.contains(&property) {
            unique.push(property);
        }
    }
    Ok(unique)
}

fn find(name: &str, declared: &[Property]) -> Outcome<Property> {
    let built_in =
        [Kind::Safety, Kind::Deadlock, Kind::StateSpace].into_iter().find(|kind| kind.name() == name);
    let known = declared.iter().find(|property| property.name == name).cloned();
    built_in.map(|kind| property(name, kind)).or(known).ok_or_else(|| {
        let mut names: Vec<&str> = vec!["safety", "deadlock", "state-space"];
        names.extend(declared.iter().map(|property| property.name.as_str()).filter(|name| *name != "safety"));
        Stop::refuse("E0007", format!("there is no property `{name}`; there are {}", names.join(", ")))
    })
}

fn refuse_unavailable(what: &WhatArgs) -> Outcome<()> {
    let to_come = &what.to_come;
    let wanted = [
        ("--ltl", !to_come.ltl.is_empty()),
        ("--ctl", !to_come.ctl.is_empty()),
        ("--reach", !to_come.reach.is_empty()),
        ("--invariant", !to_come.invariant.is_empty()),
        ("--formula", !to_come.formula.is_empty()),
        ("--home", !to_come.home.is_empty()),
        ("--live", !to_come.live.is_empty()),
        ("--bounded", !to_come.bounded.is_empty()),
        ("--progress", to_come.progress),
        ("--acceptance", to_come.acceptance),
        ("--ctl-deadlock", to_come.ctl_deadlock.is_some()),
    ];
    match wanted.into_iter().find(|(_, wanted)| *wanted) {
        Some((option, _)) => {
            let instead = "this version checks --safety, --deadlock and --explore";
            Err(Stop::unavailable(option, instead))
        }
        None => Ok(()),
    }
}
