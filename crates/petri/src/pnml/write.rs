//! Writes PNML, with inhibitor arcs and units where there are any.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};

use quick_xml::escape::escape;

use crate::net::{Net, Units};

/// Writes a net as PNML. Names become ids; a transition with the name of a place gets underscores behind it,
/// because ids are unique. PNML can neither say the bounds of places nor which transitions are fair.
pub fn write(net: &Net, out: &mut impl Write) -> io::Result<()> {
    let transitions = transition_ids(net);
    let prefix = free_prefix(net);
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">"#)?;
    let grammar = "http://www.pnml.org/version-2009/grammar/ptnet";
    writeln!(out, r#"<net id="{}" type="{grammar}">"#, quote(&net.name))?;
    writeln!(out, r#"<page id="{prefix}">"#)?;
    for place in net.places() {
        write!(out, r#"<place id="{}""#, quote(&place.name))?;
        match place.initial {
            0 => writeln!(out, "/>")?,
            n => writeln!(out, "><initialMarking><text>{n}</text></initialMarking></place>")?,
        }
    }
    for id in &transitions {
        writeln!(out, r#"<transition id="{}"/>"#, quote(id))?;
    }
    let mut n_arcs = 0;
    let mut arc = |source: &str, target: &str, weight: u64, kind: &str| {
        let (source, target) = (quote(source), quote(target));
        write!(out, r#"<arc id="{prefix}{n_arcs}" source="{source}" target="{target}""#)?;
        n_arcs += 1;
        if weight == 1 && kind.is_empty() {
            return writeln!(out, "/>");
        }
        writeln!(out, "><inscription><text>{weight}</text></inscription>{kind}</arc>")
    };
    for (transition, id) in net.transition_ids().zip(&transitions) {
        for input in net.pre(transition) {
            arc(&net.place(input.place).name, id, input.weight, "")?;
        }
        for output in net.post(transition) {
            arc(id, &net.place(output.place).name, output.weight, "")?;
        }
        for inhibitor in net.inhibitors(transition) {
            let place = &net.place(inhibitor.place).name;
            arc(place, id, inhibitor.weight, r#"<type value="inhibitor"/>"#)?;
        }
    }
    writeln!(out, "</page>")?;
    if let Some(units) = &net.units {
        write_units(net, units, out)?;
    }
    writeln!(out, "</net>\n</pnml>")
}

/// The units list their places between blanks, so that a name with a blank cannot be there.
fn write_units(net: &Net, units: &Units, out: &mut impl Write) -> io::Result<()> {
    let Units { list, root, safe } = units;
    let blank = |name: &str| name.is_empty() || name.contains(char::is_whitespace);
    if net.places().iter().any(|place| blank(&place.name)) || list.iter().any(|unit| blank(&unit.name)) {
        return Ok(());
    }
    let name = |unit: u32| quote(&list[unit as usize].name);
    let (n_places, n_transitions, n_arcs) = (net.places().len(), net.transitions().len(), net.n_arcs());
    writeln!(out, r#"<toolspecific tool="nupn" version="1.1">"#)?;
    writeln!(out, r#"<size places="{n_places}" transitions="{n_transitions}" arcs="{n_arcs}"/>"#)?;
    writeln!(out, r#"<structure units="{}" root="{}" safe="{safe}">"#, list.len(), name(*root))?;
    for unit in list {
        let places: Vec<_> = unit.places.iter().map(|&place| quote(&net.place(place).name)).collect();
        let inner: Vec<_> = unit.inner.iter().map(|&unit| name(unit)).collect();
        writeln!(out, r#"<unit id="{}">"#, quote(&unit.name))?;
        writeln!(out, "<places>{}</places>", places.join(" "))?;
        writeln!(out, "<subunits>{}</subunits>\n</unit>", inner.join(" "))?;
    }
    writeln!(out, "</structure>\n</toolspecific>")
}

/// An id for each transition.
fn transition_ids(net: &Net) -> Vec<Cow<'_, str>> {
    let names = || net.transitions().iter().map(|transition| &*transition.name);
    let places: HashSet<&str> = net.places().iter().map(|place| &*place.name).collect();
    let mut taken: HashSet<Cow<str>> = names().chain(places.iter().copied()).map(Cow::from).collect();
    let id = |name| {
        let mut id: Cow<str> = Cow::from(name);
        while places.contains(name) && !taken.insert(id.clone()) {
            id.to_mut().push('_');
        }
        id
    };
    names().map(id).collect()
}

/// What no name of the net begins with.
fn free_prefix(net: &Net) -> String {
    let mut prefix = String::from("a");
    let taken = |prefix: &str| {
        net.places().iter().any(|place| place.name.starts_with(prefix))
            || net.transitions().iter().any(|transition| transition.name.starts_with(prefix))
    };
    while taken(&prefix) {
        prefix.push('_');
    }
    prefix
}

/// A text as the value of an attribute, in which bare line ends and tabulators would become blanks.
fn quote(text: &str) -> String {
    escape(text).replace('\n', "&#10;").replace('\t', "&#9;")
}
