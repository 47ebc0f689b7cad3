//! `stubborn show`

use crate::Outcome;
use crate::args::{Form, ShowArgs};
use crate::exit::{Exit, Stop};
use crate::input::{self, Ends, Extra};
use crate::{automata, net, output};

/// Shows a model.
pub fn run(args: &ShowArgs) -> Outcome<Exit> {
    let opened = input::open(&args.model)?;
    if opened.language.is_of_nets() {
        return net::show(opened, args.form);
    }
    let input = input::read_with(&args.model, opened, Ends::Usual, Extra::default())?;
    let text = match args.form {
        Form::Ir => ir::text::print(input.interpreter.program()),
        Form::Automata => automata::table(&input.interpreter),
        Form::Dot => automata::dot(&input.interpreter),
        Form::Json => report::json::pretty(&automata::json(&input.interpreter)),
        other @ (Form::Net | Form::Aut | Form::Pnml | Form::Lola | Form::Promela) => {
            let what = format!("`--as {}` of a program", format!("{other:?}").to_lowercase());
            return Err(Stop::unavailable(&what, "use ir, automata, dot or json"));
        }
    };
    output::print(&text)?;
    Ok(Exit::Fine)
}
