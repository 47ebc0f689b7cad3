use crate::automaton::{Automaton, Cube, Guard};
use crate::text::quoted;

/// Writes an automaton as HOA. `names` are the texts of its atoms; every atom needs one.
///
/// Acceptance is written at the states if that is possible.
pub fn write(automaton: &Automaton, names: &[String], name: Option<&str>) -> String {
    let state_based = automaton.is_state_based();
    let mut lines = header(automaton, names, name);
    lines.push("--BODY--".to_owned());
    for (number, state) in automaton.states.iter().enumerate() {
        let marks = state.edges.first().filter(|_| state_based).map_or(0, |edge| edge.accepts);
        lines.push(format!("State: {number}{}", sets(marks)));
        for edge in &state.edges {
            let marks = if state_based { 0 } else { edge.accepts };
            lines.push(format!("[{}] {}{}", label(&edge.guard), edge.target, sets(marks)));
        }
    }
    lines.push("--END--\n".to_owned());
    lines.join("\n")
}

fn header(automaton: &Automaton, names: &[String], name: Option<&str>) -> Vec<String> {
    let n_sets = automaton.n_sets;
    let acceptance_name = match n_sets {
        0 => "all".to_owned(),
        1 => "Buchi".to_owned(),
        _ => format!("generalized-Buchi {n_sets}"),
    };
    let condition = match n_sets {
        0 => "t".to_owned(),
        _ => (0..n_sets).map(|set| format!("Inf({set})")).collect::<Vec<_>>().join("&"),
    };
    let place = if automaton.is_state_based() { "state-acc" } else { "trans-acc" };
    let mut lines = vec!["HOA: v1".to_owned()];
    lines.extend(name.map(|name| format!("name: {}", quoted(name))));
    lines.push(format!("States: {}", automaton.states.len()));
    lines.push(format!("Start: {}", automaton.initial));
    let atoms: String = names.iter().map(|name| format!(" {}", quoted(name))).collect();
    lines.push(format!("AP: {}{atoms}", names.len()));
    lines.push(format!("acc-name: {acceptance_name}"));
    lines.push(format!("Acceptance: {n_sets} {condition}"));
    lines.push(format!("properties: trans-labels explicit-labels {place}"));
    lines
}

/// The acceptance sets in braces, after a blank; nothing if there are none.
fn sets(marks: u64) -> String {
    if marks == 0 {
        return String::new();
    }
    let numbers: Vec<String> = bits(marks).map(|set| set.to_string()).collect();
    format!(" {{{}}}", numbers.join(" "))
}

fn label(guard: &Guard) -> String {
    if guard.cubes.is_empty() {
        return "f".to_owned();
    }
    guard.cubes.iter().map(conjunction).collect::<Vec<_>>().join(" | ")
}

fn conjunction(cube: &Cube) -> String {
    if *cube == Cube::default() {
        return "t".to_owned();
    }
    let literal = |atom: u32| {
        let sign = if cube.negative >> atom & 1 == 1 { "!" } else { "" };
        format!("{sign}{atom}")
    };
    bits(cube.positive | cube.negative).map(literal).collect::<Vec<_>>().join("&")
}

fn bits(word: u64) -> impl Iterator<Item = u32> {
    (0..u64::BITS).filter(move |bit| word >> bit & 1 == 1)
}
