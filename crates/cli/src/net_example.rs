//! `stubborn net-example`

use crate::Outcome;
use crate::args::NetExampleArgs;
use crate::exit::{Exit, Stop};
use crate::output;

/// Prints a net of the literature.
pub fn run(args: &NetExampleArgs) -> Outcome<Exit> {
    let net = petri::example::example(&args.family, &args.sizes)
        .map_err(|error| Stop::refuse(error.code, error.message))?;
    let mut text = Vec::new();
    petri::lola::write_net(&net, &mut text).map_err(|error| Stop::Internal(error.to_string()))?;
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Fine)
}
