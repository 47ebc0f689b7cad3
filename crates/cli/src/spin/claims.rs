//! Claims and cycles: which of them `spin -run` checks.

use std::path::Path;

use ::check::question::{Kind, Property, Question};
use logic::Dialect;
use model::Patience;
use replay::Language;
use report::spin::{ClaimChoice, Cycles, NON_PROGRESS_CLAIM, claim_name};
use stubborn::{Extra, Program, reason};

use crate::exit::{Exit, Stop};
use crate::spin::options::{Options, Text};
use crate::{Outcome, ltl, output};

/// What is checked.
pub struct Selection {
    /// The properties, in the order in which they are checked.
    pub properties: Vec<Property>,
    /// The claim among them.
    pub claim: ClaimChoice,
    /// The cycles that are looked for.
    pub cycles: Cycles,
}

/// Prints the never claim of a formula.
pub fn translate(options: &Options) -> Outcome<Exit> {
    output::print(&formula_claim(options, &Patience::default())?.unwrap_or_default())?;
    Ok(Exit::Fine)
}

/// The never claim of the formula in the options.
fn formula_claim(options: &Options, patience: &Patience) -> Outcome<Option<String>> {
    let (name, text) = match &options.formula {
        None => return Ok(None),
        Some(Text::Given(text)) => ("-f", text.clone()),
        Some(Text::File(path)) => {
            let refuse = |error| Stop::refuse_file("E0011", path, reason(&error));
            (path.as_str(), std::fs::read_to_string(path).map_err(refuse)?)
        }
    };
    ltl::claim(name, text.trim(), Dialect::SpinF, patience).map(Some)
}

/// Claims that are not in the model.
pub fn extra(options: &Options, patience: &Patience) -> Outcome<Extra> {
    let named = options.pan.claim.as_ref().filter(|name| Path::new(name).is_file());
    let mut extra = Extra::default();
    for path in options.claim_file.iter().chain(named) {
        extra.automata.push(stubborn::read_automaton(Path::new(path), patience)?);
    }
    extra.automata.extend(formula_claim(options, patience)?.map(|claim| ("-f".to_string(), claim)));
    Ok(extra)
}

/// Shows the formulas of the model, with all brackets.
pub fn echo(program: &Program) -> Outcome<()> {
    for property in program.properties().declared() {
        if let Some(text) = &property.text {
            output::print(&format!("ltl {}: {text}\n", property.name))?;
        }
    }
    Ok(())
}

/// What there is to check.
pub fn select(options: &Options, program: &Program) -> Outcome<Selection> {
    let properties = program.properties();
    let claim = claim(options, program)?;
    let acceptance = properties.declared().iter().find(|property| property.kind == Kind::Acceptance);
    let cycles = cycles(options, claim.as_ref(), acceptance.is_some());
    warn(options, claim.as_ref(), cycles);
    let name = match &claim {
        Some(claim) if claim.kind == Kind::NonProgress => {
            ClaimChoice::Selected(NON_PROGRESS_CLAIM.to_string())
        }
        Some(claim) => ClaimChoice::Selected(claim_name(&claim.name).to_string()),
        None if properties.declared().iter().any(is_claim) => ClaimChoice::NotSelected,
        None => ClaimChoice::None,
    };
    let acceptance = acceptance.filter(|_| cycles == Cycles::Acceptance).cloned();
    let mut safety = properties.built_in(Kind::Safety);
    if let (Question::Safety(checks), true) = (&mut safety.question, claim.is_some()) {
        // Where a run ends is the claim's business.
        checks.stuck = None;
    }
    // The first gives the numbers: those of the product with the claim, if there is one.
    let properties = match claim {
        Some(claim) => [claim].into_iter().chain(acceptance).chain([safety]).collect(),
        None => [safety].into_iter().chain(acceptance).collect(),
    };
    Ok(Selection { properties, claim: name, cycles })
}

fn is_claim(property: &Property) -> bool {
    matches!(property.kind, Kind::Never | Kind::Automaton | Kind::Ltl)
}

/// The claim that takes part: the one asked for, or the first.
fn claim(options: &Options, program: &Program) -> Outcome<Option<Property>> {
    let (pan, properties) = (&options.pan, program.properties());
    if pan.progress {
        return Ok(Some(properties.built_in(Kind::NonProgress)));
    }
    if !pan.claims {
        return Ok(None);
    }
    let claims: Vec<&Property> = properties
        .given()
        .iter()
        .chain(properties.declared().iter().filter(|other| is_claim(other)))
        .collect();
    if claims.len() > 1 {
        show_choice(&claims, program.path())?;
    }
    let named = pan.claim.as_ref().filter(|_| properties.given().is_empty());
    let chosen = match named {
        Some(name) => {
            let claim = properties.named(name)?.into_iter().find(is_claim);
            Some(claim.ok_or_else(|| Stop::refuse("E0007", format!("`{name}` is no claim")))?)
        }
        None => claims.first().copied().cloned(),
    };
    if let (Some(chosen), true) = (&chosen, claims.len() > 1) {
        output::print(&format!("pan: ltl formula {}\n", claim_name(&chosen.name)))?;
    }
    Ok(chosen)
}

/// Says that one of several claims is chosen, as Spin does.
fn show_choice(claims: &[&Property], path: &str) -> Outcome<()> {
    let names: Vec<&str> = claims.iter().map(|claim| claim_name(&claim.name)).collect();
    let reversed: Vec<&str> = names.iter().rev().copied().collect();
    output::print(&format!(
        "  the model contains {} never claims: {}\n  only one claim is used in a verification run\n  \
         choose which one with ./pan -a -N name (defaults to -N {first})\n  \
         or use e.g.: spin -search -ltl {first} {path}\n",
        names.len(),
        reversed.join(", "),
        first = names[0],
    ))
}

fn cycles(options: &Options, claim: Option<&Property>, has_accept_labels: bool) -> Cycles {
    let pan = &options.pan;
    if pan.progress {
        Cycles::NonProgress
    } else if claim.is_some_and(can_accept) || has_accept_labels && (claim.is_some() || !pan.safety) {
        Cycles::Acceptance
    } else if pan.acceptance {
        Cycles::NotSelected
    } else {
        Cycles::Disabled
    }
}

/// Whether a claim forbids cycles, and not only to reach its end.
fn can_accept(claim: &Property) -> bool {
    let Question::Forbidden(forbidden) = &claim.question else { return false };
    let Language::Accepted(automaton) = &forbidden.runs else { return true };
    let places = automaton.states.iter().enumerate();
    let places = places.filter(|(number, _)| forbidden.fails_at != Some(*number as u32));
    places.flat_map(|(_, state)| &state.edges).any(|edge| edge.accepts != 0)
}

/// Says which options do nothing here, or something else than in Spin.
fn warn(options: &Options, claim: Option<&Property>, cycles: Cycles) {
    let pan = &options.pan;
    let no_cycles = matches!(cycles, Cycles::Disabled | Cycles::NotSelected);
    for (applies, text) in [
        (cycles == Cycles::NotSelected, "no accept labels are defined, so option -a has no effect (ignored)"),
        (pan.fairness && no_cycles, "there are no cycles to look for, so option -f has no effect (ignored)"),
        (
            pan.safety && claim.is_some(),
            "claims are checked in full: -safety and -bfs do not leave cycles out",
        ),
    ] {
        if applies {
            output::complain(&format!("warning: {text}\n"));
        }
    }
}
