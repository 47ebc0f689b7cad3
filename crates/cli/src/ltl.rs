//! `stubborn ltl`

use logic::{Automaton, Dialect, Goal, Ltl, Notation, Untranslated};
use model::Patience;

use crate::args::{AutomatonForm, LtlArgs};
use crate::exit::{Exit, Stop};
use crate::{Outcome, output};

use stubborn::{formula_warnings, parse_formula};

/// How the formula is called in messages.
const NAME: &str = "formula";

/// Translates a formula and prints the automaton.
pub fn run(args: &LtlArgs) -> Outcome<Exit> {
    let parsed = parse_formula(NAME, &args.formula, args.dialect.into())?;
    formula_warnings(NAME, &parsed).iter().for_each(|text| output::complain(&format!("warning: {text}\n")));
    let formula = if args.negate { parsed.formula.negated() } else { parsed.formula };
    let text = logic::print(&formula, Notation::Spot, &String::clone);
    if args.form == AutomatonForm::Formula {
        output::print(&format!("{text}\n"))?;
        return Ok(Exit::Fine);
    }
    let state_based = args.state_based || args.form == AutomatonForm::Never;
    let goal = if state_based { Goal::StateBased } else { Goal::Generalised };
    let (automaton, atoms) = translate(formula, goal, &Patience::default())?;
    output::print(&match args.form {
        AutomatonForm::Dot => logic::dot(&automaton, &atoms, &text),
        AutomatonForm::Never => never(&automaton, &atoms, &text)?,
        AutomatonForm::Hoa | AutomatonForm::Formula => logic::hoa::write(&automaton, &atoms, Some(&text)),
    })?;
    Ok(Exit::Fine)
}

/// The never claim of the runs that satisfy a formula, which is `name` in messages.
pub fn claim(name: &str, text: &str, dialect: Dialect, patience: &Patience) -> Outcome<String> {
    let parsed = parse_formula(name, text, dialect)?;
    formula_warnings(name, &parsed).iter().for_each(|text| output::complain(&format!("warning: {text}\n")));
    let (automaton, atoms) = translate(parsed.formula, Goal::StateBased, patience)?;
    never(&automaton, &atoms, text)
}

/// The automaton of a formula, and the texts of its atoms.
fn translate(formula: Ltl<String>, goal: Goal, patience: &Patience) -> Outcome<(Automaton, Vec<String>)> {
    let (formula, atoms) = formula.numbered();
    if atoms.len() > logic::MAX_ATOMS {
        let message = format!("{} different atoms, more than {}", atoms.len(), logic::MAX_ATOMS);
        return Err(Stop::refuse("E0010", message));
    }
    let automaton = logic::translate(&formula, goal, patience).map_err(|error| match error {
        Untranslated::TooLarge => Stop::refuse("E0010", error.to_string()),
        Untranslated::Over(over) => Stop::Over(over),
    })?;
    Ok((automaton, atoms))
}

fn never(automaton: &Automaton, atoms: &[String], comment: &str) -> Outcome<String> {
    logic::never(automaton, atoms, comment)
        .ok_or_else(|| Stop::Internal("an automaton is not state-based".to_string()))
}
