//! Writes a net as a graph for [Graphviz](https://graphviz.org).

use std::io::{self, Write};

use crate::net::Net;

/// Writes a net in the DOT language: places round, with their tokens at first; transitions square; weights
/// other than 1 beside the arcs; inhibitor arcs with a circle at their end.
pub fn write(net: &Net, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quote(&net.name))?;
    writeln!(out, "node [shape=circle];")?;
    for id in net.place_ids() {
        let place = net.place(id);
        let tokens = if place.initial == 0 { String::new() } else { place.initial.to_string() };
        writeln!(out, "p{} [label={}, xlabel={}];", id.0, quote(&tokens), quote(&place.name))?;
    }
    writeln!(out, "node [shape=box];")?;
    for id in net.transition_ids() {
        writeln!(out, "t{} [label={}];", id.0, quote(&net.transition(id).name))?;
    }
    for id in net.transition_ids() {
        for arc in net.pre(id) {
            writeln!(out, "p{} -> t{}{};", arc.place.0, id.0, attributes(arc.weight, ""))?;
        }
        for arc in net.post(id) {
            writeln!(out, "t{} -> p{}{};", id.0, arc.place.0, attributes(arc.weight, ""))?;
        }
        for arc in net.inhibitors(id) {
            writeln!(out, "p{} -> t{}{};", arc.place.0, id.0, attributes(arc.weight, "arrowhead=odot"))?;
        }
    }
    writeln!(out, "}}")
}

fn attributes(weight: u64, others: &str) -> String {
    match (weight, others) {
        (1, "") => String::new(),
        (1, _) => format!(" [{others}]"),
        (_, "") => format!(" [label={weight}]"),
        _ => format!(" [label={weight}, {others}]"),
    }
}

/// A text between quotes, without the meaning that backslashes have in labels.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::NetBuilder;

    #[test]
    fn a_net_as_a_graph() {
        let mut net = NetBuilder::new("a \"net\"");
        let (p, q, t) = (net.place("p", 2), net.place("\\q", 0), net.transition("t"));
        net.input(p, t, 1);
        net.output(t, q, 3);
        net.inhibitor(q, t, 1);
        net.inhibitor(p, t, 4);
        let mut out = Vec::new();
        write(&net.finish(), &mut out).unwrap();
        let expected = r#"digraph "a \"net\"" {
node [shape=circle];
p0 [label="2", xlabel="p"];
p1 [label="", xlabel="\\q"];
node [shape=box];
t0 [label="t"];
p0 -> t0;
t0 -> p1 [label=3];
p0 -> t0 [label=4, arrowhead=odot];
p1 -> t0 [arrowhead=odot];
}
"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
