//! Which questions are asked about a net.

use petri::{Formula, Net, Property, Question, contest, lola, xml};
use source::{Diagnostic, Span};

use crate::Outcome;
use crate::args::{CheckArgs, ModelArgs, WhatArgs};
use crate::exit::Stop;
use crate::{files, input};

/// A question with what the report says about it.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its name in results.
    pub name: String,
    /// What kind of property it is, in results.
    pub kind: &'static str,
    /// The formula, as text.
    pub text: Option<String>,
    /// What is asked.
    pub question: Question,
    /// Which logic the formula is of.
    pub logic: Logic,
    /// The answer of a question of yes and no for which the property holds.
    pub wanted: bool,
}

/// How a formula is to be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// As the narrowest kind of question that it can be.
    Any,
    /// As one of linear time: a run that ends repeats its last state.
    Linear,
    /// As one of branching time.
    Branching,
}

/// The questions that the options ask; deadlocks, if they ask none.
pub fn from_options(what: &WhatArgs, net: &Net) -> Outcome<Vec<Asked>> {
    let mut list = Vec::new();
    if what.deadlock || what.property.iter().any(|name| name == "deadlock") {
        list.push(deadlock());
    }
    if what.explore || what.property.iter().any(|name| name == "state-space") {
        list.push(asked("state-space", "state-space", Question::StateSpace));
    }
    for (k, text) in what.reach.iter().enumerate() {
        list.push(formula(
            format!("reach_{k}"),
            "reach",
            exists_finally(predicate(text, "--reach", net)?),
            net,
        ));
    }
    for (k, text) in what.invariant.iter().enumerate() {
        let always = Formula::Always(Box::new(predicate(text, "--invariant", net)?));
        list.push(formula(format!("invariant_{k}"), "invariant", Formula::All(Box::new(always)), net));
    }
    for (k, text) in what.ctl.iter().enumerate() {
        let found = temporal(text, "--ctl", net)?;
        if found.branching().is_none() {
            let message = format!("`--ctl {text}`: an operator without a path quantifier (A, E) of its own");
            return Err(Stop::refuse("E0011", message));
        }
        list.push(Asked { logic: Logic::Branching, ..formula(format!("ctl_{k}"), "ctl", found, net) });
    }
    for (k, text) in what.ltl.iter().enumerate() {
        let found = temporal(text, "--ltl", net)?;
        if found.linear_class().is_none() {
            let message = format!("`--ltl {text}`: a path quantifier (A, E) inside the formula; use --ctl");
            return Err(Stop::refuse("E0011", message));
        }
        list.push(Asked { logic: Logic::Linear, ..formula(format!("ltl_{k}"), "ltl", found, net) });
    }
    for (k, text) in what.home.iter().enumerate() {
        let reachable = exists_finally(predicate(text, "--home", net)?);
        let home = Formula::All(Box::new(Formula::Always(Box::new(reachable))));
        list.push(formula(format!("home_{k}"), "home", home, net));
    }
    for (k, name) in what.live.iter().enumerate() {
        list.push(live(k, name, net)?);
    }
    for (k, text) in what.bounded.iter().enumerate() {
        list.push(bound(k, text, net)?);
    }
    for path in &what.formula {
        list.extend(from_file(path, net)?);
    }
    select(what, list)
}

/// Those that are named, of a list that may hold more.
fn select(what: &WhatArgs, list: Vec<Asked>) -> Outcome<Vec<Asked>> {
    let is_known = |name: &&String| list.iter().any(|asked| asked.name == **name);
    if let Some(name) = what.property.iter().find(|name| !is_known(name)) {
        let mut names: Vec<&str> = list.iter().map(|asked| asked.name.as_str()).collect();
        names.extend(["deadlock", "state-space"]);
        let message = format!("there is no property `{name}`; there are {}", names.join(", "));
        return Err(Stop::refuse("E0007", message));
    }
    if list.is_empty() {
        return Ok(vec![deadlock()]);
    }
    if what.property.is_empty() {
        return Ok(list);
    }
    Ok(list.into_iter().filter(|asked| what.property.contains(&asked.name)).collect())
}

fn asked(name: &str, kind: &'static str, question: Question) -> Asked {
    Asked { name: name.to_string(), kind, text: None, question, logic: Logic::Any, wanted: true }
}

/// No marking can be reached in which nothing is enabled.
fn deadlock() -> Asked {
    Asked { wanted: false, ..asked("deadlock", "deadlock", Question::Deadlock) }
}

fn formula(name: String, kind: &'static str, formula: Formula, net: &Net) -> Asked {
    let text = Some(lola::write_formula(&formula, net).to_string());
    Asked { text, ..asked(&name, kind, Question::Formula(formula)) }
}

fn exists_finally(goal: Formula) -> Formula {
    Formula::Exists(Box::new(Formula::Eventually(Box::new(goal))))
}

fn predicate(text: &str, option: &str, net: &Net) -> Outcome<Formula> {
    lola::read_predicate(text, net).map_err(|error| input::refuse_text(option, text, *error))
}

fn temporal(text: &str, option: &str, net: &Net) -> Outcome<Formula> {
    match lola::read_formula(text, net).map_err(|error| input::refuse_text(option, text, *error))? {
        Question::Formula(formula) => Ok(formula),
        _ => Err(Stop::refuse("E0011", format!("`{option} {text}`: this is no formula"))),
    }
}

/// Whether one transition, or each, can always fire again, later.
fn live(k: usize, name: &str, net: &Net) -> Outcome<Asked> {
    if name == "all" {
        return Ok(asked(&format!("live_{k}"), "live", Question::Liveness));
    }
    let known = net.transition_ids().find(|id| net.transition(*id).name == name);
    let Some(transition) = known else {
        let message = format!("`--live {name}`: there is no such transition; write `all` for every one");
        return Err(Stop::refuse("E0355", message));
    };
    let fireable = Formula::Atom(petri::Atom::Fireable(vec![transition]));
    let always = Formula::All(Box::new(Formula::Always(Box::new(exists_finally(fireable)))));
    Ok(formula(format!("live_{k}"), "live", always, net))
}

/// The greatest value of a sum of tokens.
fn bound(k: usize, text: &str, net: &Net) -> Outcome<Asked> {
    const BEFORE: &str = "MAX(";
    let refuse = |error: Box<Diagnostic>| {
        let start = error.span.map_or(0, |span| (span.start as usize).saturating_sub(BEFORE.len()));
        input::refuse_text("--bounded", text, error.at(Span::at(start)))
    };
    match lola::read_formula(&format!("{BEFORE}{text})"), net).map_err(refuse)? {
        Question::Bound(sum) => {
            let text = Some(format!("MAX({})", lola::write_sum(&sum, net)));
            Ok(Asked { text, ..asked(&format!("bounded_{k}"), "bound", Question::Bound(sum)) })
        }
        _ => Err(Stop::refuse("E0011", format!("`--bounded {text}`: this is no sum of places"))),
    }
}

/// The questions of a file: of the contest if it is XML, otherwise of LoLA.
fn from_file(path: &std::path::Path, net: &Net) -> Outcome<Vec<Asked>> {
    let name = path.display().to_string();
    let bytes =
        std::fs::read(path).map_err(|error| Stop::refuse_file("E0002", &name, files::reason(&error)))?;
    let properties = if bytes.trim_ascii_start().starts_with(b"<") || bytes.starts_with(b"\xef\xbb\xbf<") {
        of_contest(&name, &bytes, net)?
    } else {
        let text = source::decode(&name, bytes)?;
        lola::read_formulas(&text, net).map_err(|error| input::refuse_text(&name, &text, *error))?
    };
    Ok(properties.into_iter().map(|property| of_property(property, Logic::Any, net)).collect())
}

/// The questions of a file of the contest.
pub fn of_contest(name: &str, bytes: &[u8], net: &Net) -> Outcome<Vec<Property>> {
    let text = xml::decode(name, bytes)?;
    contest::read_properties(&text, net).map_err(|error| input::refuse_text(name, &text, *error))
}

/// A question of a file.
pub fn of_property(property: Property, logic: Logic, net: &Net) -> Asked {
    let (kind, text) = match &property.question {
        Question::Formula(found) => ("formula", Some(lola::write_formula(found, net).to_string())),
        Question::Bound(sum) => ("bound", Some(format!("MAX({})", lola::write_sum(sum, net)))),
        Question::Deadlock => ("deadlock", None),
        Question::StateSpace => ("state-space", None),
        Question::Liveness => ("live", None),
        Question::OneSafe | Question::StableMarking | Question::QuasiLiveness => ("global", None),
    };
    Asked { text, logic, ..asked(&property.name, kind, property.question) }
}

/// Refuses what only programs have.
pub fn refuse_of_programs(args: &CheckArgs) -> Outcome<()> {
    let CheckArgs { model, what, how, .. } = args;
    let wanted = [
        ("--safety", what.safety),
        ("--acceptance", what.acceptance),
        ("--progress", what.progress),
        ("--automaton", !what.automaton.is_empty()),
        ("--strict-end", what.strict_end),
        ("--no-assertions", what.no_assertions),
        ("--no-end-states", what.no_end_states),
        ("--all-errors", what.all_errors),
    ];
    if let Some((option, _)) = wanted.into_iter().find(|(_, wanted)| *wanted) {
        let message = format!(
            "`{option}` is about programs, and this model is a net; there are --deadlock, --reach, --invariant, \
             --ctl, --ltl, --formula, --home, --live, --bounded and --explore"
        );
        return Err(Stop::refuse("E0001", message));
    }
    if how.fairness_copies.is_some() {
        return Err(of_programs("--fairness-copies"));
    }
    refuse_of_reading(model)
}

/// Refuses what changes how programs are read.
pub fn refuse_of_reading(model: &ModelArgs) -> Outcome<()> {
    let unused = [
        ("-D", !model.defines.is_empty()),
        ("-U", !model.undefines.is_empty()),
        ("-I", !model.include_dirs.is_empty()),
        ("--lose-messages", model.lose_messages),
        ("--reset-dead", model.reset_dead),
        ("--merge", model.merge),
    ];
    match unused.into_iter().find(|(_, wanted)| *wanted) {
        Some((option, _)) => Err(of_programs(option)),
        None => Ok(()),
    }
}

/// An option that means nothing for nets.
pub fn of_programs(option: &str) -> Stop {
    Stop::refuse("E0001", format!("`{option}` is for programs, and this model is a net; leave it out"))
}
