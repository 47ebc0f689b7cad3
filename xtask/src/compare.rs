//! Compares automata up to the numbering of their locations.

use std::collections::BTreeMap;

use crate::table::{Automaton, Edge};
use crate::text::{self, Names};

/// How the automata of a model compare.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The first difference.
    pub difference: Option<String>,
    /// Steps that were compared.
    pub steps: usize,
    /// Steps that are the same but for the line in the source.
    pub other_line: usize,
    /// An example of one.
    pub line_example: Option<String>,
}

/// Compares Spin's automata with ours. A name may occur twice (`init`).
pub fn compare(mut spin: Vec<Automaton>, mut ours: Vec<Automaton>, names: &Names) -> Comparison {
    let mut comparison = Comparison::default();
    spin.sort_by(|a, b| a.name.cmp(&b.name));
    ours.sort_by(|a, b| a.name.cmp(&b.name));
    let types = |automata: &[Automaton]| automata.iter().map(|a| a.name.clone()).collect::<Vec<_>>();
    if types(&spin) != types(&ours) {
        comparison.difference =
            Some(format!("process types: spin {:?}, ours {:?}", types(&spin), types(&ours)));
        return comparison;
    }
    for (left, right) in spin.iter().zip(&ours) {
        comparison.difference = follow(left, right, names, &mut comparison);
        if comparison.difference.is_some() {
            break;
        }
    }
    comparison
}

/// Follows the steps of both in order from the start, and pairs the locations on the way.
fn follow(left: &Automaton, right: &Automaton, names: &Names, comparison: &mut Comparison) -> Option<String> {
    let mut to_right = BTreeMap::from([(left.start, right.start)]);
    let mut to_left = BTreeMap::from([(right.start, left.start)]);
    let mut stack = vec![(left.start, right.start)];
    let nothing = Vec::new();
    while let Some((a, b)) = stack.pop() {
        let theirs = left.locations.get(&a).unwrap_or(&nothing);
        let ours = right.locations.get(&b).unwrap_or(&nothing);
        let differ = |what: String| Some(side_by_side(&left.name, a, &what, theirs, ours));
        if theirs.len() != ours.len() {
            return differ(format!("{} steps, ours {}", theirs.len(), ours.len()));
        }
        for (x, y) in theirs.iter().zip(ours) {
            if !text::same(&x.text, &y.text, names) {
                return differ("statements".to_string());
            }
            if x.flags != y.flags {
                return differ("flags".to_string());
            }
            comparison.steps += 1;
            if x.line != y.line {
                comparison.other_line += 1;
                let example = || format!("{}: {} at line {}, ours {}", left.name, x.text, x.line, y.line);
                comparison.line_example.get_or_insert_with(example);
            }
            match (x.target, y.target) {
                (None, None) => {}
                (Some(c), Some(d)) => {
                    let known = (to_right.get(&c).copied(), to_left.get(&d).copied());
                    match known {
                        (None, None) => {
                            to_right.insert(c, d);
                            to_left.insert(d, c);
                            stack.push((c, d));
                        }
                        (Some(paired), Some(_)) if paired == d => {}
                        _ => return differ(format!("targets of {}", x.text)),
                    }
                }
                _ => return differ(format!("targets of {}", x.text)),
            }
        }
    }
    None
}

fn side_by_side(name: &str, location: u32, what: &str, spin: &[Edge], ours: &[Edge]) -> String {
    let mut out = format!("{name}, Spin's state {location}: {what}\n");
    for (who, edges) in [("spin", spin), ("ours", ours)] {
        for Edge { target, flags, line, text } in edges {
            let target = target.map_or("gone".to_string(), |target| target.to_string());
            out += &format!("      {who}  -> {target:<5} [{flags}] line {line}: {text}\n");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::compare;
    use crate::table::{Automaton, from_pan};
    use crate::text::Names;

    /// The table of `byte x; active proctype P() { do :: x++; x=2 :: break od }`, with chosen numbers.
    fn table([a, b, c]: [u32; 3], flags: &str) -> Vec<Automaton> {
        let rows = [
            format!("\tstate  {a} -(tr   3)-> state   {b}  [id   0 tp   2] [{flags}G] a.pml:1 => x = (x+1)"),
            format!("\tstate  {a} -(tr   1)-> state   {c}  [id   2 tp   2] [----L] a.pml:1 => goto :b0"),
            format!("\tstate  {b} -(tr   4)-> state   {a}  [id   1 tp   2] [----G] a.pml:1 => x = 2"),
            format!("\tstate  {c} -(tr   5)-> state   0  [id   5 tp 3500] [--e-L] a.pml:1 => -end-"),
        ];
        let text =
            format!("proctype P\n{}\nclaim n\n\tnot read\n\nTransition Type: A=atomic", rows.join("\n"));
        from_pan(&text).expect("a table")
    }

    fn ours(numbers: [u32; 3], flags: &str) -> Vec<Automaton> {
        let mut automata = table(numbers, flags);
        for edge in automata.iter_mut().flat_map(|automaton| automaton.locations.values_mut().flatten()) {
            edge.text = edge.text.replace("goto :b0", "break");
        }
        automata
    }

    #[test]
    fn numbers_do_not_matter() {
        let comparison = compare(table([4, 2, 7], "----"), ours([1, 3, 2], "----"), &Names::new());
        assert_eq!(comparison.difference, None);
        assert_eq!(comparison.steps, 4);
    }

    #[test]
    fn flags_and_targets_matter() {
        let other_flags = compare(table([4, 2, 7], "----"), ours([4, 2, 7], "A---"), &Names::new());
        assert!(other_flags.difference.is_some_and(|text| text.contains("flags")));
        let mut wrong = ours([4, 2, 7], "----");
        wrong[0].locations.get_mut(&2).expect("a location")[0].target = Some(7);
        let other_target = compare(table([4, 2, 7], "----"), wrong, &Names::new());
        assert!(other_target.difference.is_some_and(|text| text.contains("targets of x = 2")));
    }
}
