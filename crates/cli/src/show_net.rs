//! `stubborn show` for nets.

use petri::Net;
use serde_json::json;
use source::Diagnostic;

use crate::Outcome;
use crate::args::Form;
use crate::exit::{Exit, Stop};
use crate::output;

/// Shows a net in another form.
pub fn run(net: &Net, form: Form) -> Outcome<Exit> {
    let mut text = Vec::new();
    let written = match form {
        Form::Lola => petri::lola::write_net(net, &mut text),
        Form::Pnml => petri::pnml::write(net, &mut text),
        Form::Dot => petri::dot::write(net, &mut text),
        Form::Net | Form::Json => {
            text = report::json::pretty(&data(net)).into_bytes();
            Ok(())
        }
        other @ (Form::Ir | Form::Automata | Form::Aut | Form::Promela) => {
            let what = format!("`--as {}` of a net", format!("{other:?}").to_lowercase());
            return Err(Stop::unavailable(&what, "use lola, pnml, dot or json"));
        }
    };
    // Memory does not fail; what cannot be written is an error of its own.
    written.map_err(|error| match error.get_ref().and_then(|inner| inner.downcast_ref::<Diagnostic>()) {
        Some(error) => Stop::refuse(error.code, error.message.as_str()),
        None => Stop::Internal(error.to_string()),
    })?;
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Fine)
}

fn data(net: &Net) -> serde_json::Value {
    let arcs = |arcs: &[petri::Arc]| -> serde_json::Value {
        arcs.iter()
            .map(|arc| (net.place(arc.place).name.clone(), json!(arc.weight)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let places: Vec<_> = net
        .places()
        .iter()
        .map(|place| json!({"name": place.name, "initial": place.initial, "bound": place.bound}))
        .collect();
    let transitions: Vec<_> = net
        .transition_ids()
        .map(|id| {
            json!({
                "name": net.transition(id).name,
                "consume": arcs(net.pre(id)),
                "produce": arcs(net.post(id)),
                "inhibitors": arcs(net.inhibitors(id)),
            })
        })
        .collect();
    json!({"name": net.name, "places": places, "transitions": transitions})
}
