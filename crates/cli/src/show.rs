//! `stubborn show`

use crate::Outcome;
use crate::args::{Form, ShowArgs};
use crate::exit::{Exit, Stop};
use crate::input::{self, Ends};
use crate::{automata, output};

/// Shows a model.
pub fn run(args: &ShowArgs) -> Outcome<Exit> {
    let input = input::read(&args.model, Ends::Usual)?;
    let text = match args.form {
        Form::Ir => ir::text::print(input.interpreter.program()),
        Form::Automata => automata::table(&input.interpreter),
        Form::Dot => automata::dot(&input.interpreter),
        Form::Json => report::json::pretty(&automata::json(&input.interpreter)),
        other @ (Form::Net | Form::Aut | Form::Pnml | Form::Lola | Form::Promela) => {
            let what = format!("`--as {}`", format!("{other:?}").to_lowercase());
            return Err(Stop::unavailable(&what, "use ir, automata, dot or json"));
        }
    };
    output::print(&text)?;
    Ok(Exit::Fine)
}
