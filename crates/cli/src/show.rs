//! `stubborn show`

use model::Patience;
use stubborn::{Program, What, expect_read_as_net, read_net};

use crate::Outcome;
use crate::args::{Form, ShowArgs};
use crate::exit::{Exit, Stop};
use crate::{automata, output, session, show_net};

/// Shows a model.
pub fn run(args: &ShowArgs) -> Outcome<Exit> {
    let (source, reading, patience) = (args.model.source()?, args.model.reading(), Patience::default());
    if source.language.is_of_nets() {
        expect_read_as_net(&reading)?;
        return show_net::run(&read_net(source, &patience)?, args.form);
    }
    let program = Program::open(source, &reading, &What::default(), &patience)?;
    session::show_refused(program.refused());
    let interpreter = program.searched();
    let text = match args.form {
        Form::Ir => ir::text::print(interpreter.program()),
        Form::Automata => automata::table(interpreter),
        Form::Dot => automata::dot(interpreter),
        Form::Json => report::json::pretty(&automata::json(interpreter)),
        other @ (Form::Net | Form::Aut | Form::Pnml | Form::Lola | Form::Promela) => {
            let what = format!("`--as {}` of a program", format!("{other:?}").to_lowercase());
            return Err(Stop::unavailable(&what, "use ir, automata, dot or json"));
        }
    };
    output::print(&text)?;
    Ok(Exit::Fine)
}
