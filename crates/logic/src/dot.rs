//! Automata as Graphviz drawings.

use crate::automaton::Automaton;
use crate::print::guard_text;
use crate::text;

/// Draws an automaton. `names` are the texts of the atoms.
///
/// An accepting state has a double circle if there is one set, of states. Otherwise acceptance sets
/// stand in braces, at the states if possible and else at the edges.
pub fn dot(automaton: &Automaton, names: &[String], title: &str) -> String {
    let at_states = automaton.is_state_based();
    let mut text = String::from("digraph automaton {\n  rankdir=LR;\n  node [shape=circle];\n");
    text += &format!("  label={};\n  labelloc=t;\n", quoted(title));
    text += &format!("  start [shape=point, style=invis];\n  start -> {};\n", automaton.initial);
    for (number, state) in automaton.states.iter().enumerate() {
        let marks = state.edges.first().filter(|_| at_states).map_or(0, |edge| edge.accepts);
        text += &match (automaton.n_sets, marks) {
            (_, 0) => format!("  {number};\n"),
            (1, _) => format!("  {number} [shape=doublecircle];\n"),
            _ => format!("  {number} [label={}];\n", quoted(&format!("{number}\n{}", sets(marks)))),
        };
        for edge in &state.edges {
            let mut label = guard_text(&edge.guard, names);
            if !at_states && edge.accepts != 0 {
                label = format!("{label}\n{}", sets(edge.accepts));
            }
            text += &format!("  {number} -> {} [label={}];\n", edge.target, quoted(&label));
        }
    }
    text + "}\n"
}

fn sets(marks: u64) -> String {
    let numbers = (0..u64::BITS).filter(|set| marks >> set & 1 == 1).map(|set| set.to_string());
    format!("{{{}}}", numbers.collect::<Vec<_>>().join(", "))
}

/// Text in quotes; Graphviz centres the lines of a label.
fn quoted(text: &str) -> String {
    text::quoted(text).replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hoa;

    fn drawing(acceptance: &str, body: &str) -> String {
        let hoa = format!(
            "HOA: v1 Start: 0 AP: 1 \"s == \\\"a\\\"\" Acceptance: {acceptance} --BODY-- {body} --END--"
        );
        let (automaton, names) = hoa::read(&hoa, &model::Patience::default()).unwrap().unwrap();
        dot(&automaton, &names, "G \"x\"")
    }

    #[test]
    fn accepting_states_have_double_circles() {
        let text = drawing("1 Inf(0)", "State: 0 [t] 0 [!0] 1 State: 1 {0} [0] 1");
        assert_eq!(
            text,
            r#"digraph automaton {
  rankdir=LR;
  node [shape=circle];
  label="G \"x\"";
  labelloc=t;
  start [shape=point, style=invis];
  start -> 0;
  0;
  0 -> 0 [label="true"];
  0 -> 1 [label="!(s == \"a\")"];
  1 [shape=doublecircle];
  1 -> 1 [label="(s == \"a\")"];
}
"#
        );
    }

    #[test]
    fn sets_stand_at_states_or_edges() {
        let at_state = drawing("2 Inf(0)&Inf(1)", "State: 0 {0 1} [t] 0");
        assert!(at_state.contains("  0 [label=\"0\\n{0, 1}\"];\n  0 -> 0 [label=\"true\"];\n"), "{at_state}");
        let at_edges = drawing("2 Inf(0)&Inf(1)", "State: 0 [0] 0 {1} [f] 0");
        assert!(at_edges.contains("  0;\n  0 -> 0 [label=\"(s == \\\"a\\\")\\n{1}\"];\n"), "{at_edges}");
        assert!(at_edges.contains("  0 -> 0 [label=\"false\"];\n"), "{at_edges}");
    }
}
